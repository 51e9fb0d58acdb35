"""Lists of variables of different lengths, stored in two arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from markhood.arrays import Bools, Ints


@dataclass(frozen=True, eq=False)
class Lists:
    """A sequence of integer lists."""

    starts: Ints  # (n_lists + 1,): list k is ``values[starts[k]:starts[k + 1]]``
    values: Ints

    @property
    def arrays(self) -> tuple[Ints, Ints]:
        """``starts`` and ``values``."""
        return self.starts, self.values

    @property
    def lengths(self) -> Ints:
        """The length of each list, of shape (n_lists,)."""
        return self.starts[1:] - self.starts[:-1]  # faster than `np.diff` for short arrays

    @classmethod
    def of(cls, lists: Sequence[Sequence[int] | Ints]) -> Lists:
        """Join separate lists."""
        starts = np.array([0, *accumulate(map(len, lists))], dtype=np.int64)
        parts = [np.asarray(values, dtype=np.int64) for values in lists]
        return cls(starts, np.concatenate(parts) if parts else np.empty(0, dtype=np.int64))

    @classmethod
    def empty(cls, n_lists: int) -> Lists:
        """Return lists without values."""
        return cls(np.zeros(n_lists + 1, dtype=np.int64), np.empty(0, dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Lists]) -> Lists:
        """Concatenate the lists of all parts."""
        lengths = np.concatenate([np.zeros(1, np.int64), *(p.lengths for p in parts)])
        values = np.concatenate([np.empty(0, np.int64), *(p.values for p in parts)])
        return cls(np.cumsum(lengths), values)

    @classmethod
    def of_neighbours(cls, edges: Ints, n_variables: int) -> Lists:
        """List the neighbours of every variable in ascending order, from edges of shape (m, 2)."""
        lower, upper = edges.T
        both = np.sort(
            np.concatenate([lower << 32 | upper, upper << 32 | lower])
        )  # sorting single numbers is faster
        degrees = np.bincount(edges.ravel(), minlength=n_variables)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(degrees)])
        return cls(starts, both & 0xFFFFFFFF)

    @classmethod
    def from_both_ends(cls, edges: Ints, n_variables: int) -> tuple[Lists, Ints]:
        """List the neighbours of every variable, and the positions of each edge in these lists.

        Edges are i < j in lexicographic order, so that one sort, by the upper ends, is enough. The
        positions are indices into ``values``, of shape (m, 2), one for each end.

        Examples
        --------
        >>> neighbours, positions = Lists.from_both_ends(np.array([[0, 1], [0, 2]]), 3)
        >>> neighbours.values.tolist(), positions.tolist()
        ([1, 2, 0, 0], [[0, 2], [1, 3]])
        """
        lower, upper = edges.T
        order = np.argsort(upper << 32 | lower)
        n_higher, n_lower = (np.bincount(ends, minlength=n_variables) for ends in (lower, upper))
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_higher + n_lower)])
        places, numbers = np.empty(edges.shape, np.int64), np.arange(len(edges))
        places[:, 0] = numbers + (starts[:-1] + n_lower - np.cumsum(n_higher) + n_higher)[lower]
        places[order, 1] = numbers + (starts[:-1] - np.cumsum(n_lower) + n_lower)[upper[order]]
        values = np.empty(2 * len(edges), np.int64)
        values[places] = edges[:, ::-1]
        return cls(starts, values), places

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, k: int) -> Ints:
        return self.values[self.starts[k] : self.starts[k + 1]]

    def __iter__(self) -> Iterator[Ints]:
        return (self[k] for k in range(len(self)))

    def pick(self, which: Ints) -> Lists:
        """Return some of the lists, in this order.

        Examples
        --------
        >>> [values.tolist() for values in Lists.of([[1], [], [2, 3]]).pick(np.array([2, 0]))]
        [[2, 3], [1]]
        """
        lengths = self.lengths[which]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        at = np.arange(starts[-1]) + np.repeat(self.starts[which] - starts[:-1], lengths)
        return Lists(starts, self.values[at])

    def where(self, stays: Bools) -> Lists:
        """Return the lists with only some of their values.

        Examples
        --------
        >>> lists = Lists.of([[1], [2, 3]]).where(np.array([False, True, False]))
        >>> [values.tolist() for values in lists]
        [[], [2]]
        """
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(stays)])
        return Lists(before[self.starts], self.values[stays])

    def part(self, tile: range) -> Lists:
        """Return a contiguous part of the lists."""
        starts = self.starts[tile.start : tile.stop + 1]
        return Lists(starts - starts[0], self.values[starts[0] : starts[-1]])
