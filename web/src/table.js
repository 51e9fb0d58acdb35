// The table of edges: sortable by every column, searchable, in pages. The row under the pointer highlights
// its edge in the network, and a click selects it.

import { couplingCell } from "./coupling.js";
import { columnWords, edgeName, spelled } from "./data.js";
import { breakable, byId, element } from "./dom.js";

const PAGE = 25;
const MINOR = ["coupling_error", "evidence_variance", "ess"]; // in the card and in downloads only
const INTERVALS = {
  coupling_low: { high: "coupling_high", words: "95 % interval" },
  difference_low: { high: "difference_high", words: "interval of difference" },
  boot_low: { high: "boot_high", words: "replicates" },
};

export class EdgeTable {
  // `select` takes a selection, `hover` an edge or null.
  constructor(data, shown, select, hover) {
    Object.assign(this, { data, shown, select, hover, page: 0, wanted: "" });
    const hasEvidence = data.edges.evidence.some((x) => !Number.isNaN(x));
    byId("edge-headings").querySelector("[data-column=evidence]").parentElement.hidden = !hasEvidence;
    this.hasEvidence = hasEvidence;
    const [column, direction] = hasEvidence ? ["evidence", -1] : data.edges.p_adjusted ? ["p_adjusted", 1] : ["coupling", -1];
    this.sorting = { column, direction };
    const { name } = data.nodes;
    const { source, target } = data.edges;
    this.order = new Intl.Collator(undefined, { numeric: true }).compare;
    this.values = {
      source: (k) => name[source[k]],
      target: (k) => name[target[k]],
    };
    const minor = data.isMixed ? MINOR : [...MINOR, "standardized"];
    this.further = [...data.annotations, ...("distance" in data.edges ? ["distance"] : [])].filter(
      (column) => !minor.includes(column) && !Object.values(INTERVALS).some(({ high }) => high === column),
    );
    for (const column of ["evidence", "coupling", ...this.further]) {
      this.values[column] = (k) => data.edges[column][k];
    }
    if (data.graphs) byId("edge-headings").querySelector("[data-column=coupling]").textContent = "mean coupling";
    byId("edge-headings").append(...this.further.map((column) => heading(column, data)));
    this.names = name.map((text) => text.toLowerCase());
    this.lowered = name.map((text, k) => `${text} ${data.nodes.text[k]}`.toLowerCase());
    for (const button of document.querySelectorAll("#edges th button")) {
      button.addEventListener("click", () => this.sortBy(button.dataset.column));
    }
    byId("edge-search").addEventListener("input", (event) => {
      this.wanted = event.target.value.trim().toLowerCase();
      this.refresh();
    });
    byId("previous").addEventListener("click", () => this.turn(-1));
    byId("next").addEventListener("click", () => this.turn(1));
    shown.listeners.push(() => this.refresh());
    this.refresh();
  }

  sortBy(column) {
    const again = this.sorting.column === column;
    const first = column === "source" || column === "target" ? 1 : -1;
    this.sorting = { column, direction: again ? -this.sorting.direction : first };
    this.refresh();
  }

  turn(by) {
    this.page += by;
    this.draw();
  }

  refresh() {
    const { column, direction } = this.sorting;
    const value = this.values[column];
    const { source, target } = this.data.edges;
    const words = this.wanted.split(/\s+/);
    const names = words.map((word) => this.names.indexOf(word));
    const areNames = words.length === 2 && names.every((number) => number >= 0);
    // Two words find the edge between two variables.
    const matches = (k) => {
      if (areNames) return names.includes(source[k]) && names.includes(target[k]);
      const [a, b] = [this.lowered[source[k]], this.lowered[target[k]]];
      if (a.includes(this.wanted) || b.includes(this.wanted)) return true;
      return words.length > 1 && words.every((word) => a.includes(word) || b.includes(word));
    };
    const compare = column === "source" || column === "target" ? this.order : difference;
    this.rows = this.shown.edges.filter(matches);
    this.rows.sort((a, b) => direction * compare(value(a), value(b), direction) || a - b);
    this.page = 0;
    for (const heading of document.querySelectorAll("#edges th")) {
      const sorted = heading.firstElementChild.dataset.column === column;
      const how = direction > 0 ? "ascending" : "descending";
      heading.setAttribute("aria-sort", sorted ? how : "none");
    }
    this.draw();
  }

  // More rows are drawn for printing.
  draw(rows = PAGE) {
    const first = rows === PAGE ? this.page * PAGE : 0;
    const last = Math.min(first + rows, this.rows.length);
    byId("edge-rows").replaceChildren(...this.rows.slice(first, last).map((k) => this.row(k)));
    byId("page").textContent = this.rows.length
      ? `${first + 1}\u2013${last} of ${this.rows.length}`
      : "no edges";
    byId("previous").disabled = first === 0;
    byId("next").disabled = last === this.rows.length;
  }

  row(k) {
    const { edges } = this.data;
    const button = (text, what, further = {}) =>
      element(
        "button",
        {
          class: "link",
          type: "button",
          onclick: (event) => {
            event.stopPropagation(); // the row itself selects the edge
            this.select(what);
          },
          ...further,
        },
        ...breakable(text),
      );
    const node = (number) => {
      const [name, text] = [this.data.nodes.name[number], this.data.nodes.text[number]];
      const link = button(name, { node: number }, { title: text ? `${name}: ${text}` : name });
      return element("td", { class: "name" }, link, ...(text ? [element("span", { class: "item" }, text)] : []));
    };
    const spoken = { "aria-label": `Edge ${edgeName(this.data, k)}, evidence ${spelled(edges.evidence[k], 2)}` };
    return element(
      "tr",
      {
        onclick: () => this.select({ edge: k }),
        onmouseenter: () => this.hover(k),
        onmouseleave: () => this.hover(null),
      },
      node(edges.source[k]),
      node(edges.target[k]),
      ...(this.hasEvidence ? [element("td", { class: "number" }, button(spelled(edges.evidence[k], 2), { edge: k }, spoken))] : []),
      couplingCell(this.data, k),
      ...this.further.map((name) => element("td", { class: "number" }, annotation(name, edges, k))),
    );
  }
}

// An interval is one column. Distances, effective sample sizes and large Bayes factors have no decimals.
export function annotation(name, edges, k) {
  const value = edges[name][k];
  if (name in INTERVALS) {
    const high = edges[INTERVALS[name].high]?.[k] ?? NaN;
    return Number.isNaN(value) ? "?" : `${spelled(value, 2)} to ${spelled(high, 2)}`;
  }
  const isLarge = name === "distance" || name === "ess" || (name === "bayes_factor" && value >= 100);
  return spelled(value, isLarge ? 0 : 2);
}

function heading(column, data) {
  const button = element("button", { type: "button", "data-column": column }, INTERVALS[column]?.words ?? columnWords(column, data));
  return element("th", { scope: "col", class: "number" }, button);
}

// Unknown numbers come last in both directions.
function difference(a, b, direction) {
  if (Number.isNaN(a) || Number.isNaN(b)) return direction * (Number.isNaN(a) - Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
