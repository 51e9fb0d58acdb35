"""Logistic regression by another road: linear programmes for the infinite part, scipy for the rest.

A direction d is one of recession when no sample's likelihood falls along it: x'd >= 0 where the
target is one, x'd <= 0 where it is zero. Rows with x'd != 0 for some such direction are separated:
their likelihood tends to one. The others have a finite maximum, which a trust region finds.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.special import expit

from oracles.counting import counts_by_configuration


class Maximum(NamedTuple):
    log_likelihood: float
    # For every coefficient: 0 finite, +1 or -1 infinite of that sign, None where the data leave
    # it open (a combination of others, or either sign will do).
    directions: list[int | None]


def maximum(values, target, blanket):
    """Maximise the likelihood of a target's logistic regression on its blanket."""
    return _maximum(*_frozen(values, target, blanket))


def log_likelihood(values, target, blanket):
    """Only the maximum itself."""
    return _log_likelihood(*_frozen(values, target, blanket))


def _frozen(values, target, blanket):
    """What the answer depends on, to remember it by: several backends ask the same."""
    asked = np.ascontiguousarray(values[:, [target, *blanket]], dtype=np.uint8)
    return asked.tobytes(), asked.shape


@cache
def _maximum(content, shape):
    design, _, _, cone, separated = _separate(content, shape)
    directions = [_direction(k, design, ~separated, cone) for k in range(design.shape[1])]
    return Maximum(_log_likelihood(content, shape), directions)


@cache
def _log_likelihood(content, shape):
    design, zeros, ones, _, separated = _separate(content, shape)
    return _finite_maximum(design[~separated], zeros[~separated], ones[~separated])


def _separate(content, shape):
    values = np.frombuffer(content, dtype=np.uint8).reshape(shape)
    counts = counts_by_configuration(values, 0, range(1, shape[1]))
    design = np.array([(1, *configuration) for configuration in counts], dtype=float)
    zeros, ones = np.array(list(counts.values())).T
    cone = _recession_cone(design, zeros, ones)
    return design, zeros, ones, cone, _separated_rows(design, cone)


def _recession_cone(design, zeros, ones):
    """Return A_ub and A_eq: A_ub d <= 0 and A_eq d = 0."""
    only_zeros, only_ones = ones == 0, zeros == 0
    at_most = np.concatenate([design[only_zeros], -design[only_ones]])
    return at_most, design[~only_zeros & ~only_ones]


def _programme(objective, cone, n):
    at_most, equal = cone
    found = linprog(
        objective,
        A_ub=at_most if len(at_most) else None,
        b_ub=np.zeros(len(at_most)) if len(at_most) else None,
        A_eq=equal if len(equal) else None,
        b_eq=np.zeros(len(equal)) if len(equal) else None,
        bounds=[(-1, 1)] * n,
    )
    assert found.status == 0
    return found


def _separated_rows(design, cone):
    """Move as many rows by one as can be moved at all; the most that can is all of them."""
    at_most, equal = cone
    if len(at_most) == 0:
        return np.zeros(len(design), dtype=bool)
    n, k = at_most.shape
    found = linprog(
        np.concatenate([np.zeros(k), -np.ones(n)]),
        A_ub=np.hstack([at_most, np.eye(n)]),  # x'd + s <= 0
        b_ub=np.zeros(n),
        A_eq=np.hstack([equal, np.zeros((len(equal), n))]) if len(equal) else None,
        b_eq=np.zeros(len(equal)) if len(equal) else None,
        bounds=[(None, None)] * k + [(0, 1)] * n,
    )
    assert found.status == 0
    return np.abs(design @ found.x[:k]) > 0.5


def _direction(k, design, stays, cone):
    unit = np.zeros(design.shape[1])
    unit[k] = 1
    if np.linalg.matrix_rank(np.vstack([design, unit])) > np.linalg.matrix_rank(design):
        return None  # a combination of others
    down, up = (_programme(sign * unit, cone, len(unit)).fun for sign in (1, -1))
    can_fall, can_rise = abs(down) > 1e-7, abs(up) > 1e-7
    if can_fall and can_rise:
        return None
    if not can_fall and not can_rise:
        return 0
    # One of the cone's edges moves it, but the likelihood may prefer another: it must move only
    # where the rows that stay do not hold it.
    if np.linalg.matrix_rank(np.vstack([design[stays], unit])) == np.linalg.matrix_rank(
        design[stays]
    ):
        return 0
    return 1 if can_rise else -1


def _finite_maximum(design, zeros, ones):
    if len(design) == 0:
        return 0.0
    totals = zeros + ones

    def minus(b):
        eta = design @ b
        return -np.sum(ones * eta - totals * np.logaddexp(0, eta))

    def gradient(b):
        return -design.T @ (ones - totals * expit(design @ b))

    def hessian(b):
        p = expit(design @ b)
        return design.T @ ((totals * p * (1 - p))[:, None] * design)

    b = np.zeros(design.shape[1])
    found = minimize(
        minus, b, method="trust-exact", jac=gradient, hess=hessian, options={"gtol": 1e-6}
    )
    # It may stop where rounding hides what is left to gain; that must be next to nothing.
    left = gradient(found.x)
    assert left @ np.linalg.pinv(hessian(found.x), rcond=1e-9) @ left < 1e-10, found
    return -found.fun
