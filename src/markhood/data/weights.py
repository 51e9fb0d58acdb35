"""How often samples count: weights of all kinds as whole multiples of a unit.

Whole numbers are frequencies: a sample of weight 3 is exactly three samples. Other weights are
rounded to a 1024th (after scaling), so that all sums of them are exact, and are scaled to mean 1
unless that is declined: weights that say how many people of a population each sample stands for
would otherwise claim a survey of millions, and every pair of variables would be significant.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.reading import SIMILARITY, Reading
from markhood.data.samples import Samples, Weights, words_per_row
from markhood.data.storage.memory import require_memory
from markhood.errors import InputError, warn
from markhood.kernels.words import packed, unpacked

UNIT = 2.0**-10
SIMILARITY_UNIT = 2.0**-16
MOST_DIGITS = 40  # of a weight in units: every digit costs time
LIKELY_POPULATION = 10  # no frequency is less: counts of anything are seldom so
SIDE = 128  # samples of a tile, so that what is compared stays in the cache


def as_weights(values: Any, n_samples: int, normalize: bool = True) -> Weights:
    """Return weights as counts of a unit.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Numbers of zero or more. Where all are whole they are frequencies, and N is their sum;
        others are rounded to a 1024th.
    n_samples : int
        How many there must be.
    normalize : bool, default=True
        Whether weights that are not whole numbers are first scaled, so that those above zero have
        mean 1.

    Returns
    -------
    Weights
        With a `DataWarning` for weights so small that they are rounded to zero, and for whole
        numbers that are all so large that they are likely not frequencies.

    Examples
    --------
    >>> as_weights([2, 0, 1], 3)
    Weights(counts=array([2, 0, 1]), unit=1.0)
    >>> as_weights([1.5, 0.5], 2)
    Weights(counts=array([1536,  512]), unit=0.0009765625)
    """
    numbers = check_weights(values, n_samples)
    if (numbers == np.floor(numbers)).all():
        if numbers[numbers > 0].min() >= LIKELY_POPULATION:
            warn(
                "frequency-weights",
                "weights",
                f"Weights that are whole numbers are frequencies, so this is as {numbers.sum():.4g} "
                "samples: divide them by their mean if they stand for a population.",
            )
        return _counted(numbers, 1.0)
    if normalize:
        numbers = numbers / numbers[numbers > 0].mean()
    weights = _counted(numbers, UNIT)
    lost = int(((weights.counts == 0) & (numbers > 0)).sum())
    if lost:
        warn(
            "rows-dropped",
            "weights",
            f"{lost} sample{'s have weights' if lost > 1 else ' has a weight'} that rounding to "
            "1/1024 makes zero, and will be left out.",
        )
    return weights


def check_weights(values: Any, n_samples: int) -> NDArray[np.float64]:
    """Return weights as an array of numbers, one a sample, that are finite and not negative."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"Weights must be numbers ({error}): give one a sample.") from error
    if numbers.shape != (n_samples,):
        raise InputError(
            f"There are weights of shape {numbers.shape} for {n_samples} samples: give one weight "
            "a sample."
        )
    for trouble, what in (
        (np.isnan(numbers), "missing (NaN)"),
        (np.isinf(numbers), "infinite"),
        (numbers < 0, "negative"),
    ):
        if trouble.any():
            raise InputError(
                f"The weight of sample {int(trouble.argmax()) + 1} is {what}: give a number of "
                "zero or more."
            )
    if not numbers.any():
        raise InputError("All weights are zero: give some that are more.")
    return numbers


def _counted(numbers: NDArray[np.float64], unit: float) -> Weights:
    units = np.rint(numbers / unit)
    if units.max() >= 2.0**MOST_DIGITS or units.sum() >= 2.0**62:
        raise InputError(
            f"A weight of {numbers.max():g} is too large, {2.0**MOST_DIGITS * unit:.3g} is the "
            "limit: divide all weights by some number."
        )
    return Weights(units.astype(np.int64), unit)


def read_weights(path: Path) -> NDArray[np.float64]:
    """Read weights from a file: .npy, or text with one number a line."""
    try:
        if path.suffix.lower() == ".npy":
            numbers = np.load(path, allow_pickle=False)
        else:
            numbers = np.array([float(line) for line in path.read_text("utf-8").split()])
        return np.asarray(numbers, np.float64)
    except (OSError, EOFError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path} cannot be read as weights ({reason}): give a file with one number a line, or "
            "an .npy file."
        ) from error


def find_weights(
    names: Sequence[str], picked: Sequence[int], reading: Reading
) -> tuple[list[int], int | None, Reading]:
    """Find out what a name given as weights is: a column of the data, else a file.

    Returns
    -------
    list of int
        The columns picked, without that of the weights.
    int or None
        Which column has the weights.
    Reading
        With the weights of a file read.
    """
    given = reading.weights
    if not isinstance(given, (str, os.PathLike)) or given == SIMILARITY:
        return list(picked), None, reading
    if given in names:
        at = list(names).index(str(given))
        reading.notes.leave_out(str(given), "the weights")
        return [j for j in picked if j != at], at, reading
    if not Path(given).is_file():
        raise InputError(
            f"There is no column {str(given)!r} in the data, and no file of that name: give one "
            "of these as weights, or the word similarity."
        )
    return list(picked), None, replace(reading, weights=read_weights(Path(given)))


