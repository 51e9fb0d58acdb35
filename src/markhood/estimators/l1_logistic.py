"""L1LR-BIC as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markhood.estimators.structure import StructureEstimator
from markhood.learning import methods


@dataclass(eq=False, repr=False)
class L1Logistic(StructureEstimator):
    """Learn a graph from the paths of L1-penalised logistic regressions (L1LR-BIC).

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in BIC_gamma, which chooses on the path.
    rule : {"or", "and"}, default="or"
        How the variables' blankets become a graph.
    standardize : bool, default=False
        Whether slopes are penalised in proportion to their variables' standard deviations, which
        is usually the more accurate; the published results are without.
    refit : bool, default=True
        Whether supports are scored at their own maximum of the likelihood. IsingFit's variant is
        ``refit=False, standardize=True, gamma=0.25, rule="and"``; couplings are then the path's.
    **parameters
        Of all estimators, as for `HillClimbing`.

    Attributes
    ----------
    graph_, or_graph_, adjacency_, blanket_scores_, score_
        As for `HillClimbing`.
    evaluations_ : dict of str to ndarray
        How many supports of each size were scored.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> L1Logistic().fit(coins).graph_.edges.tolist()
    [[0, 2]]
    """

    _method: ClassVar = methods.L1Logistic

    gamma: float = 0.5
    rule: str = "or"
    standardize: bool = False
    refit: bool = True
