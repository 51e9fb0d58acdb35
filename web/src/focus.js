// Show a part of the network: the selected variable with its neighbours within one or two steps, its component, or a
// k-core (the largest part in which every variable has at least k neighbours). The picture of a large graph begins with its
// communities, and shows the variables of the community or group of whatever is selected.

import { across } from "./data.js";
import { byId, element } from "./dom.js";

const NEED_START = ["near", "far", "component", "community", "group"];

export function offerFocus(data, shown, selection) {
  const usual = data.isLarge ? "overview" : "all";
  const select = byId("focus");
  const cores = coreNumbers(data);
  const deepest = cores.reduce((a, b) => Math.max(a, b), 0);
  const options = [
    ["all", "all"], ["near", "selected and neighbours"], ["far", "selected, two steps"],
    ["component", "component of selected"],
  ];
  if (data.isLarge) {
    options[0][1] = "all variables (slow)";
    options.unshift(["overview", "communities"]);
    options.push(["community", "community of selected"]);
    if (data.nodes.group) options.push(["group", "group of selected"]);
  }
  for (let k = 2; k <= deepest; k++) options.push([`core-${k}`, `${k}-core`]);
  select.replaceChildren(...options.map(([value, words]) => element("option", { value }, words)));
  const needed = () => {
    for (const option of select.options) {
      const needs = NEED_START.includes(option.value);
      option.disabled = needs && selection.node === null && select.value !== option.value;
    }
  };
  let starts = []; // the variables that a focus began with
  const apply = () => {
    const [kind, k] = select.value.split("-");
    if (kind === "core") shown.focus = new Set(cores.flatMap((core, node) => (core >= +k ? [node] : [])));
    else if (kind === "all" || kind === "overview") shown.focus = null;
    else if (kind === "community" || kind === "group") shown.focus = sameSet(data.nodes[kind], starts);
    else shown.focus = reached(data, starts[0], { near: 1, far: 2 }[kind] ?? Infinity);
    shown.isOverview = kind === "overview";
    shown.change();
  };
  const open = (kind, nodes) => {
    starts = nodes;
    select.value = kind;
    apply();
  };
  // Of a large graph, open the part that has the selection.
  selection.reveal = () => {
    const { node, edge, set } = selection;
    const { source, target } = data.edges;
    const wanted = node !== null ? [node] : edge !== null ? [source[edge], target[edge]] : [];
    const isOpen = !shown.isOverview && wanted.every((k) => shown.hasNode(k));
    if (!data.isLarge || selection.isEmpty || (set === null && isOpen)) return;
    if (set !== null) open(set.by, [data.nodes[set.by].indexOf(set.number)]);
    else open("community", wanted);
  };
  byId("back").addEventListener("click", () => {
    open("overview", []);
    selection.clear();
    byId("overview").querySelector("[tabindex='0']").focus();
  });
  select.addEventListener("change", () => {
    if (selection.node !== null) starts = [selection.node];
    apply();
  });
  shown.listeners.push(() => {
    byId("back").hidden = !data.isLarge || shown.isOverview;
    if (shown.focus === null) select.value = shown.isOverview ? "overview" : "all";
    needed();
  });
  selection.listeners.push(needed);
  needed();
  return {
    get state() {
      return select.value === usual ? null : [select.value, ...starts.map((node) => data.nodes.name[node])];
    },
    restore(kind = usual, ...names) {
      const nodes = names.map((name) => data.nodes.name.indexOf(name)).filter((node) => node >= 0);
      const isKnown = options.some(([value]) => value === kind) && (nodes.length || !NEED_START.includes(kind));
      open(isKnown ? kind : usual, nodes);
    },
    open(nodes) {
      open("community", nodes);
      selection.clear(); // a new entry of the history
    },
  };
}

// The nodes in the same community or group as one of the nodes; a node that is in none is alone.
function sameSet(of, nodes) {
  const sets = new Set(nodes.map((node) => of[node]).filter((number) => number >= 0));
  return new Set([...nodes, ...[...of.keys()].filter((node) => sets.has(of[node]))]);
}

// The nodes within some steps of a node.
export function reached(data, start, steps) {
  const found = new Set([start]);
  let front = [start];
  for (let step = 0; step < steps && front.length; step++) {
    const next = [];
    for (const node of front) {
      for (const k of data.incident[node]) {
        const other = across(data, k, node);
        if (!found.has(other)) next.push(other);
        found.add(other);
      }
    }
    front = next;
  }
  return found;
}

// The largest k for which each node is in the k-core (Batagelj and Zaversnik, 2003).
export function coreNumbers(data) {
  const degree = data.incident.map((own) => own.length);
  const buckets = [];
  degree.forEach((d, node) => (buckets[d] ??= new Set()).add(node));
  const core = new Array(degree.length).fill(0);
  for (let d = 0; d < buckets.length; d++) {
    while (buckets[d]?.size) {
      const [node] = buckets[d];
      buckets[d].delete(node);
      core[node] = d;
      degree[node] = -1;
      for (const k of data.incident[node]) {
        const other = across(data, k, node);
        if (degree[other] <= d) continue;
        buckets[degree[other]].delete(other);
        degree[other] -= 1;
        (buckets[degree[other]] ??= new Set()).add(other);
      }
    }
  }
  return core;
}
