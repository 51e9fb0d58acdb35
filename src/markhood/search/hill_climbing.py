"""The whole search: screen, blankets, combine, climb.

With a screen this is PLRHC, without one it is HC; the rest is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.protocol import Kernels
from markhood.scores.criterion import Criterion
from markhood.scores.roads import road_for
from markhood.search.blankets import search_blankets
from markhood.search.climb import climb
from markhood.search.combine import combine
from markhood.search.describe import Regressions, describe
from markhood.search.screen import screen
from markhood.search.spaces import AllVariables, NearbyVariables

Rule = Literal["or", "and", "global"]


@dataclass(frozen=True, eq=False)
class Learned:
    """Everything that a search found.

    Attributes
    ----------
    graph : Graph
        The answer.
    screened_graph : Graph or None
        The pairs that passed the screen, where there was one.
    or_graph : Graph
        The union of all blankets.
    blanket_scores : ndarray of shape (n_variables,)
        The score of every variable in ``graph``; 0 for a constant one.
    evaluations : dict of str to ndarray
        Phase -> how many blankets of each size were scored.
    seconds : dict of str to float
        Phase -> time it took.
    regressions : Regressions
        Of every variable on its neighbours in ``graph``.
    """

    graph: Graph
    screened_graph: Graph | None
    or_graph: Graph
    blanket_scores: NDArray[np.float64]
    evaluations: dict[str, NDArray[np.int64]]
    seconds: dict[str, float]
    regressions: Regressions


def hill_climb(
    samples: Samples,
    *,
    criterion: Criterion,
    gamma: float,
    depth: int | None,
    rule: Rule,
    kernels: Kernels,
    runner: Runner,
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
    rule : {"or", "and", "global"}
        How blankets become a graph.
    kernels : Kernels
    runner : Runner
    """
    d = samples.n_variables
    road = road_for(samples, criterion, kernels)
    evaluations: dict[str, NDArray[np.int64]] = {}
    seconds: dict[str, float] = {}
    screened_graph = None
    spaces: AllVariables | NearbyVariables = AllVariables(d)

    if depth is not None:
        with _timed(seconds, "screen"):
            screened = screen(samples, gamma, kernels, runner)
            spaces = NearbyVariables(screened.edges, d, depth)
        evaluations["screen"] = np.array([0, d * (d - 1)])  # tested once, for both directions
        ends = np.column_stack([screened.gains, screened.gains])
        screened_graph = Graph(samples.names, screened.edges, evidence_ends=ends)
    with _timed(seconds, "blankets"):
        blankets = search_blankets(d, spaces, road, runner)
        or_edges = combine(blankets.members, "or")
    evaluations["blankets"] = blankets.evaluations
    edges = or_edges
    if rule == "and":
        edges = combine(blankets.members, "and")
    elif rule == "global":
        with _timed(seconds, "climb"):
            climbed = climb(or_edges, d, road, runner)
        edges, evaluations["climb"] = climbed.edges, climbed.evaluations
    with _timed(seconds, "evidence"):
        described = describe(edges, samples, road, kernels, runner)
    return Learned(
        graph=Graph(samples.names, edges, described.evidence_ends, described.coupling_ends),
        screened_graph=screened_graph,
        or_graph=Graph(samples.names, or_edges),
        blanket_scores=described.scores,
        evaluations=evaluations,
        seconds=seconds,
        regressions=described.regressions,
    )


@contextmanager
def _timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    start = perf_counter()
    yield
    seconds[phase] = perf_counter() - start
