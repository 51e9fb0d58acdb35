"""Ordered levels: what an evaluation costs, a questionnaire from screen to graph, and the screen itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

import numpy as np
from clock import fastest
from random_samples import dice, questionnaire
from report import Row

from markhood.data.samples import Samples
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.learning.describe import LearnedGraph
from markhood.learning.methods import Plrhc
from markhood.learning.request import Request
from markhood.output.data_files import write_samples
from markhood.scores.bic import Bic
from markhood.scores.discrete import DiscreteScorer
from markhood.search.screen import screen
from markhood.search.values.job import Job


def rows() -> Iterator[Row]:
    """Measure questionnaires of five and six levels, and independent dice."""
    yield _evaluation(questionnaire(50, 2000, 5))
    yield _whole(questionnaire(25, 2436, 6))
    yield _screen(dice(2000, 2000, 5))


def _evaluation(samples: Samples) -> Row:
    d = samples.n_variables
    others = Lists.of([[j for j in range(d) if j != i] for i in range(d)])
    costs = Bic(0.5).costs(samples.n_samples, d)
    found = NativeKernels().grow_blankets(samples.bits, np.arange(d), others, costs)
    (seconds,) = fastest(
        lambda: NativeKernels().grow_blankets(samples.bits, np.arange(d), others, costs),
        rounds=5,
        clock=thread_time,
    )
    evaluations = int(found.evaluations.sum())
    cost = 1e6 * seconds / evaluations
    return Row(
        f"ordinal blankets, {d} x {samples.n_samples}, 5 levels, 1 thread",
        f"{cost:.1f} us an evaluation",
        f"{evaluations} evaluations, {found.n_bounded} without a fit",
        f"{found.n_bounded / evaluations:.0%}",
        "<= 40 us",
        cost <= 40,
    )


def _whole(samples: Samples) -> Row:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.csv"
        write_samples(samples, path)
        seconds, learned = min((_learn(path) for _ in range(5)), key=lambda run: run[0])
    phases = ", ".join(f"{phase} {s:.2g}" for phase, s in learned.seconds.items())
    return Row(
        f"ordinal PLRHC from a CSV, {samples.n_variables} x {samples.n_samples}, 6 levels, 2 threads",
        f"{seconds:.2f} s",
        f"{phases}; {len(learned.graph.edges)} edges",
        "",
        "< 2 s",
        seconds < 2,
    )


def _learn(path: Path) -> tuple[float, LearnedGraph]:
    start = perf_counter()
    request = Request.of(Plrhc(), {"n_jobs": 2})
    learned = request.learn(request.read(path))
    return perf_counter() - start, learned


def _screen(samples: Samples) -> Row:
    nominal = samples.with_order([False] * samples.n_variables)
    ours, theirs = fastest(
        lambda: screen(Job(samples, DiscreteScorer(samples)), 0.5),
        lambda: screen(Job(nominal, DiscreteScorer(nominal)), 0.5),
        rounds=3,
        clock=thread_time,
    )
    d, rows = samples.n_variables, len(samples.words) // samples.n_variables
    words = d * (d - 1) / 2 * rows**2 * samples.words.shape[1]
    return Row(
        f"ordinal screen {d} x {samples.n_samples}, 5 levels, 1 thread",
        f"{words / ours / 1e9:.1f} G words/s",
        f"nominal {words / theirs / 1e9:.1f} G words/s",
        f"{theirs / ours:.0%}",
        ">= 50%",
        theirs / ours >= 0.5,
    )
