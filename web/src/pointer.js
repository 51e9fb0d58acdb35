// Mouse and touch on the network: hovering, clicking and dragging.
//
// The edge under the pointer is found by its distance, so that thin edges can be clicked as easily as wide
// ones; the tolerance is larger for touch. One finger scrolls the page, so that the network can be passed on a
// phone; two fingers pan and zoom, and in full screen one finger does.

import { pointsOf } from "./arcs.js";
import { couplingWords } from "./coupling.js";
import { counted, edgeName, spelled } from "./data.js";
import { byId, element } from "./dom.js";

const REACH = { mouse: { node: 4, edge: 6 }, touch: { node: 14, edge: 14 } }; // pixels

export function letPoint(network, selection) {
  const { renderer, container } = network;
  // The end of a drag is not a click.
  renderer.on("clickNode", ({ node }) => network.wasDragged || selection.choose({ node: +node }));
  renderer.on("clickStage", ({ event }) => {
    const reach = REACH[event.original.pointerType === "touch" ? "touch" : "mouse"];
    const node = nodeAt(network, event, reach.node);
    const edge = node === null ? edgeAt(network, event, reach.edge) : null;
    selection.choose({ node, edge });
  });
  letHover(network);
  letDrag(network);
  // Before sigma handles the touch.
  const leaveToPage = (event) => {
    if (event.touches.length === 1 && document.fullscreenElement === null) event.stopPropagation();
  };
  container.addEventListener("touchstart", leaveToPage, { capture: true, passive: true });
}

function letHover(network) {
  const { renderer, container } = network;
  const tip = byId("tip");
  let overNode = false;
  const place = (at) => {
    const room = container.clientWidth - tip.offsetWidth - 4;
    tip.style.left = `${Math.max(4, Math.min(at.x + 12, room))}px`;
    tip.style.top = `${Math.max(4, at.y - tip.offsetHeight - 10)}px`;
  };
  const hover = (edge, at) => {
    container.classList.toggle("pointing", overNode || edge !== null);
    tip.hidden = edge === null;
    if (edge !== null) {
      tip.replaceChildren(...edgeTip(network.data, edge));
      place(at);
    }
    if (edge === network.hovered) return;
    network.hovered = edge;
    network.front.draw();
  };
  renderer.on("enterNode", ({ node }) => {
    overNode = true;
    hover(null);
    const parts = nodeTip(network.data, +node);
    if (!parts.length) return;
    tip.replaceChildren(...parts);
    tip.hidden = false;
    const { x, y } = network.at(+node);
    place({ x, y: y - network.radius(+node) });
  });
  renderer.on("leaveNode", () => {
    overNode = false;
    hover(null);
  });
  container.addEventListener("mousemove", (event) => {
    const box = container.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    if (!overNode) hover(event.buttons ? null : edgeAt(network, at, REACH.mouse.edge), at);
  });
  container.addEventListener("mouseleave", () => {
    overNode = false;
    hover(null);
  });
}

// The text, group and degree of a variable; its name is drawn next to it.
function nodeTip({ nodes, incident, groups }, node) {
  const facts = [counted(incident[node].length, "neighbour")];
  if (nodes.group && nodes.group[node] >= 0) facts.unshift(groups[nodes.group[node]]);
  const lines = [nodes.text[node], facts.join(", ")].filter(Boolean);
  return lines.map((text) => element("div", {}, text));
}

function edgeTip(data, k) {
  const { edges } = data;
  const numbers = [`evidence ${spelled(edges.evidence[k], 1)}`, `coupling ${spelled(edges.coupling[k], 2)}`];
  for (const name of ["probability", "frequency"]) {
    if (name in edges) numbers.push(`${name} ${spelled(edges[name][k], 2)}`);
  }
  if (edges.required[k]) numbers.push("required");
  const lines = [`${edgeName(data, k)}: ${numbers.join(", ")}`, couplingWords(data, k)];
  return lines.filter(Boolean).map((text) => element("div", {}, text));
}

function letDrag(network) {
  const { renderer, graph } = network;
  let dragged = null;
  renderer.on("downNode", ({ node }) => {
    dragged = node;
    network.wasDragged = false;
    network.keepFrame();
  });
  renderer.on("moveBody", ({ event }) => {
    if (dragged === null) return;
    if (!network.wasDragged) network.moves.begin(dragged);
    network.wasDragged = true;
    graph.mergeNodeAttributes(dragged, renderer.viewportToGraph(event));
    event.preventSigmaDefault();
    event.original.preventDefault();
    event.original.stopPropagation();
  });
  const release = () => {
    if (dragged !== null && network.wasDragged) network.moves.say();
    dragged = null;
  };
  renderer.on("upNode", release);
  renderer.on("upStage", release);
}

function nodeAt(network, { x, y }, reach) {
  let [best, nearest] = [null, Infinity];
  network.data.nodes.name.forEach((_, node) => {
    if (network.isHidden(node)) return;
    const at = network.at(node);
    const away = Math.hypot(at.x - x, at.y - y) - network.radius(node);
    if (away < Math.min(reach, nearest)) [best, nearest] = [node, away];
  });
  return best;
}

// The nearest visible edge; with a selection, the nearest highlighted edge.
function edgeAt(network, { x, y }, reach) {
  const { data, shown, selection } = network;
  const { source, target, bend } = data.edges;
  const known = [];
  const at = (node) => (known[node] ??= network.at(node));
  let [best, nearest] = [null, reach];
  for (const k of selection.isEmpty ? shown.edges : selection.lit) {
    const points = pointsOf(at(source[k]), at(target[k]), bend[k]);
    let away = Infinity;
    for (let p = 1; p < points.length; p++) away = Math.min(away, distance(x, y, points[p - 1], points[p]));
    if (away < nearest) [best, nearest] = [k, away];
  }
  return best;
}

function distance(x, y, a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const along = ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - a.x - t * dx, y - a.y - t * dy);
}
