// Show a part of the network: the selected variable with its neighbours within one or two steps, its component, or a
// k-core (the largest part in which every variable has at least k neighbours).

import { across } from "./data.js";
import { byId, element } from "./dom.js";

export function offerFocus(data, shown, selection) {
  const select = byId("focus");
  const cores = coreNumbers(data);
  const deepest = cores.reduce((a, b) => Math.max(a, b), 0);
  const options = [
    ["all", "all"], ["near", "selected and neighbours"], ["far", "selected, two steps"],
    ["component", "component of selected"],
  ];
  for (let k = 2; k <= deepest; k++) options.push([`core-${k}`, `${k}-core`]);
  select.replaceChildren(...options.map(([value, words]) => element("option", { value }, words)));
  const needed = () => {
    for (const option of select.options) {
      const needs = ["near", "far", "component"].includes(option.value);
      option.disabled = needs && selection.node === null && select.value !== option.value;
    }
  };
  let start = null; // the variable that a focus began with
  const apply = () => {
    const [kind, k] = select.value.split("-");
    if (kind === "core") shown.focus = new Set(cores.flatMap((core, node) => (core >= +k ? [node] : [])));
    else if (kind === "all") shown.focus = null;
    else shown.focus = reached(data, start, { near: 1, far: 2 }[kind] ?? Infinity);
    shown.change();
  };
  select.addEventListener("change", () => {
    start = selection.node ?? start;
    apply();
  });
  shown.listeners.push(() => {
    if (shown.focus === null) select.value = "all";
    needed();
  });
  selection.listeners.push(needed);
  needed();
  return {
    get state() {
      return select.value === "all" ? null : [select.value, start === null ? "" : data.nodes.name[start]];
    },
    restore(kind, name) {
      start = name ? data.nodes.name.indexOf(name) : null;
      select.value = kind;
      const needsStart = !kind.startsWith("core");
      if (!select.value || (needsStart && !(start >= 0))) select.value = "all";
      apply();
    },
  };
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
