"""The search as the authors' sources make it, a call of the score at a time."""

from __future__ import annotations

from collections import Counter
from functools import cache

import networkx as nx

from oracles.scoring import bic


class AuthorsSearch:
    """PLRHC, or HC without a screen; ``calls`` counts the scores by the size of the blanket."""

    def __init__(self, values, has_screen):
        self.calls = Counter()
        self._d = values.shape[1]
        self._bic = cache(lambda target, blanket: bic(values, target, blanket))
        self.screened = nx.complete_graph(self._d)
        if has_screen:
            self._screen()
        graph = nx.empty_graph(self._d)
        for target in range(self._d):
            graph.add_edges_from((target, member) for member in self._blanket(target))
        self.or_edges = set(map(tuple, map(sorted, graph.edges)))
        self.n_put_back = 0
        self.edges = self._climb(set(self.or_edges))

    def _score(self, target, blanket):
        self.calls[len(blanket)] += 1
        return self._bic(target, tuple(sorted(blanket)))

    def _screen(self):
        self.screened = nx.empty_graph(self._d)
        for target in range(self._d):
            empty = self._score(target, ())
            for other in set(range(self._d)) - {target} - set(self.screened[target]):
                if self._score(target, (other,)) > empty:
                    self.screened.add_edge(target, other)

    def _blanket(self, target):
        near = set(nx.single_source_shortest_path_length(self.screened, target, 3)) - {target}
        space = near or set(range(self._d)) - {target}
        blanket, reached = set(), self._score(target, ())
        while blanket < space:
            improved, grown = self._best(target, [blanket | {c} for c in space - blanket])
            if improved <= reached:
                break
            blanket, reached = grown, improved
            while len(blanket) > 2:
                improved, shrunk = self._best(target, [blanket - {out} for out in blanket])
                if improved <= reached:
                    break
                blanket, reached = shrunk, improved
        return blanket

    def _best(self, target, blankets):
        return max(((self._score(target, b), b) for b in blankets), key=lambda found: found[0])

    def _climb(self, edges):
        at = [self._score(v, self._joined(v, edges)) for v in range(self._d)]
        changes = {(v, e): self._change(v, e, edges, at) for e in self.or_edges for v in e}
        while True:
            gains = {e: sum(changes[v, e] for v in e) for e in self.or_edges}
            best = max(gains, key=gains.get, default=None)
            if best is None or gains[best] <= 0:
                return edges
            self.n_put_back += best not in edges
            edges ^= {best}
            for v in best:
                at[v] += changes[v, best]
                changes[v, best] *= -1
            for v, e in changes:
                if v in best and e != best:
                    changes[v, e] = self._change(v, e, edges, at)

    def _change(self, v, edge, edges, at):
        return self._score(v, self._joined(v, edges ^ {edge})) - at[v]

    def _joined(self, v, edges):
        return {other for edge in edges if v in edge for other in edge} - {v}
