// Printing: WebGL is not printed, so the network is added as SVG. The table has the edges with the most evidence, or all
// edges if the reader asks for them, so that a report has a few pages.

import { byId } from "./dom.js";
import { picture } from "./picture.js";

const ROWS = 60; // with a text, a row takes two lines

export function preparePrint(network, table) {
  const most = table.data.nodes.text.some(Boolean) ? ROWS / 2 : ROWS;
  window.addEventListener("beforeprint", () => {
    if (network) byId("print-picture").replaceChildren(picture(network));
    const all = byId("print-all").checked;
    table.draw(all ? Infinity : most);
    const left = table.rows.length - most;
    byId("print-left").textContent = all || left <= 0 ? "" : `${left} further edges are not printed.`;
  });
  window.addEventListener("afterprint", () => {
    byId("print-picture").replaceChildren();
    byId("print-left").textContent = "";
    table.draw();
  });
}
