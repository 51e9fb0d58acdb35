"""Data sets drawn from a data set: rows with replacement, halves, parts, or samples of a model.

What is drawn is a unit: a row, or a cluster of rows that belong together (the answers of one school). Where
there are strata, units are drawn within each, so that every data set has them in the same
proportions. Rows drawn twice are packed twice, though a weight would say the same: counting samples with weights costs
more than twice as much (grid of 100 variables, 1000 samples: 41 ms of processor time on drawn rows, 92 on
weights). Ordered levels are the exception. Their regressions run over all samples, of which two thirds are
distinct (25 items, 2800 samples: 95 ms on drawn rows, 68 on weights).

A data set depends on the seed and its own number alone, so it is the same wherever and whenever it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.data.coding.coders import is_missing
from markhood.data.coding.encode import encode_like
from markhood.data.samples import Samples, Weights
from markhood.errors import InputError, option
from markhood.kernels.lists import Lists
from markhood.kernels.tables import codes
from markhood.model.potts.conditional import given_last

# Shares of the units that are left out in turn, as bootnet does.
DROPPED = np.linspace(0.05, 0.75, 10)


class Resampling(Protocol):
    """A way of drawing data sets."""

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set of that number."""


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn as a whole.

    Attributes
    ----------
    rows : Lists
        The samples of each unit.
    strata : Lists
        The units of each stratum.
    seed : int
        What random numbers start from.
    """

    rows: Lists
    strata: Lists
    seed: int

    @classmethod
    def of(
        cls,
        n_samples: int,
        seed: int,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> Units:
        """Group samples by their labels.

        Examples
        --------
        >>> units = Units.of(4, 0, clusters=["a", "b", "a", "c"], strata=[0, 1, 0, 1])
        >>> [rows.tolist() for rows in units.rows], [u.tolist() for u in units.strata]
        ([[0, 2], [1], [3]], [[0], [1, 2]])
        """
        of_clusters = np.arange(n_samples)
        if clusters is not None:
            of_clusters = label_numbers("clusters", clusters, n_samples)
        rows = _members(of_clusters)
        if strata is None:
            return cls(rows, Lists.of([np.arange(len(rows))]), seed)
        of_rows = label_numbers("strata", strata, n_samples)
        of_units = of_rows[[unit[0] for unit in rows]]
        if (np.repeat(of_units, np.diff(rows.starts)) != of_rows[rows.values]).any():
            raise InputError(
                f"A cluster has samples of two strata: give {option('strata')} that hold whole "
                f"{option('clusters')}, or leave one of the two out."
            )
        return cls(rows, _members(of_units), seed)

    def random(self, number: int) -> np.random.Generator:
        """Return the random numbers of a data set."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))

    def rows_of(
        self, choose: Callable[[NDArray[np.int64]], NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """Return the samples of the units that are chosen in each stratum."""
        units = np.concatenate([choose(stratum) for stratum in self.strata])
        if len(self.rows) == len(self.rows.values):  # a unit is a row
            return np.asarray(self.rows.values[units])
        return np.concatenate([self.rows[unit] for unit in units.tolist()])


@dataclass(frozen=True)
class Rows:
    """As many units as there are, drawn with replacement: the nonparametric bootstrap."""

    units: Units

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set of that number."""
        rng = self.units.random(number)
        rows = self.units.rows_of(
            lambda stratum: stratum[rng.integers(len(stratum), size=len(stratum))]
        )
        # Missing values are imputed in every drawn row on its own.
        if samples.bits.ordered is None or samples.missing:
            return samples.take(rows)
        distinct, counts = np.unique(rows, return_counts=True)
        once = samples.take(distinct)
        own, unit = once.weights or Weights(np.ones_like(counts), 1)
        return replace(once, weights=Weights(own * counts, unit))


@dataclass(frozen=True)
class Halves:
    """Half of the units, and the other half next: complementary pairs."""

    units: Units

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set of that number."""
        rng = self.units.random(number // 2)

        def half(stratum: NDArray[np.int64]) -> NDArray[np.int64]:
            mixed, size = rng.permutation(stratum), len(stratum) // 2
            return mixed[:size] if number % 2 == 0 else mixed[size : 2 * size]

        return samples.take(self.units.rows_of(half))


@dataclass(frozen=True)
class Cases:
    """A part of the units: from 5 to 75 % are left out, a tenth of the data sets at each share."""

    units: Units

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set of that number."""
        rng, share = self.units.random(number), 1 - dropped_share(number)
        return samples.take(
            self.units.rows_of(
                lambda stratum: rng.permutation(stratum)[: max(1, round(share * len(stratum)))]
            )
        )


@dataclass(frozen=True)
class Drawn:
    """Samples of a model, as many as there are with their weights: the parametric bootstrap.

    Each drawn sample lacks the values that are missing in a sample of the data, which is the same one in every
    data set unless weights are fractions.

    Parameters
    ----------
    model : object
        Its method ``sample(n_samples, seed)`` returns level numbers, a column a variable.
    seed : int
    n_covariates : int, default=0
        The last variables keep their observed values, and the others are drawn given these: the model is then an
        `IsingModel` or a `PottsModel` of all variables.
    """

    model: Any
    seed: int
    n_covariates: int = 0

    def drawn(self, samples: Samples, number: int) -> Samples:
        """Return the data set of that number."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        rows = _rows_as_they_count(samples, rng)
        values = self._values(samples if samples.weights is None else samples.take(rows), rng)
        numbered = tuple(tuple(range(max(2, len(own)))) for own in samples.levels)
        if values.shape != (len(rows), samples.n_variables):
            raise InputError(
                f"The model gives samples of shape {values.shape}, and the data have "
                f"{(len(rows), samples.n_variables)}: give a model of these variables."
            )
        words = encode_like(values, numbered, samples.names).words
        missing = samples.take(rows).missing if samples.missing else {}
        for variable, mask in missing.items():
            words[samples.starts[variable] : samples.starts[variable + 1]] &= ~mask
        return Samples(words, len(values), samples.variables, missing)

    def _values(self, samples: Samples, rng: np.random.Generator) -> NDArray[np.int64]:
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


def _rows_as_they_count(samples: Samples, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the number of each sample as often as it counts, or so on average."""
    if samples.weights is None:
        return np.arange(samples.n_samples)
    counts, unit = samples.weights
    if unit == 1:
        return np.repeat(np.arange(samples.n_samples), counts)
    size = max(1, round(samples.total_weight))
    return rng.choice(samples.n_samples, size=size, p=counts / counts.sum())


def dropped_share(number: int) -> float:
    """Return the share of the units that is left out of a data set of `Cases`."""
    return float(DROPPED[number % len(DROPPED)])


RESAMPLINGS: Mapping[str, Callable[[Units], Resampling]] = {
    "rows": Rows,
    "halves": Halves,
    "cases": Cases,
}


def label_numbers(name: str, labels: ArrayLike, n_samples: int) -> NDArray[np.int64]:
    """Give labels numbers, in the order of their first samples.

    Raises
    ------
    InputError
        If a sample has no label, or there is not one for each sample.
    """
    listed = listed_labels(name, labels, n_samples)
    if n_missing := sum(map(is_missing, listed)):
        raise InputError(
            f"{n_missing} of {n_samples} samples have no label in {option(name)}: fill in the labels, or leave "
            "these samples out."
        )
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in listed])


def listed_labels(name: str, labels: ArrayLike, n_samples: int) -> list[Any]:
    """Return labels as a list, having checked that there is one for each sample."""
    # An array of a list would turn the missing label of a list of texts into the text "nan".
    listed = list(labels) if isinstance(labels, (list, tuple)) else np.asarray(labels).tolist()
    if not isinstance(listed, list) or len(listed) != n_samples:
        raise InputError(
            f"There are {len(listed) if isinstance(listed, list) else 0} labels in {option(name)} for "
            f"{n_samples} samples: give each sample a label, or the name of a column."
        )
    return listed


def derived_seed(seed: int | None, *key: int) -> int:
    """Return a seed that depends on another seed and on a key, and on nothing else.

    Seeds of different keys start random numbers that have nothing in common, which those of ``seed + 1`` and
    ``seed + 2`` do not: the next seed would use most of them again.

    Examples
    --------
    >>> derived_seed(0, 1) == derived_seed(0, 1), derived_seed(0, 1) == derived_seed(1, 0)
    (True, False)
    """
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0])


def _members(numbers: NDArray[np.int64]) -> Lists:
    """List who has each number."""
    order = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[order], np.arange(int(numbers.max()) + 2))
    return Lists(starts.astype(np.int64), order.astype(np.int64))
