"""Blankets from L1 paths: L1LR-BIC, and the variant that IsingFit made known.

For every variable, logistic regressions on all others with penalty lambda sum_j s_j |b_j| are
fitted at 100 values of lambda, from the one where all slopes are zero down to a hundredth of it;
s_j is 1, or with `standardize` the variable's standard deviation. The supports along this path are
the candidate blankets:

    refit      each of at most 12 variables is fitted again by maximum likelihood, and the best
               BIC_gamma wins (Barber and Drton 2015)
    no refit   BIC_gamma is taken at the path's own coefficients, whatever the size (IsingFit:
               its EBIC is -2 BIC_gamma without the intercept's share)

Every path is followed to its end, though the part with long supports takes most of the time: a
support that has grown past 12 variables may shrink again. It seldom does: of 5568 paths on the
paper's networks one had a new support of 12 or fewer after that, which was not the best, and none
had after growing past 24. So `largest_support=48` should give the same blankets, five times
faster on 256 variables x 4000 samples; that it must is not proven.

Of variables that are equal or complements only the first is a candidate: they could share a slope
in any proportion, so rounding would choose the support.

A variable with more than two levels is its indicators: each of a target's has a path of its own on the
indicators of the candidates, a variable is in a support where one of its indicators is, and the
supports of all these paths are refitted by multinomial regression. Without a refit there is no one
regression to take coefficients from, so data must be binary. Paths do not know weights: samples are
repeated as often as they count, and so must count a whole number of times.

Forbidden neighbours are no candidates. Required ones are candidates like others, and then join
every support of the path, so that none is better or worse for their price; without a refit those
that the path left out have the slope zero. The 12 variables of a support are besides them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.data.weights import repeated
from markhood.errors import InputError
from markhood.execution.runner import Runner, cut
from markhood.kernels.greedy import counts_by_size
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Bits, Costs, Kernels, L1Paths
from markhood.kernels.ties import best_of
from markhood.scores.bic import Bic
from markhood.search.blankets import add_counts
from markhood.search.knowledge import NOTHING, Knowledge

LARGEST_BLANKET = 12
LEAST_FRACTION = 0.01
VARIABLES_PER_TILE = 4


@dataclass(frozen=True, eq=False)
class L1Blankets:
    """The best support of every variable's path.

    Attributes
    ----------
    members : Lists
    scores : ndarray of shape (n_variables,)
        BIC_gamma; with a refit at the maximum of the likelihood, without at ``slopes``.
    evaluations : ndarray
        How many blankets of each size were scored.
    slopes : ndarray of shape (len(members.values),) or None
        The path's own coefficients of the members; None with a refit.
    """

    members: Lists
    scores: NDArray[np.float64]
    evaluations: NDArray[np.int64]
    slopes: NDArray[np.float64] | None


def l1_blankets(
    samples: Samples,
    *,
    gamma: float,
    standardize: bool,
    refit: bool,
    kernels: Kernels,
    runner: Runner,
    n_lambdas: int = 100,
    largest_support: int | None = None,
    knowledge: Knowledge = NOTHING,
) -> L1Blankets:
    """Choose every variable's blanket among the supports of its L1 path.

    Parameters
    ----------
    samples : Samples
    gamma : float
        Of BIC_gamma.
    standardize : bool
        Whether a slope is penalised in proportion to its variable's standard deviation.
    refit : bool
        Whether a support is scored at its own maximum of the likelihood.
    kernels : Kernels
    runner : Runner
    n_lambdas : int, default=100
        Length of the path.
    largest_support : int, optional
        End a path with the first support of more variables; by default it is followed to its end.
    knowledge : Knowledge, optional
        Edges that the graph has or cannot have.
    """
    _require_usable(samples, refit)
    samples = repeated(samples)
    costs = Bic(gamma).costs(samples.n_samples, samples.n_variables)
    candidates = DistinctVariables(samples, knowledge)
    rows = Bits(samples.words, samples.n_samples)
    penalties = np.ones(len(samples.words))
    if standardize:
        share = samples.ones / samples.n_samples
        varies = (share > 0) & (share < 1)
        penalties[varies] = np.sqrt(share * (1 - share))[varies]
    fractions = np.geomspace(1, LEAST_FRACTION, n_lambdas)
    largest = len(samples.words) if largest_support is None else largest_support
    owners = np.repeat(np.arange(samples.n_variables), np.diff(samples.starts))

    def search(tile: range) -> L1Blankets:
        targets = np.arange(tile.start, tile.stop)
        among, kept = candidates.of(targets), knowledge.required_of(targets)
        of_target = _rows_of(samples, targets)
        among = Lists.of([_rows_of(samples, among[owners[row] - tile.start]) for row in of_target])
        paths = kernels.l1_paths(rows, of_target, among, penalties, fractions, largest)
        if not refit:
            return _best_as_they_are(_joined(paths, kept), costs)
        supports = _supports(paths, of_target, owners, kept, tile)
        return _best_refitted(supports, targets, samples.bits, costs, kernels)

    tiles = list(runner.map("blankets", search, cut(samples.n_variables, VARIABLES_PER_TILE)))
    slopes = [tile.slopes for tile in tiles if tile.slopes is not None]
    return L1Blankets(
        Lists.joined([tile.members for tile in tiles]),
        np.concatenate([np.empty(0), *(tile.scores for tile in tiles)]),
        add_counts([tile.evaluations for tile in tiles]),
        None if refit else np.concatenate([np.empty(0), *slopes]),
    )


def slopes_of_edges(
    members: Lists, slopes: NDArray[np.float64], edges: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return each edge's slopes in the blankets of its two ends, zero where it is not a member.

    Examples
    --------
    >>> slopes_of_edges(Lists.of([[1], []]), np.array([2.0]), np.array([[0, 1]])).tolist()
    [[2.0, 0.0]]
    """
    targets = np.repeat(np.arange(len(members)), np.diff(members.starts)).tolist()
    known = dict(zip(zip(targets, members.values.tolist(), strict=True), slopes, strict=True))
    ends = [[known.get((i, j), 0.0), known.get((j, i), 0.0)] for i, j in edges.tolist()]
    return np.array(ends, dtype=np.float64).reshape(-1, 2)


def _require_usable(samples: Samples, refit: bool) -> None:
    if samples.weights is not None and samples.weights.unit != 1:
        raise InputError(
            "Method l1lr takes weights that are whole numbers only: use another, such as plrhc."
        )
    if not refit and not samples.is_binary:
        name = samples.names[int(np.argmax(np.diff(samples.starts) > 1))]
        raise InputError(
            f"Column {name!r} has more than two values, which method l1lr takes with a refit only: "
            "leave refit=False out, or use another method."
        )


def _rows_of(samples: Samples, variables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the indicator rows of some variables, in their order."""
    if samples.is_binary:
        return variables
    starts, stops = samples.starts[variables].tolist(), samples.starts[variables + 1].tolist()
    rows = [np.arange(start, stop) for start, stop in zip(starts, stops, strict=True)]
    return np.concatenate([np.empty(0, np.int64), *rows])


class DistinctVariables:
    """The candidates of a target: one of each set of equal or complementary variables.

    It is the first that is not the target itself and not forbidden.
    """

    def __init__(self, samples: Samples, knowledge: Knowledge = NOTHING) -> None:
        alike: dict[bytes, list[int]] = {}
        everywhere = np.packbits(np.arange(samples.words.shape[1] * 64) < samples.n_samples,
                                 bitorder="little").view(samples.words.dtype)  # fmt: skip
        for v in np.flatnonzero(~samples.is_constant).tolist():
            rows = samples.words[samples.starts[v] : samples.starts[v + 1]]
            if len(rows) == 1 and rows[0, 0] & 1:
                rows = rows ^ everywhere
            alike.setdefault(rows.tobytes(), []).append(v)
        self._firsts = np.array(sorted(group[0] for group in alike.values()), dtype=np.int64)
        self._alike = {group[0]: np.array(group) for group in alike.values() if len(group) > 1}
        self._knowledge = knowledge

    def of(self, targets: NDArray[np.int64]) -> Lists:
        """List the candidates of each target, ascending."""
        lists = []
        for target in targets.tolist():
            usable = self._usable(target, self._firsts)
            missing = self._alike.keys() & self._firsts[~usable].tolist()
            instead = [
                group[is_usable][0]
                for group in (self._alike[first] for first in missing)
                if (is_usable := self._usable(target, group)).any()
            ]
            lists.append(np.sort(np.append(self._firsts[usable], np.array(instead, np.int64))))
        return Lists.of(lists)

    def _usable(self, target: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        allowed = self._knowledge.allows(np.full(len(others), target), others)
        return np.asarray((others != target) & allowed)


def _joined(paths: L1Paths, kept: Lists) -> L1Paths:
    """Add the kept members to every support of their targets, with the slope zero where new."""
    if not len(kept.values):
        return paths
    length = paths.lambdas.shape[1]
    supports, slopes = [], []
    for k, support in enumerate(paths.supports):
        added = np.setdiff1d(kept[k // length], support)
        of_support = paths.slopes[paths.supports.starts[k] : paths.supports.starts[k + 1]]
        order = np.argsort(both := np.concatenate([support, added]))
        supports.append(both[order])
        slopes.append(np.concatenate([of_support, np.zeros(len(added))])[order])
    return paths._replace(supports=Lists.of(supports), slopes=np.concatenate(slopes))


def _supports(
    paths: L1Paths, rows: NDArray[np.int64], owners: NDArray[np.int64], kept: Lists, tile: range
) -> list[list[tuple[int, ...]]]:
    """List the distinct supports of each target that are small, in the order of its paths."""
    length = paths.lambdas.shape[1]
    found: list[dict[tuple[int, ...], None]] = [{} for _ in tile]
    for k, support in enumerate(paths.supports):
        target = int(owners[rows[k // length]]) - tile.start
        variables = {*owners[support].tolist(), *kept[target].tolist()}
        if len(variables) <= LARGEST_BLANKET + len(kept[target]):
            found[target][tuple(sorted(variables))] = None
    return [list(distinct) for distinct in found]


def _best_refitted(
    supports_of: list[list[tuple[int, ...]]],
    targets: NDArray[np.int64],
    bits: Bits,
    costs: Costs,
    kernels: Kernels,
) -> L1Blankets:
    """Score the supports anew; of equal ones that of the larger lambda wins."""
    supports = [support for along in supports_of for support in along]
    starts = np.cumsum([0, *map(len, supports_of)]).tolist()
    scores, _ = kernels.toggle_scores(
        bits,
        np.repeat(targets, np.diff(starts)),
        Lists.of(supports),
        Lists.empty(len(supports)),
        costs,
    )
    best = [a + best_of(scores[a:b].tolist()) for a, b in pairwise(starts)]
    return L1Blankets(
        Lists.of([supports[k] for k in best]),
        scores[best],
        counts_by_size(Counter(map(len, supports))),
        None,
    )


def _best_as_they_are(paths: L1Paths, costs: Costs) -> L1Blankets:
    n_targets, length = paths.lambdas.shape
    sizes = np.diff(paths.supports.starts).reshape(n_targets, length)
    scores = paths.log_likelihoods - (sizes + 1) * costs.parameter - sizes * costs.variable
    best = [t * length + best_of(scores[t].tolist()) for t in range(n_targets)]
    starts = paths.supports.starts
    slopes = [paths.slopes[starts[k] : starts[k + 1]] for k in best]
    return L1Blankets(
        Lists.of([paths.supports[k] for k in best]),
        scores.ravel()[best],
        np.bincount(sizes.ravel()),
        np.concatenate([np.empty(0), *slopes]),
    )
