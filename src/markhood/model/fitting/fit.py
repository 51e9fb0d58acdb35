"""`fit_model()`: the fields and couplings of a graph, from data.

The joint pseudo-likelihood is the default: nearly as precise as the likelihood, and as quick for ten thousand
variables as for ten. A weak prior keeps every number finite where data are separated; without one, the numbers
that have no maximum are named.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.encode import column_names, encode_table
from markhood.data.given import as_samples
from markhood.data.matching import Units, matched_codes, read_like, real_units, reals_in
from markhood.data.reading import Missing, stored_reading
from markhood.data.rest_scores import Components, stored_components, with_rest_scores
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.data.weights import weighted
from markhood.errors import InputError, option, warn, warn_not_converged
from markhood.graph.given import GraphLike, as_graph
from markhood.graph.graph import Graph
from markhood.kernels.reference.newton import MAX_STEPS, newton
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.equations import SparseEquations
from markhood.model.fitting.exact import ExactGradients, ExactLikelihood
from markhood.model.fitting.layout import Layout
from markhood.model.fitting.prior import SCALE, precision
from markhood.model.fitting.pseudo_likelihood import PseudoLikelihood
from markhood.model.fitting.report import reported
from markhood.model.fitting.sandwich import Sandwich
from markhood.model.fitting.surprises import Columns
from markhood.model.fitting.tables import Observed

if TYPE_CHECKING:
    from scipy.sparse import csr_array

METHODS = ("pseudo-likelihood", "likelihood", "average")
_NAMES_SHOWN = 3
# A prior so wide that the likelihood does not tell, a sample; and wider still, by which infinities grow.
_NEXT_TO_NOTHING, _WIDER = 1e-9, 1e-2
_NEAR = 1e-3  # standard errors; Newton's method ends within 1e-5


class Fit(NamedTuple):
    """A maximum, its uncertainty, by how much its numbers grow as a next to flat prior becomes flatter, and its log-likelihood.

    ``converged``, of shape (n_variables,), marks the variables whose parameters have no gradient left: at most `_NEAR` in units of
    their standard errors, sqrt(g^2 / curvature). That is checked where a solver ended, whichever it was.
    """

    parameters: NDArray[np.float64]
    sandwich: Sandwich
    average: csr_array
    growth: NDArray[np.float64]
    log_likelihood: float
    converged: NDArray[np.bool_]


def fit_model(
    graph: GraphLike,
    data: Any,
    *,
    method: str = "pseudo-likelihood",
    prior: float | None = SCALE,
    missing: Missing = "error",
    missing_values: Iterable[Any] = (),
    weights: Any = None,
    normalize_weights: bool = True,
) -> FittedModel:
    """Fit the fields and couplings of a graph to data.

    Parameters
    ----------
    graph : Graph or fitted estimator
        Which variables interact; a learned one, or any other over columns of the data.
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables), or path
        With the columns of the graph, and maybe others. What the graph does not know of levels and
        their order is read from them. Covariates of many numbers that the graph was adjusted for must be among
        them: they are in the regression of every variable.
    method : {"pseudo-likelihood", "likelihood", "average"}, default="pseudo-likelihood"
        The joint pseudo-likelihood, each coupling shared by its two ends; the likelihood itself, for
        graphs that are small or nearly trees; or the mean of the two ends' own regressions.
    prior : float or None, default=2.5
        Standard deviation of couplings beforehand, in 0/1 coding; fields have four times that. With None
        the maximum is that of the (pseudo-)likelihood alone, and may be infinite.
    missing : {"error", "drop", "level", "impute"}, default="error"
        What to do about missing values, as for `learn`; with "impute" every regression takes the
        samples that have its variable and all its neighbours.
    missing_values : iterable, default=()
        Further values that mean missing, such as -9 or "?".
    weights : array-like of shape (n_samples,) or "similarity", optional
        How often each sample counts. Samples that have weights already take no others.
    normalize_weights : bool, default=True
        Whether weights that are not whole numbers are scaled to mean 1.

    Returns
    -------
    FittedModel

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> coins = rng.integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = np.where(rng.random(200) < 0.8, coins[:, 0], coins[:, 2])
    >>> model = fit_model(Graph(["x0", "x1", "x2"], [(0, 2)]), coins)
    >>> model.couplings.round(1).tolist()
    [4.4]
    >>> model.intervals().round(1).tolist()
    [[3.5, 5.3]]
    """
    graph = as_graph(graph)
    if method not in METHODS:
        raise InputError(f"Unknown {option('method')} {method!r}: choose {', '.join(METHODS)}.")
    if prior is not None and not (isinstance(prior, Real) and 0 < prior < np.inf):
        raise InputError(
            f"{option('prior')} is the standard deviation of couplings beforehand, above 0, or None; "
            f"it is {prior!r}."
        )
    units = real_units(graph.provenance)
    if method == "likelihood" and (units or graph.factors):
        adjusted = repr(next(iter(units))) if units else "hidden factors"
        raise InputError(
            "not-supported",
            "method",
            f"{option('method', 'likelihood')} cannot be used with a graph that was adjusted for {adjusted}: use "
            f"{option('method', 'pseudo-likelihood')}.",
        )
    samples = _read(graph, data, missing, missing_values, weights, normalize_weights)
    variables = graph.variables if graph.variables.levels else _levels_of(graph, samples)
    components = stored_components(graph.provenance, variables)
    n_factors = 0 if components is None else components.n
    layout = Layout(variables, graph.edges, len(units) + n_factors, components is not None)
    observed = observed_of(samples, variables, units, components)
    fit = fitted(layout, observed, method, prior)
    model = reported(graph, layout, fit, observed, method, prior)
    _name_infinities(model)
    stopped = [variables.names[v] for v in np.flatnonzero(~model.converged)]
    warn_not_converged(stopped, len(stopped))
    return model


def observed_of(
    samples: Samples,
    variables: Variables,
    units: Mapping[str, Units] = MappingProxyType({}),
    components: Components | None = None,
) -> Observed:
    """Return samples as level numbers of the variables, with their weights and covariates."""
    codes = matched_codes(samples, variables)
    reals = with_rest_scores(reals_in(samples, units), codes, variables, components)
    if samples.weights is None:
        return Observed(codes, np.ones(samples.n_samples), reals=reals)
    counts, unit = samples.weights
    return Observed(codes, counts * np.float64(unit), unit == 1.0, reals)


def fitted(
    layout: Layout,
    observed: Observed,
    method: str,
    prior: float | None,
    max_steps: int = MAX_STEPS,
) -> Fit:
    """Find the maximum, in at most so many steps."""
    if method == "likelihood":
        return _by_likelihood(layout, observed, prior, max_steps)
    likelihood = PseudoLikelihood(layout, observed, is_shared=method != "average")
    start = np.zeros(likelihood.n_parameters)
    growth = np.zeros(likelihood.n_parameters)
    if prior is not None:
        weight = _spread_over(likelihood, precision(layout, prior))
        found = _maximum(likelihood, weight, start, max_steps)
    else:
        weight = _faint(likelihood.n_parameters, observed)
        found = _maximum(likelihood, weight, start, max_steps)
        growth = _maximum(likelihood, weight * _WIDER, found, max_steps) - found
    value, curvature = likelihood.value(found), likelihood.curvature(found)
    columns = Columns(likelihood)
    sandwich = Sandwich(
        curvature,
        weight,
        observed,
        lambda some: columns.at(found, some),
        lambda variable: _near(likelihood, variable),
    )
    average = likelihood.average
    parameters = np.asarray(average @ found)
    if not likelihood.is_shared:
        value = PseudoLikelihood(layout, observed).value(parameters)
    left = likelihood.gradient(found) - weight @ found
    converged = _have_converged(left, curvature + weight, likelihood.places)
    return Fit(parameters, sandwich, average, np.asarray(average @ growth), value, converged)


def _by_likelihood(layout: Layout, observed: Observed, prior: float | None, max_steps: int) -> Fit:
    likelihood = ExactLikelihood(layout, observed)
    faint = _faint(layout.n_parameters, observed)
    weight = faint if prior is None else precision(layout, prior)
    start = np.zeros(layout.n_parameters)
    near = _maximum(PseudoLikelihood(layout, observed), weight, start, max_steps)
    found = likelihood.maximum(weight, near, max_steps)
    growth = np.zeros(layout.n_parameters)
    if prior is None:
        growth = likelihood.maximum(weight * _WIDER, found, max_steps) - found
    log_partition, means = likelihood.expected(found)
    n, curvature = observed.weights.sum(), likelihood.information(found)
    value = float(found @ likelihood.sums - n * log_partition)
    everything = np.arange(layout.n_parameters)
    sandwich = Sandwich(
        curvature,
        weight,
        observed,
        lambda some: ExactGradients(likelihood, some, means),
        lambda variable: everything,
    )
    from scipy.sparse import eye_array

    average = eye_array(layout.n_parameters, format="csr")
    places = [layout.places(v) for v in range(len(layout.variables))]
    left = likelihood.sums - n * means - weight @ found
    converged = _have_converged(left, curvature + weight, places)
    return Fit(found, sandwich, average, growth, value, converged)


def _maximum(
    likelihood: PseudoLikelihood,
    precision: csr_array,
    start: NDArray[np.float64],
    max_steps: int,
) -> NDArray[np.float64]:
    """Return where a pseudo-likelihood and a normal prior are highest together."""
    found = newton(
        likelihood, start, precision=precision, max_steps=max_steps, system=SparseEquations()
    )
    return found.coefficients


def _have_converged(
    gradient: NDArray[np.float64], curvature: csr_array, places: list[NDArray[np.int64]]
) -> NDArray[np.bool_]:
    """Return of which variables, with these parameters, nothing is left to climb."""
    is_flat = np.abs(gradient) <= _NEAR * np.sqrt(curvature.diagonal())
    return np.array([bool(is_flat[own].all()) for own in places], np.bool_)


def _faint(n_parameters: int, observed: Observed) -> csr_array:
    from scipy.sparse import eye_array

    strength = _NEXT_TO_NOTHING * max(1.0, float(observed.weights.sum()))
    return (strength * eye_array(n_parameters)).tocsr()


def _spread_over(likelihood: PseudoLikelihood, weight: csr_array) -> csr_array:
    """Return the prior of the vector: each regression's own, where they are apart."""
    if likelihood.is_shared:
        return weight
    from scipy.sparse import block_diag, csr_array

    own = [likelihood.layout.places(v) for v in range(len(likelihood.places))]
    return csr_array(block_diag([weight[places][:, places] for places in own], format="csr"))


