"""The estimated network of a group, and differences between the networks of groups.

A coupling is a row of an array: one number if both ends are binary or ordered, and otherwise the
entries of the zero-sum table of the edge. The difference between two couplings is the norm of the
difference of their rows, with its sign if the coupling is one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.graph.centrality import centralities
from markhood.graph.graph import Graph
from markhood.graph.numbering import pair_numbers, pairs_numbered, positions_of
from markhood.learning.describe import coupling_tables_of, couplings_at_ends, regress
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability.replicates import WEAK

# Without the bridge measures, which need communities: each network has its own.
MEASURES = ("degree", "strength", "expected_influence", "closeness", "betweenness")


@dataclass(frozen=True, eq=False)
class Network:
    """Edges with their couplings, and fields.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2)
        In lexicographic order.
    couplings : ndarray of shape (n_edges, width)
        One number followed by zeros, or the entries of a table.
    numbers : ndarray of shape (n_edges,)
        Each coupling as one number: the norm of a table.
    fields : ndarray of shape (n_nodes, width)
        Log odds of each level against the first, with all neighbours at their first level.
    """

    edges: NDArray[np.int64]
    couplings: NDArray[np.float64]
    numbers: NDArray[np.float64]
    fields: NDArray[np.float64]

    def on(self, edges: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the couplings of given pairs, 0 for those that are not edges."""
        found = np.zeros((len(edges), self.couplings.shape[1]))
        at, is_edge = positions_of(edges, self.edges)
        found[is_edge] = self.couplings[at[is_edge]]
        return found

    @property
    def strength(self) -> float:
        """The sum of the norms of all couplings."""
        return float(_sizes(self.couplings).sum())

    @cached_property
    def centralities(self) -> dict[str, NDArray[np.float64]]:
        """Centralities of all nodes, by the names in `MEASURES`."""
        n_nodes = len(self.fields)
        found = centralities(n_nodes, self.edges, self.numbers, np.zeros(n_nodes, np.int64))
        return {measure: found[measure] for measure in MEASURES}

    def graph(self, samples: Samples) -> Graph:
        """Return the network as a graph."""
        sides = [max(2, len(own)) for own in samples.levels]
        single = (samples.bits.n_scores == 1)[self.edges].all(axis=1)
        tables = [
            None if one else row[: sides[i] * sides[j]].reshape(sides[i], sides[j])
            for one, row, (i, j) in zip(single, self.couplings, self.edges.tolist(), strict=True)
        ]
        return Graph(
            samples.variables.pick(range(len(self.fields))),
            self.edges,
            coupling_ends=np.column_stack([self.numbers, self.numbers]),
            provenance={"data": {"library": samples.library}},
            coupling_tables=() if single.all() else tables,
        )


def network_of(job: Job, edges: NDArray[np.int64]) -> Network:
    """Fit the couplings and fields of a graph under the weak prior; keep the edges to report."""
    network, reported = _fitted(job, edges), job.constraints.reports(edges)
    if reported.all():
        return network
    return replace(
        network,
        edges=edges[reported],
        couplings=network.couplings[reported],
        numbers=network.numbers[reported],
    )


def _fitted(job: Job, edges: NDArray[np.int64]) -> Network:
    scorer = scorer_for(job.samples, WEAK, job.scorer.kernels)
    weak = replace(job, scorer=scorer, runner=Runner(1))
    regressions = regress(weak, edges)
    n_nodes = job.n_variables - len(job.constraints.covariates)
    numbers = couplings_at_ends(weak, regressions, edges).mean(axis=1)
    if job.samples.is_binary:
        fields = regressions.coefficients[regressions.starts[:-1]][:n_nodes, None]
        return Network(edges, numbers[:, None], numbers, fields)
    sides = [max(2, len(own)) for own in job.samples.levels]
    couplings = np.zeros((len(edges), max(sides) ** 2))
    couplings[:, 0] = numbers
    for k, table in enumerate(coupling_tables_of(regressions, edges)):
        if table is not None:
            couplings[k, : table.size] = table.ravel()
            numbers[k] = np.linalg.norm(table)
    fields = np.zeros((n_nodes, max(sides) - 1))
    for k, own in enumerate(regressions.fields[:n_nodes]):
        fields[k, : len(own)] = own
    return Network(edges, couplings, numbers, fields)


def union(of_networks: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the union of lists of edges, in lexicographic order."""
    return pairs_numbered(np.unique(pair_numbers(np.concatenate(of_networks))))


def differences(
    pairs: Sequence[tuple[Network, Network]], edges: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """Subtract the first network of each pair from the second.

    Parameters
    ----------
    pairs : sequence of pairs of Network
    edges : ndarray of shape (n_edges, 2)
        The edges whose differences to return, in lexicographic order.

    Returns
    -------
    dict of str to ndarray of shape (n_pairs, n)
        ``structure``, the largest difference between couplings; ``strength``; ``edges``;
        ``fields``; and ``centrality_`` with the name of each measure in `MEASURES`.
    """
    everywhere = union([edges, *(one.edges for pair in pairs for one in pair)])
    couplings = [_signed(b.on(everywhere) - a.on(everywhere)) for a, b in pairs]
    at, _ = positions_of(edges, everywhere)
    return {
        "structure": np.array([[np.abs(own).max(initial=0.0)] for own in couplings]),
        "strength": np.array([[b.strength - a.strength] for a, b in pairs]),
        "edges": np.array([own[at] for own in couplings]),
        "fields": np.array([_signed(b.fields - a.fields) for a, b in pairs]),
        **{
            f"centrality_{measure}": np.array(
                [b.centralities[measure] - a.centralities[measure] for a, b in pairs]
            )
            for measure in MEASURES
        },
    }


def _sizes(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(rows, axis=1))


def _signed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the number of each row that has only one, and the norm of all other rows."""
    return np.where((rows[:, 1:] == 0).all(axis=1), rows[:, 0], _sizes(rows))
