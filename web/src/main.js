// The page of the report: read the data and start every part.

import { keepAddress } from "./address.js";
import { Card } from "./card.js";
import { drawCharts } from "./charts.js";
import { offerClasses } from "./classes.js";
import { Overview } from "./communities.js";
import { readData } from "./data.js";
import { listDifferences } from "./differences.js";
import { offerDistances } from "./distances.js";
import { byId } from "./dom.js";
import { offerDownloads } from "./downloads.js";
import { offerFactors } from "./factors.js";
import { writeFacts } from "./facts.js";
import { offerFilters } from "./filters.js";
import { offerFocus } from "./focus.js";
import { listIsolated } from "./isolated.js";
import { letType } from "./keys.js";
import { offerLegend } from "./legend.js";
import { Looks } from "./looks.js";
import { Network } from "./network.js";
import { letPoint } from "./pointer.js";
import { preparePrint } from "./print.js";
import { offerSearch } from "./search.js";
import { Selection } from "./selection.js";
import { Shown } from "./shown.js";
import { EdgeTable } from "./table.js";
import { offerUncertainty } from "./uncertainty.js";
import { offerView } from "./view.js";
import { offerViews } from "./views.js";

const data = readData(byId("report-data").textContent);
const shown = new Shown(data);
const selection = new Selection(data, shown);
const looks = new Looks(data);
writeFacts(data);
const network = startNetwork();
new Card(data, shown, selection);
offerView(selection, network, offerSearch(data, network, selectAndShow));
offerFilters(data, shown);
const focus = offerFocus(data, shown, selection);
if (network && data.isLarge) new Overview(data, shown, network, focus.open);
const legend = offerLegend(data, shown, selection, looks, network);
listIsolated(data, selection);
const table = new EdgeTable(data, shown, selectAndShow, hoverEdge);
offerUncertainty(data, shown, selectAndShow);
listDifferences(data, selectAndShow);
offerClasses(data);
offerFactors(data, selectAndShow);
shown.listeners.push(() => drawCharts(data, shown));
offerDistances(data, shown, selectAndShow);
offerDownloads(data, shown, network);
preparePrint(network, table);
const views = offerViews(data, shown, looks, () => network?.refresh());
keepAddress({ data, shown, selection, looks, network, legend, focus, views });
// Following an anchor would lose the state in the address and, in the frame of a notebook, lead to the notebook.
for (const link of document.querySelectorAll("nav a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelector(link.hash).scrollIntoView();
  });
}
document.documentElement.dataset.ready = Math.round(performance.now());

// Without WebGL, everything but the network is shown.
function startNetwork() {
  const canvas = document.createElement("canvas");
  if (!(canvas.getContext("webgl2") ?? canvas.getContext("webgl"))) {
    byId("network").textContent = "This browser cannot draw the network because it has no WebGL.";
    return null;
  }
  const made = new Network(byId("network"), data, shown, selection, looks);
  letPoint(made, selection);
  letType(made, selection);
  return made;
}

function selectAndShow(what, isShown = true) {
  selection.choose(what, true);
  if (!isShown) return;
  // On a phone, the picture fits above the sheet with the details.
  byId(matchMedia("(max-width: 56rem)").matches ? "view" : "network-section").scrollIntoView();
}

function hoverEdge(edge) {
  if (network === null) return;
  network.hovered = network.graph.hasEdge(edge) ? edge : null; // edges of closed communities are not drawn
  network.front.draw();
}
