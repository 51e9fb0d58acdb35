"""Conditional log-linear likelihoods in NumPy: value, gradient, curvature, separation and bounds.

Row r of a table has counts n_rc in cells c: the levels of a target, or pairs of levels of two
targets. For its cells,

    eta_rc = offset_rc + sum over groups of x_r' W f_c,
    p_rc = exp(eta_rc) / sum over cells of exp(eta_r),
    L(b) = sum n_rc log p_rc,

where a group of coefficients W multiplies predictors x of the row with features f of the cell. All
likelihoods of the library have this form:

    binary    a nominal target with two levels
    nominal   predictors (1, x) with an indicator of every level but the first
    ordinal   the predictor 1 with the same indicators (thresholds), and x with the level's step
    pair      two such ends, whose cells are pairs of levels, and a coupling: 1 with the products
              of both ends' features

Predictors are real-valued columns, including indicators of levels. A row represents all samples
with equal predictors. The solver for all likelihoods is in `newton.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.reference.newton import Vector

DIVERGING_STEP = 0.05  # in log odds, along a separating direction: a cell that sinks less is kept
NEGLIGIBLE_LOG_ODDS = 20.0  # a cell this far below the cells with samples may have been removed
DIRECTION_ROUNDING = 1e-9  # relative to the largest change that a direction makes to a cell
MOMENT_ROUNDING = 1e-9  # difference of two sums over samples that are equal up to rounding
NULL_EIGENVALUE = (
    1e-10  # relative to the largest of a scaled matrix; smaller ones are treated as zero
)
MAX_ROUNDS = 8  # of revising which cells to remove


@dataclass(frozen=True, eq=False)
class LogLinear:
    """Likelihood of counts, (n_rows, n_cells), by groups of features and predictors.

    Features have shape (n_cells, q) and predictors (n_rows, m). The coefficients of all groups,
    each of shape (m, q), are concatenated. Cells marked in ``left``, (n_rows, n_cells), have
    probability zero.
    """

    counts: Vector
    groups: tuple[tuple[Vector, Vector], ...]
    left: NDArray[np.bool_]
    offset: Vector | float = 0.0

    @cached_property
    def slices(self) -> list[slice]:
        """Slices of the coefficients of each group."""
        sizes = [features.shape[1] * predictors.shape[1] for features, predictors in self.groups]
        return [slice(*ends) for ends in pairwise(accumulate(sizes, initial=0))]

    @property
    def n_coefficients(self) -> int:
        """Number of coefficients."""
        return int(self.slices[-1].stop)

    @cached_property
    def totals(self) -> Vector:
        """Number of samples in each row."""
        return np.asarray(self.counts.sum(axis=1))

    def linear(self, b: Vector) -> Vector:
        """Return the contribution of the coefficients to the log odds of all cells."""
        eta = np.zeros(self.counts.shape)
        for own, (features, predictors) in zip(self.slices, self.groups, strict=True):
            eta += predictors @ b[own].reshape(-1, features.shape[1]) @ features.T
        return eta

    def _logs(self, b: Vector) -> Vector:
        eta = np.where(self.left, -np.inf, self.offset + self.linear(b))
        top = eta.argmax(axis=1)[:, None]
        eta = eta - np.take_along_axis(eta, top, axis=1)
        others = np.exp(eta)
        np.put_along_axis(others, top, 0.0, axis=1)
        return np.asarray(eta - np.log1p(others.sum(axis=1, keepdims=True)))

    def value(self, b: Vector) -> float:
        return float((self.counts * np.where(self.counts > 0, self._logs(b), 0.0)).sum())

    def gradient(self, b: Vector) -> Vector:
        """Return the observed minus the expected sums."""
        p = np.exp(self._logs(b))
        # n - N p computed as n (1 - p) - (N - n) p, with 1 - p as the sum over the other cells:
        # this avoids cancellation where p is close to 1.
        residuals = self.counts * _others(p) - (self.totals[:, None] - self.counts) * p
        return self._sums(residuals)

    def _sums(self, values: Vector) -> Vector:
        """Sum the products of features and predictors over all cells, weighted by these values."""
        return np.concatenate([(x.T @ values @ f).ravel() for f, x in self.groups])

    def curvature(self, b: Vector) -> Vector:
        """Return the negative Hessian: covariances of features times products of predictors."""
        return self._information(np.exp(self._logs(b)), self.totals)

    def _information(self, p: Vector, totals: Vector) -> Vector:
        # Relative to the most probable cell of the row, so that a feature with the same value in
        # all cells has a covariance of exactly zero.
        every = np.concatenate([features for features, _ in self.groups], axis=1)
        centred = every - every[p.argmax(axis=1)][:, None]
        weighted = p[:, :, None] * centred
        means = weighted.sum(axis=1)
        covariances = centred.transpose(0, 2, 1) @ weighted - means[:, :, None] * means[:, None, :]
        covariances *= totals[:, None, None]
        found = np.empty((self.n_coefficients, self.n_coefficients))
        ends = list(accumulate((f.shape[1] for f, _ in self.groups), initial=0))
        parts = [
            (own, slice(*end), x)
            for own, end, (_, x) in zip(self.slices, pairwise(ends), self.groups, strict=True)
        ]
        for rows, k, x in parts:
            for columns, m, z in parts:
                half = x[:, :, None, None] * covariances[:, None, k, m]
                block = np.tensordot(half, z, (0, 0)).transpose(0, 1, 3, 2)
                found[rows, columns] = block.reshape(found[rows, columns].shape)
        return found

    def spread(self, step: Vector) -> float:
        """Return the largest change that a step makes to the log odds of two cells."""
        change = self.linear(step)
        highest = np.where(self.left, -np.inf, change).max(axis=1, initial=-np.inf)
        return float((highest - np.where(self.left, np.inf, change).min(axis=1)).max(initial=0.0))

    def separation(self, b: Vector, step: Vector) -> LogLinear | None:
        """Return the likelihood without the cells that a direction near this step removes.

        Return None if there is no such direction. The data are separated along d if d changes all
        cells with samples of a row equally and raises no other cell: the likelihood then increases
        along d towards its supremum, the maximum without the cells that sink. A Newton step is
        close to such a direction. Subtracting its effect on the cells that do not sink makes it
        exact. Cells that sank earlier and are not constrained now may rise; a multiple of the
        current coefficients is then added so that they do not.
        """
        change, past = self.linear(step), self.linear(b)
        lowest = np.where(self.counts > 0, past, np.inf).min(axis=1, keepdims=True)
        proposed = self._sinking(change, 0.0)
        if not proposed.any():
            return None
        proposed |= (self.counts == 0) & (past < lowest - NEGLIGIBLE_LOG_ODDS)
        for _ in range(MAX_ROUNDS):
            remove = self._null_space(self.left | proposed)
            change, past = self.linear(remove(step)), self.linear(remove(b))
            has_samples = self.counts > 0
            first = np.argmax(has_samples, axis=1)[:, None]
            change = change - np.take_along_axis(change, first, axis=1)
            past = past - np.take_along_axis(past, first, axis=1)
            needed = proposed & ~self.left & (change > 0) & (past < -1)
            change = change + np.max((change[needed] + 1) / -past[needed], initial=0.0) * past
            rounding = DIRECTION_ROUNDING * max(1.0, float(np.abs(change).max()))
            rises = ~self.left & (change > rounding)
            if (np.abs(change[has_samples]) > rounding).any() or (rises & ~proposed).any():
                return None
            if not rises.any():
                sinking = self._sinking(change, rounding)
                return replace(self, left=self.left | sinking) if sinking.any() else None
            proposed &= ~rises
        return None

    def _sinking(self, change: Vector, rounding: float) -> NDArray[np.bool_]:
        """Return which cells without samples a change in log odds lowers."""
        slowest = np.where(self.counts > 0, change, np.inf).min(axis=1, keepdims=True)
        sinks = (self.counts == 0) & ~self.left & (change < slowest - DIVERGING_STEP - rounding)
        return np.asarray(sinks)

    def _null_space(self, gone: NDArray[np.bool_]) -> Callable[[Vector], Vector]:
        """Return a function that removes a direction's effect on all cells but these."""
        staying = ~gone
        matrix = self._information(staying / staying.sum(axis=1, keepdims=True), np.ones(len(gone)))
        root = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), 1.0))
        values, vectors = np.linalg.eigh(matrix / np.outer(root, root))
        held = vectors[:, values > NULL_EIGENVALUE * max(values[-1], 1.0)]

        def remove(direction: Vector) -> Vector:
            for _ in range(2):  # the second time takes off what rounding left
                direction = direction - held @ (held.T @ (direction * root)) / root
            return direction

        return remove

    def most_gain(self, b: Vector, step: Vector, factorised_at: Vector) -> float:
        """Return KL(q, p) for the tilted probabilities q = p + p' (change - mean change).

        p' are the probabilities at the factorisation. The tilted probabilities have the sums of the
        samples, so no fit has a log-likelihood above minus their entropy, which is L + KL(q, p).
        Return infinity if a tilted probability is negative, or if the step has no coefficient for
        one of the sums.
        """
        p, tilted = np.exp(self._logs(b)), np.exp(self._logs(factorised_at))
        change = np.where(self.left, 0.0, self.linear(step))
        more = tilted * (change - (tilted * change).sum(axis=1, keepdims=True))
        missing = self.gradient(b) - self._sums(self.totals[:, None] * more)
        if (more < -p).any() or np.abs(missing).max(initial=0.0) > MOMENT_ROUNDING:
            return np.inf
        ratio = np.divide(more, p, out=np.zeros_like(p), where=p > 0)
        logs = np.log1p(ratio, out=np.zeros_like(p), where=ratio > -1)
        return float((self.totals[:, None] * p * ((1 + ratio) * logs - ratio)).sum())


