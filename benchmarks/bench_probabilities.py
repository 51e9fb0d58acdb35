"""Probabilities of edges: what a fit of a pair costs, and the whole on two threads."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from random_samples import grid_network
from report import Row

from markhood.data.coding.encode import encode
from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.learning.methods import Bayes, Plrhc
from markhood.scores.discrete import DiscreteScorer
from markhood.search.values.job import Job
from markhood.search.values.probabilities import EdgeProbabilities
from markhood.search.values.search_result import SearchResult
from markhood.simulate import hub, ising

ROUNDS = 3


def rows() -> Iterator[Row]:
    """Measure a fit, and the whole."""
    grid = grid_network(1024, 4000)
    hubs = encode(ising(hub(256), seed=1).sample(250, seed=2))
    yield _fits(grid, Plrhc().search(_job(grid)))
    for name, samples, target in (("grid 1024 x 4000", grid, 3.0), ("hub 256 x 250", hubs, 2.0)):
        seconds, busy, found = min(
            (_timed(samples) for _ in range(ROUNDS)), key=lambda timed: timed[0]
        )
        yield Row(
            f"probabilities, {name}, 2 threads: screen, PLRHC and chains",
            f"{seconds:.2f} s",
            f"{busy:.2f} s of processor time; {found.n_fits} fits in 4 chains, {len(found.pairs)} pairs",
            "",
            f"< {target:g} s",
            seconds < target,
        )


def _job(samples: Samples) -> Job:
    return Job(samples, DiscreteScorer(samples), Runner(2))


def _fits(samples: Samples, learned: SearchResult) -> Row:
    edges = learned.or_edges
    neighbours = Lists.of_neighbours(learned.edges, samples.n_variables)
    first, second = (
        Lists.of([neighbours[i][neighbours[i] != j] for i, j in ends.tolist()])
        for ends in (edges, edges[:, ::-1])
    )
    seconds = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        NativeKernels().fit_pairs(samples.bits, edges, first, second, 1.5)
        seconds.append(time.thread_time() - start)
    others = np.diff(first.starts).mean() + np.diff(second.starts).mean()
    return Row(
        "a pair's fit with and without its coupling, grid 1024 x 4000",
        f"{min(seconds) / len(edges) * 1e6:.1f} us",
        f"{len(edges)} pairs, {others:.1f} other neighbours on average",
        "",
        "",
        None,
    )


def _timed(samples: Samples) -> tuple[float, float, EdgeProbabilities]:
    start, busy = time.perf_counter(), time.process_time()
    found = Bayes().search(_job(samples)).probabilities
    assert found is not None
    return time.perf_counter() - start, time.process_time() - busy, found
