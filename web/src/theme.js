// Colours for a light and a dark page. Downloads and print are always light.
//
// Signs are blue and vermillion (Okabe and Ito; lighter on a dark page). Communities have other hues, neither blue nor
// orange. The first nine are easy to distinguish; further ones go around the remaining hues by the golden section, so that
// consecutive colours differ.

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export const LIGHT = {
  attraction: "#0072b2",
  repulsion: "#d55e00",
  unknown: "#6d737b",
  shared: "#4a5058",
  only1: "#7b3f98",
  only2: "#1b7837",
  some: "#8a8f96",
  node: "#5b6470",
  alone: "#a9afb8",
  faded: "#e3e6ea",
  text: "#1c2024",
  quiet: "#5d6570",
  ground: "#ffffff",
};
const DARK = {
  attraction: "#56b4e9",
  repulsion: "#e9903c",
  unknown: "#9aa0a8",
  shared: "#b9c0c8",
  only1: "#c79be0",
  only2: "#7fcf8f",
  some: "#8a8f96",
  node: "#aab2bd",
  alone: "#6b727c",
  faded: "#2c3138",
  text: "#eceff2",
  quiet: "#a3abb5",
  ground: "#14171a",
};
const COMMUNITIES = [
  "#2f9e6e", "#a463b0", "#b8a323", "#e17fa8", "#6f9c2f", "#7f6bb8", "#3fb0a5", "#8c5a3c", "#c2447e",
];
// Ranges of hues in degrees, without orange and blue: yellow to turquoise, violet to red.
const HUES = [[55, 180], [265, 350]];
const GOLDEN = 0.618034;

export function colours() {
  return dark.matches ? DARK : LIGHT;
}

export function onThemeChange(redraw) {
  dark.addEventListener("change", redraw);
}

// What the colours of nodes show: groups if there are any, or communities if these are clear.
export function usualColouring({ nodes, unclear }) {
  return nodes.group ? "group" : unclear ? "plain" : "community";
}

// Communities are numbered by decreasing size; isolated nodes are grey.
export function communityColour(community, palette) {
  if (community < 0) return palette.alone;
  return COMMUNITIES[community] ?? furtherColour(community - COMMUNITIES.length);
}

function furtherColour(number) {
  const whole = HUES.reduce((sum, [low, high]) => sum + high - low, 0);
  let hue = whole * ((number * GOLDEN) % 1);
  for (const [low, high] of HUES) {
    if (hue <= high - low) {
      hue += low;
      break;
    }
    hue -= high - low;
  }
  return fromHue(hue, 0.45, [0.42, 0.56, 0.68][number % 3]);
}

// Sigma reads hexadecimal colours.
function fromHue(hue, saturation, lightness) {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset) => {
    const k = (offset + hue / 30) % 12;
    return lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return hex([part(0), part(8), part(4)].map((x) => 255 * x));
}

const mixed = new Map(); // cache: thousands of edges have few different colours

// A colour mixed with the background: opaque, so that crossing lines do not add up.
export function paled(colour, share, ground) {
  const part = Math.round(100 * share) / 100;
  const key = `${colour}${part}${ground}`;
  if (!mixed.has(key)) {
    const [a, b] = [parts(colour), parts(ground)];
    mixed.set(key, hex(a.map((x, k) => part * x + (1 - part) * b[k])));
  }
  return mixed.get(key);
}

function parts(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function hex(numbers) {
  return `#${numbers.map((x) => Math.round(x).toString(16).padStart(2, "0")).join("")}`;
}
