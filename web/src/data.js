// The report's data: JSON in the page, unpacked to columns of numbers.
//
// JSON has no infinity and no NaN: an infinite number is the text "inf" or "-inf", an unknown
// one is null. Everything known about edge k is at place k of a column. The coupling of an edge with
// a table is the table's size, and `signed` has no number for it.

const INFINITE = { inf: Infinity, "-inf": -Infinity };

function numbers(column) {
  return Float64Array.from(column, (value) =>
    value === null ? NaN : typeof value === "string" ? INFINITE[value] : value,
  );
}

export function readData(text) {
  const raw = JSON.parse(text);
  const { source, target } = raw.edges;
  const ends = {};
  for (const name of [...raw.end_columns, ...raw.annotations]) ends[name] = numbers(raw.edges[name]);
  const table = raw.edges.table ?? source.map(() => null);
  const evidence = ends.evidence_source.map((value, k) => value + ends.evidence_target[k]);
  const coupling = ends.coupling_source.map((value, k) => {
    const mean = 0.5 * value + 0.5 * ends.coupling_target[k];
    return table[k] && Number.isFinite(mean) ? Math.hypot(...table[k].flat()) : mean;
  });
  const signed = coupling.map((value, k) => (table[k] ? NaN : value));
  const incident = raw.nodes.name.map(() => []);
  source.forEach((node, k) => {
    incident[node].push(k);
    incident[target[k]].push(k);
  });
  return {
    ...raw,
    edges: { source, target, evidence, coupling, table, ...ends },
    signed,
    count: source.length,
    incident, // numbers of the edges at every node
  };
}

// The other end of an edge.
export function across(data, edge, node) {
  const { source, target } = data.edges;
  return source[edge] === node ? target[edge] : source[edge];
}

export function spelled(number, digits) {
  if (Number.isNaN(number)) return "?";
  if (!Number.isFinite(number)) return number > 0 ? "+\u221e" : "\u2212\u221e";
  return number.toFixed(digits).replace("-", "\u2212");
}
