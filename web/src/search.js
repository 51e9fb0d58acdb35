// Search by name: every variable that has the text in its name, or stands for a column that has, is marked; Enter goes from one to the
// next, Shift and Enter back.

import { counted } from "./data.js";
import { byId, element } from "./dom.js";

const MARKED = 50; // more marks would hide the picture

export function offerSearch(data, selection, network) {
  const { name, members } = data.nodes;
  const lowered = name.map((text) => text.toLowerCase());
  const within = members.map((own) => own.map((text) => text.toLowerCase()));
  const input = byId("search");
  let [found, at] = [[], -1];
  const say = (text) => (byId("search-result").textContent = text);
  const mark = () => {
    if (!network) return;
    network.matches = new Set(found.length <= MARKED ? found : []);
    network.front.draw();
  };
  const look = () => {
    const wanted = input.value.trim().toLowerCase();
    at = -1;
    found = wanted ? lowered.flatMap((text, k) =>
      [text, ...within[k]].some((each) => each.includes(wanted)) ? [k] : []) : [];
    // A name that is just this comes first, then those that begin with it.
    const rank = (k) => (lowered[k] === wanted ? 0 : lowered[k].startsWith(wanted) ? 1 : 2);
    found.sort((a, b) => rank(a) - rank(b) || a - b);
    say(!wanted ? "" : found.length ? `found in ${counted(found.length, "name")}` : "no variable has this in its name");
    mark();
  };
  byId("names").replaceChildren(...name.map((value) => element("option", { value })));
  input.addEventListener("input", () => {
    look();
    // A name picked from the list needs no Enter; one that is typed gets it all the same.
    if (!name.includes(input.value)) return;
    go(0);
    at = -1;
  });
  const go = (to) => {
    at = (to + found.length) % found.length;
    say(found.length > 1 ? `${at + 1} of ${found.length} found` : "");
    selection.choose({ node: found[at] }, true);
  };
  // Not a form: a notebook's frame does not let one be sent.
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !found.length) return;
    go(at < 0 ? 0 : at + (event.shiftKey ? -1 : 1));
  });
  return {
    clear: () => {
      input.value = "";
      look();
    },
  };
}
