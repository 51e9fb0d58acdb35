// The current view as an SVG element with its legend, for downloads and printing, always in light
// colours.

import { svgElement } from "./dom.js";
import { FONT } from "./front.js";
import { legendEntries } from "./legend.js";
import { edgeLines, short } from "./lines.js";
import { LIGHT } from "./theme.js";

const LEGEND = 26; // pixels, height of a line of the legend
const LETTER = 6.6; // pixels, average width of a letter at 12 pixels

export function picture(network) {
  const { renderer, data, shown, selection, looks } = network;
  const { width, height } = renderer.getDimensions();
  const legend = legendLines(network, width);
  const lit = new Set(selection.lit);
  const strokes = [...shown.edges]
    .sort((a, b) => lit.has(a) - lit.has(b) || looks.strength[a] - looks.strength[b])
    .flatMap((k) => {
      const [a, b] = [network.at(data.edges.source[k]), network.at(data.edges.target[k])];
      const look = looks.edge(k, LIGHT);
      const colour = selection.isEmpty || lit.has(k) ? look.colour : LIGHT.faded;
      const drawn = { ...look, colour, width: renderer.scaleSize(look.width) };
      return edgeLines(a, b, drawn, LIGHT.ground, data.edges.bend[k]);
    });
  const discs = data.nodes.name.map((_, node) => {
    const { x, y } = network.at(node);
    const isFaded = !selection.isEmpty && !selection.near.has(node);
    const fill = isFaded ? LIGHT.faded : network.nodeColour(node, LIGHT);
    return svgElement("circle", { cx: short(x), cy: short(y), r: short(network.radius(node)), fill });
  });
  const names = network.front.names().map(({ x, y, text }) => name(text, x, y));
  const whole = height + LEGEND * legend.length + 8;
  return svgElement(
    "svg",
    { width, height: whole, viewBox: `0 0 ${width} ${whole}` },
    svgElement("rect", { width, height: whole, fill: LIGHT.ground }),
    svgElement("g", { class: "edges" }, ...strokes),
    svgElement("g", { class: "nodes" }, ...discs),
    svgElement("g", { class: "names", "font-family": FONT, "font-size": 13 }, ...names),
    // Cover what extends below the network.
    svgElement("rect", { y: height, width, height: whole - height, fill: LIGHT.ground }),
    svgElement(
      "g",
      { class: "legend", "font-family": FONT, "font-size": 12, fill: LIGHT.text },
      ...legend.flatMap((parts, row) =>
        parts.map((part) => placed(part, height + LEGEND * (row + 0.6))),
      ),
    ),
  );
}

function name(text, x, y) {
  const halo = { stroke: LIGHT.ground, "stroke-width": 3, "stroke-linejoin": "round" };
  const place = { x: short(x), y: short(y), fill: LIGHT.text, "paint-order": "stroke" };
  return svgElement("text", { ...place, ...halo }, text);
}

// Break the entries of the legend into lines.
function legendLines(network, width) {
  const lines = [[]];
  let x = 10;
  for (const entry of legendEntries(network, LIGHT)) {
    const wide = entry.words.length * LETTER + 58;
    if (x + wide > width && lines.at(-1).length) {
      lines.push([]);
      x = 10;
    }
    lines.at(-1).push({ ...entry, x });
    x += wide;
  }
  return lines.filter((parts) => parts.length);
}

function placed({ look, words, x }, y) {
  const lines = edgeLines({ x, y }, { x: x + 30, y }, look);
  return svgElement("g", {}, ...lines, svgElement("text", { x: x + 36, y: y + 4 }, words));
}
