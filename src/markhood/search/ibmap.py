"""IBMAP-HC: hill climbing on the Blankets Joint Posterior (BJP).

A graph asserts for every pair of variables whether they are dependent given a blanket. With the
variables ordered by ascending degree (ties by index), and B_i the neighbours of i:

    log BJP = sum over pairs, i before j:  edge     log Pr(i, j dependent | B_i without j)
                                           no edge  log Pr(i, j independent | B_i)

so that each pair is tested on the smaller table.

    1. start from the empty graph
    2. flip the pair with the least probable assertion
    3. stop at the first flip that does not raise the score, and undo it; otherwise continue with 2

A flip changes the blankets and ranks of its two ends, and therefore only assertions about pairs
with one of them: those that this end makes now, and those that it made before and the other end
makes now. Tests are cached. The score is a sum over all pairs, so unlike the screen this search
keeps arrays of shape (n_variables, n_variables).

Required edges are present from the start, and pairs with constraints are never flipped; the score
still has a term for them. Covariates are in every conditioning set, and not among the variables.

A constant variable stays isolated unless an edge to it is required. The test itself would join two
constant variables, because it takes a cell with all samples for dependence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.execution.runner import Runner, shared_out
from markhood.kernels.greedy import counts_by_size
from markhood.kernels.lists import Lists
from markhood.kernels.ties import TIE
from markhood.scores.independence import log_complement
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult, timed

VARIABLES_PER_TILE = 16


@dataclass(frozen=True, eq=False)
class JointPosterior:
    """The result of the climb."""

    edges: Ints  # (n_edges, 2): i < j, lexicographic
    # (largest + 1,): number of tests by size of the conditioning set.
    evaluations: Ints
    # (n_edges,): log-probability of the dependence that each edge asserts.
    log_probabilities: Floats
    score: float  # log BJP of the graph; pairs with a constant variable are left out


def blankets_joint_posterior(job: Job) -> SearchResult:
    """Learn a graph by IBMAP-HC with the BJP score.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> from markhood.scores.discrete import DiscreteScorer
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> samples = encode(coins)
    >>> found = blankets_joint_posterior(Job(samples, DiscreteScorer(samples)))
    >>> found.edges.tolist(), found.evaluations["climb"].tolist()
    ([[0, 2]], [3, 1])
    """
    seconds: dict[str, float] = {}
    with timed(seconds, "climb"):
        reached = climb_assertions(job)
    edges = reached.edges
    return SearchResult(
        edges, or_edges=edges, evaluations={"climb": reached.evaluations}, seconds=seconds
    )


def climb_assertions(job: Job) -> JointPosterior:
    """Flip the least probable assertion while that raises the score.

    The tests of all pairs run as tiles; the climb is sequential.
    """
    tests = CachedTests(job)
    assertions = Assertions(tests, job.constraints)
    while (pair := assertions.least_probable()) is not None:
        if not assertions.flip(*pair) > TIE:
            assertions.flip(*pair)
            break
    edges = np.argwhere(np.triu(assertions.adjacent))
    return JointPosterior(
        edges,
        counts_by_size(tests.evaluations),
        assertions.log_probabilities[*edges.T],
        assertions.score(),
    )


class Request(NamedTuple):
    """Tests of one variable with several others, all given the same set (ascending)."""

    target: int
    given: tuple[int, ...]
    others: Ints


class CachedTests:
    """Cached log-probabilities of independence.

    Attributes
    ----------
    marginal : ndarray of shape (n_variables, n_variables), dtype float64
        Given the covariates alone; infinite on the diagonal and for constant variables.
    evaluations : Counter
        Number of tests by size of the conditioning set.
    """

    def __init__(self, job: Job) -> None:
        self.evaluations: Counter[int] = Counter()
        self._scorer, self._covariates = job.scorer, job.constraints.covariates.tolist()
        # By target and conditioning set: a value for every variable, NaN where not yet tested.
        self._known: dict[tuple[int, tuple[int, ...]], Floats] = {}
        d = job.n_nodes
        self.marginal = np.full((d, d), np.inf)
        self._test_pairs(np.flatnonzero(~job.samples.is_constant[:d]), job.runner)

    def _test_pairs(self, varying: Ints, runner: Runner) -> None:
        def test(tile: range) -> list[Floats]:
            return self._run([Request(int(varying[k]), (), varying[k + 1 :]) for k in tile])

        tiles = shared_out(len(varying), VARIABLES_PER_TILE)
        for tile, rows in zip(tiles, runner.map("tests", test, tiles), strict=True):
            for k, row in zip(tile, rows, strict=True):
                self.marginal[varying[k], varying[k + 1 :]] = row
                self.marginal[varying[k + 1 :], varying[k]] = row
        self.evaluations[0] = len(varying) * (len(varying) - 1) // 2

    def answer(self, requests: Sequence[Request]) -> list[Floats]:
        """Return the log-probabilities of independence for the variables of each request."""
        missing: list[Request] = []
        for target, given, others in requests:
            if given:
                known = self._row(target, given)
                untested = others[np.isnan(known[others])]
                if len(untested):
                    missing.append(Request(target, given, untested))
        for (target, given, others), row in zip(missing, self._run(missing), strict=True):
            self._row(target, given)[others] = row
            self.evaluations[len(given)] += len(others)
        return [
            self._row(target, given)[others] if given else self.marginal[target, others]
            for target, given, others in requests
        ]

    def _row(self, target: int, given: tuple[int, ...]) -> Floats:
        key = target, given
        if key not in self._known:
            self._known[key] = np.full(len(self.marginal), np.nan)
        return self._known[key]

    def _run(self, requests: Sequence[Request]) -> list[Floats]:
        others = Lists.of([request.others for request in requests])
        found = self._scorer.independence(
            np.array([request.target for request in requests], dtype=np.int64),
            Lists.of([(*request.given, *self._covariates) for request in requests]),
            others,
        )
        return [found[start:stop] for start, stop in pairwise(others.starts)]


class Assertions:
    """The assertions of a graph about every pair, with their probabilities.

    Parameters
    ----------
    tests : CachedTests
    constraints : Constraints, optional
        Required and forbidden edges.

    Attributes
    ----------
    adjacent : ndarray of shape (n_variables, n_variables), dtype bool
        The graph; initially only the required edges.
    log_probabilities : ndarray of shape (n_variables, n_variables), dtype float64
        Symmetric; infinite on the diagonal and for constant variables.
    """

    def __init__(self, tests: CachedTests, constraints: Constraints = NO_CONSTRAINTS) -> None:
        d = len(tests.marginal)
        self.adjacent = np.zeros((d, d), dtype=np.bool_)
        self.log_probabilities = tests.marginal.copy()
        self._is_said = np.isfinite(tests.marginal)
        self._tests = tests
        self._blankets: list[set[int]] = [set() for _ in range(d)]
        self._places = np.arange(d)  # degree * d + index; the lower end of a pair asserts
        self._is_open: Bools | None = None  # which pairs may be flipped; None for all
        if constraints:
            self._take_for_known(constraints)

    def _take_for_known(self, constraints: Constraints) -> None:
        i, j = np.indices(self.adjacent.shape).reshape(2, -1)
        self._is_open = constraints.allows(i, j).reshape(self.adjacent.shape)
        for edge in constraints.required.tolist():
            for end, other in (edge, edge[::-1]):
                self._is_open[end, other] = False
                self._join_or_part(end, other)
        # Pairs with an isolated variable are tested marginally, as initially.
        joined = np.unique(constraints.required).tolist()
        self._say([request for end in joined for request in self._asserted_by(end)])

    def score(self) -> float:
        """Return log BJP of the graph."""
        return float(self.log_probabilities[np.triu(self._is_said)].sum())

    def least_probable(self) -> tuple[int, int] | None:
        """Return the pair i < j with the least probable assertion; ties go to the first."""
        among = self.log_probabilities
        if self._is_open is not None:
            among = np.where(self._is_open, among, np.inf)
        least = among.min(initial=np.inf)
        if least == np.inf:
            return None
        i, j = divmod(int(np.argmax(among <= least + TIE)), len(self.adjacent))
        return i, j

    def flip(self, i: int, j: int) -> float:
        """Add or remove an edge, and return the change of the score."""
        asserted = [self._places[end] < self._places for end in (i, j)]
        for end, other in ((i, j), (j, i)):
            self._join_or_part(end, other)
        requests = []
        for end, before in zip((i, j), asserted, strict=True):
            requests += self._asserted_by(end)
            requests += self._taken_over(end, before, (i, j))
        return self._say(requests)

    def _join_or_part(self, end: int, other: int) -> None:
        self.adjacent[end, other] = not self.adjacent[end, other]
        self._blankets[end] ^= {other}
        self._places[end] = len(self._blankets[end]) * len(self._places) + end

    def _say(self, requests: list[Request]) -> float:
        """Store the answers to requests, and return the change of the score."""
        found = np.concatenate([np.empty(0), *self._tests.answer(requests)])
        sizes = [len(r.others) for r in requests]
        targets = np.repeat(np.array([r.target for r in requests], dtype=np.int64), sizes)
        others = np.concatenate([np.empty(0, dtype=np.int64), *(r.others for r in requests)])
        now = np.where(self.adjacent[targets, others], log_complement(found), found)
        change = float((now - self.log_probabilities[targets, others]).sum())
        self.log_probabilities[targets, others] = now
        self.log_probabilities[others, targets] = now
        return change

    def _asserted_by(self, end: int) -> list[Request]:
        """List the tests of the pairs that a variable asserts."""
        asserts = (self._places[end] < self._places) & self._is_said[end]
        apart = np.flatnonzero(asserts & ~self.adjacent[end])
        neighbours = np.flatnonzero(asserts & self.adjacent[end]).tolist()
        return [
            Request(end, self._blanket(end), apart),
            *(Request(end, self._blanket(end, less=n), np.array([n])) for n in neighbours),
        ]

    def _taken_over(self, end: int, before: Bools, flipped: tuple[int, int]) -> list[Request]:
        """List the tests of pairs whose assertion moves from a variable to its partners."""
        partners = before & (self._places[end] > self._places) & self._is_said[end]
        partners[list(flipped)] = False  # their assertions are listed separately
        alone = partners & (self._places < len(self._places))
        several = np.flatnonzero(partners & ~alone).tolist()
        return [
            Request(end, (), np.flatnonzero(alone)),  # marginal tests are symmetric
            *(Request(p, self._blanket(p, less=end), np.array([end])) for p in several),
        ]

    def _blanket(self, variable: int, less: int | None = None) -> tuple[int, ...]:
        return tuple(sorted(self._blankets[variable] - {less}))
