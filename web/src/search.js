// Search by name: variables whose name or text, or the name of a grouped column, contains the search are marked. Enter goes to the
// next one, Shift and Enter to the previous one.

import { counted } from "./data.js";
import { byId, element } from "./dom.js";

const MAX_MARKS = 50;

export function offerSearch(data, network, select) {
  const { name, members } = data.nodes;
  const lowered = name.map((text) => text.toLowerCase());
  const within = members.map((own, k) => [data.nodes.text[k], ...own].map((text) => text.toLowerCase()));
  const input = byId("search");
  let [found, at] = [[], -1];
  const say = (text) => (byId("search-result").textContent = text);
  const mark = () => {
    if (!network) return;
    network.matches = new Set(found.length <= MAX_MARKS ? found : []);
    network.refresh();
  };
  const look = () => {
    const wanted = input.value.trim().toLowerCase();
    at = -1;
    found = wanted ? lowered.flatMap((text, k) =>
      [text, ...within[k]].some((each) => each.includes(wanted)) ? [k] : []) : [];
    // Exact matches first, then names that begin with the text.
    const rank = (k) => (lowered[k] === wanted ? 0 : lowered[k].startsWith(wanted) ? 1 : 2);
    found.sort((a, b) => rank(a) - rank(b) || a - b);
    say(!wanted ? "" : found.length ? `${counted(found.length, "variable")} found` : "no variable found");
    mark();
  };
  byId("names").replaceChildren(...name.map((value) => element("option", { value })));
  input.addEventListener("input", () => {
    look();
    // A name picked from the list is selected without Enter.
    if (!name.includes(input.value)) return;
    go(0);
    at = -1;
  });
  // While the reader types, the page does not scroll.
  const go = (to, isWanted = false) => {
    at = (to + found.length) % found.length;
    say(found.length > 1 ? `${at + 1} of ${found.length} found` : "");
    select({ node: found[at] }, isWanted);
  };
  // Not a form, because the frame of a notebook does not allow forms.
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !found.length) return;
    go(at < 0 ? 0 : at + (event.shiftKey ? -1 : 1), true);
  });
  return {
    clear: () => {
      input.value = "";
      look();
    },
  };
}
