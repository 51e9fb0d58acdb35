"""Blankets from L1 paths: L1LR-BIC, and the variant of IsingFit.

For every variable, logistic regressions on all others with penalty lambda sum_j s_j |b_j| are
fitted at 100 values of lambda, from the smallest with all slopes zero down to a hundredth of it.
s_j is 1, or with `standardize` the variable's standard deviation. The supports along this path are
the candidate blankets:

    refit      each of at most 12 variables is refitted by maximum likelihood, and the best
    BIC_gamma
               is selected (Barber and Drton 2015)
    no refit   BIC_gamma is evaluated at the path's own coefficients, for any size (IsingFit: its
    EBIC
               is -2 BIC_gamma without the intercept's share)

A support that has grown past 12 variables may shrink again, but rarely does: of 15 840 paths on the
paper's networks (250 to 4000 samples), four had a new support of 12 or fewer after that, and these
had grown to 13. `l1_search` therefore stops a path past 16 variables. This is a heuristic: the
blankets are not proven to be the same.

Among equal or complementary variables only the first is a candidate: they could share a slope in
any proportion, so rounding would choose the support.

A variable with more than two levels is represented by its indicators. Each indicator of a target
has its own path on the indicators of the candidates, a variable is in a support if one of its
indicators is, and the supports of all these paths are refitted by multinomial regression. No subset
of a support has a higher likelihood, and no log-likelihood is positive, so supports whose penalty
is then too high are not fitted; the cheapest support is fitted first, then that with the most
subsets. Without a refit, data must be binary, because there is no single regression to take
coefficients from. Paths do not support weights: samples are repeated by their weights, rounded to
quarters of the mean weight unless they are whole numbers. Refits use the exact weights, and
log-likelihoods of the path are scaled to the total weight.

Forbidden neighbours are not candidates. Required ones are candidates like others, and then join
every support of the path, so that their penalty does not affect the selection. Without a refit,
required neighbours that the path left out have slope zero. They do not count among the 12 variables
of a support.

Covariates are not penalised and are in every regression of the path and of the refits.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.genome.identical import identical_variables
from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.execution.runner import cut
from markhood.kernels.greedy import counts_by_size
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Costs, L1Paths
from markhood.kernels.ties import TIE, best_of
from markhood.scores.bic import Bic
from markhood.scores.scorer import Scorer
from markhood.search.blankets import add_counts, combine
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult, Slopes, timed

LARGEST_BLANKET = 12
LARGEST_REFITTED = 16  # a path stops past this size, unless its own fits are scored
LEAST_FRACTION = 0.01
VARIABLES_PER_TILE = 4


def l1_search(job: Job, *, gamma: float, rule: str, standardize: bool, refit: bool) -> SearchResult:
    """Select blankets on L1 paths and combine them by OR or AND, with the method's options."""
    seconds: dict[str, float] = {}
    with timed(seconds, "paths"):
        blankets = l1_blankets(
            job,
            gamma=gamma,
            standardize=standardize,
            refit=refit,
            largest_support=LARGEST_REFITTED if refit else None,
        )
    or_edges = combine(blankets.members, "or")
    return SearchResult(
        or_edges if rule == "or" else combine(blankets.members, "and"),
        or_edges=or_edges,
        # Without a refit, the path's own coefficients are the couplings.
        slopes=None if blankets.slopes is None else Slopes(blankets.members, blankets.slopes),
        evaluations={"paths": blankets.evaluations},
        seconds=seconds,
        not_converged={"paths": blankets.not_converged},
    )


@dataclass(frozen=True, eq=False)
class L1Blankets:
    """The best support of every variable's path."""

    members: Lists
    # (n_variables,): BIC_gamma; at the maximum likelihood with a refit, otherwise at ``slopes``.
    scores: Floats
    evaluations: Ints  # number of blankets scored, by size
    # (len(members.values),): the path's own coefficients of the members; None with a refit.
    slopes: Floats | None
    # (n_variables,): number of paths of each variable's indicators with a fit that did not
    # converge.
    not_converged: Ints


