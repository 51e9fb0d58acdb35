"""Feature selection by the Markov blanket of the target."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from markhood.data.coding.encode import encode
from markhood.data.reading import TableFormat
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import DataWarning, InputError
from markhood.learning.blanket import blanket_in
from markhood.learning.request import Request

_TARGET = "target"


@dataclass(eq=False, repr=False)
class BlanketSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the features that a target depends on given all others: its Markov blanket.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets; larger, fewer features.
    depth : int, default=1
        Candidates are the features within so many steps of the screened graph.
    max_levels : int, default=64
        How many distinct values a column may have.
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str, default="auto"
        Whether levels of features are steps.
    bins : int, "auto" or mapping of str to int, optional
        Into how many bins features of many numbers are cut.
    n_jobs : int or None, default=None
        Threads.

    Attributes
    ----------
    evidence_ : ndarray of shape (n_features,)
        What each feature adds to the score of the target's regression; 0 for those not kept.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where ``X`` has column names that are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 4))
    >>> BlanketSelector().fit(coins, coins[:, 0] | coins[:, 2]).get_support()
    array([ True, False,  True, False])
    """

    gamma: float = 0.5
    depth: int = 1
    max_levels: int = 64
    kinds: Any = "auto"
    bins: Any = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the blanket.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The target: classes, or numbers of which there are few.
        sample_weight : array-like of shape (n_samples,), optional
            How often each sample counts.
        """
        if y is None:
            raise InputError(
                "This BlanketSelector estimator requires y to be passed, but the target y is None."
            )
        validate_data(self, X, skip_check_array=True)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        request = Request.of("plrhc", self.get_params(deep=False) | {"weights": weights})
        features = request.read(X)
        wanted = column_or_1d(y, warn=True)
        if weights is not None and weights.shape == wanted.shape:
            wanted = wanted[weights > 0]  # others are no samples
        if len(wanted) != features.n_samples:
            raise InputError(
                f"X has {features.n_samples} samples and y {len(wanted)}: give as many of both."
            )
        together = _joined(features, _as_samples(wanted, self.max_levels))
        found = blanket_in(request, together, features.n_variables, self.gamma, self.depth)
        self.evidence_: NDArray[np.float64] = np.zeros(features.n_variables)
        self.evidence_[found.numbers] = found.evidence
        self._is_kept = np.zeros(features.n_variables, np.bool_)
        self._is_kept[found.numbers] = True
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self._is_kept

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what kind of data this takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def _as_samples(target: NDArray[Any], max_levels: int) -> Samples:
    """Return the target as samples of two columns, both the same: a table of one is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of columns that are the same
        both = encode(np.column_stack([target, target]), table=TableFormat(max_levels=max_levels))
    return both.pick(np.zeros(1, np.int64))


def _joined(features: Samples, target: Samples) -> Samples:
    """Return samples with the target as their last variable."""
    name = _TARGET
    while name in features.names:
        name += "_"
    variables = Variables(
        (*features.names, name),
        (*features.levels, *target.levels),
        (*features.variables.is_ordered, *target.variables.is_ordered),
    )
    words = np.concatenate([features.words, target.words])
    return replace(features, words=words, variables=variables, account=None)
