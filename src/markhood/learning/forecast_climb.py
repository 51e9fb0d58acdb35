"""How long the climb and the evidence will take, from climbs among some variables and those nearest to them.

What a flip costs depends on how many neighbours its ends have in the union of blankets, and that says no blanket on its own: where
correlation is dense a variable may be in many blankets of others. So the blankets of a few dozen variables that are near each
other are searched for, put together, climbed over and described, as in the real run; a variable of all takes what one of them does. Those at
the rim of such a group have neighbours beyond it that nobody sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.scores.scorer import Scorer
from markhood.search.combine import combine
from markhood.search.job import Job
from markhood.search.strongest import ranked_steps

SECONDS = 0.6  # of climbs that are timed
NEAREST = 100  # variables around one that climb with it


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
) -> ClimbCost:
    """Climb over groups of variables, for a moment.

    ``nearest`` are the variables around each target, the nearest first, ``shares`` what each target stands for, and
    ``most`` how many candidates a blanket has at most.
    """
    took: list[tuple[float, float]] = []
    start = thread_time()
    for target, others in zip(targets.tolist(), nearest, strict=True):
        group = np.sort(np.append(others[:NEAREST], target))
        took.append(_climbed(job.scorer, group, _candidates(job, group, most)))
        if thread_time() - start > SECONDS:
            break
    return ClimbCost(*np.average(took, axis=0, weights=shares[: len(took)]).tolist())


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


def _climbed(scorer: Scorer, group: NDArray[np.int64], among: Lists) -> tuple[float, float]:
    """Return the seconds for a variable of a group that climbs on its own, and is described."""
    members = scorer.grown(group, among).members
    own = combine(Lists(members.starts, np.searchsorted(group, members.values)), "or")
    places = Lists.of_neighbours(own, len(group))
    neighbours = Lists(places.starts, group[places.values])
    times = [thread_time()]
    scores, toggled = scorer.toggled(group, neighbours, neighbours)
    times.append(thread_time())
    changes = toggled - np.repeat(scores, np.diff(neighbours.starts))
    scorer.climbed(Lists.of([group]), neighbours, neighbours, changes)
    times.append(thread_time())
    scorer.fitted(group, neighbours)
    times.append(thread_time())
    scored, climbed, fitted = np.diff(times) / len(group)
    return float(scored + climbed), float(scored + fitted)