def l1_blankets(
    job: Job,
    *,
    gamma: float,
    standardize: bool,
    refit: bool,
    n_lambdas: int = 100,
    largest_support: int | None = None,
) -> L1Blankets:
    """Select every variable's blanket among the supports of its L1 path.

    Parameters
    ----------
    job : Job
    gamma : float
        Gamma of BIC_gamma.
    standardize : bool
        Whether to penalise a slope in proportion to its variable's standard deviation.
    refit : bool
        Whether to score a support at its maximum likelihood.
    n_lambdas : int, default=100
        Length of the path.
    largest_support : int, optional
        Stop a path at the first larger support; by default follow it to its end.
    """
    _require_usable(job, refit)
    scorer, constraints, n_nodes = job.scorer, job.constraints, job.n_nodes
    costs = Bic(gamma).costs(job.samples.total_weight, job.n_variables)
    candidates = DistinctVariables(job.samples, constraints)
    fractions = np.geomspace(1, LEAST_FRACTION, n_lambdas)
    parameters = job.samples.bits.n_scores

    def search(tile: range) -> L1Blankets:
        targets = np.arange(tile.start, tile.stop)
        kept = constraints.required_of(targets)
        among = constraints.adjusted(targets, candidates.of(targets))
        paths = scorer.l1_paths(targets, among, fractions, largest_support, standardize)
        first, last = np.searchsorted(scorer.owners, (tile.start, tile.stop))
        own = scorer.owners[first:last] - tile.start  # one path each
        not_converged = np.bincount(own[~paths.converged], minlength=len(targets))
        if not refit:
            required = constraints.nodes_of(kept)
            best = _best_as_they_are(_joined(_of_nodes(paths, n_nodes), required), costs)
        else:
            supports = _supports(paths, scorer.owners, kept, own)
            best = _best_refitted(supports, targets, scorer, parameters, costs)
            best = replace(best, members=constraints.nodes_of(best.members))
        return replace(best, not_converged=not_converged)

    tiles = list(job.runner.map("blankets", search, cut(job.n_variables, VARIABLES_PER_TILE)))
    slopes = [tile.slopes for tile in tiles if tile.slopes is not None]
    return L1Blankets(
        Lists.joined([tile.members for tile in tiles]),
        np.concatenate([np.empty(0), *(tile.scores for tile in tiles)]),
        add_counts([tile.evaluations for tile in tiles]),
        None if refit else np.concatenate([np.empty(0), *slopes]),
        np.concatenate([np.empty(0, np.int64), *(tile.not_converged for tile in tiles)]),
    )


def _require_usable(job: Job, refit: bool) -> None:
    samples, n_nodes = job.samples, job.n_nodes
    if not refit and samples.starts[n_nodes] > n_nodes:
        name = samples.names[int(np.argmax(np.diff(samples.starts) > 1))]
        raise InputError(
            "option-conflict",
            "refit",
            f"Column {name!r} has more than two levels, which method l1lr supports only with a "
            f"refit: remove {option('refit', False)}, or use another method.",
        )


class DistinctVariables:
    """The candidates of a target: one of each set of equal or complementary variables.

    It is the first one that is neither the target nor forbidden.
    """

    def __init__(self, samples: Samples, constraints: Constraints = NO_CONSTRAINTS) -> None:
        alike = identical_variables(samples)
        self._firsts = np.array(sorted(group[0] for group in alike), dtype=np.int64)
        self._alike = {group[0]: np.array(group) for group in alike if len(group) > 1}
        self._constraints = constraints

    def of(self, targets: Ints) -> Lists:
        """List the candidates of each target, ascending."""
        lists = []
        for target in targets.tolist():
            usable = self._usable(target, self._firsts)
            missing = self._alike and self._alike.keys() & self._firsts[~usable].tolist()
            instead = [
                group[is_usable][0]
                for group in (self._alike[first] for first in missing)
                if (is_usable := self._usable(target, group)).any()
            ]
            lists.append(np.sort(np.append(self._firsts[usable], np.array(instead, np.int64))))
        return Lists.of(lists)

    def _usable(self, target: int, others: Ints) -> Bools:
        allowed = self._constraints.allows(np.full(len(others), target), others)
        return np.asarray((others != target) & allowed)


def _of_nodes(paths: L1Paths, n_nodes: int) -> L1Paths:
    """Remove the indicators of covariates from the supports of binary nodes."""
    stay = paths.supports.values < n_nodes
    return paths._replace(supports=paths.supports.where(stay), slopes=paths.slopes[stay])


def _joined(paths: L1Paths, kept: Lists) -> L1Paths:
    """Add the kept members to every support of their targets, with slope zero if new."""
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


