"""`Groups`: samples with group labels, and permutations of the labels.

To test whether two groups are equal, labels are permuted among the samples of these two groups.
Permutations among the samples of all groups would be valid only if all groups were equal; with a
third group that differs, two equal groups would be declared different too often.

With paired samples each person has one sample in each group, and labels are permuted within
persons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np

from markhood.arrays import Ints
from markhood.data.coding.bins import AUTO, Bins
from markhood.data.coding.coders import in_order, is_missing
from markhood.data.coding.regrouping import cut_samples
from markhood.data.labels import read_labelled
from markhood.data.samples import Samples
from markhood.data.stacking import stacked
from markhood.data.variables import level_text
from markhood.errors import InputError, option, option_error, warn
from markhood.learning.request import Request
from markhood.stability.resampling import listed_labels


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples with group labels."""

    samples: Samples
    numbers: Ints  # (n_samples,): group number of each sample
    names: tuple[str, ...]
    # (n_persons, n_groups): the sample of each person in each group; None if samples are not
    # paired.
    persons: Ints | None = None

    def __post_init__(self) -> None:
        """Check that there are at least two groups with at least two samples each."""
        if len(self.names) < 2:
            raise option_error(
                "by",
                f"has {len(self.names)} value{'s'[: len(self.names) != 1]}: give at least two "
                "groups.",
                "too-few-groups",
            )
        if len(set(self.names)) < len(self.names):
            raise InputError(
                "labels",
                "names",
                f"Two groups have the same name: give {option('names')} that differ.",
            )
        for name, size in zip(self.names, self.sizes, strict=True):
            if size < 2:
                raise InputError(
                    "too-few-groups",
                    name,
                    f"Group {name!r} has {size} sample{'s'[: size != 1]}: give each group at least "
                    "two.",
                )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of samples in each group."""
        return tuple(np.bincount(self.numbers, minlength=len(self.names)).tolist())

    @property
    def identity(self) -> tuple[Any, ...]:
        """Everything that results depend on apart from the samples."""
        return self.names, self.numbers, self.persons

    @classmethod
    def by(cls, samples: Samples, labels: Any, pairs: Any = None) -> Groups:
        """Group samples by their labels; samples without a label are left out.

        Examples
        --------
        >>> from markhood.data.coding.encode import encode
        >>> samples = encode([[0, 1], [1, 0], [1, 1], [0, 0]])
        >>> Groups.by(samples, ["b", "a", "b", "a"]).numbers.tolist()
        [1, 0, 1, 0]
        """
        listed = listed_labels("by", labels, samples.n_samples)
        kept = np.array([not is_missing(label) for label in listed])
        if not kept.all():
            warn(
                "rows-dropped",
                "by",
                f"{(~kept).sum()} of {len(kept)} samples have no label in {option('by')} and are "
                "left out.",
            )
        levels = list(
            {level_text(v): v for v, has in zip(listed, kept, strict=True) if has}.values()
        )
        names = tuple(level_text(levels[k]) for k in in_order(levels))
        at = {name: k for k, name in enumerate(names)}
        numbers = [at[level_text(v)] if has else -1 for v, has in zip(listed, kept, strict=True)]
        return cls._of_rows(samples, np.array(numbers), names, pairs)

    @classmethod
    def of(
        cls,
        tables: Sequence[Samples],
        names: Sequence[str],
        pairs: Any = None,
        bins: Bins | None = None,
    ) -> Groups:
        """Make a group of each table.

        Parameters
        ----------
        names : sequence of str
            Names of the groups.
        pairs : sequence of labels, optional
            Labels of the persons in all tables, one table after another.
        bins : int, str or mapping, optional
            How to cut numeric columns of all tables together.
        """
        if len(names) != len(tables):
            raise InputError(
                "labels",
                "names",
                f"There are {len(names)} {option('names')} for {len(tables)} tables: give one name "
                "per table.",
            )
        numbers = np.repeat(np.arange(len(tables)), [table.n_samples for table in tables])
        together = stacked(tables)
        if bins is not None:
            together = cut_samples(together, bins, AUTO)
        return cls._of_rows(together, numbers, tuple(map(str, names)), pairs)

    @classmethod
    def _of_rows(
        cls, samples: Samples, numbers: Ints, names: tuple[str, ...], pairs: Any
    ) -> Groups:
        """Keep samples that have a group and, if they are paired, belong to complete persons."""
        persons = None
        rows = np.flatnonzero(numbers >= 0)
        if pairs is not None:
            labels = listed_labels("pairs", pairs, samples.n_samples)
            persons = _persons(numbers[rows], [labels[row] for row in rows.tolist()], len(names))
            kept = np.sort(persons, axis=None)
            rows, persons = rows[kept], np.searchsorted(kept, persons)
        if len(rows) < samples.n_samples:
            samples, numbers = samples.take(rows), numbers[rows]
        return cls(samples, numbers, names, persons)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The numbers of the groups of each pair."""
        return list(combinations(range(len(self.names)), 2))

    def rows(self) -> list[Ints]:
        """Return the samples of each group."""
        return [np.flatnonzero(self.numbers == k) for k in range(len(self.names))]

    def permuted(self, rng: np.random.Generator) -> list[Ints]:
        """Return the samples of both groups of each pair in turn, under permuted labels."""
        found = []
        for pair in map(list, self.pairs):
            if self.persons is not None:
                found += [np.sort(rows) for rows in rng.permuted(self.persons[:, pair], axis=1).T]
                continue
            rows = np.flatnonzero(np.isin(self.numbers, pair))
            labels = self._permuted_labels(rows, rng)
            found += [rows[labels == k] for k in pair]
        return found

    def _permuted_labels(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """Permute labels among clusters, or within them where a cluster has several groups."""
        labels, clusters = self.numbers[rows], self.samples.clusters
        if clusters is None:
            return rng.permutation(labels)
        _, first, of_rows = np.unique(clusters[rows], return_index=True, return_inverse=True)
        if (labels[first][of_rows] == labels).all():
            return np.asarray(rng.permutation(labels[first])[of_rows])
        found = np.empty_like(labels)
        by_cluster = np.argsort(of_rows, kind="stable")
        found[by_cluster] = labels[np.lexsort((rng.random(len(rows)), of_rows))]
        return found


def read_groups(
    tables: Sequence[tuple[Request, Any]],
    names: Sequence[str] | None,
    by: Any = None,
    pairs: Any = None,
) -> Groups:
    """Read groups from one table with labels, or from one table per group.

    Parameters
    ----------
    tables : sequence of tuple
        Pairs of a request, which defines how to read the table, and a table.
    names : sequence of str, optional
        Names of the groups if there is one table per group.
    by, pairs
        As for `compare_groups`.
    """
    if (len(tables) < 2) == (by is None):
        raise InputError(
            "option-conflict" if by is not None else "option-needed",
            "by",
            f"Pass either two tables or more, or one table with {option('by')}.",
        )
    if by is not None:
        request, data = tables[0]
        samples, labels = read_labelled(data, request.reading, {"by": by, "pairs": pairs})
        return Groups.by(samples, labels["by"], labels["pairs"])
    of_groups, persons = [], []
    for (request, data), own in zip(tables, for_each("pairs", pairs, len(tables)), strict=True):
        uncut = replace(request.reading, bins=None)  # bins are those of all tables together
        samples, labels = read_labelled(data, uncut, {"pairs": own})
        of_groups.append(samples)
        if own is not None:
            persons += labels["pairs"] or []
    named = ascii_lowercase[: len(tables)] if names is None else names
    bins = tables[0][0].reading.bins
    return Groups.of(of_groups, named, None if pairs is None else persons, bins)


def for_each(name: str, given: Any, n_tables: int) -> list[Any]:
    """Return the value of an option for each table: one column name for all, or a list."""
    if given is None or isinstance(given, str):
        return [given] * n_tables
    listed = list(given)
    if len(listed) != n_tables:
        raise option_error(
            name,
            f"has {len(listed)} entries for {n_tables} tables: give the name of a column, or a "
            "list with one array per table.",
        )
    return listed


def _persons(numbers: Ints, labels: list[Any], n_groups: int) -> Ints:
    """Return the sample in each group of each person that has exactly one per group."""
    rows_of: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        if not is_missing(label):
            rows_of.setdefault(level_text(label), []).append(row)
    whole = [
        sorted(rows, key=lambda row: numbers[row])
        for rows in rows_of.values()
        if sorted(numbers[rows].tolist()) == list(range(n_groups))
    ]
    if len(whole) < 2:
        raise InputError(
            "labels",
            "pairs",
            f"{len(whole)} of {len(rows_of)} labels in {option('pairs')} occur exactly once in "
            "each group: at least two must.",
        )
    if n_left_out := len(labels) - n_groups * len(whole):
        warn(
            "rows-dropped",
            "pairs",
            f"{n_left_out} of {len(labels)} samples are left out: {len(rows_of) - len(whole)} of "
            f"{len(rows_of)} persons in {option('pairs')} do not have exactly one sample in each "
            "group.",
        )
    return np.array(whole)
