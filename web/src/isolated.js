// One line with the variables without neighbours, which the picture leaves out if its layout follows the edges.

import { counted } from "./data.js";
import { byId, element } from "./dom.js";

const MAX_NAMES = 40;

export function listIsolated(data, selection) {
  const nodes = data.incident.flatMap((own, k) => (own.length ? [] : [k]));
  const line = byId("isolated");
  line.hidden = !nodes.length || !data.followsEdges || !data.count;
  const links = nodes.slice(0, MAX_NAMES).flatMap((node, place) => [
    place ? ", " : " ",
    element("button", { class: "link", type: "button", onclick: () => selection.choose({ node }, true) }, data.nodes.name[node]),
  ]);
  const left = nodes.length - MAX_NAMES;
  line.replaceChildren(`${counted(nodes.length, "variable")} without neighbours:`, ...links, left > 0 ? ` and ${left} more.` : ".");
}
