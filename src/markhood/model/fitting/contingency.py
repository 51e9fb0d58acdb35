"""Contingency tables of the regressions: counts of levels by configuration of the neighbours.

A blanket of k binary variables has at most min(N, 2^k) configurations, and every iteration of the
solver needs them all. Samples are therefore counted once, and variables whose tables have the same
shape are stacked, so that an iteration is a few array products for any number of variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.data.rest_scores import of_target
from markhood.kernels.tables import count_rows
from markhood.model.fitting.layout import Layout

_LARGEST_STACK = 1 << 21  # numbers: 16 MB
_UNKNOWN = np.iinfo(np.uint16).max


@dataclass(frozen=True, eq=False)
class Observed:
    """Level numbers, weights and covariates of all samples.

    Attributes
    ----------
    codes : ndarray of shape (n_variables, n_samples), dtype uint16
        `UNKNOWN` for missing values.
    weights : ndarray of shape (n_samples,)
    are_counts : bool
        Whether weights are frequencies, not survey weights.
    reals : ndarray of shape (n_reals, n_samples) or (n_variables, n_reals, n_samples)
        Continuous covariates, standardised.
    clusters : ndarray of shape (n_samples,), dtype int64, optional
        Clusters of samples that depend on each other, for the standard errors.
    """

    codes: NDArray[np.uint16]
    weights: Floats
    are_counts: bool = True
    reals: Floats = field(default_factory=lambda: np.empty((0, 0)))
    clusters: Ints | None = None

    UNKNOWN = _UNKNOWN

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.codes.shape[1])


@dataclass(frozen=True, eq=False)
class Stack:
    """Tables of variables with equal numbers of levels, scores and predictors.

    Attributes
    ----------
    variables : ndarray of shape (g,)
    scores : ndarray of shape (r, f)
        Scores of the levels of the variables.
    design : ndarray of shape (g, n_rows, q)
        Scores of the neighbours in each configuration.
    counts : ndarray of shape (g, n_rows, r)
        Counts of levels; 0 in padded rows.
    """

    variables: Ints
    scores: Floats
    design: Floats
    counts: Floats

    @cached_property
    def totals(self) -> Floats:
        """Number of samples in each configuration, shape (g, n_rows)."""
        return np.asarray(self.counts.sum(axis=2))

    def only(self, k: int) -> Stack:
        """Return the table of one variable."""
        one = slice(k, k + 1)
        return Stack(self.variables[one], self.scores, self.design[one], self.counts[one])


def stacked_tables(layout: Layout, observed: Observed) -> Iterator[Stack]:
    """Count each variable with its neighbours, and stack tables of equal shape."""
    shapes: dict[tuple[int, int, int], list[tuple[int, Floats, Floats]]]
    shapes = {}
    for variable in range(len(layout.variables)):
        design, counts = _table(layout, observed, variable)
        key = counts.shape[1], int(layout.n_scores[variable]), design.shape[1]
        shapes.setdefault(key, []).append((variable, design, counts))
    for (r, f, q), tables in shapes.items():
        tables.sort(key=lambda table: len(table[1]))
        members: list[tuple[int, Floats, Floats]] = []
        for table in tables:
            rows = max(1, len(table[1]))
            if members and (len(members) + 1) * rows * (q + r + (r - 1 + f) ** 2) > _LARGEST_STACK:
                yield _stacked(layout, members)
                members = []
            members.append(table)
        yield _stacked(layout, members)


def _stacked(layout: Layout, members: list[tuple[int, Floats, Floats]]) -> Stack:
    n_rows = max(len(design) for _, design, _ in members)
    design = np.zeros((len(members), n_rows, members[0][1].shape[1]))
    counts = np.zeros((len(members), n_rows, members[0][2].shape[1]))
    for k, (_, rows, cells) in enumerate(members):
        design[k, : len(rows)], counts[k, : len(rows)] = rows, cells
    variables = np.array([variable for variable, _, _ in members])
    return Stack(variables, layout.scores[int(variables[0])], design, counts)


def _table(layout: Layout, observed: Observed, variable: int) -> tuple[Floats, Floats]:
    """Return the scores of the neighbours in each observed configuration, and the counts."""
    blanket = layout.neighbours[variable]
    own, others = observed.codes[variable], observed.codes[blanket]
    weights, reals = observed.weights, of_target(observed.reals, variable)
    known = (own != _UNKNOWN) & (others != _UNKNOWN).all(axis=0)
    if not known.all():
        own, others, weights = own[known], others[:, known], weights[known]
        reals = reals[:, known] if len(reals) else reals
    first, counts = count_rows([*others, *reals], own, int(layout.n_levels[variable]), weights)
    columns = [
        layout.scores[j][levels[first]] for j, levels in zip(blanket.tolist(), others, strict=True)
    ]
    columns += [column[first][:, np.newaxis] for column in reals]
    return np.concatenate([np.empty((len(first), 0)), *columns], axis=1), counts
