"""Counts that are parts of a whole, such as sequencing reads: centred log-ratios and depth.

The total of a row depends on the instrument. The depth of a row is estimated from all parts that
are present: the mean difference between the logarithm of a count and the mean logarithm of that
part over all rows in which it is present. A part is then measured by its centred log-ratio, the
logarithm of the count minus the depth. Subtracting the mean of each part first matters: deeper rows
contain more rare parts, which lower the plain mean of the logarithms.

Zeros have no logarithm: they are the first level of every part, and the ratios are cut into the
other levels. The depth still decides which rare parts are zero, so it is a covariate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import are_numbers

DEPTH = "log(depth)"  # the covariate
FEWEST_ROWS = 20  # to estimate the mean of each part


def is_part(values: tuple[Any, ...]) -> bool:
    """Return whether the numbers of a column can be counts of a part."""
    return len(values) > 1 and are_numbers(values) and min(values) == 0


def log_ratios(
    counts: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return centred log-ratios and depths of counts of shape (n_samples, n_parts).

    Ratios of zeros and of missing counts are NaN.

    Examples
    --------
    >>> ratios, depths = log_ratios(np.array([[0.0, 10, 1000], [5, 1, 100]]))
    >>> ratios.round(1).tolist()
    [[nan, 1.2, 5.8], [2.4, 0.8, 5.4]]
    >>> (depths[0] - depths[1]).round(1)
    np.float64(1.9)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, np.log(counts), np.nan)
    deviations = logs - _means(logs, axis=0)
    depths = _means(deviations, axis=1)
    return logs - depths[:, np.newaxis], depths


def _means(numbers: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the mean of the numbers that are not NaN, 0 without any."""
    n_known = np.maximum(1, (~np.isnan(numbers)).sum(axis=axis))
    return np.asarray(np.nansum(numbers, axis=axis) / n_known)
