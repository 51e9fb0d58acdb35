// The interactive network: sigma draws a graphology graph with WebGL.
//
// Nodes and edges have only their numbers; two reducers compute their appearance from the filters and the selection, so
// that a change needs a refresh and no change of the graph. Labels and highlighted edges are drawn on a separate
// layer above the nodes of sigma (front.js), so that a faded node does not cover a highlighted edge and labels do not
// overlap.

import Graph from "graphology";
import Sigma from "sigma";
import { BentEdges, StraightEdges } from "./edgeProgram.js";
import { Front } from "./front.js";
import { THINNEST } from "./looks.js";
import { Moves } from "./moves.js";
import { colours, communityColour, onThemeChange, usualColouring } from "./theme.js";

const MARGIN = 1.35; // around the nodes that are brought into view
const CLOSEST = 0.12; // minimum ratio of the camera
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

export class Network {
  constructor(container, data, shown, selection, looks) {
    Object.assign(this, { container, data, shown, selection, looks });
    this.colouring = usualColouring(data);
    this.matches = new Set(); // nodes that the search found
    this.hovered = null; // an edge
    this.graph = new Graph({ type: "undirected", multi: false, allowSelfLoops: false });
    this.fill();
    this.renderer = new Sigma(this.graph, container, {
      nodeReducer: (_, node) => this.nodeLook(node),
      edgeReducer: (_, edge) => this.edgeLook(edge),
      edgeProgramClasses: { line: StraightEdges, arc: BentEdges },
      renderLabels: false,
      defaultDrawNodeHover: (context, node) => this.front.drawHover(context, node),
      minEdgeThickness: THINNEST,
      stagePadding: 36,
      zIndex: true,
      minCameraRatio: 0.01,
      maxCameraRatio: 4,
      hideEdgesOnMove: data.count > 30_000 && !data.isLarge,
      allowInvalidContainer: true,
    });
    this.camera = this.renderer.getCamera();
    this.frameConnected();
    this.front = new Front(this);
    this.moves = new Moves(this);
    shown.listeners.push(() => this.update());
    selection.listeners.push((move) => this.follow(move));
    onThemeChange(() => this.refresh());
    this.note();
  }

  // Leave isolated nodes, which are listed below the picture, out of the frame.
  frameConnected() {
    const { followsEdges, incident } = this.data;
    const { x, y } = this.data.nodes;
    const nodes = this.nodes.filter((k) => incident[k].length);
    if (!followsEdges || !nodes.length) return;
    const range = (of) => nodes.reduce(([a, b], k) => [Math.min(a, of[k]), Math.max(b, of[k])], [Infinity, -Infinity]);
    this.renderer.setCustomBBox({ x: range(x), y: range(y) });
    this.renderer.refresh();
  }

  // Otherwise the view would be rescaled whenever a node leaves its frame.
  keepFrame() {
    if (!this.renderer.getCustomBBox()) this.renderer.setCustomBBox(this.renderer.getBBox());
  }

  // Isolated nodes appear only if they are selected, where the layout follows the edges.
  isHidden(node) {
    if (!this.shown.hasNode(node) || !this.graph.hasNode(node)) return true;
    if (this.selection.near.has(node) || this.matches.has(node)) return false;
    return this.data.followsEdges && !this.data.incident[node].length && this.data.count > 0;
  }

  nodeLook({ number, size, x, y }) {
    const { selection } = this;
    const isFaded = !selection.isEmpty && !selection.near.has(number);
    return {
      x,
      y,
      size: number === selection.node ? size * 1.4 + 2 : size,
      color: isFaded ? colours().faded : this.nodeColour(number, colours()),
      label: this.data.nodes.label[number],
      highlighted: false,
      hidden: this.isHidden(number),
      zIndex: isFaded ? 0 : 1,
    };
  }

  nodeColour(number, palette) {
    if (this.colouring === "plain") return palette.node;
    return communityColour(this.data.nodes[this.colouring][number], palette);
  }

  edgeLook({ number }) {
    const { width, colour, dashed, double } = this.looks.edge(number, colours());
    const isFaded = !this.selection.isEmpty;
    const bend = this.data.edges.bend[number];
    return {
      type: bend ? "arc" : "line",
      size: width,
      bend,
      dashed,
      double,
      hidden: !this.shown.has(number),
      color: isFaded ? colours().faded : colour,
      zIndex: this.looks.strength[number],
    };
  }

  // The numbers of the nodes in the picture.
  get nodes() {
    return this.graph.mapNodes((_, { number }) => number);
  }

  // Fill the picture: all nodes or, of a large graph, those in focus, because sigma also processes hidden nodes.
  fill() {
    const { data, shown, graph } = this;
    const nodes = shown.isOverview ? [] : [...data.incident.keys()].filter((k) => !data.isLarge || shown.hasNode(k));
    graph.clear();
    addNodes(graph, data, nodes, this.container);
    const { source, target } = data.edges;
    source.forEach((a, number) => {
      if (graph.hasNode(a) && graph.hasNode(target[number])) graph.addEdgeWithKey(number, a, target[number], { number });
    });
    const { clientWidth, clientHeight } = this.container;
    this.looks.scaleFor(data.isLarge ? graph.size : data.count, Math.min(clientWidth, clientHeight));
  }

