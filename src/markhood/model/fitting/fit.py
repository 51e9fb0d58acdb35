"""`fit_model()`: estimate the fields and couplings of a graph from data.

The default is the joint pseudo-likelihood, which is nearly as precise as the likelihood and
feasible for thousands of variables. A weak prior keeps all estimates finite if the data are
separated; without a prior, a warning names the infinite estimates.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.coding.encode import column_names, encode_table
from markhood.data.genome.identical import agreement, near_copies, warn_of_copies
from markhood.data.labels import as_samples, read_in_clusters
from markhood.data.matching import Units, matched_codes, read_like, real_units, reals_in
from markhood.data.reading import Missing, Reading, TableFormat, reading_of, stored_reading
from markhood.data.rest_scores import Components, stored_components, with_rest_scores
from markhood.data.samples import Samples
from markhood.data.storage.memory import available_memory, readable
from markhood.data.variables import Variables
from markhood.data.weights import WeightsAre, weighted
from markhood.errors import InputError, option, option_error, warn, warn_not_converged
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph
from markhood.kernels.reference.newton import MAX_STEPS, newton
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.exact import ExactGradients, ExactLikelihood
from markhood.model.fitting.layout import SCALE, Layout, precision
from markhood.model.fitting.pseudo_likelihood import (
    Information,
    PseudoLikelihood,
    SparseEquations,
    dense_block,
)
from markhood.model.fitting.report import reported
from markhood.model.fitting.sandwich import MOST_NEAR, ResidualColumns, Sandwich
from markhood.model.potts.network import invalid_model
from markhood.options import checked

if TYPE_CHECKING:
    from scipy.sparse import csr_array

METHODS = ("pseudo-likelihood", "likelihood", "average")
_NAMES_SHOWN = 3
_WIDEST = 1e6  # prior: beyond it, the squares are lost in rounding
# Precision per sample of a nearly flat prior, and the logarithm of a factor that makes it flatter:
# infinite estimates are those that grow with it. The derivative by this logarithm is H^-1 P b.
_FLAT_PRECISION, _FLATTER = 1e-9, float(np.log(100))
# Graphs with more parameters than this are refused if there are more than four per observed value.
_ALWAYS_FITTED, _MOST_PER_VALUE = 4000, 4
_BYTES_PER_ENTRY = 40  # of an information matrix while it is summed
_TOLERANCE = 1e-3  # of the gradient, in standard errors; Newton's method stops within 1e-5


class Fit(NamedTuple):
    """A maximum, with its uncertainty and log-likelihood.

    ``growth`` is the change of the parameters if a nearly flat prior becomes flatter.
    ``converged``, of shape (n_variables,), marks the variables whose gradient g is at most
    `_TOLERANCE` in units of standard errors, sqrt(g^2 / curvature); it is checked at the result of
    any solver.
    """

    parameters: Floats
    sandwich: Sandwich
    average: csr_array | None
    growth: Floats
    log_likelihood: float
    converged: Bools


@checked
def fit_model(
    graph: GraphLike,
    data: Any,
    *,
    method: str = "pseudo-likelihood",
    prior: float | None = SCALE,
    all_pairs: bool = False,
    missing: Missing = "auto",
    missing_values: Iterable[Any] = "auto",
    weights: Any = None,
    weights_are: WeightsAre = "auto",
    clusters: Any = None,
    time: Any = None,
    table: TableFormat | None = None,
) -> FittedModel:
    """Fit the fields and couplings of a graph to data.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The graph of interactions, learned or not; its nodes are columns of the data.
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables), or path
        With the columns of the graph, and possibly others. Levels that the graph does not specify
        are read from the data. Continuous covariates that the graph was adjusted for must be
        present, because the regressions of all variables include them.
    method : {"pseudo-likelihood", "likelihood", "average"}, default="pseudo-likelihood"
        The joint pseudo-likelihood, with each coupling shared by its two ends; the exact
        likelihood, for small graphs and graphs of low treewidth; or the mean of the two ends'
        regressions.
    prior : float or None, default=2.5
        Prior standard deviation of couplings, in 0/1 coding; that of fields is four times as large.
        None maximises the (pseudo-)likelihood alone, and estimates may be infinite.
    all_pairs : bool, default=False
        Whether to fit the couplings of all pairs instead of the edges alone. Intervals for a graph
        that was learned from the same data are too narrow, above all those of fields, because they
        do not include the selection of edges. With all pairs nothing is selected. This takes five
        or more samples per variable, and intervals are two to three times as wide.
    missing : {"auto", "error", "drop", "level", "impute"}, default="auto"
        How to treat missing values, as for `learn`; instead of imputing values, each regression
        uses the samples in which its variable and all its neighbours are known, and
        ``method="likelihood"`` the complete samples.
    missing_values : iterable or "auto", default="auto"
        Codes for missing values, such as -9 or "?"; by default those of the data of the graph.
    weights : array-like of shape (n_samples,) or "similarity", optional
        Weights of the samples. Not possible for `Samples` that have weights.
    weights_are : {"auto", "frequencies", "survey"}, default="auto"
        What the weights are, as for `TableFormat`.
    clusters : str or sequence of n_samples labels, optional
        Clusters of samples that depend on each other, or the name of their column: standard errors
        take the sums over clusters. Not possible for `Samples` that have clusters.
    time : str or sequence of n_samples times, optional
        The time of each sample, or the name of its column: blocks of consecutive rows are clusters.
    table : TableFormat, optional
        Only the roles of its codebook are used: weight, cluster, person and time.

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
    graph = _with_all_pairs(as_graph(graph)) if all_pairs else as_graph(graph)
    if method not in METHODS:
        raise InputError(
            "option-value",
            "method",
            f"Unknown {option('method')} {method!r}: choose {', '.join(METHODS)}.",
        )
    if prior is not None and not (isinstance(prior, Real) and 1 / _WIDEST <= prior <= _WIDEST):
        raise option_error(
            "prior",
            f"must be a standard deviation between {1 / _WIDEST:g} and {_WIDEST:g}, or None, not "
            f"{prior!r}.",
        )
    units = real_units(graph.provenance)
    if method == "likelihood" and (units or graph.factors):
        adjusted = repr(next(iter(units))) if units else "hidden factors"
        raise InputError(
            "not-supported",
            "method",
            f"{option('method', 'likelihood')} does not support a graph that was adjusted for "
            f"{adjusted}: use {option('method', 'pseudo-likelihood')}.",
        )
    if missing == "auto" and method == "likelihood" and not isinstance(data, Samples):
        missing = "drop"
    given = reading_of_rows(weights, weights_are, clusters, time, table)
    samples = read_for(graph, data, missing, missing_values, given)
    variables = graph.variables if graph.variables.levels else _levels_of(graph, samples)
    components = stored_components(graph.provenance, variables)
    n_factors = 0 if components is None else components.n
    layout = Layout(variables, graph.edges, len(units) + n_factors, components is not None)
    observed = observed_of(samples, variables, units, components)
    _require_size(layout, observed)
    _warn_of_joined_copies(graph, samples)
    fit = fitted(layout, observed, method, prior)
    model = reported(graph, layout, fit, observed, method, prior)
    _warn_of_infinite_estimates(model)
    stopped = [variables.names[v] for v in np.flatnonzero(~model.converged)]
    warn_not_converged(stopped, len(stopped))
    return model


