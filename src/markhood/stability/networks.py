"""The estimated network of a group, and differences between the networks of two groups.

A coupling is a row of an array: one number if both ends are binary or ordered, and otherwise the
entries of the zero-sum table of the edge. The difference between two couplings is the norm of the
difference of their rows, with its sign if the coupling is one number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.graph.centrality import centralities
from markhood.graph.graph import Graph
from markhood.learning.describe import coupling_tables_of, couplings_at_ends, regress
from markhood.model.regressions import Regressions
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability.replicates import WEAK

# Without the bridge measures, which need communities: each network has its own.
COUPLING_MEASURES = ("strength", "expected_influence")  # of the couplings of all compared pairs
GRAPH_MEASURES = ("degree", "closeness", "betweenness")  # of the learned graphs


@dataclass(frozen=True, eq=False)
class Network:
    """Edges with their couplings, and fields."""

    edges: Ints  # (n_edges, 2): in lexicographic order
    # (n_edges, width): one number followed by zeros, or the entries of a table.
    couplings: Floats
    numbers: Floats  # (n_edges,): each coupling as one number: the norm of a table
    # (n_nodes, width): log odds of each level against the first, with all other variables at their
    # means.
    fields: Floats

    def measures(self, names: Sequence[str]) -> dict[str, Floats]:
        """Return centralities of all nodes by name."""
        n_nodes, ends = len(self.fields), self.edges.ravel()
        if set(names) <= set(COUPLING_MEASURES):
            signs = {"strength": np.abs(self.numbers), "expected_influence": self.numbers}
            return {
                name: np.bincount(ends, np.repeat(signs[name], 2), n_nodes).astype(np.float64)
                for name in names
            }
        found = centralities(n_nodes, self.edges, self.numbers, np.zeros(n_nodes, np.int64))
        return {name: found[name] for name in names}

    def graph(self, samples: Samples, origin: Mapping[str, Any]) -> Graph:
        """Return the network as a graph with a provenance."""
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
            provenance={**origin, "data": {"library": samples.library}},
            coupling_tables=() if single.all() else tables,
        )


def network_of(jobs: Sequence[Job], edges: Ints, everyone: Samples) -> Network:
    """Fit the couplings and fields of given edges under the weak prior; keep those to report.

    Estimates are means over imputed data sets. Fields are at the means of the variables in
    `everyone`, the samples of all groups.
    """
    fits = [_fitted(job, edges, everyone) for job in jobs]
    reported = jobs[0].constraints.reports(edges)
    couplings, fields = (np.mean(parts, axis=0) for parts in zip(*fits, strict=True))
    couplings = couplings[reported]
    is_one = (jobs[0].samples.bits.n_scores == 1)[edges[reported]].all(axis=1)
    numbers = np.where(is_one, couplings[:, 0], np.linalg.norm(couplings, axis=1))
    return Network(edges[reported], couplings, numbers, fields)


def _fitted(job: Job, edges: Ints, everyone: Samples) -> tuple[Floats, Floats]:
    """Return the couplings and fields of a graph."""
    scorer = scorer_for(job.samples, WEAK, job.scorer.kernels)
    weak = replace(job, scorer=scorer, runner=Runner(1))
    regressions = regress(weak, edges)
    sides = regressions.n_levels
    is_binary = job.samples.is_binary
    couplings = np.zeros((len(edges), 1 if is_binary else int(sides.max()) ** 2))
    couplings[:, 0] = couplings_at_ends(weak, regressions, edges).mean(axis=1)
    for k, table in enumerate(coupling_tables_of(regressions, edges)):
        if table is not None:
            couplings[k, : table.size] = table.ravel()
    fields = np.zeros((job.n_nodes, int(sides.max()) - 1))
    for k in range(job.n_nodes):
        own = _field_at_means(regressions, k, everyone)
        fields[k, : len(own)] = own
    return couplings, fields


def _field_at_means(regressions: Regressions, variable: int, everyone: Samples) -> Floats:
    coefficients, starts = regressions.of(variable), everyone.starts
    blanket = regressions.blankets[variable].tolist()
    shares = [everyone.shares[starts[member] : starts[member + 1]] for member in blanket]
    return np.asarray(np.concatenate([np.ones(1), *shares]) @ coefficients)


def differences(first: Network, second: Network) -> dict[str, Floats]:
    """Subtract the first network from the second; both have the same edges.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        ``structure``, the largest difference between couplings; ``strength``; ``edges``;
        ``fields``; and ``centrality_`` with the name of each measure in `COUPLING_MEASURES`.
    """
    couplings = _signed(second.couplings - first.couplings)
    strength = np.abs(second.numbers).sum() - np.abs(first.numbers).sum()
    measures = [one.measures(COUPLING_MEASURES) for one in (first, second)]
    return {
        "structure": np.abs(couplings).max(initial=0.0, keepdims=True),
        "strength": np.array([strength]),
        "edges": couplings,
        "fields": _signed(second.fields - first.fields),
        **{f"centrality_{m}": measures[1][m] - measures[0][m] for m in COUPLING_MEASURES},
    }


def _signed(rows: Floats) -> Floats:
    """Return the number of each row that has only one, and the norm of all other rows."""
    return np.where((rows[:, 1:] == 0).all(axis=1), rows[:, 0], np.linalg.norm(rows, axis=1))
