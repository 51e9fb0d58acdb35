// The state of the view in the address of the page, so that a link restores it: selection, thresholds,
// hidden kinds, measure of the width, and the camera.
//
// In the frame of a notebook, which has no address, the state is not stored.

const WAIT = 250; // milliseconds; browsers limit the number of address changes

export function keepAddress(data, shown, selection, looks, network, legend) {
  read(data, shown, selection, network, legend);
  let waiting = null;
  const write = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const text = `${state(data, shown, selection, looks, network)}`;
      try {
        history.replaceState(null, "", text ? `#${text}` : "#");
      } catch {
        // A sandboxed frame.
      }
    }, WAIT);
  };
  shown.listeners.push(write);
  selection.listeners.push(write);
  document.getElementById("measure").addEventListener("change", write);
  network?.camera.on("updated", write);
}

function state(data, shown, selection, looks, network) {
  const { name } = data.nodes;
  const { source, target } = data.edges;
  const kept = new URLSearchParams();
  const { node, edge, community } = selection;
  if (node !== null) kept.set("variable", name[node]);
  if (edge !== null) {
    kept.append("edge", name[source[edge]]);
    kept.append("edge", name[target[edge]]);
  }
  if (community !== null) kept.set("community", community + 1);
  for (const limit of shown.limits) if (limit.isSet) kept.set(limit.name, limit.least);
  for (const kind of shown.switchedOff) kept.append("without", kind);
  if (looks.measures.length && looks.name !== looks.measures[0]) kept.set("width", looks.name);
  if (network) {
    const { x, y, ratio } = network.camera.getState();
    const view = [x, y, ratio].map((number) => +number.toFixed(3));
    if (`${view}` !== "0.5,0.5,1") kept.set("view", view.join("_"));
  }
  return kept;
}

function read(data, shown, selection, network, legend) {
  const kept = new URLSearchParams(location.hash.slice(1));
  const { name, community } = data.nodes;
  const { source, target } = data.edges;
  for (const limit of shown.limits) {
    if (kept.has(limit.name)) limit.least = +kept.get(limit.name) || -Infinity;
  }
  kept.getAll("without").forEach((kind) => shown.switchedOff.add(kind));
  shown.change();
  if (kept.has("width")) legend.measure(kept.get("width"));
  const node = name.indexOf(kept.get("variable"));
  if (node >= 0) selection.choose({ node });
  const [a, b] = kept.getAll("edge").map((each) => name.indexOf(each));
  const edge = source.findIndex((end, k) => end === a && target[k] === b);
  if (edge >= 0) selection.choose({ edge });
  const number = +kept.get("community") - 1;
  if (number >= 0 && community.includes(number)) selection.choose({ community: number });
  const [x, y, ratio] = (kept.get("view") ?? "").split("_").map(Number);
  if (network && [x, y, ratio].every(Number.isFinite) && ratio > 0) network.camera.setState({ x, y, ratio });
}
