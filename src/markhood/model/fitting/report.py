"""From a fitted vector to a model: couplings, tables, fields, each with its standard error.

All that is reported is a linear function of the vector (a table's size is one to first order), and the
sandwich has the variances of those.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.matching import Units, real_units
from markhood.graph.graph import Graph
from markhood.model.fitted.model import FittedModel
from markhood.model.fitted.parameters import Covariate, Errors
from markhood.model.fitting.layout import Layout
from markhood.model.fitting.tables import Observed
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from markhood.model.fitting.fit import Fit


_GROWTH = 0.02  # of what is infinite, when a next to flat prior becomes a hundredth of itself


class Function(NamedTuple):
    """A linear function of parameters: numbers that some of them are multiplied by, and its variable."""

    places: NDArray[np.int64]
    factors: NDArray[np.float64]
    owner: int


def reported(
    graph: Graph, layout: Layout, fit: Fit, observed: Observed, method: str, prior: float | None
) -> FittedModel:
    """Put a model together."""
    bare = Graph(layout.variables, graph.edges)
    binary = bool((layout.n_levels == 2).all())
    tables = layout.tables_of(fit.parameters)
    distribution: IsingModel | PottsModel
    if binary:
        couplings = fit.parameters[layout.coupling_starts[:-1]]
        distribution = IsingModel(bare, couplings, _in_01(fit.parameters, layout))
    else:
        distribution = PottsModel(bare, tables, layout.fields_of(fit.parameters))
    grows = _grows(fit.growth)
    shifted = _in_01(fit.growth, layout) if binary else fit.growth
    return FittedModel(
        distribution,
        graph,
        errors=_errors(layout, fit, tables, binary),
        infinite_couplings=_any_within(grows, layout.coupling_starts),
        infinite_fields=_any_within(grows, layout.field_starts) if not binary else _grows(shifted),
        method=method,
        prior=prior,
        n_samples=observed.n_samples,
        llf=fit.log_likelihood,
        total_weight=float(observed.weights.sum()),
        covariates=_covariates(graph, layout, fit),
        converged=fit.converged,
    )


def _covariates(graph: Graph, layout: Layout, fit: Fit) -> tuple[Covariate, ...]:
    """Return what every real covariate does to all levels of all variables, with standard errors."""
    slopes = np.concatenate(layout.slopes_of(fit.parameters), axis=1)  # (n_reals, n_columns)
    functions = [
        Function(start + k + layout.n_reals * np.arange(len(factors)), factors, v)
        for k in range(layout.n_reals)
        for v, start in enumerate(layout.real_starts[:-1].tolist())
        for factors in layout.scores[v]
    ]
    if not functions:
        return ()
    matrix = (_matrix(functions, layout.n_parameters) @ fit.average).tocsr()
    owners = np.array([f.owner for f in functions], np.int64)
    errors = np.sqrt(fit.sandwich.variances(matrix, owners)).reshape(slopes.shape)
    units = real_units(graph.provenance)
    n_factors = layout.n_reals - len(units)
    units |= {f"factor {k + 1}": Units(0.0, 1.0) for k in range(n_factors)}
    return tuple(
        Covariate(name, *own, slopes[k] / own.sd, errors[k] / own.sd)
        for k, (name, own) in enumerate(units.items())
    )


def _in_01(parameters: NDArray[np.float64], layout: Layout) -> NDArray[np.float64]:
    """Return the fields of binary variables in 0/1 coding: neighbours at zero, not halfway."""
    couplings = parameters[layout.coupling_starts[:-1]]
    shift = np.bincount(layout.edges.ravel(), np.repeat(couplings, 2), len(layout.variables)) / 2
    return np.asarray(parameters[: len(layout.variables)] - shift)


def _grows(growth: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.abs(growth) > _GROWTH


def _any_within(flags: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    pairs = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return np.array([bool(flags[a:b].any()) for a, b in pairs], np.bool_)


def _errors(layout: Layout, fit: Fit, tables: list[NDArray[np.float64]], binary: bool) -> Errors:
    functions: list[Function] = []
    ends = []
    for group in (
        _of_couplings(layout, tables),
        _of_cells(layout),
        _of_fields(layout, binary),
        _of_spin_fields(layout) if binary else (),
    ):
        functions.extend(group)
        ends.append(len(functions))
    matrix = (_matrix(functions, layout.n_parameters) @ fit.average).tocsr()
    owners = np.array([f.owner for f in functions], np.int64)
    found = np.sqrt(fit.sandwich.variances(matrix, owners))
    couplings, cells, fields, spins = np.split(found, ends[:-1])
    return Errors(
        couplings,
        _shaped(layout, cells),
        _by_variable(layout, fields, binary),
        spins if binary else None,
    )


def _matrix(functions: list[Function], n_parameters: int) -> csr_array:
    from scipy.sparse import csr_array as sparse

    starts = np.concatenate([[0], np.cumsum([len(f.places) for f in functions])])
    places = np.concatenate([np.empty(0, np.int64), *(f.places for f in functions)])
    factors = np.concatenate([np.empty(0), *(f.factors for f in functions)])
    return sparse((factors, places, starts), shape=(len(functions), n_parameters))


def _has_table(layout: Layout, i: int, j: int) -> bool:
    return bool(layout.n_scores[i] > 1 or layout.n_scores[j] > 1)


def _of_couplings(layout: Layout, tables: list[NDArray[np.float64]]) -> Iterable[Function]:
    """Yield a coupling itself, or how a table's size changes with its numbers."""
    for (i, j), start, table in zip(
        layout.edges.tolist(), layout.coupling_starts.tolist(), tables, strict=False
    ):
        if not _has_table(layout, i, j):
            yield Function(np.array([start]), np.ones(1), i)
            continue
        size = float(np.linalg.norm(table)) or 1.0
        slopes = (layout.scores[i].T @ table @ layout.scores[j] / size).ravel()
        yield Function(start + np.arange(len(slopes)), slopes, i)


