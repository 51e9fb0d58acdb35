"""Whole PLRHC on the paper's grid: what a local score evaluation costs."""

from __future__ import annotations

from collections.abc import Iterator

from random_samples import grid_network
from report import Row

from markhood.learning.methods import method_named
from markhood.learning.request import Options, Request


def rows() -> Iterator[Row]:
    """Divide the seconds of the phases after the screen by the blankets that they scored."""
    samples = grid_network(1024, 4000)
    runs = [Request(method_named("plrhc", {}), Options(n_jobs=1)).learn(samples) for _ in range(8)]
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
