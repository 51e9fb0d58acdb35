"""Newton's method for all fits, with the same steps and names as `native/fit/newton.hpp`.

    maximise  L(b) - sum l1 |b| - b'Pb / 2

for a concave log-likelihood L and a Gaussian prior of precision P.

1. *Gradient* g = L'(b) - Pb, from zero or from the coefficients of a neighbouring fit (warm start).
2. *Factorise* C = P - L''(b). While the predicted gain of every step is at most CHORD_CONTRACTION
   times that of the previous step, reuse the last factorisation (a chord step). The curvature
   changes by at most a factor exp(d) where no log odds change by more than d. Where factorising C
   costs much more than products with it, the `System` is `ConjugateGradients`; the native loop
   chooses it by the size of the table, which `maximum` in `regression.py` leaves out.
3. *Direction* s = C^-1 g, with the predicted gain g's; under an L1 penalty, the best step of the
   quadratic model. A coefficient whose predictor is a linear combination of earlier ones has no
   pivot and does not change. Stop where the predicted gain is negligible: CONVERGED, unless a
   coefficient without a pivot has a gradient, because all its cells have lost their weight.
4. *Separation certificate*: where the predicted gain is small or the step very long, ask the
   likelihood whether the probabilities of cells without samples tend to zero along the step. If so,
   continue without these cells; the value then reached is the supremum: SEPARATED.
5. *Bound*: stop where no fit can exceed ``floor``: BOUNDED. Probabilities tilted along the step
   bound the maximum, by the duality of maximum likelihood and maximum entropy.
6. *Line search*: halve the step until its gain is at least SUFFICIENT_DECREASE times the predicted
   gain. Accepting any gain could make the steps alternate between the two sides of the maximum
   forever.

The loop needs only a `Likelihood`, and a `System` that solves linear equations. `likelihoods.py`
has the likelihoods of single targets and pairs, and `model/fitting` has likelihoods with thousands
of coefficients.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.protocol import Status

Vector = NDArray[np.float64]

MAX_STEPS = 200  # well-conditioned fits take 4 to 9
PROMISED_GAIN = 1e-11  # far below 1e-9, the smallest difference between two scores
SUFFICIENT_DECREASE = (
    0.1  # of the predicted gain; below 1/2, so that full steps pass near the maximum
)
SHORTEST_STEP = 1e-18  # of the direction
CHORD_CONTRACTION = 0.1  # largest ratio of a chord step's predicted gain to the previous one
MAX_CHORD_DRIFT = 3.0  # in log odds: beyond it, an earlier factorisation is not useful
CERTIFICATE_GAIN = 0.1  # predicted gain below which separation is tested
CERTIFICATE_RETRY = 1e-3  # fraction of that predicted gain below which it is tested again
FAR_STEP = 100.0  # in log odds: separation is tested after a longer step too
FAR_STEP_GROWTH = 10.0  # ratio of the next such step to the last one
OBJECTIVE_ROUNDING = 1e-13  # relative to the objective: smaller gains are not detectable
LOST_GRADIENT = 0.1  # in samples, of a coordinate that no step moves; at a maximum it is rounding
SMALLEST_PIVOT = 1e-13  # relative to the diagonal; a smaller pivot is rounding error
RIDGE = 1e-12  # relative to the diagonal; without curvature, steps extend to the first sign change
ZERO = 1e-12  # of a move, or of a penalty
MAX_CHANGES = 10_000  # of the active set in one step
ROUGH_TOLERANCE = 1e-2  # share of the gradient that conjugate gradients leave for the next step


class Fit(NamedTuple):
    """Result of a fit; ``gradient_norm`` is the largest absolute derivative."""

    coefficients: Vector
    value: float
    status: Status
    gradient_norm: float
    steps: int
    factorisations: int


class Likelihood(Protocol):
    """A concave log-likelihood: the interface of a model to the loop."""

    def value(self, b: Vector) -> float:
        """Return the log-likelihood."""

    def gradient(self, b: Vector) -> Vector:
        """Return the gradient of the log-likelihood."""

    def curvature(self, b: Vector) -> Any:
        """Return the negative Hessian, as a matrix that the `System` accepts."""

    def spread(self, step: Vector) -> float:
        """Return the largest change of log odds that a step makes."""

    def separation(self, b: Vector, step: Vector) -> Likelihood | None:
        """Return the likelihood without the cells that vanish in a direction near this step.

        Return None if there is no such direction.
        """
        return None

    def most_gain(self, b: Vector, step: Vector, factorised_at: Vector) -> float:
        """Return an upper bound of the gain, derived from the step; infinity if there is none."""
        return math.inf


class System(Protocol):
    """Solver of linear equations with the curvature as matrix."""

    def factorise(self, matrix: Any, *, is_new: bool) -> None:
        """Prepare `solve`; ``is_new`` is true if the likelihood has changed."""

    def solve(self, right: Vector) -> Vector:
        """Solve for a step."""


class Cholesky:
    """Cholesky factorisation that drops rows whose pivot is rounding error.

    These rows are linear combinations of earlier ones. The first factorisation of a likelihood
    determines them.
    """

    def __init__(self) -> None:
        self.usable = np.zeros(0, np.bool_)
        self._factor = np.zeros((0, 0))

    def factorise(self, matrix: Vector, *, is_new: bool) -> None:
        """Eliminate one row at a time."""
        n = len(matrix)
        allowed = np.ones(n, np.bool_) if is_new else self.usable
        rest, factor = matrix.copy(), np.zeros((n, n))
        pivots, diagonal = np.zeros(n, np.bool_), np.diag(matrix)
        for k in range(n):
            if allowed[k] and rest[k, k] > SMALLEST_PIVOT * diagonal[k]:
                pivots[k] = True
                factor[k:, k] = rest[k:, k] / math.sqrt(rest[k, k])
                rest[k:, k:] -= np.outer(factor[k:, k], factor[k:, k])
        self.usable = pivots if is_new else self.usable
        self._kept, self._factor = np.flatnonzero(pivots), factor[np.ix_(pivots, pivots)]

    @property
    def log_determinant(self) -> float:
        """Log-determinant of the last factorised matrix, without the dropped rows."""
        return 2 * float(np.log(np.diag(self._factor)).sum())

    def solve(self, right: Vector) -> Vector:
        """Solve by both triangular factors; coordinates without a pivot do not move."""
        step = np.zeros(len(right))
        half = np.linalg.solve(self._factor, right[self._kept])
        step[self._kept] = np.linalg.solve(self._factor.T, half)
        return step


class ConjugateGradients:
    """Conjugate gradients: products with the matrix, and its diagonal as preconditioner.

    Where the matrix is singular the solution is the shortest in the norm of the diagonal.
    """

    def factorise(self, matrix: Vector, *, is_new: bool) -> None:
        """Keep the matrix; coefficients without curvature do not move."""
        diagonal = np.diag(matrix)
        is_curved = diagonal > SMALLEST_PIVOT * diagonal.max(initial=0.0)
        self._matrix = matrix
        self._scaling = np.where(is_curved, 1.0 / np.where(is_curved, diagonal, 1.0), 0.0)

    def solve(self, right: Vector) -> Vector:
        """Multiply until the residual is `ROUGH_TOLERANCE` of the right side."""
        step, rest = np.zeros(len(right)), right.copy()
        direction = scaled = self._scaling * rest
        size = first = float(rest @ scaled)
        for _ in range(len(right)):
            product = self._matrix @ direction
            curvature = float(direction @ product)
            if size <= ROUGH_TOLERANCE**2 * first or curvature <= 0:
                break
            length = size / curvature
            step, rest = step + length * direction, rest - length * product
            scaled, before = self._scaling * rest, size
            size = float(rest @ scaled)
            direction = scaled + size / before * direction
        return step


def newton(
    likelihood: Likelihood,
    start: Vector,
    *,
    precision: Any = None,
    l1: Vector | None = None,
    floor: float = -math.inf,
    tolerance: float = PROMISED_GAIN,
    max_steps: int = MAX_STEPS,
    system: System | None = None,
) -> Fit:
    """Maximise a concave log-likelihood with an L1 penalty and a Gaussian prior.

    The module docstring describes the steps.

    Parameters
    ----------
    start : ndarray of shape (n_coefficients,)
    precision : matrix of shape (n_coefficients, n_coefficients), optional
        Precision of the prior, of any type that can be added to the likelihood's curvature.
    l1 : ndarray of shape (n_coefficients,), optional
        Penalty on the absolute value of each coefficient.
    floor : float, default=-inf
        Stop a fit that cannot exceed this value.
    tolerance : float, default=PROMISED_GAIN
        Predicted gain at which to stop. With 0, stop when rounding keeps it from decreasing.
    """
    system = Cholesky() if system is None else system
    of, b, factorised_at = _Objective(likelihood, precision, l1), start, start
    status, n_factorisations = Status.CONVERGED, 0
    ask_below, ask_beyond = CERTIFICATE_GAIN, FAR_STEP
    now, before, drifted, is_new = of.value(b), math.inf, math.inf, True
    for n_steps in range(max_steps):
        gradient = of.gradient(b)  # 1
        norm = float(np.abs(gradient).max(initial=0.0))
        step, promise = np.zeros(len(b)), math.inf
        if drifted < MAX_CHORD_DRIFT and l1 is None:  # 2
            step = system.solve(gradient)
            promise = float(gradient @ step) * math.exp(drifted)
        is_chord = promise < CHORD_CONTRACTION * before
        if not is_chord:
            step, promise = of.direction(system, b, gradient, is_new)  # 3
            n_factorisations, drifted, is_new, factorised_at = n_factorisations + 1, 0.0, False, b
        rounding = OBJECTIVE_ROUNDING * abs(now)
        if promise <= tolerance or (promise <= rounding and promise > before / 2):
            value = max(now, of.value(b + step))
            if l1 is None and (np.abs(gradient[step == 0]) > LOST_GRADIENT).any():
                status = Status.NOT_CONVERGED
            return Fit(b + step, value, status, norm, n_steps, n_factorisations)
        spread = of.likelihood.spread(step) if of.is_plain and not is_chord else 0.0
        if of.is_plain and not is_chord and (promise < ask_below or spread > ask_beyond):  # 4
            ask_below = CERTIFICATE_RETRY * promise
            ask_beyond = max(ask_beyond, FAR_STEP_GROWTH * spread)
            left = of.likelihood.separation(b, step)
            if left is not None:
                of, status, ask_below = _Objective(left), Status.SEPARATED, CERTIFICATE_GAIN
                now, before, drifted, is_new = of.value(b), math.inf, math.inf, True
                continue
        if of.is_plain and floor > -math.inf:  # 5
            bound = now + of.likelihood.most_gain(b, step, factorised_at)
            if bound <= floor:
                return Fit(b, bound, Status.BOUNDED, norm, n_steps, n_factorisations)
        length = of.line_search(b, step, now, promise, rounding)  # 6
        if length == 0:
            break
        b, before = b + length * step, promise
        now, drifted = of.value(b), drifted + length * of.likelihood.spread(step)
    return Fit(b, now, Status.NOT_CONVERGED, norm, n_steps + 1, n_factorisations)


class _Objective(NamedTuple):
    """The penalised log-likelihood to maximise."""

    likelihood: Likelihood
    precision: Any = None
    l1: Vector | None = None

    @property
    def is_plain(self) -> bool:
        return self.precision is None and self.l1 is None

    def value(self, b: Vector) -> float:
        prior = 0.0 if self.precision is None else float(b @ (self.precision @ b)) / 2
        return (
            self.likelihood.value(b)
            - prior
            - (0.0 if self.l1 is None else float(self.l1 @ np.abs(b)))
        )

    def gradient(self, b: Vector) -> Vector:
        """Return the gradient of likelihood and prior, without the L1 penalty."""
        gradient = self.likelihood.gradient(b)
        return gradient if self.precision is None else gradient - self.precision @ b

    def direction(
        self, system: System, b: Vector, gradient: Vector, is_new: bool
    ) -> tuple[Vector, float]:
        """Factorise; return the step and its predicted gain."""
        curvature = self.likelihood.curvature(b)
        curvature = curvature if self.precision is None else curvature + self.precision
        if self.l1 is not None:
            return _lasso_step(curvature, gradient, b, self.l1)
        system.factorise(curvature, is_new=is_new)
        step = system.solve(gradient)
        return step, float(gradient @ step)

    def line_search(
        self, b: Vector, step: Vector, now: float, promise: float, rounding: float
    ) -> float:
        """Return the fraction of the step to take; 0 if none gains enough."""
        length = 1.0
        while (
            not self.value(b + length * step)
            >= now + SUFFICIENT_DECREASE * length * promise - rounding
        ):
            length /= 2
            if length < SHORTEST_STEP:
                return 0.0
        return length


def _lasso_step(curvature: Vector, gradient: Vector, b: Vector, l1: Vector) -> tuple[Vector, float]:
    """Maximise g's - s'Cs/2 - sum l1 (|b + s| - |b|) by an active set; return s and the maximum.

    The active coefficients move to their maximum, or until the first of them becomes zero and
    leaves the active set. When all active coefficients are at their maximum, the coefficient at
    zero with the largest excess of its derivative over the penalty becomes active. Predictors that
    are linear combinations of other predictors take part: the penalty decides between them.
    """
    matrix = curvature + RIDGE * np.diag(np.diag(curvature))
    at, signs = b.copy(), np.sign(b)
    active = (np.diag(curvature) > 0) & ((l1 == 0) | (b != 0))
    rest = gradient
    for _ in range(MAX_CHANGES):
        move = np.zeros(len(b))
        move[active] = np.linalg.solve(matrix[np.ix_(active, active)], (rest - l1 * signs)[active])
        crosses = (l1 > 0) & (move * signs < 0) & ((at + move) * signs <= 0)
        length = np.min(-at[crosses] / move[crosses], initial=1.0)
        at = np.where(
            crosses & (np.abs(at + length * move) <= ZERO * np.abs(move)), 0.0, at + length * move
        )
        rest = gradient - matrix @ (at - b)
        if crosses.any():
            active &= (at != 0) | (l1 == 0)
            continue
        excess = np.where(active | (np.diag(curvature) <= 0), 0.0, np.abs(rest) - l1)
        k = int(np.argmax(excess))
        if excess[k] <= ZERO * l1[k]:
            break
        active[k], signs[k] = True, np.sign(rest[k])
    step = at - b
    penalty = l1 @ (np.abs(at) - np.abs(b))
    return step, float(gradient @ step - step @ (curvature @ step) / 2 - penalty)
