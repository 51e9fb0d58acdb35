"""The network of a group as numbers: its edges, their couplings and every variable's fields, all finite.

A coupling is a row of numbers: one where both ends are binary or steps, else the cells of its zero-sum table.
So two groups' couplings have a difference whatever their kind, and its size is a norm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.native import NativeKernels
from markhood.learning.describe import coupling_tables_of, couplings_at_ends, regress
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability.replicates import WEAK


@dataclass(frozen=True, eq=False)
class Network:
    """Edges with their couplings, and fields.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2)
    couplings : ndarray of shape (n_edges, width)
        The first number, where an edge has one; the cells of its table, where it has many.
    fields : ndarray of shape (n_nodes, width)
        The log odds of each level against the first, all neighbours being at their first.
    """

    edges: NDArray[np.int64]
    couplings: NDArray[np.float64]
    fields: NDArray[np.float64]

    def on(self, edges: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the couplings of some pairs, 0 where they are no edge."""
        known = {number: k for k, number in enumerate(pair_numbers(self.edges).tolist())}
        found = np.zeros((len(edges), self.couplings.shape[1]))
        for at, number in enumerate(pair_numbers(edges).tolist()):
            if number in known:
                found[at] = self.couplings[known[number]]
        return found

    @property
    def strength(self) -> float:
        """The sum of the sizes of all couplings."""
        return float(np.linalg.norm(self.couplings, axis=1).sum())

    def graph(self, samples: Samples) -> Graph:
        """Return the network as a graph: the size of a table where a coupling is one."""
        n_nodes = len(self.fields)
        variables = samples.variables.pick(range(n_nodes))
        size = np.linalg.norm(self.couplings, axis=1)
        single = np.atleast_1d(is_single(samples)[self.edges].all(axis=1))
        numbers = np.where(single, self.couplings[:, 0], size)
        sides = [max(2, len(own)) for own in samples.levels]
        tables = [
            None if one else row[: sides[i] * sides[j]].reshape(sides[i], sides[j])
            for one, row, (i, j) in zip(single, self.couplings, self.edges.tolist(), strict=True)
        ]
        ends = np.column_stack([numbers, numbers])
        return Graph(
            variables,
            self.edges,
            coupling_ends=ends,
            coupling_tables=() if single.all() else tables,
        )


def is_single(samples: Samples) -> NDArray[np.bool_]:
    """Return which variables enter a regression in one number."""
    return np.asarray(samples.bits.n_scores == 1)


def network_of(job: Job, edges: NDArray[np.int64]) -> Network:
    """Fit the couplings and fields of a graph under the weak prior; keep the edges that are reported."""
    network, reported = _fitted(job, edges), job.knowledge.reports(edges)
    return replace(network, edges=edges[reported], couplings=network.couplings[reported])


def _fitted(job: Job, edges: NDArray[np.int64]) -> Network:
    scorer = scorer_for(job.samples, WEAK, NativeKernels())
    weak = replace(job, scorer=scorer, runner=Runner(1))
    regressions = regress(weak, edges)
    n_nodes = job.n_variables - len(job.knowledge.covariates)
    means = couplings_at_ends(weak, regressions, edges).mean(axis=1)
    if job.samples.is_binary:
        fields = regressions.coefficients[regressions.starts[:-1]][:n_nodes, None]
        return Network(edges, means[:, None], fields)
    sides = [max(2, len(own)) for own in job.samples.levels]
    couplings = np.zeros((len(edges), max(sides) ** 2))
    couplings[:, 0] = means
    for k, table in enumerate(coupling_tables_of(regressions, edges)):
        if table is not None:
            couplings[k, : table.size] = table.ravel()
    fields = np.zeros((n_nodes, max(sides) - 1))
    for k, own in enumerate(regressions.fields[:n_nodes]):
        fields[k, : len(own)] = own
    return Network(edges, couplings, fields)


def union(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edges of either, in lexicographic order."""
    return pairs_numbered(np.union1d(pair_numbers(first), pair_numbers(second)))
