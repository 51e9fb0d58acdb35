// The selection: a variable, an edge, a set of variables ({ by: "group" or "community", number }) or nothing; and the
// nodes and edges to highlight.

import { across } from "./data.js";

export class Selection {
  constructor(data, shown) {
    Object.assign(this, { data, shown, listeners: [], reveal: () => {} }); // `reveal` may change the part shown
    this.clear();
    shown.listeners.push(() => this.light());
  }

  clear() {
    this.choose({});
  }

  // `move`: whether to move the camera even if everything is visible.
  choose({ node = null, edge = null, set = null }, move = false) {
    Object.assign(this, { node, edge, set });
    this.reveal();
    this.light();
    this.listeners.forEach((listener) => listener(move));
  }

  get isEmpty() {
    return this.node === null && this.edge === null && this.set === null;
  }

  // The nodes and edges that keep their colour while all others fade.
  light() {
    const { data, node, edge, set } = this;
    const { source, target } = data.edges;
    this.near = new Set();
    this.lit = [];
    if (this.shown.isOverview) return; // variables are not drawn
    if (node !== null) {
      this.lit = data.incident[node].filter((k) => this.shown.has(k));
      this.near = new Set([node, ...this.lit.map((k) => across(data, k, node))]);
    } else if (edge !== null) {
      this.lit = [edge];
      this.near = new Set([source[edge], target[edge]]);
    } else if (set !== null) {
      data.nodes[set.by].forEach((own, k) => own === set.number && this.near.add(k));
      this.lit = this.shown.edges.filter((k) => this.near.has(source[k]) && this.near.has(target[k]));
    }
    this.near = new Set([...this.near].filter((each) => this.shown.hasNode(each)));
    this.lit = this.lit.filter((k) => this.near.has(source[k]) && this.near.has(target[k]));
  }
}
