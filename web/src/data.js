// The data of the report: JSON in the page, unpacked to columns of numbers.
//
// JSON does not have infinity and NaN: an infinite number is the text "inf" or "-inf", an unknown one is null. Entry k of
// a column belongs to edge k. Evidence is the sum of both ends and coupling their mean, as in Python; the size of
// a coupling table is computed by Python, and is not in `signed`. `content.py` of the report lists all keys.

const LARGE = 3000; // variables; the picture of a larger graph begins with its communities
const INFINITE = { inf: Infinity, "-inf": -Infinity };

function numbers(column) {
  return Float64Array.from(column, (value) =>
    value === null ? NaN : typeof value === "string" ? INFINITE[value] : value,
  );
}

export function readData(json) {
  const raw = JSON.parse(json);
  const { source, target } = raw.edges;
  const columns = {};
  for (const name of raw.columns) if (name in raw.edges) columns[name] = numbers(raw.edges[name]);
  columns.evidence = columns.evidence_source.map((value, k) => value + columns.evidence_target[k]);
  columns.coupling ??= columns.coupling_source.map(
    (value, k) => 0.5 * value + 0.5 * columns.coupling_target[k],
  );
  const table = raw.edges.table ?? source.map(() => null);
  const counts = raw.edges.counts ?? source.map(() => null);
  const signed = columns.coupling.map((value, k) => (table[k] ? NaN : value));
  const incident = raw.nodes.name.map(() => []);
  source.forEach((node, k) => {
    incident[node].push(k);
    incident[target[k]].push(k);
  });
  const members = raw.nodes.members ?? raw.nodes.name.map(() => []);
  const text = raw.nodes.text ?? raw.nodes.name.map(() => "");
  if (raw.distances) columns.distance = numbers(raw.distances.of);
  const measures = {};
  for (const [name, parts] of Object.entries(raw.measures ?? {})) {
    measures[name] = Object.fromEntries(Object.entries(parts).map(([part, column]) => [part, numbers(column)]));
  }
  const label = raw.nodes.name.map((own, k) =>
    members[k].length ? `${own} (+${members[k].length})` : own,
  );
  return {
    ...raw,
    nodes: { ...raw.nodes, members, text, label }, // grouped columns, and a label with their number
    edges: {
      source, target, table, counts,
      bend: raw.edges.bend ?? source.map(() => 0),
      required: raw.edges.required ?? source.map(() => 0),
      graphs: raw.edges.graphs,
      ...columns,
    },
    measures,
    isMixed: new Set(raw.nodes.levels.map((own) => own?.length)).size > 1, // different numbers of levels
    isLarge: raw.nodes.name.length > LARGE && raw.nodes.community.includes(1),
    followsEdges: !raw.edges.bend, // whether the layout places nodes by their edges
    signed,
    kind: Array.from(signed, kindOf),
    count: source.length,
    incident, // numbers of the edges at every node
  };
}

// The kind of an edge in the legend.
export function kindOf(coupling) {
  return coupling > 0 ? "attraction" : coupling < 0 ? "repulsion" : "unknown";
}

// The other end of an edge.
export function across(data, edge, node) {
  const { source, target } = data.edges;
  return source[edge] === node ? target[edge] : source[edge];
}

export function edgeName(data, k, spelled = (name) => name) {
  const { name } = data.nodes;
  return `${spelled(name[data.edges.source[k]])} \u2013 ${spelled(name[data.edges.target[k]])}`;
}

// A column name as words.
export function columnWords(name, data) {
  const graph = /^coupling_(\d+)$/.exec(name);
  if (graph && data.graphs) return `coupling ${data.graphs[graph[1] - 1].name}`;
  return name.replaceAll("_", " ").replace("rhat", "R-hat").replace(/^ess$/, "ESS").replace("bayes", "Bayes");
}

export function spelled(number, digits) {
  if (Number.isNaN(number)) return "?";
  if (!Number.isFinite(number)) return number > 0 ? "+\u221e" : "\u2212\u221e";
  return number.toFixed(digits).replace("-", "\u2212");
}

export function counted(number, thing) {
  return number === 1 ? `1 ${thing}` : `${number} ${thing}s`;
}
