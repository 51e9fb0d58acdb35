"""L1LR-BIC as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markhood import methods
from markhood.estimators.structure import StructureEstimator


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
    n_jobs : int, optional
        Threads; -1 for all.
    missing, missing_values, max_levels
        As for `HillClimbing`.

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

    _method = methods.L1Logistic

    def __init__(
        self,
        gamma: float = 0.5,
        rule: str = "or",
        standardize: bool = False,
        refit: bool = True,
        n_jobs: int | None = None,
        missing: str = "error",
        missing_values: Iterable[Any] = (),
        max_levels: int = 64,
    ) -> None:
        self.gamma = gamma
        self.rule = rule
        self.standardize = standardize
        self.refit = refit
        self.n_jobs = n_jobs
        self.missing = missing
        self.missing_values = missing_values
        self.max_levels = max_levels
