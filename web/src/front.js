// The layer above sigma's nodes: what is lit up, and the names.

import { control } from "./arcs.js";
import { placeLabels, shortName } from "./labels.js";
import { dashes } from "./looks.js";
import { colours } from "./theme.js";

export const FONT = "system-ui, sans-serif";
const SIZE = 13; // pixels, of a name
const PER_NAME = 14_000; // square pixels of the picture for a name, where there are many
const FEW = 60; // nodes, all of which may be named
const LIT = 2.4; // pixels, the least width of a lit edge

export class Front {
  constructor(network) {
    this.network = network;
    const { renderer } = network;
    renderer.createCanvasContext("front", { afterLayer: "nodes" });
    this.context = renderer.getCanvases().front.getContext("2d");
    this.widths = new Map(); // of names in pixels; measuring takes long
    const { incident } = network.data;
    // The most connected first; where not all can be named, isolated ones are not.
    this.rank = incident
      .map((_, k) => k)
      .filter((k) => incident.length <= FEW || incident[k].length)
      .sort((a, b) => incident[b].length - incident[a].length || a - b);
    renderer.on("afterRender", () => this.draw());
    renderer.resize(true);
    renderer.refresh();
  }

  draw() {
    const { context, network } = this;
    const { width, height } = network.renderer.getDimensions();
    context.clearRect(0, 0, width, height);
    const { lit, node } = network.selection;
    lit.forEach((k) => this.drawEdge(k, 0));
    if (network.hovered !== null) this.drawEdge(network.hovered, 1.5);
    if (lit.length || network.hovered !== null) this.drawNodes();
    if (node !== null) this.ring(node);
    network.matches.forEach((match) => this.ring(match));
    this.drawNames(this.names());
  }

  drawEdge(k, wider) {
    const { context, network } = this;
    const { source, target, bend } = network.data.edges;
    const { width, colour, dashed, double } = network.looks.edge(k, colours());
    const [a, b] = [network.at(source[k]), network.at(target[k])];
    const middle = control(a, b, bend[k]);
    const wide = Math.max(network.renderer.scaleSize(width), LIT) + wider;
    const line = () => {
      context.beginPath();
      context.moveTo(a.x, a.y);
      context.quadraticCurveTo(middle.x, middle.y, b.x, b.y);
      context.stroke();
    };
    context.lineWidth = wide;
    context.strokeStyle = colour;
    context.setLineDash(dashed ? dashes(wide) : []);
    line();
    context.setLineDash([]);
    if (!double) return;
    context.lineWidth = wide / 3;
    context.strokeStyle = colours().ground;
    line();
  }

  drawNodes() {
    const { context, network } = this;
    const { near } = network.selection;
    const nodes = new Set(near);
    if (network.hovered !== null) {
      nodes.add(network.data.edges.source[network.hovered]).add(network.data.edges.target[network.hovered]);
    }
    for (const node of nodes) {
      const { x, y } = network.at(node);
      context.beginPath();
      context.arc(x, y, network.radius(node), 0, 2 * Math.PI);
      context.fillStyle = network.nodeColour(node, colours());
      context.fill();
    }
  }

  ring(node) {
    const { x, y } = this.network.at(node);
    this.strokeRing(this.context, x, y, this.network.radius(node));
  }

  strokeRing(context, x, y, radius) {
    context.beginPath();
    context.arc(x, y, radius + 3, 0, 2 * Math.PI);
    context.lineWidth = 2.5;
    context.strokeStyle = colours().text;
    context.stroke();
  }

  // The names to be written, and where; the same for the screen and for pictures.
  names() {
    const { network, rank } = this;
    const { selection, matches, data } = network;
    const { width, height } = network.renderer.getDimensions();
    this.context.font = `${SIZE}px ${FONT}`;
    const musts = [selection.node, ...selection.near, ...matches].filter((node) => node !== null);
    const order = selection.isEmpty ? [...musts, ...rank] : musts;
    const must = new Set(musts);
    const candidates = [...new Set(order)].map((node) => ({
      node, ...network.at(node), r: network.radius(node), text: shortName(data.nodes.label[node]),
      must: must.has(node),
    }));
    const discs = data.nodes.name.length > 300 ? [] : candidates;
    const most = rank.length <= FEW ? FEW : Math.round((width * height) / PER_NAME);
    return placeLabels(candidates, discs, { width, height }, (text) => this.measure(text), most);
  }

  measure(text) {
    if (!this.widths.has(text)) this.widths.set(text, this.context.measureText(text).width);
    return this.widths.get(text);
  }

  drawNames(names) {
    this.context.font = `${SIZE}px ${FONT}`;
    names.forEach(({ x, y, text }) => write(this.context, text, x, y));
  }

  // Sigma calls this for the node under the pointer, on a layer of its own.
  drawHover(context, { x, y, size, label }) {
    this.strokeRing(context, x, y, size);
    context.font = `bold ${SIZE}px ${FONT}`;
    const wide = context.measureText(label).width;
    const { width } = this.network.renderer.getDimensions();
    const right = x + size + 5;
    write(context, label, right + wide > width ? Math.max(x - size - 5 - wide, 2) : right, y + SIZE / 3);
  }
}

function write(context, text, x, y) {
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = colours().ground;
  context.strokeText(text, x, y);
  context.fillStyle = colours().text;
  context.fillText(text, x, y);
}
