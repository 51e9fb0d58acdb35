"""Base class of the estimators: fit a method, store the result, score new samples.

The parameters of an estimator are the options of its method and those that all methods share, which
are declared with the methods. A request (`markhood.learning.request`) does the work; this module
has the conventions of scikit-learn. Estimators are dataclasses that inherit the options, so that
scikit-learn and type checkers find all parameters in the generated `__init__`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from markhood.arrays import Floats
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
from markhood.model.fitting.layout import SCALE
from markhood.model.regressions import Regressions
from markhood.options import parameter_section

# scikit-learn is untyped, and a type checker accepts any keyword of a class with an untyped base.
if TYPE_CHECKING:

    class BaseEstimator:
        """The base class of scikit-learn, for type checkers."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters."""

        def set_params(self, **params: Any) -> Self:
            """Change parameters."""

        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]: ...
        def __sklearn_tags__(self) -> Any: ...
else:
    from sklearn.base import BaseEstimator


ATTRIBUTES = """graph_ : Graph
    The learned graph.
or_graph_ : Graph
    The union of all blankets; the edges of ``graph_`` where the method has no blankets.
adjacency_ : csr_array of shape (n_features, n_features), dtype bool
    Whether two variables are joined.
evaluations_ : dict of str to ndarray
    Number of blankets of each size that were scored, by phase.
model_ : FittedModel
    The distribution on ``graph_``, fitted on first access; see `fit_model`.
n_features_in_ : int
    Number of variables.
feature_names_in_ : ndarray of str
    Column names of ``X``, if all are strings.
"""
OF_REGRESSIONS = """blanket_scores_ : ndarray of shape (n_features,)
    Score of every variable in ``graph_``; 0 for a constant one.
score_ : float
    Their sum.
regressions_ : Regressions
    Regressions of every variable on its neighbours in ``graph_``.
"""
ATTRIBUTES_HEADING, EXAMPLES_HEADING = "Attributes\n----------\n", "Examples\n--------\n"
EXAMPLE = """>>> import numpy as np
>>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
>>> coins[20:, 2] = coins[20:, 0]
>>> {name}().fit(coins).graph_.edges.tolist()
[[0, 2]]"""


@dataclass(kw_only=True, eq=False, repr=False)
class StructureEstimator(BaseEstimator, SharedOptions):
    """A scikit-learn estimator around a method."""

    _method: ClassVar[type[Method]]
    _is_conditional: ClassVar[bool] = True  # whether edges are conditional on other neighbours

    def __init_subclass__(cls) -> None:
        """Add the options, the attributes of all estimators and an example to the docstring."""
        super().__init_subclass__()
        if "_method" not in cls.__dict__ or cls.__doc__ is None:  # None with python -OO
            return
        about, _, example = cleandoc(cls.__doc__).partition(EXAMPLES_HEADING)
        about, _, own = about.partition(ATTRIBUTES_HEADING)
        shared = ATTRIBUTES + OF_REGRESSIONS * cls._is_conditional
        named = {line.partition(" : ")[0] for line in own.splitlines() if " : " in line}
        entries = [
            one for one in re.split(r"(?m)^(?=\S)", shared) if one.partition(" ")[0] not in named
        ]
        cls.__doc__ = (
            f"{about.strip()}\n\nParameters\n----------\n"
            f"{parameter_section((cls._method, SharedOptions), '')}\n\n"
            f"{ATTRIBUTES_HEADING}{''.join(entries)}{own.strip()}\n\n"
            f"{EXAMPLES_HEADING}{example or EXAMPLE.format(name=cls.__name__)}"
        )

    def flat_options(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the method and all options, for `Request.of`.

        Without gamma if it was not passed, because learning may then choose a larger one.
        """
        options = flattened(self.get_params(deep=False))
        if options.get("gamma") is getattr(type(self), "gamma", None):
            options.pop("gamma", None)
        return self._method.name, options

    def fit(
        self,
        X: Any,
        y: None = None,
        sample_weight: Any = None,
        clusters: Any = None,
        time: Any = None,
    ) -> Self:
        """Learn the graph.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), Samples, or path
            A path is read by `read_samples`; a folder made by `pack` is memory-mapped.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, as in `learn`.
        clusters : str or array-like of shape (n_samples,), optional
            Clusters of samples that depend on each other: labels, or the name of a column.
        time : str or array-like of shape (n_samples,), optional
            Time of each sample, or the name of its column; see `learn`.
        """
        is_table = _is_table(X)
        if is_table:
            validate_data(self, X, skip_check_array=True)
        name, options = self.flat_options()
        of_rows = {"weights": sample_weight, "clusters": clusters, "time": time}
        with Request.of(name, options | of_rows) as request:
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
        """Store the result as attributes."""
        self.graph_: Graph = learned.graph
        self.or_graph_: Graph = learned.or_graph
        if learned.screened_graph is not None:
            self.screened_graph_: Graph = learned.screened_graph
        self.adjacency_ = learned.graph.adjacency()
        self.evaluations_ = learned.evaluations
        if learned.regressions is not None and learned.blanket_scores is not None:
            self.blanket_scores_: Floats = learned.blanket_scores
            self.score_ = float(learned.blanket_scores.sum())
            self.regressions_: Regressions = learned.regressions

    @property
    def model_(self) -> FittedModel:
        """The distribution on ``graph_``, fitted by `fit_model` on first access.

        Until then, the estimator keeps the packed data.
        """
        check_is_fitted(self)
        if self._model is None:
            assert self._samples is not None
            self._model = fit_model(self.graph_, self._samples, prior=self._coupling_scale())
            self._samples = None
        return self._model

    def _coupling_scale(self) -> float:
        """Return the prior standard deviation of couplings."""
        return SCALE

    @available_if(lambda own: own._is_conditional)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: None = None) -> float:
        """Return the mean log pseudo-likelihood of samples.

        Each variable is predicted from its neighbours by its regression, with probabilities bounded
        away from 0 and 1 by 1/(2N), where N is the number of samples of the fit. With
        ``missing="impute"``, samples with missing values are left out. A level that did not occur
        in the fitted data has the probability 1/(2N).

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), Samples, or path
            Read with the options of the fit; columns of data frames and files are matched by name.
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
        """Return the HTML of the graph, shown below the diagram of scikit-learn after fitting."""
        return self.graph_._repr_html_() if hasattr(self, "graph_") else ""

    def __sklearn_tags__(self) -> Any:
        """Declare the supported data to scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


def _is_table(X: Any) -> bool:
    """Return whether data are a table, not a file or packed samples."""
    return not isinstance(X, (str, os.PathLike, Samples))
