"""PLRHC, HC and MPL as scikit-learn estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markhood.estimators.structure import StructureEstimator
from markhood.learning import methods
from markhood.scores.criterion import Criterion


@dataclass(eq=False, repr=False)
class HillClimbing(StructureEstimator):
    """Learn a graph by hill climbing over all variables (HC).

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in the criterion; for "bic", 0 is the classical
        one.
    rule : {"global", "pair", "or", "and"}, default="global"
        How the variables' blankets become a graph: by a climb, by a climb that scores each edge
        once with the likelihood of its pair, by their union, or by their agreement.
    criterion : "bic", "mpl" or object, default="bic"
        What scores a blanket; an object with a method ``score(table) -> float``.
    start : {"or", "empty"}, default="or"
        Where the climb begins: at the union of all blankets, or without edges.
    fit_penalty : {"l2", "l1"}, optional
        Maximise the likelihood in "bic" less ``fit_strength`` times the sum of the slopes' squares or
        sizes; helps where data are separated or few. By default plain maximum likelihood.
    fit_strength : float, optional
        How much of it; by default 1.
    **parameters
        That all estimators have, those of `Options`: `missing`, `missing_values`, `max_levels`,
        `normalize_weights`, `identical`, `imputations`, `seed`, `required_edges`, `forbidden_edges`, `groups`, `group_rule`, `pair_priors`,
        `n_jobs`, `kernels`, `executor`, `scheduler` and `checkpoint`, as for `learn`.

    Attributes
    ----------
    graph_ : Graph
        The learned graph.
    or_graph_ : Graph
        The union of all blankets.
    adjacency_ : csr_array of shape (n_features, n_features), dtype bool
        Whether two variables are joined.
    blanket_scores_ : ndarray of shape (n_features,)
        Score of every variable in ``graph_``; 0 for a constant one.
    score_ : float
        Their sum.
    regressions_ : Regressions
        Of every variable on its neighbours in ``graph_``.
    model_ : FittedModel
        The distribution on ``graph_``, fitted when it is first asked for; see `fit_model`.
    evaluations_ : dict of str to ndarray
        Phase -> how many blankets of each size were scored.
    n_features_in_ : int
        Number of variables.
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

    _method: ClassVar = methods.HillClimbing

    gamma: float = 0.5
    rule: str = "global"
    start: str = "or"
    criterion: str | Criterion = "bic"
    fit_penalty: str | None = None
    fit_strength: float | None = None


@dataclass(eq=False, repr=False)
class PLRHC(HillClimbing):
    """Learn a graph by hill climbing near the pairs that pass a screen (PLRHC).

    Every pair of variables is tested first; the blanket of a variable is then looked for within
    ``depth`` steps of it in the graph of the pairs that passed.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets; of the screen, which is always BIC_gamma, too.
    depth : int, default=3
        How many steps of the screened graph are near.
    max_candidates : int, optional
        Look for a blanket among so many variables at most: the nearer ones first, then those with
        the largest product of the screen's gains along the way; a `DataWarning` says for how
        many variables there were more. By default among all that are near.
    rule, criterion, start, fit_penalty, fit_strength
        As for `HillClimbing`.
    **parameters
        Of all estimators, as for `HillClimbing`.

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

    _method: ClassVar = methods.Plrhc

    depth: int = 3
    max_candidates: int | None = None


@dataclass(eq=False, repr=False)
class MarginalPseudoLikelihood(StructureEstimator):
    """Learn a graph by hill climbing by the marginal pseudo-likelihood (MPL).

    Parameters
    ----------
    gamma, rule, start
        As for `HillClimbing`, with the default of the method's authors: a climb that starts without
        edges.
    **parameters
        Of all estimators, as for `HillClimbing`.

    Attributes
    ----------
    graph_, or_graph_, adjacency_, blanket_scores_, score_, evaluations_
        As for `HillClimbing`.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> MarginalPseudoLikelihood().fit(coins).graph_.edges.tolist()
    [[0, 2]]
    """

    _method: ClassVar = methods.MarginalPseudoLikelihood

    gamma: float = 0.5
    rule: str = "global"
    start: str = "empty"
