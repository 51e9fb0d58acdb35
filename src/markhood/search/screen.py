"""The screen: test every pair of variables for marginal dependence.

Every pair is tested with the penalised likelihood ratio

    likelihood ratio - parameters log(N)/2 - gamma log(d - 1) > 0,

which is symmetric. An edge has f f' parameters, where f is r - 1 for a nominal variable and 1 for
an ordered one. The ratio is that of an edge in the pair's table with free margins, or given the
covariates (`scores/given.py`). Only passing pairs leave a tile, so no d x d array is needed. The
screen is also a method of its own: `pairwise`.

A screen that keeps only the strongest pairs of every variable, for bounded search spaces. Such a
space (`blankets.py`) is filled from the first steps of a variable: the strongest of each set of
near copies first, then the others; ties go to the lower index. Where many pairs pass the screen, as
in genomes, all other pairs are discarded while tiles arrive, so that memory is proportional to the
number of variables. A step with enough better steps before it can never matter, because whatever
replaces one of those is better too.

Near copies are known only after all pairs have been tested, and all near pairs are kept until then.
If the strongest steps of a variable lead to copies of each other, better steps may have been
discarded, and the screen runs again with the sets known.

Group near copies of variables, each with a representative. Similarity is not transitive, or a chain
of similar variables would be one group. A representative is similar to all members of its group.
Variables with the most similar ones become representatives first, and take those that are not yet
grouped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.graph.numbering import in_order
from markhood.kernels.ties import TIE, levelled
from markhood.scores.scorer import Pairs, Tile, Which
from markhood.search.values.job import Job

LARGE_SHARE = 0.5  # of a variable's information: a correlation of 0.78 for two fair coins
FEWEST_NEW = 1 << 18  # pairs processed at a time
SLACK = 1000 * TIE  # gains that may tie with the last kept pair


def screen(
    job: Job,
    gamma: float | None,
    tiles: Sequence[Tile] | None = None,
    fitted: Which | None = None,
) -> Pairs:
    """Find the pairs whose likelihood ratio exceeds their penalty, in all or some tiles.

    Pairs are in lexicographic order. With ``gamma=None`` there is no penalty. The ratios of pairs
    outside ``fitted`` may be approximate.
    """
    return joined(list(passing(job, gamma, tiles, fitted)))


def passing(
    job: Job,
    gamma: float | None,
    tiles: Sequence[Tile] | None = None,
    fitted: Which | None = None,
) -> Iterator[Pairs]:
    """Yield the passing pairs, tile by tile."""
    scorer = job.scorer  # not the job: its runner may hold a connection
    known: tuple[Pairs, ...] = ()
    if tiles is None:
        tiles = scorer.tiles()
        if job.earlier is not None and _is_of_use(job, gamma, fitted):
            assert gamma is not None
            known = tuple(_at_gamma(job, found, gamma) for found in job.earlier.found)
            tiles = tiles[len(known) :]

    def test(tile: Tile) -> Pairs:
        return scorer.pairs(tile, gamma, fitted)

    yield from known
    yield from job.runner.map("screen", test, tiles)


def _is_of_use(job: Job, gamma: float | None, fitted: Which | None) -> bool:
    """Return whether the tiles of an earlier screen are part of this one.

    A checkpoint saves tiles by their number, so it has all of them.
    """
    is_equal = fitted is None or job.samples.bits.reals is None
    is_above = job.earlier is not None and gamma is not None and gamma >= job.earlier.gamma
    return is_equal and is_above and job.runner.checkpoint is None


def _at_gamma(job: Job, found: Pairs, gamma: float) -> Pairs:
    """Return the pairs of an earlier screen that pass with a larger gamma."""
    assert job.earlier is not None
    if gamma == job.earlier.gamma or not len(found.edges):
        return found
    prices = (job.scorer.prices(found.edges, one) for one in (gamma, job.earlier.gamma))
    gains = found.gains - np.subtract(*prices)
    return Pairs(found.edges[gains > TIE], gains[gains > TIE])


def joined(found: Sequence[Pairs]) -> Pairs:
    """Combine the pairs of several tiles, in lexicographic order."""
    edges = np.concatenate([np.empty((0, 2), dtype=np.int64), *(f.edges for f in found)])
    gains = np.concatenate([np.empty(0), *(f.gains for f in found)])
    order = in_order(edges)
    return Pairs(np.take(edges, order, axis=0), gains[order])


def tested_pairs(job: Job) -> dict[str, Ints]:
    """Count the screen's tests as blankets of one member, each pair once."""
    d = job.n_nodes
    return {"screen": np.array([0, d * (d - 1)])}


def representatives(edges: Ints, n_variables: int) -> Ints:
    """Return the representative of each variable, of shape (n_variables,); possibly itself.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
        Pairs of near copies, each once.
    n_variables : int

    Examples
    --------
    >>> representatives(np.array([[0, 1], [1, 2], [2, 3]]), 5).tolist()
    [1, 1, 1, 3, 4]
    """
    found = np.arange(n_variables)
    both = np.concatenate([edges, edges[:, ::-1]])
    others = both[np.argsort(both[:, 0], kind="stable"), 1]
    sizes = np.bincount(both[:, 0], minlength=n_variables)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    is_free = np.ones(n_variables, np.bool_)
    for leader in np.argsort(-sizes, kind="stable")[: int((sizes > 0).sum())].tolist():
        if is_free[leader]:
            own = others[starts[leader] : starts[leader + 1]]
            own = own[is_free[own]]
            found[own] = leader
            is_free[own] = is_free[leader] = False
    return found


