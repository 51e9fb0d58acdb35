"""Variables that no data can tell apart: found in one pass, and grouped so that one stands for all.

Two variables are alike where the same samples have their k-th level, for every k; binary and ordered ones
also where one runs the other way, as alleles do that were counted from the other strand. Rows are hashed a block
at a time, and those whose hashes agree are compared, so that a hash decides nothing.

Which of them is kept says nothing about the others: it is the first column, as everywhere where data tie.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.data.variables import Member
from markhood.kernels.words import packed

WORDS_PER_BLOCK = 1 << 20  # eight megabytes of rows at a time
FIRST_WORDS = 8  # that tell most variables apart


class Alike(NamedTuple):
    """The variable that stands for each, of shape (n_variables,), and whether they are opposites.

    One that stands for itself is no opposite.
    """

    node: NDArray[np.int64]
    opposite: NDArray[np.bool_]

    @property
    def n_copies(self) -> int:
        """How many variables another one stands for."""
        return int((self.node != np.arange(len(self.node))).sum())


def alike_variables(samples: Samples, labels: NDArray[np.int64] | None = None) -> Alike:
    """Find the first of each set of variables that are copies or opposites of each other.

    Parameters
    ----------
    samples : Samples
    labels : ndarray of shape (n_variables,), optional
        Variables with different labels are told apart, whatever the data say.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> found = alike_variables(encode([[0, 1, 0], [1, 0, 0], [0, 1, 1]]))
    >>> found.node.tolist(), found.opposite.tolist()
    ([0, 0, 2], [False, True, False])
    """
    d = samples.n_variables
    found = Alike(np.arange(d), np.zeros(d, np.bool_))
    varies = np.flatnonzero(~samples.is_constant)
    n_rows = np.diff(samples.starts)[varies]
    for r in np.unique(n_rows).tolist():
        for copies, firsts, opposite in _Rows(samples, varies[n_rows == r], r, labels).alike():
            found.node[copies] = firsts
            found.opposite[copies] = opposite
    return found


def identical_variables(samples: Samples) -> list[list[int]]:
    """Put the variables that vary into groups of identical ones, each ascending, by their first.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> identical_variables(encode([[0, 1, 0], [1, 0, 0], [0, 1, 1]]))
    [[0, 1], [2]]
    """
    node = alike_variables(samples).node
    varies = np.flatnonzero(~samples.is_constant)
    groups: dict[int, list[int]] = {}
    for first, variable in zip(node[varies].tolist(), varies.tolist(), strict=True):
        groups.setdefault(first, []).append(variable)
    return list(groups.values())


def with_alike_grouped(samples: Samples, alike: Alike) -> Samples:
    """Return the variables that stand for others only, with these as their members.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1, 0], [1, 0, 0], [0, 1, 1]])
    >>> with_alike_grouped(samples, alike_variables(samples)).variables.labels
    ('x0 (+1)', 'x2')
    """
    if not alike.n_copies:
        return samples
    all_of, before = samples.variables.unfolded(), samples.variables
    node = alike.node[np.array(all_of.node)]
    opposite = alike.opposite[np.array(all_of.node)] ^ np.array(all_of.opposite)
    kept = np.unique(alike.node)
    members: dict[int, list[Member]] = {int(j): [] for j in kept}
    own = {before.names[j] for j in kept.tolist()}
    names, levels, loci = (getattr(all_of.variables, k) for k in ("names", "levels", "loci"))
    for column, (j, other_way) in enumerate(zip(node.tolist(), opposite.tolist(), strict=True)):
        if names[column] not in own:
            known = None if levels is None else levels[column]
            locus = None if loci is None else loci[column]
            members[j].append(Member(names[column], column, known, other_way, locus))
    picked = samples.pick(kept)
    return replace(
        picked,
        variables=replace(picked.variables, members=tuple(map(tuple, members.values()))),
    )


class _Rows:
    """The rows of some variables with as many levels each; positions are among these variables."""

    def __init__(
        self,
        samples: Samples,
        variables: NDArray[np.int64],
        r: int,
        labels: NDArray[np.int64] | None,
    ) -> None:
        self._samples, self._variables, self._r = samples, variables, r
        self._everywhere = packed(np.ones(samples.n_samples), samples.words.shape[1])
        self._ordered = np.array(samples.variables.is_ordered)[variables] | (r == 1)
        # What must agree besides the rows.
        self._labels = np.zeros(len(variables), np.int64) if labels is None else labels[variables]

    def alike(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield variables that others stand for, those others, and whether they are opposites."""
        among = np.arange(len(self._variables))
        for n_words in (FIRST_WORDS, self._samples.words.shape[1]):  # few have the same first ones
            hashes = self._hashes(among, n_words)
            _, back, counts = np.unique(hashes, return_inverse=True, return_counts=True)
            among, hashes = among[counts[back] > 1], hashes[counts[back] > 1]
        order = among[np.argsort(hashes, kind="stable")]
        hashes = np.sort(hashes)
        starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(order)])
        firsts, others = np.repeat(order[starts], np.diff(np.append(starts, len(order)))), order
        while len(others):  # once, but where two hashes agree by chance
            same, opposite = self._compared(firsts, others)
            copies = same & (firsts != others)
            yield self._variables[others[copies]], self._variables[firsts[copies]], opposite[copies]
            firsts, others = firsts[~same], others[~same]
            _, at, back = np.unique(firsts, return_index=True, return_inverse=True)
            firsts = others[at][back]

    def _hashes(self, positions: NDArray[np.intp], n_words: int) -> NDArray[np.uint64]:
        """Hash labels and the first words of the rows of some variables."""
        rng = np.random.default_rng(0)
        shape = (self._r, self._samples.words[:1, :n_words].size)
        factors = rng.integers(0, 2**63, shape, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        labels = self._labels[positions].astype(np.uint64)[:, None, None]
        hashes = [np.empty(0, np.uint64)]
        for block in self._blocks(positions):
            forward, backward = self._of(block, n_words)
            one_way = _mixed(forward, factors)
            both_ways = np.minimum(one_way, _mixed(backward, factors))
            hashes.append(np.where(self._ordered[block], both_ways, one_way))
        return np.concatenate(hashes) ^ _mixed(labels, factors[:1, :1])

    def _compared(
        self, firsts: NDArray[np.intp], others: NDArray[np.intp]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which variables are alike these, and which of those run the other way."""
        same, opposite = np.zeros((2, len(others)), np.bool_)
        for part in self._blocks(np.arange(len(others))):
            own, _ = self._of(firsts[part])
            forward, backward = self._of(others[part])
            same[part] = (forward == own).all(axis=(1, 2))
            opposite[part] = (backward == own).all(axis=(1, 2)) & self._ordered[others[part]]
        fits = (self._labels[firsts] == self._labels[others]) & self._as_known(firsts, others)
        fits &= self._ordered[firsts] == self._ordered[others]
        return (same | opposite) & fits, opposite & ~same

    def _as_known(self, firsts: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return whether the same samples are missing in variables."""
        missing = self._samples.missing
        if not missing:
            return np.ones(len(others), np.bool_)
        pairs = zip(self._variables[firsts].tolist(), self._variables[others].tolist(), strict=True)
        return np.array([_are_equal(missing.get(i), missing.get(j)) for i, j in pairs])

    def _blocks(self, positions: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        step = max(1, WORDS_PER_BLOCK // (self._samples.words.shape[1] * self._r))
        return [positions[k : k + step] for k in range(0, len(positions), step)]

    def _of(
        self, positions: NDArray[np.intp], n_words: int | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the first words of indicator rows, (n, r, n_words), and of those with the levels the other way."""
        samples, variables = self._samples, self._variables[positions]
        rows = samples.starts[variables][:, None] + np.arange(self._r)
        forward = np.asarray(samples.words[:, :n_words][rows])
        lowest = np.bitwise_or.reduce(forward, axis=1) ^ self._everywhere[:n_words]
        for k, j in enumerate(variables.tolist()) if samples.missing else ():
            if j in samples.missing:
                lowest[k] &= ~samples.missing[j][:n_words]
        return forward, np.concatenate([forward[:, -2::-1], lowest[:, None]], axis=1)


def _mixed(rows: NDArray[np.uint64], factors: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash each of some blocks of words, (n, r, n_words), to a number."""
    words = rows ^ (rows >> np.uint64(32))
    mixed: NDArray[np.uint64] = np.einsum("nrw,rw->n", words, factors)
    return mixed ^ (mixed >> np.uint64(29))


def _are_equal(mask: NDArray[np.uint64] | None, other: NDArray[np.uint64] | None) -> bool:
    if mask is None or other is None:
        return mask is other
    return np.array_equal(mask, other)
