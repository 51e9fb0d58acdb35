"""How well each variable is predicted from the others, beside what a guess of the commonest level would do.

    normalised accuracy = (accuracy - majority) / (1 - majority),

0 where the others do not help at all, 1 where nothing is left to guess; as mgm reports it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Predictability:
    """How well each variable is predicted from the others.

    Attributes
    ----------
    names : tuple of str
    accuracy : ndarray of shape (n_variables,)
        Share of samples in which the most probable level is the true one.
    majority : ndarray of shape (n_variables,)
        Share of the commonest level: the accuracy of knowing nothing else.
    normalized : ndarray of shape (n_variables,)
        How much of what is left the others explain; NaN for a variable that is constant.
    log_loss : ndarray of shape (n_variables,)
        Mean of -log probability of the true level.
    """

    names: tuple[str, ...]
    accuracy: NDArray[np.float64]
    majority: NDArray[np.float64]
    normalized: NDArray[np.float64]
    log_loss: NDArray[np.float64]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each variable, for a data frame or a CSV."""
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
        """Name the variables that are predicted best and worst."""
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
    log_chances: list[NDArray[np.float64]],
    codes: NDArray[np.uint16],
    known: NDArray[np.bool_],
) -> Predictability:
    """Compare what is predicted of every variable with what it is, in the samples that know it."""
    columns = []
    for logs, own, is_known in zip(log_chances, codes, known, strict=True):
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
