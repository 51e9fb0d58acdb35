"""What a planned study should reach: the measures of `plan`, declared once.

This module imports nothing, because the command line shows the names in its help.
"""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    """A measure: its default target, its meaning, and how a preregistration states the target."""

    target: float
    meaning: str
    wanted: str


MEASURES = {
    "sensitivity": Measure(
        0.6, "share of the edges that are found", "a sensitivity of at least {:g}"
    ),
    "specificity": Measure(
        0.95, "share of the other pairs that are not found", "a specificity of at least {:g}"
    ),
    "correlation": Measure(
        0.8,
        "correlation of learned and true couplings over all pairs",
        "a correlation of learned and true couplings of at least {:g}",
    ),
    "edge": Measure(1.0, "whether one edge is found", "finding the edge"),
    "cs": Measure(
        0.5,
        "CS coefficient of strength",
        "a CS coefficient of strength of at least {:g}",
    ),
    "group": Measure(
        1.0,
        "whether a coupling that differs between two groups of equal size is found (adjusted p at "
        "most 0.05); the size is that of both together",
        "finding the coupling that differs between two groups of equal size (permutation test, "
        "family-wise error 5 %)",
    ),
}
