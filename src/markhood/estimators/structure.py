"""What all estimators share: fit a method, keep what it found, score new samples.

The parameters of an estimator are the options of its method, how to read the data, and what is
known beforehand; all the work is done by `markhood.learning.learn`, and here are only scikit-learn's customs.
Estimators are dataclasses, so that each names only what it adds: scikit-learn finds all
parameters in the `__init__` that is made for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from markhood.data.coding.encode import encode_like
from markhood.data.formats.files import as_samples
from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.learning.imputation import Imputation
from markhood.learning.learn import known_beforehand, learn_from
from markhood.learning.methods import Method, options_of


@dataclass(eq=False, repr=False)
class StructureEstimator(BaseEstimator):  # type: ignore[misc]
    """A scikit-learn estimator around a method."""

    _method: ClassVar[type[Method]]
    n_jobs: int | None = field(default=None, kw_only=True)
    missing: str = field(default="error", kw_only=True)
    missing_values: Iterable[Any] = field(default=(), kw_only=True)
    max_levels: int = field(default=64, kw_only=True)
    imputations: int = field(default=10, kw_only=True)
    random_state: int | None = field(default=None, kw_only=True)
    required_edges: Any = field(default=None, kw_only=True)
    forbidden_edges: Any = field(default=None, kw_only=True)
    groups: Any = field(default=None, kw_only=True)
    group_rule: str = field(default="between", kw_only=True)

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Learn the graph.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), Samples, or path
            Every column has at most `max_levels` distinct values, whatever they are. A path is
            read as by `read_samples`; one that `pack` made is mapped into memory.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            How often each sample counts. Whole numbers are frequencies; others are scaled to
            mean 1 and rounded to a 1024th.
        """
        is_table = not isinstance(X, (str, os.PathLike, Samples))
        if is_table:
            validate_data(self, X, skip_check_array=True)
        samples = as_samples(
            X,
            missing=self.missing,
            missing_values=self.missing_values,
            max_levels=self.max_levels,
            weights=sample_weight,
        )
        if not is_table:
            self.n_features_in_ = samples.n_variables
            self.feature_names_in_ = np.array(samples.names, dtype=object)
        method = self._method(**{name: getattr(self, name) for name in options_of(self._method)})
        known = known_beforehand(
            samples.names,
            self.required_edges,
            self.forbidden_edges,
            self.groups,
            self.group_rule,
        )
        learned = learn_from(
            samples,
            method,
            runner=Runner(self.n_jobs),
            knowledge=known,
            imputation=Imputation(self.imputations, self.random_state or 0),
        )
        self.graph_: Graph = learned.graph
        self.or_graph_: Graph = learned.or_graph
        if learned.screened_graph is not None:
            self.screened_graph_: Graph = learned.screened_graph
        self.adjacency_ = learned.graph.adjacency()
        self.blanket_scores_: NDArray[np.float64] = learned.blanket_scores
        self.score_ = float(learned.blanket_scores.sum())
        self.evaluations_ = learned.evaluations
        self._regressions = learned.regressions
        self._levels = samples.levels
        self._n_samples = samples.n_samples
        return self

    def score(self, X: Any, y: None = None) -> float:
        """Return the mean log pseudo-likelihood of samples.

        Each variable is predicted from its neighbours by its own regression, with probabilities
        kept off 0 and 1 by 1/(2N) where N is the number of samples it was fitted to. Where missing
        values are imputed, samples that have some are left out here.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            With the values that the fitted data had.
        y : None
            Not used.
        """
        check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=False)
        samples = encode_like(
            X,
            self._levels,
            self.graph_.nodes,
            missing="drop" if self.missing == "impute" else self.missing,
            missing_values=self.missing_values,
        )
        return self._regressions.log_pseudo_likelihood(samples, 1 / (2 * self._n_samples))

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._graph_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._graph_html()
        return bundle

    def _graph_html(self) -> str:
        """Return the graph as a notebook shows it, below scikit-learn's diagram; once fitted."""
        return self.graph_._repr_html_() if hasattr(self, "graph_") else ""

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what kind of data this takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags
