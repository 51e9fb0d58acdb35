"""Pairs in three classes by their inclusion Bayes factors: present, absent and undecided.

The inclusion Bayes factor of a pair is its posterior odds of being an edge divided by its prior
odds. With P the posterior probability and d the density of edges (given, or its posterior mean):

    BF = (P / (1 - P)) / (d / (1 - d)),

above 10 for evidence of presence, below 1/10 for evidence of absence, and undecided between, as
easybgm and JASP draw them. A change of the edge prior changes the posterior odds by the same factor
as the prior odds, if all else stays as it is, so the number of edges with other edge priors follows
from the Bayes factors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.graph.numbering import pair_numbers
from markhood.output.report.study import Study

if TYPE_CHECKING:
    from markhood.search.values.probabilities import EdgeProbabilities

BAYES_FACTOR = 10.0  # above it, or below its inverse, evidence for or against an edge is strong
MAX_PAIRS = 5000  # pairs without an edge that the page lists, undecided ones first
PRIORS = 41  # edge priors of the sensitivity plot


def classes(study: Study) -> dict[str, Any] | None:
    """Return the pairs that are not edges by class, and the sensitivity to the edge prior."""
    found = study.probabilities
    if found is None:
        return None
    factors = found.bayes_factors
    is_edge = np.isin(pair_numbers(found.pairs), pair_numbers(study.graph.edges))
    others = np.flatnonzero(~is_edge)
    order = others[np.argsort(-factors[others], kind="stable")][:MAX_PAIRS]
    n = study.graph.n_nodes
    return {
        "limit": BAYES_FACTOR,
        "density": found.density,
        "pairs": found.pairs[order].tolist(),
        "probability": found.probabilities[order].round(4).tolist(),
        "bayes_factor": [float(f"{x:.3g}") for x in factors[order].tolist()],
        "present": int((factors > BAYES_FACTOR).sum()),
        "undecided": int(((factors <= BAYES_FACTOR) & (factors >= 1 / BAYES_FACTOR)).sum()),
        "absent": n * (n - 1) // 2
        - int((factors >= 1 / BAYES_FACTOR).sum()),  # other pairs were screened out
        "sensitivity": _sensitivity(found),
    }


def _sensitivity(found: EdgeProbabilities) -> list[tuple[float, int, int]]:
    """Return edge priors, and the numbers of pairs above 1/2 and above 0.9 with each."""
    rows = []
    for prior in np.geomspace(0.005, 0.5, PRIORS).tolist():
        odds = found.bayes_factors * prior / (1 - prior)
        rows.append((float(f"{prior:.3g}"), int((odds > 1).sum()), int((odds > 9).sum())))
    return rows
