"""What every search ends with: the graph, its numbers, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.protocol import Kernels
from markhood.learning.describe import describe
from markhood.model.regressions import Regressions
from markhood.scores.criterion import Criterion
from markhood.search.screen import Screened


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
    criterion : Criterion
        What scored the edges of ``graph``.
    n_cut : int
        For how many variables not all candidates were looked at.
    """

    graph: Graph
    screened_graph: Graph | None
    or_graph: Graph
    blanket_scores: NDArray[np.float64]
    evaluations: dict[str, NDArray[np.int64]]
    seconds: dict[str, float]
    regressions: Regressions
    criterion: Criterion
    n_cut: int = 0


def finish(
    samples: Samples,
    edges: NDArray[np.int64],
    *,
    criterion: Criterion,
    kernels: Kernels,
    runner: Runner,
    or_edges: NDArray[np.int64],
    evaluations: dict[str, NDArray[np.int64]],
    seconds: dict[str, float],
    screened: Screened | None = None,
    n_cut: int = 0,
) -> Learned:
    """Score the edges that a search ended with, and put everything together."""
    with timed(seconds, "evidence"):
        described = describe(edges, samples, criterion, kernels, runner)
    screened_graph = None
    if screened is not None:
        ends = np.column_stack([screened.gains, screened.gains])
        screened_graph = Graph(samples.names, screened.edges, ends)
    return Learned(
        graph=Graph(
            samples.names,
            edges,
            described.evidence_ends,
            described.coupling_ends,
            coupling_tables=described.coupling_tables,
        ),
        screened_graph=screened_graph,
        or_graph=Graph(samples.names, or_edges),
        blanket_scores=described.scores,
        evaluations=evaluations,
        seconds=seconds,
        regressions=described.regressions,
        criterion=criterion,
        n_cut=n_cut,
    )


def finish_pairs(
    samples: Samples,
    edges: NDArray[np.int64],
    screened: Screened,
    criterion: Criterion,
    kernels: Kernels,
    runner: Runner,
    seconds: dict[str, float],
) -> Learned:
    """Finish a search that asked the screen only."""
    d = samples.n_variables
    return finish(
        samples,
        edges,
        criterion=criterion,
        kernels=kernels,
        runner=runner,
        or_edges=edges,
        screened=screened,
        evaluations={"screen": np.array([0, d * (d - 1)])},
        seconds=seconds,
    )


@contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Note how long a phase takes."""
    start = perf_counter()
    yield
    seconds[phase] = perf_counter() - start
