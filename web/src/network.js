// The interactive network: sigma draws a graphology graph with WebGL.
//
// Nodes and edges carry only their numbers; how they look is decided by the two reducers from
// what is shown and selected, so that a change is one refresh and never a change of the graph.

import Graph from "graphology";
import Sigma from "sigma";
import { across } from "./data.js";
import { svgElement } from "./dom.js";
import { colours, communityColour, onThemeChange, paler, signColour } from "./theme.js";

const WIDEST = 5; // pixels, of an edge
const LIGHTER = 0.6; // a line of SVG looks wider than one of WebGL
const NARROW = 500; // pixels, of a phone
const PAN = 60; // pixels, of an arrow key
const FONT = "system-ui, sans-serif";
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

export class Network {
  constructor(container, data, shown) {
    Object.assign(this, { container, data, shown, selected: null, byCommunity: true });
    this.near = new Set(); // the selected node and its neighbours
    this.graph = makeGraph(data, container);
    this.many = data.nodes.name.length > 300;
    const { many } = this;
    const crowded = many || container.clientWidth < NARROW;
    this.renderer = new Sigma(this.graph, container, {
      nodeReducer: (_, node) => this.nodeLook(node),
      edgeReducer: (_, edge) => this.edgeLook(edge),
      defaultDrawNodeLabel: drawLabel,
      defaultDrawNodeHover: drawHover,
      labelFont: FONT,
      labelSize: 13,
      labelRenderedSizeThreshold: many ? 7 : 0,
      labelDensity: crowded ? 0.5 : 1.5,
      labelGridCellSize: 70,
      minEdgeThickness: 0.8,
      stagePadding: 40,
      zIndex: true,
      minCameraRatio: 0.01,
      maxCameraRatio: 4,
      hideEdgesOnMove: data.count > 30_000,
      allowInvalidContainer: true,
    });
    this.camera = this.renderer.getCamera();
    this.letDrag();
    this.letKeys();
    shown.listeners.push(() => this.refresh());
    onThemeChange(() => this.refresh());
    this.note();
  }

  nodeLook({ number, size, x, y }) {
    const { name, community } = this.data.nodes;
    const faded = this.selected !== null && !this.near.has(number);
    const chosen = number === this.selected;
    const own = this.byCommunity ? communityColour(community[number]) : colours().node;
    return {
      x,
      y,
      size: chosen ? size * 1.4 + 2 : size,
      color: faded ? colours().faded : own,
      label: faded ? null : name[number],
      forceLabel: this.selected !== null && this.near.has(number) && this.near.size < 40,
      highlighted: chosen,
      zIndex: faded ? 0 : 1,
    };
  }

  edgeLook({ number, size }) {
    const { source, target, probability } = this.data.edges;
    const at = source[number] === this.selected || target[number] === this.selected;
    const faded = this.selected !== null && !at;
    const own = paler(signColour(this.data.signed[number]), probability?.[number]);
    return {
      size: at ? Math.max(size, 2) : size,
      hidden: !this.shown.has(number),
      color: faded ? colours().faded : own,
      zIndex: faded ? 0 : 1,
    };
  }

  refresh() {
    this.near = new Set();
    if (this.selected !== null) {
      this.near.add(this.selected);
      for (const k of this.data.incident[this.selected]) {
        if (this.shown.has(k)) this.near.add(across(this.data, k, this.selected));
      }
    }
    this.renderer.refresh({ skipIndexation: true });
    this.note();
  }

  // The state of the picture, for whoever cannot see it (assistive technology, tests).
  note() {
    const { name } = this.data.nodes;
    this.container.dataset.edges = this.shown.edges.length;
    this.container.dataset.selected = this.selected === null ? "" : name[this.selected];
    this.container.setAttribute(
      "aria-label",
      `Network of ${name.length} variables and ${this.shown.edges.length} edges` +
        (this.selected === null ? "" : `; ${name[this.selected]} is selected`) +
        ". Arrow keys move it, plus and minus zoom, 0 shows all, Escape clears the selection.",
    );
  }

  select(node, centre) {
    this.selected = node;
    this.refresh();
    if (node === null || !centre) return;
    const { x, y } = this.renderer.getNodeDisplayData(`${node}`);
    this.move({ x, y, ratio: Math.min(this.camera.ratio, this.many ? 0.3 : 0.7) });
  }

  move(to) {
    this.camera.animate(to, { duration: still.matches ? 0 : 300 });
  }

