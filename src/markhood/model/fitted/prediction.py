"""Prediction of unknown values: probabilities, and the most probable values.

The unknown variables of a sample form components that are conditionally independent given the known
ones. A component with few states is summed over exactly. A larger one is sampled by Gibbs sampling,
and its probabilities are the means of the conditional probabilities over the sweeps.

Predictability: the accuracy of predicting each variable from all others.

    normalised accuracy = (accuracy - majority) / (1 - majority)

compares it with always predicting the most frequent level: 0 is no better, 1 is perfect. This is
the measure that mgm reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints
from markhood.data.variables import UNKNOWN
from markhood.errors import option, warn
from markhood.model.one_hot import OneHot

MOST_STATES = 1 << 12  # of a component that is summed over exactly
BURN_IN, SWEEPS = 200, 1000  # of the Gibbs sampler for larger components
_STARTS = 16  # draws from which the most probable state is searched for
_BLOCK = 1 << 22  # numbers in memory at a time


@dataclass(frozen=True, eq=False)
class Prediction:
    """The distribution and the most probable state of the unknown values.

    Attributes
    ----------
    probabilities : ndarray of shape (n_samples, n_columns)
        Probabilities of the levels of all variables; indicators of known values.
    most_probable : ndarray of shape (n_variables, n_samples), dtype uint16
        The samples, completed by the jointly most probable values.
    """

    probabilities: Floats
    most_probable: NDArray[np.uint16]


def predict(
    network: OneHot,
    codes: NDArray[np.uint16],
    rng: np.random.Generator,
    offsets: Floats | None = None,
    *,
    most_states: int = MOST_STATES,
    sweeps: int = SWEEPS,
) -> Prediction:
    """Predict the unknown values of all samples.

    Parameters
    ----------
    network : OneHot
    codes : ndarray of shape (n_variables, n_samples), dtype uint16
        Level numbers, or `UNKNOWN`.
    rng : Generator
        Used for components that are too large to be summed over, with a warning.
    offsets : ndarray of shape (n_samples, n_columns), optional
        Numbers to add to the fields of each sample, from covariates.
    most_states : int, default=4096
        Number of states of the largest component that is summed over.
    sweeps : int, default=1000
        Number of sweeps of the Gibbs sampler.
    """
    known = codes != UNKNOWN
    probabilities = network.indicators(codes, known)
    completed = codes.copy()
    neighbours = neighbour_sets(network.edges, len(network.n_levels))
    is_sampled = np.zeros(codes.shape[1], np.bool_)
    for unknown, samples in _patterns(~known):
        for component in components(unknown, neighbours):
            columns = network.columns_of(component)
            few_states = prod(network.n_levels[component].tolist()) <= most_states
            solve: Callable[..., tuple[Floats, NDArray[np.uint16]]]
            solve = _summed if few_states else partial(_sampled, rng=rng, sweeps=sweeps)
            is_sampled[samples] |= not few_states
            for part in np.array_split(samples, -(-len(samples) * len(columns) // _BLOCK)):
                given = network.indicators(codes[:, part], known[:, part])
                logits = network.fields[columns] + given @ network.couplings[:, columns]
                if offsets is not None:
                    logits = logits + offsets[np.ix_(part, columns)]
                found, best = solve(network, component, np.asarray(logits))
                probabilities[np.ix_(part, columns)] = found
                completed[np.ix_(component, part)] = best.T
    if is_sampled.any():
        n = int(is_sampled.sum())
        warn(
            "sampled-prediction",
            "",
            f"{n} sample{'s have' if n > 1 else ' has'} too many unknown values for exact sums, so "
            f"probabilities were estimated from {sweeps} Gibbs sweeps. They vary slightly with "
            f"{option('seed')}.",
        )
    return Prediction(probabilities, completed)


def _summed(network: OneHot, component: Ints, logits: Floats) -> tuple[Floats, NDArray[np.uint16]]:
    """Return the probabilities of the levels and the most probable state of a component."""
    if len(component) == 1:
        probabilities = np.exp(network.normalised(logits, component))
        return probabilities, logits.argmax(axis=1)[:, None].astype(np.uint16)
    n_levels = network.n_levels[component]
    states = np.indices(n_levels.tolist()).reshape(len(component), -1)
    columns = network.columns_of(component)
    own = np.zeros((states.shape[1], len(columns)))
    starts = np.cumsum(n_levels) - n_levels
    own[np.arange(states.shape[1])[:, None], (starts[:, None] + states).T] = 1.0
    inner = network.couplings[columns][:, columns]
    together = np.einsum("ts,ts->t", np.asarray(own @ inner), own) / 2
    found = np.empty_like(logits)
    best = np.empty((len(logits), len(component)), np.uint16)
    rows = max(1, _BLOCK // states.shape[1])
    for first in range(0, len(logits), rows):
        part = slice(first, first + rows)
        logs = logits[part] @ own.T + together
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        found[part] = weights @ own / weights.sum(axis=1, keepdims=True)
        best[part] = states.T[logs.argmax(axis=1)]
    return found, best


def _sampled(
    network: OneHot, component: Ints, logits: Floats, rng: np.random.Generator, sweeps: int
) -> tuple[Floats, NDArray[np.uint16]]:
    """Estimate the result of `_summed` by Gibbs sampling and coordinate ascent."""
    columns = network.columns_of(component)
    inner = network.couplings[columns][:, columns].tocsr()
    number = {int(v): k for k, v in enumerate(component)}
    of_colour = [
        np.array([number[int(v)] for v in own if int(v) in number], np.int64)
        for own in network.colours
    ]
    local = OneHot(
        network.n_levels[component], np.empty((0, 2), np.int64), np.zeros(len(columns)), inner
    )
    colours = [(own, local.columns_of(own)) for own in of_colour if len(own)]
    every = np.arange(len(component))
    state = local.drawn(local.normalised(logits), every, rng)
    sums = np.zeros_like(logits)
    best = state.copy()
    highest = np.full(len(logits), -np.inf)
    for sweep in range(BURN_IN + sweeps):
        for own, at in colours:
            logs = local.normalised(logits[:, at] + np.asarray(state @ inner[:, at]), own)
            if sweep >= BURN_IN:
                sums[:, at] += np.exp(logs)
            state[:, at] = local.drawn(logs, own, rng)
        if sweep >= BURN_IN and (sweep - BURN_IN) % (sweeps // _STARTS) == 0:
            mode = _local_mode(local, logits, state, colours)
            height = np.einsum("sc,sc->s", logits + np.asarray(mode @ inner) / 2, mode)
            better = height > highest
            highest[better], best[better] = height[better], mode[better]
    return sums / sweeps, _levels_of(local, best)


def _local_mode(
    local: OneHot, logits: Floats, state: Floats, colours: list[tuple[Ints, Ints]]
) -> Floats:
    """Set each variable to its most probable level given the others, until none changes."""
    state = state.copy()
    for _ in range(len(local.n_levels) + 10):
        before = state.copy()
        for own, at in colours:
            logs = logits[:, at] + np.asarray(state @ local.couplings[:, at])
            n_levels = local.n_levels[own]
            starts = np.cumsum(n_levels) - n_levels
            highest = np.repeat(np.maximum.reduceat(logs, starts, axis=1), n_levels, axis=1)
            state[:, at] = logs == highest
        if np.array_equal(before, state):
            break
    return state


def _levels_of(local: OneHot, state: Floats) -> NDArray[np.uint16]:
    parts = [
        state[:, start : start + r].argmax(axis=1)
        for start, r in zip(local.starts.tolist(), local.n_levels.tolist(), strict=True)
    ]
    return np.stack(parts, axis=1).astype(np.uint16)


def neighbour_sets(edges: Ints, n_variables: int) -> list[set[int]]:
    """Return the set of neighbours of each variable."""
    found: list[set[int]] = [set() for _ in range(n_variables)]
    for i, j in edges.tolist():
        found[i].add(j)
        found[j].add(i)
    return found


def _patterns(unknown: Bools) -> Iterator[tuple[Ints, Ints]]:
    """Return each set of unknown variables that occurs, and the samples in which it does."""
    patterns, which = np.unique(np.packbits(unknown, axis=0).T, axis=0, return_inverse=True)
    by_pattern = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(patterns)))
    for samples in np.split(by_pattern, ends[:-1]):
        variables = np.flatnonzero(unknown[:, samples[0]])
        if len(variables):
            yield variables, samples


def components(unknown: Ints, neighbours: list[set[int]]) -> Iterator[Ints]:
    """Return the connected components of the unknown variables."""
    left = set(unknown.tolist())
    while left:
        found = {left.pop()}
        edge = list(found)
        while edge:
            reached = neighbours[edge.pop()] & left
            left -= reached
            found |= reached
            edge.extend(reached)
        yield np.array(sorted(found), np.int64)


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
    accuracy: Floats
    majority: Floats
    normalized: Floats
    log_loss: Floats

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
    log_probabilities: list[Floats],
    codes: NDArray[np.uint16],
    known: Bools,
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
