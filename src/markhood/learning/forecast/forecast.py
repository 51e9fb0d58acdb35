"""How long learning will take and how much memory, found out in at most two seconds (`budget.py`).

The screen's cost is that of a few of its tiles, times their number. All else depends on how many
pairs pass it, and on how many variables are then near each other; so some variables, picked at
random, are screened against all, then those that passed with them, and so on for as many steps as
the search takes. The searches for their blankets are run and timed: of those that most pairs pass with, where a few hubs may
take longer than all others, and of some others, each counted for the share that it stands for. Where there are too many
variables near to follow all, some are followed and the rest is made up of others at random: a
search takes as long among those. A search that would itself take long is run among the nearest, four times as many each
time, until it is clear how it goes on. To find who is near takes a time for every step of the screened graph. The climb and the
evidence are timed among the nearest of the same variables (`climb.py`), and chains over graphs near them (`chains.py`). What runs on this thread is timed
by its processor time, so that other work on the machine does not count as ours.

Memory is what a pair and a variable were measured to take at the peak.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter, thread_time

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.data.storage import memory
from markhood.errors import InputError, option
from markhood.execution.runner import Runner, cut
from markhood.kernels.lists import Lists
from markhood.learning.forecast.budget import Budget
from markhood.learning.forecast.chains import (
    chain_bytes,
    n_steps,
    time_all_candidates,
    time_chains,
)
from markhood.learning.forecast.climb import NEAREST, time_climbs
from markhood.learning.forecast.couplings import memory_of_couplings, seconds_of_couplings
from markhood.scores.scorer import Scorer
from markhood.search.graph_sampler import SCREEN_GAMMA, Sweeps
from markhood.search.other_pairs import measure_other_pairs
from markhood.search.ranking import PAIRS_PER_VARIABLE
from markhood.search.screen import screen
from markhood.search.spaces import steps_that_matter
from markhood.search.strongest import FEWEST_NEW, are_alike
from markhood.search.values.job import Job

SECONDS = 0.4  # for each of the things that are timed
WORDS = 1e10  # to be intersected for the sample of screened variables: half a second or so
MOST_ROWS = 1536
MOST_PASSING = 400_000  # pairs that are noted at every step: some tenths of a second
VARIABLES_PER_BLOCK = 4096
THREAD_GAIN = 0.9  # what a thread more brings, of another
PAIR_BYTES, VARIABLE_BYTES = 200, 1000  # at the peak, beyond the packed samples
FEWEST_NEAREST = 8  # among which a search is timed first
STRONGEST = 8  # variables of the most pairs whose searches are timed apart
# To find spaces: for a step of the screened graph, for a pair that passes, and, where spaces are bounded, for each.
SECONDS_PER_STEP, SECONDS_PER_PAIR, SECONDS_PER_BOUNDED = 3.5e-9, 1e-7, 6e-5
SECONDS_PER_TRIANGLE = 1e-6  # for a pair that may be indirect
SECONDS_PER_EDGE = 2e-5  # for one that is put into the graph
OTHER_PAIRS_SECONDS = 0.2  # in which chains measure pairs that are not candidates
DIRECT_PER_VARIABLE = 3  # pairs that are no shortcut: two to three were, among variants


@dataclass(frozen=True)
class Climb:
    """What a forecast has to know of hill climbing: its gamma, search spaces, and whether edges are climbed over.

    ``depth`` is None where blankets are searched for among all variables.
    """

    gamma: float
    depth: int | None
    max_candidates: int | None = None
    is_global: bool = True


@dataclass(frozen=True)
class Forecast:
    """What learning will take.

    Attributes
    ----------
    seconds : dict of str to float
        By phase.
    memory : int
        Bytes beyond those that the process has now.
    pairs : int
        How many will pass the screen.
    candidates : float or None
        How many others a variable's neighbours are looked for among, on average; None where they are not.
    is_lower_bound : bool
        Whether some work was too long to be measured, so that learning takes at least these seconds.
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
    """Forecast testing or ranking all pairs, each by itself."""
    job, budget = _on_threads(job), Budget()
    d, rng, is_tested = job.n_variables, np.random.default_rng(0), ranking == "evidence"
    seconds = {"screen": _seconds_of_screen(job, gamma if is_tested else None, rng)}
    seconds["screen"] *= 2 if ranking == "mi_apc" else 1  # the means come first
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
    said, blankets = _of_climb(job, climb, Budget(0.5))
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
    with budget.piece(OTHER_PAIRS_SECONDS) as others:
        measure_other_pairs(job)
    seconds = dict(said.seconds)
    evidence = seconds.pop("evidence")
    seconds["chains"] = others.seconds + cost.seconds(n_candidates, lengths, threads)
    seconds["evidence"] = evidence
    needed = _bytes(job.samples, passing)
    needed += chain_bytes(d, n_candidates, min(threads, lengths.n_chains))
    return replace(
        said,
        seconds=seconds,
        memory=needed,
        pairs=passing,
        is_lower_bound=said.is_lower_bound or budget.ran_out or not others.is_done,
    )


