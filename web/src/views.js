// A comparison of graphs: which of them is shown. With all graphs, the kind of an edge is where it is found, and its
// coupling the mean over the graphs that have it; with one graph, kinds are signs and couplings are those of this graph.

import { kindOf } from "./data.js";
import { byId, element } from "./dom.js";

export function offerViews(data, shown, looks, redraw) {
  if (!data.graphs) return { state: null, restore: () => {} };
  const { edges, graphs } = data;
  const everywhere = 2 ** graphs.length - 1;
  const together = { coupling: edges.coupling, kind: edges.graphs.map((bits) => place(bits, everywhere)) };
  const views = graphs.map((_, g) => {
    const coupling = edges[`coupling_${g + 1}`];
    // A coupling table has no sign.
    return { coupling, kind: Array.from(coupling, (value, k) => kindOf(edges.table[k] ? NaN : value)) };
  });
  const box = byId("graphs");
  box.hidden = false;
  const show = (g) => {
    const view = g === null ? together : views[g];
    data.kind = view.kind;
    edges.coupling = view.coupling;
    shown.graph = g;
    shown.switchedOff.clear();
    shown.limit("coupling")?.use(view.coupling);
    looks.measure(looks.name);
    for (const button of box.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", button.dataset.graph === `${g ?? ""}`);
    }
    shown.change();
    redraw();
  };
  const button = (g, words) =>
    element("button", { type: "button", class: "switch", "data-graph": g ?? "", "aria-pressed": g === null, onclick: () => show(g) }, words);
  box.append(button(null, graphs.length === 2 ? "both" : "all"), ...graphs.map(({ name }, g) => button(g, name)));
  show(null);
  return {
    get state() {
      return shown.graph === null ? null : graphs[shown.graph].name;
    },
    restore(name) {
      const g = graphs.findIndex((graph) => graph.name === name);
      if (g >= 0) show(g);
    },
  };
}

// Where an edge is found: in all graphs, only in graph number n, or in some of more than two.
function place(bits, everywhere) {
  if (bits === everywhere) return "shared";
  const alone = Math.log2(bits);
  return Number.isInteger(alone) && alone < 2 ? `only${alone + 1}` : "some";
}

export function kindWords(kind, data) {
  const signs = { attraction: "positive", repulsion: "negative", unknown: "no sign", infinite: "infinite coupling" };
  if (kind in signs) return signs[kind];
  if (kind === "shared") return data.graphs.length === 2 ? "in both" : "in all";
  if (kind === "some") return "in some";
  return `only in ${data.graphs[kind.at(-1) - 1].name}`;
}
