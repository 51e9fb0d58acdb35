// Print: WebGL leaves nothing on paper, so the picture goes in as SVG, and the table of edges whole.

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
