// What stands around the network: search, slider, colours, zoom, and the selected node.

import { couplingCell } from "./coupling.js";
import { across, spelled } from "./data.js";
import { byId, element } from "./dom.js";

export class Controls {
  constructor(data, shown, network) {
    Object.assign(this, { data, shown, network, selected: null });
    this.offerSearch();
    this.offerSliders();
    shown.listeners.push(() => this.describe());
    byId("clear").addEventListener("click", () => this.select(null));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.select(null);
      if (event.key === "/" && !event.target.closest("input")) {
        event.preventDefault();
        byId("search").focus();
      }
    });
    if (network === null) return;
    network.renderer.on("clickNode", ({ node }) => this.select(+node, false));
    network.renderer.on("clickStage", () => this.select(null));
    byId("by-community").addEventListener("change", (event) => {
      network.byCommunity = event.target.checked;
      network.refresh();
    });
    byId("zoom-in").addEventListener("click", () => network.zoom(1 / 1.4));
    byId("zoom-out").addEventListener("click", () => network.zoom(1.4));
    byId("show-all").addEventListener("click", () => network.showAll());
  }

  select(node, centre = true) {
    this.selected = node;
    this.network?.select(node, centre);
    this.describe();
  }

  offerSearch() {
    const { name } = this.data.nodes;
    byId("names").replaceChildren(...name.map((value) => element("option", { value })));
    const lowered = name.map((text) => text.toLowerCase());
    const find = (text) => {
      const exact = name.indexOf(text);
      if (exact >= 0) return exact;
      const wanted = text.trim().toLowerCase();
      const begins = lowered.findIndex((candidate) => candidate.startsWith(wanted));
      return begins >= 0 ? begins : lowered.findIndex((candidate) => candidate.includes(wanted));
    };
    // Not a form: a notebook's frame does not let one be sent.
    byId("search").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      const text = byId("search").value;
      const found = text.trim() ? find(text) : -1;
      byId("search-result").textContent =
        found < 0 && text.trim() ? "no variable has this in its name" : "";
      this.select(found < 0 ? null : found);
    });
    byId("search").addEventListener("input", (event) => {
      // A name picked from the list needs no Enter.
      const exact = name.indexOf(event.target.value);
      if (exact >= 0) this.select(exact);
    });
  }

  offerSliders() {
    byId("by-probability").hidden = !("probability" in this.shown.limits);
    const names = Object.keys(this.shown.limits);
    const say = () => {
      const count = `${this.shown.edges.length} of ${this.data.count} edges`;
      for (const name of names) {
        const { steps } = this.shown.limits[name];
        const least = steps[+byId(name).value];
        const words = steps.length ? `at least ${spelled(least, 2)}: ${count}` : count;
        byId(`${name}-says`).textContent = words;
        byId(name).setAttribute("aria-valuetext", words);
      }
    };
    for (const name of names) {
      const slider = byId(name);
      const { steps } = this.shown.limits[name];
      slider.max = Math.max(steps.length - 1, 0);
      slider.value = 0;
      slider.disabled = steps.length < 2;
      slider.addEventListener("input", () => {
        this.shown.moveTo(name, +slider.value);
        say();
      });
    }
    say();
  }

  // The panel of the selected node: its neighbours, the best first.
  describe() {
    const { selected, data } = this;
    byId("node").hidden = selected === null;
    byId("hint").hidden = selected !== null;
    if (selected === null) return;
    const { evidence } = data.edges;
    const edges = data.incident[selected].filter((k) => this.shown.has(k));
    edges.sort((a, b) => evidence[b] - evidence[a] || a - b);
    byId("node-name").textContent = data.nodes.name[selected];
    const shares = data.nodes.shares?.[selected];
    byId("node-facts").textContent =
      (edges.length === 1 ? "1 neighbour" : `${edges.length} neighbours`) +
      (shares === undefined ? "" : `; ${shares}`);
    byId("neighbours").replaceChildren(
      ...edges.map((k) => {
        const other = across(data, k, selected);
        const go = { class: "link", type: "button", onclick: () => this.select(other) };
        return element(
          "tr",
          {},
          element("td", {}, element("button", go, data.nodes.name[other])),
          element("td", { class: "number" }, spelled(evidence[k], 1)),
          couplingCell(data, k),
        );
      }),
    );
  }
}
