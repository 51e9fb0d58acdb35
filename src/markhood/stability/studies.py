"""Options of the studies, in addition to those of `learn`: declared once for all interfaces.

The functions take them as keywords; the command line, the app and the checks read them here.

What a planned study should reach: the measures of `plan`, declared once. This module imports
nothing, because the command line shows the names in its help.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from markhood.data.option_values import words
from markhood.options import Sealed, declare

MOST_REPLICATES = 1_000_000
SIZES = 9  # that a round of `plan` tries


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


Resample = Literal["rows", "halves", "cases", "model"]
Measured = Literal["sensitivity", "specificity", "correlation", "edge", "cs", "group"]


@dataclass(kw_only=True)
class NoOptions(Sealed):
    """A single analysis has no options of a study."""


@dataclass(kw_only=True)
class BootstrapOptions(Sealed):
    """Options of `bootstrap`."""

    replicates: int = declare(1000, "Number of data sets to draw.", low=2, high=MOST_REPLICATES)
    resample: Resample = declare(
        "rows",
        "Samples with replacement (rows), complementary halves for a bound on false edges (halves),"
        " case-dropping subsets for the stability of centralities (cases), or samples of a model "
        "of the learned graph (model).",
    )
    strata: Any = declare(
        None,
        "Labels of strata, whose sizes are kept, or the name of their column.",
        metavar="COLUMN",
    )
    level: float = declare(0.95, "Level of the intervals.", above=0, below=1)


@dataclass(kw_only=True)
class GroupOptions(Sealed):
    """Options of `compare_groups`."""

    by: Any = declare(
        None,
        "Group labels in one table of all groups, or the name of their column. Samples without a "
        "label are left out.",
        metavar="COLUMN",
    )
    pairs: Any = declare(
        None,
        "For paired samples, the labels of the persons (with several tables, one sequence per "
        "table), or the name of their column. Group labels are then permuted within persons only. "
        "Persons without exactly one sample in each group are left out.",
        metavar="COLUMN",
    )
    permutations: int = declare(
        1000, "Number of permutations of the labels.", low=1, high=MOST_REPLICATES
    )
    relearn: bool = declare(
        False,
        "Also learn the graphs again in each permutation, to test their degrees, closeness and "
        "betweenness, which takes much longer.",
    )


@dataclass(kw_only=True)
class NetworkOptions(Sealed):
    """Options of `plan` that describe a random network."""

    nodes: int = declare(20, "Number of variables of a random network.", low=2, high=1000)
    density: float = declare(0.15, "Share of its pairs that are edges.", low=0, high=1)
    coupling: float = declare(
        1.0,
        "Its mean |coupling| (log odds of binary variables). Couplings are uniform between half "
        "and one and a half times this, with random signs.",
        low=0,
        high=50,
    )
    levels: int = declare(2, "Number of ordered levels of its variables.", low=2, high=64)


@dataclass(kw_only=True)
class PlanOptions(NetworkOptions):
    """Options of `plan`."""

    measure: Measured = declare(
        "sensitivity",
        "What should be reached: "
        + "; ".join(f"{name}: {own.meaning}" for name, own in MEASURES.items())
        + ".",
    )
    target: float | None = declare(
        None,
        "Value that the measure should reach; by default "
        + ", ".join(f"{name} {own.target:g}" for name, own in MEASURES.items())
        + ".",
        low=0,
        high=1,
    )
    power: float = declare(0.8, "Probability with which to reach it.", above=0, below=1)
    edge: Any = declare(
        None,
        "For the measures edge and group, the ends of the edge; by default the weakest edge of the "
        "network.",
        parse=words,
        metavar="A,B",
    )
    difference: float = declare(
        1.0,
        "For the measure group, by how much the coupling of the edge is closer to 0, or beyond, in "
        "the second group (log odds, per step of ordered levels).",
        above=0,
        high=50,
    )
    missing_share: float = declare(
        0.0, "Share of the values that will be missing, at random.", low=0, below=1
    )
    data_sets: int = declare(
        1800,
        "Number of simulated data sets of a round; the Monte Carlo error falls with its square "
        "root.",
        low=SIZES,
    )

    @property
    def wanted(self) -> float:
        """The value that the measure should reach."""
        return MEASURES[self.measure].target if self.target is None else float(self.target)
