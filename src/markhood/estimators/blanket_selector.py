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

from markhood.arrays import Bools, Floats, Ints
from markhood.data.coding.encode import column_names, encode_table
from markhood.data.reading import Missing, Reading
from markhood.data.samples import Samples
from markhood.data.variables import Variables, default_names
from markhood.errors import DataWarning, InputError
from markhood.learning.blanket import blanket_in
from markhood.learning.request import Request

_TARGET = "target"


@dataclass(eq=False, repr=False)
class BlanketSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the features in the Markov blanket of a target.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the model-space penalty in BIC_gamma; larger gives fewer features.
    depth : int, default=1
        Search among the features within this many steps of the target in the screened graph.
    max_levels : int, default=64
        Maximum number of distinct values in a column.
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str, default="auto"
        Whether the levels of features are ordered.
    bins : int, "auto" or mapping of str to int, optional
        Number of equal-frequency bins for numeric features with more than 12 distinct values.
    missing : {"auto", "error", "drop", "level", "impute"}, default="auto"
        Missing values of features, as for `learn`. Samples without a target are left out with
        "auto" and "impute".
    n_jobs : int or None, default=None
        Number of threads; -1 for all.

    Attributes
    ----------
    evidence_ : ndarray of shape (n_features,)
        Gain of each feature in the score of the regression of the target; 0 if not selected.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Column names of ``X``, if all are strings.

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
    missing: Missing = "auto"
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the blanket.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The target: classes, or numbers with few distinct values.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample.
        """
        if y is None:
            raise InputError(
                "option-needed",
                "y",
                "This BlanketSelector estimator requires y to be passed, but the target y is None.",
            )
        validate_data(self, X, skip_check_array=True)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        request = Request.of("plrhc", self.get_params(deep=False) | {"weights": weights})
        features = request.read(X)
        wanted = column_or_1d(y, warn=True)
        n_rows = features.n_samples if features.account is None else features.account.n_rows
        if len(wanted) != n_rows:
            raise InputError(
                "model-data",
                "y",
                f"X has {n_rows} samples and y has {len(wanted)}: pass the same number of both.",
            )
        together = _joined(features, self._target(wanted, weights))
        found = blanket_in(request, together, features.n_variables, self.gamma, self.depth)
        names = column_names(X) or default_names(self.n_features_in_)
        # Some columns may be left out.
        numbers = np.array([names.index(name) for name in found.names], np.int64)
        self.evidence_: Floats = np.zeros(self.n_features_in_)
        self.evidence_[numbers] = found.evidence
        self._is_kept = np.zeros(self.n_features_in_, np.bool_)
        self._is_kept[numbers] = True
        return self

    def _target(self, values: NDArray[Any], weights: NDArray[Any] | None) -> Samples:
        """Return the target as samples of one variable."""
        n_distinct = len({value for value in values.tolist() if value == value})  # noqa: PLR0124
        if n_distinct > self.max_levels:
            raise InputError(
                "too-many-levels",
                "y",
                f"The target has {n_distinct} distinct values, and max_levels is "
                f"{self.max_levels}: cut it into classes, or raise max_levels.",
            )
        table = np.empty((len(values), 1), object)
        table[:, 0] = values.tolist()
        is_left_out = self.missing in ("auto", "impute")
        reading = Reading(
            missing="drop" if is_left_out else self.missing,
            missing_values=(),
            max_levels=self.max_levels,
            weights=weights,
            min_columns=1,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the same as for the features
            return encode_table(table, reading, [_TARGET])

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self._is_kept

    def __sklearn_tags__(self) -> Any:
        """Declare the supported data to scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.target_tags.required = True
        return tags


def _joined(features: Samples, target: Samples) -> Samples:
    """Join features and target on their common rows, with the target as the last variable."""
    if features.rows is not None or target.rows is not None:
        both = np.intersect1d(_rows(features), _rows(target))
        features = features.take(np.searchsorted(_rows(features), both))
        target = target.take(np.searchsorted(_rows(target), both))
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


def _rows(samples: Samples) -> Ints:
    return np.arange(samples.n_samples) if samples.rows is None else samples.rows
