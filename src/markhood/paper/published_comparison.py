"""Compare measured means with the published ones.

The published figure is itself a mean of 100 data sets, so the standard error of the difference is
s sqrt(1/n + 1/100), where s is the standard deviation over the n replicates.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from statistics import fmean, stdev

from markhood.paper.experiment import Cell, Experiment, Results

REPLICATES = 100  # every published figure is a mean of this many data sets

Row = dict[str, str]
FAR = 2  # standard errors; larger differences are highlighted
HEADINGS = (
    *Cell._fields,
    "measure",
    "replicates",
    "ours",
    "standard_error",
    "paper",
    "difference_over_error",
)


def published(table: str) -> list[Row]:
    """Return the rows of ``screening`` (Table 1), ``cost`` (2) or ``comparison`` (3 and 4).

    Examples
    --------
    >>> published("screening")[0]["candidate_edges"]
    '588'
    """
    text = (files("markhood.paper") / "published" / f"{table}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@dataclass(frozen=True)
class Line:
    """A published figure and the measured one."""

    cell: Cell
    measure: str
    replicates: int
    ours: float
    standard_error: float
    paper: float
    difference_over_error: float

    @property
    def is_far(self) -> bool:
        """Whether the difference is larger than `FAR` standard errors."""
        return abs(self.difference_over_error) > FAR


def compare_with_paper(
    experiment: Experiment, results: Results, cells: Sequence[Cell], replicates: int
) -> list[Line]:
    """Compare the means of the first replicates of some cells with the published figures."""
    lines = []
    for cell, measure, paper in experiment.figures():
        values = results.of(cell, measure, replicates)
        if cell not in cells or not values:
            continue
        n, ours = len(values), fmean(values)
        deviation = stdev(values) if n > 1 else math.nan
        error = deviation * math.sqrt(1 / n + 1 / REPLICATES)
        difference = (ours - paper) / error if error > 0 else math.nan
        lines.append(Line(cell, measure, n, ours, deviation / math.sqrt(n), paper, difference))
    return lines


def as_csv(lines: Sequence[Line]) -> str:
    """Return the comparison as CSV text."""
    return "\n".join(",".join(row) for row in [HEADINGS, *_rows(lines)]) + "\n"


def as_markdown(lines: Sequence[Line]) -> str:
    """Return the comparison as Markdown: one table per network, with a row for each measure.

    A cell has the measured mean and its standard error, the published mean, and the difference over
    its standard error, in bold where it is large.
    """
    # Columns are numbers of samples as in the paper, or of variables if there is one number of
    # samples.
    axis = "samples" if len({line.cell.samples for line in lines}) > 1 else "variables"
    tables: dict[str, list[Line]] = {}
    for line in lines:
        size = f", {line.cell.variables} variables" if axis == "samples" else ""
        tables.setdefault(f"{line.cell.network}{size}", []).append(line)
    return "\n".join(_markdown_table(title, rows, axis) for title, rows in tables.items())


def _markdown_table(title: str, lines: Sequence[Line], axis: str) -> str:
    across = sorted({getattr(line.cell, axis) for line in lines})
    cells = {(line.measure, getattr(line.cell, axis)): _cell(line) for line in lines}
    head = [f"**{title}**", *(f"{value} {axis}" for value in across)]
    rows = [
        [measure.replace("_", " "), *(cells.get((measure, value), "") for value in across)]
        for measure in dict.fromkeys(line.measure for line in lines)
    ]
    rule = "|" + "---|" * len(head)
    text = ["| " + " | ".join(row) + " |" for row in [head, *rows]]
    return "\n".join([text[0], rule, *text[1:]]) + "\n"


def _cell(line: Line) -> str:
    ours = f"{line.ours:.4g} ± {line.standard_error:.2g}"
    if math.isnan(line.paper):
        return ours
    difference = f"{line.difference_over_error:+.1f}"
    return f"{ours} / {line.paper:g} ({f'**{difference}**' if line.is_far else difference})"


def _rows(lines: Sequence[Line]) -> Iterator[list[str]]:
    for line in lines:
        numbers = (line.ours, line.standard_error, line.paper)
        yield [
            *map(str, line.cell),
            line.measure,
            str(line.replicates),
            *("" if math.isnan(v) else f"{v:.4g}" for v in numbers),
            "" if math.isnan(difference := line.difference_over_error) else f"{difference:+.1f}",
        ]
