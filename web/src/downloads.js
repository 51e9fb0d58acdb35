// Downloads of the edges shown: CSV and GraphML as `markhood` writes them (the CSV file without coupling
// tables), SVG and PNG of the current view. They are made in the page because the edges shown change; the browser tests
// compare them with the files of markhood.

import { byId, element } from "./dom.js";
import { picture } from "./picture.js";

const CSV_QUOTED = /[,"\r\n]|^\s|\s$|^$/;
// Characters that XML does not allow.
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const XML = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const BLANKS = { "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" };

export function offerDownloads(data, shown, network) {
  const offer = (id, ending, make) =>
    byId(id).addEventListener("click", async () => save(`${data.file}.${ending}`, await make()));
  offer("download-csv", "csv", () => text(csv(data, shown.edges), "text/csv"));
  offer("download-graphml", "graphml", () => text(graphml(data, shown.edges), "text/xml"));
  if (network === null) {
    byId("download-svg").disabled = byId("download-png").disabled = true;
    return;
  }
  offer("download-svg", "svg", () => text(svg(network), "image/svg+xml"));
  offer("download-png", "png", () => png(network));
}

function csv(data, edges) {
  const quoted = (name) =>
    CSV_QUOTED.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
  const spelled = (x) =>
    Number.isNaN(x) ? "" : Number.isFinite(x) ? `${x}` : x > 0 ? "inf" : "-inf";
  const { name } = data.nodes;
  const lines = edges.map((k) =>
    [
      quoted(name[data.edges.source[k]]),
      quoted(name[data.edges.target[k]]),
      ...data.columns.map((column) => spelled(data.edges[column][k])),
    ].join(","),
  );
  return [["source", "target", ...data.columns].join(","), ...lines, ""].join("\n");
}

function graphml(data, edges) {
  const escaped = (raw) =>
    raw
      .replace(NOT_XML, "\ufffd")
      .replace(/[&<>"]/g, (c) => XML[c])
      .replace(/[\t\n\r]/g, (c) => BLANKS[c]);
  const spelled = (x) =>
    Number.isNaN(x) ? "NaN" : Number.isFinite(x) ? `${x}` : x > 0 ? "INF" : "-INF";
  const key = (name, owner, kind) =>
    `<key id="${name}" for="${owner}" attr.name="${name}" attr.type="${kind}"/>`;
  const names = data.nodes.name.map(escaped);
  const { text: texts, group } = data.nodes;
  const described = [
    ...(texts.some(Boolean) ? [["text", texts]] : []),
    ...(group ? [["group", group.map((number) => data.groups[number] ?? "")]] : []),
  ];
  const node = (name, k) => {
    const parts = described.map(([key, own]) => `<data key="${key}">${escaped(own[k])}</data>`);
    return `<node id="${name}"><data key="label">${name}</data>${parts.join("")}</node>`;
  };
  const { source, target, table } = data.edges;
  const anyTable = table.some((found) => found !== null);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...Object.keys(data.about).map((name) => key(name, "graph", "string")),
    key("label", "node", "string"),
    ...described.map(([name]) => key(name, "node", "string")),
    ...data.columns.map((name) => key(name, "edge", "double")),
    ...(anyTable ? [key("table", "edge", "string")] : []),
    '<graph edgedefault="undirected">',
    ...Object.entries(data.about).map(
      ([name, value]) => `<data key="${name}">${escaped(JSON.stringify(value))}</data>`,
    ),
    ...names.map(node),
    ...edges.map((k) => {
      const numbers = data.columns.map(
        (name) => `<data key="${name}">${spelled(data.edges[name][k])}</data>`,
      );
      const ends = `source="${names[source[k]]}" target="${names[target[k]]}"`;
      const text = table[k] ? `<data key="table">${JSON.stringify(table[k])}</data>` : "";
      return `<edge ${ends}>${numbers.join("")}${text}</edge>`;
    }),
    "</graph>",
    "</graphml>",
    "",
  ].join("\n");
}

function svg(network) {
  return new XMLSerializer().serializeToString(picture(network)).replace(NOT_XML, "\ufffd");
}

// The SVG, drawn by the browser at twice its size.
async function png(network) {
  const { width, height } = picture(network).viewBox.baseVal;
  const image = new Image(2 * width, 2 * height);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg(network))}`;
  await image.decode();
  const canvas = element("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function text(content, kind) {
  return new Blob([content], { type: `${kind};charset=utf-8` });
}

function save(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
