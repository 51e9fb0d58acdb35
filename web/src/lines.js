// An edge as SVG lines, straight or curved; an infinite coupling has a second line in the background colour
// on top.

import { control } from "./arcs.js";
import { svgElement } from "./dom.js";
import { dashes } from "./looks.js";
import { LIGHT } from "./theme.js";

export function edgeLines(a, b, { width, colour, dashed, double }, ground = LIGHT.ground, bend = 0) {
  const style = dashed ? { "stroke-dasharray": dashes(width).map(short).join(" ") } : {};
  const outside = line(a, b, bend, { stroke: colour, "stroke-width": short(width), ...style });
  if (!double) return [outside];
  const inside = { stroke: ground, "stroke-width": short(width / 3), class: "inside" };
  return [outside, line(a, b, bend, inside)];
}

function line(a, b, bend, look) {
  const [x1, y1, x2, y2] = [a.x, a.y, b.x, b.y].map(short);
  if (!bend) return svgElement("line", { x1, y1, x2, y2, ...look });
  const { x, y } = control(a, b, bend);
  return svgElement("path", { d: `M${x1} ${y1}Q${short(x)} ${short(y)} ${x2} ${y2}`, fill: "none", ...look });
}

export function short(number) {
  return +number.toFixed(1);
}