def _with_all_pairs(graph: Graph) -> Graph:
    """Return the graph that joins all pairs of the same variables."""
    every = np.column_stack(np.triu_indices(graph.n_nodes, 1))
    return Graph(graph.variables, every, provenance={**graph.provenance, "all_pairs": True})


def _require_size(layout: Layout, observed: Observed) -> None:
    """Raise if a model has far more parameters than the data have values, or needs more memory."""
    n = layout.n_parameters
    widths = np.bincount(
        layout.edges.ravel(), np.repeat(np.diff(layout.coupling_starts), 2), len(layout.n_levels)
    )
    needed, available = _BYTES_PER_ENTRY * float((widths**2).sum()), available_memory()
    many = n > _ALWAYS_FITTED and n > _MOST_PER_VALUE * observed.codes.size
    if not many and (available is None or needed < available):
        return
    against = f"{readable(available or 0)} of memory, and fitting takes {readable(needed)}"
    if many:
        against = f"{observed.codes.size} observed values"
    raise InputError(
        "model-size",
        "graph",
        f"The model on this graph has {n} parameters for {against}: merge rare levels, declare "
        "columns as ordinal, or use a graph with fewer edges.",
    )


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
        return Observed(codes, np.ones(samples.n_samples), True, reals, samples.clusters)
    counts, unit = samples.weights
    return Observed(codes, counts * np.float64(unit), unit == 1.0, reals, samples.clusters)


