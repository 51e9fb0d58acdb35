// A table of the levels of two variables as a heat map: positive values in the colour of positive couplings, negative
// values in that of negative ones. Shades are pale enough for the numbers to be read.

import { element } from "./dom.js";
import { colours, paled } from "./theme.js";

const DEEPEST = 0.45; // share of the colour

// `shades` are signed numbers, scaled by the largest.
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

// Levels from the provenance of another program may not match the table.
function levelNames({ nodes }, node, count) {
  const own = nodes.levels[node];
  return own?.length === count ? own : Array.from({ length: count }, (_, r) => `${r}`);
}

// Pearson residuals of independence; 0 where the expected count is 0.
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
