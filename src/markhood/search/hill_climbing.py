"""The whole search: screen, blankets, combine, climb.

With a screen this is PLRHC, without one it is HC; the rest is the same.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.kernels.protocol import Kernels
from markhood.learning.learned import Learned, finish, timed
from markhood.scores.criterion import Criterion
from markhood.scores.scorer import road_for
from markhood.search.blankets import Spaces, search_blankets
from markhood.search.climb import Start, climb
from markhood.search.combine import combine
from markhood.search.knowledge import NOTHING, Knowledge
from markhood.search.pair_climb import climb_pairs
from markhood.search.screen import Screened, pair_costs, screen
from markhood.search.spaces import AllVariables, NearbyVariables, StrongestNearby

Rule = Literal["or", "and", "global", "pair"]


def hill_climb(
    samples: Samples,
    *,
    criterion: Criterion,
    gamma: float,
    depth: int | None,
    max_candidates: int | None = None,
    rule: Rule,
    start: Start,
    kernels: Kernels,
    runner: Runner,
    knowledge: Knowledge = NOTHING,
) -> Learned:
    """Learn a graph.

    Parameters
    ----------
    samples : Samples
    criterion : Criterion
        Scores blankets.
    gamma : float
        Of the screen, whose criterion is always BIC_gamma.
    depth : int or None
        How far in the screened graph a blanket is looked for; None for no screen at all.
    max_candidates : int, optional
        Among how many variables at most, with a screen.
    rule : {"or", "and", "global", "pair"}
        How blankets become a graph. "global" is the paper's climb, "pair" one with the likelihood of pairs,
        whose price is always BIC_gamma's.
    start : {"or", "empty"}
        Where the climb begins, for the rules "global" and "pair".
    kernels : Kernels
    runner : Runner
    knowledge : Knowledge, optional
        Edges that the graph has or cannot have.
    """
    d = samples.n_variables
    road = road_for(samples, criterion, kernels)
    evaluations: dict[str, NDArray[np.int64]] = {}
    seconds: dict[str, float] = {}
    screened = None
    spaces: Spaces = AllVariables(d)

    if depth is not None:
        with timed(seconds, "screen"):
            screened = screen(samples, pair_costs(samples, gamma), kernels, runner)
            spaces = _nearby(screened, knowledge, d, depth, max_candidates)
        evaluations["screen"] = np.array([0, d * (d - 1)])  # tested once, for both directions
    with timed(seconds, "blankets"):
        blankets = search_blankets(d, spaces, road, runner, knowledge)
        or_edges = combine(blankets.members, "or")
    evaluations["blankets"] = blankets.evaluations
    edges = or_edges
    if rule == "and":
        edges = combine(blankets.members, "and")
    elif rule == "global":
        with timed(seconds, "climb"):
            climbed = climb(or_edges, d, road, runner, start, knowledge)
        edges, evaluations["climb"] = climbed.edges, climbed.evaluations
    elif rule == "pair":
        with timed(seconds, "climb"):
            costs = pair_costs(samples, gamma)
            climbed = climb_pairs(or_edges, samples, costs, kernels, runner, start, knowledge)
        edges, evaluations["climb"] = climbed.edges, climbed.evaluations
    return finish(
        samples,
        edges,
        criterion=criterion,
        kernels=kernels,
        runner=runner,
        or_edges=or_edges,
        screened=screened,
        evaluations=evaluations,
        seconds=seconds,
        n_cut=blankets.n_cut,
    )


def _nearby(
    screened: Screened, knowledge: Knowledge, n_variables: int, depth: int, most: int | None
) -> Spaces:
    """Return the spaces in the screened graph, in which required edges are steps as well."""
    if most is None:
        steps = np.concatenate([screened.edges, knowledge.required])
        return NearbyVariables(steps, n_variables, depth)
    measured = ~knowledge.requires(screened.edges)
    steps = np.concatenate([screened.edges[measured], knowledge.required])
    strongest = screened.gains.max(initial=1.0)  # what is required counts as this
    of_required = np.full(len(knowledge.required), strongest)
    gains = np.concatenate([screened.gains[measured], of_required])
    return StrongestNearby(steps, gains, n_variables, depth, most)
