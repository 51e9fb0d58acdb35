"""BJP as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markhood.estimators.structure import StructureEstimator
from markhood.learning import methods


@dataclass(eq=False, repr=False)
class BlanketsJointPosterior(StructureEstimator):
    """Learn the graph whose independence assertions are most probable together (BJP).

    Parameters
    ----------
    gamma : float, default=0.5
        Of BIC_gamma, which scores the edges of the finished graph; the search has no options.
    **parameters
        Of all estimators, as for `HillClimbing`.

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

    _method: ClassVar = methods.BlanketsJointPosterior

    gamma: float = 0.5
