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
    n_jobs : int, optional
        Threads; -1 for all.
    missing : {"error", "drop", "level", "impute"}, default="error"
        What to do about missing values: refuse them, leave out the samples that have any, make
        them a level of their own, or learn from several completed data sets.
    missing_values : iterable, default=()
        Further values that mean missing, such as -9 or "?".
    max_levels : int, default=64
        How many distinct values a column may have.
    imputations : int, default=10
        How many completed data sets there are with ``missing="impute"``.
    random_state : int, optional
        What their random numbers start from; by default 0.
    required_edges, forbidden_edges : sequence of pairs, array of shape (n, 2), or path, optional
        Edges that the graph has whatever the data say, and edges that it does not have; pairs of
        column names or numbers, or a file with a pair on every line.
    groups : mapping, sequence of n_features labels, or path, optional
        The group of every variable: by name, in order, or in a file.
    group_rule : {"between", "within"}, default="between"
        Which edges may be learned where there are groups: those between two, or within one.

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
    criterion: str | Criterion = "bic"
    start: str = "or"
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
class MarginalPseudoLikelihood(HillClimbing):
    """Learn a graph by hill climbing by the marginal pseudo-likelihood (MPL).

    Parameters
    ----------
    gamma, rule, criterion, start, fit_penalty, fit_strength
        As for `HillClimbing`, with the defaults of the method's authors: the criterion "mpl", and
        a climb that starts without edges.
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

    criterion: str | Criterion = "mpl"
    start: str = "empty"
