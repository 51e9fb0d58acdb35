"""Learned against true: wrong edges, distances between graphs, recall by distance."""

from markhood.evaluate.measures import (
    Comparison,
    EdgeOutcomes,
    InclusionByDistance,
    compare,
    comparison_table,
    edge_outcomes,
    inclusion_by_distance,
    overlap_table,
)

__all__ = [
    "Comparison",
    "EdgeOutcomes",
    "InclusionByDistance",
    "compare",
    "comparison_table",
    "edge_outcomes",
    "inclusion_by_distance",
    "overlap_table",
]
