// Printing: WebGL is not printed, so the network is added as SVG, and the table has all edges.

import { byId } from "./dom.js";
import { picture } from "./picture.js";

export function preparePrint(network, table) {
  window.addEventListener("beforeprint", () => {
    if (network) byId("print-picture").replaceChildren(picture(network));
    table.draw(Infinity);
  });
  window.addEventListener("afterprint", () => {
    byId("print-picture").replaceChildren();
    table.draw();
  });
}
