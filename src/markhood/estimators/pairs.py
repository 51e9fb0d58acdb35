"""Graphs made of pairwise tests alone, as scikit-learn estimators: two baselines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markhood.estimators.structure import StructureEstimator
from markhood.learning import methods


@dataclass(eq=False, repr=False)
class Pairwise(StructureEstimator):
    """Join all pairs of variables that pass the screen: those that depend, directly or not.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    ranking : {"evidence", "mi", "mi_apc"}, default="evidence"
        By what pairs are ranked: their gain in the screen, which must be above nothing; or, of all pairs whatever
        their price, the mutual information, or that with the average-product correction.
    top : int, optional
        Keep so many of the best; by default all that pass the screen, and of all pairs one and a half
        times as many as there are variables.
    remove_indirect : bool, default=False
        Whether the weakest pair of every triangle of these is taken for indirect and left out (ARACNE's rule).
    **parameters
        Of all estimators, as for `HillClimbing`.

    Attributes
    ----------
    graph_, screened_graph_, or_graph_, adjacency_, evaluations_
        As for `PLRHC`; there is no screened graph where all pairs are ranked, elsewhere the three graphs have the same edges, but for those known beforehand,
        which only the screened one does not heed. Evidence and coupling of an edge are those of
        the pair alone, so there is no model of a variable given all others, and no score.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> Pairwise().fit(coins).graph_.edges.tolist()
    [[0, 2]]
    """

    _method: ClassVar = methods.Pairwise
    _is_conditional: ClassVar = False

    gamma: float = 0.5
    ranking: str = "evidence"
    top: int | None = None
    remove_indirect: bool = False


@dataclass(eq=False, repr=False)
class ChowLiu(StructureEstimator):
    """Learn the forest under which the data are most likely.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    forest : bool, default=True
        Whether only pairs that pass the screen may be edges; otherwise the result is a tree.
    **parameters
        Of all estimators, as for `HillClimbing`.

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

    _method: ClassVar = methods.ChowLiu

    gamma: float = 0.5
    forest: bool = True
