// One line with the variables without neighbours, which the picture leaves out if its layout follows the edges.

import { counted } from "./data.js";
import { byId, element } from "./dom.js";

const LETTERS = 80; // of the names in the line; a button shows the others

export function listIsolated(data, selection) {
  const nodes = data.incident.flatMap((own, k) => (own.length ? [] : [k]));
  const line = byId("isolated");
  line.hidden = !nodes.length || !data.followsEdges || !data.count;
  const link = (words, onclick) => element("button", { class: "link", type: "button", onclick }, words);
  const write = (most) => {
    const links = nodes.slice(0, most).flatMap((node, place) => [
      place ? ", " : " ", link(data.nodes.name[node], () => selection.choose({ node }, true)),
    ]);
    const left = nodes.length - most;
    const rest = left > 0 ? [" and ", link(`${left} more`, () => write(nodes.length))] : [];
    line.replaceChildren(`${counted(nodes.length, "variable")} without neighbours:`, ...links, ...rest, ".");
  };
  let letters = 0;
  const beyond = nodes.findIndex((node) => (letters += data.nodes.name[node].length + 2) > LETTERS);
  write(beyond < 0 ? nodes.length : Math.max(beyond, 1));
}
