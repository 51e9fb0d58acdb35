"""Packed samples, the input of the kernels: one bit per sample, one row per level except the first.

With packed bits, counting the samples in which two indicators are one is a popcount of their
intersection, and 10 000 samples of a binary variable take 1.3 kB. A variable with r levels has
r - 1 indicator rows: level k > 0 is a one bit in the k-th row, the first level has no one bits. So
a binary variable has one row, and a constant variable has one row of zeros.

A sample with weight 3 counts as three samples. Weights that are not whole numbers are stored as
multiples of a `unit`, a power of two, so that their sums are exact in any order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints, Words
from markhood.data.rest_scores import Components, known_codes, with_rest_scores
from markhood.data.storage.mapped import row_blocks
from markhood.data.variables import Levels, Variables, level_text
from markhood.errors import option_error
from markhood.kernels.bits import Bits, Reals, Weighting
from markhood.kernels.words import packed, unpacked

if TYPE_CHECKING:
    from markhood.data.codebook import Account
    from markhood.data.reading import Reading

BITS_PER_WORD = 64
WORDS_PER_LANE = 8  # rows are padded to the widest vector register: kernels need no tail loop


class Weights(NamedTuple):
    """Weights of samples: ``counts`` of shape (n_samples,), dtype int64, times ``unit``."""

    counts: Ints
    unit: float = 1.0


class RealColumn(NamedTuple):
    """A numeric covariate: ``values`` of shape (n_samples,), dtype float64.

    Regressions use it standardised by ``mean`` and ``deviation``. These are computed from all
    samples that were read, so that coefficients have the same units in subsets and replicates.
    """

    values: Floats
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Compute mean and standard deviation."""
        return cls(values, float(values.mean()), float(values.std()) or 1.0)

    @property
    def standardised(self) -> Floats:
        """The values minus the mean, in standard deviations."""
        return np.asarray((self.values - self.mean) / self.deviation)

    def take(self, rows: Ints) -> Self:
        """Return the values of some samples, in the same units."""
        return self._replace(values=self.values[rows])


