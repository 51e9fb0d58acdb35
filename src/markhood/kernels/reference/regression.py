"""The regression of a target on its blanket, from a contingency table.

The predictors of a row are a constant 1, the real columns if there are any, and for every blanket
member its step if it is ordered, otherwise an indicator of every level but the first. An offset o
adds k o to the log odds of level k against the first; nominal targets with more than two levels
have no offset. `newton.py` maximises the likelihood (`likelihoods.py`) minus ``l1 sum |b|`` and
``l2 sum b^2`` over all slopes.

If the data are separated, the objective is the supremum. The coefficients are then those of a
unique finite maximum: that of the likelihood minus ``WEAK sum b^2`` per sample over the slopes, and
a thousandth of that for the intercepts, which would be unbounded where a level never occurs. As
such a penalty tends to zero, some coefficients grow like log(1/l2); these are reported as infinite.
The derivative of b with respect to log(1/l2) is C^-1 P b. The other coefficients have converged to
about 1e-6. (A coefficient that affects separated cells only may grow like log log(1/l2). It counts
as finite, because the data show only that it has no effect.)
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

WEAK = 1e-9  # penalty per sample on a squared slope; defines the coefficients of a separated fit
INTERCEPTS = 1e-3  # relative to that penalty, for a squared intercept
GROWING = 0.1  # in log odds over a predictor's range, per decrease of the penalty by a factor e
HELD = 1e300  # precision that fixes a coefficient at zero


class Regression(NamedTuple):
    """A maximum or supremum, with coefficients as in `Fits` and which of them are infinite."""

    maximum: Fit
    coefficients: Vector
    infinite: NDArray[np.bool_]


def design_of(table: Table) -> Vector:
    """Return the predictors of every row: a constant 1, real columns, and the members' scores."""
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
    """Maximise the penalised likelihood of a table's regression."""
    likelihood = likelihood_of(table)
    is_slope = np.arange(likelihood.n_coefficients) >= table.counts.shape[1] - 1
    return newton(
        likelihood,
        np.zeros(len(is_slope)),
        precision=np.diag(2 * l2 * is_slope) if l2 else None,
        l1=l1 * is_slope if l1 else None,
    )


def fit_table(table: Table, l1: float = 0.0, l2: float = 0.0) -> Regression:
    """Maximise, and determine which coefficients are infinite."""
    fit = maximum(table, l1, l2)
    if fit.status is not Status.SEPARATED:
        return Regression(fit, fit.coefficients, np.zeros(len(fit.coefficients), np.bool_))
    return Regression(fit, *_settled(likelihood_of(table), table.counts.shape[1] - 1))


def _settled(likelihood: LogLinear, n_thresholds: int) -> tuple[Vector, NDArray[np.bool_]]:
    """Return the coefficients under a weak penalty, and which of them grow as it decreases."""
    system, zero = Cholesky(), np.zeros(likelihood.n_coefficients)
    system.factorise(likelihood.curvature(zero), is_new=True)
    weak = np.full(len(zero), 2 * WEAK * likelihood.totals.sum())
    weak[:n_thresholds] *= INTERCEPTS
    precision = np.diag(np.where(system.usable, weak, HELD))  # dependent columns stay at zero
    b = newton(likelihood, zero, precision=precision, tolerance=0.0).coefficients
    system.factorise(likelihood.curvature(b) + precision, is_new=True)
    growth = system.solve(weak * b)
    ranges = [np.repeat(np.abs(x).max(axis=0), f.shape[1]) for f, x in likelihood.groups]
    return b, np.abs(growth) * np.concatenate(ranges) > GROWING
