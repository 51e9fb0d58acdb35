// An edge as lines of SVG: one, or for an infinite coupling a second one in the colour of the ground on
// top.

import { svgElement } from "./dom.js";
import { dashes } from "./looks.js";
import { LIGHT } from "./theme.js";

export function edgeLines(a, b, { width, colour, dashed, double }, ground = LIGHT.ground) {
  const ends = { x1: short(a.x), y1: short(a.y), x2: short(b.x), y2: short(b.y) };
  const style = dashed ? { "stroke-dasharray": dashes(width).map(short).join(" ") } : {};
  const line = svgElement("line", { ...ends, stroke: colour, "stroke-width": short(width), ...style });
  if (!double) return [line];
  const inside = { ...ends, stroke: ground, "stroke-width": short(width / 3), class: "inside" };
  return [line, svgElement("line", inside)];
}

export function short(number) {
  return +number.toFixed(1);
}
