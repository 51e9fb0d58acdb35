"""`ImputedSamples`: samples whose missing values are drawn, and can be redrawn.

A value is drawn conditional on the other values of its sample, by its variable's regression on its
neighbours. Proper imputation also requires random regressions: with those that fit the imputed
samples best, the variance of an estimate between data sets is too small by a factor of 1 + the
fraction of missing information. The regressions are therefore fitted to a bootstrap of the samples
(`resampled`), which works for all kinds of variables.

Nodes are drawn conditional on the covariates too. A covariate with missing values is drawn by its
regression on its own blanket, which a greedy search finds among all other variables. Drawing it
from its marginal distribution would weaken its association with the nodes, and the part that it
explains would appear as edges.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints, Words
from markhood.data.rest_scores import of_target, with_rest_scores
from markhood.data.samples import Samples, Weights
from markhood.kernels.lists import Lists
from markhood.kernels.tables import codes
from markhood.kernels.words import packed, unpacked
from markhood.learning.describe import regress
from markhood.model.regressions import Regressions, softmax
from markhood.search.values.job import Job


class ImputedSamples:
    """Samples whose missing values are drawn, and can be redrawn.

    Parameters
    ----------
    samples : Samples
        With missing values.
    """

    def __init__(self, samples: Samples, rng: np.random.Generator) -> None:
        self._source = samples
        self._rng = rng
        self._values = np.stack([codes(samples.bits, v) for v in range(samples.n_variables)])
        self._absent: dict[int, NDArray[np.intp]] = {}
        for variable, mask in samples.missing.items():
            is_absent = unpacked(mask, samples.n_samples).astype(np.bool_)
            seen = self._values[variable, ~is_absent]
            if len(
                seen
            ):  # otherwise a resampled data set has no value, and the variable is constant
                self._absent[variable] = np.flatnonzero(is_absent)
                self._values[variable, is_absent] = rng.choice(seen, size=is_absent.sum())

    def copy(self, rng: np.random.Generator) -> ImputedSamples:
        """Return a copy that is redrawn with its own random numbers."""
        same = copy(self)
        same._rng, same._values = rng, self._values.copy()
        return same

    @property
    def share_missing(self) -> float:
        """Share of all values that are imputed."""
        return sum(map(len, self._absent.values())) / self._values.size

    @property
    def is_missing(self) -> dict[int, Bools]:
        """For each variable with missing values, the samples in which it is missing."""
        masks = {}
        for variable, absent in self._absent.items():
            masks[variable] = np.zeros(self._source.n_samples, np.bool_)
            masks[variable][absent] = True
        return masks

    def drawn_by(self, job: Job, edges: Ints) -> Regressions:
        """Fit the regressions for drawing: nodes on a graph, covariates on blankets."""
        covariates = job.constraints.covariates
        incomplete = covariates[np.isin(covariates, list(self._absent))]
        if not len(incomplete):
            return regress(job, edges)
        others = Lists.of([np.delete(np.arange(job.n_variables), c) for c in incomplete])
        found = iter(job.scorer.grown(incomplete, others).members)
        blankets = [next(found) if c in incomplete else covariates[:0] for c in covariates]
        return regress(job, edges, Lists.of(blankets))

    def draw_missing(self, regressions: Regressions) -> None:
        """Draw every missing value given the others of its sample, variable by variable."""
        margin = 1 / (
            2 * self._source.n_samples
        )  # keeps probabilities off 0 and 1, where values would never change
        for variable in self._rng.permutation(list(self._absent)).tolist():
            absent = self._absent[variable]
            neighbours = self._values[regressions.blankets[variable][:, np.newaxis], absent]
            odds = regressions.log_odds(variable, neighbours, self._reals_of(variable)[:, absent])
            chances = np.maximum(softmax(odds), margin)
            steps = np.cumsum(chances[:, :-1], axis=1) / chances.sum(axis=1, keepdims=True)
            drawn = self._rng.random((len(absent), 1)) > steps
            self._values[variable, absent] = drawn.sum(axis=1)

    def _reals_of(self, variable: int) -> Floats:
        """Return the real columns of a variable; rest scores follow the drawn values."""
        source = self._source
        shared = np.array([own.standardised for own in source.reals.values()])
        shared = shared.reshape(len(shared), source.n_samples)
        columns = with_rest_scores(shared, self._values, source.variables, source.components)
        return of_target(columns, variable)

    def samples(self) -> Samples:
        """Return the samples as currently imputed."""
        return replace(self._source, words=self._packed(list(self._absent)), missing={})

    def resampled(self) -> Samples:
        """Return a bootstrap of the samples as currently imputed.

        Frequency weights count samples, so those samples are resampled; other weights stay with
        their row.
        """
        weights = self._source.weights
        if weights is None:
            n = self._source.n_samples
            rows = self._rng.integers(0, n, n)
            words = self._packed(range(len(self._values)), rows)
            reals = {name: own.take(rows) for name, own in self._source.reals.items()}
            return replace(self._source, words=words, missing={}, reals=reals)
        if weights.unit == 1.0:
            counts = self._rng.poisson(weights.counts)
        else:
            counts = weights.counts * self._rng.poisson(1.0, len(weights.counts))
        counts[0] += not counts.any()
        return replace(self.samples(), weights=Weights(counts.astype(np.int64), weights.unit))

    def _packed(self, variables: Iterable[int], rows: Ints | slice = slice(None)) -> Words:
        """Pack the values of some variables in these rows; other variables keep their words."""
        source = self._source
        words = source.words.copy()
        for variable in variables:
            start, stop = source.starts[variable : variable + 2].tolist()
            levels = np.arange(1, stop - start + 1, dtype=np.uint16)[:, np.newaxis]
            words[start:stop] = packed(self._values[variable][rows] == levels, words.shape[1])
        return words
