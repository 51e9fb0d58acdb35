// The legend: kinds of edges, each with the number shown and a switch that hides them; the measure shown by the line
// width, which the reader chooses; and the groups or communities, each with a button that highlights it.

import { spelled } from "./data.js";
import { byId, element, svgElement } from "./dom.js";
import { shortName } from "./labels.js";
import { edgeLines } from "./lines.js";
import { measureWords } from "./looks.js";
import { isInfinite } from "./shown.js";
import { colours, communityColour, onThemeChange, usualColouring } from "./theme.js";
import { kindWords } from "./views.js";

const KINDS = ["attraction", "repulsion", "shared", "only1", "only2", "some", "unknown"];
const MAX_SETS = 12; // with a button
const NAMED = 2; // variables in the name of a community
const LETTERS = 14; // of each
const MAX_NAMES = 40; // in a tooltip

export function offerLegend(data, shown, selection, looks, network) {
  const draw = () => {
    byId("kinds").replaceChildren(...kinds(data, shown).map((kind) => toggle(data, shown, kind)));
    byId("widths").replaceChildren(...widthSamples(looks, colours()).map(sample));
    byId("paler").hidden = !("probability" in data.edges);
    byId("required-words").hidden = !data.edges.required.some(Boolean);
    byId("ring-words").hidden = !data.nodes.predictability;
    byId("sets").replaceChildren(...setButtons(data, selection, colouring.value));
  };
  const colouring = byId("colouring");
  const ways = [...(data.nodes.group ? [["group", "group"]] : []), ["community", "community"], ["plain", "one colour"]];
  colouring.replaceChildren(...ways.map(([value, words]) => element("option", { value }, words)));
  const usual = usualColouring(data);
  colouring.value = usual;
  colouring.addEventListener("change", () => {
    if (network) network.colouring = colouring.value;
    draw();
    network?.refresh();
  });
  const measure = byId("measure");
  measure.replaceChildren(...looks.measures.map((name) => element("option", { value: name }, measureWords(name))));
  measure.value = looks.name;
  measure.parentElement.hidden = looks.measures.length < 2;
  measure.addEventListener("change", () => {
    looks.measure(measure.value);
    draw();
    network?.refresh();
  });
  const mark = () => {
    for (const button of byId("sets").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", button.dataset.number === `${selection.set?.number ?? ""}`);
    }
  };
  onThemeChange(draw);
  shown.listeners.push(draw);
  selection.listeners.push(mark);
  draw();
  return {
    draw,
    measure: (name) => looks.measures.includes(name) && choose(measure, name),
    colouring: (name) => ways.some(([value]) => value === name) && choose(colouring, name),
    get state() {
      return colouring.value === usual ? null : colouring.value;
    },
  };
}

function choose(select, value) {
  select.value = value;
  select.dispatchEvent(new Event("change"));
}

// The legend of a download: kinds, widths, and groups or communities.
export function legendEntries({ data, shown, looks, colouring }, palette) {
  const entries = kinds(data, shown).map((kind) => ({ words: kindWords(kind, data), look: kindLook(kind, palette) }));
  const dots = sets(data, colouring).map(({ number, words }) => ({ words, dot: communityColour(number, palette) }));
  return [...entries, ...widthSamples(looks, palette), ...dots];
}

function kinds(data, shown) {
  const there = new Set(data.kind.filter((_, k) => shown.inGraph(k)));
  const found = KINDS.filter((kind) => there.has(kind));
  return data.edges.coupling.some((x, k) => isInfinite(x) && shown.inGraph(k)) ? [...found, "infinite"] : found;
}

function kindLook(kind, palette) {
  return {
    width: kind === "infinite" ? 4.5 : 3,
    colour: palette[kind === "infinite" ? "unknown" : kind],
    dashed: kind === "repulsion" || kind === "only2",
    double: kind === "infinite",
  };
}

// A thin and a wide line with their values.
function widthSamples(looks, palette) {
  if (!looks.measures.length || !looks.data.count) return [];
  const digits = looks.name === "probability" || looks.widest < 1 ? 2 : looks.widest < 10 ? 1 : 0;
  const share = looks.name === "evidence" ? 0.0625 : 0.25; // the width follows the square root of the evidence
  return [[0.25, looks.widest * share], [1, looks.widest]].map(([strength, value]) => ({
    words: `${measureWords(looks.name)} ${spelled(value, digits)}`,
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
  const [count, left] = [data.kind.filter((_, k) => has(k) && shown.inGraph(k)).length, shown.edges.filter(has).length];
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
    `${kindWords(kind, data)} (${left === count ? count : `${left} of ${count}`})`,
  );
  button.addEventListener("click", () => {
    shown.toggle(kind);
    // The buttons were replaced.
    byId("kinds").querySelector(`[data-kind=${kind}]`).focus();
  });
  return button;
}

// Groups or communities with their sizes. A community is named by its first variables.
function sets({ nodes, groups }, colouring) {
  if (colouring === "plain") return [];
  const members = [];
  nodes[colouring].forEach((number, k) => number >= 0 && (members[number] ??= []).push(nodes.name[k]));
  const words = (names) => names.slice(0, NAMED).map((name) => shortName(name, LETTERS)).join(", ") + (names.length > NAMED ? " \u2026" : "");
  return members.map((names, number) => ({
    number, names, words: colouring === "group" ? groups[number] : words(names),
  }));
}

function setButtons(data, selection, by) {
  const all = sets(data, by);
  const buttons = all.slice(0, MAX_SETS).map(({ number, names, words }) => {
    const dot = svgElement("circle", { cx: 6, cy: 6, r: 5, fill: communityColour(number, colours()) });
    const icon = { class: "icon", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" };
    const isChosen = () => selection.set?.by === by && selection.set.number === number;
    const button = element(
      "button",
      {
        type: "button",
        class: "switch",
        "data-number": number,
        "aria-pressed": isChosen(),
        title: names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? " \u2026" : ""),
      },
      svgElement("svg", icon, dot),
      `${words} (${names.length})`,
    );
    button.addEventListener("click", () => selection.choose(isChosen() ? {} : { set: { by, number } }));
    return button;
  });
  const left = all.length - buttons.length;
  return left > 0 ? [...buttons, element("span", {}, `and ${left} more`)] : buttons;
}
