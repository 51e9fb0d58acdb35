"""Weights of samples, stored as whole multiples of a unit.

Whole numbers are frequency weights: a sample with weight 3 counts as three samples. Other weights
are survey weights: they are scaled to mean 1 (unless ``normalize_weights=False``) and rounded to
1/1024, so that their sums are exact. Without scaling, weights that sum to the size of a population
would make every pair of variables significant.
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
from markhood.errors import InputError, option, warn
from markhood.kernels.words import packed, unpacked

UNIT = 2.0**-10
SIMILARITY_UNIT = 2.0**-16
MOST_DIGITS = 40  # binary digits of a weight in units: every digit takes time
LIKELY_POPULATION = 10  # if all frequencies are at least this, they are probably survey weights
SIDE = 128  # samples per side of a tile, so that it fits in the cache


def as_weights(values: Any, n_samples: int, normalize: bool = True) -> Weights:
    """Return weights as counts of a unit.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Non-negative numbers. If all are whole numbers they are frequencies, and N is their sum;
        others are rounded to 1/1024.
    n_samples : int
        Required number of weights.
    normalize : bool, default=True
        Whether weights that are not whole numbers are first scaled, so that those above zero have
        mean 1.

    Returns
    -------
    Weights
        With a `DataWarning` for weights that are rounded to zero, and for large whole numbers that
        are probably not frequencies.

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
                "Whole-number weights are treated as frequencies "
                f"(N = {numbers.sum():.4g}). For survey weights, divide them by their mean.",
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
            f"{lost} sample{'s have weights' if lost > 1 else ' has a weight'} that "
            f"{'are' if lost > 1 else 'is'} rounded to zero (the unit is 1/1024) and will be left "
            "out.",
        )
    return weights


def check_weights(values: Any, n_samples: int) -> NDArray[np.float64]:
    """Return weights as an array of finite, non-negative numbers, one per sample."""
    try:
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


def _counted(numbers: NDArray[np.float64], unit: float) -> Weights:
    units = np.rint(numbers / unit)
    if units.max() >= 2.0**MOST_DIGITS or units.sum() >= 2.0**62:
        raise _unusable(
            f"A weight of {numbers.max():g} is above the limit {2.0**MOST_DIGITS * unit:.3g}: "
            "divide all weights by the same number."
        )
    return Weights(units.astype(np.int64), unit)


def read_weights(path: Path) -> NDArray[np.float64]:
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


def find_weights(
    names: Sequence[str], picked: Sequence[int], reading: Reading
) -> tuple[list[int], int | None, Reading]:
    """Find the weights by name: a column of the data, else a file.

    Returns
    -------
    list of int
        The picked columns without that of the weights.
    int or None
        The column of the weights.
    Reading
        With the weights of a file, if any.
    """
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


def weighted(samples: Samples, weights: Any, normalize: bool = True) -> Samples:
    """Add weights to samples that have none.

    Parameters
    ----------
    samples : Samples
    weights : array-like of shape (n_samples,), "similarity" or None
        One weight per sample, or per row of the table that the samples came from. Samples of weight
        0 are left out.
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
        raise _unusable("The samples already have weights: pass weights only once.")
    if isinstance(weights, str) and weights == SIMILARITY:
        return replace(samples, weights=similarity_weights(samples))
    numbers = check_weights(samples.per_sample(weights, "weights"), samples.n_samples)
    counts, unit = as_weights(numbers, samples.n_samples, normalize)
    found = replace(samples, weights=Weights(counts, unit))
    return found if counts.all() else found.take(np.flatnonzero(counts))


def repeated(samples: Samples) -> Samples:
    """Repeat each sample as often as its weight, which must be a whole number.

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


def similarity_weights(samples: Samples, threshold: float = 0.1, side: int = SIDE) -> Weights:
    """Weight samples by the number of similar samples, as is usual for aligned sequences.

    The weight of a sample is 1 / m, where m is the number of samples, including itself, that differ
    from it in at most a share `threshold` of the variables. The sum of the weights is the effective
    number of sequences, so it is not scaled. Missing is compared like any other value.

    Parameters
    ----------
    samples : Samples
    threshold : float, default=0.1
        Maximum share of variables in which similar samples differ.
    side : int
        Samples per side of a tile that is compared at a time.

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


def _differences(digits: list[NDArray[np.uint64]], one: slice, other: slice) -> NDArray[np.uint16]:
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


def _by_sample(samples: Samples) -> list[NDArray[np.uint64]]:
    """Return the binary digits of levels, packed by sample, by number of digits."""
    n_digits = np.array([max(1, (len(ls) - 1).bit_length()) for ls in samples.levels])
    for j in samples.missing:
        n_digits[j] = len(samples.levels[j]).bit_length()
    return [_digits(samples, np.flatnonzero(n_digits == n), n) for n in np.unique(n_digits)]


def _digits(samples: Samples, variables: NDArray[np.int64], n_digits: int) -> NDArray[np.uint64]:
    """Return the digits of some variables' levels, of shape (n_digits, words, n_samples)."""
    n_words = -(-len(variables) // 64)
    digits = np.zeros((n_digits, n_words, samples.n_samples), np.uint64)
    for word, block in enumerate(np.split(variables, range(64, len(variables), 64))):
        for digit in range(n_digits):
            rows = np.stack([_digit(samples, j, digit) for j in block])
            digits[digit, word] = packed(unpacked(rows, samples.n_samples).T, 1)[:, 0]
    return digits


def _digit(samples: Samples, variable: int, digit: int) -> NDArray[np.uint64]:
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
