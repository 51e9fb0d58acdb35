// Three classes of pairs by their inclusion Bayes factors: present, absent and undecided; and how the number of edges
// depends on the edge prior. The middle of `sensitivity` is the prior of the run; its odds grow by 3^(1/8) from row to row.

import { breakable, byId, element, svgElement } from "./dom.js";
import { ticks } from "./dots.js";

const MAX_ROWS = 15;
const THIRD = 8; // rows to a third of the prior odds
const TICKS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.5, 0.8];
const [WIDTH, HEIGHT, LEFT, FOOT, TOP] = [580, 280, 36, 36, 10];

export function offerClasses(data) {
  const found = data.classes;
  if (!found) return;
  byId("classes-section").hidden = byId("classes-link").hidden = false;
  const { present, absent, undecided, limit } = found;
  const total = present + absent + undecided || 1;
  const rows = [["present", present, `above ${limit}`], ["undecided", undecided, "between"], ["absent", absent, `below 1/${limit}`]];
  byId("classes").replaceChildren(
    ...rows.map(([name, count, factor]) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, factor),
        element("td", { class: "number" }, `${count}`), element("td", { class: "number" }, `${(100 * count / total).toFixed(0)} %`)),
    ),
  );
  drawUndecided(data, found);
  drawSensitivity(found);
}

function drawUndecided({ nodes }, { pairs, probability, bayes_factor: factors, undecided_without_edge: count }) {
  byId("undecided").replaceChildren(
    ...pairs.slice(0, MAX_ROWS).map(([a, b], k) =>
      element("tr", {}, element("td", { class: "name" }, ...breakable(nodes.name[a])), element("td", { class: "name" }, ...breakable(nodes.name[b])),
        element("td", { class: "number" }, probability[k].toFixed(2)), element("td", { class: "number" }, factors[k].toPrecision(2))),
    ),
  );
  byId("undecided-words").textContent = count
    ? `Pairs without an edge for which the data do not decide${count > MAX_ROWS ? ` (the ${MAX_ROWS} most probable of ${count})` : ""}:`
    : "The data decide about every pair that is not an edge.";
  byId("undecided-table").hidden = !pairs.length;
}

// Edges with a probability above 1/2 and above 0.9 for each edge prior, on a logarithmic axis.
function drawSensitivity({ sensitivity, density }) {
  const [first, last] = [sensitivity[0][0], sensitivity.at(-1)[0]];
  const most = Math.max(1, ...sensitivity.map((row) => row[1]));
  const along = (prior) => LEFT + (WIDTH - LEFT - 8) * (Math.log(prior / first) / Math.log(last / first));
  const up = (count) => HEIGHT - FOOT - (HEIGHT - FOOT - TOP) * (count / most);
  const curve = (column, className) =>
    svgElement("polyline", { class: className, points: sensitivity.map((row) => `${along(row[0])},${up(row[column])}`).join(" ") });
  const text = (x, y, anchor, words) => svgElement("text", { x, y, "text-anchor": anchor }, words);
  const parts = [
    svgElement("line", { x1: LEFT, x2: WIDTH - 8, y1: up(0), y2: up(0) }),
    ...ticks(0, most).map((at) => text(LEFT - 5, up(at) + 4, "end", `${at}`)),
    ...TICKS.filter((at) => at >= first && at <= last).map((at) => text(along(at), HEIGHT - 20, "middle", `${at}`)),
    text((LEFT + WIDTH) / 2, HEIGHT - 4, "middle", "prior probability of an edge"),
    curve(1, "curve"),
    curve(2, "curve dashed"),
  ];
  const middle = (sensitivity.length - 1) / 2;
  const three = [-THIRD, 0, THIRD].map((step) => sensitivity[middle + step] ?? sensitivity[0]);
  parts.push(
    svgElement("line", { class: "bound", x1: along(density), x2: along(density), y1: TOP, y2: up(0) }),
    ...three.map(([prior, count]) => svgElement("circle", { cx: along(prior), cy: up(count), r: 4 })),
  );
  byId("sensitivity-chart").replaceChildren(...parts);
  const words = three.map(([prior, count]) => `${count} with ${prior}`).join(", ");
  byId("sensitivity-words").textContent = `Edges with a probability above 1/2 (solid) and above 0.9 (dashed) by the prior probability of an edge. ` +
    `Dots: above 1/2 with a third, one and three times the prior odds of this run (vertical line): ${words}. The counts follow from the ` +
    "Bayes factors of this run, not from further chains; pairs with a prior of their own keep it.";
}
