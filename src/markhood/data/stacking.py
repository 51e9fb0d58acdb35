"""`stacked()`: concatenate the samples of several tables.

A variable has the levels that occur in any of the tables, and level numbers are translated to
these. Numbers are sorted by size and text alphabetically, as in one table. Ordered categories keep
their order if one table has all of them; two incomplete lists do not always determine an order.
Bins and merged levels depend on the table that they were made from, so they must be the same in all
tables.

Weights are not rescaled: survey weights sum to the effective sample size of every table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from markhood.arrays import Ints
from markhood.data.coding.bins import bin_like
from markhood.data.coding.coders import in_order
from markhood.data.coding.merged import are_merged
from markhood.data.matching import matched_codes
from markhood.data.samples import RealColumn, Samples, Weights, words_per_row
from markhood.data.scales import recognised_scale
from markhood.data.storage.memory import require_memory
from markhood.data.variables import UNKNOWN, Variables, level_text
from markhood.errors import InputError, option
from markhood.kernels.words import packed

FINER = 10  # binary digits by which a common unit is finer than the smallest one

BLOCK = 1 << 24  # level numbers in memory at a time


def stacked(parts: Sequence[Samples]) -> Samples:
    """Concatenate samples of the same variables.

    Parameters
    ----------
    parts : sequence of Samples
        With the same names in any order; the order of the first is kept.

    Returns
    -------
    Samples
        With the levels, weights and missing values of all parts.

    Raises
    ------
    InputError
        If the parts have different variables, or levels without a common order.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> two = stacked([encode([[1, 0], [3, 1]]), encode([[2, 1], [3, 0]])])
    >>> two.n_samples, two.levels
    (4, ((1, 2, 3), (0, 1)))
    """
    parts = _with_same_columns(parts)
    variables = _variables(parts)
    n_samples = sum(part.n_samples for part in parts)
    n_levels = np.array([max(2, len(own)) for own in variables.levels or ()])
    require_memory(int((n_levels - 1).sum()), n_samples)
    words, missing = [], {}
    n_words, block = words_per_row(n_samples), max(1, BLOCK // max(1, n_samples))
    for start in range(0, len(variables), block):
        picked = range(start, min(start + block, len(variables)))
        of_block = [matched_codes(part, variables.pick(picked)) for part in parts]
        for j, values in zip(picked, np.concatenate(of_block, axis=1), strict=True):
            levels = np.arange(1, n_levels[j], dtype=np.uint16)[:, None]
            words.append(packed(values == levels, n_words))
            if (values == UNKNOWN).any():
                missing[j] = packed(values == UNKNOWN, n_words)
    return Samples(
        np.concatenate(words),
        n_samples,
        variables,
        missing,
        _weights(parts),
        are_sites=any(part.are_sites for part in parts),
        reals={
            name: RealColumn.of(np.concatenate([part.reals[name].values for part in parts]))
            for name in parts[0].reals
        },
        clusters=_clusters(parts),
    )


def _with_same_columns(parts: Sequence[Samples]) -> Sequence[Samples]:
    """Leave out columns that one of the tables left out; raise if other columns differ."""
    outside = {name for part in parts if part.account for name in part.account.left_out}
    if any(outside & {*part.names} for part in parts):
        kept = [[j for j, name in enumerate(p.names) if name not in outside] for p in parts]
        parts = [part.pick(np.array(own)) for part, own in zip(parts, kept, strict=True)]
    names = {*parts[0].names, *parts[0].reals}
    for part in parts[1:]:
        if apart := sorted(names ^ {*part.names, *part.reals}):
            raise InputError(
                "columns-differ",
                str(apart[0]),
                f"The tables have different columns ({apart[0]!r} is missing from one): use the "
                f"same columns in all tables, or select them with {option('columns')}.",
            )
    return parts


def _variables(parts: Sequence[Samples]) -> Variables:
    """Return the variables of the first part with the levels of all parts."""
    first, levels, ordered = parts[0].variables, [], []
    numbers = [{name: k for k, name in enumerate(part.names)} for part in parts]
    for j, name in enumerate(first.names):
        columns = [of_part[name] for of_part in numbers]
        own = [part.levels[k] for part, k in zip(parts, columns, strict=True)]
        are_ordered = [
            part.variables.is_ordered[k]
            for part, k, values in zip(parts, columns, own, strict=True)
            if len(values) > 2
        ]
        levels.append(own[0] if len(set(own)) == 1 else _union(name, own, any(are_ordered)))
        are_numbers = all(isinstance(level, Real) for level in levels[j])
        has_order = are_numbers or (any(are_ordered) and None not in levels[j])
        ordered.append(all(are_ordered) and has_order)
    return replace(first, levels=tuple(levels), ordered=tuple(ordered))


def _union(name: str, own: Sequence[tuple[Any, ...]], are_ordered: bool) -> tuple[Any, ...]:
    """Return the levels of all tables, sorted, with missing as the last level."""
    if any(are_merged(values) or bin_like((), values) is not None for values in own):
        raise InputError(
            "columns-differ",
            name,
            f"Column {name!r} has different bins or merged levels in the tables: put the groups "
            f"into one table and name their column with {option('by')}.",
        )
    named = {level_text(level): level for values in own for level in reversed(values)}
    known = [level for level in named.values() if level is not None]
    longest = max(own, key=len)
    if len(longest) == len(named):
        found = list(longest)
    elif are_ordered and (scale := recognised_scale(known)) is not None and None not in named:
        return scale
    else:
        found = [known[k] for k in in_order(known)] + ([None] if None in named.values() else [])
    if are_ordered and not all(isinstance(level, Real) for level in known):
        at = {level_text(level): k for k, level in enumerate(found)}
        rising = all(
            (np.diff([at[level_text(level)] for level in values]) > 0).all() for values in own
        )
        if len(longest) < len(named) or not rising:
            raise InputError(
                "columns-differ",
                name,
                f"Column {name!r} has ordered levels without a common order in all tables: put the "
                f"groups into one table and name their column with {option('by')}.",
            )
    return tuple(found)


def _clusters(parts: Sequence[Samples]) -> Ints | None:
    """Return the clusters of all tables; samples of tables without clusters are alone."""
    if all(part.clusters is None for part in parts):
        return None
    numbers, n = [], 0
    for part in parts:
        own = np.arange(part.n_samples) if part.clusters is None else part.clusters
        numbers.append(own + n)
        n += int(own.max()) + 1
    return np.concatenate(numbers)


def _weights(parts: Sequence[Samples]) -> Weights | None:
    """Return all weights in a common unit; None if no part has weights."""
    given = [part.weights or Weights(np.ones(part.n_samples, np.int64)) for part in parts]
    if all(part.weights is None for part in parts):
        return None
    unit = min(own.unit for own in given)
    if any(not (own.unit / unit).is_integer() for own in given):
        unit = 2.0 ** (math.floor(math.log2(unit)) - FINER)
    counts = [np.rint(own.counts * (own.unit / unit)).astype(np.int64) for own in given]
    return Weights(np.concatenate(counts), unit)
