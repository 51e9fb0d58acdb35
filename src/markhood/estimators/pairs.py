"""Graphs made of pairwise tests alone, as scikit-learn estimators: two baselines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markhood import methods
from markhood.estimators.structure import StructureEstimator


class Pairwise(StructureEstimator):
    """Join all pairs of variables that pass the screen: those that depend, directly or not.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    n_jobs : int, optional
        Threads; -1 for all.
    missing, missing_values, max_levels
        As for `HillClimbing`.

    Attributes
    ----------
    graph_, screened_graph_, or_graph_, adjacency_, blanket_scores_, score_, evaluations_
        As for `PLRHC`; the three graphs have the same edges.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> Pairwise().fit(coins).graph_.edges.tolist()
    [[0, 2]]
    """

    _method = methods.Pairwise

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


class ChowLiu(StructureEstimator):
    """Learn the forest under which the data are most likely.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    forest : bool, default=True
        Whether only pairs that pass the screen may be edges; otherwise the result is a tree.
    n_jobs : int, optional
        Threads; -1 for all.
    missing, missing_values, max_levels
        As for `HillClimbing`.

    Attributes
    ----------
    graph_, screened_graph_, or_graph_, adjacency_, blanket_scores_, score_, evaluations_
        As for `PLRHC`; ``or_graph_`` has the edges of ``graph_``.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> ChowLiu().fit(coins).graph_.edges.tolist()
    [[0, 2]]
    """

    _method = methods.ChowLiu

    def __init__(
        self,
        gamma: float = 0.5,
        forest: bool = True,
        n_jobs: int | None = None,
        missing: str = "error",
        missing_values: Iterable[Any] = (),
        max_levels: int = 64,
    ) -> None:
        self.gamma = gamma
        self.forest = forest
        self.n_jobs = n_jobs
        self.missing = missing
        self.missing_values = missing_values
        self.max_levels = max_levels
