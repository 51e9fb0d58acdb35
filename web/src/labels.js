// Positions of the labels next to their nodes: nodes with the most neighbours first, without overlaps, inside the
// view. A label avoids nodes if one of the four sides or corners of its node is free, and is away from the neighbours.

export const MAX_LETTERS = 26; // the card has the whole name
const CELL = 64; // pixels, cell size of the grid for looking up boxes
const HEIGHT = 15;
const HALO = 4; // pixels between a label and the border of the picture
const NARROW = 600; // pixels; in narrower pictures, no label covers a node
const CORNER = 0.7; // part of the radius at which a label begins above or below a node

// Leave out the middle of a long name: items of a questionnaire often have the same beginning or end.
export function shortName(name, most = MAX_LETTERS) {
  const letters = [...name];
  if (letters.length <= most) return name;
  const half = Math.ceil(most / 2);
  return `${letters.slice(0, most - half).join("").trimEnd()}\u2026${letters.slice(1 - half).join("").trimStart()}`;
}

// `candidates` by rank: { node, x, y, r, text, must, toward }, `toward` the mean direction to the neighbours. At most `most` labels in addition to those with
// `must`.
export function placeLabels(candidates, discs, { width, height }, measure, most) {
  const obstacles = new Boxes();
  discs.forEach(({ x, y, r }) => obstacles.add([x - r, y - r, x + r, y + r]));
  const names = new Boxes();
  const placed = [];
  let extra = 0;
  for (const { node, x, y, r, text, must, toward } of candidates) {
    if (!text || x < 0 || y < 0 || x > width || y > height) continue;
    if (!must && extra >= most) continue;
    const wide = measure(text);
    const centred = Math.min(Math.max(x - wide / 2, HALO), width - wide - HALO);
    const [out, up] = [CORNER * r + 2, y - CORNER * r - HEIGHT];
    const sides = [
      [x + r + 3, y - HEIGHT / 2, toward.x - 0.3],
      [x - r - 3 - wide, y - HEIGHT / 2, -toward.x],
      [centred, y - r - 2 - HEIGHT, -toward.y],
      [centred, y + r + 2, toward.y],
      [x + out, up, toward.x - toward.y + 1],
      [x + out, y + CORNER * r, toward.x + toward.y + 1],
      [x - out - wide, up, -toward.x - toward.y + 1],
      [x - out - wide, y + CORNER * r, toward.y - toward.x + 1],
    ]
      .sort((a, b) => a[2] - b[2])
      .map(([left, top]) => [left, top, left + wide, top + HEIGHT]);
    const open = sides.filter(
      (box) =>
        box[0] >= HALO && box[1] >= 0 && box[2] <= width - HALO && box[3] <= height && !names.meet(box),
    );
    const box = open.find((candidate) => !obstacles.meet(candidate)) ?? (must || width > NARROW ? open[0] : undefined);
    if (!box) continue;
    if (!must) extra += 1;
    names.add(box);
    placed.push({ node, text, x: box[0], y: box[3] - 4 });
  }
  return placed;
}

class Boxes {
  constructor() {
    this.cells = new Map();
  }

  *cellsOf([left, top, right, bottom]) {
    for (let i = Math.floor(left / CELL); i <= Math.floor(right / CELL); i++) {
      for (let j = Math.floor(top / CELL); j <= Math.floor(bottom / CELL); j++) yield `${i},${j}`;
    }
  }

  add(box) {
    for (const cell of this.cellsOf(box)) {
      if (this.cells.has(cell)) this.cells.get(cell).push(box);
      else this.cells.set(cell, [box]);
    }
  }

  meet(box) {
    for (const cell of this.cellsOf(box)) {
      if (this.cells.get(cell)?.some((other) => overlap(box, other))) return true;
    }
    return false;
  }
}

function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}
