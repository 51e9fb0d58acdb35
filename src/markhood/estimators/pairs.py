"""Graphs made of pairs, as scikit-learn estimators: of tests of each alone, or of a ranking of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from markhood.estimators.structure import StructureEstimator
from markhood.learning import methods
from markhood.learning.describe import Learned


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


@dataclass(eq=False, repr=False)
class PseudoLikelihood(StructureEstimator):
    """Rank all pairs by the couplings of the whole Potts model, and join the best (plmDCA).

    Parameters
    ----------
    penalty : float, default=0.01
        What the squares of couplings are multiplied by, times (d - 1) sqrt((r_i - 1) (r_j - 1)) for
        variables with r_i and r_j of d levels.
    top : int or "mixture", optional
        How many pairs are edges, or those that stick out of the background of scores. By default three
        for every two positions of a protein, and the mixture elsewhere.
    **parameters
        Of all estimators, as for `HillClimbing`. Missing values are not imputed: they say nothing.

    Attributes
    ----------
    graph_, or_graph_, adjacency_, evaluations_
        As for `PLRHC`; the two graphs are the same. The evidence of an edge is its score, which is no
        likelihood ratio: it ranks pairs of one data set. Its coupling is that of the whole model.
    pairs_ : ndarray of shape (n_pairs, 2)
        All pairs of variables that vary, i < j.
    scores_ : ndarray of shape (n_pairs,)
        How strong each is: the Frobenius norm of its zero-sum table, gaps left out, less the average
        product; where all variables are binary, the size of its log odds ratio.

    Examples
    --------
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> found = PseudoLikelihood(top=1).fit(coins)
    >>> found.graph_.edges.tolist(), found.pairs_[found.scores_.argmax()].tolist()
    ([[0, 2]], [0, 2])
    """

    _method: ClassVar = methods.PseudoLikelihood
    _is_conditional: ClassVar = False

    penalty: float = 0.01
    top: int | str | None = None

    def _keep(self, learned: Learned) -> None:
        super()._keep(learned)
        assert learned.ranking is not None
        self.pairs_: NDArray[np.int64] = learned.ranking.pairs
        self.scores_: NDArray[np.float64] = learned.ranking.scores
