"""Multinomial logistic regression on a table, in NumPy: the definition for all kernels.

The target has r levels, the first of them the reference; the predictors x of a row are a one, real columns if there are
any, and of every blanket member its step, where it is ordered, or an indicator of every level but the first:

    eta_k = sum over predictors u of b_uk x_u   for k = 1 ... r - 1,   eta_0 = 0
    L(b)  = sum over rows and levels of  n_k log p_k,                  p_k = exp(eta_k) / sum_l exp(eta_l)

With two levels this is logistic regression. An offset o adds k o to eta_k; nominal targets have none. An ordered target has a single number for each predictor,
b_uk = k b_u, and r - 1 free thresholds b_0k: that is the same likelihood on fewer coordinates. L, less ``l1 sum |b|`` or ``l2 sum b^2`` over all slopes, is
maximised by Newton's method:

    1. gradient g = X'(n - N p),  H = X' N (diag p - p p') X,  a block for every pair of predictors
    2. step s = H^-1 g, or with an L1 penalty the best step under it, by coordinate descent from the
       best that changes no sign; take it and stop when the gain it promises is nothing
    3. b <- b + s, or half of it, a quarter, ... until L rises by a tenth of what that part promises
    4. where a whole step was taken and promised little but is long, the data are likely separated:
       the maximum is at infinity, along s, and a longer step is taken if it is better still

Where data are separated each step goes on along the separating direction and L comes ever closer to
its supremum, so the same rule stops it within the tolerance. Predictors that are combinations of
others give a zero pivot and stay at zero. So do, in the end, those whose pivot has only the weights
of separated cells, which vanish beside the others: the step before that is kept. It says
which cells have left: without them the likelihood is the supremum.

The coefficients of a separated fit are those of a maximum that exists, and that there is one of: of L
less ``WEAK sum b^2`` a sample over the slopes, and a thousandth of that for the intercepts, which would
have no bound where a level never occurs. As such a penalty falls to nothing, some coefficients
grow like log(1/l2) and the others come to rest. Here they have, to about a 1e-6th, and the drift is
how much each would grow if the penalty were e times smaller: b as a function of log(1/l2) has
the derivative H^-1 2 l2 b. Without it the last steps would say where the others are, and where
nothing but separated cells has a say in one, rounding would. (Such a one may grow like log log(1/l2).
As all that the data say of it is that it does not matter, it counts as finite.)

Where no row of predictors is a combination of the others, as with one blanket member or with columns
that hardly repeat a value, every row can have probabilities of its own: the maximum is then known
without a search, and a cell without samples is at minus infinity, or as far out as ``ALMOST_NEVER`` says.

`native/fit/multinomial.hpp` is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.tables import Table

PROMISED_GAIN = 1e-11  # far below 1e-9, the least difference between two scores
SMALLEST_PIVOT = 1e-13  # relative; below it a direction is one that others already span
LONGEST_STEP = 5.0  # between levels: one too far would end where all weights are nothing
FAR_BELOW = 20.0  # the highest level of its row: a cell that has no say in a step
ENOUGH, MUCH = 0.1, 1e-6  # of what a step promises; rounding leaves nothing to ask for of the last
STILL_MOVING = 0.05  # a step this long at the maximum: the coefficient is on its way to infinity
STILL_GROWING = 0.1  # as a penalty falls by a factor e: slower is log log, or at rest
WEAK = 1e-9  # penalty on a squared slope, for every sample, that says where a separated fit ends
INTERCEPTS = 1e-3  # of that penalty, for a squared intercept
LAST_STEPS = 3  # whole steps after L tells no difference any more, each squaring the distance left
LITTLE_GAIN = 0.1  # what a step promises when only separated cells are left to fit
DESCENTS = 1000
INDEPENDENT = 1e-6  # what is left of a column of zeros and ones; less is rounding
ALMOST_NEVER = 1e-11  # the share of samples that a cell without any has in finite coefficients


class Fit(NamedTuple):
    """A maximum; ``drift`` is large only where a coefficient is infinite.

    ``objective`` is the likelihood less the penalty; of separated data its supremum. Coefficients are
    flat, as `Fits` has them. ``drift`` is that of a predictor's whole range.
    """

    objective: float
    coefficients: NDArray[np.float64]
    drift: NDArray[np.float64]


def design_of(table: Table) -> NDArray[np.float64]:
    """Return the predictors of every row: a one, real columns, and the scores of every member."""
    columns: list[NDArray[Any]] = [np.ones(len(table.counts))]
    columns += [] if table.reals is None else list(table.reals.T)
    for member, levels in enumerate(table.n_levels):
        values = table.configurations[:, member]
        is_ordered = bool(table.ordered) and table.ordered[member + 1]
        columns += [values] if is_ordered else [values == level for level in range(1, levels)]
    return np.column_stack(columns).astype(np.float64)


def fit_multinomial(table: Table, l1: float = 0.0, l2: float = 0.0) -> Fit:
    """Maximise the likelihood of a table's regression, less a penalty."""
    is_ordered = bool(table.ordered) and table.ordered[0] and table.counts.shape[1] > 2
    offset = np.zeros(len(table.counts)) if table.offset is None else table.offset
    problem = _Problem(design_of(table), table.counts, offset, l1, l2, is_ordered)
    is_plain = l1 == l2 == 0
    if is_plain and not is_ordered and not offset.any() and (basis := problem.basis()) is not None:
        return problem.saturated(basis)
    independent = problem.independent(problem.start(), range(problem.start().size))
    fit = _maximise(problem, independent)
    # A constant leaves by its intercepts alone, and its slopes are at rest.
    is_constant = np.count_nonzero(table.counts.sum(axis=0)) < 2
    if is_plain and not is_constant and np.abs(fit.drift).max() > STILL_MOVING:
        l2 = WEAK * table.counts.sum()
        weak = problem._replace(l2=l2, l2_of_intercepts=l2 * INTERCEPTS)
        return Fit(fit.objective, *_settle(weak, independent))
    return fit


