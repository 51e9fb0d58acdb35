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
from markhood.search.knowledge import Knowledge
from markhood.search.screen import screen, tested_pairs
from markhood.search.spaces import AllVariables, NearbyVariables, StrongestNearby

Rule = Literal["or", "and", "global"]


def hill_climb(
    job: Job,
    *,
    gamma: float,
    depth: int | None,
    max_candidates: int | None = None,
    rule: Rule,
    start: Start,
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
    rule : {"or", "and", "global"}
        How blankets become a graph.
    start : {"or", "empty"}
        Where the climb begins, for the rule "global".
    """
    evaluations: dict[str, NDArray[np.int64]] = {}
    seconds: dict[str, float] = {}
    screened = None
    spaces: Spaces = AllVariables(job.n_variables)

    if depth is not None:
        with timed(seconds, "screen"):
            screened = screen(job, gamma)
            spaces = _nearby(screened, job.knowledge, job.n_variables, depth, max_candidates)
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
    return Found(
        edges,
        or_edges=or_edges,
        screened=screened,
        evaluations=evaluations,
        seconds=seconds,
        n_cut=blankets.n_cut,
    )


def climb_again(job: Job, before: Found, rule: Rule) -> Found:
    """Search once more, in samples that hardly differ: among the neighbours found before.

    With the rule "global" it is the climb alone, over the union of blankets that there was, from the
    graph that there was; blankets are grown anew where the graph is made of them, each among its
    variable's neighbours in that union.
    """
    seconds: dict[str, float] = {}
    if rule == "global":
        with timed(seconds, "climb"):
            climbed = climb(job, before.or_edges, before.edges)
        counts = {"climb": climbed.evaluations}
        return replace(before, edges=climbed.edges, evaluations=counts, seconds=seconds)
    with timed(seconds, "blankets"):
        blankets = search_blankets(job, NearbyVariables(before.or_edges, job.n_variables, 1))
        edges = combine(blankets.members, rule)
    counts = {"blankets": blankets.evaluations}
    return replace(before, edges=edges, evaluations=counts, seconds=seconds)


def _nearby(
    screened: Pairs, knowledge: Knowledge, n_variables: int, depth: int, most: int | None
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
