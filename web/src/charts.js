// Two bar charts of the edges shown: degrees of the variables, and couplings by sign. If any
// coupling is a table, which has no sign, the chart shows absolute couplings.

import { byId, svgElement } from "./dom.js";
import { minus, ticks } from "./dots.js";

const WIDTH = 580;
const HEIGHT = 250;
const [LEFT, TOP, FOOT] = [34, 10, 36];
const MAX_BARS = 30;
const STEPS = [1, 2, 2.5, 5, 10];

export function drawCharts(data, shown) {
  const degrees = new Array(data.nodes.name.length).fill(0);
  const couplings = [];
  const anyTable = data.edges.table.some((table) => table !== null);
  for (const k of shown.edges) {
    degrees[data.edges.source[k]] += 1;
    degrees[data.edges.target[k]] += 1;
    const coupling = data.edges.coupling[k];
    if (Number.isFinite(coupling)) couplings.push(anyTable ? Math.abs(coupling) : coupling);
  }
  draw("degree-chart", "number of neighbours", degreeBars(degrees));
  const axis = anyTable ? "|coupling|" : "coupling (log odds ratio)";
  draw("coupling-chart", axis, couplingBars(couplings, anyTable));
}

function degreeBars(degrees) {
  const most = degrees.reduce((a, b) => Math.max(a, b), 0);
  const step = Math.ceil((most + 1) / MAX_BARS);
  const bars = [];
  for (let low = 0; low <= most; low += step) {
    const label = step === 1 ? `${low}` : `${low}\u2013${low + step - 1}`;
    bars.push({ label, tick: `${low}`, tickAt: 0.5, count: 0, kind: "plain" });
  }
  degrees.forEach((degree) => (bars[Math.floor(degree / step)].count += 1));
  return bars;
}

function couplingBars(couplings, sizes) {
  if (!couplings.length) return [];
  const reach = couplings.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
  const rough = ((sizes ? 1 : 2) * reach) / MAX_BARS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((s) => s * power >= rough);
  const [least, most] = couplings.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [0, 0]);
  const [first, last] = [Math.floor(least / step), Math.max(Math.ceil(most / step), 1)];
  const bars = [];
  for (let k = first; k < last; k++) {
    const [low, high] = [k * step, (k + 1) * step].map((edge) => +edge.toPrecision(6));
    const label = `${low} to ${high}`;
    const kind = sizes ? "plain" : k < 0 ? "repulsion" : "attraction";
    bars.push({ label, tick: `${low}`, tickAt: 0, count: 0, kind });
  }
  for (const coupling of couplings) {
    bars[Math.min(Math.floor(coupling / step) - first, bars.length - 1)].count += 1;
  }
  return bars;
}

function draw(id, axis, bars) {
  const highest = bars.reduce((most, bar) => Math.max(most, bar.count), 1);
  const across = (WIDTH - LEFT) / Math.max(bars.length, 1);
  const up = (count) => HEIGHT - FOOT - ((HEIGHT - FOOT - TOP) * count) / highest;
  const parts = ticks(0, highest).filter(Number.isInteger).flatMap((at) => [
    svgElement("line", { x1: LEFT, x2: WIDTH, y1: up(at), y2: up(at) }),
    svgElement("text", { x: LEFT - 6, y: up(at) + 4, "text-anchor": "end" }, `${at}`),
  ]);
  for (const [k, { label, count, kind }] of bars.entries()) {
    const box = { x: LEFT + k * across + 1, width: Math.max(across - 2, 1), y: up(count), height: HEIGHT - FOOT - up(count) };
    parts.push(svgElement("rect", { class: kind, ...box }, svgElement("title", {}, `${minus(label)}: ${count}`)));
  }
  const every = Math.ceil(bars.length / 8);
  const zero = bars.findIndex(({ tick }) => tick === "0");
  bars.forEach(({ tick, tickAt }, k) => {
    if ((k - zero) % every) return;
    parts.push(svgElement("text", { x: LEFT + (k + tickAt) * across, y: HEIGHT - 20, "text-anchor": "middle" }, minus(tick)));
  });
  parts.push(svgElement("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, bars.length ? axis : "no data"));
  byId(id).replaceChildren(...parts);
}
