// Moved variables: undo the last move, or put all back. Positions are part of the address of the page.

import { byId } from "./dom.js";

export class Moves {
  constructor(network) {
    this.network = network;
    this.done = []; // { node, x, y }: positions before each move
    this.moved = new Set();
    this.listeners = [];
    byId("undo-move").addEventListener("click", () => this.undo());
    byId("reset-moves").addEventListener("click", () => this.reset());
    document.addEventListener("keydown", (event) => {
      const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey);
      if (!isUndo || event.target.closest("input") || !this.done.length) return;
      event.preventDefault();
      this.undo();
    });
    this.say();
  }

  // Call this before a node moves.
  begin(node) {
    const { x, y } = this.network.graph.getNodeAttributes(node);
    this.done.push({ node: +node, x, y });
    this.moved.add(+node);
    this.say();
  }

  undo() {
    const { node, x, y } = this.done.pop();
    this.place(node, x, y);
    if (!this.done.some((each) => each.node === node)) this.moved.delete(node);
    this.say();
  }

  reset() {
    const { x, y } = this.network.data.nodes;
    this.moved.forEach((node) => this.place(node, x[node], y[node]));
    this.moved.clear();
    this.done = [];
    this.say();
  }

  place(node, x, y) {
    if (this.network.graph.hasNode(node)) this.network.graph.mergeNodeAttributes(node, { x, y });
  }

  // Names and positions for the address.
  get state() {
    const { graph, data } = this.network;
    return [...this.moved].map((node) => {
      const { x, y } = graph.getNodeAttributes(node);
      return `${x.toFixed(3)}_${y.toFixed(3)}_${data.nodes.name[node]}`;
    });
  }

  restore(texts) {
    for (const text of texts) {
      const [, x, y, name] = /^(-?[\d.]+)_(-?[\d.]+)_(.*)$/s.exec(text) ?? [];
      const node = this.network.data.nodes.name.indexOf(name);
      if (node < 0 || !this.network.graph.hasNode(node)) continue;
      this.network.keepFrame();
      this.begin(node);
      this.place(node, +x, +y);
    }
  }

  say() {
    byId("undo-move").disabled = !this.done.length;
    byId("reset-moves").hidden = byId("undo-move").hidden = !this.moved.size && !this.done.length;
    this.listeners.forEach((listener) => listener());
  }
}
