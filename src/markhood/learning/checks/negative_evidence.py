"""Warn if most edges lower the score that reports their evidence.

Methods choose edges by criteria of their own: a joint posterior of independence tests, marginal
likelihoods, paths of a penalty. The evidence is the gain in BIC_gamma from including an edge in the
finished graph. Where most gains are negative, the two criteria disagree about the graph. That
happens in near-deterministic data and with few samples per parameter, where the prior of the
method's own tests decides.
"""

from __future__ import annotations

import numpy as np

from markhood.errors import option, warn
from markhood.graph.graph import Graph
from markhood.search.values.constraints import Constraints

FEW_EDGES = 3


def warn_of_negative_evidence(graph: Graph, constraints: Constraints) -> None:
    """Warn if more than half of the edges have negative evidence; required ones are not counted."""
    n_negative = int(np.sum((graph.evidence < 0) & ~constraints.requires(graph.edges)))
    if graph.n_edges < FEW_EDGES or 2 * n_negative <= graph.n_edges:
        return
    worst = graph.edge_names()[int(np.argmin(graph.evidence))]
    warn(
        "negative-evidence",
        f"{worst[0]} - {worst[1]}",
        f"{n_negative} of {graph.n_edges} edges have negative evidence: BIC would leave them out. "
        "The data are nearly deterministic or have few samples per parameter, where criteria "
        f"disagree. Compare with {option('method', 'plrhc')} and its default options.",
    )