def forecast_climb(job: Job, climb: Climb) -> Forecast:
    """Forecast hill climbing."""
    return _of_climb(_on_threads(job), climb, Budget())[0]


def _of_climb(job: Job, climb: Climb, budget: Budget) -> tuple[Forecast, _Blankets]:
    """Forecast hill climbing; return the blankets that were found for it, too."""
    d, most, rng = job.n_variables, climb.max_candidates, np.random.default_rng(0)
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
        seconds["screen"] *= 2 if most and sample.has_copies else 1  # see search/strongest.py
        seconds["screen"] += pairs * SECONDS_PER_PAIR * (1 if most is None else 4)
        finding = SECONDS_PER_BOUNDED if most else sample.mean_steps * SECONDS_PER_STEP
    blankets = _Blankets(job.scorer, seeds, spaces, shares, budget)
    each = d / (_threads(job) * THREAD_GAIN)  # variables one after another, of all
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
    """Raise where the pairs that pass the screen will not fit in memory, before any is found."""
    available = memory.available_memory()
    d, running = job.n_variables, min(_threads(job), n_chains) if n_chains else 0

    def needed_for(n_pairs: int) -> int:
        chains = chain_bytes(d, n_pairs, running) if running else 0
        return _bytes(job.samples, _pairs_held(job, max_candidates, n_pairs)) + chains

    if available is None or needed_for(d * (d - 1) // 2) <= available:  # whatever passes
        return
    sample = _Sample(_on_threads(job), gamma, np.random.default_rng(0))
    needed = needed_for(sample.n_pairs)
    if needed > available:
        hint = "" if running else f"raise {option('gamma')}, "
        raise InputError(
            "memory",
            "",
            f"{d} variables, of which about {sample.n_pairs:.2g} pairs will pass the screen, need "
            f"about {memory.readable(needed)} of memory, but only {memory.readable(available)} is available: "
            f"{hint}take fewer columns, or a larger machine.",
        )


def _on_threads(job: Job) -> Job:
    """Return the job on threads of this machine, without progress: what is timed here is not the run."""
    return replace(job, runner=Runner(job.runner.n_jobs))


def _threads(job: Job) -> int:
    """Return how many threads the job will have."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(job.runner.n_jobs))


def _pairs_held(job: Job, max_candidates: int | None, n_passing: int) -> int:
    """Return how many of the passing pairs there will be in memory: with bounded spaces, few."""
    if max_candidates is None:
        return n_passing
    return min(n_passing, 2 * steps_that_matter(max_candidates) * job.n_variables + FEWEST_NEW)


def _bytes(samples: Samples, n_pairs: int) -> int:
    mapped = samples.words.nbytes if isinstance(samples.words, np.memmap) else 0
    return mapped + n_pairs * PAIR_BYTES + samples.n_variables * VARIABLE_BYTES


def _seconds_of_screen(job: Job, gamma: float | None, rng: np.random.Generator) -> float:
    """Time some tiles of the screen, as many as take a moment."""
    tiles = list(job.scorer.tiles())
    rng.shuffle(tiles)
    n_timed, took = 0, 0.0
    while (
        took < SECONDS / 4
    ):  # at first one tile, with what comes before it, which counts only where it is slow
        n_timed = 4 * n_timed or 1
        start = perf_counter()
        screen(job, gamma, [tiles[k % len(tiles)] for k in range(n_timed)])
        took = perf_counter() - start
    return took / n_timed * len(tiles)


class _Sample:
    """Some variables screened against all, and further ones that they lead to."""

    def __init__(self, job: Job, gamma: float, rng: np.random.Generator) -> None:
        self._job, self._gamma, self._rng = job, gamma, rng
        samples = job.samples
        d, n_rows = samples.n_variables, len(samples.words) / samples.n_variables
        rows = WORDS / (d * samples.words.shape[1] * n_rows**2)
        self._rows = int(np.clip(rows, 24, MOST_ROWS)) // 3  # a third for each step
        self._known: dict[int, NDArray[np.int64]] = {}
        self.has_copies = False  # whether some of those who pass nearly are copies
        self._seeds = rng.permutation(d)[: self._rows]
        self._look_at(self._seeds[:8])
        n_passing = np.mean([len(near) for near in self._known.values()])
        self._rows = max(8, min(self._rows, int(MOST_PASSING / max(1.0, float(n_passing)))))
        self._seeds = self._seeds[: self._rows]
        self._look_at(self._seeds[8:])
        degrees = np.array([len(self._known[v]) for v in self._seeds.tolist()])
        self.n_pairs = int(degrees.mean() * d / 2)
        self.mean_steps = 0.0  # of the screened graph, to find a space; known when spaces are
        n_others = int(np.clip(self._rows / max(1.0, float(degrees.mean())), 4, 64))
        order = np.argsort(-degrees, kind="stable")
        n_strongest = min(STRONGEST, len(order) // 4)
        self._strongest = self._seeds[np.sort(order[:n_strongest])]
        self._others = self._seeds[np.sort(order[n_strongest:])][:n_others]

    def seconds_of_evidence(self, budget: Budget) -> float:
        """Return what it takes to describe a pair by its two ends alone."""
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

    def shares_of(self, seeds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of all variables that each of these stands for."""
        is_strong = np.isin(seeds, self._strongest)
        strong = len(self._strongest) / len(self._seeds)
        n_others = max(1, int(np.count_nonzero(~is_strong)))
        return np.where(is_strong, 1 / len(self._seeds), (1 - strong) / n_others)

    def spaces(self, depth: int, most: int) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
        """Return some variables and, for each, a space of the size that a search would have.

        Of a space those that are known to be near come first, and the strongest of them.
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
        degree = 2 * self.n_pairs / self._job.n_variables
        steps = [len(space) * degree * (min(depth, 3) - 1) for space in spaces]
        self.mean_steps = float(np.average(steps, weights=self.shares_of(seeds)))
        return seeds, spaces

    def _space(self, seed: int, depth: int, most: int) -> NDArray[np.int64]:
        d = self._job.n_variables
        is_left, layer, expected, scale = np.ones(d, np.bool_), np.array([seed]), 0.0, 1.0
        is_left[seed], nearest = False, [np.empty(0, np.int64)]
        for _ in range(depth):
            followed = [v for v in layer.tolist() if v in self._known]
            if not followed:
                break
            scale *= len(layer) / len(followed)
            if len(followed) == 1:
                layer = self._known[followed[0]]  # the strongest first
            else:
                is_found = np.zeros(d, np.bool_)
                for v in followed:
                    is_found[self._known[v]] = True
                layer = np.flatnonzero(is_found)
            layer = layer[is_left[layer]]
            is_left[layer] = False
            nearest.append(layer)
            expected += len(layer) * scale
        space = np.concatenate(nearest)
        size = min(most, d - 1, max(round(expected), len(space)))
        others = np.flatnonzero(is_left)
        made_up = self._rng.choice(others, max(0, size - len(space)), replace=False)
        return np.concatenate([space, made_up])[:size]

    def _look_at(self, variables: NDArray[np.int64]) -> None:
        """Screen variables against all; note those that pass with each, the strongest first."""
        if not len(variables):
            return
        m, d = len(variables), self._job.n_variables
        samples, scorer, own_gamma = self._job.samples, self._job.scorer, self._gamma

        def test(block: range) -> NDArray[np.float64]:
            both = np.concatenate([variables, np.arange(block.start, block.stop)])
            part = samples.pick(both)
            tile = (range(m), range(m, part.n_variables))
            # Among fewer variables the same price takes a larger gamma.
            gamma = own_gamma * math.log(max(d - 1, 1)) / math.log(part.n_variables - 1)
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
    """Searches for some blankets, timed one after another, and what was found."""

    def __init__(
        self,
        scorer: Scorer,
        seeds: NDArray[np.int64],
        spaces: Sequence[NDArray[np.int64]],
        shares: NDArray[np.float64],
        budget: Budget,
    ) -> None:
        found: list[NDArray[np.int64]] = []
        took: list[float] = []
        start = thread_time()
        # The first and last of the strongest and of the others, so that a moment knows some of each.
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


def _searched(
    scorer: Scorer, seed: int, space: NDArray[np.int64], budget: Budget
) -> tuple[NDArray[np.int64], float]:
    """Search for a blanket in a space, or in its nearer part; return it, and the seconds for the whole."""
    size, before, members = FEWEST_NEAREST, 0.0, np.empty(0, np.int64)
    while True:
        nearest = np.sort(space[:size])
        with budget.piece(SECONDS) as work:
            members = scorer.grown(np.array([seed]), Lists.of([nearest])).members[0]
        budget.ran_out |= not work.is_done
        if size >= len(space):
            return members, work.seconds
        if work.seconds > SECONDS / 4 or not work.is_done:
            # By how much four times as many took longer; candidates and members both grow.
            growth = np.clip(np.log(work.seconds / before) / np.log(4), 1.0, 2.0) if before else 1.5
            return members, work.seconds * float(len(space) / size) ** float(growth)
        size, before = 4 * size, work.seconds
