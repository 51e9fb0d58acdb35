// A table of two variables' levels as a heat map: more than expected in the colour of attraction, less in
// that of repulsion. Shades stay pale enough for the numbers to be read.

import { element } from "./dom.js";
import { colours, paled } from "./theme.js";

const DEEPEST = 0.45; // of the colour

// `shades` are numbers with a sign, drawn in proportion to the largest.
export function heatMap(data, k, caption, texts, shades) {
  const { source, target } = data.edges;
  const firsts = levelNames(data, source[k], texts.length);
  const seconds = levelNames(data, target[k], texts[0].length);
  const finite = shades.flat().filter(Number.isFinite).map(Math.abs);
  const deepest = finite.reduce((a, b) => Math.max(a, b), 0) || 1;
  const cell = (text, shade) => {
    const made = element("td", { class: `number ${shade < 0 ? "less" : shade > 0 ? "more" : ""}` }, text);
    const { attraction, repulsion, ground } = colours();
    const share = DEEPEST * Math.min(Math.abs(shade) / deepest, 1) || 0;
    made.style.backgroundColor = paled(shade < 0 ? repulsion : attraction, share, ground);
    return made;
  };
  return element(
    "div",
    { class: "wide" },
    element("p", { class: "caption" }, caption),
    element(
      "table",
      { class: "heat", "aria-label": caption },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("td", { class: "corner" }),
          ...seconds.map((level) => element("th", { scope: "col", class: "number", title: level }, level)),
        ),
      ),
      element(
        "tbody",
        {},
        ...texts.map((row, r) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", title: firsts[r] }, firsts[r]),
            ...row.map((text, c) => cell(text, shades[r][c])),
          ),
        ),
      ),
    ),
  );
}

// Levels of another program's provenance may not be those of the table.
function levelNames({ nodes }, node, count) {
  const own = nodes.levels[node];
  return own?.length === count ? own : Array.from({ length: count }, (_, r) => `${r}`);
}

// Standardised differences from what independence would give: zero where nothing is expected.
export function surprises(counts) {
  const rows = counts.map((row) => row.reduce((a, b) => a + b, 0));
  const columns = counts[0].map((_, c) => counts.reduce((sum, row) => sum + row[c], 0));
  const all = rows.reduce((a, b) => a + b, 0);
  return counts.map((row, r) =>
    row.map((count, c) => {
      const expected = (rows[r] * columns[c]) / all;
      return expected > 0 ? (count - expected) / Math.sqrt(expected) : 0;
    }),
  );
}
