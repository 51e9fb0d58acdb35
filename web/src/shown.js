// Which edges are shown: those with at least as much evidence as the slider says.
//
// The slider moves through the ranks of the edges and not through the numbers: evidence is
// spread over orders of magnitude, and every step should change something. Edges of unknown
// evidence are always shown.

export class Shown {
  constructor(data) {
    this.evidence = data.edges.evidence;
    const known = this.evidence.filter((value) => !Number.isNaN(value)).sort();
    // Equal evidence is one step.
    this.steps = [...new Set(known)];
    this.threshold = -Infinity;
    this.listeners = [];
    this.update();
  }

  moveTo(step) {
    this.threshold = step === 0 ? -Infinity : this.steps[step];
    this.update();
    this.listeners.forEach((listener) => listener());
  }

  has(edge) {
    return !(this.evidence[edge] < this.threshold);
  }

  update() {
    this.edges = [];
    for (let k = 0; k < this.evidence.length; k++) if (this.has(k)) this.edges.push(k);
  }
}
