"""Write outcomes as a Markdown table and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from trial import Outcome

HEADINGS = (
    "Network",
    "Tool",
    "FP",
    "FN",
    "Hamming",
    "Learning, CPU s",
    "Process, CPU s",
    "Peak MB",
    "Remark",
)


def as_markdown(outcomes: Iterable[Outcome]) -> str:
    """Return an aligned Markdown table of the tools that ran."""
    cells = [_cells(outcome) for outcome in outcomes if outcome.status != "absent"]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *cells, strict=True)]
    rule = tuple("-" * width for width in widths)
    return "\n".join(
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in (HEADINGS, rule, *cells)
    )


def absences(outcomes: Iterable[Outcome]) -> str:
    """Return one line per absent tool with the reason."""
    reasons = {o.tool: o.why for o in outcomes if o.status == "absent"}
    return "\n".join(f"absent: {tool}: {why}" for tool, why in reasons.items())


def write_csv(outcomes: Sequence[Outcome], path: Path) -> None:
    """Write all outcomes, including absent tools; unknown values are empty."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Outcome)])
        writer.writeheader()
        writer.writerows(asdict(outcome) for outcome in outcomes)


def _cells(outcome: Outcome) -> tuple[str, ...]:
    numbers = (outcome.false_positives, outcome.false_negatives, outcome.hamming_distance)
    remark = "" if outcome.status == "done" else f"{outcome.status}: {outcome.why}"
    return (
        outcome.network,
        outcome.tool,
        *("" if number is None else str(number) for number in numbers),
        _seconds(outcome.learning_seconds),
        _seconds(outcome.process_seconds),
        "" if outcome.peak_megabytes is None else f"{outcome.peak_megabytes:.0f}",
        remark.replace("|", "/"),
    )


def _seconds(seconds: float | None) -> str:
    """Round to two digits, the precision of a shared machine."""
    if seconds is None:
        return ""
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"
