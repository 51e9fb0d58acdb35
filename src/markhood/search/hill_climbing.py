"""The whole search: screen, blankets, combine, climb.

With a screen this is PLRHC, without one it is HC; the rest is the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from markhood.scores.scorer import Pairs
from markhood.search.blankets import Spaces, search_blankets
from markhood.search.climb import Start, climb
from markhood.search.combine import combine
from markhood.search.found import Found, timed
from markhood.search.job import Job
from markhood.search.pair_climb import climb_pairs
from markhood.search.screen import screen, tested_pairs
from markhood.search.spaces import AllVariables, NearbyVariables, StrongestNearby, near_copies

Rule = Literal["or", "and", "global", "pair"]


def hill_climb(
    job: Job,
    *,
    gamma: float,
    depth: int | None,
    max_candidates: int | None = None,
    rule: Rule,
    start: Start,
    screened: Pairs | None = None,
) -> Found:
    """Search for a graph.

    Parameters
    ----------
    job : Job
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
    screened : Pairs, optional
        What passes the screen, where that is known.
    """
    evaluations: dict[str, NDArray[np.int64]] = {}
    seconds: dict[str, float] = {}
    spaces: Spaces = AllVariables(job.n_variables)

    if depth is not None:
        with timed(seconds, "screen"):
            screened = screen(job, gamma) if screened is None else screened
            spaces = _nearby(job, screened, depth, max_candidates)
        evaluations |= tested_pairs(job)
    with timed(seconds, "blankets"):
        blankets = search_blankets(job, spaces)
        or_edges = combine(blankets.members, "or")
    evaluations["blankets"] = blankets.evaluations
    edges = or_edges
    if rule == "and":
        edges = combine(blankets.members, "and")
    elif rule == "global":
        with timed(seconds, "climb"):
            climbed = climb(job, or_edges, start)
        edges, evaluations["climb"] = climbed.edges, climbed.evaluations
    elif rule == "pair":
        with timed(seconds, "climb"):
            climbed = climb_pairs(job, or_edges, gamma, start)
        edges, evaluations["climb"] = climbed.edges, climbed.evaluations
    return Found(
        edges,
        or_edges=or_edges,
        screened=screened,
        evaluations=evaluations,
        seconds=seconds,
        n_cut=blankets.n_cut,
    )


def climb_again(job: Job, before: Found, rule: Rule, gamma: float) -> Found:
    """Search once more, in samples that hardly differ: among the neighbours found before.

    With the rules "global" and "pair" it is the climb alone, over the union of blankets that there was, from the
    graph that there was; blankets are grown anew where the graph is made of them, each among its
    variable's neighbours in that union.
    """
    seconds: dict[str, float] = {}
    if rule == "global" or rule == "pair":
        with timed(seconds, "climb"):
            if rule == "pair":
                climbed = climb_pairs(job, before.or_edges, gamma, before.edges)
            else:
                climbed = climb(job, before.or_edges, before.edges)
        counts = {"climb": climbed.evaluations}
        return replace(before, edges=climbed.edges, evaluations=counts, seconds=seconds)
    with timed(seconds, "blankets"):
        blankets = search_blankets(job, NearbyVariables(before.or_edges, job.n_variables, 1))
        edges = combine(blankets.members, rule)
    counts = {"blankets": blankets.evaluations}
    return replace(before, edges=edges, evaluations=counts, seconds=seconds)


def _nearby(job: Job, screened: Pairs, depth: int, most: int | None) -> Spaces:
    """Return the spaces in the screened graph, in which required edges are steps as well."""
    knowledge, n_variables = job.knowledge, job.n_variables
    if most is None:
        steps = np.concatenate([screened.edges, knowledge.required])
        return NearbyVariables(steps, n_variables, depth)
    measured = ~knowledge.requires(screened.edges)
    steps = np.concatenate([screened.edges[measured], knowledge.required])
    strongest = screened.gains.max(initial=1.0)  # what is required counts as this
    of_required = np.full(len(knowledge.required), strongest)
    gains = np.concatenate([screened.gains[measured], of_required])
    sets = near_copies(screened.edges, screened.gains, job.samples.information)
    return StrongestNearby(steps, gains, n_variables, depth, most, sets)