def weighted(samples: Samples, weights: Any, normalize: bool = True) -> Samples:
    """Return samples that were packed without weights, with weights.

    Parameters
    ----------
    samples : Samples
    weights : array-like of shape (n_samples,), "similarity" or None
        One weight per sample, or per row of the table that the samples came from. Samples of weight 0
        are left out.
    normalize : bool, default=True
        Whether weights that are not whole numbers are scaled to mean 1.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> weighted(encode([[0, 1], [1, 0], [1, 1]]), [2, 0, 3]).weights.counts.tolist()
    [2, 3]
    """
    if weights is None:
        return samples
    if samples.weights is not None:
        raise InputError("The samples have weights already: give weights only once.")
    if isinstance(weights, str) and weights == SIMILARITY:
        return replace(samples, weights=similarity_weights(samples))
    numbers = check_weights(samples.per_sample(weights, "weights"), samples.n_samples)
    counts, unit = as_weights(numbers, samples.n_samples, normalize)
    found = replace(samples, weights=Weights(counts, unit))
    return found if counts.all() else found.take(np.flatnonzero(counts))


def repeated(samples: Samples) -> Samples:
    """Return samples that are there as often as they count, which must be a whole number of times.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> repeated(encode([[0, 1], [1, 0], [1, 1]], weights=[1, 3, 2])).n_samples
    6
    """
    if samples.weights is None:
        return samples
    counts, n_samples = samples.weights.counts, int(samples.weights.counts.sum())
    require_memory(len(samples.words), n_samples)
    words = np.zeros((len(samples.words), words_per_row(n_samples)), np.uint64)
    for row, wide in zip(samples.words, words, strict=True):
        bits = unpacked(row, samples.n_samples)
        wide[:] = packed(np.repeat(bits, counts), len(wide))
    every = np.arange(samples.n_samples) if samples.rows is None else samples.rows
    times = np.repeat(np.arange(samples.n_samples), counts)
    reals = {name: own.take(times) for name, own in samples.reals.items()}
    return replace(
        samples, words=words, n_samples=n_samples, weights=None, rows=every[times], reals=reals
    )


def similarity_weights(samples: Samples, threshold: float = 0.1) -> Weights:
    """Weigh samples by how many others are like them, as is done with aligned sequences.

    A sample weighs 1 / m, where m is the number of samples, itself included, that differ from it in
    at most a share `threshold` of the variables. The sum of all is the effective number of
    sequences, so it is not scaled. Missing values are values like any other.

    Parameters
    ----------
    samples : Samples
    threshold : float, default=0.1
        Share of the variables.

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
    alike = np.zeros(n, np.int64)
    for top in range(0, n, SIDE):
        one = slice(top, min(n, top + SIDE))
        for left in range(top, n, SIDE):
            other = slice(left, min(n, left + SIDE))
            near = _differences(digits, one, other) <= most
            alike[one] += near.sum(axis=1)
            if left > top:
                alike[other] += near.sum(axis=0)
    return Weights(np.maximum(1, np.rint(1 / alike / SIMILARITY_UNIT)).astype(np.int64),
                   SIMILARITY_UNIT)  # fmt: skip


def _differences(digits: list[NDArray[np.uint64]], one: slice, other: slice) -> NDArray[np.uint16]:
    """Count the variables in which pairs of samples differ, of shape (one, other)."""
    shape = one.stop - one.start, other.stop - other.start
    total = np.zeros(shape, np.uint32)
    differ, changed = np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    for alike in digits:  # variables with one number of digits: (digits, words, samples)
        for word in range(alike.shape[1]):
            np.bitwise_xor(alike[0, word, one, None], alike[0, word, None, other], out=differ)
            for digit in alike[1:, word]:
                np.bitwise_xor(digit[one, None], digit[None, other], out=changed)
                differ |= changed
            total += np.bitwise_count(differ)
    return total


def _by_sample(samples: Samples) -> list[NDArray[np.uint64]]:
    """Return the digits of levels, variable by variable in words that belong to one sample."""
    n_digits = np.array([max(1, (len(ls) - 1).bit_length()) for ls in samples.levels])
    for j in samples.missing:
        n_digits[j] = len(samples.levels[j]).bit_length()
    return [_digits(samples, np.flatnonzero(n_digits == n), n) for n in np.unique(n_digits)]


def _digits(samples: Samples, variables: NDArray[np.int64], n_digits: int) -> NDArray[np.uint64]:
    """Return digits of some variables' levels, of shape (n_digits, words, n_samples)."""
    n_words = -(-len(variables) // 64)
    digits = np.zeros((n_digits, n_words, samples.n_samples), np.uint64)
    for word, block in enumerate(np.split(variables, range(64, len(variables), 64))):
        for digit in range(n_digits):
            rows = np.stack([_digit(samples, j, digit) for j in block])
            digits[digit, word] = packed(unpacked(rows, samples.n_samples).T, 1)[:, 0]
    return digits


def _digit(samples: Samples, variable: int, digit: int) -> NDArray[np.uint64]:
    """Return where a digit of a variable's level is one; missing values are one more level."""
    start, stop = samples.starts[variable : variable + 2]
    found = np.zeros(samples.words.shape[1], np.uint64)
    for k in range(start, stop):
        if (k - start + 1) >> digit & 1:
            found |= samples.words[k]
    mask = samples.missing.get(variable)
    if mask is not None and len(samples.levels[variable]) >> digit & 1:
        found |= mask
    return found
