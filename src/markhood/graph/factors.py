"""`Factors`: the hidden factors that a graph was adjusted for, with the loadings of its variables.

A loading is the correlation of a column with the score on a factor. Components are in the order of the variance that they explain;
`rotated` turns them towards a simple structure, in which most columns load on one factor, without changing what all of them explain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError

MAX_TURNS = 500
SETTLED = 1e-10


@dataclass(frozen=True, eq=False)
class Factors:
    """Hidden factors of a graph.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns: those of variables, and "variable=level" for nominal ones with more than two levels.
    loadings : ndarray of shape (n_columns, n_factors)
    explained : ndarray of shape (n_factors,)
        Share of the variance of all columns that each factor explains.
    totals : tuple of float
        Total criterion with 0, 1, 2, ... factors, where the number was chosen by it.

    Examples
    --------
    >>> found = Factors(("a", "b", "c"), np.array([[0.8], [0.6], [0.0]]), np.array([1 / 3]))
    >>> found.n_factors
    1
    """

    columns: tuple[str, ...]
    loadings: NDArray[np.float64]
    explained: NDArray[np.float64]
    totals: tuple[float, ...] = ()

    @property
    def n_factors(self) -> int:
        """The number of factors."""
        return int(self.loadings.shape[1])

    @classmethod
    def from_provenance(cls, stored: Mapping[str, Any]) -> Self:
        """Read what the provenance of a graph holds."""
        loadings = np.array(list(stored["loadings"].values()), np.float64)
        return cls(
            tuple(stored["loadings"]),
            loadings.reshape(len(stored["loadings"]), -1),
            np.array(stored["explained"], np.float64),
            tuple(stored.get("totals", ())),
        )

    def rotated(self, method: Literal["varimax", "oblimin"] = "varimax") -> Self:
        """Rotate the loadings towards a simple structure.

        Parameters
        ----------
        method : {"varimax", "oblimin"}, default="varimax"
            Varimax keeps factors uncorrelated; oblimin (direct quartimin) lets them correlate.
        """
        if method not in ("varimax", "oblimin"):
            raise InputError(
                "option-value", "method", f"Unknown rotation {method!r}: use varimax or oblimin."
            )
        if self.n_factors < 2:
            return self
        turned = (_varimax if method == "varimax" else _quartimin)(self.loadings)
        signs = np.where(turned.sum(axis=0) < 0, -1.0, 1.0)
        order = np.argsort(-(turned**2).sum(axis=0))
        turned = (turned * signs)[:, order]
        return replace(self, loadings=turned, explained=(turned**2).mean(axis=0))

    def to_frame(self) -> Any:
        """Return the loadings as a data frame, a row for each column."""
        import pandas as pd

        names = [f"factor {k + 1}" for k in range(self.n_factors)]
        return pd.DataFrame(self.loadings, index=list(self.columns), columns=names)

    def leading(self, factor: int, n: int = 4) -> Sequence[str]:
        """Return the columns with the largest loadings on a factor, largest first."""
        order = np.argsort(-np.abs(self.loadings[:, factor]))[:n]
        return [self.columns[k] for k in order]


def _varimax(loadings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Maximise the variance of squared loadings in each factor (Kaiser, 1958), by singular value decompositions."""
    k = loadings.shape[1]
    rotation, before = np.eye(k), 0.0
    for _ in range(MAX_TURNS):
        turned = loadings @ rotation
        gradient = loadings.T @ (turned**3 - turned * (turned**2).mean(axis=0))
        left, values, right = np.linalg.svd(gradient)
        rotation = left @ right
        if values.sum() < before * (1 + SETTLED):
            break
        before = values.sum()
    return np.asarray(loadings @ rotation)


def _quartimin(loadings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minimise the products of squared loadings on different factors by projected gradients (Jennrich, 2002)."""
    k = loadings.shape[1]
    between = np.ones((k, k)) - np.eye(k)
    rotation, step = np.eye(k), 1.0

    def at(t: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        inverse = np.linalg.inv(t)
        turned = loadings @ inverse.T
        slope = turned * (turned**2 @ between)
        return (
            float((turned**2 * (turned**2 @ between)).sum() / 4),
            turned,
            -(turned.T @ slope @ inverse).T,
        )

    value, turned, gradient = at(rotation)
    for _ in range(MAX_TURNS):
        projected = gradient - rotation * (rotation * gradient).sum(axis=0)
        size = float(np.linalg.norm(projected))
        if size < SETTLED:
            break
        step *= 2
        while step > SETTLED:
            trial = rotation - step * projected
            trial /= np.linalg.norm(trial, axis=0)
            new = at(trial)
            if new[0] < value - 0.5 * size**2 * step:
                break
            step /= 2
        else:
            break
        rotation, (value, turned, gradient) = trial, new
    return turned
