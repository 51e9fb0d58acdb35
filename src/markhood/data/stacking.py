"""`stacked()`: the samples of several tables as those of one table, its rows below each other.

A variable has the levels that occur in any of the tables, so every table's level numbers are translated to these.
Numbers are in order of size and text in the order of the alphabet, as in one table. Ordered categories keep
their order where one table has all of them; two incomplete lists do not always determine an order. Bins and
merged levels depend on the table that they were made from, so they must be the same in all tables.

Weights stay as they were read: those that are not whole numbers have mean 1 in every table.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import bin_like
from markhood.data.coding.coders import in_order
from markhood.data.coding.merged import are_merged
from markhood.data.matching import matched_codes
from markhood.data.samples import RealColumn, Samples, Weights, words_per_row
from markhood.data.storage.memory import require_memory
from markhood.data.variables import UNKNOWN, Variables, level_text
from markhood.errors import InputError, option
from markhood.kernels.words import packed

BLOCK = 1 << 24  # level numbers that are held at a time


def stacked(parts: Sequence[Samples]) -> Samples:
    """Put samples of the same variables below each other.

    Parameters
    ----------
    parts : sequence of Samples
        With the same names, in any order: that of the first is kept.

    Returns
    -------
    Samples
        With the levels, weights and missing values of all parts.

    Raises
    ------
    InputError
        If the parts have different variables, or levels that cannot be put into one order.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> two = stacked([encode([[1, 0], [3, 1]]), encode([[2, 1], [3, 0]])])
    >>> two.n_samples, two.levels
    (4, ((1, 2, 3), (0, 1)))
    """
    _require_same_names(parts)
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
    )


def _require_same_names(parts: Sequence[Samples]) -> None:
    names = {*parts[0].names, *parts[0].reals}
    for part in parts[1:]:
        if apart := sorted(names ^ {*part.names, *part.reals}):
            raise InputError(
                f"The tables have different columns ({apart[0]!r} is missing from one): give all tables the "
                f"same variables, or choose them with {option('columns')}."
            )


def _variables(parts: Sequence[Samples]) -> Variables:
    """Return the variables of the first part with the levels of all parts."""
    first, levels, ordered = parts[0].variables, [], []
    numbers = [{name: k for k, name in enumerate(part.names)} for part in parts]
    for j, name in enumerate(first.names):
        columns = [of_part[name] for of_part in numbers]
        own = [part.levels[k] for part, k in zip(parts, columns, strict=True)]
        of_steps = [
            part.variables.is_ordered[k]
            for part, k, values in zip(parts, columns, own, strict=True)
            if len(values) > 2
        ]
        levels.append(own[0] if len(set(own)) == 1 else _union(name, own, any(of_steps)))
        are_numbers = all(isinstance(level, Real) for level in levels[j])
        ordered.append(all(of_steps) and (are_numbers or (any(of_steps) and None not in levels[j])))
    return Variables(
        first.names, tuple(levels), tuple(ordered), first.loci, first.members, first.genome_length
    )


def _union(name: str, own: Sequence[tuple[Any, ...]], are_steps: bool) -> tuple[Any, ...]:
    """Return the levels of all tables, in order, the level of missing values last."""
    if any(are_merged(values) or bin_like((), values) is not None for values in own):
        raise InputError(
            f"Column {name!r} was cut into bins or had levels merged, and not in the same way in all tables: "
            f"put the groups into one table and name their column with {option('by')}."
        )
    named = {level_text(level): level for values in own for level in reversed(values)}
    known = [level for level in named.values() if level is not None]
    longest = max(own, key=len)
    if len(longest) == len(named):
        found = list(longest)
    else:
        found = [known[k] for k in in_order(known)] + ([None] if None in named.values() else [])
    if are_steps and not all(isinstance(level, Real) for level in known):
        at = {level_text(level): k for k, level in enumerate(found)}
        rising = all(
            (np.diff([at[level_text(level)] for level in values]) > 0).all() for values in own
        )
        if len(longest) < len(named) or not rising:
            raise InputError(
                f"Column {name!r} has ordered levels whose order in all tables together is not known: put the "
                f"groups into one table and name their column with {option('by')}."
            )
    return tuple(found)


def _weights(parts: Sequence[Samples]) -> Weights | None:
    """Return all weights in the finest unit; None where no part has any."""
    given = [part.weights or Weights(np.ones(part.n_samples, np.int64)) for part in parts]
    if all(part.weights is None for part in parts):
        return None
    unit = min(own.unit for own in given)  # all are powers of two
    counts: list[NDArray[np.int64]] = [own.counts * int(own.unit / unit) for own in given]
    return Weights(np.concatenate(counts), unit)
