"""Counts that are parts of a whole, such as sequencing reads: centred log-ratios and depth.

The total of a row, its depth, depends on the instrument. A part is therefore measured by its
centred log-ratio: the logarithm of the count minus the mean logarithm of all positive counts of
the row, which does not change if all counts of a row are multiplied. Zeros have no logarithm: they
are the first level of every part, and the ratios are cut into the other levels. The depth still
decides which rare parts are zero, so its logarithm is a covariate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import are_numbers

DEPTH = "log(total)"  # the covariate
FEWEST_PARTS = 10  # to suggest compositional=True,
RATIO = 3.0  # if the totals of the ninth and the first decile differ by this factor


def is_part(values: tuple[Any, ...]) -> bool:
    """Return whether the numbers of a column can be counts of a part."""
    return len(values) > 1 and are_numbers(values) and min(values) == 0


def log_ratios(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the centred log-ratios of counts of shape (n_samples, n_parts); NaN for zeros.

    Examples
    --------
    >>> log_ratios(np.array([[0.0, 10.0, 1000.0], [2.0, 2.0, 0.0]])).round(1).tolist()
    [[nan, -2.3, 2.3], [0.0, 0.0, nan]]
    """
    with np.errstate(divide="ignore"):
        logs = np.where(counts > 0, np.log(counts), np.nan)
    n_positive = np.maximum(1, (counts > 0).sum(axis=1))
    return np.asarray(logs - (np.nansum(logs, axis=1) / n_positive)[:, None])


def depth(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the total of each row, plus one."""
    return np.asarray(np.log1p(np.nansum(counts, axis=1)))
