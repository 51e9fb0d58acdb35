"""Forecast the time and memory of learning in at most two seconds (`timings.py`).

**Screen.** A few tiles are timed and extrapolated.

**Search spaces.** Everything else depends on how many pairs pass the screen and how many variables
are near each other. Some variables, drawn at random, are screened against all others, then the
variables that passed with them, and so on up to the depth of the search. Where too many variables
are near, some are followed and the rest is filled with random ones, among which a search takes as
long.

**Blankets.** Searches are run and timed for the variables with the most passing pairs (a few hubs
can take longer than all others) and for some others, each weighted by the share of variables that
it represents. A long search is run among the nearest candidates only, four times as many each
time, until its growth is clear.

**Climb, evidence and chains** are timed near the same variables (`timings.py`, `chains.py`). Work
on this thread is measured in processor time, so that other load on the machine does not count.

Memory per pair and per variable was measured at peak.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter, thread_time

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.data.storage import memory
from markhood.errors import InputError, option
from markhood.execution.runner import Runner, cut
from markhood.kernels.lists import Lists
from markhood.learning.forecast.chains import (
    chain_bytes,
    n_steps,
    time_all_candidates,
    time_chains,
)
from markhood.learning.forecast.timings import (
    NEAREST,
    Budget,
    memory_of_couplings,
    seconds_of_couplings,
    time_climbs,
)
from markhood.scores.scorer import Scorer
from markhood.search.blankets import steps_that_matter
from markhood.search.chains import Sweeps
from markhood.search.graph_sampler import SCREEN_GAMMA
from markhood.search.ranking import PAIRS_PER_VARIABLE
from markhood.search.remaining_pairs import measure_remaining_pairs
from markhood.search.screen import FEWEST_NEW, are_alike, screen
from markhood.search.values.job import Job

SECONDS = 0.4  # limit for each measurement
WORDS = 1e10  # to intersect for the sample of screened variables: about half a second
MOST_ROWS = 1536
MOST_PASSING = 400_000  # pairs recorded per step: some tenths of a second
VARIABLES_PER_BLOCK = 4096
THREAD_GAIN = 0.9  # efficiency of each additional thread
PAIR_BYTES, VARIABLE_BYTES = 200, 1000  # at peak, beyond the packed samples
FEWEST_NEAREST = 8  # candidates of the first timed search
STRONGEST = 8  # variables with the most pairs, timed separately
# To find search spaces: per step of the screened graph, per passing pair, and per pair of bounded
# spaces.
SECONDS_PER_STEP, SECONDS_PER_PAIR, SECONDS_PER_BOUNDED = 3.5e-9, 1e-7, 6e-5
SECONDS_PER_TRIANGLE = 1e-6  # per pair that may be indirect
SECONDS_PER_EDGE = 2e-5  # per edge added to the graph
REMAINING_PAIRS_SECONDS = 0.2  # to measure the pairs that are not candidates
DIRECT_PER_VARIABLE = 3  # direct pairs: two to three among genetic variants


@dataclass(frozen=True)
class Climb:
    """Options of hill climbing that a forecast needs.

    ``depth`` is None if blankets are searched among all variables.
    """

    gamma: float
    depth: int | None
    max_candidates: int | None = None
    is_global: bool = True


@dataclass(frozen=True)
class Forecast:
    """Forecast of the time and memory of learning.

    Attributes
    ----------
    seconds : dict of str to float
        Duration of each phase.
    memory : int
        Additional memory in bytes.
    pairs : int
        Number of pairs that will pass the screen.
    candidates : float or None
        Mean size of a search space; None if the method has none.
    is_lower_bound : bool
        Whether some work was too long to measure, so that learning takes at least this long.
    """

    seconds: dict[str, float]
    memory: int
    pairs: int
    candidates: float | None
    is_lower_bound: bool = False


def forecast_couplings(job: Job, penalty: float) -> Forecast:
    """Forecast ranking all pairs by the couplings of one model."""
    d = job.n_variables
    seconds = {"couplings": seconds_of_couplings(job, penalty, _threads(job))}
    return Forecast(seconds, memory_of_couplings(job), d * (d - 1) // 2, float(d - 1))


def forecast_pairs(
    job: Job, gamma: float, ranking: str, top: int | None, remove_indirect: bool
) -> Forecast:
    """Forecast testing or ranking all pairs separately."""
    job, budget = _on_threads(job), Budget()
    d, rng, is_tested = job.n_variables, np.random.default_rng(0), ranking == "evidence"
    seconds = {"screen": _seconds_of_screen(job, gamma if is_tested else None, rng)}
    seconds["screen"] *= 2 if ranking == "mi_apc" else 1  # the means need a pass of their own
    sample = _Sample(job, gamma, rng)
    n_edges = sample.n_pairs if is_tested else math.ceil(PAIRS_PER_VARIABLE * d)
    if top is not None:
        n_edges = min(top, d * (d - 1) // 2)
    held = max(n_edges, sample.n_pairs if is_tested and remove_indirect else 0)
    if remove_indirect:
        seconds["triangles"] = held * SECONDS_PER_TRIANGLE
        n_edges = min(n_edges, DIRECT_PER_VARIABLE * d)
    seconds["evidence"] = n_edges * sample.seconds_of_evidence(budget) / _threads(job)
    return Forecast(seconds, _bytes(job.samples, held), sample.n_pairs, None, budget.ran_out)


def forecast_chains(job: Job, lengths: Sweeps, climb: Climb) -> Forecast:
    """Forecast chains over graphs, and the climb before them."""
    job = _on_threads(job)
    forecast, blankets = _of_climb(job, climb, Budget(0.5))
    budget = Budget(0.5)
    d = job.n_variables
    passing = _Sample(job, SCREEN_GAMMA, np.random.default_rng(0)).n_pairs
    members = blankets.members
    timed = time_all_candidates(job, blankets.targets, members, lengths, budget)
    if timed:
        cost, n_candidates = timed
    else:
        cost = time_chains(job.scorer, blankets.targets, blankets.spaces, members, lengths, budget)
        n_candidates = passing + n_steps(members, d)
    threads = _threads(job)
    with budget.piece(REMAINING_PAIRS_SECONDS) as others:
        measure_remaining_pairs(job)
    seconds = dict(forecast.seconds)
    evidence = seconds.pop("evidence")
    seconds["chains"] = others.seconds + cost.seconds(n_candidates, lengths, threads)
    seconds["evidence"] = evidence
    needed = _bytes(job.samples, passing)
    needed += chain_bytes(d, n_candidates, min(threads, lengths.n_chains))
    return replace(
        forecast,
        seconds=seconds,
        memory=needed,
        pairs=passing,
        is_lower_bound=forecast.is_lower_bound or budget.ran_out or not others.is_done,
    )


def forecast_climb(job: Job, climb: Climb) -> Forecast:
    """Forecast hill climbing."""
    return _of_climb(_on_threads(job), climb, Budget())[0]


def _of_climb(job: Job, climb: Climb, budget: Budget) -> tuple[Forecast, _Blankets]:
    """Forecast hill climbing; also return the blankets found on the way."""
    d, most, rng = job.n_nodes, climb.max_candidates, np.random.default_rng(0)
    seconds: dict[str, float] = {}
    pairs, spaces = 0, [np.delete(np.arange(d), t) for t in range(min(d, 64))]
    seeds, shares, finding = np.arange(len(spaces)), np.ones(len(spaces)), 0.0
    near_all = spaces
    if climb.depth is not None:
        seconds["screen"] = _seconds_of_screen(job, climb.gamma, rng)
        sample = _Sample(job, climb.gamma, rng)
        pairs = sample.n_pairs
        seeds, near_all = sample.spaces(climb.depth, max(most or d, NEAREST))
        spaces = [space[: most or d] for space in near_all]
        shares = sample.shares_of(seeds)
        seconds["screen"] *= 2 if most and sample.has_copies else 1  # see search/screen.py
        seconds["screen"] += pairs * SECONDS_PER_PAIR * (1 if most is None else 4)
        finding = SECONDS_PER_BOUNDED if most else sample.mean_steps * SECONDS_PER_STEP
    blankets = _Blankets(job.scorer, seeds, spaces, shares, budget)
    each = d / (_threads(job) * THREAD_GAIN)  # variables per thread
    seconds["blankets"] = (finding + blankets.seconds) * each
    around = [near_all[k] for k in blankets.done]
    after = time_climbs(job, blankets.targets, around, blankets.shares, most, budget)
    if climb.is_global:
        seconds["climb"] = after.climb * each
    seconds["evidence"] = after.evidence * each
    candidates = float(np.average([len(space) for space in spaces], weights=shares))
    held = _pairs_held(job, most, pairs)
    needed = _bytes(job.samples, held)
    return Forecast(seconds, needed, pairs, candidates, budget.ran_out), blankets


def require_room(
    job: Job, gamma: float, *, max_candidates: int | None = None, n_chains: int = 0
) -> None:
    """Raise, before the screen, if the pairs that pass it will not fit in memory."""
    d, running = job.n_variables, min(_threads(job), n_chains) if n_chains else 0

    def needed_for(n_pairs: int) -> int:
        chains = chain_bytes(d, n_pairs, running) if running else 0
        return _bytes(job.samples, _pairs_held(job, max_candidates, n_pairs)) + chains

    most = needed_for(d * (d - 1) // 2)  # if all pairs pass
    if most <= memory.LITTLE:
        return
    available = memory.available_memory()
    if available is None or most <= available:
        return
    sample = _Sample(_on_threads(job), gamma, np.random.default_rng(0))
    needed = needed_for(sample.n_pairs)
    if needed > available:
        hint = "" if running else f"raise {option('gamma')}, "
        raise InputError(
            "memory",
            "",
            f"The search among {d} variables (about {sample.n_pairs:.2g} pairs pass the screen) "
            f"needs about {memory.readable(needed)} of memory, but only "
            f"{memory.readable(available)} is available: {hint}use fewer columns, or a machine "
            "with more memory.",
        )


def _on_threads(job: Job) -> Job:
    """Return the job on local threads, without progress reports."""
    return replace(job, runner=Runner(job.runner.n_jobs))


def _threads(job: Job) -> int:
    """Return the number of threads that the job will have."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(job.runner.n_jobs))


