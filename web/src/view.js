// The buttons of the network view, and keys that work on the whole page.

import { byId } from "./dom.js";

export function offerView(selection, network, search) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      selection.clear();
      search.clear();
    }
    if (event.key === "/" && !event.target.closest("input")) {
      event.preventDefault();
      byId("search").focus();
    }
  });
  if (network === null) {
    byId("view-buttons").hidden = true;
    return;
  }
  byId("zoom-in").addEventListener("click", () => network.zoom(1 / 1.4));
  byId("zoom-out").addEventListener("click", () => network.zoom(1.4));
  byId("show-all").addEventListener("click", () => network.showAll());
  offerFullScreen(network);
  // Resize with the frame, not only with the window.
  new ResizeObserver(() => network.renderer.scheduleRefresh()).observe(network.container);
}

function offerFullScreen() {
  const button = byId("full-screen");
  const view = byId("view");
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener("click", () =>
    document.fullscreenElement ? document.exitFullscreen() : view.requestFullscreen(),
  );
  document.addEventListener("fullscreenchange", () => {
    button.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen";
  });
}
