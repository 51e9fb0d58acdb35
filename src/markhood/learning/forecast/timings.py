"""The budget of a forecast, and its timings of climbs and of the fit of all couplings.

**Climb and evidence** are forecast from climbs over small groups of variables.

The cost of a flip depends on the number of neighbours of its ends in the union of blankets, which
one blanket does not show: with dense correlation a variable may be in many blankets. The blankets
of a few dozen variables that are near each other are therefore searched, combined, climbed over and
described, as in a real run.

Two biases are corrected. Variables at the edge of a group have unseen neighbours outside it. And
variables with many neighbours are over-represented: the hubs of a network are in every group. Each
variable of a group is therefore weighted by the inverse of its number of neighbours, and its cost
is proportional to their square, to the number of their configurations, and to how often one was
added or removed. With bounded candidates all variables have equal weight.

**Couplings.** Some steps of one tile are timed
and multiplied by the number of tiles and the usual number of steps. A step passes over all samples
and variables once, so it is timed on a subset of the samples.

**Budget.** The processor time is limited, whatever the size of the table. Each measurement gets a
share of the time. A kernel that reaches its limit stops (`kernels.stopping`): the work then takes
at least the seconds spent, and the forecast is marked as a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import thread_time
from typing import NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.lists import Lists
from markhood.kernels.stopping import time_limit
from markhood.search.blankets import combine
from markhood.search.pseudo_likelihood import bytes_of_couplings, penalty_for, tiles_of
from markhood.search.screen import ranked_steps
from markhood.search.values.job import Job

TOTAL_SECONDS = 1.6  # in total; the rest of a forecast takes some tenths of a second more
SECONDS = 0.6  # limit for timed climbs
NEAREST = 100  # size of the group around a variable
FEWER = (NEAREST, 20, 4)  # smaller groups to try if that takes too long
USUAL_STEPS = 30  # 11 to 46 on simulated grids of 2, 5 and 21 levels
TIMED_STEPS = 3
WORK = 5e7  # values times columns per timed step: some hundredths of a second
FEWEST_SAMPLES = 128  # with fewer, the fixed cost of a step dominates


@dataclass
class Piece:
    """A measurement: its duration, and whether the work was finished."""

    seconds: float = 0.0
    is_done: bool = False


class Budget:
    """The remaining processor time of a forecast.

    Attributes
    ----------
    ran_out : bool
        Whether some work was too long to measure; set by the code that measures it.
    """

    def __init__(self, share: float = 1.0) -> None:
        self._end = thread_time() + share * TOTAL_SECONDS
        self.ran_out = False

    @contextmanager
    def piece(self, seconds: float) -> Iterator[Piece]:
        """Time the enclosed work; stop it after `seconds`, or when the budget is used up."""
        start = thread_time()
        piece = Piece()
        with suppress(TimeoutError), time_limit(min(seconds, self._end - start)):
            yield piece
            piece.is_done = True
        piece.seconds = thread_time() - start


class ClimbCost(NamedTuple):
    """Seconds per variable: in the climb, and for describing its edges."""

    climb: float
    evidence: float


def time_climbs(
    job: Job,
    targets: Ints,
    nearest: Sequence[Ints],
    shares: Floats,
    most: int | None,
    budget: Budget,
) -> ClimbCost:
    """Time climbs over groups of variables.

    ``nearest`` are the variables around each target, nearest first, ``shares`` the share of all
    variables that each target represents, and ``most`` the maximum number of candidates.
    """
    for size in FEWER:
        took: list[tuple[float, float]] = []
        start = thread_time()
        for target, others in zip(targets.tolist(), nearest, strict=True):
            group = np.sort(np.append(others[:size], target))
            with budget.piece(SECONDS / 2):
                took.append(_climbed(job, group, _candidates(job, group, most), most is None))
            if thread_time() - start > SECONDS or not took:
                break
        budget.ran_out |= size != NEAREST or not took
        if took:
            return ClimbCost(*np.average(took, axis=0, weights=shares[: len(took)]).tolist())
    return ClimbCost(0.0, 0.0)


def _candidates(job: Job, group: Ints, most: int | None) -> Lists:
    """List for each variable of a group the others, or the strongest of them."""
    m = len(group)
    if most is None or m <= most + 1:
        return Lists.of([np.delete(group, k) for k in range(m)])
    edges, gains = job.scorer.on(job.samples.pick(group)).pairs((range(m), range(m)), None)
    steps = ranked_steps(edges, gains, m, None)
    near = steps.rank < most
    by_end = np.lexsort((steps.ends[near], steps.sources[near]))
    starts = np.searchsorted(steps.sources[near], np.arange(m + 1))
    return Lists(starts, group[steps.ends[near][by_end]])


def _climbed(job: Job, group: Ints, among: Lists, has_hubs: bool) -> tuple[float, float]:
    """Return the seconds per typical variable of a group that is climbed over and described."""
    scorer = job.scorer
    members = scorer.grown(group, among).members
    own = combine(Lists(members.starts, np.searchsorted(group, members.values)), "or")
    positions = Lists.of_neighbours(own, len(group))
    neighbours = Lists(positions.starts, group[positions.values])
    times = [thread_time()]
    scores, toggled = scorer.toggled(group, neighbours, neighbours)
    times.append(thread_time())
    changes = toggled - np.repeat(scores, neighbours.lengths)
    present = scorer.climbed(Lists.of([group]), neighbours, neighbours, changes).present
    times.append(thread_time())
    starts = np.append(0, np.cumsum(present))[neighbours.starts]
    scorer.fitted(group, Lists(starts, neighbours.values[present]))
    times.append(thread_time())
    degrees = np.diff(neighbours.starts)
    n_flips = np.add.reduceat(np.append(~present, False), neighbours.starts[:-1]) * (degrees > 0)
    once = degrees**2 * np.exp2(np.minimum(degrees, np.log2(job.samples.n_samples)))
    scored, climbed, fitted = np.diff(times)
    if not has_hubs:
        return (scored + climbed) / len(group), (scored + fitted) / len(group)
    scored, fitted = (seconds * _typical(once, degrees) for seconds in (scored, fitted))
    return scored + climbed * _typical(once * n_flips, degrees), scored + fitted


def _typical(work: Floats, degrees: Ints) -> float:
    """Return the share of a typical variable, corrected for over-represented hubs.

    Examples
    --------
    >>> _typical(np.ones(4), np.array([2, 2, 2, 2]))
    0.25
    >>> round(_typical(np.array([9.0, 1.0, 1.0, 1.0]), np.array([3, 1, 1, 1])), 3)
    0.15
    """
    if not work.sum() > 0:
        return 1 / len(work)
    return float(np.average(work, weights=1 / np.maximum(degrees, 1)) / work.sum())


def seconds_of_couplings(job: Job, penalty: float, threads: int) -> float:
    """Return the time of all tiles on this number of threads."""
    n_levels = np.diff(job.samples.starts) + 1
    tiles = tiles_of(n_levels[: job.n_nodes].tolist())
    middle = tiles[len(tiles) // 2]
    targets = np.arange(middle.start, middle.stop)
    prior = penalty_for(n_levels, penalty, job.n_variables - job.n_nodes)
    n, columns = job.samples.n_samples, int(n_levels[targets].sum())
    n_timed = min(n, max(FEWEST_SAMPLES, int(WORK / (job.n_variables * columns))))
    scorer = job.scorer.on(job.samples.take(np.arange(n_timed)))
    took = []
    for steps in (1, 1, 1 + TIMED_STEPS):  # the first runs warm up and are not timed
        start = thread_time()
        scorer.potts(targets, prior, steps)
        took.append(thread_time() - start)
    each = max(0.0, took[2] - took[1]) / TIMED_STEPS
    one = (took[1] + (USUAL_STEPS - 1) * each) * n / n_timed
    return float(one * len(tiles) / min(threads, len(tiles)))


def memory_of_couplings(job: Job) -> int:
    """Return the number of bytes of the tables of all pairs."""
    return bytes_of_couplings(int((np.diff(job.samples.starts) + 1).sum()))
