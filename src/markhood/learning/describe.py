"""What a finished graph says of its edges: their evidence and their couplings.

The evidence of an edge is what the total score gains by it in this graph, per end. Its coupling is
the conditional log odds ratio, once from each end's regression on its blanket, infinite where the
data are separated; of variables with more levels it is a table, and its size a number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner, cut
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import NO_PENALTY, Fits, Kernels
from markhood.model.regressions import Regressions, zero_sum
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.scores.scorer import road_for

VARIABLES_PER_TILE = 64


@dataclass(frozen=True, eq=False)
class Described:
    """A graph's numbers: scores of shape (n_variables,); the ends of edges, (n_edges, 2).

    ``coupling_tables`` has a zero-sum table for every edge, None where both ends are binary; it
    is empty where all are.
    """

    scores: NDArray[np.float64]
    evidence_ends: NDArray[np.float64]
    coupling_ends: NDArray[np.float64]
    coupling_tables: list[NDArray[np.float64] | None]
    regressions: Regressions


def describe(
    edges: NDArray[np.int64],
    samples: Samples,
    criterion: Criterion,
    kernels: Kernels,
    runner: Runner,
) -> Described:
    """Score every variable and edge of a graph (i < j, lexicographic)."""
    d = samples.n_variables
    blankets = Lists.of_neighbours(edges, d)
    road = road_for(samples, criterion, kernels)
    penalty = criterion.penalty if isinstance(criterion, Bic) else NO_PENALTY

    def score_and_fit(tile: range) -> tuple[NDArray[np.float64], NDArray[np.float64], Fits]:
        targets, members = np.arange(tile.start, tile.stop), blankets.part(tile)
        scores, without = road.toggled(targets, members, members)
        gained = np.repeat(scores, np.diff(members.starts)) - without
        return scores, gained, kernels.fit_blankets(samples.bits, targets, members, penalty)

    tiles = list(runner.map("evidence", score_and_fit, cut(d, VARIABLES_PER_TILE)))
    scores = np.concatenate([np.empty(0), *(scores for scores, _, _ in tiles)])
    scores[samples.is_constant] = 0.0  # there is nothing to score
    regressions = Regressions(
        blankets,
        np.diff(samples.starts) + 1,
        samples.bits.n_scores,
        np.concatenate([np.empty(0), *(fit.coefficients for _, _, fit in tiles)]),
        np.concatenate([np.empty(0, np.bool_), *(fit.infinite for _, _, fit in tiles)]),
    )
    gained = np.concatenate([np.empty(0), *(gained for _, gained, _ in tiles)])
    return Described(
        scores,
        _by_edge(gained, blankets, edges),
        _by_edge(regressions.couplings(), blankets, edges),
        [] if samples.is_binary else [_table(regressions, i, j) for i, j in edges.tolist()],
        regressions,
    )


def _table(regressions: Regressions, i: int, j: int) -> NDArray[np.float64] | None:
    """Return the mean of the two ends' zero-sum tables, a row for each level of i."""
    if regressions.n_levels[i] == regressions.n_levels[j] == 2:
        return None
    of_j = int(np.searchsorted(regressions.blankets[i], j))
    of_i = int(np.searchsorted(regressions.blankets[j], i))
    return zero_sum((regressions.table(i, of_j) + regressions.table(j, of_i).T) / 2)


def _by_edge(
    values: NDArray[np.float64], blankets: Lists, edges: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Pick from values along all blankets those of the two ends of every edge."""
    targets = np.repeat(np.arange(len(blankets)), np.diff(blankets.starts))
    lower, upper = targets < blankets.values, targets > blankets.values
    # From its lower end the edges come in their own order; from the upper one, sorted by it.
    ends = np.empty((len(edges), 2))
    ends[:, 0] = values[lower]
    ends[np.lexsort((edges[:, 0], edges[:, 1])), 1] = values[upper]
    return ends
