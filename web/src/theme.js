// Colours of what is drawn, for a light and for a dark page.
//
// Signs are Okabe and Ito's blue and vermillion (lighter twins in the dark); the first eight
// communities have Paul Tol's light scheme. People with any colour vision can tell these apart;
// the next eight are there because grey would say less.

const dark = window.matchMedia("(prefers-color-scheme: dark)");

const LIGHT = {
  attraction: "#0072b2",
  repulsion: "#d55e00",
  unknown: "#7a7f87",
  node: "#5b6470",
  alone: "#a9afb8",
  faded: "#dfe2e6",
  text: "#1c2024",
  ground: "#ffffff",
  halo: "#ffffff",
};
const DARK = {
  attraction: "#56b4e9",
  repulsion: "#e9903c",
  unknown: "#9aa0a8",
  node: "#aab2bd",
  alone: "#6b727c",
  faded: "#2c3138",
  text: "#eceff2",
  ground: "#14171a",
  halo: "#14171a",
};
const COMMUNITIES = [
  "#77aadd", "#ee8866", "#44bb99", "#aaaa00", "#ffaabb", "#99ddff", "#bbcc33", "#eedd88",
  "#b566a8", "#c2655c", "#5f9e4d", "#8f84d8", "#b08d57", "#4f9fa8", "#d98fb8", "#8fa3b8",
];

export function colours() {
  return dark.matches ? DARK : LIGHT;
}

export function onThemeChange(redraw) {
  dark.addEventListener("change", redraw);
}

// Communities are numbered from the largest; those past the palette, and lone nodes, are grey.
export function communityColour(community) {
  if (community < 0) return colours().alone;
  return COMMUNITIES[community] ?? colours().unknown;
}

export function signColour(coupling) {
  const { attraction, repulsion, unknown } = colours();
  return coupling > 0 ? attraction : coupling < 0 ? repulsion : unknown;
}

// The less probable an edge, the paler: its colour, with so much of the ground's as it may not be
// there. Mixed and not transparent, so that lines which cross do not look like one that is surer.
export function paler(colour, probability) {
  if (!(probability < 1)) return colour; // sure, or not known
  const { ground } = colours();
  const mixed = [1, 3, 5].map((at) => {
    const [own, under] = [colour, ground].map((text) => parseInt(text.slice(at, at + 2), 16));
    return Math.round(probability * own + (1 - probability) * under);
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