def fitted(
    layout: Layout,
    observed: Observed,
    method: str,
    prior: float | None,
    max_steps: int = MAX_STEPS,
) -> Fit:
    """Maximise the (pseudo-)likelihood with a prior, in at most `max_steps` Newton steps."""
    if method == "likelihood":
        return _by_likelihood(layout, observed, prior, max_steps)
    likelihood = PseudoLikelihood(layout, observed, is_shared=method != "average")
    weight = _nearly_flat(likelihood.n_parameters, observed)
    if prior is not None:
        weight = _prior_of(likelihood, precision(layout, prior))
    found = _maximum(likelihood, weight, np.zeros(likelihood.n_parameters), max_steps)
    value, information = likelihood.value(found), likelihood.curvature(found) + weight
    growth = np.zeros(likelihood.n_parameters)
    if prior is None:
        system = SparseEquations()
        system.factorise(information, is_new=True)
        growth = _FLATTER * system.solve(weight @ found)
    columns = ResidualColumns(likelihood)
    sandwich = Sandwich(
        information.block,
        weight,
        observed,
        lambda some: columns.at(found, some),
        lambda variable: _nearby_parameters(likelihood, variable),
    )
    average, parameters = likelihood.average, found
    if average is not None:
        parameters, growth = np.asarray(average @ found), np.asarray(average @ growth)
        value = PseudoLikelihood(layout, observed).value(parameters)
    gradient = likelihood.gradient(found) - weight @ found
    converged = _have_converged(gradient, information.diagonal(), likelihood.positions)
    return Fit(parameters, sandwich, average, growth, value, converged)


def separate_regressions(
    layout: Layout, observed: Observed, prior: float = SCALE
) -> tuple[PseudoLikelihood, Floats, Information]:
    """Fit one regression per variable; return the parameters, and the information with the prior.

    The parameters of each regression are at ``positions`` of the returned likelihood.
    """
    likelihood = PseudoLikelihood(layout, observed, is_shared=False)
    weight = _prior_of(likelihood, precision(layout, prior))
    found = _maximum(likelihood, weight, np.zeros(likelihood.n_parameters), MAX_STEPS)
    return likelihood, found, likelihood.curvature(found) + weight


def _by_likelihood(layout: Layout, observed: Observed, prior: float | None, max_steps: int) -> Fit:
    likelihood = ExactLikelihood(layout, observed)
    flat = _nearly_flat(layout.n_parameters, observed)
    weight = flat if prior is None else precision(layout, prior)
    start = np.zeros(layout.n_parameters)
    warm = _maximum(PseudoLikelihood(layout, observed), weight, start, max_steps)
    found = likelihood.maximum(weight, warm, max_steps)
    information = (likelihood.information(found) + weight).tocsr()
    growth = np.zeros(layout.n_parameters)
    if prior is None:
        growth = _FLATTER * np.linalg.solve(information.toarray(), weight @ found)
    log_partition, means = likelihood.expected(found)
    n = observed.weights.sum()
    value = float(found @ likelihood.sums - n * log_partition)
    everything = np.arange(layout.n_parameters)
    sandwich = Sandwich(
        lambda near: dense_block(information, near, near),
        weight,
        observed,
        lambda some: ExactGradients(likelihood, some, means),
        lambda variable: everything,
    )
    positions = [layout.positions(v) for v in range(len(layout.variables))]
    gradient = likelihood.sums - n * means - weight @ found
    converged = _have_converged(gradient, information.diagonal(), positions)
    return Fit(found, sandwich, None, growth, value, converged)


def _maximum(
    likelihood: PseudoLikelihood, precision: csr_array, start: Floats, max_steps: int
) -> Floats:
    """Return the maximum of a pseudo-likelihood with a normal prior."""
    found = newton(
        likelihood, start, precision=precision, max_steps=max_steps, system=SparseEquations()
    )
    return found.coefficients


def _have_converged(gradient: Floats, diagonal: Floats, positions: list[Ints]) -> Bools:
    """Return whether the gradients of the parameters of each variable are nearly 0."""
    is_flat = np.abs(gradient) <= _TOLERANCE * np.sqrt(diagonal)
    return np.array([bool(is_flat[own].all()) for own in positions], np.bool_)


def _nearly_flat(n_parameters: int, observed: Observed) -> csr_array:
    from scipy.sparse import eye_array

    strength = _FLAT_PRECISION * max(1.0, float(observed.weights.sum()))
    return (strength * eye_array(n_parameters)).tocsr()


