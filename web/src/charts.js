// Two small bar charts of the edges shown: degrees of the variables, couplings by sign.

import { byId, svgElement } from "./dom.js";

const WIDTH = 360;
const HEIGHT = 170;
const FOOT = 34;
const MOST_BARS = 30;
const STEPS = [1, 2, 2.5, 5, 10];

export function drawCharts(data, shown) {
  const degrees = new Array(data.nodes.name.length).fill(0);
  const couplings = [];
  for (const k of shown.edges) {
    degrees[data.edges.source[k]] += 1;
    degrees[data.edges.target[k]] += 1;
    if (Number.isFinite(data.edges.coupling[k])) couplings.push(data.edges.coupling[k]);
  }
  draw("degree-chart", "neighbours of a variable", degreeBars(degrees));
  draw("coupling-chart", "coupling (log odds ratio)", couplingBars(couplings));
}

function degreeBars(degrees) {
  const most = degrees.reduce((a, b) => Math.max(a, b), 0);
  const step = Math.ceil((most + 1) / MOST_BARS);
  const bars = [];
  for (let low = 0; low <= most; low += step) {
    const label = step === 1 ? `${low}` : `${low}\u2013${low + step - 1}`;
    bars.push({ label, tick: `${low}`, count: 0, kind: "plain" });
  }
  degrees.forEach((degree) => (bars[Math.floor(degree / step)].count += 1));
  return bars;
}

function couplingBars(couplings) {
  if (!couplings.length) return [];
  const reach = couplings.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
  const rough = (2 * reach) / MOST_BARS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((s) => s * power >= rough);
  const half = Math.ceil(reach / step);
  const bars = [];
  for (let k = -half; k < half; k++) {
    const [low, high] = [k * step, (k + 1) * step].map((edge) => +edge.toPrecision(6));
    const label = `${low} to ${high}`;
    bars.push({ label, tick: `${low}`, count: 0, kind: k < 0 ? "repulsion" : "attraction" });
  }
  for (const coupling of couplings) {
    bars[Math.min(Math.floor(coupling / step) + half, 2 * half - 1)].count += 1;
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
  bars.forEach(({ tick, kind }, k) => {
    if ((k - zero) % every) return;
    const x = (k + (kind === "plain" ? 0.5 : 0)) * across;
    const anchor = k === 0 && kind !== "plain" ? "start" : "middle";
    parts.push(svgElement("text", { x, y: HEIGHT - 18, "text-anchor": anchor }, tick));
  });
  parts.push(
    svgElement("line", { x1: 0, x2: WIDTH, y1: HEIGHT - FOOT, y2: HEIGHT - FOOT }),
    svgElement("text", { x: WIDTH / 2, y: HEIGHT - 3, "text-anchor": "middle" }, axis),
    svgElement("text", { x: 0, y: 10 }, bars.length ? `most: ${highest}` : "none known"),
  );
  byId(id).replaceChildren(...parts);
}
