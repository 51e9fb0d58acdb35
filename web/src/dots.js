// A chart with a row for each thing: its name, a point, and one or two intervals (the second is drawn as a paler, wider
// line). Rows can be clicked, and have the same order in print.

import { svgElement } from "./dom.js";
import { shortName } from "./labels.js";

const ROW = 19;
const NOTE = 64;
const WIDTH = 580;
const [TOP, FOOT] = [8, 36];
const LETTERS = 34;
const STEPS = [1, 2, 2.5, 5, 10];

// `rows`: { name, value, low, high, outerLow, outerHigh, kind, note, select }; unknown numbers are NaN.
export function drawDots(svg, rows, { axis, note = "" }) {
  const finite = rows
    .flatMap(({ value, low, high, outerLow, outerHigh }) => [value, low, high, outerLow, outerHigh])
    .filter(Number.isFinite);
  const [least, most] = [Math.min(0, ...finite), Math.max(0, ...finite)];
  const span = most - least || 1;
  const letters = rows.reduce((longest, { name }) => Math.max(longest, name.length), 0);
  const left = 24 + 6.4 * Math.min(letters, LETTERS);
  const right = WIDTH - (note ? NOTE : 12);
  const along = (x) => left + ((right - left) * (x - least)) / span;
  const height = TOP + ROW * rows.length + FOOT;
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  const bottom = height - FOOT;
  const parts = ticks(least, most).flatMap((at) => [
    svgElement("line", { class: at === 0 ? "zero" : "", x1: along(at), x2: along(at), y1: TOP, y2: bottom }),
    svgElement("text", { x: along(at), y: bottom + 14, "text-anchor": "middle" }, minus(`${at}`)),
  ]);
  parts.push(svgElement("text", { x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, axis));
  if (note) parts.push(svgElement("text", { x: WIDTH, y: height - 5, "text-anchor": "end" }, note));
  rows.forEach((row, k) => parts.push(drawRow(row, TOP + ROW * (k + 0.5), along, left)));
  svg.replaceChildren(...parts);
}

function drawRow(row, y, along, left) {
  const { name, value, low, high, outerLow, outerHigh, kind = "plain", note = "", select } = row;
  const parts = [svgElement("rect", { class: "row", x: 0, y: y - ROW / 2, width: WIDTH, height: ROW })];
  const line = (a, b, className) => {
    if (!Number.isFinite(a) || !Number.isFinite(b)) return;
    parts.push(svgElement("line", { class: className, x1: along(a), x2: along(b), y1: y, y2: y }));
  };
  line(outerLow, outerHigh, `outer ${kind}`);
  line(low, high, `inner ${kind}`);
  if (Number.isFinite(value)) parts.push(svgElement("circle", { class: kind, cx: along(value), cy: y, r: 3.6 }));
  const text = { class: "name", x: left - 10, y: y + 4, "text-anchor": "end" };
  parts.push(svgElement("text", text, shortName(name, LETTERS)));
  if (note) parts.push(svgElement("text", { x: WIDTH, y: y + 4, "text-anchor": "end" }, note));
  parts.push(svgElement("title", {}, row.title ?? name));
  return svgElement("g", select ? { class: "clickable", onclick: select } : {}, ...parts);
}

export function minus(number) {
  return number.replaceAll("-", "\u2212");
}

export function ticks(low, high) {
  const rough = (high - low) / 6 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((s) => s * power >= rough - 1e-12);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9; k++) found.push(+(k * step).toPrecision(6));
  return found;
}
