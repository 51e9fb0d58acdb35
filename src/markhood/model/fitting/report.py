"""From a vector of estimates to a `FittedModel`, with standard errors.

All reported parameters are linear functions of the vector (the norm of a table to first order),
whose variances the sandwich gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.matching import Units, real_units
from markhood.graph.graph import Graph
from markhood.model.fitted.model import FittedModel
from markhood.model.fitted.parameters import Covariate, Errors
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.layout import Layout
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel

if TYPE_CHECKING:
    from markhood.model.fitting.fit import Fit


_MIN_GROWTH = 0.02  # of an infinite estimate, if the precision of a nearly flat prior is cut to 1 %


class Functions(NamedTuple):
    """Linear functions of the same parameters: their positions, factors by row, and variable."""

    positions: Ints
    factors: Floats
    owner: int


def reported(
    graph: Graph, layout: Layout, fit: Fit, observed: Observed, method: str, prior: float | None
) -> FittedModel:
    """Make a `FittedModel` of a fit."""
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
    """Return the effects of the continuous covariates, with standard errors."""
    slopes = np.concatenate(layout.slopes_of(fit.parameters), axis=1)  # (n_reals, n_columns)
    functions = [
        Functions(layout.real_starts[v] + k + layout.n_reals * np.arange(own.shape[1]), own, v)
        for k in range(layout.n_reals)
        for v, own in enumerate(layout.scores)
    ]
    if not functions:
        return ()
    errors = _errors_of(functions, layout, fit).reshape(slopes.shape)
    units = real_units(graph.provenance)
    n_factors = layout.n_reals - len(units)
    units |= {f"factor {k + 1}": Units(0.0, 1.0) for k in range(n_factors)}
    return tuple(
        Covariate(name, *own, slopes[k] / own.sd, errors[k] / own.sd)
        for k, (name, own) in enumerate(units.items())
    )


def _in_01(parameters: Floats, layout: Layout) -> Floats:
    """Return the fields of binary variables in 0/1 coding, from those at centred scores."""
    couplings = parameters[layout.coupling_starts[:-1]]
    shift = np.bincount(layout.edges.ravel(), np.repeat(couplings, 2), len(layout.variables)) / 2
    return np.asarray(parameters[: len(layout.variables)] - shift)


def _grows(growth: Floats) -> Bools:
    return np.abs(growth) > _MIN_GROWTH


def _any_within(flags: Bools, starts: Ints) -> Bools:
    pairs = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return np.array([bool(flags[a:b].any()) for a, b in pairs], np.bool_)


def _errors(layout: Layout, fit: Fit, tables: list[Floats], binary: bool) -> Errors:
    groups = [
        list(_of_couplings(layout, tables)),
        list(_of_cells(layout)),
        list(_of_fields(layout, binary)),
        list(_of_spin_fields(layout)) if binary else [],
    ]
    ends = np.cumsum([sum(len(own.factors) for own in group) for group in groups])
    found = _errors_of(list(chain.from_iterable(groups)), layout, fit)
    couplings, cells, fields, spins = np.split(found, ends[:-1])
    return Errors(
        couplings,
        _shaped(layout, cells),
        _by_variable(layout, fields, binary),
        spins if binary else None,
    )


def _errors_of(functions: list[Functions], layout: Layout, fit: Fit) -> Floats:
    """Return the standard error of each function."""
    from scipy.sparse import csr_array

    owners = np.repeat([f.owner for f in functions], [len(f.factors) for f in functions])
    widths = np.concatenate([np.full(*f.factors.shape) for f in functions])
    # Functions of a table have as many entries as its parameters squared: 16 million if 64 x 64.
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    positions = [np.tile(f.positions.astype(np.int32), len(f.factors)) for f in functions]
    factors = np.concatenate([f.factors.ravel() for f in functions])
    shape = len(owners), layout.n_parameters
    matrix = csr_array((factors, np.concatenate(positions), starts), shape=shape)
    if fit.average is not None:
        matrix = (matrix @ fit.average).tocsr()
    return np.sqrt(fit.sandwich.variances(matrix, owners))


def _has_table(layout: Layout, i: int, j: int) -> bool:
    return bool(layout.n_scores[i] > 1 or layout.n_scores[j] > 1)


def _of_couplings(layout: Layout, tables: list[Floats]) -> Iterable[Functions]:
    """Yield each coupling, or the derivative of the norm of a table."""
    for (i, j), start, table in zip(
        layout.edges.tolist(), layout.coupling_starts.tolist(), tables, strict=False
    ):
        slopes = np.ones((1, 1))
        if _has_table(layout, i, j):
            size = float(np.linalg.norm(table)) or 1.0
            slopes = (layout.scores[i].T @ table @ layout.scores[j] / size).reshape(1, -1)
        yield Functions(start + np.arange(slopes.size), slopes, i)


def _of_cells(layout: Layout) -> Iterable[Functions]:
    """Yield all cells of all tables."""
    for (i, j), start in zip(layout.edges.tolist(), layout.coupling_starts.tolist(), strict=False):
        if _has_table(layout, i, j):
            factors = np.kron(layout.scores[i], layout.scores[j])
            yield Functions(start + np.arange(factors.shape[1]), factors, i)


def _of_fields(layout: Layout, binary: bool) -> Iterable[Functions]:
    """Yield the fields in 0/1 coding if all variables are binary, else the zero-sum fields."""
    joined: list[list[int]] = [[] for _ in layout.variables.names]
    if binary:
        for e, (i, j) in enumerate(layout.edges.tolist()):
            joined[i].append(e)
            joined[j].append(e)
    for v, start in enumerate(layout.field_starts[:-1].tolist()):
        if binary:
            positions = np.array([start, *layout.coupling_starts[joined[v]]], np.int64)
            yield Functions(positions, np.array([[1.0, *[-0.5] * len(joined[v])]]), v)
            continue
        r = int(layout.n_levels[v])
        yield Functions(start + np.arange(r - 1), (np.eye(r) - 1 / r)[:, 1:], v)


def _of_spin_fields(layout: Layout) -> Iterable[Functions]:
    for v in range(len(layout.variables)):
        yield Functions(np.array([v]), np.array([[0.5]]), v)


def _shaped(layout: Layout, cells: Floats) -> tuple[Floats | None, ...]:
    """Return the errors of the cells as tables, None for edges without a table."""
    found: list[Floats | None] = []
    at = 0
    for i, j in layout.edges.tolist():
        if not _has_table(layout, i, j):
            found.append(None)
            continue
        shape = int(layout.n_levels[i]), int(layout.n_levels[j])
        found.append(cells[at : at + shape[0] * shape[1]].reshape(shape))
        at += shape[0] * shape[1]
    return tuple(found)


def _by_variable(layout: Layout, fields: Floats, binary: bool) -> Floats | tuple[Floats, ...]:
    if binary:
        return fields
    return tuple(np.split(fields, np.cumsum(layout.n_levels)[:-1]))
