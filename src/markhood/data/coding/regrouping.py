"""Merge the levels of packed samples: similar letters, rare levels, numbers into bins.

A level is a row of bits, so merging levels is the bitwise or of their rows, without reading the
data again. Rare ordered levels are merged with the rarer of their two neighbours, the rarest first;
rare categories become `other`. Two levels always remain, because a constant column has no edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints, Words
from markhood.data.codebook import Account
from markhood.data.coding.bins import AUTO, Bins, columns_to_cut, cut
from markhood.data.coding.merged import OTHER, merged_name
from markhood.data.coding.planes import every_sample
from markhood.data.genome.alphabets import CLASSES, alphabet_of, classes_of
from markhood.data.samples import Samples
from markhood.data.storage.memory import require_memory
from markhood.data.variables import Variables
from markhood.errors import InputError, listed, option
from markhood.findings import Finding
from markhood.kernels.words import packed


class Grouping(NamedTuple):
    """The index of the new level of each old one, and the new levels."""

    group: Ints
    levels: tuple[Any, ...]


def with_letters_merged(samples: Samples, letters: str) -> Samples:
    """Merge similar letters of aligned sequences into one level.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> with_letters_merged(encode([["A", "C"], ["G", "T"], ["T", "-"]]), "reduced").levels
    (('AG', 'CT'), ('-', 'CT'))
    """
    alphabet = alphabet_of(samples.variables)
    if alphabet is None:
        raise InputError(
            "option-conflict",
            "letters",
            f"{option('letters', letters)} requires aligned sequences, but the levels are not "
            "letters of proteins, RNA or DNA: leave it out.",
        )
    groupings = {}
    for j, levels in enumerate(samples.levels):
        classes = classes_of(alphabet, levels)
        merged = list(dict.fromkeys(classes))
        if len(merged) < len(levels):
            groupings[j] = Grouping(np.array([merged.index(c) for c in classes]), tuple(merged))
    return _with_finding(
        regrouped(samples, groupings),
        "letters",
        f"The letters of {alphabet} were merged into {len(CLASSES[alphabet])} classes in "
        f"{len(groupings)} columns.",
    )


def with_rare_merged(samples: Samples, fewest: int) -> Samples:
    """Merge levels that occur in fewer than `fewest` samples.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> answers = [[k, "abcd"[k % 4] if k else "z"] for k in (1, 1, 1, 2, 2, 3, 0, 4, 5)]
    >>> with_rare_merged(encode(answers), 2).levels
    (('0 or 1', 2, '3 to 5'), ('b', 'c', 'other'))
    """
    groupings = {}
    both = zip(samples.levels, samples.variables.is_ordered, strict=True)
    for j, (levels, is_ordered) in enumerate(both):
        n_known = len(levels) - (None in levels)
        if n_known < 3:
            continue
        counts = level_counts(samples, j)[:n_known]
        if counts.min() < fewest:
            of_kind = _neighbours_merged if is_ordered else _others_merged
            groupings[j] = _with_missing(of_kind(levels[:n_known], counts, fewest), levels)
    if not groupings:
        return samples
    columns = [
        f"{samples.names[j]!r} ({len(samples.levels[j])} levels to {len(levels)})"
        for j, (_, levels) in groupings.items()
    ]
    return _with_finding(
        regrouped(samples, groupings),
        samples.names[next(iter(groupings))],
        f"Levels with fewer than {fewest} samples were merged in {len(columns)} "
        f"column{'s'[: len(columns) > 1]}: {listed(columns)}.",
    )


def _with_finding(samples: Samples, where: str, text: str) -> Samples:
    account = samples.account or Account(samples.n_samples)
    findings = (*account.findings, Finding("merged-levels", where, text))
    return replace(samples, account=replace(account, findings=findings))


def cut_samples(samples: Samples, bins: Bins, others: str | None = None) -> Samples:
    """Cut variables whose levels are many numbers into bins; `others` for those without a name.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> cut_samples(encode([[18, 0], [30, 1], [41, 0], [60, 1]]), {"x0": 2}).levels[0]
    ('[18, 40)', '[40, 60]')
    """
    numbers = [tuple(v for v in levels if v is not None) for levels in samples.levels]
    groupings = {}
    kinds = enumerate(samples.variables.kinds or ())
    nominal = [j for j, kind in kinds if kind == "nominal" and None not in samples.levels[j]]
    for j, number in columns_to_cut(bins, samples.names, numbers, nominal, others).items():
        group, labels = cut(numbers[j], level_counts(samples, j)[: len(numbers[j])], number)
        groupings[j] = _with_missing(Grouping(group, labels), samples.levels[j])
    found = regrouped(samples, groupings)
    ordered = [
        is_ordered or (j in groupings and None not in samples.levels[j])
        for j, is_ordered in enumerate(samples.variables.is_ordered)
    ]
    return found.with_order(ordered)


def with_reals_cut(samples: Samples, *, are_ordered: bool) -> Samples:
    """Cut real columns into equal-frequency bins, and append them as variables."""
    words, own = [samples.words], samples.variables
    names, levels = list(own.names), list(own.levels or ())
    counted = None if samples.weights is None else samples.weights.counts * samples.weights.unit
    for name, column in samples.reals.items():
        numbers, code = np.unique(column.values, return_inverse=True)
        counts = np.bincount(code, counted).astype(np.float64)
        bins, labels = cut(numbers.tolist(), counts, AUTO)
        indicators = bins[code] == np.arange(1, max(2, len(labels)))[:, np.newaxis]
        words.append(packed(indicators, samples.words.shape[1]))
        names.append(name)
        levels.append(labels)
    more = (None,) * len(samples.reals)
    variables = Variables(
        tuple(names),
        tuple(levels),
        (*own.is_ordered, *(are_ordered for _ in more)),
        own.loci and (*own.loci, *more),
        own.members and (*own.members, *(() for _ in more)),
        own.genome_length,
        {column: (*texts, *("" for _ in more)) for column, texts in own.columns.items()},
    )
    return replace(samples, words=np.concatenate(words), variables=variables, reals={})


def regrouped(samples: Samples, groupings: Mapping[int, Grouping]) -> Samples:
    """Merge levels of some variables, by index."""
    lengths = np.diff(samples.starts)
    shorter = lengths.copy()
    for j, (_, levels) in groupings.items():
        shorter[j] = max(1, len(levels) - 1)
    starts = np.cumsum(shorter) - shorter
    require_memory(int(shorter.sum()), samples.n_samples)
    words = np.zeros((int(shorter.sum()), samples.words.shape[1]), np.uint64)
    stays = np.ones(samples.n_variables, np.bool_)
    stays[list(groupings)] = False
    words[np.repeat(stays, shorter)] = samples.words[np.repeat(stays, lengths)]
    for j, (group, levels) in groupings.items():
        rows = _level_rows(samples, j)
        for k in range(1, len(levels)):
            words[starts[j] + k - 1] = np.bitwise_or.reduce(rows[group == k], axis=0)
    return replace(samples, words=words, variables=_variables(samples.variables, groupings))


def level_counts(samples: Samples, variable: int) -> Floats:
    """Return the total weight of the samples with each level of a variable."""
    return samples.weight_of(_level_rows(samples, variable))


def _level_rows(samples: Samples, variable: int) -> Words:
    """Return a row of bits for every level, including the first."""
    rows = samples.words[samples.starts[variable] : samples.starts[variable + 1]]
    first = every_sample(samples.n_samples) & ~np.bitwise_or.reduce(rows, axis=0)
    if variable in samples.missing:
        first &= ~samples.missing[variable]
    return np.concatenate([first[None], rows])


def _neighbours_merged(levels: Sequence[Any], counts: Floats, fewest: int) -> Grouping:
    runs = [[k] for k in range(len(levels))]
    sizes = counts.tolist()
    while len(runs) > 2 and min(sizes) < fewest:
        rarest = sizes.index(min(sizes))
        sides = [k for k in (rarest - 1, rarest + 1) if 0 <= k < len(runs)]
        other = min(sides, key=lambda k: sizes[k])
        first = min(rarest, other)
        runs[first : first + 2] = [runs[first] + runs[first + 1]]
        sizes[first : first + 2] = [sizes[first] + sizes[first + 1]]
    group = np.repeat(np.arange(len(runs)), [len(run) for run in runs])
    names = [
        levels[run[0]] if len(run) == 1 else merged_name([levels[k] for k in run]) for run in runs
    ]
    return Grouping(group, tuple(names))


def _others_merged(levels: Sequence[Any], counts: Floats, fewest: int) -> Grouping:
    """Merge rare categories, and further ones while the merged level is still rare."""
    order = np.argsort(counts, kind="stable").tolist()
    rare = [k for k in order if counts[k] < fewest or levels[k] == OTHER]
    for k in order:
        if len(rare) > 1 and counts[rare].sum() >= fewest:
            break
        if k not in rare:
            rare.append(k)
    rare = rare[: len(levels) - 1]
    kept = [k for k in range(len(levels)) if k not in rare]
    group = np.full(len(levels), len(kept))
    group[kept] = np.arange(len(kept))
    return Grouping(group, (*(levels[k] for k in kept), OTHER))


def _with_missing(grouping: Grouping, levels: Sequence[Any]) -> Grouping:
    """Append the level of missing values, if there is one."""
    group, names = grouping
    if None not in levels:
        return grouping
    return Grouping(np.append(group, len(names)), (*names, None))


def _variables(variables: Variables, groupings: Mapping[int, Grouping]) -> Variables:
    levels = list(variables.levels or ())
    for j, grouping in groupings.items():
        levels[j] = grouping.levels
    return replace(variables, levels=tuple(levels))
