// Curved edges: quadratic curves whose control point is at the distance `bend`, relative to the length of the
// chord, from its middle.

const STEPS = 12; // line segments of a curve, to measure a distance from it

// The control point on the screen, where y points down, so that left and right are exchanged.
export function control(a, b, bend) {
  return { x: (a.x + b.x) / 2 + bend * (b.y - a.y), y: (a.y + b.y) / 2 - bend * (b.x - a.x) };
}

// Both ends of an edge, and its middle.
export function threePoints(a, b, bend) {
  const c = control(a, b, bend);
  return [a, { x: (a.x + 2 * c.x + b.x) / 4, y: (a.y + 2 * c.y + b.y) / 4 }, b];
}

// Points along an edge, including the ends.
export function pointsOf(a, b, bend) {
  if (!bend) return [a, b];
  const c = control(a, b, bend);
  return Array.from({ length: STEPS + 1 }, (_, k) => {
    const t = k / STEPS;
    const [start, middle, end] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
    return {
      x: start * a.x + middle * c.x + end * b.x,
      y: start * a.y + middle * c.y + end * b.y,
    };
  });
}
