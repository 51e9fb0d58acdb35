"""Variables that no data can tell apart: those that are equal, and binary ones that are opposites."""

from __future__ import annotations

import numpy as np

from markhood.data.samples import Samples


def identical_variables(samples: Samples) -> list[list[int]]:
    """Put the variables that vary into groups of identical ones, each ascending, by their first.

    A binary variable and its complement are identical; variables with more levels are where
    the same samples have their k-th level, for every k.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> identical_variables(encode([[0, 1, 0], [1, 0, 0], [0, 1, 1]]))
    [[0, 1], [2]]
    """
    bits = np.arange(samples.words.shape[1] * 64) < samples.n_samples
    everywhere = np.packbits(bits, bitorder="little").view(samples.words.dtype)
    groups: dict[bytes, list[int]] = {}
    for variable in np.flatnonzero(~samples.is_constant).tolist():
        rows = samples.words[samples.starts[variable] : samples.starts[variable + 1]]
        if len(rows) == 1 and rows[0, 0] & 1:
            rows = rows ^ everywhere
        groups.setdefault(rows.tobytes(), []).append(variable)
    return list(groups.values())
