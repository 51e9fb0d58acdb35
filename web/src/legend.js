// The legend: kinds of edges, each with a switch that hides them; the measure shown by the line width, which the
// reader chooses; and the communities, each with a button that highlights it.

import { counted, spelled } from "./data.js";
import { byId, element, svgElement } from "./dom.js";
import { edgeLines } from "./lines.js";
import { isInfinite } from "./shown.js";
import { colours, communityColour, onThemeChange } from "./theme.js";

const KINDS = { attraction: "positive", repulsion: "negative", unknown: "no sign" };
const MAX_COMMUNITIES = 12; // with a button

export function offerLegend(data, shown, selection, looks, network) {
  const draw = () => {
    byId("kinds").replaceChildren(...kinds(data).map((kind) => toggle(data, shown, kind)));
    byId("widths").replaceChildren(...widthSamples(looks, colours()).map(sample));
    byId("paler").hidden = !("probability" in data.edges);
    byId("communities").replaceChildren(...communityButtons(data, selection));
  };
  const measure = byId("measure");
  measure.replaceChildren(...looks.measures.map((name) => element("option", { value: name }, name)));
  measure.disabled = looks.measures.length < 2;
  measure.addEventListener("change", () => {
    looks.measure(measure.value);
    draw();
    network?.refresh();
  });
  const mark = () => {
    for (const button of byId("communities").children) {
      button.setAttribute("aria-pressed", button.dataset.community === `${selection.community}`);
    }
  };
  byId("by-community").addEventListener("change", (event) => {
    byId("communities").hidden = !event.target.checked;
    if (!network) return;
    network.byCommunity = event.target.checked;
    network.refresh();
  });
  onThemeChange(draw);
  shown.listeners.push(draw);
  selection.listeners.push(mark);
  draw();
  return { measure: (name) => looks.measures.includes(name) && choose(measure, name) };
}

function choose(select, value) {
  select.value = value;
  select.dispatchEvent(new Event("change"));
}

// The legend of a download.
export function legendEntries({ data, looks }, palette) {
  const entries = kinds(data)
    .filter((kind) => kind !== "infinite")
    .map((kind) => ({ words: KINDS[kind], look: kindLook(kind, palette) }));
  if (kinds(data).includes("infinite")) {
    entries.push({ words: "infinite coupling", look: kindLook("infinite", palette) });
  }
  return [...entries, ...widthSamples(looks, palette)];
}

function kinds(data) {
  const found = Object.keys(KINDS).filter((kind) => data.kind.includes(kind));
  return data.edges.coupling.some(isInfinite) ? [...found, "infinite"] : found;
}

function kindLook(kind, palette) {
  return {
    width: kind === "infinite" ? 4.5 : 3,
    colour: palette[kind === "infinite" ? "unknown" : kind],
    dashed: kind === "repulsion",
    double: kind === "infinite",
  };
}

// A thin and a wide line with their values.
function widthSamples(looks, palette) {
  if (!looks.measures.length || !looks.data.count) return [];
  const digits = looks.name === "probability" ? 2 : looks.widest < 10 ? 1 : 0;
  const share = looks.name === "evidence" ? 0.25 : 0.5; // the width follows the square root of the evidence
  return [[0.5, looks.widest * share], [1, looks.widest]].map(([strength, value]) => ({
    words: `${looks.name} ${spelled(value, digits)}`,
    look: { width: looks.width(strength), colour: palette.quiet, dashed: false, double: false },
  }));
}

function sample({ words, look }) {
  return element("span", { class: "sample" }, lineIcon(look), words);
}

function lineIcon(look) {
  return svgElement(
    "svg",
    { class: "icon", viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" },
    ...edgeLines({ x: 1, y: 6 }, { x: 33, y: 6 }, look, colours().ground),
  );
}

function toggle(data, shown, kind) {
  const has = (k) => (kind === "infinite" ? isInfinite(data.edges.coupling[k]) : data.kind[k] === kind);
  const count = data.kind.filter((_, k) => has(k)).length;
  const words = kind === "infinite" ? "infinite coupling" : KINDS[kind];
  const button = element(
    "button",
    {
      type: "button",
      class: `switch ${kind}`,
      "data-kind": kind,
      "aria-pressed": !shown.switchedOff.has(kind),
      title: kind === "infinite" ? "Some combination of values never occurs. The width is fixed." : "",
    },
    lineIcon(kindLook(kind, colours())),
    `${words} (${count})`,
  );
  button.addEventListener("click", () => {
    shown.toggle(kind);
    // The buttons were replaced.
    byId("kinds").querySelector(`[data-kind=${kind}]`).focus();
  });
  return button;
}

function communityButtons(data, selection) {
  const sizes = new Map();
  for (const number of data.nodes.community) {
    if (number >= 0) sizes.set(number, (sizes.get(number) ?? 0) + 1);
  }
  const numbers = [...sizes.keys()].sort((a, b) => a - b);
  const buttons = numbers.slice(0, MAX_COMMUNITIES).map((number) => {
    const dot = svgElement("circle", { cx: 6, cy: 6, r: 5, fill: communityColour(number, colours()) });
    const size = { class: "icon", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" };
    const button = element(
      "button",
      {
        type: "button",
        class: "switch",
        "data-community": number,
        "aria-pressed": selection.community === number,
        title: counted(sizes.get(number), "variable"),
      },
      svgElement("svg", size, dot),
      `community ${number + 1} (${sizes.get(number)})`,
    );
    button.addEventListener("click", () =>
      selection.choose(selection.community === number ? {} : { community: number }),
    );
    return button;
  });
  const left = numbers.length - buttons.length;
  return left > 0 ? [...buttons, element("span", {}, `and ${left} more`)] : buttons;
}