def _maximise(problem: _Problem, independent: list[int]) -> Fit:
    """Take Newton's steps in the coordinates that are no combinations of others."""
    b, kept = problem.start(), independent
    step = np.zeros_like(b)
    last_steps = []  # of coordinates that are about to be left out
    objective = problem.objective(b)
    while True:
        kept_before, kept = kept, problem.independent(b, independent)
        if not set(kept_before) <= set(kept):
            last_steps.append(step)
        step, promised = problem.step(b, kept)
        if not promised > PROMISED_GAIN:
            break
        longest = problem.longest(b, step)
        whole = LONGEST_STEP / max(longest, LONGEST_STEP)
        length, improved = whole, problem.objective(b + whole * step)
        # Any gain would not do: steps could go from one side of the maximum to the other for ever.
        enough = ENOUGH * promised if promised > MUCH else 0.0
        while improved < objective + length * enough and length > 1e-18:
            length /= 2
            improved = problem.objective(b + length * step)
        if improved < objective:  # rounding: no step goes up any more
            break
        if length == 1.0 and promised < LITTLE_GAIN and longest > STILL_MOVING:
            further = problem.objective(b + LONGEST_STEP / longest * step)
            if further > improved:
                length, improved = LONGEST_STEP / longest, further
        b, objective = b + length * step, improved
    drifts = np.array([*last_steps, step])
    drift = np.take_along_axis(drifts, np.abs(drifts).argmax(axis=0)[np.newaxis], axis=0)[0]
    drift *= problem.reach()
    is_infinite = np.abs(drift) > STILL_MOVING
    if is_infinite.any() and problem.l1 == problem.l2 == 0:
        objective = problem.supremum(b, drifts)
    return Fit(objective, np.where(is_infinite, b, b + drift / problem.reach()), drift)


