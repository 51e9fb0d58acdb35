"""The regressions of all variables on their Markov blankets, which define a learned graph's fit.

The coefficients of a variable with r levels are an array with r - 1 columns, a row for the
intercepts and one for each level but the first of each blanket member; those of ordered levels are
multiples of one number. The coupling of two variables is then an r by r' table whose first row and
column are 0. Its zero-sum form does not depend on the reference levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints
from markhood.data.rest_scores import of_target
from markhood.data.samples import Samples
from markhood.data.variables import UNKNOWN, Variables
from markhood.kernels.lists import Lists
from markhood.kernels.tables import codes
from markhood.model.coding import zero_sum

T = TypeVar("T", np.float64, np.bool_)


@dataclass(frozen=True, eq=False)
class Regressions:
    """The multinomial logistic regressions of all variables on their blankets.

    Attributes
    ----------
    variables : Variables
    blankets : Lists
        The numbers of the neighbours of each variable, ascending.
    coefficients : ndarray of shape (n_coefficients,)
        Coefficients of all variables, one after another; see `of`. Finite even if the maximum is
        not: large enough that the likelihood is practically at its supremum.
    infinite : ndarray of shape (n_coefficients,), dtype bool
        Coefficients whose maximum is at infinity.
    n_reals : int, default=0
        Number of standardised continuous covariates, which come before the blanket in every
        regression.
    """

    variables: Variables
    blankets: Lists
    coefficients: Floats
    infinite: Bools
    n_reals: int = 0

    @cached_property
    def n_levels(self) -> Ints:
        """Number of levels of each variable; a constant one counts as binary."""
        if self.variables.levels is None:
            return np.full(len(self.variables), 2)
        return np.maximum(2, np.fromiter(map(len, self.variables.levels), np.int64))

    @cached_property
    def n_scores(self) -> Ints:
        """Number of scores of each variable: 1 if it is ordinal or binary."""
        return np.where(self.variables.is_ordered, 1, self.n_levels - 1)

    @property
    def fields(self) -> tuple[Floats, ...]:
        """Log odds of the levels against the first, with all neighbours at their first level.

        A vector of length n_levels - 1 for each variable.
        """
        return tuple(self.of(variable)[0] for variable in range(len(self.blankets)))

    def of(self, variable: int) -> Floats:
        """Return the coefficients of a variable, of shape (n_predictors, n_levels - 1)."""
        if variable not in self._blocks:
            self._blocks[variable] = self._block(variable, self.coefficients)
        return self._blocks[variable]

    @cached_property
    def _blocks(self) -> dict[int, Floats]:
        return {}

    def of_reals(self, variable: int) -> Floats:
        """Return the covariate coefficients of a variable, shape (n_reals, n_levels - 1)."""
        start, width = int(self.starts[variable]), int(self.n_levels[variable]) - 1
        own = int(self.n_scores[variable])
        slopes = self.coefficients[start + width :][: self.n_reals * own].reshape(-1, own)
        return slopes if own == width else slopes * np.arange(1, width + 1)

    def log_odds(
        self, variable: int, levels: NDArray[np.uint16], reals: Floats | None = None
    ) -> Floats:
        """Return the log odds of the levels of a variable against its first, given its blanket.

        Parameters
        ----------
        variable : int
        levels : ndarray of shape (n_blanket, n_samples)
            Level numbers of the blanket members. The number of levels represents a value that was
            not in the training data, which has the mean effect of all levels.
        reals : ndarray of shape (n_reals, n_samples), optional
            The standardised covariates; by default their means.

        Returns
        -------
        ndarray of shape (n_samples, n_levels)
        """
        if self.n_reals and reals is not None:
            at_means = self.log_odds(variable, levels)
            at_means[:, 1:] += reals.T @ self.of_reals(variable)
            return at_means
        if not self.n_reals and (self.n_levels == 2).all():
            start, stop = self.starts[variable : variable + 2].tolist()
            odds = np.zeros((levels.shape[1], 2))
            odds[:, 1] = self.coefficients[start] + self.coefficients[start + 1 : stop] @ levels
            return odds
        coefficients = self.of(variable)
        width = coefficients.shape[1] + 1
        odds = np.zeros((levels.shape[1], width))
        odds[:, 1:] = coefficients[0]
        row = 1
        for member, values in zip(self.blankets[variable].tolist(), levels, strict=True):
            n_rows = int(self.n_levels[member]) - 1
            effects = np.zeros((n_rows + 1, width))
            effects[1:, 1:] = coefficients[row : row + n_rows]
            odds += np.vstack([effects, effects.mean(axis=0)])[values]
            row += n_rows
        return odds

    def log_pseudo_likelihood(self, samples: Samples, margin: float) -> float:
        """Return the mean log pseudo-likelihood per sample.

        Probabilities are clipped to [margin, 1 - margin].
        """
        weights = None if samples.weights is None else samples.weights.counts
        return self.mean_log_probability(
            level_numbers(samples), margin, weights, real_numbers(samples)
        )

    def mean_log_probability(
        self,
        values: NDArray[np.uint16],
        margin: float,
        weights: Ints | None = None,
        reals: Floats | None = None,
    ) -> float:
        """Return `log_pseudo_likelihood` of level numbers, without incomplete samples."""
        known = (values != UNKNOWN).all(axis=0)
        weights = None if weights is None else weights[known]
        reals = None if reals is None else reals[..., known]
        logs = self.log_probabilities(values[:, known], margin, reals)
        return float(np.average(logs, axis=1, weights=weights).sum())

    def log_probabilities(
        self, values: NDArray[np.uint16], margin: float, reals: Floats | None = None
    ) -> Floats:
        """Return the log-probability of each value given its neighbours.

        Parameters
        ----------
        values : ndarray of shape (n_variables, n_samples), dtype uint16
            Level numbers of new data, as `numbers_like` returns them. A value that was not in the
            training data has the probability ``margin``; as a neighbour, it has the mean effect of
            all levels.
        margin : float
            Probabilities are clipped to [margin, 1 - margin].
        reals : ndarray of shape (n_reals, n_samples) or (n_variables, n_reals, n_samples), optional
            The standardised covariates; by default their means.

        Returns
        -------
        ndarray of shape (n_variables, n_samples)
        """
        logs = np.empty(values.shape)
        for variable, blanket in enumerate(self.blankets):
            own_reals = None if reals is None else of_target(reals, variable)
            probabilities = softmax(self.log_odds(variable, values[blanket], own_reals))
            unseen = np.zeros((len(probabilities), 1))
            own = np.minimum(values[variable], probabilities.shape[1])
            seen = np.hstack([probabilities, unseen])[np.arange(len(own)), own]
            logs[variable] = np.log(np.clip(seen, margin, 1 - margin))
        return logs

    def couplings(self) -> Floats:
        """Return the coupling with each member of each blanket, shape (len(blankets.values),).

        The log odds ratio of binary variables, per step for ordered levels; otherwise the Frobenius
        norm of the zero-sum table, which has no sign. Infinite if the data are separated.
        """
        if (self.n_scores == 1).all() and not self.n_reals:
            is_slope = np.ones(len(self.coefficients), np.bool_)
            for k in range(int(self.n_levels.max(initial=2)) - 1):
                is_slope[self.starts[:-1][self.n_levels > k + 1] + k] = False
            slopes, infinite = self.coefficients[is_slope], self.infinite[is_slope]
            return np.where(infinite, np.copysign(np.inf, slopes), slopes)
        found = []
        for variable, blanket in enumerate(self.blankets):
            infinite = self._block(variable, self.infinite)
            for position, (member, rows) in enumerate(
                zip(blanket.tolist(), self._rows(variable), strict=True)
            ):
                table = self.table(variable, position)
                is_infinite = bool(infinite[rows].any())
                if self.n_scores[variable] == self.n_scores[member] == 1:
                    slope = float(table[1, 1])
                    found.append(np.copysign(np.inf, slope) if is_infinite else slope)
                else:
                    found.append(np.inf if is_infinite else float(np.linalg.norm(zero_sum(table))))
        return np.array(found, dtype=np.float64)

    def table(self, variable: int, position: int) -> Floats:
        """Return the coupling table with a blanket member, with rows for the variable's levels."""
        slopes = self.of(variable)[self._rows(variable)[position]]
        table = np.zeros((slopes.shape[1] + 1, len(slopes) + 1))
        table[1:, 1:] = slopes.T
        return table

    @cached_property
    def starts(self) -> Ints:
        """Start of the coefficients of each variable, and the end: shape (n_variables + 1,)."""
        targets = np.repeat(np.arange(len(self.blankets)), self.blankets.lengths)
        n_predictors = np.full(len(self.blankets), self.n_reals)
        np.add.at(n_predictors, targets, self.n_scores[self.blankets.values])
        ends = np.cumsum(self.n_levels - 1 + n_predictors * self.n_scores)
        return np.concatenate([np.zeros(1, np.int64), ends])

    def _block(self, variable: int, values: NDArray[T]) -> NDArray[T]:
        """Return coefficients with rows for the intercept and the levels of the blanket members."""
        start, stop = self.starts[variable : variable + 2]
        width, own = int(self.n_levels[variable]) - 1, int(self.n_scores[variable])
        slopes: NDArray[Any] = values[start + width : stop].reshape(-1, own)[self.n_reals :]
        if own < width:
            slopes = slopes * np.arange(1, width + 1)
        rows, at = [values[start : start + width]], 0
        for member in self.blankets[variable].tolist():
            steps, end = int(self.n_levels[member]) - 1, at + int(self.n_scores[member])
            few = slopes[at:end]
            rows += [k * few[0] for k in range(1, steps + 1)] if len(few) < steps else list(few)
            at = end
        return np.array(rows, values.dtype)

    def _rows(self, variable: int) -> list[slice]:
        """Return the rows of the coefficients that belong to each blanket member."""
        ends = 1 + np.cumsum(self.n_levels[self.blankets[variable]] - 1)
        starts = [1, *ends[:-1].tolist()]
        return [slice(a, b) for a, b in zip(starts, ends.tolist(), strict=False)]


def softmax(log_odds: Floats) -> Floats:
    """Return probabilities from log odds, along the last axis."""
    if log_odds.shape[-1] == 2:  # without reductions over an axis of two, which are slow
        ratios = np.exp(np.clip(log_odds[..., 1] - log_odds[..., 0], -700, 700))
        first = 1 / (1 + ratios)
        return np.stack([first, ratios * first], axis=-1)
    powers = np.exp(np.clip(log_odds - log_odds.max(axis=-1, keepdims=True), -700, 0))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def level_numbers(samples: Samples) -> NDArray[np.uint16]:
    """Return the level numbers of samples, shape (n_variables, n_samples)."""
    return np.stack([codes(samples.bits, v) for v in range(samples.n_variables)])


def real_numbers(samples: Samples) -> Floats:
    """Return the standardised covariates, shape (n_reals, n_samples).

    The shape is (n_variables, n_reals, n_samples) if they differ between targets.
    """
    reals = samples.bits.reals
    return np.empty((0, samples.n_samples)) if reals is None else reals.columns
