// Loadings of hidden factors: the columns with the largest loadings on the chosen factor.

import { byId, element } from "./dom.js";
import { drawDots } from "./dots.js";

const MAX_ROWS = 30;

export function offerFactors(data, select) {
  if (!data.factors) return;
  const { columns, loadings, explained } = data.factors;
  byId("factors-section").hidden = byId("factors-link").hidden = false;
  const choice = byId("factor");
  const words = (k) => `factor ${k + 1} (${(100 * explained[k]).toFixed(0)} % of the variance)`;
  choice.replaceChildren(...loadings.map((_, k) => element("option", { value: k }, words(k))));
  const number = new Map(data.nodes.name.map((name, k) => [name, k]));
  const draw = () => {
    const own = loadings[+choice.value];
    const order = own.map((_, k) => k).sort((a, b) => Math.abs(own[b]) - Math.abs(own[a])).slice(0, MAX_ROWS);
    const rows = order.map((k) => ({
      name: columns[k], value: own[k], low: Math.min(0, own[k]), high: Math.max(0, own[k]),
      kind: own[k] < 0 ? "repulsion" : "attraction",
      select: number.has(columns[k]) ? () => select({ node: number.get(columns[k]) }) : null,
    }));
    drawDots(byId("factor-chart"), rows, { axis: "loading (correlation with the factor)" });
    const few = own.length > MAX_ROWS ? ` The ${MAX_ROWS} largest of ${own.length} loadings are drawn.` : "";
    byId("factor-words").textContent =
      `Every edge is adjusted for ${loadings.length === 1 ? "this factor" : "these factors"}, after varimax rotation.${few}`;
  };
  choice.addEventListener("change", draw);
  draw();
}
