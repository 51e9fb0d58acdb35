"""`Factors`: the hidden factors that a graph was adjusted for, with the loadings of its variables.

A loading is the correlation of a column with the score on a factor. Factors are ordered by the
variance that they explain. `rotated` rotates them to a simple structure, in which most columns load
on one factor; the variance that all factors explain together does not change. `scores` are those
of all columns of a sample, rotated in the same way; a regression has the score without its own
columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from markhood.arrays import Floats
from markhood.data.matching import numbers_like
from markhood.data.reading import stored_reading
from markhood.data.rest_scores import StoredFactors, rest_scores, stored_components
from markhood.data.to_frame import frame_of
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.options import check_value

MAX_ITERATIONS = 500
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Factors:
    """Hidden factors of a graph.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns: variables, or "variable=level" for nominal variables with more than
        two levels.
    loadings : ndarray of shape (n_columns, n_factors)
    explained : ndarray of shape (n_factors,)
        Share of the variance of all columns that each factor explains.
    learned : tuple of Variables and mapping, or None
        The variables of the graph and its provenance, which `scores` needs.

    Examples
    --------
    >>> found = Factors(("a", "b", "c"), np.array([[0.8], [0.6], [0.0]]), np.array([1 / 3]))
    >>> found.n_factors
    1
    """

    columns: tuple[str, ...]
    loadings: Floats
    explained: Floats
    learned: tuple[Variables, Mapping[str, Any]] | None = field(default=None, repr=False)

    @property
    def n_factors(self) -> int:
        """The number of factors."""
        return int(self.loadings.shape[1])

    @classmethod
    def from_provenance(cls, variables: Variables, provenance: Mapping[str, Any]) -> Self:
        """Read the factors from the provenance of a graph."""
        return cls(*StoredFactors.of(provenance["factors"]), (variables, provenance))

    def rotated(self, method: Literal["varimax", "oblimin"] = "varimax") -> Self:
        """Rotate the loadings to a simple structure.

        Parameters
        ----------
        method : {"varimax", "oblimin"}, default="varimax"
            Varimax keeps factors uncorrelated; oblimin (direct quartimin) allows correlations.
        """
        check_value("method", method, Literal["varimax", "oblimin"])
        if self.n_factors < 2:
            return self
        rotated = (_varimax if method == "varimax" else _quartimin)(self.loadings)
        signs = np.where(rotated.sum(axis=0) < 0, -1.0, 1.0)
        order = np.argsort(-(rotated**2).sum(axis=0))
        rotated = (rotated * signs)[:, order]
        return replace(self, loadings=rotated, explained=(rotated**2).mean(axis=0))

    def to_frame(self) -> Any:
        """Return the loadings as a pandas or polars data frame, with a row for each column."""
        loadings = {f"factor {k + 1}": own for k, own in enumerate(self.loadings.T)}
        data = self.learned[1].get("data", {}) if self.learned else {}
        return frame_of({"column": list(self.columns), **loadings}, data.get("library"))

    def scores(self, data: Any) -> Floats:
        """Return the score of every sample on every factor.

        Scores have mean 0 and variance 1 in the data that the graph was learned from. A missing
        value counts as the mean of its column.

        Parameters
        ----------
        data : array, data frame, sparse matrix, Samples or path
            Columns are matched by name, and read like those that the graph was learned from.

        Returns
        -------
        ndarray of shape (n_samples, n_factors)
        """
        components = stored_components(self.learned[1], self.learned[0]) if self.learned else None
        if self.learned is None or components is None:
            raise InputError("not-supported", "factors", "Only the factors of a graph have scores.")
        variables, provenance = self.learned
        codes, _ = numbers_like(data, variables, reading=stored_reading(provenance))
        # A target that is not one of the variables has the scores of all columns.
        scores = rest_scores(codes, variables, components, len(variables) + 1)[-1].T
        unrotated = components.weights * np.sqrt(components.eigenvalues)
        rotation = np.linalg.inv(np.linalg.lstsq(unrotated, self.loadings)[0]).T
        return np.asarray(scores @ rotation)

    def leading(self, factor: int, n: int = 4) -> Sequence[str]:
        """Return the columns with the largest loadings on a factor, largest first."""
        order = np.argsort(-np.abs(self.loadings[:, factor]))[:n]
        return [self.columns[k] for k in order]


def _varimax(loadings: Floats) -> Floats:
    """Maximise the variance of the squared loadings of each factor (Kaiser, 1958)."""
    k = loadings.shape[1]
    rotation, before = np.eye(k), 0.0
    for _ in range(MAX_ITERATIONS):
        rotated = loadings @ rotation
        gradient = loadings.T @ (rotated**3 - rotated * (rotated**2).mean(axis=0))
        left, values, right = np.linalg.svd(gradient)
        rotation = left @ right
        if values.sum() < before * (1 + TOLERANCE):
            break
        before = values.sum()
    return np.asarray(loadings @ rotation)


def _quartimin(loadings: Floats) -> Floats:
    """Minimise products of squared loadings by gradient projection (Jennrich, 2002)."""
    k = loadings.shape[1]
    between = np.ones((k, k)) - np.eye(k)
    rotation, step = np.eye(k), 1.0

    def at(t: Floats) -> tuple[float, Floats, Floats]:
        inverse = np.linalg.inv(t)
        rotated = loadings @ inverse.T
        slope = rotated * (rotated**2 @ between)
        return (
            float((rotated**2 * (rotated**2 @ between)).sum() / 4),
            rotated,
            -(rotated.T @ slope @ inverse).T,
        )

    value, rotated, gradient = at(rotation)
    for _ in range(MAX_ITERATIONS):
        projected = gradient - rotation * (rotation * gradient).sum(axis=0)
        size = float(np.linalg.norm(projected))
        if size < TOLERANCE:
            break
        step *= 2
        while step > TOLERANCE:
            trial = rotation - step * projected
            trial /= np.linalg.norm(trial, axis=0)
            new = at(trial)
            if new[0] < value - 0.5 * size**2 * step:
                break
            step /= 2
        else:
            break
        rotation, (value, rotated, gradient) = trial, new
    return rotated
