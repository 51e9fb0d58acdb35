// A slider and a number for every threshold: minimum |coupling|, evidence, probability and frequency of the edges shown.

import { counted } from "./data.js";
import { byId, element } from "./dom.js";

export function offerFilters(data, shown) {
  const rows = shown.limits.map((limit) => new Row(limit, shown));
  byId("filters").replaceChildren(...rows.map(({ whole }) => whole));
  const say = () => {
    rows.forEach((row) => row.say());
    const all = counted(data.count, "edge");
    byId("shown-count").textContent =
      shown.edges.length === data.count ? `All ${all} are shown.` : `${shown.edges.length} of ${all} shown.`;
    byId("show-every-edge").hidden = shown.edges.length === data.count || shown.graph !== null;
  };
  byId("show-every-edge").addEventListener("click", () => shown.showAll());
  shown.listeners.push(say);
  say();
}

class Row {
  constructor(limit, shown) {
    this.limit = limit;
    const { name, words, steps } = limit;
    const disabled = steps.length < 2 ? { disabled: "" } : {};
    this.slider = element("input", { id: name, type: "range", min: 0, step: 1, value: 0, ...disabled });
    const aria = { "aria-label": `Minimum ${words}, as a number` };
    this.number = element("input", { id: `${name}-least`, type: "number", step: "any", ...aria, ...disabled });
    this.whole = element(
      "div",
      { class: "filter" },
      element("label", { for: name }, `Minimum ${words}`),
      this.slider,
      this.number,
    );
    this.slider.addEventListener("input", () => {
      limit.moveTo(+this.slider.value);
      shown.change();
    });
    this.number.addEventListener("change", () => {
      limit.least = this.number.value === "" ? -Infinity : +this.number.value;
      shown.change();
    });
  }

  say() {
    const { limit, slider, number } = this;
    slider.max = Math.max(limit.steps.length - 1, 0);
    slider.value = limit.step;
    const least = limit.isSet ? limit.least : limit.steps[0];
    const isSmall = least && Math.abs(least) < 0.001; // the field has space for seven letters
    const text = !Number.isFinite(least) ? "" : isSmall ? least.toExponential(1) : `${+least.toPrecision(4)}`;
    if (document.activeElement !== number || !limit.isSet || +number.value !== limit.least) number.value = text;
    slider.setAttribute("aria-valuetext", text === "" ? "all" : `at least ${text}`);
  }
}
