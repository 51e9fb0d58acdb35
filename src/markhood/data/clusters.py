"""Rows that depend on each other: clusters of rows, and the effective sample size.

Pupils of one school, answers of one person or consecutive days resemble each other, and N such rows
carry less information than N independent rows. For two columns u and v, standardised, the score of
their coupling at independence is the sum of s_r = u_r v_r over the rows r. Its variance is

    sum over clusters c of (sum over rows r in c of w_r (s_r - mean))^2

instead of the sum of squares over rows. The design effect is the median, over pairs of columns, of
the ratio of the two. The weights of all samples are divided by it, and their sum, the N of every
formula, is then the effective sample size. It replaces N in the penalty, and log-likelihood ratios
have the size that they have for as many independent rows.

A likelihood has one weight for each row, so one factor serves all pairs. Pairs with a much larger
design effect, such as two properties of schools, are tested one by one with their own
(`learning/checks/dependent_rows.py`); `benchmarks/dependent_rows.py` compares the choices.
"""

from __future__ import annotations

from dataclasses import replace
from math import isqrt
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.coding.coders import in_order
from markhood.data.samples import Samples, Weights
from markhood.data.weights import with_sum
from markhood.errors import InputError, option, warn
from markhood.kernels.tables import codes
from markhood.kernels.words import unpacked

FEWEST = 10  # clusters: the design effect of fewer is imprecise
MOST_PAIRS = 2000  # of columns
MOST_PRODUCTS = 1 << 27  # pairs times rows
BLOCK = 1 << 20  # products in memory at a time
LEAST_PAIRS = 100
NOTHING_LEFT = 1e-6  # standard deviation of residuals on covariates that determine a column


def label_numbers(labels: list[Any]) -> Ints:
    """Return a number for each label, numbered in the order of first occurrence."""
    numbers: dict[Any, int] = {}
    try:
        return np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
    except TypeError as error:
        raise InputError("labels", "", f"Labels must be numbers or texts ({error}).") from error


