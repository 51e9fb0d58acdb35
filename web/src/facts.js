// The texts of the report: run, data, warnings and citations.

import { byId, element } from "./dom.js";

export function writeFacts(data) {
  byId("title").textContent = data.title;
  byId("summary").textContent = data.summary;
  byId("findings-list").replaceChildren(...data.findings.map((text) => element("li", {}, text)));
  byId("findings").hidden = !data.findings.length;
  fill("run", data.run);
  byId("run").parentElement.hidden = !data.run.length;
  fill("data", data.data);
  byId("warnings").replaceChildren(...data.warnings.map((text) => element("li", {}, text)));
  byId("notes").replaceChildren(...data.notes.map((text) => element("p", { class: "note" }, text)));
  byId("reading").replaceChildren(...data.reading.map((text) => element("p", {}, text)));
  byId("no-warnings").hidden = data.warnings.length > 0;
  byId("cite").replaceChildren(...data.cite.map((text) => element("p", {}, text)));
  byId("bibtex").textContent = data.bibtex;
  byId("licences").textContent = data.licences;
}

function fill(id, rows) {
  byId(id).replaceChildren(
    ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );
}
