"""Resampling: rows with replacement, complementary halves, case-dropping subsets, model samples.

The unit of resampling is a row, or a cluster of rows (the answers from one school). With strata,
units are drawn within each stratum, so that every data set has the same proportions of them. Rows
that are drawn twice are packed twice instead of getting a weight of 2, because counting samples
with weights costs more than twice as much. Ordered levels are the exception: their regressions run
over all samples, and only two thirds of these are distinct.

A data set depends only on the seed and on its number, so it does not depend on the executor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from markhood.arrays import Ints
from markhood.data.clusters import label_numbers
from markhood.data.coding.coders import is_missing
from markhood.data.coding.encode import encode_like
from markhood.data.samples import Samples, Weights
from markhood.errors import InputError, option, option_error
from markhood.kernels.lists import Lists
from markhood.kernels.tables import codes
from markhood.model.potts.model import given_last

# Shares of the units to leave out, as in bootnet.
DROPPED = np.linspace(0.05, 0.75, 10)


class Resampling(Protocol):
    """A scheme for drawing data sets."""

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set with the given number."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of resampling."""

    rows: Lists  # the samples of each unit
    strata: Lists  # the units of each stratum
    seed: int

    @classmethod
    def of(
        cls,
        n_samples: int,
        seed: int,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> Units:
        """Make units from the labels of samples.

        Examples
        --------
        >>> units = Units.of(4, 0, clusters=["a", "b", "a", "c"], strata=[0, 1, 0, 1])
        >>> [rows.tolist() for rows in units.rows], [u.tolist() for u in units.strata]
        ([[0, 2], [1], [3]], [[0], [1, 2]])
        """
        of_clusters = np.arange(n_samples)
        if clusters is not None:
            of_clusters = _checked_numbers("clusters", clusters, n_samples)
        rows = _members(of_clusters)
        if strata is None:
            return cls(rows, Lists.of([np.arange(len(rows))]), seed)
        of_rows = _checked_numbers("strata", strata, n_samples)
        of_units = of_rows[[unit[0] for unit in rows]]
        if (np.repeat(of_units, np.diff(rows.starts)) != of_rows[rows.values]).any():
            raise InputError(
                "labels",
                "strata",
                f"A cluster has samples in two strata. Give {option('strata')} that contain whole "
                f"{option('clusters')}, or leave one of the two options out.",
            )
        return cls(rows, _members(of_units), seed)

    def random(self, number: int) -> np.random.Generator:
        """Return the random generator of a data set."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))

    def rows_of(self, choose: Callable[[Ints], Ints]) -> Ints:
        """Return the samples of the units that are chosen in each stratum."""
        units = np.concatenate([choose(stratum) for stratum in self.strata])
        if len(self.rows) == len(self.rows.values):  # a unit is a row
            return np.asarray(self.rows.values[units])
        return np.concatenate([self.rows[unit] for unit in units.tolist()])


@dataclass(frozen=True)
class Rows:
    """All units drawn with replacement: the nonparametric bootstrap."""

    units: Units

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set with the given number."""
        rng = self.units.random(number)
        rows = self.units.rows_of(
            lambda stratum: stratum[rng.integers(len(stratum), size=len(stratum))]
        )
        # With missing values, every drawn row is imputed separately.
        if samples.bits.ordered is None or samples.missing:
            return samples.take(rows)
        distinct, counts = np.unique(rows, return_counts=True)
        once = samples.take(distinct)
        own, unit = once.weights or Weights(np.ones_like(counts), 1)
        return replace(once, weights=Weights(own * counts, unit))


@dataclass(frozen=True)
class Halves:
    """Complementary halves: data sets 2k and 2k + 1 are disjoint halves of the units."""

    units: Units

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set with the given number."""
        rng = self.units.random(number // 2)

        def half(stratum: Ints) -> Ints:
            mixed, size = rng.permutation(stratum), len(stratum) // 2
            return mixed[:size] if number % 2 == 0 else mixed[size : 2 * size]

        return samples.take(self.units.rows_of(half))


@dataclass(frozen=True)
class Cases:
    """Case-dropping subsets: 5 to 75 % of the units left out, in ten steps."""

    units: Units

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set with the given number."""
        rng, share = self.units.random(number), 1 - dropped_share(number)
        return samples.take(
            self.units.rows_of(
                lambda stratum: rng.permutation(stratum)[: max(1, round(share * len(stratum)))]
            )
        )


@dataclass(frozen=True)
class FromModel:
    """Samples of a model, with the total weight of the data: the parametric bootstrap.

    Each drawn sample has the missing values of a sample of the data, which is the same one in every
    data set unless the weights are fractions.
    """

    # Its method ``sample(n_samples, seed)`` returns level numbers, one column per variable.
    model: Any
    seed: int
    # Number of covariates, which are the last variables. They keep their observed values, and the
    # other variables are drawn conditionally on them from an `IsingModel` or `PottsModel` of all
    # variables.
    n_covariates: int = 0

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set with the given number."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        rows = _rows_by_weight(samples, rng)
        values = self._values(samples if samples.weights is None else samples.take(rows), rng)
        numbered = tuple(tuple(range(max(2, len(own)))) for own in samples.levels)
        if values.shape != (len(rows), samples.n_variables):
            raise InputError(
                "model-data",
                "model",
                f"The model draws samples of shape {values.shape}, but the data have shape "
                f"{(len(rows), samples.n_variables)}: give a model of these variables.",
            )
        words = encode_like(values, numbered, samples.names).words
        missing = samples.take(rows).missing if samples.missing else {}
        for variable, mask in missing.items():
            words[samples.starts[variable] : samples.starts[variable + 1]] &= ~mask
        return Samples(words, len(values), samples.variables, missing)

    def _values(self, samples: Samples, rng: np.random.Generator) -> Ints:
        if not self.n_covariates:
            return np.asarray(self.model.sample(samples.n_samples, rng))
        d = samples.n_variables
        last = [codes(samples.bits, v) for v in range(d - self.n_covariates, d)]
        configurations, stratum = np.unique(np.column_stack(last), axis=0, return_inverse=True)
        values = np.empty((samples.n_samples, d), np.int64)
        for k, levels in enumerate(configurations.tolist()):
            rows = np.flatnonzero(stratum.ravel() == k)
            values[rows, : -self.n_covariates] = given_last(self.model, levels).sample(
                len(rows), rng
            )
            values[rows, -self.n_covariates :] = levels
        return values


def _rows_by_weight(samples: Samples, rng: np.random.Generator) -> Ints:
    """Repeat each row by its frequency weight, or draw rows in proportion to fractional weights."""
    if samples.weights is None:
        return np.arange(samples.n_samples)
    counts, unit = samples.weights
    if unit == 1:
        return np.repeat(np.arange(samples.n_samples), counts)
    size = max(1, round(samples.total_weight))
    return rng.choice(samples.n_samples, size=size, p=counts / counts.sum())


def dropped_share(number: int) -> float:
    """Return the share of the units that a data set of `Cases` leaves out."""
    return float(DROPPED[number % len(DROPPED)])


RESAMPLINGS: Mapping[str, Callable[[Units], Resampling]] = {
    "rows": Rows,
    "halves": Halves,
    "cases": Cases,
}


def _checked_numbers(name: str, labels: ArrayLike, n_samples: int) -> Ints:
    """Return a number for each label, numbered in the order of first occurrence."""
    listed = listed_labels(name, labels, n_samples)
    if n_missing := sum(map(is_missing, listed)):
        raise InputError(
            "labels",
            name,
            f"{n_missing} of {n_samples} samples have no label in {option(name)}: fill in the "
            "labels, or leave these samples out.",
        )
    return label_numbers(listed)


def listed_labels(name: str, labels: ArrayLike, n_samples: int) -> list[Any]:
    """Return labels as a list, after checking that there is one per sample."""
    # numpy would convert a missing label in a list of strings to the string "nan".
    listed = list(labels) if isinstance(labels, (list, tuple)) else np.asarray(labels).tolist()
    if not isinstance(listed, list) or len(listed) != n_samples:
        raise option_error(
            name,
            f"has {len(listed) if isinstance(listed, list) else 0} labels for {n_samples} samples: "
            "give one label per sample, or the name of a column.",
            "labels",
        )
    return listed


def derived_seed(seed: int | None, *key: int) -> int:
    """Return a seed that depends only on another seed and on a key.

    Different keys give independent random numbers. Seeds such as ``seed + 1`` would not: a run with
    the next seed would use most of them again.

    Examples
    --------
    >>> derived_seed(0, 1) == derived_seed(0, 1), derived_seed(0, 1) == derived_seed(1, 0)
    (True, False)
    """
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0])


def _members(numbers: Ints) -> Lists:
    """Return the positions of each number."""
    order = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[order], np.arange(int(numbers.max()) + 2))
    return Lists(starts.astype(np.int64), order.astype(np.int64))
