// The card next to the network: details of the selected variable or edge.

import { couplingCell, couplingMap, couplingWords } from "./coupling.js";
import { across, columnWords, counted, edgeName, spelled } from "./data.js";
import { byId, element, svgElement } from "./dom.js";
import { heatMap, surprises } from "./heatmap.js";
import { onThemeChange } from "./theme.js";
import { annotation } from "./table.js";

const MAX_LEVELS = 12; // with a bar
const BAR = 80; // pixels, for a share of 100 %

export class Card {
  constructor(data, shown, selection) {
    Object.assign(this, { data, shown, selection });
    for (const listeners of [shown.listeners, selection.listeners]) listeners.push(() => this.draw());
    onThemeChange(() => this.draw());
    for (const button of document.querySelectorAll(".clear")) {
      button.addEventListener("click", () => selection.clear());
    }
  }

  draw() {
    const { node, edge } = this.selection;
    byId("node").hidden = node === null;
    byId("edge").hidden = edge === null;
    byId("hint").hidden = node !== null || edge !== null;
    byId("card").classList.toggle("open", node !== null || edge !== null);
    if (node !== null) this.drawNode(node);
    if (edge !== null) this.drawEdge(edge);
  }

  drawNode(node) {
    const { data, selection } = this;
    const { evidence } = data.edges;
    const edges = [...selection.lit].sort((a, b) => evidence[b] - evidence[a] || a - b);
    byId("node-name").textContent = data.nodes.name[node];
    byId("node-text").textContent = data.nodes.text[node];
    byId("node-facts").textContent = this.nodeFacts(node, edges.length);
    drawForbidden(data, node);
    drawFields(data.nodes.fields?.[node] ?? [], data.selection);
    drawMembers(data.nodes.members[node]);
    byId("node-shares").replaceChildren(...shareRows(data.nodes.shares?.[node] ?? []));
    byId("neighbours").replaceChildren(
      ...edges.map((k) => {
        const other = across(data, k, node);
        const go = { class: "link", type: "button", onclick: () => selection.choose({ node: other }) };
        const open = {
          class: "link", type: "button", onclick: () => selection.choose({ edge: k }),
          "aria-label": `Edge ${edgeName(data, k)}, evidence ${spelled(evidence[k], 1)}`,
        };
        return element(
          "tr",
          {},
          element("td", {}, element("button", go, data.nodes.name[other])),
          element("td", { class: "number" }, element("button", open, spelled(evidence[k], 1))),
          couplingCell(data, k),
        );
      }),
    );
  }

  nodeFacts(node, degree) {
    const { nodes, groups, measures } = this.data;
    const facts = [counted(degree, "neighbour")];
    if (nodes.group && nodes.group[node] >= 0) facts.unshift(groups[nodes.group[node]]);
    const strength = measures.strength;
    if (strength) {
      const { low, high } = strength;
      const interval = low ? ` (${spelled(low[node], 2)} to ${spelled(high[node], 2)})` : "";
      facts.push(`strength ${spelled(strength.value[node], 2)}${interval}`);
    }
    const stays = nodes.stays?.[node] ?? null;
    if (stays !== null) facts.push(`in its community in ${Math.round(100 * stays)} % of bootstrap replicates`);
    const share = nodes.predictability?.[node];
    if (share !== undefined && share !== null) facts.push(`predictability ${spelled(share, 2)}`);
    return facts.join("; ");
  }

  drawEdge(k) {
    const { data, selection } = this;
    const { name } = data.nodes;
    const { source, target, counts, table } = data.edges;
    const link = (node) =>
      element(
        "button",
        { class: "link", type: "button", onclick: () => selection.choose({ node }) },
        name[node],
      );
    byId("edge-name").replaceChildren(link(source[k]), " \u2013 ", link(target[k]));
    byId("edge-facts").replaceChildren(
      ...facts(data, k).flatMap(([what, value]) => [element("dt", {}, what), element("dd", {}, value)]),
    );
    const texts = [source[k], target[k]].map((node) => data.nodes.text[node]).filter(Boolean);
    byId("edge-texts").textContent = texts.join(" \u2013 ");
    const words = couplingWords(data, k);
    byId("edge-words").textContent = words;
    byId("edge-words").hidden = !words;
    const maps = table[k] === null ? [] : [couplingMap(data, k)];
    if (counts[k] !== null) maps.push(countMap(data, k));
    byId("edge-tables").replaceChildren(...maps);
  }
}

