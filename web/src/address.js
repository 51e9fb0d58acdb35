// The state of the view in the address of the page, so that a link restores it: selection, thresholds, hidden kinds,
// measure of the width, colouring, part of the network, moved variables, and the camera.
//
// In the frame of a notebook, which has no address, the state is not stored.

const WAIT = 250; // milliseconds; browsers limit the number of address changes
const ALL = "0.5_0.5_1"; // the view that shows everything

// A new selection is a new entry of the history, so that Back returns to the one before; other changes replace the
// entry.

export function keepAddress(parts) {
  const { shown, selection, network } = parts;
  read(parts);
  let [waiting, isNew] = [null, false];
  const write = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const text = `${state(parts)}`;
      const address = text ? `#${text}` : "#";
      try {
        if (isNew && address !== (location.hash || "#")) history.pushState(null, "", address);
        else history.replaceState(null, "", address);
      } catch {
        // A sandboxed frame.
      }
      isNew = false;
    }, WAIT);
  };
  shown.listeners.push(write);
  selection.listeners.push(() => {
    isNew = true;
    write();
  });
  for (const id of ["measure", "colouring", "focus"]) document.getElementById(id).addEventListener("change", write);
  network?.camera.on("updated", write);
  network?.moves.listeners.push(write);
  window.addEventListener("popstate", () => {
    shown.limits.forEach((limit) => (limit.least = -Infinity));
    shown.switchedOff.clear();
    read(parts, ALL);
    clearTimeout(waiting); // reading is not a change
    isNew = false;
  });
}

function state({ data, shown, selection, looks, network, legend, focus, views }) {
  const { name } = data.nodes;
  const { source, target } = data.edges;
  const kept = new URLSearchParams();
  const { node, edge, set } = selection;
  if (node !== null) kept.set("variable", name[node]);
  if (edge !== null) {
    kept.append("edge", name[source[edge]]);
    kept.append("edge", name[target[edge]]);
  }
  if (set !== null) kept.set(set.by, set.number + 1);
  for (const limit of shown.limits) if (limit.isSet) kept.set(limit.name, limit.least);
  for (const kind of shown.switchedOff) kept.append("without", kind);
  if (looks.measures.length && looks.name !== looks.usual) kept.set("width", looks.name);
  if (legend.state !== null) kept.set("colour", legend.state);
  if (views.state !== null) kept.set("graph", views.state);
  focus.state?.forEach((each) => kept.append("focus", each));
  if (network) {
    const { x, y, ratio } = network.camera.getState();
    const view = [x, y, ratio].map((number) => +number.toFixed(3));
    if (view.join("_") !== ALL) kept.set("view", view.join("_"));
    network.moves.state.forEach((each) => kept.append("moved", each));
  }
  return kept;
}

function read({ data, shown, selection, network, legend, focus, views }, usualView = "") {
  const kept = new URLSearchParams(location.hash.slice(1));
  views.restore(kept.get("graph"));
  for (const limit of shown.limits) {
    if (kept.has(limit.name)) limit.least = +kept.get(limit.name) || -Infinity;
  }
  kept.getAll("without").forEach((kind) => shown.switchedOff.add(kind));
  focus.restore(...kept.getAll("focus"));
  if (kept.has("colour")) legend.colouring(kept.get("colour"));
  if (network && network.moves.state.join() !== kept.getAll("moved").join()) {
    network.moves.reset();
    network.moves.restore(kept.getAll("moved"));
  }
  if (kept.has("width")) legend.measure(kept.get("width"));
  selection.choose(chosen(kept, data));
  const [x, y, ratio] = (kept.get("view") ?? usualView).split("_").map(Number);
  if (network && [x, y, ratio].every(Number.isFinite) && ratio > 0) network.move({ x, y, ratio }, false);
}

// The selection in an address.
function chosen(kept, { nodes, edges }) {
  const { name } = nodes;
  const { source, target } = edges;
  const node = name.indexOf(kept.get("variable"));
  if (node >= 0) return { node };
  const [a, b] = kept.getAll("edge").map((each) => name.indexOf(each));
  const edge = source.findIndex((end, k) => end === a && target[k] === b);
  if (edge >= 0) return { edge };
  for (const by of ["group", "community"]) {
    const number = +kept.get(by) - 1;
    if (kept.has(by) && nodes[by]?.includes(number)) return { set: { by, number } };
  }
  return {};
}
