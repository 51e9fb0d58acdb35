"""PLRHC and HC as scikit-learn estimators: options in, fitted attributes out.

All the work is done by `markhood.learning`; here are only scikit-learn's customs.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from markhood import learning
from markhood.data.encode import encode, encode_like
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.scores.criterion import Criterion
from markhood.search.hill_climbing import Learned


class HillClimbing(BaseEstimator):  # type: ignore[misc]
    """Learn a graph by hill climbing over all variables (HC).

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in BIC_gamma; 0 is the classical criterion.
    rule : {"global", "or", "and"}, default="global"
        How the variables' blankets become a graph: by a climb that starts from their union, by
        their union, or by their agreement.
    criterion : "bic" or object, default="bic"
        What scores a blanket: an object with a method ``score(table) -> float``.
    n_jobs : int, optional
        Threads; -1 for all.

    Attributes
    ----------
    graph_ : Graph
        The learned graph.
    or_graph_ : Graph
        The union of all blankets.
    adjacency_ : csr_array of shape (n_features_in_, n_features_in_), dtype bool
    blanket_scores_ : ndarray of shape (n_features_in_,)
        Score of every variable in ``graph_``; 0 for a constant one.
    score_ : float
        Their sum.
    evaluations_ : dict of str to ndarray
        Phase -> how many blankets of each size were scored.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where ``X`` has column names that are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> HillClimbing().fit(coins).graph_.edges.tolist()
    [[0, 2]]
    """

    def __init__(
        self,
        gamma: float = 0.5,
        rule: str = "global",
        criterion: str | Criterion = "bic",
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.rule = rule
        self.criterion = criterion
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: None = None) -> Self:
        """Learn the graph.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Every column has two distinct values, whatever they are.
        y : None
            Not used.
        """
        validate_data(self, X, skip_check_array=True)
        samples = encode(X)
        learned = learning.learn_from(samples, self._method(), runner=Runner(self.n_jobs))
        self._levels = samples.levels
        self._n_samples = samples.n_samples
        self._keep(learned)
        return self

    def score(self, X: Any, y: None = None) -> float:
        """Return the mean log pseudo-likelihood of samples.

        Each variable is predicted from its neighbours by its own regression, with probabilities
        kept off 0 and 1 by 1/(2N) where N is the number of samples it was fitted to.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            With the values that the fitted data had.
        y : None
            Not used.
        """
        check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=False)
        samples = encode_like(X, self._levels, self.graph_.nodes)
        return self._regressions.log_pseudo_likelihood(samples, 1 / (2 * self._n_samples))

    def _method(self) -> learning.HillClimbing:
        return learning.HillClimbing(self.gamma, self.rule, self.criterion)

    def _keep(self, learned: Learned) -> None:
        self.graph_: Graph = learned.graph
        self.or_graph_: Graph = learned.or_graph
        self.adjacency_ = learned.graph.adjacency()
        self.blanket_scores_: NDArray[np.float64] = learned.blanket_scores
        self.score_ = float(learned.blanket_scores.sum())
        self.evaluations_ = learned.evaluations
        self._regressions = learned.regressions

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what kind of data this takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class PLRHC(HillClimbing):
    """Learn a graph by hill climbing near the pairs that pass a screen (PLRHC).

    Every pair of variables is tested first; the blanket of a variable is then looked for within
    ``depth`` steps of it in the graph of the pairs that passed.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in BIC_gamma; 0 is the classical criterion.
    depth : int, default=3
        How many steps of the screened graph are near.
    rule, criterion, n_jobs
        As for `HillClimbing`.

    Attributes
    ----------
    screened_graph_ : Graph
        The pairs that passed the screen.
    graph_, or_graph_, adjacency_, blanket_scores_, score_, evaluations_
        As for `HillClimbing`.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> PLRHC().fit(coins).adjacency_.toarray().astype(int).tolist()
    [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    """

    def __init__(
        self,
        gamma: float = 0.5,
        depth: int = 3,
        rule: str = "global",
        criterion: str | Criterion = "bic",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(gamma, rule, criterion, n_jobs)
        self.depth = depth

    def _method(self) -> learning.Plrhc:
        return learning.Plrhc(self.gamma, self.rule, self.criterion, self.depth)

    def _keep(self, learned: Learned) -> None:
        super()._keep(learned)
        self.screened_graph_ = learned.screened_graph
