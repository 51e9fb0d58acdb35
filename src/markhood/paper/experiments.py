"""The experiments by name, and how one is run from data to figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from markhood.errors import InputError
from markhood.execution.runner import Runner
from markhood.output.file_writing import replace_all
from markhood.output.pictures.axes import Panel, draw_panels
from markhood.paper.comparison import Comparison
from markhood.paper.cost import Cost
from markhood.paper.experiment import Cell, Experiment, Sampling, run
from markhood.paper.figures import comparison_panels, cost_panels, screening_panels
from markhood.paper.published_comparison import Line, as_csv, as_markdown, compare_with_paper
from markhood.paper.screening import Screening

EXPERIMENTS: Mapping[str, Sequence[Experiment]] = {
    "screening": [Screening()],
    "cost": [Cost()],
    "comparison": [Comparison(method) for method in ("plrhc", "hc", "mpl", "bjp", "l1lr")],
}
PANELS: Mapping[str, Callable[[Sequence[Line]], list[Panel]]] = {
    "screening": screening_panels,
    "cost": cost_panels,
    "comparison": comparison_panels,
}


def experiment_named(name: str, methods: Sequence[str] = ()) -> list[Experiment]:
    """Return the parts of an experiment; for the comparison, those of the given methods."""
    if name not in EXPERIMENTS:
        raise InputError(
            "option-unknown",
            name,
            f"Unknown experiment {name!r}: choose one of {', '.join(EXPERIMENTS)}.",
        )
    parts = {part.name.removeprefix(f"{name}-"): part for part in EXPERIMENTS[name]}
    for method in methods:
        if method not in parts:
            raise InputError(
                "option-unknown",
                method,
                f"The {name} experiment has no method {method!r}: choose among "
                f"{', '.join(parts) if name == 'comparison' else 'none'}.",
            )
    return [parts[method] for method in methods] or list(parts.values())


@dataclass(frozen=True)
class Report:
    """The files of an experiment, and its comparison with the paper."""

    lines: Sequence[Line]
    files: Sequence[Path]


def repeat(
    name: str,
    parts: Sequence[Experiment],
    cells: Sequence[Cell],
    replicates: int,
    folder: Path,
    runner: Runner,
    sampling: Sampling,
) -> Report:
    """Run the remaining replicates of an experiment, and write its tables and plot.

    The folder gets a CSV file with every replicate for each part, ``NAME-table.csv`` and
    ``NAME-table.md`` (compared with the paper) and ``NAME.png``.
    """
    lines: list[Line] = []
    files = [folder / f"{part.name}.csv" for part in parts]
    table, text, picture = (folder / f"{name}{end}" for end in ("-table.csv", "-table.md", ".png"))
    for made in (table, text, picture):
        if made.exists() and not any(file.exists() for file in files):
            raise InputError(
                "file-exists",
                str(made),
                f"{made} exists without the results that it was made from: move it away.",
            )
    for part, file in zip(parts, files, strict=True):
        results = run(part, cells, replicates, file, runner, sampling)
        lines += compare_with_paper(part, results, cells, replicates)
    drawn = BytesIO()
    draw_panels(PANELS[name](lines), drawn)
    contents = {table: as_csv(lines), text: as_markdown(lines)}
    replace_all({**{p: c.encode() for p, c in contents.items()}, picture: drawn.getvalue()})
    return Report(lines, [*files, table, text, picture])