def _pairs_held(job: Job, max_candidates: int | None, n_passing: int) -> int:
    """Return the number of screened pairs in memory: few with bounded spaces."""
    if max_candidates is None:
        return n_passing
    return min(n_passing, 2 * steps_that_matter(max_candidates) * job.n_variables + FEWEST_NEW)


def _bytes(samples: Samples, n_pairs: int) -> int:
    mapped = samples.words.nbytes if isinstance(samples.words, np.memmap) else 0
    return mapped + n_pairs * PAIR_BYTES + samples.n_variables * VARIABLE_BYTES


def _seconds_of_screen(job: Job, gamma: float | None, rng: np.random.Generator) -> float:
    """Time some tiles of the screen."""
    tiles = list(job.scorer.tiles())
    rng.shuffle(tiles)
    n_timed, took = 0, 0.0
    while took < SECONDS / 4:  # the first tile includes the set-up, which counts only if it is slow
        n_timed = 4 * n_timed or 1
        start = perf_counter()
        screen(job, gamma, [tiles[k % len(tiles)] for k in range(n_timed)])
        took = perf_counter() - start
    return took / n_timed * len(tiles)


class _Sample:
    """Variables screened against all others, and further ones reached from them."""

    def __init__(self, job: Job, gamma: float, rng: np.random.Generator) -> None:
        self._job, self._gamma, self._rng = job, gamma, rng
        samples = job.samples
        d, n_rows = job.n_nodes, len(samples.words) / samples.n_variables
        rows = WORDS / (d * samples.words.shape[1] * n_rows**2)
        self._rows = int(np.clip(rows, 24, MOST_ROWS)) // 3  # a third for each step
        self._known: dict[int, Ints] = {}
        self.has_copies = False  # whether some passing pairs are near copies
        self._seeds = rng.permutation(d)[: self._rows]
        self._look_at(self._seeds[:8])
        n_passing = np.mean([len(near) for near in self._known.values()])
        self._rows = max(8, min(self._rows, int(MOST_PASSING / max(1.0, float(n_passing)))))
        self._seeds = self._seeds[: self._rows]
        self._look_at(self._seeds[8:])
        degrees = np.array([len(self._known[v]) for v in self._seeds.tolist()])
        self.n_pairs = int(degrees.mean() * d / 2)
        self._n_joined = d * np.count_nonzero(degrees) / len(degrees)
        self.mean_steps = 0.0  # of the screened graph, to find a space; set by `spaces`
        n_others = int(np.clip(self._rows / max(1.0, float(degrees.mean())), 4, 64))
        order = np.argsort(-degrees, kind="stable")
        n_strongest = min(STRONGEST, len(order) // 4)
        self._strongest = self._seeds[np.sort(order[:n_strongest])]
        self._others = self._seeds[np.sort(order[n_strongest:])][:n_others]

    def seconds_of_evidence(self, budget: Budget) -> float:
        """Return the time to describe a pair by its two ends alone."""
        pairs = [(v, w) for v in self._seeds.tolist() for w in self._known[v][:1].tolist()]
        took, n_timed = 0.0, 0
        while n_timed < len(pairs) and took < SECONDS / 4:
            some = np.array(pairs[n_timed : 4 * n_timed + 4])
            alone = Lists(np.arange(some.size + 1), some[:, ::-1].ravel())
            with budget.piece(SECONDS) as work:
                self._job.scorer.toggled(some.ravel(), alone, alone)
                self._job.scorer.fitted(some.ravel(), alone)
            took, n_timed = took + work.seconds, n_timed + len(some)
            budget.ran_out |= not work.is_done
        return took / n_timed + SECONDS_PER_EDGE if n_timed else 0.0

    def shares_of(self, seeds: Ints) -> Floats:
        """Return the share of all variables that each of these represents."""
        is_strong = np.isin(seeds, self._strongest)
        strong = len(self._strongest) / len(self._seeds)
        n_others = max(1, int(np.count_nonzero(~is_strong)))
        return np.where(is_strong, 1 / len(self._seeds), (1 - strong) / n_others)

    def spaces(self, depth: int, most: int) -> tuple[Ints, list[Ints]]:
        """Return some variables and, for each, a search space of realistic size.

        Variables known to be near come first, the strongest of them at the front.
        """
        seeds = np.concatenate([self._strongest, self._others])
        layer = seeds
        for _ in range(min(depth, 3) - 1):
            near = [self._known[v] for v in layer.tolist()]
            found = np.unique(np.concatenate([np.empty(0, np.int64), *near]))
            new = self._rng.permutation([v for v in found.tolist() if v not in self._known])
            self._look_at(new[: self._rows].astype(np.int64))
            layer = np.array([v for v in found.tolist() if v in self._known], np.int64)
        spaces = [self._space(int(v), depth, most) for v in seeds]
        degree = 2 * self.n_pairs / self._job.n_nodes
        followed = np.average([n for _, n in spaces], weights=self.shares_of(seeds))
        self.mean_steps = float(followed) * degree
        return seeds, [space for space, _ in spaces]

    def _space(self, seed: int, depth: int, most: int) -> tuple[Ints, float]:
        """Return a space, and of how many variables the neighbours are followed to find it."""
        d = self._job.n_nodes
        is_left, layer, expected, scale = np.ones(d, np.bool_), np.array([seed]), 0.0, 1.0
        is_left[seed], nearest = False, [np.empty(0, np.int64)]
        n_reached, n_followed = 1, 0.0
        for _ in range(depth):
            known = [v for v in layer.tolist() if v in self._known]
            if not known or max(n_reached, expected) >= self._n_joined:
                break
            scale *= len(layer) / len(known)
            n_found = n_here = 0
            is_found = np.zeros(d, np.bool_)
            for v in known:
                n_here += 1
                is_found[self._known[v]] = True
                n_found += len(self._known[v])
                if n_reached + n_found < self._n_joined:
                    continue
                if n_reached + np.count_nonzero(is_found & is_left) >= self._n_joined:
                    break  # all are reached, as `within_steps` also notices
            n_followed += n_here if n_here < len(known) else len(known) * scale
            # The strongest first.
            layer = self._known[known[0]] if len(known) == 1 else np.flatnonzero(is_found)
            layer = layer[is_left[layer]]
            is_left[layer] = False
            n_reached += len(layer)
            nearest.append(layer)
            expected += len(layer) * scale
        space = np.concatenate(nearest)
        size = min(most, d - 1, max(round(expected), len(space)))
        others = np.flatnonzero(is_left)
        made_up = self._rng.choice(others, max(0, size - len(space)), replace=False)
        return np.concatenate([space, made_up])[:size], n_followed

    def _look_at(self, variables: Ints) -> None:
        """Screen variables against all others; record the passing ones, strongest first."""
        if not len(variables):
            return
        m, d, n_all = len(variables), self._job.n_nodes, self._job.n_variables
        covariates = np.arange(d, n_all)
        samples, scorer, own_gamma = self._job.samples, self._job.scorer, self._gamma

        def test(block: range) -> Floats:
            both = np.concatenate([variables, np.arange(block.start, block.stop)])
            part = samples.pick(np.concatenate([both, covariates]))
            tile = (range(m), range(m, len(both)))
            # With fewer variables, the same penalty needs a larger gamma.
            gamma = own_gamma * math.log(max(n_all - 1, 1)) / math.log(part.n_variables - 1)
            edges, gains = scorer.on(part).pairs(tile, gamma)
            ends = variables[edges[:, 0]], edges[:, 1] - m + block.start
            return np.column_stack([*ends, gains])

        blocks = cut(d, VARIABLES_PER_BLOCK)
        found = np.concatenate(list(self._job.runner.map("forecast", test, blocks)))
        found = found[found[:, 0] != found[:, 1]]
        edges, gains = found[:, :2].astype(np.int64), found[:, 2]
        self.has_copies |= bool(are_alike(edges, gains, samples.information).any())
        found = found[np.lexsort((-gains, found[:, 0]))]
        first, last = (np.searchsorted(found[:, 0], variables, side) for side in ("left", "right"))
        for variable, start, stop in zip(variables.tolist(), first, last, strict=True):
            self._known[variable] = found[start:stop, 1].astype(np.int64)


class _Blankets:
    """Timed searches for some blankets, with their results."""

    def __init__(
        self, scorer: Scorer, seeds: Ints, spaces: Sequence[Ints], shares: Floats, budget: Budget
    ) -> None:
        found: list[Ints] = []
        took: list[float] = []
        start = thread_time()
        # Alternate between the strongest and the others, so that a short time covers both.
        order = np.argsort(np.arange(len(seeds)) % STRONGEST, kind="stable")
        for k in order.tolist():
            members, seconds = _searched(scorer, int(seeds[k]), spaces[k], budget)
            found.append(members)
            took.append(seconds)
            if thread_time() - start > SECONDS:
                break
        self.done = done = order[: len(found)]
        self.members, self.targets, self.shares = Lists.of(found), seeds[done], shares[done]
        self.seconds = float(np.average(took, weights=self.shares))
        self.spaces = [np.sort(spaces[k]) for k in done.tolist()]


def _searched(scorer: Scorer, seed: int, space: Ints, budget: Budget) -> tuple[Ints, float]:
    """Search a blanket in a space or its nearer part; return it and the time for the whole."""
    size, before, members = FEWEST_NEAREST, 0.0, np.empty(0, np.int64)
    while True:
        nearest = np.sort(space[:size])
        with budget.piece(SECONDS) as work:
            members = scorer.grown(np.array([seed]), Lists.of([nearest])).members[0]
        budget.ran_out |= not work.is_done
        if size >= len(space):
            return members, work.seconds
        if work.seconds > SECONDS / 4 or not work.is_done:
            # Growth in time for four times as many candidates; members grow too.
            growth = np.clip(np.log(work.seconds / before) / np.log(4), 1.0, 2.0) if before else 1.5
            return members, work.seconds * float(len(space) / size) ** float(growth)
        size, before = 4 * size, work.seconds