def blocks_in_time(times: list[Any]) -> Ints:
    """Return the block of each row: about sqrt(N) blocks of sqrt(N) rows in time.

    Rows of one time are not divided, and blocks are longer than most dependence lasts.

    Examples
    --------
    >>> blocks_in_time([3, 1, 2, 2, 1]).tolist()
    [2, 0, 1, 1, 0]
    """
    numbers = label_numbers(times)
    first = np.unique(numbers, return_index=True)[1]
    order = in_order([times[k] for k in first])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    before = np.cumsum(np.bincount(rank[numbers]))
    length = max(1, isqrt(len(times)))
    return np.unique((before - 1)[rank[numbers]] // length, return_inverse=True)[1]


def in_clusters(samples: Samples, clusters: Ints) -> Samples:
    """Return samples in clusters, with weights that sum to the effective sample size."""
    n_clusters = int(clusters.max(initial=-1)) + 1
    advice = f"Leave {option('clusters')} out and adjust for the column instead."
    if n_clusters < 2:
        raise InputError("labels", "clusters", f"All samples are in one cluster. {advice}")
    if n_clusters < FEWEST:
        warn(
            "labels",
            "clusters",
            f"The effective sample size from {n_clusters} clusters is imprecise. {advice}",
        )
    samples = replace(samples, clusters=clusters)
    effect = design_effect(samples)
    if effect <= 1:
        return samples
    counts, _ = samples.weights or Weights(np.ones(samples.n_samples, np.int64))
    unit = with_sum(counts, samples.total_weight / effect)
    return replace(samples, weights=Weights(counts, unit))


def design_effect(samples: Samples) -> float:
    """Return the variance of scores in clusters over that of independent rows, at least 1."""
    rows, owner = _score_rows(samples)
    most = max(LEAST_PAIRS, min(MOST_PAIRS, MOST_PRODUCTS // samples.n_samples))
    if len(rows) * (len(rows) - 1) // 2 > most:
        n_rows = max(2, isqrt(2 * most))
        chosen = np.sort(np.random.default_rng(0).choice(len(rows), n_rows, replace=False))
        rows, owner = rows[chosen], owner[chosen]
    effects, _ = _ClusterScores(samples, rows).effects
    effects = effects[(owner[:, None] < owner) & ~np.isnan(effects)]
    return max(1.0, float(np.median(effects))) if len(effects) else 1.0


def pair_effects(samples: Samples, n_nodes: int) -> tuple[Floats, Floats] | None:
    """Return the design effect and the sum of squared correlations of every pair of nodes.

    Both have shape (n_nodes, n_nodes), and are given the covariates and hidden factors. None if
    there are too many pairs to look at.
    """
    rows, owner = _score_rows(samples)
    rows, owner = rows[owner < n_nodes], owner[owner < n_nodes]
    if samples.clusters is None or len(rows) ** 2 * samples.n_samples > 2 * MOST_PRODUCTS:
        return None
    scores = _ClusterScores(samples, rows)
    scores.adjust(samples, owner, n_nodes)
    effects, correlations = scores.effects
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    n_pairs = np.outer(*[np.diff(np.append(first, len(owner)))] * 2)

    def summed(values: Floats) -> Floats:
        return np.add.reduceat(np.add.reduceat(values, first, axis=0), first, axis=1)

    return summed(np.nan_to_num(effects, nan=1.0)) / n_pairs, summed(correlations**2)


def _score_rows(samples: Samples) -> tuple[Ints, Ints]:
    """Return rows of bits, one of them for all levels that are ordered, and their variables."""
    owner = np.repeat(np.arange(samples.n_variables), np.diff(samples.starts))
    is_first = np.diff(owner, prepend=-1) > 0
    rows = np.flatnonzero(is_first | ~np.array(samples.variables.is_ordered)[owner])
    return rows, owner[rows]


class _ClusterScores:
    """The scores of pairs of columns, in clusters."""

    def __init__(self, samples: Samples, rows: Ints) -> None:
        assert samples.clusters is not None
        self._order = order = np.argsort(samples.clusters, kind="stable")
        self._starts = np.flatnonzero(np.diff(samples.clusters[order], prepend=-1))
        counts, unit = samples.weights or Weights(np.ones(samples.n_samples, np.int64))
        self._weights = counts[order] / counts.sum()
        # A frequency of 3 is three independent rows, a survey weight of 3 is one row.
        self._alone = np.full(len(order), 1 / counts.sum()) if unit == 1 else self._weights
        columns = [_standardised(samples, row, order, self._weights) for row in rows.tolist()]
        self._columns = np.array(columns).reshape(len(rows), samples.n_samples)

    def adjust(self, samples: Samples, owner: Ints, n_nodes: int) -> None:
        """Replace the columns of nodes by their residuals on the covariates, and on real columns.

        A pair may be associated only given a covariate, or vary with the cluster only through it.
        """
        reals = samples.bits.reals
        if n_nodes == samples.n_variables and reals is None:
            return
        indicators = samples.words[samples.starts[n_nodes] :]
        given = [np.ones(samples.n_samples)]
        given += [unpacked(row, samples.n_samples).astype(np.float64) for row in indicators]
        roots = np.sqrt(self._weights)
        for k, variable in enumerate(owner.tolist()):
            own = [] if reals is None else [*reals.of_target(variable)[0]]
            design = np.stack([*given, *own])[:, self._order] * roots
            weighted = self._columns[k] * roots
            slopes = np.linalg.lstsq(design.T, weighted, rcond=None)[0]
            residuals = weighted - slopes @ design
            size = float(np.linalg.norm(residuals))
            columns = np.divide(residuals, roots, where=roots > 0, out=np.zeros_like(roots))
            self._columns[k] = columns / size if size > NOTHING_LEFT else 0.0

    @property
    def effects(self) -> tuple[Floats, Floats]:
        """Design effects (NaN for constant columns) and correlations of all pairs; symmetric."""
        n_columns, n_samples = self._columns.shape
        correction = len(self._starts) / (len(self._starts) - 1)
        effects = np.ones((n_columns, n_columns))
        block = max(1, BLOCK // n_samples)
        for i in range(n_columns):
            for start in range(i + 1, n_columns, block):
                scores = self._columns[start : start + block] * self._columns[i]
                scores -= (scores @ self._weights)[:, None]
                alone = scores**2 @ (self._weights * self._alone)
                sums = np.add.reduceat(scores * self._weights, self._starts, axis=1)
                with np.errstate(invalid="ignore"):
                    found = correction * np.einsum("ij,ij->i", sums, sums) / alone
                effects[i, start : start + block] = found
        upper = np.triu(effects, 1)
        correlations = (self._columns * self._weights) @ self._columns.T
        return upper + upper.T + np.eye(n_columns), correlations


def _standardised(samples: Samples, row: int, order: Ints, weights: Floats) -> Floats:
    """Return an indicator, or an ordered variable, with mean 0 and variance 1; 0 where missing."""
    variable = int(np.searchsorted(samples.starts, row, side="right")) - 1
    if samples.variables.is_ordered[variable]:
        values = codes(samples.bits, variable)[order].astype(np.float64)
    else:
        values = unpacked(samples.words[row], samples.n_samples)[order].astype(np.float64)
    known = weights
    if variable in samples.missing:
        known = weights * (1 - unpacked(samples.missing[variable], samples.n_samples)[order])
    values -= known @ values / max(float(known.sum()), 1e-300)
    values *= known > 0
    deviation = float(np.sqrt(known @ values**2))
    return values / (deviation or 1.0)
