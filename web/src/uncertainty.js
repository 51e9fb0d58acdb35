// Couplings and centralities with their intervals. Couplings: the interval of the fitted model and, paler, that over the
// bootstrap replicates. The reader chooses the centrality.

import { columnWords, edgeName, spelled } from "./data.js";
import { byId, element } from "./dom.js";
import { drawDots } from "./dots.js";
import { shortName } from "./labels.js";

const MAX_EDGES = 30;
const MAX_NODES = 40;
const MEANING = {
  strength: "sum of |coupling| over all neighbours", expected_influence: "sum of couplings with their signs",
  degree: "number of neighbours", closeness: "inverse mean distance to all other variables",
  betweenness: "number of shortest paths through the variable",
  bridge_strength: "strength over edges into other communities",
  bridge_expected_influence: "expected influence over edges into other communities",
};

export function offerUncertainty(data, shown, select) {
  offerIntervals(data, shown, select);
  offerCentralities(data, select);
  byId("uncertainty-section").hidden = byId("interval-figure").hidden && byId("centrality-figure").hidden;
  byId("uncertainty-link").hidden = byId("uncertainty-section").hidden;
}

function offerIntervals(data, shown, select) {
  const { edges } = data;
  const has = (name) => edges[name]?.some((x) => !Number.isNaN(x));
  const [ofModel, ofBootstrap] = [has("coupling_low"), has("boot_low")];
  byId("interval-figure").hidden = !ofModel && !ofBootstrap;
  if (!ofModel && !ofBootstrap) return;
  const nothing = () => NaN;
  const at = (name) => (has(name) ? (k) => edges[name][k] : nothing);
  const [low, high, outerLow, outerHigh] = ["coupling_low", "coupling_high", "boot_low", "boot_high"].map(at);
  const share = "frequency" in edges ? "frequency" : "probability" in edges ? "probability" : "";
  const draw = () => {
    const known = shown.edges.filter((k) => Number.isFinite(edges.coupling[k]));
    const size = (k) => Math.abs(edges.coupling[k]);
    const rows = known
      .sort((a, b) => size(b) - size(a))
      .slice(0, MAX_EDGES)
      .sort((a, b) => edges.coupling[b] - edges.coupling[a])
      .map((k) => ({
        name: edgeName(data, k, (name) => shortName(name, 16)), value: edges.coupling[k], kind: data.kind[k],
        low: low(k), high: high(k), outerLow: outerLow(k), outerHigh: outerHigh(k),
        note: share ? spelled(edges[share][k], 2) : "",
        title: `${edgeName(data, k)}: ${spelled(edges.coupling[k], 2)}`,
        select: () => select({ edge: k }),
      }));
    drawDots(byId("interval-chart"), rows, { axis: "coupling (log odds ratio)", note: share });
    const few = known.length > MAX_EDGES ? ` The ${MAX_EDGES} largest of ${known.length} couplings are drawn.` : "";
    byId("interval-words").textContent = [
      ofModel && `Lines: 95 % interval given that the edge is present. ${data.selection ?? ""}`,
      ofBootstrap && `Pale lines: ${100 * data.level} % of the bootstrap replicates, 0 where a replicate does not have the edge.`,
      share && `On the right: ${share} of the edge.`,
    ].filter(Boolean).join(" ") + few;
  };
  shown.listeners.push(draw);
  draw();
}

function offerCentralities(data, select) {
  const names = Object.keys(data.measures);
  byId("centrality-figure").hidden = !names.length;
  if (!names.length) return;
  const choice = byId("centrality");
  choice.replaceChildren(...names.map((name) => element("option", { value: name }, columnWords(name, data))));
  choice.value = "strength";
  const cs = new Map(data.stability);
  const draw = () => {
    const { value, low, high } = data.measures[choice.value];
    const order = Array.from(value, (_, k) => k).sort((a, b) => value[b] - value[a] || a - b);
    const rows = order.slice(0, MAX_NODES).map((k) => ({
      name: data.nodes.name[k], value: value[k], low: low?.[k] ?? NaN, high: high?.[k] ?? NaN,
      title: [data.nodes.name[k], data.nodes.text[k], spelled(value[k], 2)].filter(Boolean).join(": "),
      select: () => select({ node: k }),
    }));
    drawDots(byId("centrality-chart"), rows, { axis: columnWords(choice.value, data) });
    const words = [`${columnWords(choice.value, data)}: ${MEANING[choice.value]}.`];
    if (low) words.push(`Lines: ${100 * data.level} % of the bootstrap replicates.`);
    if (cs.has(choice.value)) {
      const found = cs.get(choice.value);
      const verdict = found >= 0.5 ? "stable" : found >= 0.25 ? "acceptable" : "not stable enough to interpret the order";
      words.push(`CS coefficient ${spelled(found, 2)}: ${verdict}.`);
    } else words.push("The order is uncertain: bootstrap the graph to see how stable it is.");
    if (order.length > MAX_NODES) words.push(`The first ${MAX_NODES} of ${order.length} variables are drawn.`);
    byId("centrality-words").textContent = words.join(" ");
  };
  choice.addEventListener("change", draw);
  draw();
}