@dataclass(frozen=True, eq=False)
class Samples:
    """Packed discrete data with names, levels and weights.

    Attributes
    ----------
    words : ndarray of shape (n_rows, n_words), dtype uint64
        Indicator rows, variable after variable. Sample s is bit ``s % 64`` of word ``s // 64``.
        Bits past ``n_samples`` are zero, so they are not counted; ``n_words`` is a multiple of
        eight.
    n_samples : int
        Number of bits in use in each row.
    variables : Variables
        Names, levels and kinds of the variables.
    missing : mapping of int to ndarray of shape (n_words,), dtype uint64
        For each variable that has missing values, the samples in which it is missing; its
        indicator rows are zero there. Empty unless the data were read with ``missing="impute"``.
    weights : Weights, optional
        Weight of each sample; by default 1.
    account : Account, optional
        How the table was read that the samples came from.
    are_sites : bool, default=False
        Whether the variables are sites of genomes or columns of alignments, which are often copies
        of each other: these are grouped by default.
    rows : ndarray of shape (n_samples,), dtype int64, optional
        The row of the table that each sample came from. None if every row became a sample, in
        order.
    reading : Reading, optional
        The options with which the table was read, to read new data in the same way.
    library : {"pandas", "polars"}, optional
        Library of the data frame that the samples came from, for the frames of results.
    reals : mapping of str to RealColumn
        Numeric covariates by name: they are in every regression, and are not variables.
    components : Components, optional
        Components of the variables, whose rest scores are in every regression (`rest_scores.py`).
    clusters : ndarray of shape (n_samples,), dtype int64, optional
        The cluster of each sample, numbered from 0. By default samples are independent.
    source : str, optional
        Name of the file that the samples were read from, without its folder.
    """

    words: Words
    n_samples: int
    variables: Variables
    missing: Mapping[int, Words] = field(default_factory=dict)
    weights: Weights | None = None
    account: Account | None = None
    are_sites: bool = False
    rows: Ints | None = None
    reading: Reading | None = None
    library: str | None = None
    reals: Mapping[str, RealColumn] = field(default_factory=dict)
    components: Components | None = None
    clusters: Ints | None = None
    source: str | None = None

    @property
    def n_reals(self) -> int:
        """The number of real-valued predictors in every regression."""
        return len(self.reals) + (0 if self.components is None else self.components.n)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each variable."""
        return self.variables.names

    @property
    def levels(self) -> Levels:
        """The sorted values of each variable; a constant variable has one."""
        return cast("Levels", self.variables.levels)  # always known for data

    @property
    def n_variables(self) -> int:
        """Number of variables, constant ones included."""
        return len(self.names)

    @property
    def is_binary(self) -> bool:
        """Whether all variables have at most two levels."""
        return len(self.words) == len(self.names)

    @cached_property
    def starts(self) -> Ints:
        """The first row of each variable, and the number of rows: of shape (n_variables + 1,)."""
        if self.is_binary:
            return np.arange(len(self.names) + 1)
        n_rows = [max(1, len(values) - 1) for values in self.levels]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(n_rows)])

    @cached_property
    def total_weight(self) -> float:
        """Sum of the weights of all samples: the N of every formula."""
        if self.weights is None:
            return self.n_samples
        return float(self.weights.counts.sum() * self.weights.unit)

    @cached_property
    def bits(self) -> Bits:
        """The samples as an argument of kernels."""
        starts = None if self.is_binary else self.starts
        return Bits(
            self.words, self.n_samples, starts, self._weighting(), self._ordered(), self._reals()
        )

    @cached_property
    def ones(self) -> Ints:
        """Number of samples in which each row has a one, of shape (n_rows,)."""
        # In blocks, because the counts of all words take an eighth of the memory of the data.
        blocks = np.array_split(self.words, max(1, self.words.size >> 20))
        return np.concatenate([np.bitwise_count(b).sum(axis=1, dtype=np.int64) for b in blocks])

    @cached_property
    def shares(self) -> Floats:
        """Share of the total weight for which each row has a one, of shape (n_rows,)."""
        weighting = self.bits.weighting
        if weighting is None:
            return np.asarray(self.ones / self.n_samples)
        blocks = np.array_split(self.words, max(1, self.words.size >> 16))
        ones = [unpacked(block, self.n_samples) @ weighting.weights for block in blocks]
        return np.asarray(np.concatenate(ones) / self.total_weight)

    @cached_property
    def is_constant(self) -> Bools:
        """Whether each variable has a single level, of shape (n_variables,)."""
        if self.is_binary:
            constant: Bools = (self.ones == 0) | (self.ones == self.n_samples)
            return constant
        return np.array([len(values) < 2 for values in self.levels])

    @cached_property
    def information(self) -> Floats:
        """N times the entropy of each variable, in nats, of shape (n_variables,).

        An approximation for weighted samples: the shares of levels are unweighted.
        """
        n, rows = self.n_samples, self.ones
        owner = np.repeat(np.arange(self.n_variables), np.diff(self.starts))
        lowest = np.float64(n) - np.bincount(owner, rows, minlength=self.n_variables)

        def surprise(counts: Floats) -> Floats:
            with np.errstate(divide="ignore"):
                return np.where(counts > 0, -counts * np.log(counts / n), 0.0)

        own = np.bincount(owner, surprise(rows.astype(np.float64)), minlength=self.n_variables)
        return (own + surprise(lowest)) * (self.total_weight / n)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of names, levels and values: equal for equal data from any file."""
        digest = hashlib.blake2b(digest_size=16)
        distinct = {id(ls): ls for ls in self.levels}  # many variables share their levels
        texts = {k: json.dumps([level_text(v) for v in ls]) for k, ls in distinct.items()}
        levels = ", ".join(map(texts.__getitem__, map(id, self.levels)))
        digest.update(f"[{self.n_samples}, {json.dumps(self.names)}, [{levels}]]".encode())
        for block in row_blocks(self.words):
            digest.update(np.ascontiguousarray(block).data)
        for variable, mask in sorted(self.missing.items()):
            digest.update(f"missing {variable}".encode() + mask.tobytes())
        if self.weights is not None:
            digest.update(f"weights {self.weights.unit}".encode() + self.weights.counts.tobytes())
        if self.bits.ordered is not None:
            digest.update(b"ordered" + self.bits.ordered.tobytes())
        for name, own in self.reals.items():
            digest.update(f"real {name}".encode() + own.values.tobytes())
        if self.components is not None:
            digest.update(b"components" + self.components.weights.tobytes())
        if self.clusters is not None:
            digest.update(b"clusters" + self.clusters.tobytes())
        return digest.hexdigest()

    def weight_of(self, words: Words) -> Floats:
        """Return the total weight of the samples whose bits are set, for each packed row.

        Examples
        --------
        >>> from markhood.data.coding.encode import encode
        >>> samples = encode([[0, 1], [1, 0], [1, 1]], weights=[2, 3, 4])
        >>> samples.weight_of(samples.words).tolist()
        [7.0, 6.0]
        """
        weighting = self.bits.weighting
        if weighting is None:
            return np.asarray(np.bitwise_count(words).sum(axis=-1, dtype=np.float64))
        digits = [np.bitwise_count(words & plane).sum(axis=-1) for plane in weighting.planes]
        counts = sum(np.ldexp(own.astype(np.float64), k) for k, own in enumerate(digits))
        return np.asarray(counts * weighting.unit)

    def pick(self, variables: Ints) -> Samples:
        """Return some of the variables, in this order, in memory, without components."""
        lengths = np.diff(self.starts)[variables]
        before = np.cumsum(lengths) - lengths
        rows = np.repeat(self.starts[variables] - before, lengths) + np.arange(lengths.sum())
        picked = variables.tolist()
        return replace(
            self,
            words=self.words[rows],
            variables=self.variables.pick(picked),
            missing={k: self.missing[j] for k, j in enumerate(picked) if j in self.missing},
            components=None,
        )

    def take(self, rows: Ints) -> Samples:
        """Return some of the samples, in this order; repeated indices repeat samples.

        Examples
        --------
        >>> from markhood.data.coding.encode import encode
        >>> encode([[0, 1], [1, 0], [1, 1]]).take(np.array([0, 2, 2])).ones.tolist()
        [2, 3]
        """
        weights = self.weights and Weights(self.weights.counts[rows], self.weights.unit)
        return replace(
            self,
            words=taken_bits(self.words, self.n_samples, rows),
            n_samples=len(rows),
            missing={
                j: taken_bits(mask[None], self.n_samples, rows)[0]
                for j, mask in self.missing.items()
            },
            weights=weights,
            rows=rows if self.rows is None else self.rows[rows],
            reals={name: own.take(rows) for name, own in self.reals.items()},
            clusters=None if self.clusters is None else self.clusters[rows],
        )

    def per_sample(self, values: Any, name: str) -> NDArray[Any]:
        """Return one value per sample from one value per sample or per row of the table.

        Values of rows that were left out (missing values, weight zero) are left out.

        Parameters
        ----------
        values : array-like of shape (n_samples,) or (n_rows,)
        name : str
            The option with the values, for messages.

        Examples
        --------
        >>> from markhood.data.coding.encode import encode
        >>> encode([[0, 1], [1, 0], [1, 0]], weights=[1, 0, 2]).per_sample(["a", "b", "c"], "pairs")
        array(['a', 'c'], dtype='<U1')
        """
        given = np.asarray(values)
        n_rows = self.n_samples if self.account is None else self.account.n_rows
        if given.ndim == 1 and len(given) == self.n_samples:
            return given
        if given.ndim == 1 and len(given) == n_rows and self.rows is not None:
            return np.asarray(given[self.rows])
        dropped = f" of {n_rows} rows" if n_rows != self.n_samples else ""
        raise option_error(
            name,
            f"has shape {given.shape} for {self.n_samples} samples{dropped}: pass one value per "
            "row.",
            "weights" if name == "weights" else "labels",
        )

    def with_order(self, ordered: Sequence[bool]) -> Samples:
        """Return the same samples with ordered levels for some variables."""
        return replace(self, variables=replace(self.variables, ordered=tuple(ordered)))

    def _ordered(self) -> Bools | None:
        """Return which variables are ordered, of shape (n_variables,); None if there are none."""
        if self.is_binary or self.variables.ordered is None:
            return None
        return np.array(self.variables.ordered)

    def _reals(self) -> Reals | None:
        """Return the real columns: covariates, then rest scores, which differ for each target."""
        shared = np.empty((len(self.reals), self.n_samples))
        for k, column in enumerate(self.reals.values()):
            shared[k] = column.standardised
        if self.components is None:
            return Reals.of(shared) if self.reals else None
        known = known_codes(self, np.arange(self.n_variables))
        return Reals.of(with_rest_scores(shared, known, self.variables, self.components))

    def _weighting(self) -> Weighting | None:
        if self.weights is None:
            return None
        counts, unit = self.weights
        n_planes = int(counts.max(initial=0)).bit_length()
        n_words = self.words.shape[1]
        planes = [packed(counts >> plane & 1, n_words) for plane in range(n_planes)]
        stacked = np.array(planes, np.uint64).reshape(n_planes, n_words)
        return Weighting(counts * np.float64(unit), stacked, unit)


def words_per_row(n_samples: int) -> int:
    """Return the length of a packed row in words, padding included."""
    bits_per_lane = BITS_PER_WORD * WORDS_PER_LANE
    return max(1, -(-n_samples // bits_per_lane)) * WORDS_PER_LANE


def taken_bits(words: Words, n_samples: int, rows: Ints) -> Words:
    """Return packed rows with some of their samples, in this order."""
    taken = np.zeros((len(words), words_per_row(len(rows))), np.uint64)
    block = max(1, (1 << 24) // max(1, n_samples))  # unpacked rows take eight times the memory
    for start in range(0, len(words), block):
        bits = unpacked(words[start : start + block], n_samples)
        taken[start : start + block] = packed(bits[:, rows], taken.shape[1])
    return taken
