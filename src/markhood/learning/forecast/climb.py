"""How long the climb and the evidence will take, from climbs among some variables and those nearest to them.

What a flip costs depends on how many neighbours its ends have in the union of blankets, and that says no blanket on its own: where
correlation is dense a variable may be in many blankets of others. So the blankets of a few dozen variables that are near each
other are searched for, put together, climbed over and described, as in the real run. Those at the rim of such a group have neighbours
beyond it that nobody sees. And a variable is near others the more often the more neighbours it has: the hubs of a network are in every such group. So a
variable of all takes what one of the group does on average if each counts by the inverse of its neighbours, and what each takes goes
by their square, by the configurations that they have, and by how often one of them came or went. Not so where candidates are bounded: there
a hub is who is in many lists of the strongest, few of them in a group, and all count alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.learning.forecast.budget import Budget
from markhood.search.combine import combine
from markhood.search.strongest import ranked_steps
from markhood.search.values.job import Job

SECONDS = 0.6  # of climbs that are timed
NEAREST = 100  # variables around one that climb with it
FEWER = (NEAREST, 20, 4)  # the same, where so many take too long


class ClimbCost(NamedTuple):
    """What a variable takes, in seconds: in the climb, and where its edges are described."""

    climb: float
    evidence: float


def time_climbs(
    job: Job,
    targets: NDArray[np.int64],
    nearest: Sequence[NDArray[np.int64]],
    shares: NDArray[np.float64],
    most: int | None,
    budget: Budget,
) -> ClimbCost:
    """Climb over groups of variables, for a moment.

    ``nearest`` are the variables around each target, the nearest first, ``shares`` what each target stands for, and
    ``most`` how many candidates a blanket has at most.
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


def _candidates(job: Job, group: NDArray[np.int64], most: int | None) -> Lists:
    """List for each of a group the others, or the strongest of them."""
    m = len(group)
    if most is None or m <= most + 1:
        return Lists.of([np.delete(group, k) for k in range(m)])
    edges, gains = job.scorer.on(job.samples.pick(group)).pairs((range(m), range(m)), None)
    steps = ranked_steps(edges, gains, m, None)
    near = steps.rank < most
    by_end = np.lexsort((steps.ends[near], steps.sources[near]))
    starts = np.searchsorted(steps.sources[near], np.arange(m + 1))
    return Lists(starts, group[steps.ends[near][by_end]])


def _climbed(
    job: Job, group: NDArray[np.int64], among: Lists, has_hubs: bool
) -> tuple[float, float]:
    """Return the seconds for a variable like those of a group that climbs on its own, and is described."""
    scorer = job.scorer
    members = scorer.grown(group, among).members
    own = combine(Lists(members.starts, np.searchsorted(group, members.values)), "or")
    places = Lists.of_neighbours(own, len(group))
    neighbours = Lists(places.starts, group[places.values])
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


def _typical(work: NDArray[np.float64], degrees: NDArray[np.int64]) -> float:
    """Return which part of some work is that of a variable as one of all is, not as one that is near others.

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
