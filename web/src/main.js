// The report's page: reads its data, and sets every part going.

import { drawCharts } from "./charts.js";
import { Controls } from "./controls.js";
import { readData } from "./data.js";
import { byId } from "./dom.js";
import { offerDownloads } from "./downloads.js";
import { writeFacts } from "./facts.js";
import { Network } from "./network.js";
import { Shown } from "./shown.js";
import { EdgeTable } from "./table.js";

const data = readData(byId("report-data").textContent);
const shown = new Shown(data);
writeFacts(data);
const network = startNetwork();
const controls = new Controls(data, shown, network);
new EdgeTable(data, shown, (node) => {
  controls.select(node);
  byId("network-section").scrollIntoView();
});
shown.listeners.push(() => drawCharts(data, shown));
drawCharts(data, shown);
offerDownloads(data, shown, network);
// In a notebook's frame a link to a place would be one to the notebook's address.
for (const link of document.querySelectorAll("nav a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelector(link.hash).scrollIntoView();
  });
}
document.documentElement.dataset.ready = Math.round(performance.now());

// Without WebGL there is no picture, but all the rest.
function startNetwork() {
  try {
    return new Network(byId("network"), data, shown);
  } catch {
    byId("network").textContent = "This browser cannot draw the network: it has no WebGL.";
    return null;
  }
}
