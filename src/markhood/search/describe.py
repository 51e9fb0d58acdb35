"""What a finished graph says of its edges: their evidence and their couplings.

The evidence of an edge is what the total score gains by it in this graph, per end. Its coupling is
the conditional log odds ratio, once from each end's regression on its blanket; it is
infinite where the data are separated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner, cut
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Fits, Kernels
from markhood.scores.roads import Road

VARIABLES_PER_TILE = 64


@dataclass(frozen=True, eq=False)
class Regressions:
    """Every variable's logistic regression on its blanket.

    Attributes
    ----------
    blankets : Lists
    intercepts : ndarray of shape (n_variables,)
    slopes : ndarray of shape (len(blankets.values),)
        Finite even where the maximum is not: far enough out for the likelihood not to tell.
    infinite : ndarray of shape (len(blankets.values),), dtype bool
        Slopes whose maximum is at infinity.
    """

    blankets: Lists
    intercepts: NDArray[np.float64]
    slopes: NDArray[np.float64]
    infinite: NDArray[np.bool_]

    def log_pseudo_likelihood(self, samples: Samples, margin: float) -> float:
        """Return the mean over samples of the sum of the variables' conditional log-probabilities.

        Probabilities are kept off 0 and 1 by ``margin``.
        """
        values = np.unpackbits(
            samples.words.view(np.uint8), axis=1, count=samples.n_samples, bitorder="little"
        )
        total = 0.0
        for target, blanket in enumerate(self.blankets):
            slopes = self.slopes[self.blankets.starts[target] : self.blankets.starts[target + 1]]
            eta = self.intercepts[target] + slopes @ values[blanket]
            probability = np.clip(1 / (1 + np.exp(-np.clip(eta, -700, 700))), margin, 1 - margin)
            total += np.log(np.where(values[target], probability, 1 - probability)).mean()
        return float(total)


@dataclass(frozen=True, eq=False)
class Described:
    """A graph's numbers: scores of shape (n_variables,); the ends of edges, (n_edges, 2)."""

    scores: NDArray[np.float64]
    evidence_ends: NDArray[np.float64]
    coupling_ends: NDArray[np.float64]
    regressions: Regressions


def describe(
    edges: NDArray[np.int64], samples: Samples, road: Road, kernels: Kernels, runner: Runner
) -> Described:
    """Score every variable and edge of a graph (i < j, lexicographic)."""
    d = samples.n_variables
    blankets = Lists.of_neighbours(edges, d)
    bits = samples.bits

    def score_and_fit(tile: range) -> tuple[NDArray[np.float64], NDArray[np.float64], Fits]:
        targets, members = np.arange(tile.start, tile.stop), blankets.part(tile)
        scores, without = road.toggled(targets, members, members)
        gained = np.repeat(scores, np.diff(members.starts)) - without
        return scores, gained, kernels.fit_blankets(bits, targets, members)

    tiles = list(runner.map("evidence", score_and_fit, cut(d, VARIABLES_PER_TILE)))
    scores = np.concatenate([np.empty(0), *(scores for scores, _, _ in tiles)])
    scores[samples.is_constant] = 0.0  # there is nothing to score
    regressions = _regressions(blankets, [fits for _, _, fits in tiles])
    couplings = np.where(
        regressions.infinite, np.copysign(np.inf, regressions.slopes), regressions.slopes
    )
    gained = np.concatenate([np.empty(0), *(gained for _, gained, _ in tiles)])
    return Described(
        scores, _by_edge(gained, blankets, edges), _by_edge(couplings, blankets, edges), regressions
    )


def _regressions(blankets: Lists, fits: list[Fits]) -> Regressions:
    coefficients = np.concatenate([np.empty(0), *(fit.coefficients for fit in fits)])
    infinite = np.concatenate([np.empty(0, np.bool_), *(fit.infinite for fit in fits)])
    is_intercept = np.zeros(len(coefficients), dtype=np.bool_)
    is_intercept[blankets.starts[:-1] + np.arange(len(blankets))] = True
    return Regressions(
        blankets, coefficients[is_intercept], coefficients[~is_intercept], infinite[~is_intercept]
    )


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
