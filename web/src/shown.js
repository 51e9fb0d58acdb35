// The edges shown: those above every threshold whose kind is not switched off in the legend.
//
// A threshold is a minimum of evidence, |coupling| or probability. A slider moves through the ranks of the
// edges, because evidence extends over orders of magnitude and every step should have an effect. Edges with an unknown
// number are always shown.

const LIMITED = { evidence: "evidence", coupling: "|coupling|", probability: "probability" };

export class Shown {
  constructor(data) {
    this.data = data;
    this.limits = Object.entries(LIMITED)
      .filter(([name]) => name in data.edges)
      .map(([name, words]) => new Limit(name, words, data.edges[name]))
      .filter((limit) => limit.name === "evidence" || limit.steps.length > 1);
    this.switchedOff = new Set(); // kinds of edges
    this.listeners = [];
    this.update();
  }

  limit(name) {
    return this.limits.find((limit) => limit.name === name);
  }

  has(edge) {
    return this.passes[edge];
  }

  // Whether a kind is shown; infinite couplings are a kind in addition to their sign.
  toggle(kind) {
    if (!this.switchedOff.delete(kind)) this.switchedOff.add(kind);
    this.change();
  }

  change() {
    this.update();
    this.listeners.forEach((listener) => listener());
  }

  update() {
    const { kind, edges, count } = this.data;
    this.edges = [];
    this.passes = new Array(count);
    for (let k = 0; k < count; k++) {
      const isOff =
        this.switchedOff.has(kind[k]) ||
        (this.switchedOff.has("infinite") && isInfinite(edges.coupling[k]));
      this.passes[k] = !isOff && this.limits.every((limit) => limit.allows(k));
      if (this.passes[k]) this.edges.push(k);
    }
  }
}

class Limit {
  constructor(name, words, column) {
    Object.assign(this, { name, words, least: -Infinity });
    this.sizes = column.map(Math.abs);
    if (name === "evidence") this.sizes = column;
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
