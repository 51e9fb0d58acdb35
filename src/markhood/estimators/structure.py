"""What all estimators share: fit a method, keep what it found, score new samples.

The parameters of an estimator are declared elsewhere: those of its method, and those that all methods share. The
work is done by the request that they make (`markhood.learning.request`); here are only scikit-learn's conventions.
Estimators are dataclasses that inherit the options, so that scikit-learn and type checkers find all parameters
in the `__init__` that is made for them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from markhood.data.coding.encode import column_names
from markhood.data.matching import numbers_like, real_units
from markhood.data.rest_scores import stored_components, with_rest_scores
from markhood.data.samples import Samples
from markhood.graph.graph import Graph
from markhood.learning.describe import LearnedGraph
from markhood.learning.methods import Method
from markhood.learning.request import Request, SharedOptions, flattened
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.fit import fit_model
from markhood.model.fitting.prior import SCALE
from markhood.model.regressions import Regressions
from markhood.options import documented

if (
    TYPE_CHECKING
):  # scikit-learn is untyped, and below an untyped base a type checker accepts any keyword

    class BaseEstimator:
        """What a type checker sees of scikit-learn's base class."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters."""

        def set_params(self, **params: Any) -> Self:
            """Change parameters."""

        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]: ...
        def __sklearn_tags__(self) -> Any: ...
else:
    from sklearn.base import BaseEstimator


def _has_regressions(estimator: StructureEstimator) -> bool:
    return estimator._is_conditional


@dataclass(kw_only=True, eq=False, repr=False)
class StructureEstimator(BaseEstimator, SharedOptions):
    """A scikit-learn estimator around a method."""

    _method: ClassVar[type[Method]]
    _is_conditional: ClassVar[bool] = True  # whether edges are given the other neighbours

    def __init_subclass__(cls) -> None:
        """Write the options into the docstring."""
        super().__init_subclass__()
        if "_method" in cls.__dict__:
            documented(cls._method, SharedOptions)(cls)

    def flat_options(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the method, and all options as `markhood.learning.request.Request.of` takes them."""
        return self._method.name, flattened(self.get_params(deep=False))

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Learn the graph.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), Samples, or path
            A path is read as by `read_samples`; one that `pack` made is mapped into memory.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            How often each sample counts, the `weights` of `learn`. Whole numbers are frequencies;
            others are scaled to mean 1 and rounded to a 1024th.
        """
        is_table = _is_table(X)
        if is_table:
            validate_data(self, X, skip_check_array=True)
        name, options = self.flat_options()
        with Request.of(name, options | {"weights": sample_weight}) as request:
            samples = request.read(X)
            if not is_table:
                self.n_features_in_ = samples.n_variables
                self.feature_names_in_ = np.array(samples.names, dtype=object)
            self._keep(request.learn(samples))
        self._samples: Samples | None = samples
        self._model: FittedModel | None = None
        self._reading = request.reading
        self._n_samples = samples.n_samples
        return self

    def _keep(self, learned: LearnedGraph) -> None:
        """Keep what was found, as attributes."""
        self.graph_: Graph = learned.graph
        self.or_graph_: Graph = learned.or_graph
        if learned.screened_graph is not None:
            self.screened_graph_: Graph = learned.screened_graph
        self.adjacency_ = learned.graph.adjacency()
        self.evaluations_ = learned.evaluations
        if learned.regressions is not None and learned.blanket_scores is not None:
            self.blanket_scores_: NDArray[np.float64] = learned.blanket_scores
            self.score_ = float(learned.blanket_scores.sum())
            self.regressions_: Regressions = learned.regressions

    @property
    def model_(self) -> FittedModel:
        """The distribution on ``graph_``: fields and couplings, fitted when it is first asked for.

        By `fit_model` with its defaults. Until then an estimator keeps its data, packed.
        """
        check_is_fitted(self)
        if self._model is None:
            assert self._samples is not None
            self._model = fit_model(self.graph_, self._samples, prior=self._coupling_scale())
            self._samples = None
        return self._model

    def _coupling_scale(self) -> float:
        """Return the standard deviation of couplings beforehand."""
        return SCALE

    @available_if(_has_regressions)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: None = None) -> float:
        """Return the mean log pseudo-likelihood of samples.

        Each variable is predicted from its neighbours by its own regression, with probabilities
        kept off 0 and 1 by 1/(2N) where N is the number of samples it was fitted to. Where missing
        values are imputed, samples that have some are left out here. A level that did not occur in the fitted data
        has the probability 1/(2N).

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), Samples, or path
            Read as the fitted data were; columns of data frames and files are matched by name.
        y : None
            Not used.
        """
        check_is_fitted(self)
        if _is_table(X) and column_names(X) is None:
            validate_data(self, X, skip_check_array=True, reset=False)
        variables = self.regressions_.variables
        values, reals = numbers_like(
            X,
            variables,
            reading=self._reading,
            missing=self.missing,
            unseen=True,
            names=tuple(getattr(self, "feature_names_in_", ())),
            units=real_units(self.graph_.provenance),
        )
        components = stored_components(self.graph_.provenance, self.graph_.variables)
        reals = with_rest_scores(reals, values, variables, components)
        margin = 1 / (2 * self._n_samples)
        return self.regressions_.mean_log_probability(values, margin, reals=reals)

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


def _is_table(X: Any) -> bool:
    """Whether data are what scikit-learn knows, and no file nor packed already."""
    return not isinstance(X, (str, os.PathLike, Samples))