def _supports(paths: L1Paths, owners: Ints, kept: Lists, own: Ints) -> list[list[tuple[int, ...]]]:
    """List the distinct small supports of each target, in path order.

    ``own`` is the target of each path.
    """
    length = paths.lambdas.shape[1]
    found: list[dict[tuple[int, ...], None]] = [{} for _ in kept]
    values, lengths = paths.supports.values, paths.supports.lengths
    is_new = np.append(True, lengths[1:] != lengths[:-1])  # most supports equal the previous one
    is_new[::length] = True
    owner = np.repeat(np.arange(len(lengths)), lengths)
    is_new[owner[values != values[np.arange(len(values)) - lengths[owner]]]] = True
    for k in np.flatnonzero(is_new).tolist():
        target = int(own[k // length])
        variables = {*owners[paths.supports[k]].tolist(), *kept[target].tolist()}
        if len(variables) <= LARGEST_BLANKET + len(kept[target]):
            found[target][tuple(sorted(variables))] = None
    return [list(distinct) for distinct in found]


def _best_refitted(
    supports_of: list[list[tuple[int, ...]]],
    targets: Ints,
    scorer: Scorer,
    n_scores: Ints,
    costs: Costs,
) -> L1Blankets:
    """Score the supports after a refit; ties go to the larger lambda."""
    members, scores, sizes = [], [], Counter[int]()
    if len(scorer.owners) == scorer.owners[-1] + 1:  # fits of binary variables are fast
        every = Lists.of(list(chain.from_iterable(supports_of)))
        each = np.repeat(targets, list(map(len, supports_of)))
        values = iter(scorer.toggled(each, every, Lists.empty(len(every)))[0].tolist())
        reached_of = [[next(values) for _ in supports] for supports in supports_of]
    else:
        reached_of = [
            _refitted(int(target), supports, scorer, n_scores, costs)
            for target, supports in zip(targets, supports_of, strict=True)
        ]
    for supports, reached in zip(supports_of, reached_of, strict=True):
        best = best_of(reached)
        members.append(supports[best])
        scores.append(reached[best])
        sizes.update(len(s) for s, at in zip(supports, reached, strict=True) if at > -np.inf)
    nothing = np.zeros(len(targets), np.int64)
    return L1Blankets(Lists.of(members), np.array(scores), counts_by_size(sizes), None, nothing)


def _refitted(
    target: int, supports: list[tuple[int, ...]], scorer: Scorer, n_scores: Ints, costs: Costs
) -> list[float]:
    """Return the scores of a target's supports; minus infinity for those that cannot win."""
    has = np.array([np.isin(scorer.owners, support) for support in supports])
    contains = (~has).astype(np.float64) @ has.T == 0  # whether a support contains another
    own = n_scores[target] * costs.parameter
    prices = np.array([own * n_scores[[*s]].sum() + len(s) * costs.variable for s in supports])
    reached, highest = np.full(len(supports), -np.inf), np.zeros(len(supports))
    may_win, k = np.ones(len(supports), np.bool_), int(np.argmin(prices))
    while may_win.any():
        one = Lists.of([supports[k]])
        reached[k] = scorer.toggled(np.array([target]), one, Lists.empty(1))[0][0]
        highest[contains[k]] = np.minimum(highest[contains[k]], reached[k] + prices[k])
        may_win &= (highest - prices >= reached.max() - TIE) & (reached == -np.inf)
        k = int(np.argmax(np.where(may_win, contains[:, may_win].sum(axis=1), -1)))
    return list(reached)


def _best_as_they_are(paths: L1Paths, costs: Costs) -> L1Blankets:
    n_targets, length = paths.lambdas.shape
    sizes = paths.supports.lengths.reshape(n_targets, length)
    scores = paths.log_likelihoods - (sizes + 1) * costs.parameter - sizes * costs.variable
    best = [t * length + best_of(scores[t].tolist()) for t in range(n_targets)]
    starts = paths.supports.starts
    slopes = [paths.slopes[starts[k] : starts[k + 1]] for k in best]
    return L1Blankets(
        Lists.of([paths.supports[k] for k in best]),
        scores.ravel()[best],
        np.bincount(sizes.ravel()),
        np.concatenate([np.empty(0), *slopes]),
        np.zeros(n_targets, np.int64),
    )
