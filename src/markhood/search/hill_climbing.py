"""Hill climbing: screen, blankets, combine, climb.

With a screen this is PLRHC, without one HC; the rest is the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from markhood.arrays import Ints
from markhood.scores.scorer import Pairs
from markhood.search.blankets import (
    AllVariables,
    NearbyVariables,
    Spaces,
    StrongestNearby,
    combine,
    search_blankets,
    steps_that_matter,
)
from markhood.search.climb import Climbed, Start, climb, climb_pairs
from markhood.search.screen import Screened, screen, screen_bounded, tested_pairs
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult, timed

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
) -> SearchResult:
    """Search for a graph.

    Parameters
    ----------
    job : Job
    gamma : float
        Gamma of the screen, whose criterion is always BIC_gamma.
    depth : int or None
        Search blankets within this many steps of the screened graph; None for no screen.
    max_candidates : int, optional
        Maximum size of a search space; only screened pairs that it can use are kept.
    rule : {"or", "and", "global", "pair"}
        How blankets are combined. "global" is the paper's climb, "pair" a climb by the likelihood
        of pairs, whose penalty is always that of BIC_gamma.
    start : {"or", "empty"}
        Start of the climb, for the rules "global" and "pair".
    screened : Pairs, optional
        Result of the screen, if known and search spaces are not bounded.
    """
    evaluations: dict[str, Ints] = {}
    seconds: dict[str, float] = {}
    spaces: Spaces = AllVariables(job.n_variables)
    n_screened = None

    if depth is not None:
        with timed(seconds, "screen"):
            if max_candidates is None:
                screened = screen(job, gamma) if screened is None else screened
                steps = np.concatenate([screened.edges, job.constraints.required])
                spaces = NearbyVariables(steps, job.n_variables, depth)
            else:
                found = screen_bounded(job, gamma, steps_that_matter(max_candidates))
                screened, n_screened = found.pairs, found.n_passed
                spaces = _strongest_nearby(job, found, depth, max_candidates)
        evaluations |= tested_pairs(job)
    with timed(seconds, "blankets"):
        blankets = search_blankets(job, spaces)
        or_edges = combine(blankets.members, "or")
    evaluations["blankets"] = blankets.evaluations
    not_converged = {"blankets": blankets.not_converged}
    edges, evidence = or_edges, None
    if rule == "and":
        edges = combine(blankets.members, "and")
    elif rule != "or":
        with timed(seconds, "climb"):
            climbed = _climbed(job, or_edges, rule, gamma, start)
        edges, evaluations["climb"] = climbed.edges, climbed.evaluations
        not_converged["climb"] = climbed.not_converged
        evidence = climbed.evidence
    return SearchResult(
        edges,
        or_edges=or_edges,
        screened=screened,
        n_screened=n_screened,
        evidence=evidence,
        evaluations=evaluations,
        seconds=seconds,
        n_cut=blankets.n_cut,
        not_converged=not_converged,
    )


def climb_again(job: Job, before: SearchResult, rule: Rule, gamma: float) -> SearchResult:
    """Search similar samples again, among the neighbours of an earlier result.

    The rules "global" and "pair" only climb, over the earlier union of blankets and from the
    earlier graph. The rules "or" and "and" grow each blanket again among its variable's neighbours
    in that union.
    """
    seconds: dict[str, float] = {}
    if rule == "global" or rule == "pair":
        with timed(seconds, "climb"):
            climbed = _climbed(job, before.or_edges, rule, gamma, before.edges)
        return replace(
            before,
            edges=climbed.edges,
            evidence=climbed.evidence,
            evaluations={"climb": climbed.evaluations},
            not_converged={"climb": climbed.not_converged},
            seconds=seconds,
        )
    with timed(seconds, "blankets"):
        blankets = search_blankets(job, NearbyVariables(before.or_edges, job.n_variables, 1))
        edges = combine(blankets.members, rule)
    return replace(
        before,
        edges=edges,
        evidence=None,
        evaluations={"blankets": blankets.evaluations},
        not_converged={"blankets": blankets.not_converged},
        seconds=seconds,
    )


def _climbed(job: Job, edges: Ints, rule: Rule, gamma: float, start: Start | Ints) -> Climbed:
    """Climb over subgraphs by the paper's score, or by the likelihood of pairs."""
    return climb_pairs(job, edges, gamma, start) if rule == "pair" else climb(job, edges, start)


def _strongest_nearby(job: Job, found: Screened, depth: int, most: int) -> Spaces:
    """Return bounded spaces in the screened graph, with required edges as steps."""
    constraints, (edges, all_gains) = job.constraints, found.pairs
    measured = ~constraints.requires(edges)
    steps = np.concatenate([edges[measured], constraints.required])
    of_required = np.full(len(constraints.required), all_gains.max(initial=1.0))  # as the strongest
    gains = np.concatenate([all_gains[measured], of_required])
    return StrongestNearby(steps, gains, job.n_variables, depth, most, found.sets)
