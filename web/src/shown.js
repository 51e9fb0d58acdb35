// The edges shown: those above every threshold whose kind is not switched off in the legend, between variables in
// focus.
//
// A threshold is a minimum of |coupling|, evidence, probability or frequency. A slider moves through the ranks of the
// edges, because evidence extends over orders of magnitude and every step should have an effect. Edges with an unknown
// number are always shown.

const LIMITED = {
  coupling: "|coupling|", evidence: "evidence", probability: "probability", frequency: "frequency",
};

export class Shown {
  constructor(data) {
    this.data = data;
    this.limits = Object.entries(LIMITED)
      .filter(([name]) => name in data.edges)
      .map(([name, words]) => new Limit(name, words, data.edges[name]))
      .filter((limit) => (limit.name === "evidence" && !data.graphs) || limit.steps.length > 1);
    this.switchedOff = new Set(); // kinds of edges
    this.focus = null; // nodes, or null for all
    this.isOverview = data.isLarge; // whether communities are drawn in place of variables
    this.graph = null; // the graph of a comparison, or null for all
    this.listeners = [];
    this.update();
  }

  limit(name) {
    return this.limits.find((limit) => limit.name === name);
  }

  has(edge) {
    return this.passes[edge];
  }

  // Whether an edge is in the chosen graph of a comparison.
  inGraph(edge) {
    return this.graph === null || ((this.data.edges.graphs[edge] >> this.graph) & 1) === 1;
  }

  hasNode(node) {
    return this.focus === null || this.focus.has(node);
  }

  // Whether a kind is shown; infinite couplings are a kind in addition to their sign.
  toggle(kind) {
    if (!this.switchedOff.delete(kind)) this.switchedOff.add(kind);
    this.change();
  }

  showAll() {
    this.limits.forEach((limit) => (limit.least = -Infinity));
    this.switchedOff.clear();
    this.focus = null;
    this.isOverview = this.data.isLarge;
    this.change();
  }

  change() {
    this.update();
    this.listeners.forEach((listener) => listener());
  }

  update() {
    const { kind, edges, count } = this.data;
    const { source, target } = edges;
    this.edges = [];
    this.passes = new Array(count);
    for (let k = 0; k < count; k++) {
      const isOff =
        this.switchedOff.has(kind[k]) ||
        (this.switchedOff.has("infinite") && isInfinite(edges.coupling[k])) ||
        !this.inGraph(k) ||
        !this.hasNode(source[k]) ||
        !this.hasNode(target[k]);
      this.passes[k] = !isOff && this.limits.every((limit) => limit.allows(k));
      if (this.passes[k]) this.edges.push(k);
    }
  }
}

class Limit {
  constructor(name, words, column) {
    Object.assign(this, { name, words, least: -Infinity });
    this.use(column);
  }

  // Take the numbers of another column; the threshold stays.
  use(column) {
    this.sizes = this.name === "evidence" ? column : column.map(Math.abs);
    const known = this.sizes.filter((value) => !Number.isNaN(value)).sort();
    this.steps = [...new Set(known)]; // equal numbers are one step
  }

  allows(edge) {
    return !(this.sizes[edge] < this.least);
  }

  get isSet() {
    return this.least > -Infinity;
  }

  moveTo(step) {
    this.least = step === 0 ? -Infinity : this.steps[step];
  }

  // The first step above the threshold, to update the slider.
  get step() {
    if (!this.isSet) return 0;
    const found = this.steps.findIndex((value) => value >= this.least);
    return found < 0 ? this.steps.length - 1 : found;
  }
}

export function isInfinite(number) {
  return number === Infinity || number === -Infinity;
}