function facts(data, k) {
  const { name } = data.nodes;
  const { edges, annotations } = data;
  const number = (column, digits = 2) => spelled(edges[column][k], digits);
  const ends = `${number("evidence_source", 1)} from ${name[edges.source[k]]}, ` +
    `${number("evidence_target", 1)} from ${name[edges.target[k]]}`;
  const known = !Number.isNaN(edges.evidence[k]);
  const rows = [["evidence", known ? `${number("evidence", 1)}, ${band(data, k)} (${ends})` : "?"]];
  if ("probability" in edges) rows.push(["probability", number("probability")]);
  const hasInterval = "coupling_low" in edges && "coupling_high" in edges;
  const interval = hasInterval ? ` (95 % given the network: ${number("coupling_low")} to ${number("coupling_high")})` : "";
  rows.push(["coupling", `${number("coupling")}${interval}`]);
  if ("frequency" in edges) {
    const has = "boot_low" in edges;
    const over = has ? `; ${100 * data.level} % of the replicates: ${number("boot_low")} to ${number("boot_high")}` : "";
    rows.push(["frequency", `${number("frequency")}${over}`]);
  }
  if (edges.required[k]) rows.push(["prior knowledge", "this edge was required"]);
  if ("share" in edges) rows.push(["share of imputations", number("share")]);
  const written = new Set([
    "probability", "coupling_low", "coupling_high", "share", "frequency", "boot_low", "boot_high",
  ]);
  for (const column of annotations.filter((each) => !written.has(each))) {
    rows.push([columnWords(column, data), annotation(column, edges, k)]);
  }
  if ("distance" in edges) rows.push(["distance", spelled(edges.distance[k], 0)]);
  return rows;
}

function band(data, k) {
  return data.bands.find(([limit]) => limit === null || data.edges.evidence[k] < limit)[1];
}

function countMap(data, k) {
  const { name } = data.nodes;
  const { source, target, counts } = data.edges;
  const digits = counts[k].flat().every(Number.isInteger) ? 0 : 1;
  const texts = counts[k].map((row) => row.map((x) => x.toFixed(digits)));
  const caption =
    `Samples with both values; rows: ${name[source[k]]}, columns: ${name[target[k]]}. ` +
    "Shading shows the deviation from independence.";
  return heatMap(data, k, caption, texts, surprises(counts[k]));
}

// The other columns in the group of a variable.
function drawMembers(members) {
  const details = byId("members");
  details.hidden = !members.length;
  details.querySelector("summary").textContent = `grouped with ${counted(members.length, "other column")}`;
  details.querySelector("ul").replaceChildren(...members.map((name) => element("li", {}, name)));
}

// Variables that may not be neighbours.
function drawForbidden({ nodes }, node) {
  const names = (nodes.forbidden?.[node] ?? []).map((other) => nodes.name[other]);
  byId("forbidden").hidden = !names.length;
  byId("forbidden").textContent = `Forbidden as neighbours: ${names.join(", ")}.`;
}

// The fields of a variable, with intervals.
function drawFields(fields, selection = "") {
  const known = fields.slice(0, MAX_LEVELS);
  byId("fields").hidden = byId("fields-note").hidden = !known.length;
  byId("fields-note").textContent = selection;
  byId("field-rows").replaceChildren(
    ...known.map(([level, value, low, high]) => {
      const interval = typeof low === "number" ? `${spelled(low, 2)} to ${spelled(high, 2)}` : "?";
      return element("tr", {}, element("th", { scope: "row" }, level),
        element("td", { class: "number" }, typeof value === "number" ? spelled(value, 2) : "?"),
        element("td", { class: "number" }, interval));
    }),
  );
}

// One row per level: its name, a bar, and the share.
function shareRows(shares) {
  const rows = shares.slice(0, MAX_LEVELS).map(([level, share]) => {
    const bar = svgElement("rect", { class: "plain", width: Math.max(BAR * share, 0.5), height: 8 });
    const size = { class: "icon", viewBox: `0 0 ${BAR} 8`, width: BAR, height: 8, "aria-hidden": "true" };
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, level),
      element("td", {}, svgElement("svg", size, bar)),
      element("td", { class: "number" }, `${(100 * share).toFixed(1)} %`),
    );
  });
  const left = shares.length - rows.length;
  if (left > 0) rows.push(element("tr", {}, element("td", { colspan: 3 }, `and ${left} more`)));
  return rows;
}
