// Tests of fields and centralities between groups.

import { columnWords } from "./data.js";
import { byId, element } from "./dom.js";

const CLEAR = 0.05; // adjusted p-values below this are bold

export function listDifferences(data, select) {
  if (!data.differences?.length) return;
  byId("differences-section").hidden = byId("differences-link").hidden = false;
  const number = new Map(data.nodes.name.map((name, k) => [name, k]));
  const p = (value) => (value < 0.001 ? "< 0.001" : value.toFixed(3));
  byId("difference-rows").replaceChildren(
    ...data.differences.map(([name, measure, first, second, difference, plain, adjusted]) => {
      const go = { class: "link", type: "button", onclick: () => select({ node: number.get(name) }) };
      const cell = (text) => element("td", { class: "number" }, text);
      return element(
        "tr",
        adjusted < CLEAR ? { class: "clear-difference" } : {},
        element("td", { class: "name" }, element("button", go, name)),
        element("td", {}, columnWords(measure, data)),
        element("td", {}, `${first}, ${second}`),
        cell(typeof difference === "number" ? difference.toFixed(2).replace("-", "\u2212") : "?"),
        cell(p(plain)),
        cell(p(adjusted)),
      );
    }),
  );
}
