"""Our means beside the published ones.

The published figure is a mean of 100 noisy data sets too, so a difference is compared with
s sqrt(1/n + 1/100), where s is the standard deviation over our n replicates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from markhood.paper.experiment import Cell, Experiment
from markhood.paper.published import REPLICATES
from markhood.paper.results import Results

FAR = 2  # differences, in standard errors, that are pointed out
HEADINGS = (
    *Cell._fields,
    "measure",
    "replicates",
    "ours",
    "standard_error",
    "paper",
    "difference_over_error",
)


@dataclass(frozen=True)
class Line:
    """One figure of the paper, and ours."""

    cell: Cell
    measure: str
    replicates: int
    ours: float
    standard_error: float
    paper: float
    difference_over_error: float

    @property
    def is_far(self) -> bool:
        """Whether ours and the paper's differ by more than chance would have it."""
        return abs(self.difference_over_error) > FAR


def compare_with_paper(
    experiment: Experiment, results: Results, cells: Sequence[Cell], replicates: int
) -> list[Line]:
    """Set the means of the first replicates of some cells beside the published figures."""
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
    """Return the comparison as a Markdown table; figures that are far off are in bold."""
    head = "| " + " | ".join(h.replace("_", " ") for h in HEADINGS) + " |"
    rule = "|" + "---|" * len(HEADINGS)
    rows = [
        "| " + " | ".join([*row[:-1], f"**{row[-1]}**" if line.is_far else row[-1]]) + " |"
        for line, row in zip(lines, _rows(lines), strict=True)
    ]
    return "\n".join([head, rule, *rows]) + "\n"


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