def _settle(
    weak: _Problem, independent: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the coefficients under a weak penalty, and how they grow as it falls."""
    b = _maximise(weak, independent).coefficients
    for _ in range(LAST_STEPS):
        b = b + weak.step(b, independent)[0]
    growth = weak.growth(b, independent) * weak.reach()
    return b, np.where(np.abs(growth) > STILL_GROWING, growth, 0.0)


class _Problem(NamedTuple):
    design: NDArray[np.float64]
    counts: NDArray[np.float64]
    offset: NDArray[np.float64]  # of a step of the target
    l1: float
    l2: float
    is_ordered: bool  # the target; its coordinates are thresholds and slopes, others' a flat array
    l2_of_intercepts: float = 0.0

    def start(self) -> NDArray[np.float64]:
        """Return the fit without any predictor."""
        totals = np.maximum(self.counts.sum(axis=0), 1e-300)
        n_slopes = self.design.shape[1] - 1
        b = np.zeros(self._thresholds + n_slopes * (1 if self.is_ordered else self._thresholds))
        is_seen = (totals[1:] > 1e-300) & (totals[0] > 1e-300)
        b[: self._thresholds][is_seen] = np.log(totals[1:][is_seen] / totals[0])
        return b

    def reach(self) -> NDArray[np.float64]:
        """Return the range of the predictor of each coordinate."""
        sizes = np.abs(self.design[:, 1:]).max(axis=0, initial=0.0)
        ranges = np.where(sizes > 0, sizes, 1.0)
        repeated = np.repeat(ranges, 1 if self.is_ordered else self._thresholds)
        return np.concatenate([np.ones(self._thresholds), repeated])

    def longest(self, b: NDArray[np.float64], step: NDArray[np.float64]) -> float:
        """Return how far a step goes: between two levels of a row, or neighbouring ordered ones."""
        change = self._eta(step)
        if self.is_ordered:
            return float(np.abs(np.diff(change, axis=1)).max())
        # Levels that are as good as gone before and after do not count: where data are separated the
        # first to leave go ever faster, and the last would wait for them.
        counts = np.zeros(change.shape, dtype=bool)
        for eta in (self._with_offset(b), self._with_offset(b) + change):
            counts |= eta > eta.max(axis=1, keepdims=True) - FAR_BELOW
        highest = np.where(counts, change, -np.inf).max(axis=1)
        return float((highest - np.where(counts, change, np.inf).min(axis=1)).max())

    def basis(self) -> list[int] | None:
        """Return predictors, as many as rows, that are no combinations of earlier ones; or None."""
        found: list[int] = []
        orthogonal = np.zeros((0, len(self.design)))
        for u in range(self.design.shape[1] if len(self.design) <= self.design.shape[1] else 0):
            column = self.design[:, u]
            for _ in range(2):  # the second time takes off what rounding left
                column = column - orthogonal.T @ (orthogonal @ column)
            if (length := np.linalg.norm(column)) > INDEPENDENT:
                found.append(u)
                orthogonal = np.vstack([orthogonal, column / length])
        return found if len(found) == len(self.design) else None

    def saturated(self, basis: list[int]) -> Fit:
        """Return the fit in which every row has its own shares as probabilities."""
        shares = self.counts / self.counts.sum(axis=1, keepdims=True)
        logs = np.log(np.where(self.counts > 0, shares, ALMOST_NEVER))
        directions = -(self.counts == 0).astype(float)
        b, drift = np.zeros((2, self.design.shape[1], self._thresholds))
        for to, values in ((b, logs), (drift, directions)):
            to[basis] = np.linalg.solve(self.design[:, basis], values[:, 1:] - values[:, :1])
        likelihood = np.sum(self.counts * np.where(self.counts > 0, logs, 0.0))
        return Fit(float(likelihood), b.ravel(), drift.ravel() * self.reach())

    def objective(self, b: NDArray[np.float64]) -> float:
        likelihood = np.sum(self.counts * _log_softmax(self._with_offset(b)))
        slopes = b[self._thresholds :]
        squares = np.sum(self._squared(b) * b**2)
        return float(likelihood - self.l1 * np.abs(slopes).sum() - squares)

    def _squared(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the penalty on the square of every coefficient."""
        return np.where(np.arange(b.size) < self._thresholds, self.l2_of_intercepts, self.l2)

    def step(self, b: NDArray[np.float64], kept: list[int]) -> tuple[NDArray[np.float64], float]:
        """Return the next step of the kept coordinates, and the gain it promises."""
        gradient, hessian = self._gradient(b)[kept], self._hessian(b)[np.ix_(kept, kept)]
        step = np.zeros(b.size)
        if self.l1:
            is_slope = np.array(kept) >= self._thresholds
            bounds = np.where(is_slope, self.l1, 0.0)
            step[kept], promised = _descend(hessian, gradient, b[kept], bounds)
        else:
            step[kept] = np.linalg.solve(hessian, gradient)
            promised = float(gradient @ step[kept])
        return step, promised

    def growth(self, b: NDArray[np.float64], kept: list[int]) -> NDArray[np.float64]:
        """Return the derivatives of the coefficients at a maximum by log(1/l2)."""
        pull = 2 * self._squared(b) * b
        growth = np.zeros(b.size)
        growth[kept] = np.linalg.solve(self._hessian(b)[np.ix_(kept, kept)], pull[kept])
        return growth

    def independent(self, b: NDArray[np.float64], among: Iterable[int]) -> list[int]:
        """Leave out coordinates whose pivot in a Cholesky decomposition is nothing but rounding."""
        hessian = self._hessian(b)
        kept: list[int] = []
        for k in among:
            pivot = hessian[k, k]
            if kept:
                pivot -= hessian[k, kept] @ np.linalg.solve(
                    hessian[np.ix_(kept, kept)], hessian[kept, k]
                )
            if pivot > SMALLEST_PIVOT * hessian[k, k]:
                kept.append(k)
        return kept

    def supremum(self, b: NDArray[np.float64], drifts: NDArray[np.float64]) -> float:
        """Return the likelihood without the cells that have left: without samples, and sinking."""
        eta = self._with_offset(b)
        for drift in drifts:
            change = self._eta(drift)
            slowest = np.where(self.counts > 0, change, np.inf).min(axis=1, keepdims=True)
            eta[(self.counts == 0) & (change < slowest - STILL_MOVING)] = -np.inf
        logs = _log_softmax(eta)
        return float(np.sum(self.counts * np.where(self.counts > 0, logs, 0.0)))

    @property
    def _thresholds(self) -> int:
        return int(self.counts.shape[1]) - 1

    def _eta(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.is_ordered:
            steps = np.arange(self._thresholds + 1)
            thresholds = np.concatenate([[0.0], b[: self._thresholds]])
            slopes = b[self._thresholds :]
            return np.asarray(thresholds + np.outer(self.design[:, 1:] @ slopes, steps))
        return np.column_stack(
            [np.zeros(len(self.design)), self.design @ b.reshape(-1, self._thresholds)]
        )

    def _with_offset(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._eta(b) + np.outer(self.offset, np.arange(self._thresholds + 1))

    def _gradient(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        p, others = self._probabilities(b)
        # n - N p, without the difference of two numbers that are nearly the same.
        counts, totals = self.counts[:, 1:], self.counts.sum(axis=1, keepdims=True)
        residuals = counts * others - (totals - counts) * p
        gradient = (self.design.T @ residuals).ravel() @ self._spread
        return np.asarray(gradient - 2 * self._squared(b) * b)

    def _hessian(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        p, others = self._probabilities(b)
        blocks = -p[:, :, np.newaxis] * p[:, np.newaxis, :]
        levels = np.arange(p.shape[1])
        blocks[:, levels, levels] = p * others
        blocks *= self.counts.sum(axis=1)[:, np.newaxis, np.newaxis]
        hessian = np.einsum("ru,rkl,rv->ukvl", self.design, blocks, self.design)
        n = self.design.shape[1] * self._thresholds
        hessian = self._spread.T @ hessian.reshape(n, n) @ self._spread
        hessian[np.arange(b.size), np.arange(b.size)] += 2 * self._squared(b)
        return np.asarray(hessian)

    @property
    def _spread(self) -> NDArray[np.float64]:
        """Return how the coordinates become a slope for every predictor and level."""
        n, r = self.design.shape[1], self._thresholds
        if not self.is_ordered:
            return np.eye(n * r)
        spread = np.zeros((n, r, r + n - 1))
        spread[0, :, :r] = np.eye(r)
        for u in range(1, n):
            spread[u, :, r + u - 1] = np.arange(1, r + 1)
        return spread.reshape(n * r, -1)

    def _probabilities(
        self, b: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return p of all levels but the first, and 1 - p as the sum of all other levels' p."""
        p = np.exp(_log_softmax(self._with_offset(b)))
        others = [np.delete(p, k, axis=1).sum(axis=1) for k in range(1, p.shape[1])]
        return p[:, 1:], np.stack(others, axis=1)


def _log_softmax(eta: NDArray[np.float64]) -> NDArray[np.float64]:
    eta = eta - eta.max(axis=1, keepdims=True)
    return np.asarray(eta - np.log(np.exp(np.maximum(eta, -700)).sum(axis=1, keepdims=True)))


def _descend(
    hessian: NDArray[np.float64],
    gradient: NDArray[np.float64],
    b: NDArray[np.float64],
    bounds: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float]:
    """Maximise g's - s'Hs/2 - sum_k bounds_k (|b_k + s_k| - |b_k|); return s and the maximum."""
    # From the best step that changes no sign: in most turns it is the one.
    signs = np.sign(np.where(b == 0, gradient, b))
    free = np.flatnonzero((b != 0) | (np.abs(gradient) > bounds))
    step = np.zeros_like(b)
    step[free] = np.linalg.solve(hessian[np.ix_(free, free)], (gradient - bounds * signs)[free])
    rest = gradient - hessian @ step  # of the gradient after the step so far
    for _ in range(DESCENTS):
        largest = 0.0
        for k in range(len(b)):
            at = b[k] + step[k]
            aim = at + rest[k] / hessian[k, k]
            new = np.sign(aim) * max(abs(aim) - bounds[k] / hessian[k, k], 0.0)
            if new != at:
                rest -= hessian[:, k] * (new - at)
                step[k] += new - at
                largest = max(largest, hessian[k, k] * (new - at) ** 2)
        if largest < PROMISED_GAIN * 1e-3:
            break
    quadratic = step @ (gradient + rest) / 2
    return step, float(quadratic - bounds @ (np.abs(b + step) - np.abs(b)))