def _of_cells(layout: Layout) -> Iterable[Function]:
    """Yield every cell of every table."""
    for (i, j), start in zip(layout.edges.tolist(), layout.coupling_starts.tolist(), strict=False):
        if not _has_table(layout, i, j):
            continue
        for row in layout.scores[i]:
            for column in layout.scores[j]:
                factors = np.outer(row, column).ravel()
                yield Function(start + np.arange(len(factors)), factors, i)


def _of_fields(layout: Layout, binary: bool) -> Iterable[Function]:
    """Yield the field in 0/1 coding where all variables are binary, else of each level, zero-sum."""
    joined: list[list[int]] = [[] for _ in layout.variables.names]
    if binary:
        for e, (i, j) in enumerate(layout.edges.tolist()):
            joined[i].append(e)
            joined[j].append(e)
    for v, start in enumerate(layout.field_starts[:-1].tolist()):
        if binary:
            places = np.array([start, *layout.coupling_starts[joined[v]]], np.int64)
            yield Function(places, np.array([1.0, *[-0.5] * len(joined[v])]), v)
            continue
        r = int(layout.n_levels[v])
        for factors in (np.eye(r) - 1 / r)[:, 1:]:
            yield Function(start + np.arange(r - 1), factors, v)


def _of_spin_fields(layout: Layout) -> Iterable[Function]:
    for v in range(len(layout.variables)):
        yield Function(np.array([v]), np.array([0.5]), v)


def _shaped(layout: Layout, cells: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, ...]:
    """Return the errors of tables' cells as tables; nothing for edges without one."""
    found: list[NDArray[np.float64] | None] = []
    at = 0
    for i, j in layout.edges.tolist():
        if not _has_table(layout, i, j):
            found.append(None)
            continue
        shape = int(layout.n_levels[i]), int(layout.n_levels[j])
        found.append(cells[at : at + shape[0] * shape[1]].reshape(shape))
        at += shape[0] * shape[1]
    return tuple(found)


def _by_variable(
    layout: Layout, fields: NDArray[np.float64], binary: bool
) -> NDArray[np.float64] | tuple[NDArray[np.float64], ...]:
    if binary:
        return fields
    return tuple(np.split(fields, np.cumsum(layout.n_levels)[:-1]))
