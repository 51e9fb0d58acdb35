"""Weights of samples, stored as whole multiples of a unit.

Frequency weights count equal rows: a sample with weight 3 counts as three samples, and N is their
sum. Survey weights are relative. They are scaled so that their sum, the N of every formula, is the
effective sample size of Kish,

    N_eff = (sum of weights)^2 / (sum of squared weights),

because unequal weights make an average as variable as one of N_eff equally weighted samples. With
the number of samples in its place, chance would produce many edges. They are stored as multiples
of 1/1024 of their mean, at least one, times a factor whose mantissa is short, so that all sums are
exact.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints, Words
from markhood.data.coding.names import chosen_columns
from markhood.data.reading import SIMILARITY, Reading
from markhood.data.samples import Samples, Weights, words_per_row
from markhood.data.storage.memory import require_memory
from markhood.errors import InputError, option, warn
from markhood.kernels.words import packed, transposed, unpacked

UNIT = 2.0**-10
SIMILARITY_UNIT = 2.0**-16
MOST_DIGITS = 40  # binary digits of a weight in units: every digit takes time
UNIT_DIGITS = 16  # binary digits of a unit: its multiples, up to 2^36 of them, have exact sums
LIKELY_POPULATION = 10  # whole numbers that are all at least this are probably survey weights
LIKELY_MEAN = 50  # and so are whole numbers with at least this mean
LARGEST_WHOLE = 2.0**53  # all larger numbers are whole
COVERED = 0.1  # share of the possible rows that a table of counts has at least
PARTS_OF_MEAN = 4  # to which weights are rounded where samples are repeated
MOST_REPEATED = 1 << 18  # samples; a path of l1lr takes up to 50 bytes for each
SIDE = 128  # samples per side of a tile, so that it fits in the cache

WeightsAre = Literal["auto", "frequencies", "survey"]
COUNT_NAMES = {"n", "count", "counts", "freq", "freqs", "frequency", "frequencies", "times"}
SURVEY_NAMES = ("wt", "wgt", "pweight", "pwt", "finalwt", "svywt", "ponder", "survey", "poids")


def as_weights(values: Any, n_samples: int, weights_are: WeightsAre = "auto") -> Weights:
    """Return weights as counts of a unit.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Non-negative numbers.
    weights_are : {"auto", "frequencies", "survey"}, default="auto"
        Frequencies are used as they are, rounded to 1/1024 unless all are whole numbers. Survey
        weights are scaled to the effective sample size. By default whole numbers are frequencies;
        `recognised` looks at the table as well.

    Returns
    -------
    Weights
        With a `DataWarning` for frequencies that are rounded to zero.

    Examples
    --------
    >>> as_weights([2, 0, 1], 3)
    Weights(counts=array([2, 0, 1]), unit=1.0)
    >>> found = as_weights([1.5, 0.5], 2)
    >>> found.counts.tolist(), round(float(found.counts.sum() * found.unit), 4)
    ([1536, 512], 1.6)
    """
    numbers = check_weights(values, n_samples)
    are_whole = bool((numbers == np.floor(numbers)).all()) and numbers.max() < LARGEST_WHOLE
    if weights_are == "survey" or (weights_are == "auto" and not are_whole):
        return _survey(numbers)
    weights = _counted(numbers, 1.0 if are_whole else UNIT)
    if n := int(((weights.counts == 0) & (numbers > 0)).sum()):
        warn(
            "rows-dropped",
            "weights",
            f"{n} sample{'s have weights' if n > 1 else ' has a weight'} that "
            f"{'are' if n > 1 else 'is'} rounded to zero (the unit is 1/1024) and will be left "
            "out.",
        )
    return weights


def _survey(numbers: Floats) -> Weights:
    """Return survey weights with the effective sample size as their sum."""
    relative = numbers / numbers.max()  # the sum of large numbers may not be finite
    counts = _counted(relative / relative[relative > 0].mean(), UNIT).counts
    counts[(counts == 0) & (numbers > 0)] = 1  # a sample that is left out could take a level along
    positive = counts[counts > 0]
    if len(positive) and (positive == positive[0]).all():
        return Weights((counts > 0).astype(np.int64))
    return Weights(counts, with_sum(counts, effective_size(counts)))


def effective_size(weights: NDArray[Any]) -> float:
    """Return the effective sample size of Kish.

    Examples
    --------
    >>> effective_size(np.array([1, 1, 1])), effective_size(np.array([1, 3]))
    (3.0, 1.6)
    """
    numbers = np.asarray(weights, np.float64)
    return float(numbers.sum() ** 2 / (numbers**2).sum())


def with_sum(counts: Ints, total: float) -> float:
    """Return the unit with which counts have about this sum, with a short mantissa."""
    mantissa, exponent = math.frexp(total / float(counts.sum()))
    return math.ldexp(round(math.ldexp(mantissa, UNIT_DIGITS)), exponent - UNIT_DIGITS)


def recognised(samples: Samples, reading: Reading) -> Samples:
    """Decide what weights are that were read with ``weights_are="auto"``, and record it.

    Whole numbers are frequencies, except where they are called otherwise or look like numbers of
    people in a population: every one is at least 10, or their mean is at least 50. A table that
    lists a tenth or more of all possible rows, each once, is a table of counts.
    """
    if samples.weights is None or reading.weights_are != "auto":
        return samples
    counts, unit = samples.weights
    name = str(reading.weights).lower() if isinstance(reading.weights, str) else ""
    change, n = option("weights_are", "frequencies"), counts.sum() * unit
    if unit == 1:
        if not _is_survey(samples, counts, name):
            reading.log.add_note(
                "weights-read",
                "weights",
                f"Whole-number weights are read as frequencies (N = {n:.6g}). If they are survey "
                f"weights, use {option('weights_are', 'survey')}.",
            )
            return samples
        samples = replace(samples, weights=_survey(counts.astype(np.float64)))
        reading.log.add_warning(
            "weights-read",
            "weights",
            "Whole-number weights look like survey weights, and are scaled to the effective "
            f"sample size ({samples.total_weight:.4g}) instead of N = {n:.4g}. If they count "
            f"equal rows, use {change}.",
        )
        return samples
    reading.log.add_note(
        "weights-read",
        "weights",
        f"Weights are read as survey weights and scaled to the effective sample size ({n:.4g} of "
        f"{samples.n_samples}). If they count rows, use {change}.",
    )
    return samples


def _is_survey(samples: Samples, counts: Ints, name: str) -> bool:
    """Return whether whole-number weights are probably survey weights."""
    if name in COUNT_NAMES or (counts == 1).all():
        return False
    if name.startswith(SURVEY_NAMES):
        return True
    if counts.min() < LIKELY_POPULATION and counts.mean() < LIKELY_MEAN:
        return False
    possible = math.prod(float(max(1, len(levels))) for levels in samples.levels)
    if samples.n_samples < COVERED * possible:
        return True
    return len(np.unique(row_hashes(samples.words, samples.n_samples))) < samples.n_samples


def row_hashes(rows: Words, n_samples: int) -> Words:
    """Return a hash of the bits of every sample in packed rows."""
    hashes = np.zeros(n_samples, np.uint64)
    for start in range(0, len(rows), 64):
        hashes ^= transposed(rows[start : start + 64])[0, :n_samples]
        hashes *= np.uint64(0x9E3779B97F4A7C15)  # odd, so that different samples stay different
        hashes ^= hashes >> np.uint64(32)
    return hashes


def check_weights(values: Any, n_samples: int) -> Floats:
    """Return weights as an array of finite, non-negative numbers, one per sample."""
    try:
        if np.iscomplexobj(values):  # which NumPy would convert with a warning only
            raise TypeError("not complex")
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise _unusable(f"Weights must be numbers ({error}): pass one per sample.") from error
    if numbers.shape != (n_samples,):
        raise _unusable(
            f"There are weights of shape {numbers.shape} for {n_samples} samples: pass one weight "
            "per sample."
        )
    for wrong, what in (
        (np.isnan(numbers), "missing (NaN)"),
        (np.isinf(numbers), "infinite"),
        (numbers < 0, "negative"),
    ):
        if wrong.any():
            raise _unusable(
                f"The weight of sample {int(wrong.argmax()) + 1} is {what}: use non-negative "
                "numbers."
            )
    if not numbers.any():
        raise _unusable("All weights are zero: pass some above zero.")
    return numbers


def _unusable(text: str) -> InputError:
    return InputError("weights", "weights", text)


def _counted(numbers: Floats, unit: float) -> Weights:
    units = np.rint(numbers / unit)
    if units.max() >= 2.0**MOST_DIGITS or units.sum() >= 2.0**62:
        raise _unusable(
            f"A weight of {numbers.max():g} is above the limit {2.0**MOST_DIGITS * unit:.3g}: "
            "divide all weights by the same number."
        )
    return Weights(units.astype(np.int64), unit)


def read_weights(path: Path) -> Floats:
    """Read weights from an .npy file, or from text with one number per line."""
    try:
        if path.suffix.lower() == ".npy":
            numbers = np.load(path, allow_pickle=False)
        else:
            numbers = np.array([float(line) for line in path.read_text("utf-8").split()])
        return np.asarray(numbers, np.float64)
    except (OSError, EOFError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            "weights",
            path.name,
            f"{path} cannot be read as weights ({reason}): pass a file with one number per line, "
            "or an .npy file.",
        ) from error


class Wanted(NamedTuple):
    """The columns of a table to read."""

    columns: list[int]  # those that may become variables
    names: list[str]  # their names
    weights: int | None  # the column with the weights
    reading: Reading  # with the weights of a file, if any

    def are_all(self, n_columns: int) -> bool:
        """Return whether these are all columns, in their order."""
        return self.columns == list(range(n_columns))


def wanted_columns(
    names: Sequence[str], reading: Reading, advice: str = "rename them", first: int = 0
) -> Wanted:
    """Return the columns that a reading selects, from number `first` on, and the weights."""
    picked = [first + k for k in chosen_columns(names[first:], reading, advice)]
    picked, weights, reading = _find_weights(names, picked, reading)
    return Wanted(picked, [names[j] for j in picked], weights, reading)


def _find_weights(
    names: Sequence[str], picked: Sequence[int], reading: Reading
) -> tuple[list[int], int | None, Reading]:
    """Find the weights by name: a column of the data, which is not a variable, else a file."""
    given = reading.weights
    if not isinstance(given, (str, os.PathLike)) or given == SIMILARITY:
        return list(picked), None, reading
    if given in names:
        at = list(names).index(str(given))
        reading.log.leave_out(str(given), "the weights")
        return [j for j in picked if j != at], at, reading
    if not Path(given).is_file():
        raise InputError(
            "unknown-column",
            str(given),
            f"There is neither a column nor a file {str(given)!r} with weights: name one of them, "
            f"or choose {option('weights', SIMILARITY)}.",
        )
    return list(picked), None, replace(reading, weights=read_weights(Path(given)))


def weighted(samples: Samples, weights: Any, weights_are: WeightsAre = "auto") -> Samples:
    """Add weights to samples that have none.

    Parameters
    ----------
    weights : array-like of shape (n_samples,), "similarity" or None
        One weight per sample, or per row of the table that the samples came from. Samples of weight
        0 are left out.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> weighted(encode([[0, 1], [1, 0], [1, 1]]), [2, 0, 3]).weights.counts.tolist()
    [2, 3]
    """
    if weights is None:
        return samples
    if samples.weights is not None:
        raise _unusable("The samples already have weights: pass weights only once.")
    if isinstance(weights, str) and weights == SIMILARITY:
        return replace(samples, weights=similarity_weights(samples))
    numbers = check_weights(samples.per_sample(weights, "weights"), samples.n_samples)
    counts, unit = as_weights(numbers, samples.n_samples, weights_are)
    found = replace(samples, weights=Weights(counts, unit))
    found = found if counts.all() else found.take(np.flatnonzero(counts))
    return recognised(found, Reading(weights=numbers, weights_are=weights_are))


def repeated(samples: Samples) -> Samples:
    """Repeat each sample by its weight, rounded to quarters of the mean unless whole.

    Weights are divided by their greatest common divisor, as only their proportions matter to a
    penalised path. Those with a larger sum than `MOST_REPEATED` are scaled down to it.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> repeated(encode([[0, 1], [1, 0], [1, 1]], weights=[1, 3, 2])).n_samples
    6
    """
    if samples.weights is None:
        return samples
    counts = samples.weights.counts
    if samples.weights.unit != 1:
        counts = np.rint(PARTS_OF_MEAN * counts / counts.mean()).astype(np.int64)
    counts = counts // np.gcd.reduce(counts)
    total = float(counts.sum(dtype=np.float64))
    if total > MOST_REPEATED:
        warn(
            "weights-read",
            "weights",
            "Penalised paths repeat each sample by its weight. The sum of the weights "
            f"({total:.3g}) is scaled down to {MOST_REPEATED}.",
        )
        counts = np.maximum(1, np.rint(counts * (MOST_REPEATED / total))).astype(np.int64)
    n_samples = int(counts.sum())
    require_memory(len(samples.words), n_samples)
    words = np.zeros((len(samples.words), words_per_row(n_samples)), np.uint64)
    for row, wide in zip(samples.words, words, strict=True):
        bits = unpacked(row, samples.n_samples)
        wide[:] = packed(np.repeat(bits, counts), len(wide))
    every = np.arange(samples.n_samples) if samples.rows is None else samples.rows
    times = np.repeat(np.arange(samples.n_samples), counts)
    reals = {name: own.take(times) for name, own in samples.reals.items()}
    return replace(
        samples,
        words=words,
        n_samples=n_samples,
        weights=None,
        rows=every[times],
        reals=reals,
        clusters=None if samples.clusters is None else samples.clusters[times],
    )


def similarity_weights(samples: Samples, threshold: float = 0.1, side: int = SIDE) -> Weights:
    """Weight samples by the number of similar samples, as is usual for aligned sequences.

    The weight of a sample is 1 / m, where m is the number of samples, including itself, that differ
    from it in at most a share `threshold` of the variables. The sum of the weights is the effective
    number of sequences, so it is not scaled. Missing is compared like any other value.

    Parameters
    ----------
    threshold : float, default=0.1
        Maximum share of variables in which similar samples differ.

    Returns
    -------
    Weights
        Rounded to multiples of 2**-16.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 0, 1], [0, 0, 1], [1, 1, 0]])
    >>> weights = similarity_weights(samples)
    >>> (weights.counts * weights.unit).tolist()
    [0.5, 0.5, 1.0]
    """
    most = int(np.floor(threshold * samples.n_variables + 1e-9))
    digits = _by_sample(samples)
    n = samples.n_samples
    n_similar = np.zeros(n, np.int64)
    for top in range(0, n, side):
        one = slice(top, min(n, top + side))
        for left in range(top, n, side):
            other = slice(left, min(n, left + side))
            similar = _differences(digits, one, other) <= most
            n_similar[one] += similar.sum(axis=1)
            if left > top:
                n_similar[other] += similar.sum(axis=0)
    counts = np.maximum(1, np.rint(1 / n_similar / SIMILARITY_UNIT)).astype(np.int64)
    return Weights(counts, SIMILARITY_UNIT)


def _differences(digits: list[Words], one: slice, other: slice) -> NDArray[np.uint16]:
    """Count the variables in which pairs of samples differ, of shape (one, other)."""
    shape = one.stop - one.start, other.stop - other.start
    total = np.zeros(shape, np.uint32)
    differ, changed = np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    for own in digits:  # variables with the same number of digits: (digits, words, samples)
        for word in range(own.shape[1]):
            np.bitwise_xor(own[0, word, one, None], own[0, word, None, other], out=differ)
            for digit in own[1:, word]:
                np.bitwise_xor(digit[one, None], digit[None, other], out=changed)
                differ |= changed
            total += np.bitwise_count(differ)
    return total


def _by_sample(samples: Samples) -> list[Words]:
    """Return the binary digits of levels, packed by sample, by number of digits."""
    n_digits = np.array([max(1, (len(ls) - 1).bit_length()) for ls in samples.levels])
    for j in samples.missing:
        n_digits[j] = len(samples.levels[j]).bit_length()
    return [_digits(samples, np.flatnonzero(n_digits == n), n) for n in np.unique(n_digits)]


def _digits(samples: Samples, variables: Ints, n_digits: int) -> Words:
    """Return the digits of some variables' levels, of shape (n_digits, words, n_samples)."""
    n_words = -(-len(variables) // 64)
    digits = np.zeros((n_digits, n_words, samples.n_samples), np.uint64)
    for word, block in enumerate(np.split(variables, range(64, len(variables), 64))):
        for digit in range(n_digits):
            rows = np.stack([_digit(samples, j, digit) for j in block])
            digits[digit, word] = packed(unpacked(rows, samples.n_samples).T, 1)[:, 0]
    return digits


def _digit(samples: Samples, variable: int, digit: int) -> Words:
    """Return where a digit of a variable's level is one; missing is an additional level."""
    start, stop = samples.starts[variable : variable + 2]
    found = np.zeros(samples.words.shape[1], np.uint64)
    for k in range(start, stop):
        if (k - start + 1) >> digit & 1:
            found |= samples.words[k]
    mask = samples.missing.get(variable)
    if mask is not None and len(samples.levels[variable]) >> digit & 1:
        found |= mask
    return found
