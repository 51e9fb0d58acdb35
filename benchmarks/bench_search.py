"""Whole PLRHC on grids, of two levels as the paper has them and of three: what a local score evaluation costs; hubs among copies, and fits with many parameters."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from clock import fastest
from random_samples import grid_network, job
from report import Row

from markhood.data.coding.encode import encode
from markhood.kernels.lists import Lists
from markhood.learning.request import Request
from markhood.search.blankets import NearbyVariables, search_blankets
from markhood.search.screen import screen
from markhood.simulate import grid, potts


def rows() -> Iterator[Row]:
    """Divide the seconds of the phases after the screen by the blankets that they scored."""
    yield from _binary()
    yield _three_levels()
    yield _copies()
    yield _many_parameters()


def _binary() -> Iterator[Row]:
    samples = grid_network(1024, 4000)
    runs = [Request.of("plrhc", {"n_jobs": 1}).learn(samples) for _ in range(8)]
    for phases, target in ((("blankets", "climb"), 3.0), (("blankets",), None)):
        seconds = min(sum(run.seconds[phase] for phase in phases) for run in runs)
        evaluations = int(sum(runs[0].evaluations[phase].sum() for phase in phases))
        cost = seconds / evaluations * 1e6
        yield Row(
            f"PLRHC, grid 1024 x 4000, 1 thread: {' + '.join(phases)}",
            f"{cost:.2f} us an evaluation",
            f"{evaluations} evaluations in {seconds:.3f} s",
            "",
            f"<= {target:g} us" if target else "",
            cost <= target if target else None,
        )


def _three_levels() -> Row:
    scorer = job(encode(potts(grid(256), 3, seed=1).sample(4000, seed=2), kinds="nominal"))
    spaces = NearbyVariables(screen(scorer, 0.5).edges, scorer.n_variables, 3)
    found = search_blankets(scorer, spaces)
    (seconds,) = fastest(lambda: search_blankets(scorer, spaces), rounds=5, clock=time.thread_time)
    evaluations = int(found.evaluations.sum())
    cost = seconds / evaluations * 1e6
    return Row(
        "PLRHC, grid 256 x 4000, 3 levels, 1 thread: blankets",
        f"{cost:.2f} us an evaluation",
        f"{evaluations} evaluations in {seconds:.3f} s",
        "",
        "<= 5 us",
        cost <= 5,
    )


def _copies() -> Row:
    """Score a hub without each of its neighbours, which are all copies of it."""
    column = np.random.default_rng(0).integers(0, 2, size=(1000, 1), dtype=np.uint8)

    def hub(n_copies: int) -> Callable[[], object]:
        scorer = job(encode(np.repeat(column, n_copies + 1, axis=1))).scorer
        target, others = np.array([0]), Lists.of([np.arange(1, n_copies + 1)])
        return lambda: scorer.toggled(target, others, others)

    few, many = fastest(hub(100), hub(400), rounds=5, clock=time.thread_time)
    return Row(
        "a hub without each of its neighbours, all copies of it, 1 thread",
        f"{many / few:.0f} times as long for 400 as for 100",
        f"{1e3 * few:.2f} ms and {1e3 * many:.2f} ms",
        "",
        "<= 64 times",
        many / few <= 64,
    )


def _many_parameters() -> Row:
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 20, 4000)
    measures = (
        7.5 + 2 * rng.standard_normal((20, 12))[classes] + 2 * rng.standard_normal((4000, 12))
    )
    values = np.column_stack([classes, np.clip(measures.round(), 0, 15).astype(int)])
    scorer = job(encode(values, kinds={"x0": "nominal"}))
    spaces = NearbyVariables(screen(scorer, 0.5).edges, scorer.n_variables, 3)
    (seconds,) = fastest(lambda: search_blankets(scorer, spaces), rounds=1, clock=time.thread_time)
    return Row(
        "PLRHC, a class of 20 and 12 measures of 16 steps x 4000, 1 thread: blankets",
        f"{seconds:.2f} s",
        "up to 247 parameters",
        "",
        "",
        None,
    )
