// The appearance of edges. Width and opacity are proportional to the chosen measure; negative couplings are dashed, so
// that the signs differ in greyscale. An infinite coupling is a double line of fixed width.

import { isInfinite } from "./shown.js";
import { paled } from "./theme.js";

export const THINNEST = 0.9; // pixels, the minimum of sigma
const WIDEST = 9;
const DOUBLE = 4.5;
const PALEST = 0.22; // share of the colour of the weakest edge, mixed with the background
const ROOM = 500; // pixels
const DOUBTFUL = 0.3; // factor for probability 0
const MEASURES = ["coupling", "standardized", "evidence", "probability", "frequency"];

export class Looks {
  constructor(data) {
    this.data = data;
    this.measures = MEASURES.filter((name) => data.edges[name]?.some((x) => !Number.isNaN(x)));
    this.scaleFor(data.count, Infinity);
    this.measure(this.usual);
  }

  // In a picture with many edges or little room (its shorter side in pixels), lines are thinner and weak ones paler.
  scaleFor(count, room) {
    this.scale = Math.max(0.35, Math.min(1, Math.sqrt(200 / (count || 1))) * Math.min(1, room / ROOM));
  }

  // Evidence if most couplings are infinite, because these have no width to compare. Couplings of variables with
  // different numbers of levels are not on one scale.
  get usual() {
    const infinite = this.data.edges.coupling.filter(isInfinite).length;
    if (infinite > this.data.count / 2 && this.measures.includes("evidence")) return "evidence";
    if (this.data.isMixed && this.measures.includes("standardized")) return "standardized";
    return this.measures[0] ?? "coupling";
  }

  measure(name) {
    this.name = name;
    const column = this.data.edges[name] ?? new Float64Array(this.data.count).fill(NaN);
    const size = (x) => (name === "evidence" ? Math.max(x, 0) : Math.abs(x));
    const finite = column.filter(Number.isFinite).map(size);
    const isShare = name === "probability" || name === "frequency";
    this.widest = isShare ? 1 : finite.reduce((a, b) => Math.max(a, b), 0) || 1;
    // Evidence extends over orders of magnitude.
    const share = (x) => (name === "evidence" ? Math.sqrt(x / this.widest) : x / this.widest);
    this.strength = column.map((x) => (Number.isNaN(x) ? 0 : Math.min(share(size(x)), 1)));
  }

  width(strength) {
    return Math.max(THINNEST, WIDEST * strength * this.scale);
  }

  edge(k, palette) {
    const { data } = this;
    const isDouble = isInfinite(data.edges.coupling[k]);
    const strength = isDouble && this.name === "coupling" ? 1 : this.strength[k];
    const probability = data.edges.probability?.[k] ?? NaN;
    const doubt = Number.isNaN(probability) ? 1 : DOUBTFUL + (1 - DOUBTFUL) * probability;
    const palest = PALEST * (0.4 + 0.6 * this.scale);
    const shade = (palest + (1 - palest) * strength ** 0.7) * doubt;
    return {
      width: isDouble && this.name === "coupling" ? DOUBLE : Math.max(this.width(strength), isDouble ? 2.4 : 0),
      colour: paled(palette[data.kind[k]], shade, palette.ground),
      dashed: data.kind[k] === "repulsion" || data.kind[k] === "only2",
      double: isDouble,
    };
  }
}

export function measureWords(name) {
  return name === "standardized" ? "standardized coupling" : name;
}

// Dashes that are longer than wide.
export function dashes(width) {
  return [3 + 2 * width, 2 + 1.5 * width];
}