class Screened(NamedTuple):
    """The strongest pairs in lexicographic order, sets of near copies, and the number passed."""

    pairs: Pairs
    sets: Ints | None
    n_passed: int


class Steps(NamedTuple):
    """Both directions of some pairs, by source variable and then strongest first.

    ``pair`` is the number of the pair, ``rank`` the number of earlier steps from the same variable,
    and ``is_further`` whether one of these leads to the same set.
    """

    pair: Ints
    sources: Ints
    ends: Ints
    rank: Ints
    is_further: Bools


def ranked_steps(edges: Ints, gains: Floats, n_variables: int, sets: Ints | None) -> Steps:
    """Sort the steps from every variable.

    Examples
    --------
    >>> edges, gains = np.array([[0, 1], [0, 2], [0, 3]]), np.array([3.0, 2.0, 1.0])
    >>> steps = ranked_steps(edges, gains, 4, np.array([0, 1, 1, 3]))
    >>> steps.ends[steps.sources == 0].tolist()
    [1, 3, 2]
    """
    both = np.concatenate([edges, edges[:, ::-1]])
    order = np.lexsort((both[:, 1], -np.tile(levelled(gains), 2), both[:, 0]))
    further: Bools = np.zeros(len(order), np.bool_)
    if sets is not None:
        further = is_further(both[order, 0] * n_variables + sets[both[order, 1]])
        again = np.lexsort((further, both[order, 0]))
        order, further = order[again], further[again]
    sources, ends = both[order].T
    rank = np.arange(len(sources)) - np.searchsorted(sources, np.arange(n_variables))[sources]
    return Steps(order % max(1, len(edges)), sources, ends, rank, further)


def is_further(sets: Ints) -> Bools:
    """Return whether an earlier element belongs to the same set."""
    further = np.ones(len(sets), np.bool_)
    further[np.unique(sets, return_index=True)[1]] = False
    return further


def are_alike(edges: Ints, gains: Floats, information: Floats) -> Bools:
    """Return whether each pair are near copies.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
    gains : ndarray of shape (n_edges,)
        Mutual information of each pair, in nats over all samples.
    information : ndarray of shape (n_variables,)
        Entropy of each variable, in the same unit.

    Examples
    --------
    >>> edges = np.array([[0, 1], [1, 2]])
    >>> are_alike(edges, np.array([9.0, 2.0]), np.full(3, 10.0)).tolist()
    [True, False]
    """
    return np.asarray(gains >= LARGE_SHARE * information[edges].max(axis=1, initial=0.0))


def screen_bounded(job: Job, gamma: float, most: int) -> Screened:
    """Find the pairs among the ``most`` first steps from one of their ends."""
    n_variables, information = job.n_variables, job.samples.information
    first, alike = _StrongestPairs(n_variables, most), [np.empty((0, 2), np.int64)]
    for found in passing(job, gamma):
        first.add(found)
        alike.append(found.edges[are_alike(found.edges, found.gains, information)])
    near = np.concatenate(alike)
    if not len(near):
        return Screened(first.pairs(), None, first.n_passed)
    sets = representatives(near, n_variables)
    if not first.lacks_any(sets):
        return Screened(first.pairs(), sets, first.n_passed)
    second = _StrongestPairs(n_variables, most, sets)
    for found in passing(job, gamma):
        second.add(found)
    return Screened(second.pairs(), sets, second.n_passed)


class _StrongestPairs:
    """Collects pairs and discards those that can no longer matter."""

    def __init__(self, n_variables: int, most: int, sets: Ints | None = None) -> None:
        self.n_passed = 0
        self._n_variables, self._most, self._sets = n_variables, most, sets
        self._degrees = np.zeros(n_variables, np.int64)
        self._least = np.full(n_variables, -np.inf)  # minimum gain of a step from each variable
        self._kept = joined([])
        self._new: list[Pairs] = []
        self._n_new = 0

    def add(self, found: Pairs) -> None:
        """Add the pairs of a tile."""
        self.n_passed += len(found.gains)
        np.add.at(self._degrees, found.edges.ravel(), 1)
        matters = (found.gains[:, np.newaxis] >= self._least[found.edges]).any(axis=1)
        self._new.append(Pairs(found.edges[matters], found.gains[matters]))
        self._n_new += len(self._new[-1].gains)
        if self._n_new > max(FEWEST_NEW, len(self._kept.gains)):
            self._let_go()

    def pairs(self) -> Pairs:
        """Return the strongest pairs in lexicographic order."""
        self._let_go()
        return self._kept

    def lacks_any(self, sets: Ints) -> bool:
        """Return whether a discarded pair could be among the first with these sets."""
        edges, gains = self.pairs()
        steps = ranked_steps(edges, gains, self._n_variables, None)
        first = steps.rank < self._most
        sources, ends = steps.sources[first], steps.ends[first]
        further = is_further(sources * self._n_variables + sets[ends])
        return bool((self._degrees[sources[further]] > self._most).any())

    def _let_go(self) -> None:
        edges, gains = joined([self._kept, *self._new])
        self._new, self._n_new = [], 0
        steps = ranked_steps(edges, gains, self._n_variables, self._sets)
        is_kept = np.zeros(len(gains), np.bool_)
        is_kept[steps.pair[steps.rank < self._most]] = True
        # If the last kept step is the first of its set, no weaker step can precede it.
        last = (steps.rank == self._most - 1) & ~steps.is_further
        self._least[steps.sources[last]] = gains[steps.pair[last]] - SLACK
        self._kept = Pairs(edges[is_kept], gains[is_kept])
