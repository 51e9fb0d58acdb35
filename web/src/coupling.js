// The coupling of an edge in a table row: a number, in the colour of its sign; where it is a table, a
// button with the table's size that opens the table below the row.

import { spelled } from "./data.js";
import { element } from "./dom.js";

export function couplingCell(data, k) {
  const { coupling, table } = data.edges;
  const size = spelled(coupling[k], 2);
  if (table[k] === null) {
    return element("td", { class: `number ${signName(data.signed[k])}` }, size);
  }
  const button = element("button", { class: "link", type: "button", "aria-expanded": false }, size);
  let detail = null;
  button.addEventListener("click", () => {
    if (detail === null) {
      const row = button.closest("tr");
      detail = detailRow(data, k, row.cells.length);
      row.after(detail);
    } else {
      detail.remove();
      detail = null;
    }
    button.setAttribute("aria-expanded", detail !== null);
  });
  return element("td", { class: "number" }, button);
}

function detailRow(data, k, columns) {
  const { name, levels } = data.nodes;
  const { source, target, table } = data.edges;
  const [rows, across] = [source[k], target[k]];
  // Levels of another program's provenance may not be those of the table.
  const named = (node, count) =>
    levels[node]?.length === count ? levels[node] : Array.from({ length: count }, (_, r) => `${r}`);
  const head = named(across, table[k][0].length).map((level) =>
    element("th", { scope: "col", class: "number" }, level),
  );
  const firsts = named(rows, table[k].length);
  const body = table[k].map((numbers, r) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, firsts[r]),
      ...numbers.map((x) => element("td", { class: `number ${signName(x)}` }, spelled(x, 2))),
    ),
  );
  const whole = element(
    "table",
    {},
    element("caption", {}, `rows: ${name[rows]}, columns: ${name[across]}`),
    element("thead", {}, element("tr", {}, element("td"), ...head)),
    element("tbody", {}, ...body),
  );
  const wide = element("div", { class: "wide" }, whole);
  return element("tr", { class: "detail" }, element("td", { colspan: columns }, wide));
}

function signName(coupling) {
  return coupling > 0 ? "attraction" : coupling < 0 ? "repulsion" : "unknown";
}
