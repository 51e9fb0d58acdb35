"""Weighted counts and shares of the levels of every variable."""

from __future__ import annotations

import numpy as np

from markhood.arrays import Floats, Words
from markhood.data.samples import Samples
from markhood.data.variables import level_text
from markhood.kernels.words import unpacked

ROWS = 64  # unpacked at a time
LEVELS_SHOWN = 6


def level_counts(samples: Samples) -> list[Floats]:
    """Return the weight of the samples with each level, one array per variable.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> [counts.tolist() for counts in level_counts(encode([[0, 1], [1, 2], [0, 3]]))]
    [[2.0, 1.0], [1.0, 1.0, 1.0]]
    """
    rows = _weights_of(samples, samples.words)
    counts = []
    for variable, levels in enumerate(samples.levels):
        start = samples.starts[variable]
        others = rows[start : start + len(levels) - 1]
        mask = samples.missing.get(variable)
        absent = 0.0 if mask is None else _weights_of(samples, mask[None])[0]
        first = samples.total_weight - others.sum() - absent
        counts.append(np.concatenate([[first], others]))
    return counts


def level_shares(samples: Samples) -> list[list[tuple[str, float]]]:
    """Return each level and its share of the samples in which the variable is not missing.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> level_shares(encode([["no", 1], ["yes", 1], ["no", 2], ["no", 2]]))
    [[('no', 0.75), ('yes', 0.25)], [('1', 0.5), ('2', 0.5)]]
    """
    return [
        [
            (level_text(level), round(float(count / (counts.sum() or 1)), 4))
            for count, level in zip(counts, levels, strict=True)
        ]
        for counts, levels in zip(level_counts(samples), samples.levels, strict=True)
    ]


def _weights_of(samples: Samples, words: Words) -> Floats:
    """Return the total weight of the ones in each row."""
    if samples.weights is None:
        ones: Floats = np.bitwise_count(words).sum(axis=1, dtype=np.float64)
        return ones
    each = samples.weights.counts * samples.weights.unit
    blocks = [words[start : start + ROWS] for start in range(0, len(words), ROWS)]
    return np.concatenate([unpacked(block, samples.n_samples) @ each for block in blocks])
