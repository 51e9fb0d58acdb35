"""Compare a learned graph with the true one: errors, Hamming distance, recall by distance."""

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
