"""BJP as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markhood import methods
from markhood.estimators.structure import StructureEstimator


class BlanketsJointPosterior(StructureEstimator):
    """Learn the graph whose independence assertions are most probable together (BJP).

    Parameters
    ----------
    gamma : float, default=0.5
        Of BIC_gamma, which scores the edges of the finished graph; the search has no options.
    n_jobs : int, optional
        Threads; -1 for all.
    missing, missing_values, max_levels
        As for `HillClimbing`.

    Attributes
    ----------
    graph_, or_graph_, adjacency_, blanket_scores_, score_
        As for `HillClimbing`; ``or_graph_`` has the edges of ``graph_``, and scores are BIC_gamma.
    evaluations_ : dict of str to ndarray
        Tests of independence by the number of variables they were given.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> BlanketsJointPosterior().fit(coins).graph_.edges.tolist()
    [[0, 2]]
    """

    _method = methods.BlanketsJointPosterior

    def __init__(
        self,
        gamma: float = 0.5,
        n_jobs: int | None = None,
        missing: str = "error",
        missing_values: Iterable[Any] = (),
        max_levels: int = 64,
    ) -> None:
        self.gamma = gamma
        self.n_jobs = n_jobs
        self.missing = missing
        self.missing_values = missing_values
        self.max_levels = max_levels
