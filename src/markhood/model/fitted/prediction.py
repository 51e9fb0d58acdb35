"""Some variables given others: probabilities, the most probable values, draws.

What is unknown in a sample falls into components that the known variables keep apart. A component with few states
is summed over state by state; a larger one is sampled, sweep after sweep, and the probabilities
are means of those that each variable has given the others. One unknown variable is the case
of one component of its own, and needs no sum at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from markhood.data.variables import UNKNOWN
from markhood.errors import option, warn
from markhood.model.one_hot import OneHot

MOST_STATES = 1 << 12  # of a component that is summed over
SETTLING, SWEEPS = 200, 1000  # of one that is sampled
_STARTS = 16  # climbs from the draws of a sampled component to a most probable state
_BLOCK = 1 << 22  # numbers at a time


@dataclass(frozen=True, eq=False)
class Prediction:
    """What is said of unknown values.

    Attributes
    ----------
    chances : ndarray of shape (n_samples, n_columns)
        Of every level of every variable; one where it is known.
    most_probable : ndarray of shape (n_variables, n_samples), dtype uint16
        The samples, completed by the most probable values of all that is unknown together.
    """

    chances: NDArray[np.float64]
    most_probable: NDArray[np.uint16]


def predict(
    network: OneHot,
    codes: NDArray[np.uint16],
    rng: np.random.Generator,
    pulls: NDArray[np.float64] | None = None,
) -> Prediction:
    """Say of all samples what their unknown values are.

    Parameters
    ----------
    network : OneHot
    codes : ndarray of shape (n_variables, n_samples), dtype uint16
        `UNKNOWN` where a value is to be said.
    rng : Generator
        For components that are too large to be summed over; a warning says where there are any.
    pulls : ndarray of shape (n_samples, n_columns), optional
        What is added to the fields of each sample.
    """
    known = codes != UNKNOWN
    chances = network.indicators(codes, known)
    completed = codes.copy()
    neighbours = neighbour_sets(network.edges, len(network.n_levels))
    is_sampled = np.zeros(codes.shape[1], np.bool_)
    for unknown, samples in _patterns(~known):
        for component in components(unknown, neighbours):
            columns = network.columns_of(component)
            few_states = prod(network.n_levels[component].tolist()) <= MOST_STATES
            solve: Callable[..., tuple[NDArray[np.float64], NDArray[np.uint16]]]
            solve = _summed if few_states else _sampled
            is_sampled[samples] |= not few_states
            for part in np.array_split(samples, -(-len(samples) * len(columns) // _BLOCK)):
                given = network.indicators(codes[:, part], known[:, part])
                logits = network.fields[columns] + given @ network.couplings[:, columns]
                if pulls is not None:
                    logits = logits + pulls[np.ix_(part, columns)]
                found, best = solve(network, component, np.asarray(logits), rng)
                chances[np.ix_(part, columns)] = found
                completed[np.ix_(component, part)] = best.T
    if is_sampled.any():
        n = int(is_sampled.sum())
        warn(
            "sampled-prediction",
            "",
            f"{n} sample{'s have' if n > 1 else ' has'} so many unknown values at once that they were drawn "
            f"({SWEEPS} times), not summed over: with another {option('seed')} numbers differ a little.",
        )
    return Prediction(chances, completed)


def _summed(
    network: OneHot,
    component: NDArray[np.int64],
    logits: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.uint16]]:
    """Return the chances of a component's levels and its most probable state, of each sample."""
    if len(component) == 1:
        chances = np.exp(network.normalised(logits, component))
        return chances, logits.argmax(axis=1)[:, None].astype(np.uint16)
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
    network: OneHot,
    component: NDArray[np.int64],
    logits: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.uint16]]:
    """Do by Gibbs sampling what `_summed` does; the best state is the highest that climbs reach."""
    columns = network.columns_of(component)
    inner = network.couplings[columns][:, columns].tocsr()
    place = {int(v): k for k, v in enumerate(component)}
    of_colour = [
        np.array([place[int(v)] for v in own if int(v) in place], np.int64)
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
    for sweep in range(SETTLING + SWEEPS):
        for own, at in colours:
            pull = local.normalised(logits[:, at] + np.asarray(state @ inner[:, at]), own)
            if sweep >= SETTLING:
                sums[:, at] += np.exp(pull)
            state[:, at] = local.drawn(pull, own, rng)
        if sweep >= SETTLING and (sweep - SETTLING) % (SWEEPS // _STARTS) == 0:
            climbed = _climbed(local, logits, state, colours)
            height = np.einsum("sc,sc->s", logits + np.asarray(climbed @ inner) / 2, climbed)
            better = height > highest
            highest[better], best[better] = height[better], climbed[better]
    return sums / SWEEPS, _levels_of(local, best)


def _climbed(
    local: OneHot,
    logits: NDArray[np.float64],
    state: NDArray[np.float64],
    colours: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> NDArray[np.float64]:
    """Give each variable its most probable level given the others, until none changes."""
    state = state.copy()
    for _ in range(len(local.n_levels) + 10):
        before = state.copy()
        for own, at in colours:
            pull = logits[:, at] + np.asarray(state @ local.couplings[:, at])
            n_levels = local.n_levels[own]
            starts = np.cumsum(n_levels) - n_levels
            highest = np.repeat(np.maximum.reduceat(pull, starts, axis=1), n_levels, axis=1)
            state[:, at] = pull == highest
        if np.array_equal(before, state):
            break
    return state


def _levels_of(local: OneHot, state: NDArray[np.float64]) -> NDArray[np.uint16]:
    parts = [
        state[:, start : start + r].argmax(axis=1)
        for start, r in zip(local.starts.tolist(), local.n_levels.tolist(), strict=True)
    ]
    return np.stack(parts, axis=1).astype(np.uint16)


def neighbour_sets(edges: NDArray[np.int64], n_variables: int) -> list[set[int]]:
    """Return the neighbours of every variable."""
    found: list[set[int]] = [set() for _ in range(n_variables)]
    for i, j in edges.tolist():
        found[i].add(j)
        found[j].add(i)
    return found


def _patterns(
    unknown: NDArray[np.bool_],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the variables that are unknown together, and the samples in which they are."""
    patterns, which = np.unique(np.packbits(unknown, axis=0).T, axis=0, return_inverse=True)
    by_pattern = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(patterns)))
    for samples in np.split(by_pattern, ends[:-1]):
        variables = np.flatnonzero(unknown[:, samples[0]])
        if len(variables):
            yield variables, samples


def components(
    unknown: NDArray[np.int64], neighbours: list[set[int]]
) -> Iterator[NDArray[np.int64]]:
    """Return the parts of what is unknown that the known variables keep apart."""
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
