"""Log-linear models of three variables by iterative proportional fitting."""

from __future__ import annotations

import numpy as np


def ratio_without_interaction(x, y, z, weights=None, rounds=5000):
    """Return the log-likelihood ratio of the model (xy, xz, yz) against (xz, yz), given z."""
    counts = np.zeros((x.max() + 1, y.max() + 1, z.max() + 1))
    np.add.at(counts, (x, y, z), 1.0 if weights is None else weights)
    apart = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum((0, 1))
    fitted = np.ones_like(counts)
    for _ in range(rounds):
        for axis in range(3):
            have = fitted.sum(axis, keepdims=True)
            fitted = fitted * np.divide(
                counts.sum(axis, keepdims=True), have, out=np.zeros_like(have), where=have > 0
            )
    seen = counts > 0
    return float((counts[seen] * np.log(fitted[seen] / apart[seen])).sum())
