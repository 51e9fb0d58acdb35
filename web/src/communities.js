// The overview of a large graph: a disc for each community, with an area proportional to its number of variables, and
// lines whose width follows the number of edges between two communities. Drawing thousands of variables takes
// seconds per frame without a GPU. A click on a disc opens the community, one on a line opens both of its communities.
//
// Discs start at the mean position of their variables and are then pushed apart. They are SVG elements, so that a
// screen reader and the keyboard reach them.

import { counted } from "./data.js";
import { byId, svgElement } from "./dom.js";
import { FONT } from "./front.js";
import { short } from "./lines.js";
import { colours, communityColour, onThemeChange } from "./theme.js";

const MAX_DISCS = 150;
const MAX_LINKS = 400; // the lines with the most edges
const COVERED = 0.3; // share of the picture that the discs cover
const LABELLED = 9; // pixels, minimum radius of a disc with a label
const LETTER = 6.5; // pixels, average width of a letter
const ROUNDS = 200; // of pushing overlapping discs apart
const APART = 5; // pixels between discs
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Overview {
  constructor(data, shown, network, open) {
    Object.assign(this, { data, shown, network, open });
    this.box = byId("overview");
    this.sets = communitiesOf(data);
    network.overview = this;
    const update = () => this.update();
    shown.listeners.push(update);
    onThemeChange(update);
    new ResizeObserver(update).observe(network.container);
  }

  update() {
    const { shown, network, box } = this;
    box.hidden = !shown.isOverview;
    network.container.inert = shown.isOverview;
    for (const id of ["zoom-in", "zoom-out", "show-all"]) byId(id).hidden = shown.isOverview;
    if (!shown.isOverview) return;
    const current = box.querySelector(":focus")?.dataset.community;
    box.replaceChildren(this.picture(colours()));
    box.querySelector(`[data-community="${current}"]`)?.focus();
  }

  picture(palette) {
    const { data, shown, sets } = this;
    const { clientWidth: width, clientHeight: height } = this.network.container;
    const discs = placeDiscs(sets.slice(0, MAX_DISCS), width, height - 24);
    const { between, inside } = countEdges(data, shown);
    const links = [...between].filter(([, { a, b }]) => discs[a] && discs[b])
      .sort(([, p], [, q]) => q.count - p.count).slice(0, MAX_LINKS).map(([, link]) => link);
    const most = links[0]?.count ?? 1;
    const text = { "font-family": FONT, "font-size": 12, fill: palette.text, "text-anchor": "middle" };
    return svgElement(
      "svg",
      { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${discs.length} communities of variables` },
      svgElement("rect", { width, height, fill: palette.ground }),
      svgElement("g", { class: "links", stroke: palette.unknown }, ...links.map((link) => this.link(link, discs, most))),
      ...discs.map((disc, k) => this.disc(disc, k, inside[k] ?? 0, palette)),
      svgElement("g", text, ...discs.flatMap((disc, k) => (disc.r < LABELLED ? [] : label(disc, k, palette)))),
      svgElement("text", { ...text, x: width / 2, y: height - 8, fill: palette.quiet }, this.words(discs.length)),
    );
  }

  disc({ x, y, r, nodes, name }, k, edges, palette) {
    const words = `Community ${k + 1}: ${counted(nodes.length, "variable")}, ${counted(edges, "edge")} inside; most neighbours: ${name}`;
    const open = () => this.open([nodes[0]]);
    return svgElement("circle", {
      cx: short(x), cy: short(y), r: short(r), fill: communityColour(k, palette), role: "button", "data-community": k,
      tabindex: k ? -1 : 0, "aria-label": words, onclick: open, onkeydown: (event) => this.type(event, k, open),
    }, svgElement("title", {}, words));
  }

  link({ a, b, count }, discs, most) {
    const [p, q] = [discs[a], discs[b]];
    const words = `${counted(count, "edge")} between communities ${a + 1} and ${b + 1}`;
    return svgElement("line", {
      x1: short(p.x), y1: short(p.y), x2: short(q.x), y2: short(q.y), "data-count": count,
      "stroke-width": short(Math.max(1, 9 * count / most)), "stroke-opacity": (0.1 + 0.4 * (count / most) ** 2).toFixed(2),
      onclick: () => this.open([p.nodes[0], q.nodes[0]]),
    }, svgElement("title", {}, words));
  }

  // Arrows go to the next smaller or larger community.
  type(event, k, open) {
    if (event.key === "Enter" || event.key === " ") open();
    else if (event.key in STEPS) this.box.querySelector(`[data-community="${k + STEPS[event.key]}"]`)?.focus();
    else return;
    event.preventDefault();
  }

  words(drawn) {
    const left = this.sets.slice(drawn);
    const variables = left.reduce((sum, { nodes }) => sum + nodes.length, 0);
    const rest = left.length ? ` ${left.length} smaller ones with ${counted(variables, "variable")} are not drawn: search for a variable.` : "";
    return `Each disc is a community of variables. Click to open it.${rest}`;
  }
}

// The variables of every community, their mean position, and the variable with the most neighbours.
function communitiesOf({ nodes, incident }) {
  const sets = [];
  nodes.community.forEach((number, k) => number >= 0 && (sets[number] ??= []).push(k));
  return sets.map((own) => {
    const mean = (of) => own.reduce((sum, k) => sum + of[k], 0) / own.length;
    const central = own.reduce((best, k) => (incident[k].length > incident[best].length ? k : best));
    return { nodes: own, x: mean(nodes.x), y: -mean(nodes.y), name: nodes.name[central] };
  });
}

// The numbers of edges shown inside communities and between two of them.
function countEdges({ nodes, edges }, shown) {
  const [between, inside] = [new Map(), []];
  for (const k of shown.edges) {
    const [a, b] = [nodes.community[edges.source[k]], nodes.community[edges.target[k]]].sort((p, q) => p - q);
    if (a === b) {
      inside[a] = (inside[a] ?? 0) + 1;
      continue;
    }
    const key = `${a}-${b}`;
    if (!between.has(key)) between.set(key, { a, b, count: 0 });
    between.get(key).count += 1;
  }
  return { between, inside };
}

function placeDiscs(sets, width, height) {
  const all = sets.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const unit = Math.sqrt((COVERED * width * height) / (Math.PI * (all || 1)));
  const range = (of) => [Math.min(...sets.map((set) => set[of])), Math.max(...sets.map((set) => set[of]))];
  const [[left, right], [top, bottom]] = [range("x"), range("y")];
  const discs = sets.map((set) => ({
    ...set,
    r: Math.max(unit * Math.sqrt(set.nodes.length), 4),
    x: ((set.x - left) / (right - left || 1)) * width,
    y: ((set.y - top) / (bottom - top || 1)) * height,
  }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const disc of discs) {
      disc.x = Math.min(Math.max(disc.x, disc.r + 2), width - disc.r - 2);
      disc.y = Math.min(Math.max(disc.y, disc.r + 2), height - disc.r - 2);
    }
    for (let a = 0; a < discs.length; a++) for (let b = 0; b < a; b++) push(discs[a], discs[b]);
  }
  return discs;
}

function push(a, b) {
  const [dx, dy] = [a.x - b.x || 0.01, a.y - b.y];
  const far = Math.hypot(dx, dy);
  const part = Math.max(a.r + b.r + APART - far, 0) / far / 2;
  a.x += part * dx;
  a.y += part * dy;
  b.x -= part * dx;
  b.y -= part * dy;
}

// The variable with the most neighbours and the number of variables, if they fit, or the number of the community.
function label({ x, y, r, name, nodes }, k, palette) {
  const lines = LETTER * [...name].length < 2 * r ? [name, `${nodes.length}`] : [`${nodes.length}`];
  const halo = { stroke: palette.ground, "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke", "pointer-events": "none" };
  return lines.map((words, row) =>
    svgElement("text", { x: short(x), y: short(y + 4 + 15 * (row - (lines.length - 1) / 2)), ...halo }, words));
}
