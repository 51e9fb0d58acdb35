"""Forecast the time of the climb and of the evidence from climbs over small groups of variables.

The cost of a flip depends on the number of neighbours of its ends in the union of blankets, which
one blanket does not show: with dense correlation a variable may be in many blankets. The blankets
of a few dozen variables that are near each other are therefore searched, combined, climbed over and
described, as in a real run.

Two biases are corrected. Variables at the edge of a group have unseen neighbours outside it. And
variables with many neighbours are over-represented: the hubs of a network are in every group. Each
variable of a group is therefore weighted by the inverse of its number of neighbours, and its cost
is proportional to their square, to the number of their configurations, and to how often one was
added or removed. With bounded candidates all variables have equal weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time
from typing import NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.lists import Lists
from markhood.learning.forecast.budget import Budget
from markhood.search.blankets import combine
from markhood.search.screen import ranked_steps
from markhood.search.values.job import Job

SECONDS = 0.6  # limit for timed climbs
NEAREST = 100  # size of the group around a variable
FEWER = (NEAREST, 20, 4)  # smaller groups to try if that takes too long


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
    changes = toggled - np.repeat(scores, np.diff(neighbours.starts))
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