def _near(likelihood: PseudoLikelihood, variable: int) -> NDArray[np.int64]:
    """Return the parameters of a variable's regression, and of its neighbours'."""
    nearby = [variable, *likelihood.layout.neighbours[variable].tolist()]
    return np.unique(np.concatenate([likelihood.places[v] for v in nearby]))


def _read(
    graph: Graph,
    data: Any,
    missing: Missing,
    missing_values: Iterable[Any],
    weights: Any,
    normalize_weights: bool,
) -> Samples:
    """Read the columns of the graph; of what was read before, without saying it all again."""
    if graph.n_nodes == 0:
        raise InputError("A model needs at least one variable, and the graph has no nodes.")
    if isinstance(data, Samples):
        if missing != "error" or tuple(missing_values):
            raise InputError(
                f"Samples have been encoded already: choose {option('missing')} and "
                f"{option('missing_values')} when they are."
            )
        return weighted(data, weights, normalize_weights)
    levels = graph.variables.levels
    if levels:
        missing = "level" if any(None in own for own in levels) else missing
    given = {"missing_values": tuple(missing_values)} if tuple(missing_values) else {}
    reading = stored_reading(
        graph.provenance,
        missing=missing,
        weights=weights,
        normalize_weights=normalize_weights,
        **given,
    )
    if levels:
        return read_like(data, graph.variables, reading, reals=tuple(real_units(graph.provenance)))
    if isinstance(data, (str, os.PathLike)) or column_names(data) is not None:
        return as_samples(data, replace(reading, columns=graph.nodes, exclude=()))
    return encode_table(data, reading, graph.nodes)


def _levels_of(graph: Graph, samples: Samples) -> Variables:
    """Return the variables of a graph that knows no levels, with those of the samples."""
    numbers = {name: j for j, name in enumerate(samples.names)}
    absent = [name for name in graph.nodes if name not in numbers]
    if absent:
        raise InputError(
            f"The data have no column {absent[0]!r}, and the graph has a node of that name."
        )
    return replace(samples.variables.pick([numbers[name] for name in graph.nodes]))


def _name_infinities(model: FittedModel) -> None:
    """Say which numbers have no maximum."""
    names = model.variables.names
    edges = [f"{names[i]} - {names[j]}" for i, j in model.graph.edges[model.infinite_couplings]]
    fields = [names[v] for v in np.flatnonzero(model.infinite_fields)]
    parts = [
        f"the {what} of {', '.join(own[:_NAMES_SHOWN])}"
        + (f" and {len(own) - _NAMES_SHOWN} more" if len(own) > _NAMES_SHOWN else "")
        for what, own in (("coupling", edges), ("field", fields))
        if own
    ]
    if parts:
        warn(
            "separated",
            "",
            f"The data are separated, and the maximum is infinite: {'; '.join(parts)}. A prior "
            f"({option('prior', SCALE)}) makes all of them finite.",
        )
