"""Predictability: the accuracy of predicting each variable from all others.

    normalised accuracy = (accuracy - majority) / (1 - majority)

compares it with always predicting the most frequent level: 0 is no better, 1 is perfect. This is
the measure that mgm reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Predictability:
    """The accuracy of predicting each variable from all others.

    Attributes
    ----------
    names : tuple of str
    accuracy : ndarray of shape (n_variables,)
        Share of the samples whose most probable level is the true one.
    majority : ndarray of shape (n_variables,)
        Share of the most frequent level.
    normalized : ndarray of shape (n_variables,)
        Normalised accuracy; NaN for a constant variable.
    log_loss : ndarray of shape (n_variables,)
        Mean of -log probability of the true level.
    """

    names: tuple[str, ...]
    accuracy: NDArray[np.float64]
    majority: NDArray[np.float64]
    normalized: NDArray[np.float64]
    log_loss: NDArray[np.float64]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each variable."""
        return [
            {
                "variable": name,
                "accuracy": float(self.accuracy[k]),
                "majority": float(self.majority[k]),
                "normalized_accuracy": float(self.normalized[k]),
                "log_loss": float(self.log_loss[k]),
            }
            for k, name in enumerate(self.names)
        ]

    def __repr__(self) -> str:
        """Show the variables that are predicted best and worst."""
        if np.isnan(self.normalized).all():
            return "<Predictability: nothing varies>"
        best, worst = np.nanargmax(self.normalized), np.nanargmin(self.normalized)
        return (
            f"<Predictability: accuracy {np.mean(self.accuracy):.3f} (majority "
            f"{np.mean(self.majority):.3f}); normalised {self.normalized[best]:+.2f} "
            f"({self.names[best]}) to {self.normalized[worst]:+.2f} ({self.names[worst]})>"
        )


def predictability(
    names: tuple[str, ...],
    log_probabilities: list[NDArray[np.float64]],
    codes: NDArray[np.uint16],
    known: NDArray[np.bool_],
) -> Predictability:
    """Compare predicted with true levels, in the samples in which they are known."""
    columns = []
    for logs, own, is_known in zip(log_probabilities, codes, known, strict=True):
        seen, truth = logs[is_known], own[is_known].astype(np.int64)
        if not len(truth):
            columns.append((np.nan,) * 4)
            continue
        accuracy = float((seen.argmax(axis=1) == truth).mean())
        majority = float(np.bincount(truth).max() / len(truth))
        left = 1 - majority
        normalized = (accuracy - majority) / left if left > 0 else np.nan
        columns.append(
            (accuracy, majority, normalized, -float(seen[np.arange(len(truth)), truth].mean()))
        )
    return Predictability(names, *np.array(columns, dtype=np.float64).T)
