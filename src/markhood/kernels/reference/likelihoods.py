"""Conditional log-linear likelihoods in NumPy: value, gradient, curvature, and what separation and bounds ask for.

Row r of a table has counts n_rc in cells c: the levels of a target, or the pairs of levels of two. Its cells have

    eta_rc = offset_rc + sum over groups of x_r' W f_c,      L(b) = sum n_rc log p_rc,      p_rc = exp(eta_rc) / sum over cells of exp(eta_r)

where a group of coefficients W multiplies predictors x of the row with features f of the cell. That is every likelihood
of the library:

    binary    a nominal target of two levels
    nominal   predictors (1, x) with an indicator of every level but the first
    ordinal   the predictor 1 with the same indicators (thresholds), and x with the level's step
    pair      two such ends, whose cells are pairs of levels, and a coupling: 1 with the products of both ends' features

Predictors are columns of any real numbers, an indicator of a level being one of them; a row stands for all samples that have the same ones.
There is no solver here: `newton.py` is that of all likelihoods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.reference.newton import Vector

DIVERGING_STEP = 0.05  # in log odds, along a separating direction: a cell that sinks less stays
NEGLIGIBLE_LOG_ODDS = 20.0  # a cell so far below those with samples of its row may have left before
DIRECTION_ROUNDING = 1e-9  # relative to the largest change that a direction makes in a cell
MOMENT_ROUNDING = 1e-9  # difference of two sums over samples that are equal but for rounding
NULL_EIGENVALUE = (
    1e-10  # relative to the largest of a scaled matrix; below it a direction changes nothing
)
MAX_ROUNDS = 8  # of revising which cells leave


@dataclass(frozen=True, eq=False)
class LogLinear:
    """A likelihood of counts, (n_rows, n_cells), in groups of features (n_cells, q) and predictors (n_rows, m).

    Coefficients are those of all groups, each of shape (m, q). Cells that have ``left``, (n_rows, n_cells), have probability zero.
    """

    counts: Vector
    groups: tuple[tuple[Vector, Vector], ...]
    left: NDArray[np.bool_]
    offset: Vector | float = 0.0

    @cached_property
    def slices(self) -> list[slice]:
        """Where each group's coefficients are."""
        sizes = [features.shape[1] * predictors.shape[1] for features, predictors in self.groups]
        return [slice(*ends) for ends in pairwise(accumulate(sizes, initial=0))]

    @property
    def n_coefficients(self) -> int:
        """Number of coefficients."""
        return int(self.slices[-1].stop)

    @cached_property
    def totals(self) -> Vector:
        """Samples of each row."""
        return np.asarray(self.counts.sum(axis=1))

    def linear(self, b: Vector) -> Vector:
        """Return what coefficients add to the log odds of all cells."""
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
        """Return the log-likelihood."""
        return float((self.counts * np.where(self.counts > 0, self._logs(b), 0.0)).sum())

    def gradient(self, b: Vector) -> Vector:
        """Return the sums of the samples less those expected."""
        p = np.exp(self._logs(b))
        # n - N p as n (1 - p) - (N - n) p, where 1 - p is the sum of the others: the difference would be nothing where p is nearly one.
        residuals = self.counts * _others(p) - (self.totals[:, None] - self.counts) * p
        return self._sums(residuals)

    def _sums(self, values: Vector) -> Vector:
        """Add up features and predictors over all cells, weighted by these values."""
        return np.concatenate([(x.T @ values @ f).ravel() for f, x in self.groups])

    def curvature(self, b: Vector) -> Vector:
        """Return minus the second derivatives: the expected covariances of features, times those of predictors."""
        return self._information(np.exp(self._logs(b)), self.totals)

    def _information(self, p: Vector, totals: Vector) -> Vector:
        # Relative to the likeliest cell of the row: a feature that all cells share has a covariance of exactly zero.
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
        """Return by how much a step changes the log odds of two cells at most."""
        change = self.linear(step)
        highest = np.where(self.left, -np.inf, change).max(axis=1, initial=-np.inf)
        return float((highest - np.where(self.left, np.inf, change).min(axis=1)).max(initial=0.0))

    def separation(self, b: Vector, step: Vector) -> LogLinear | None:
        """Return the likelihood without the cells that a direction near this step takes away; None where there is no such direction.

        The data are separated along d where d moves all cells with samples of a row equally and raises no other: the likelihood
        rises without end, to the maximum without the cells that sink. Steps nearly are such directions. One becomes one by taking off what it does to the cells that
        do not sink. Cells that sank before, and that nothing holds now, may rise: then so much of the way here is added that they do not.
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
        """Say which cells without samples a change in log odds lowers."""
        slowest = np.where(self.counts > 0, change, np.inf).min(axis=1, keepdims=True)
        sinks = (self.counts == 0) & ~self.left & (change < slowest - DIVERGING_STEP - rounding)
        return np.asarray(sinks)

    def _null_space(self, gone: NDArray[np.bool_]) -> Callable[[Vector], Vector]:
        """Return what takes off a direction's effect on all cells but these."""
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
        """Return the divergence KL(q, p) of tilted probabilities q = p + p' (change - mean change), p' being those at the factorisation.

        They have the sums of the samples; so no fit has a likelihood above minus their entropy, which is L + KL(q, p).
        Infinity where one is negative, or where the step has no coefficient for some sum.
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
    """Return the likelihood of a target without an order, the first of whose levels is the reference."""
    groups = ((np.eye(counts.shape[1])[:, 1:], predictors),)
    return LogLinear(counts, groups, np.zeros(counts.shape, np.bool_))


def ordinal(counts: Vector, predictors: Vector) -> LogLinear:
    """Return the likelihood of a target of ordered levels, the first of whose predictors is a one."""
    steps = np.arange(counts.shape[1], dtype=np.float64)[:, None]
    groups = ((np.eye(len(steps))[:, 1:], predictors[:, :1]), (steps, predictors[:, 1:]))
    return LogLinear(counts, groups, np.zeros(counts.shape, np.bool_))


def pair(counts: Vector, ends: Sequence[tuple[Vector, Vector]], *, coupled: bool) -> LogLinear:
    """Return the likelihood of two variables, each given by the features of its levels and its predictors.

    ``counts`` are of shape (n_rows, r_i r_j). Every level but one has a threshold, whatever the features.
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
    """Return for each cell the sum over all others of its row."""
    return np.asarray(p @ (1 - np.eye(p.shape[1])))
