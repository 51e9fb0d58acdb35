// The layer above the nodes of sigma: highlighted edges and nodes, and labels.

import { control, threePoints } from "./arcs.js";
import { across } from "./data.js";
import { placeLabels, shortName } from "./labels.js";
import { dashes } from "./looks.js";
import { colours } from "./theme.js";

export const FONT = "system-ui, sans-serif";
const SIZE = 13; // pixels
const PER_NAME = 14_000; // square pixels per label in a large graph
const FEW = 60; // up to this number of nodes, all are labelled
const LIT = 2.4; // pixels, minimum width of a highlighted edge
export const RING = 3.5; // pixels, width of a ring of predictability
const MAX_RINGS = 150; // nodes
const FORK = 2; // neighbours; a node with more is labelled without them
const MANY = 1500; // nodes; beyond it, only this many are considered for a label

export class Front {
  constructor(network) {
    this.network = network;
    const { renderer } = network;
    renderer.createCanvasContext("front", { afterLayer: "nodes" });
    this.context = renderer.getCanvases().front.getContext("2d");
    this.widths = new Map(); // of labels in pixels, because measuring is slow
    this.rankNodes();
    renderer.on("afterRender", () => this.draw());
    renderer.resize(true);
    renderer.refresh();
  }

  // Nodes with the most neighbours first, then those with the strongest edge; in a large graph, isolated nodes have no label.
  rankNodes() {
    const { data: { incident }, looks, nodes } = this.network;
    const strongest = incident.map((own) => own.reduce((most, k) => Math.max(most, looks.strength[k]), 0));
    this.rank = nodes
      .filter((k) => nodes.length <= FEW || incident[k].length)
      .sort((a, b) => incident[b].length - incident[a].length || strongest[b] - strongest[a] || a - b);
  }

  draw() {
    const { context, network } = this;
    const { width, height } = network.renderer.getDimensions();
    context.clearRect(0, 0, width, height);
    const { lit, node } = network.selection;
    lit.forEach((k) => this.drawEdge(k, 0));
    if (network.hovered !== null) this.drawEdge(network.hovered, 1.5);
    if (lit.length || network.hovered !== null) this.drawNodes();
    this.drawMarks();
    this.drawRings();
    if (node !== null && !network.isHidden(node)) this.ring(node);
    network.matches.forEach((match) => network.isHidden(match) || this.ring(match));
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

  // A square on every edge that was required.
  drawMarks() {
    const { context, network } = this;
    const { source, target, bend, required } = network.data.edges;
    context.fillStyle = colours().text;
    required.forEach((isRequired, k) => {
      if (!isRequired || !network.shown.has(k)) return;
      const [, { x, y }] = threePoints(network.at(source[k]), network.at(target[k]), bend[k]);
      context.fillRect(x - 3, y - 3, 6, 6);
    });
  }

  get hasRings() {
    const { data, selection } = this.network;
    const { predictability } = data.nodes;
    return Boolean(predictability) && selection.isEmpty && predictability.length <= MAX_RINGS;
  }

  // Predictability: the share of a ring around the node.
  drawRings() {
    const { context, network } = this;
    if (!this.hasRings) return;
    const { predictability } = network.data.nodes;
    predictability.forEach((share, node) => {
      if (share === null || network.isHidden(node)) return;
      const { x, y } = network.at(node);
      const radius = network.radius(node) + RING / 2;
      const arc = (from, to, colour) => {
        context.beginPath();
        context.arc(x, y, radius, from, to);
        context.lineWidth = RING;
        context.strokeStyle = colour;
        context.stroke();
      };
      const top = -Math.PI / 2;
      arc(0, 2 * Math.PI, colours().faded);
      arc(top, top + 2 * Math.PI * Math.min(Math.max(share, 0), 1), colours().text);
    });
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

  // The labels and their positions, for the screen and for downloads, which have other texts.
  names(words = shortName) {
    const { network, rank } = this;
    const { selection, matches, data } = network;
    const { width, height } = network.renderer.getDimensions();
    this.context.font = `${SIZE}px ${FONT}`;
    const { source, target } = data.edges;
    const hovered = network.hovered === null ? [] : [source[network.hovered], target[network.hovered]];
    const musts = [selection.node, ...hovered, ...selection.near, ...matches].filter(
      (node) => node !== null && !network.isHidden(node),
    );
    const free = selection.isEmpty ? rank.filter((node) => !network.isHidden(node)).slice(0, MANY) : [];
    const order = [...musts, ...free.flatMap((node) => [node, ...this.partner(node)])];
    const must = new Set(musts);
    const candidates = [...new Set(order)].map((node) => ({
      node, ...network.at(node), r: network.radius(node) + (this.hasRings || node === selection.node ? RING : 0), text: words(data.nodes.label[node]),
      must: must.has(node), toward: this.toward(node),
    }));
    const discs = network.graph.order > 300 ? [] : candidates;
    const most = rank.length <= FEW ? FEW : Math.round((width * height) / PER_NAME);
    const placed = placeLabels(candidates, discs, { width, height }, (text) => this.measure(text), most);
    if (rank.length <= FEW) return placed;
    // The label of one end of a pair or a chain says nothing without that of the other end.
    const named = new Set(placed.map(({ node }) => node));
    const { incident } = data;
    const hasNamed = (node) => incident[node].some((k) => network.shown.has(k) && named.has(across(data, k, node)));
    return placed.filter(({ node }) => must.has(node) || incident[node].length > FORK || hasNamed(node));
  }

  // The neighbour with the strongest edge of a node with one or two neighbours, so that both ends of a pair are labelled.
  partner(node) {
    const { data, shown, looks: { strength } } = this.network;
    const own = data.incident[node].filter((k) => shown.has(k)).sort((a, b) => strength[b] - strength[a]);
    return own.length && own.length <= FORK ? [across(data, own[0], node)] : [];
  }

  // The mean direction from a node to its neighbours in view, so that the label can avoid its edges.
  toward(node) {
    const { network } = this;
    const own = network.data.incident[node].filter((k) => network.shown.has(k));
    if (!own.length || own.length > FEW) return { x: 0, y: 0 };
    const from = network.at(node);
    const sum = own.reduce((total, k) => {
      const to = network.at(across(network.data, k, node));
      const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      return { x: total.x + (to.x - from.x) / far, y: total.y + (to.y - from.y) / far };
    }, { x: 0, y: 0 });
    return { x: sum.x / own.length, y: sum.y / own.length };
  }

  measure(text) {
    if (!this.widths.has(text)) this.widths.set(text, this.context.measureText(text).width);
    return this.widths.get(text);
  }

  drawNames(names) {
    this.context.font = `${SIZE}px ${FONT}`;
    names.forEach(({ x, y, text }) => write(this.context, text, x, y));
  }

  // Called by sigma for the node under the pointer, on a separate layer.
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