def nominal(counts: Vector, predictors: Vector) -> LogLinear:
    """Return the likelihood of a nominal target; its first level is the reference."""
    groups = ((np.eye(counts.shape[1])[:, 1:], predictors),)
    return LogLinear(counts, groups, np.zeros(counts.shape, np.bool_))


def ordinal(counts: Vector, predictors: Vector) -> LogLinear:
    """Return the likelihood of an ordered target; the first predictor must be a constant 1."""
    steps = np.arange(counts.shape[1], dtype=np.float64)[:, None]
    groups = ((np.eye(len(steps))[:, 1:], predictors[:, :1]), (steps, predictors[:, 1:]))
    return LogLinear(counts, groups, np.zeros(counts.shape, np.bool_))


def pair(counts: Vector, ends: Sequence[tuple[Vector, Vector]], *, coupled: bool) -> LogLinear:
    """Return the likelihood of two variables, given the level features and predictors of each.

    ``counts`` has shape (n_rows, r_i r_j). Every level but one has a threshold, whatever the
    features.
    """
    (f_i, x_i), (f_j, x_j) = ends
    ones = np.ones((len(counts), 1))
    r_i, r_j = len(f_i), len(f_j)
    groups = (
        (np.repeat(np.eye(r_i)[:, 1:], r_j, axis=0), ones),
        (np.repeat(f_i, r_j, axis=0), x_i),
        (np.tile(np.eye(r_j)[:, 1:], (r_i, 1)), ones),
        (np.tile(f_j, (r_i, 1)), x_j),
        (np.kron(f_i, f_j).astype(np.float64), ones),
    )
    return LogLinear(counts, groups[: 5 if coupled else 4], np.zeros(counts.shape, np.bool_))


def _others(p: Vector) -> Vector:
    """Return for each cell the sum over all other cells of its row."""
    return np.asarray(p @ (1 - np.eye(p.shape[1])))
