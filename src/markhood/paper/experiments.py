"""The experiments by the names that people type, and one of them from start to picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markhood.errors import InputError
from markhood.execution.runner import Runner
from markhood.output.panels import Panel, draw_panels
from markhood.paper.cost import Cost
from markhood.paper.experiment import Cell, Experiment, Sampling, run
from markhood.paper.figures import cost_panels, screening_panels
from markhood.paper.screening import Screening
from markhood.paper.tables import Line, as_csv, as_markdown, compare_with_paper

EXPERIMENTS: Mapping[str, Experiment] = {e.name: e for e in (Screening(), Cost())}
PANELS: Mapping[str, Callable[[Sequence[Line]], list[Panel]]] = {
    "screening": screening_panels,
    "cost": cost_panels,
}


def experiment_named(name: str) -> Experiment:
    """Return the experiment of that name."""
    if name not in EXPERIMENTS:
        raise InputError(f"Unknown experiment {name!r}: choose one of {', '.join(EXPERIMENTS)}.")
    return EXPERIMENTS[name]


@dataclass(frozen=True)
class Report:
    """Where an experiment's results are, and how they compare."""

    lines: Sequence[Line]
    files: Sequence[Path]


def repeat(
    experiment: Experiment,
    cells: Sequence[Cell],
    replicates: int,
    folder: Path,
    runner: Runner,
    sampling: Sampling,
) -> Report:
    """Run an experiment, or what is left of it, and write its tables and its plot.

    The folder gets ``NAME.csv`` (every replicate), ``NAME-table.csv`` and ``NAME-table.md`` (ours
    beside the paper's) and ``NAME.png``.
    """
    replicate_file = folder / f"{experiment.name}.csv"
    results = run(experiment, cells, replicates, replicate_file, runner, sampling)
    lines = compare_with_paper(experiment, results, cells, replicates)
    table, text = (folder / f"{experiment.name}-table.{ending}" for ending in ("csv", "md"))
    table.write_text(as_csv(lines), encoding="utf-8")
    text.write_text(as_markdown(lines), encoding="utf-8")
    picture = folder / f"{experiment.name}.png"
    draw_panels(PANELS[experiment.name](lines), picture)
    return Report(lines, [replicate_file, table, text, picture])
