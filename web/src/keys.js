// The keyboard on the network. Enter selects the variable in the middle; with a selection the arrows select
// the nearest variable in their direction, without one (or with Shift) they pan.

const PAN = 60; // pixels
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function letType(network, selection) {
  const actions = {
    "+": () => network.zoom(1 / 1.4),
    "=": () => network.zoom(1 / 1.4),
    "-": () => network.zoom(1.4),
    0: () => network.showAll(),
    Enter: () => selection.choose({ node: middle(network) }),
  };
  for (const [key, [right, down]] of Object.entries(ARROWS)) {
    actions[key] = (event) => {
      if (selection.node === null || event.shiftKey) return network.pan(PAN * right, PAN * down);
      const next = beside(network, selection.node, right, down);
      if (next !== null) selection.choose({ node: next });
    };
  }
  network.container.addEventListener("keydown", (event) => {
    if (!(event.key in actions) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key](event);
  });
}

function middle(network) {
  const { width, height } = network.renderer.getDimensions();
  return nearest(network, ({ x, y }) => Math.hypot(x - width / 2, y - height / 2));
}

// Sideways distance counts more.
function beside(network, node, right, down) {
  const from = network.at(node);
  return nearest(network, ({ x, y }, other) => {
    const ahead = (x - from.x) * right + (y - from.y) * down;
    const aside = Math.abs((x - from.x) * down + (y - from.y) * right);
    return other !== node && ahead > 0.5 && ahead * 2 > aside ? ahead + 2 * aside : Infinity;
  });
}

function nearest(network, away) {
  let [best, least] = [null, Infinity];
  network.data.nodes.name.forEach((_, node) => {
    if (network.isHidden(node)) return;
    const found = away(network.at(node), node);
    if (found < least) [best, least] = [node, found];
  });
  return best;
}