  // After a change of the edges shown.
  update() {
    const { data, shown } = this;
    const wanted = shown.isOverview ? [] : [...(shown.focus ?? data.incident.keys())];
    if (data.isLarge && !(wanted.length === this.graph.order && wanted.every((k) => this.graph.hasNode(k)))) {
      this.moves.reset();
      this.hovered = null;
      this.fill();
      this.renderer.setCustomBBox(null);
      this.frameConnected();
      this.front.rankNodes();
      this.move({ x: 0.5, y: 0.5, ratio: 1 }, false);
    }
    this.refresh();
  }

  refresh() {
    this.renderer.refresh({ skipIndexation: true });
    this.note();
  }

  // Describe the view for assistive technology and tests.
  note() {
    const { name } = this.data.nodes;
    const { node, edge } = this.selection;
    this.container.dataset.edges = this.shown.edges.length;
    this.container.dataset.selected = node === null ? "" : name[node];
    this.container.dataset.edge = edge ?? "";
    this.container.setAttribute(
      "aria-label",
      `Network of ${name.length} variables and ${this.shown.edges.length} edges` +
        (node === null ? "" : `; ${name[node]} is selected`) +
        ". Enter selects a variable, and the arrow keys then select the next one in their direction; without a " +
        "selection, or with Shift, they pan. Plus and minus zoom, 0 shows all, Escape clears the selection.",
    );
  }

  // After a change of the selection: bring the highlighted nodes into view.
  follow(move) {
    this.refresh();
    if (this.selection.isEmpty || !this.selection.near.size) return;
    const { width, height } = this.renderer.getDimensions();
    const isSeen = [...this.selection.near].every((node) => {
      const { x, y } = this.at(node);
      return x > 0 && y > 0 && x < width && y < height;
    });
    if (!move && isSeen) return;
    const near = [...this.selection.near];
    const isIsolated = near.length === 1 && !this.data.incident[near[0]].length;
    // An isolated variable is shown with all others, which are what remains in view afterwards.
    if (isIsolated) this.fit(this.nodes, 4);
    else this.fit(near);
  }

  fit(nodes, farthest = 1) {
    const displayed = nodes.map((node) => this.renderer.getNodeDisplayData(`${node}`));
    const [xs, ys] = [displayed.map(({ x }) => x), displayed.map(({ y }) => y)];
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const { width, height } = this.renderer.getDimensions();
    const corner = this.renderer.viewportToFramedGraph({ x: 0, y: height });
    const other = this.renderer.viewportToFramedGraph({ x: width, y: 0 });
    const needed = Math.max(
      (right - left) / Math.abs(other.x - corner.x),
      (high - low) / Math.abs(other.y - corner.y),
    );
    const closest = Math.max(CLOSEST, 2 / Math.sqrt(this.graph.order));
    const ratio = Math.min(Math.max(this.camera.ratio * needed * MARGIN, Math.min(closest, 0.8)), farthest);
    this.move({ x: (left + right) / 2, y: (low + high) / 2, ratio });
  }

  // The position of a node on the screen, in pixels.
  at(node) {
    return this.renderer.framedGraphToViewport(this.renderer.getNodeDisplayData(`${node}`));
  }

  radius(node) {
    return this.renderer.scaleSize(this.renderer.getNodeDisplayData(`${node}`).size);
  }

  // Bring the camera there, by default in an animation. The promise of an animation stays open if a busy machine takes longer than the
  // animation between two readings of the clock, so the camera is asked in place of it.
  move(to, isAnimated = !still.matches) {
    const { camera } = this;
    const note = () => (this.container.dataset.camera = camera.isAnimated() ? "moving" : "resting");
    if (!isAnimated) camera.setState(to);
    // An animation under way would go on. Another one ends it with the next frame.
    if (isAnimated || camera.isAnimated()) camera.animate(to, { duration: isAnimated ? 300 : 1 }, note);
    note();
  }

  showAll() {
    this.move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  zoom(by) {
    this.move({ ratio: this.camera.getBoundedRatio(this.camera.ratio * by) });
  }

  // Pan by a number of pixels.
  pan(dx, dy) {
    const { width, height } = this.renderer.getDimensions();
    const here = this.renderer.viewportToFramedGraph({ x: width / 2, y: height / 2 });
    const there = this.renderer.viewportToFramedGraph({ x: width / 2 + dx, y: height / 2 + dy });
    const { x, y } = this.camera.getState();
    this.camera.setState({ x: x + there.x - here.x, y: y + there.y - here.y });
  }
}

function addNodes(graph, data, nodes, { clientWidth, clientHeight }) {
  const { x, y, members } = data.nodes;
  // Nodes are smaller in a large graph or a small view.
  const room = Math.sqrt((clientWidth * clientHeight) / (nodes.length || 1));
  const scale = Math.min(1, Math.max(0.35, room / 90));
  for (const number of nodes) {
    const grown = 1 + Math.log10(1 + members[number].length); // for grouped columns
    const size = scale * grown * (5 + 2 * Math.sqrt(data.incident[number].length));
    graph.addNode(number, { number, x: x[number], y: y[number], size });
  }
}
