// The coupling of an edge: a number in the colour of its sign or, for a table, a button with its size that opens the
// table below the row; and an explanation in words.

import { spelled } from "./data.js";
import { element } from "./dom.js";
import { heatMap } from "./heatmap.js";
import { isInfinite } from "./shown.js";

export function couplingCell(data, k) {
  const { coupling, table } = data.edges;
  const size = spelled(coupling[k], 2);
  if (table[k] === null) return element("td", { class: `number ${data.kind[k]}` }, size);
  const button = element("button", { class: "link", type: "button", "aria-expanded": false }, size);
  let detail = null;
  button.addEventListener("click", (event) => {
    event.stopPropagation(); // the row itself selects the edge
    if (detail === null) {
      const row = button.closest("tr");
      const whole = element("td", { colspan: row.cells.length }, couplingMap(data, k));
      detail = element("tr", { class: "detail" }, whole);
      row.after(detail);
    } else {
      detail.remove();
      detail = null;
    }
    button.setAttribute("aria-expanded", detail !== null);
  });
  return element("td", { class: "number" }, button);
}

export function couplingMap(data, k) {
  const { name } = data.nodes;
  const { source, target, table } = data.edges;
  const texts = table[k].map((row) => row.map((x) => spelled(x, 2)));
  const caption = `Coupling; rows: ${name[source[k]]}, columns: ${name[target[k]]}`;
  return heatMap(data, k, caption, texts, table[k]);
}

// The coupling in words.
export function couplingWords(data, k) {
  const { name, levels } = data.nodes;
  const { source, target, coupling, table } = data.edges;
  if (isInfinite(coupling[k])) {
    return "Infinite: some combination of values never occurs in the data. Do not interpret its size.";
  }
  if (Number.isNaN(coupling[k]) || table[k] !== null) return "";
  const [a, b] = [source[k], target[k]];
  const step = (node, each) =>
    levels[node]?.length === 2 ? `${name[node]} = ${levels[node][1]}` : `${each} step up in ${name[node]}`;
  const [one, other] = [step(a, "a"), step(b, "each")];
  const times = Math.exp(Math.abs(coupling[k]));
  const factor = times < 100 ? times.toPrecision(2) : times > 1e4 ? "over 10 000" : Math.round(times);
  const how = coupling[k] < 0 ? "divides" : "multiplies";
  return `With all other variables fixed, ${other} ${how} the odds of ${one} by ${factor}.`;
}
