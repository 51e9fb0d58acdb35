// The evidence of the edges shown by the distance of their ends along a genome, with outliers, if variables have
// positions. Edges between two chromosomes are in a strip on the right. A click selects an edge.

import { edgeName } from "./data.js";
import { byId, svgElement } from "./dom.js";

const WIDTH = 760;
const HEIGHT = 300;
const [LEFT, RIGHT, TOP, FOOT] = [46, 10, 14, 34];
const STRIP = 56; // for edges between chromosomes
const MAX_POINTS = 4000; // the strongest are drawn
const UNITS = [[1e6, "Mb"], [1e3, "kb"], [1, "bp"]];
const STEPS = [1, 2, 5, 10];
const KINDS = ["usual", "outlier", "extreme"];

export function offerDistances(data, shown, select) {
  if (!data.distances) return;
  byId("distance-figure").hidden = false;
  shown.listeners.push(() => draw(data, shown, select));
}

function draw(data, shown, select) {
  const { of, outlier, extreme, least } = data.distances;
  const { evidence } = data.edges;
  const known = shown.edges.filter((k) => of[k] !== null && Number.isFinite(evidence[k]));
  const strongest = known.sort((a, b) => evidence[b] - evidence[a]).slice(0, MAX_POINTS);
  const finite = strongest.filter((k) => of[k] !== "inf").map((k) => of[k]);
  const longest = finite.reduce((a, b) => Math.max(a, b), 0) || 1;
  const highest = strongest.reduce((most, k) => Math.max(most, evidence[k]), 0) || 1;
  const lowest = strongest.reduce((most, k) => Math.min(most, evidence[k]), 0);
  const strip = finite.length < strongest.length ? STRIP : 0;
  const along = (distance) => LEFT + ((WIDTH - LEFT - RIGHT - strip) * distance) / longest;
  const up = (value) => HEIGHT - FOOT - ((HEIGHT - FOOT - TOP) * (value - lowest)) / (highest - lowest);
  const parts = axes(longest, lowest, highest, along, up);
  if (strip) {
    const middle = WIDTH - RIGHT - strip / 2;
    parts.push(line(middle - strip / 2, middle - strip / 2, TOP, HEIGHT - FOOT));
    parts.push(text(middle, HEIGHT - 18, "middle", "between"), text(middle, HEIGHT - 5, "middle", "chromosomes"));
  }
  for (const bound of [outlier, extreme]) {
    if (bound !== null && bound <= highest) parts.push(line(LEFT, WIDTH - RIGHT, up(bound), up(bound), "bound"));
  }
  if (least) parts.push(line(along(least), along(least), TOP, HEIGHT - FOOT, "bound"));
  const counts = { usual: 0, outlier: 0, extreme: 0 };
  // The strongest last, so that they are on top.
  strongest.reverse().forEach((k, place) => {
    const value = evidence[k];
    const kind = KINDS[data.distances.kind[k]];
    counts[kind] += 1;
    const spread = (((place * 7) % 11) / 11 - 0.5) * 0.6 * strip; // separates points of the same height
    const cx = of[k] === "inf" ? WIDTH - RIGHT - strip / 2 + spread : along(of[k]);
    const title = svgElement("title", {}, `${edgeName(data, k)}: ${value.toFixed(1)}`);
    const r = kind === "usual" ? 2.2 : 3.2;
    parts.push(svgElement("circle", { class: kind, cx, cy: up(value), r, onclick: () => select({ edge: k }) }, title));
  });
  byId("distance-chart").replaceChildren(...parts);
  byId("distance-count").textContent = summary(counts, known.length);
}

function summary({ usual, outlier, extreme }, all) {
  const drawn = usual + outlier + extreme;
  const words = `${extreme} extreme outlier${extreme === 1 ? "" : "s"}, ${outlier} other${outlier === 1 ? "" : "s"}.`;
  return drawn < all ? `${words} Only the ${drawn} strongest of ${all} edges are drawn.` : words;
}

function axes(longest, lowest, highest, along, up) {
  const [unit, name] = UNITS.find(([size]) => longest >= size) ?? UNITS.at(-1);
  const parts = [line(LEFT, WIDTH - RIGHT, HEIGHT - FOOT, HEIGHT - FOOT), line(LEFT, LEFT, TOP, HEIGHT - FOOT)];
  for (const at of ticks(0, longest / unit)) parts.push(text(along(at * unit), HEIGHT - 18, "middle", `${at}`));
  for (const at of ticks(lowest, highest)) parts.push(text(LEFT - 5, up(at) + 4, "end", `${at}`));
  parts.push(text((WIDTH + LEFT) / 2, HEIGHT - 3, "middle", `distance (${name})`), text(0, 10, "start", "evidence"));
  return parts;
}

function ticks(low, high) {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((s) => s * power >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(+(k * step).toPrecision(6));
  return found;
}

function line(x1, x2, y1, y2, kind = "axis") {
  return svgElement("line", { class: kind, x1, x2, y1, y2 });
}

function text(x, y, anchor, words) {
  return svgElement("text", { x, y, "text-anchor": anchor }, words);
}
