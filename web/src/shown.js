// Which edges are shown: those with at least as much evidence as one slider says and, where edges
// have probabilities, at least as probable as the other says.
//
// The sliders move through the ranks of the edges and not through the numbers: evidence is
// spread over orders of magnitude, and every step should change something. Edges of unknown
// evidence or probability are always shown.

export class Shown {
  constructor(data) {
    this.limits = {};
    for (const name of ["evidence", "probability"]) {
      const values = data.edges[name];
      if (values === undefined) continue;
      const known = values.filter((value) => !Number.isNaN(value)).sort();
      // Equal numbers are one step.
      this.limits[name] = { values, steps: [...new Set(known)], least: -Infinity };
    }
    this.count = data.count;
    this.listeners = [];
    this.update();
  }

  moveTo(name, step) {
    const limit = this.limits[name];
    limit.least = step === 0 ? -Infinity : limit.steps[step];
    this.update();
    this.listeners.forEach((listener) => listener());
  }

  has(edge) {
    return Object.values(this.limits).every(({ values, least }) => !(values[edge] < least));
  }

  update() {
    this.edges = [];
    for (let k = 0; k < this.count; k++) if (this.has(k)) this.edges.push(k);
  }
}
