"""The regression of a target on its blanket, from their table: what scores and `fit_blankets` are made of.

The predictors of a row are a one, real columns if there are any, and of every blanket member its step, where it is ordered, or an indicator of
every level but the first. An offset o adds k o to the log odds of level k against the first; nominal targets have none.
The likelihood (`likelihoods.py`), less ``l1 sum |b|`` and ``l2 sum b^2`` over all slopes, is maximised by `newton.py`.

Where the data are separated the objective is the supremum. The coefficients are then those of a maximum that exists, and that there is
one of: that of the likelihood less ``WEAK sum b^2`` for every sample over the slopes, and a thousandth of that for the intercepts, which would have no bound
where a level never occurs. As such a penalty falls to nothing, some coefficients grow like log(1/l2), and these are the infinite ones: b as a function of log(1/l2)
has the derivative C^-1 P b. The others have come to rest, to about 1e-6. (One that matters in separated cells only may grow like log log(1/l2). As all that
the data say of it is that it does not matter, it counts as finite.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.protocol import Status
from markhood.kernels.reference.likelihoods import LogLinear, nominal, ordinal
from markhood.kernels.reference.newton import Cholesky, Fit, Vector, newton
from markhood.kernels.tables import Table

WEAK = 1e-9  # penalty on a squared slope, for every sample, that says where a separated fit ends
INTERCEPTS = 1e-3  # of that penalty, for a squared intercept
GROWING = 0.1  # in log odds over a predictor's range, as the penalty falls by a factor e
HELD = 1e300  # a precision that holds a coefficient at zero


class Regression(NamedTuple):
    """A maximum, or a supremum, with coefficients as `Fits` has them and which of them are infinite."""

    maximum: Fit
    coefficients: Vector
    infinite: NDArray[np.bool_]


def design_of(table: Table) -> Vector:
    """Return the predictors of every row: a one, real columns, and the scores of every member."""
    columns: list[NDArray[Any]] = [np.ones(len(table.counts))]
    columns += [] if table.reals is None else list(table.reals.T)
    for member, levels in enumerate(table.n_levels):
        values = table.configurations[:, member]
        is_ordered = bool(table.ordered) and table.ordered[member + 1]
        columns += [values] if is_ordered else [values == level for level in range(1, levels)]
    return np.column_stack(columns).astype(np.float64)


def likelihood_of(table: Table) -> LogLinear:
    """Return the likelihood of a table's regression."""
    is_ordered = bool(table.ordered) and table.ordered[0]
    likelihood = (ordinal if is_ordered else nominal)(table.counts, design_of(table))
    if table.offset is None:
        return likelihood
    return replace(likelihood, offset=np.outer(table.offset, np.arange(table.counts.shape[1])))


def maximum(table: Table, l1: float = 0.0, l2: float = 0.0) -> Fit:
    """Maximise the likelihood of a table's regression, less a penalty."""
    likelihood = likelihood_of(table)
    is_slope = np.arange(likelihood.n_coefficients) >= table.counts.shape[1] - 1
    return newton(
        likelihood,
        np.zeros(len(is_slope)),
        precision=np.diag(2 * l2 * is_slope) if l2 else None,
        l1=l1 * is_slope if l1 else None,
    )


def fit_table(table: Table, l1: float = 0.0, l2: float = 0.0) -> Regression:
    """Maximise, and say which coefficients are infinite."""
    fit = maximum(table, l1, l2)
    if fit.status is not Status.SEPARATED:
        return Regression(fit, fit.coefficients, np.zeros(len(fit.coefficients), np.bool_))
    return Regression(fit, *_settled(likelihood_of(table), table.counts.shape[1] - 1))


def _settled(likelihood: LogLinear, n_thresholds: int) -> tuple[Vector, NDArray[np.bool_]]:
    """Return the coefficients under a weak penalty, and which of them grow as it falls."""
    system, zero = Cholesky(), np.zeros(likelihood.n_coefficients)
    system.factorise(likelihood.curvature(zero), is_new=True)
    weak = np.full(len(zero), 2 * WEAK * likelihood.totals.sum())
    weak[:n_thresholds] *= INTERCEPTS
    precision = np.diag(np.where(system.usable, weak, HELD))  # combinations of others stay at zero
    b = newton(likelihood, zero, precision=precision, tolerance=0.0).coefficients
    system.factorise(likelihood.curvature(b) + precision, is_new=True)
    growth = system.solve(weak * b)
    ranges = [np.repeat(np.abs(x).max(axis=0), f.shape[1]) for f, x in likelihood.groups]
    return b, np.abs(growth) * np.concatenate(ranges) > GROWING