def _prior_of(likelihood: PseudoLikelihood, weight: csr_array) -> csr_array:
    """Return the prior precision of the vector, block by block for separate regressions."""
    if likelihood.is_shared:
        return weight
    from scipy.sparse import block_diag, csr_array

    positions = [likelihood.layout.positions(v) for v in range(len(likelihood.positions))]
    return csr_array(block_diag([weight[own][:, own] for own in positions], format="csr"))


def _nearby_parameters(likelihood: PseudoLikelihood, variable: int) -> Ints:
    """Return the parameters of the regressions of a variable and, if not many, its neighbours."""
    nearby = [variable, *likelihood.layout.neighbours[variable].tolist()]
    found = np.unique(np.concatenate([likelihood.positions[v] for v in nearby]))
    return found if len(found) <= MOST_NEAR else np.unique(likelihood.positions[variable])


def reading_of_rows(
    weights: Any,
    weights_are: WeightsAre,
    clusters: Any,
    time: Any = None,
    table: TableFormat | None = None,
) -> Reading:
    """Return the options of reading that concern the weights and the dependence of rows."""
    of_weights: dict[str, Any] = {} if weights_are == "auto" else {"weights_are": weights_are}
    return reading_of(table, weights=weights, clusters=clusters, time=time, **of_weights)


def read_for(
    graph: Graph,
    data: Any,
    missing: Missing,
    missing_values: Iterable[Any],
    given: Reading,
) -> Samples:
    """Read the columns of the graph as its data were read, with the weights and clusters given."""
    if graph.n_nodes == 0:
        raise invalid_model("graph", "A model needs a graph with at least one variable.")
    if isinstance(data, Samples):
        is_auto = isinstance(missing_values, str) and missing_values == "auto"
        if missing != "auto" or not is_auto:
            raise InputError(
                "option-conflict",
                "missing" if missing != "auto" else "missing_values",
                f"Samples have been encoded already: set {option('missing')} and "
                f"{option('missing_values')} when you encode them.",
            )
        if given.clusters is not None or given.time is not None:
            data = as_samples(data, Reading(clusters=given.clusters, time=given.time))
        return weighted(data, given.weights, given.weights_are)
    levels = graph.variables.levels
    if levels:
        missing = "level" if any(None in own for own in levels) else missing
    is_auto = isinstance(missing_values, str) and missing_values == "auto"
    codes = {} if is_auto else {"missing_values": missing_values}
    of_rows = {
        name: getattr(given, name) for name in ("weights", "weights_are", "clusters", "time")
    }
    reading = stored_reading(graph.provenance, missing=missing, **of_rows, **codes)
    if levels:
        reals = tuple(real_units(graph.provenance))
        return read_in_clusters(
            data, reading, lambda own: read_like(data, graph.variables, own, reals=reals)
        )
    if isinstance(data, (str, os.PathLike)) or column_names(data) is not None:
        return as_samples(data, replace(reading, columns=graph.nodes, exclude=()))
    return read_in_clusters(data, reading, lambda own: encode_table(data, own, graph.nodes))


def _levels_of(graph: Graph, samples: Samples) -> Variables:
    """Return the variables of a graph without levels, with the levels of the samples."""
    numbers = {name: j for j, name in enumerate(samples.names)}
    absent = [name for name in graph.nodes if name not in numbers]
    if absent:
        raise InputError(
            "unknown-column",
            absent[0],
            f"The data have no column {absent[0]!r}, which is a node of the graph.",
        )
    return replace(samples.variables.pick([numbers[name] for name in graph.nodes]))


def _warn_of_joined_copies(graph: Graph, samples: Samples) -> None:
    """Warn about edges between copies, whose couplings depend on the prior alone."""
    if samples.are_sites or graph.provenance.get("reading", {}).get("identical") == "keep":
        return
    number = {name: j for j, name in enumerate(samples.names)}
    ends = [number[name] for pair in graph.edge_names() for name in pair]
    edges = np.array(ends, np.int64).reshape(-1, 2)
    exact = edges[np.abs(agreement(samples, edges)) == 1]
    names = [(samples.names[i], samples.names[j]) for i, j in exact.tolist()]
    warn_of_copies(names, "exact")
    warn_of_copies(near_copies(samples, edges), "near")


def _warn_of_infinite_estimates(model: FittedModel) -> None:
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
            (edges or fields)[0],
            f"The data are separated, so some estimates are infinite: {'; '.join(parts)}. Use a "
            f"prior ({option('prior', SCALE)}) for finite estimates.",
        )