  showAll() {
    this.move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  zoom(by) {
    this.move({ ratio: this.camera.getBoundedRatio(this.camera.ratio * by) });
  }

  letDrag() {
    let dragged = null;
    this.renderer.on("downNode", ({ node }) => {
      dragged = node;
      // Without this the picture would be scaled anew whenever a node leaves its frame.
      if (!this.renderer.getCustomBBox()) this.renderer.setCustomBBox(this.renderer.getBBox());
    });
    this.renderer.on("moveBody", ({ event }) => {
      if (dragged === null) return;
      this.graph.mergeNodeAttributes(dragged, this.renderer.viewportToGraph(event));
      event.preventSigmaDefault();
      event.original.preventDefault();
      event.original.stopPropagation();
    });
    const release = () => (dragged = null);
    this.renderer.on("upNode", release);
    this.renderer.on("upStage", release);
  }

  letKeys() {
    const pan = (dx, dy) => {
      const { width, height } = this.renderer.getDimensions();
      const here = this.renderer.viewportToFramedGraph({ x: width / 2, y: height / 2 });
      const there = this.renderer.viewportToFramedGraph({ x: width / 2 + dx, y: height / 2 + dy });
      const { x, y } = this.camera.getState();
      this.camera.setState({ x: x + there.x - here.x, y: y + there.y - here.y });
    };
    const actions = {
      ArrowLeft: () => pan(-PAN, 0),
      ArrowRight: () => pan(PAN, 0),
      ArrowUp: () => pan(0, -PAN),
      ArrowDown: () => pan(0, PAN),
      "+": () => this.zoom(1 / 1.4),
      "=": () => this.zoom(1 / 1.4),
      "-": () => this.zoom(1.4),
      0: () => this.showAll(),
    };
    this.container.addEventListener("keydown", (event) => {
      if (!(event.key in actions) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      actions[event.key]();
    });
  }

  // The picture as it stands, as an SVG element.
  picture() {
    const { renderer, graph } = this;
    const { width, height } = renderer.getDimensions();
    const { ground, text } = colours();
    const at = (node) => renderer.framedGraphToViewport(renderer.getNodeDisplayData(node));
    const lines = [];
    graph.forEachEdge((edge, _, source, target) => {
      const { hidden, color, size, zIndex } = renderer.getEdgeDisplayData(edge);
      if (hidden) return;
      const [a, b] = [at(source), at(target)];
      const line = svgElement("line", {
        x1: short(a.x), y1: short(a.y), x2: short(b.x), y2: short(b.y),
        stroke: color, "stroke-width": short(Math.max(LIGHTER * renderer.scaleSize(size), 0.4)),
      });
      lines.push({ zIndex, line });
    });
    lines.sort((a, b) => a.zIndex - b.zIndex);
    const discs = graph.mapNodes((node) => {
      const { color, size } = renderer.getNodeDisplayData(node);
      const { x, y } = at(node);
      const r = short(renderer.scaleSize(size));
      return svgElement("circle", { cx: short(x), cy: short(y), r, fill: color });
    });
    const labels = [...renderer.getNodeDisplayedLabels()].map((node) => {
      const { label, size } = renderer.getNodeDisplayData(node);
      const { x, y } = at(node);
      const place = { x: short(x + renderer.scaleSize(size) + 3), y: short(y + 4) };
      return svgElement("text", place, label ?? "");
    });
    return svgElement(
      "svg",
      { width, height, viewBox: `0 0 ${width} ${height}` },
      svgElement("rect", { width, height, fill: ground }),
      svgElement("g", {}, ...lines.map(({ line }) => line)),
      svgElement("g", {}, ...discs),
      svgElement("g", { fill: text, "font-family": FONT, "font-size": 13 }, ...labels),
    );
  }
}

function short(number) {
  return +number.toFixed(1);
}

function makeGraph(data, { clientWidth, clientHeight }) {
  const graph = new Graph({ type: "undirected", multi: false, allowSelfLoops: false });
  const { x, y } = data.nodes;
  const { source, target, coupling } = data.edges;
  // The more nodes on the less room, the smaller the marks.
  const room = Math.sqrt((clientWidth * clientHeight) / (x.length || 1));
  const scale = Math.min(1, Math.max(0.35, room / 90));
  const thin = Math.min(1, Math.max(0.35, Math.sqrt(150 / (data.count || 1))));
  x.forEach((_, number) => {
    const size = scale * (5 + 2 * Math.sqrt(data.incident[number].length));
    graph.addNode(number, { number, x: x[number], y: y[number], size });
  });
  const widest = strongest(coupling);
  source.forEach((a, number) => {
    // An infinite coupling is as wide as the strongest finite one; an unknown one is thin.
    const strength = Math.min(Math.abs(coupling[number]) / widest, 1) || 0;
    const size = thin * (1 + (WIDEST - 1) * strength);
    graph.addEdgeWithKey(number, a, target[number], { number, size });
  });
  return graph;
}

function strongest(coupling) {
  return coupling.reduce((m, c) => (Number.isFinite(c) ? Math.max(m, Math.abs(c)) : m), 0) || 1;
}

// The label of a highlighted node is drawn with its ring.
function drawLabel(context, node, settings) {
  if (node.label && !node.highlighted) drawText(context, node, settings);
}

function drawText(context, node, settings) {
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  const [x, y] = [node.x + node.size + 3, node.y + settings.labelSize / 3];
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = colours().halo;
  context.strokeText(node.label, x, y);
  context.fillStyle = colours().text;
  context.fillText(node.label, x, y);
}

function drawHover(context, node, settings) {
  context.beginPath();
  context.arc(node.x, node.y, node.size + 3, 0, 2 * Math.PI);
  context.lineWidth = 2.5;
  context.strokeStyle = colours().text;
  context.stroke();
  if (node.label) drawText(context, node, { ...settings, labelWeight: "bold" });
}
