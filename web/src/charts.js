// Two bar charts of the edges shown: degrees of the variables, and couplings by sign. If any
// coupling is a table, which has no sign, the chart shows absolute couplings.

import { byId, svgElement } from "./dom.js";

const WIDTH = 360;
const HEIGHT = 170;
const FOOT = 34;
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
  const half = Math.ceil(reach / step);
  const first = sizes ? 0 : -half;
  const bars = [];
  for (let k = first; k < half; k++) {
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
  const across = WIDTH / Math.max(bars.length, 1);
  const parts = bars.map(({ label, count, kind }, k) => {
    const height = ((HEIGHT - FOOT - 14) * count) / highest;
    return svgElement(
      "rect",
      {
        class: kind,
        x: k * across + 1,
        width: Math.max(across - 2, 1),
        y: HEIGHT - FOOT - height,
        height,
      },
      svgElement("title", {}, `${label}: ${count}`),
    );
  });
  const every = Math.ceil(bars.length / 8);
  const zero = bars.findIndex(({ tick }) => tick === "0");
  bars.forEach(({ tick, tickAt }, k) => {
    if ((k - zero) % every) return;
    const x = (k + tickAt) * across;
    const anchor = k + tickAt === 0 ? "start" : "middle";
    parts.push(svgElement("text", { x, y: HEIGHT - 18, "text-anchor": anchor }, tick));
  });
  parts.push(
    svgElement("line", { x1: 0, x2: WIDTH, y1: HEIGHT - FOOT, y2: HEIGHT - FOOT }),
    svgElement("text", { x: WIDTH / 2, y: HEIGHT - 3, "text-anchor": "middle" }, axis),
    svgElement("text", { x: 0, y: 10 }, bars.length ? `maximum: ${highest}` : "no data"),
  );
  byId(id).replaceChildren(...parts);
}
