"""Learned against true: wrong edges, distances between graphs, recall by distance."""

from markhood.evaluate.measures import (
    Comparison,
    InclusionByDistance,
    compare,
    comparison_table,
    inclusion_by_distance,
)

__all__ = [
    "Comparison",
    "InclusionByDistance",
    "compare",
    "comparison_table",
    "inclusion_by_distance",
]
