// The current view as an SVG element with its legend, for downloads and printing, always in light colours. It is cropped
// to what it shows. Long names become numbers with a key below the picture.

import { svgElement } from "./dom.js";
import { FONT, RING } from "./front.js";
import { legendEntries } from "./legend.js";
import { MAX_LETTERS } from "./labels.js";
import { edgeLines, short } from "./lines.js";
import { LIGHT } from "./theme.js";

const LEGEND = 26; // pixels, height of a line of the legend
const LETTER = 7.2; // pixels, average width of a letter at 12 pixels
const MARGIN = 14;
const NARROWEST = 320; // pixels, for the legend

export function picture(network) {
  if (network.shown.isOverview) return network.overview.picture(LIGHT);
  const { renderer, data, shown, selection, looks } = network;
  const view = renderer.getDimensions();
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
  const discs = network.nodes.map((node) => disc(network, node));
  const rings = network.front.hasRings ? network.nodes.flatMap((node) => ring(network, node)) : [];
  const { names, key } = labels(network);
  const box = crop(network, names, view);
  const below = [...legendLines(legendEntries(network, LIGHT), box.width), ...legendLines(key, box.width)];
  const height = box.height + LEGEND * below.length + 8;
  const bottom = box.y + box.height;
  return svgElement(
    "svg",
    { width: box.width, height, viewBox: [box.x, box.y, box.width, height].map(short).join(" ") },
    svgElement("rect", { x: box.x, y: box.y, width: box.width, height, fill: LIGHT.ground }),
    svgElement("g", { class: "edges" }, ...strokes),
    svgElement("g", { class: "nodes" }, ...discs),
    svgElement("g", { class: "rings", fill: "none", "stroke-width": RING }, ...rings),
    svgElement("g", { class: "names", "font-family": FONT, "font-size": 13 }, ...names.map(name)),
    // Cover what extends below the network.
    svgElement("rect", { x: box.x, y: bottom, width: box.width, height: height - box.height, fill: LIGHT.ground }),
    svgElement(
      "g",
      { class: "legend", "font-family": FONT, "font-size": 12, fill: LIGHT.text },
      ...below.flatMap((parts, row) => parts.map((part) => placed(part, box.x, bottom + LEGEND * (row + 0.6)))),
    ),
  );
}

function disc(network, node) {
  const { selection } = network;
  const { x, y } = network.at(node);
  const isFaded = !selection.isEmpty && !selection.near.has(node);
  const fill = isFaded ? LIGHT.faded : network.nodeColour(node, LIGHT);
  const hidden = network.isHidden(node) ? { visibility: "hidden" } : {};
  return svgElement("circle", { cx: short(x), cy: short(y), r: short(network.radius(node)), fill, ...hidden });
}

// Predictability as the share of a ring.
function ring(network, node) {
  const share = network.data.nodes.predictability[node];
  if (share === null || network.isHidden(node)) return [];
  const { x, y } = network.at(node);
  const radius = network.radius(node) + RING / 2;
  const arc = (part, stroke) => {
    const turn = 2 * Math.PI * Math.min(Math.max(part, 0), 0.999);
    const to = [x + radius * Math.sin(turn), y - radius * Math.cos(turn)].map(short).join(" ");
    const r = short(radius);
    const d = `M${short(x)} ${short(y - radius)}A${r} ${r} 0 ${turn > Math.PI ? 1 : 0} 1 ${to}`;
    return svgElement("path", { d, stroke });
  };
  return [arc(1, LIGHT.faded), arc(share, LIGHT.text)];
}

// The labels of the view; names that do not fit are numbers, explained in a key.
function labels(network) {
  const { label } = network.data.nodes;
  const key = [];
  const isLong = (text) => [...text].length > MAX_LETTERS;
  const names = network.front.names((text) => (isLong(text) ? "00" : text)).map((one) => {
    if (!isLong(label[one.node])) return one;
    key.push({ words: `${key.length + 1}  ${label[one.node]}` });
    return { ...one, text: `${key.length}` };
  });
  return { names, key };
}

// The part of the view that has nodes or names.
function crop(network, names, { width, height }) {
  const nodes = network.nodes.filter((k) => !network.isHidden(k));
  const boxes = nodes.map((k) => {
    const [{ x, y }, r] = [network.at(k), network.radius(k)];
    return [x - r, y - r, x + r, y + r];
  });
  names.forEach(({ x, y, text }) => boxes.push([x, y - 12, x + 8 * text.length, y + 4]));
  if (!network.data.followsEdges) boxes.push([0, 0, width, height]); // curved edges extend beyond the nodes
  const range = (pick, of, start) => boxes.reduce((best, box) => pick(best, box[of]), start);
  const [left, top] = [range(Math.min, 0, Infinity), range(Math.min, 1, Infinity)].map((x) => Math.max(x - MARGIN, 0));
  const right = Math.min(range(Math.max, 2, 0) + MARGIN, width);
  const bottom = Math.min(range(Math.max, 3, 0) + MARGIN, height);
  if (!(right > left && bottom > top)) return { x: 0, y: 0, width, height };
  return { x: left, y: top, width: Math.max(right - left, Math.min(NARROWEST, width - left)), height: bottom - top };
}

function name({ text, x, y }) {
  const halo = { stroke: LIGHT.ground, "stroke-width": 3, "stroke-linejoin": "round" };
  const place = { x: short(x), y: short(y), fill: LIGHT.text, "paint-order": "stroke" };
  return svgElement("text", { ...place, ...halo }, text);
}

// Break the entries of the legend into lines.
function legendLines(entries, width) {
  const lines = [[]];
  let x = 10;
  for (const entry of entries) {
    const wide = entry.words.length * LETTER + (entry.look ? 58 : entry.dot ? 36 : 24);
    if (x + wide > width && lines.at(-1).length) {
      lines.push([]);
      x = 10;
    }
    lines.at(-1).push({ ...entry, x });
    x += wide;
  }
  return lines.filter((parts) => parts.length);
}

function placed({ look, dot, words, x }, left, y) {
  const start = left + x;
  const text = (at) => svgElement("text", { x: short(at), y: short(y + 4) }, words);
  if (dot) return svgElement("g", {}, svgElement("ellipse", { cx: start + 6, cy: y, rx: 5, ry: 5, fill: dot }), text(start + 16));
  if (!look) return svgElement("g", {}, text(start));
  return svgElement("g", {}, ...edgeLines({ x: start, y }, { x: start + 30, y }, look), text(start + 36));
}
