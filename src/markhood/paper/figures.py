"""Plots of the experiments, with the published values."""

from __future__ import annotations

from collections.abc import Sequence

from markhood.output.pictures.axes import Curve, Panel
from markhood.paper.experiment import NETWORKS
from markhood.paper.published_comparison import Line

SCREENING_LABELS = {
    "hc_or_recall": "recall of HC's OR graph",
    "rate_1": "screened at distance 1",
    "rate_2": "distance 2",
    "rate_3": "distance 3",
    "rate_4": "distance 4",
    "rate_5_or_more": "distance 5 or more",
}
COST_LABELS = {"hc_evaluations_thousands": "HC", "plrhc_evaluations_thousands": "PLRHC"}


def screening_panels(lines: Sequence[Line]) -> list[Panel]:
    """Plot recall, and inclusion by distance, against the number of samples."""
    return [
        Panel(
            f"{network}, {variables} variables",
            "samples",
            "percent",
            [
                _curve(label, "samples", _chosen(lines, network, measure))
                for measure, label in SCREENING_LABELS.items()
            ],
        )
        for network, variables in dict.fromkeys(line.cell[:2] for line in lines)
    ]


def cost_panels(lines: Sequence[Line]) -> list[Panel]:
    """Plot evaluations against the number of variables."""
    return [
        Panel(
            network,
            "variables",
            "score evaluations (thousands)",
            [
                _curve(label, "variables", _chosen(lines, network, measure))
                for measure, label in COST_LABELS.items()
            ],
            log_y=True,
        )
        for network in dict.fromkeys(line.cell.network for line in lines)
    ]


def comparison_panels(lines: Sequence[Line]) -> list[Panel]:
    """Plot the standardised Hamming distance against the number of samples."""
    ending = "_hamming_distance"
    methods = dict.fromkeys(
        line.measure.removesuffix(ending) for line in lines if line.measure.endswith(ending)
    )
    panels = []
    for network, variables in dict.fromkeys(line.cell[:2] for line in lines):
        per_cent = 100 / NETWORKS[network](variables).n_edges
        chosen = [line for line in lines if line.cell[:2] == (network, variables)]
        curves = [
            _curve(m, "samples", _chosen(chosen, network, m + ending), per_cent) for m in methods
        ]
        title = f"{network}, {variables} variables"
        panels.append(Panel(title, "samples", "Hamming distance per 100 edges", curves))
    return panels


def _chosen(lines: Sequence[Line], network: str, measure: str) -> list[Line]:
    return [line for line in lines if (line.cell.network, line.measure) == (network, measure)]


def _curve(label: str, axis: str, lines: Sequence[Line], scale: float = 1.0) -> Curve:
    return Curve(
        label,
        [getattr(line.cell, axis) for line in lines],
        [scale * line.ours for line in lines],
        [scale * line.standard_error for line in lines],
        [scale * line.paper for line in lines],
    )
