"""Find variables that are exact copies or complements of each other, and group them.

Two variables are copies if the same samples have their k-th level, for every k. Binary and ordered
variables are also grouped if the levels of one are reversed, as for alleles that were counted on
the other strand. Rows are hashed in blocks, and rows with equal hashes are compared.

The first column represents its group, because ties go to the lower index.

Measure how far variables are copies of each other by Cohen's kappa, the agreement beyond chance.

    kappa = (share of samples that agree - share expected by chance) / (1 - that share)

Two rare variants agree in nearly every sample because nearly every sample has neither, and kappa
corrects for that. For binary columns the complement is tried too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints, Words
from markhood.data.samples import Samples
from markhood.data.variables import Member
from markhood.errors import listed, warn
from markhood.kernels.words import packed

WORDS_PER_BLOCK = 1 << 20  # 8 MB of rows
FIRST_WORDS = 8  # enough to distinguish most variables
NEARLY = 0.98  # kappa from which on joined variables are reported as copies
PAIRS_PER_BLOCK = 1 << 16


class Duplicates(NamedTuple):
    """The variable that represents each, of shape (n_variables,), and whether levels are reversed.

    A variable that represents itself is not reversed.
    """

    node: Ints
    opposite: Bools

    @property
    def n_copies(self) -> int:
        """Number of variables that are represented by another one."""
        return int((self.node != np.arange(len(self.node))).sum())


def find_duplicates(
    samples: Samples, labels: Ints | None = None, words_per_block: int = WORDS_PER_BLOCK
) -> Duplicates:
    """Find the first variable of each group of copies or complements.

    Parameters
    ----------
    labels : ndarray of shape (n_variables,), optional
        Variables with different labels are never grouped.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> found = find_duplicates(encode([[0, 1, 0], [1, 0, 0], [0, 1, 1]]))
    >>> found.node.tolist(), found.opposite.tolist()
    ([0, 0, 2], [False, True, False])
    """
    d = samples.n_variables
    found = Duplicates(np.arange(d), np.zeros(d, np.bool_))
    varies = np.flatnonzero(~samples.is_constant)
    n_rows = np.diff(samples.starts)[varies]
    for r in np.unique(n_rows).tolist():
        rows = _Rows(samples, varies[n_rows == r], r, labels, words_per_block)
        for copies, firsts, opposite in rows.duplicates():
            found.node[copies] = firsts
            found.opposite[copies] = opposite
    return found


def identical_variables(samples: Samples) -> list[list[int]]:
    """Return groups of identical variables that vary, each sorted, in order of their first.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> identical_variables(encode([[0, 1, 0], [1, 0, 0], [0, 1, 1]]))
    [[0, 1], [2]]
    """
    node = find_duplicates(samples).node
    varies = np.flatnonzero(~samples.is_constant)
    groups: dict[int, list[int]] = {}
    for first, variable in zip(node[varies].tolist(), varies.tolist(), strict=True):
        groups.setdefault(first, []).append(variable)
    return list(groups.values())


def group_duplicates(samples: Samples, duplicates: Duplicates) -> Samples:
    """Return only the representative variables, with the others as their members.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1, 0], [1, 0, 0], [0, 1, 1]])
    >>> group_duplicates(samples, find_duplicates(samples)).variables.labels
    ('x0 (+1)', 'x2')
    """
    if not duplicates.n_copies:
        return samples
    all_of, before = samples.variables.unfolded(), samples.variables
    node = duplicates.node[np.array(all_of.node)]
    opposite = duplicates.opposite[np.array(all_of.node)] ^ np.array(all_of.opposite)
    kept = np.unique(duplicates.node)
    members: dict[int, list[Member]] = {int(j): [] for j in kept}
    own = {before.names[j] for j in kept.tolist()}
    names, levels, loci = (getattr(all_of.variables, k) for k in ("names", "levels", "loci"))
    for column, (j, is_reversed) in enumerate(zip(node.tolist(), opposite.tolist(), strict=True)):
        if names[column] not in own:
            known = None if levels is None else levels[column]
            locus = None if loci is None else loci[column]
            members[j].append(Member(names[column], column, known, is_reversed, locus))
    picked = samples.pick(kept)
    return replace(
        picked,
        variables=replace(picked.variables, members=tuple(map(tuple, members.values()))),
    )


class _Rows:
    """The rows of variables with the same number of levels; positions index these variables."""

    def __init__(
        self, samples: Samples, variables: Ints, r: int, labels: Ints | None, words_per_block: int
    ) -> None:
        self._samples, self._variables, self._r = samples, variables, r
        self._step = max(1, words_per_block // (samples.words.shape[1] * r))
        self._everywhere = packed(np.ones(samples.n_samples), samples.words.shape[1])
        self._ordered = np.array(samples.variables.is_ordered)[variables] | (r == 1)
        self._labels = np.zeros(len(variables), np.int64) if labels is None else labels[variables]

    def duplicates(self) -> Iterator[tuple[Ints, Ints, Bools]]:
        """Yield copies, their representatives, and whether their levels are reversed."""
        among = np.arange(len(self._variables))
        for n_words in (FIRST_WORDS, self._samples.words.shape[1]):  # few share the first words
            hashes = self._hashes(among, n_words)
            _, back, counts = np.unique(hashes, return_inverse=True, return_counts=True)
            among, hashes = among[counts[back] > 1], hashes[counts[back] > 1]
            if not len(among):
                return
        order = among[np.argsort(hashes, kind="stable")]
        hashes = np.sort(hashes)
        starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(order)])
        firsts, others = np.repeat(order[starts], np.diff(np.append(starts, len(order)))), order
        while len(others):  # more than once only if hashes collide
            same, opposite = self._compared(firsts, others)
            copies = same & (firsts != others)
            yield self._variables[others[copies]], self._variables[firsts[copies]], opposite[copies]
            firsts, others = firsts[~same], others[~same]
            _, at, back = np.unique(firsts, return_index=True, return_inverse=True)
            firsts = others[at][back]

    def _hashes(self, positions: NDArray[np.intp], n_words: int) -> Words:
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

    def _compared(self, firsts: NDArray[np.intp], others: NDArray[np.intp]) -> tuple[Bools, Bools]:
        """Return which pairs are duplicates, and which of these have reversed levels."""
        same, opposite = np.zeros((2, len(others)), np.bool_)
        for part in self._blocks(np.arange(len(others))):
            own, _ = self._of(firsts[part])
            forward, backward = self._of(others[part])
            same[part] = (forward == own).all(axis=(1, 2))
            opposite[part] = (backward == own).all(axis=(1, 2)) & self._ordered[others[part]]
        fits = (self._labels[firsts] == self._labels[others]) & self._as_known(firsts, others)
        fits &= self._ordered[firsts] == self._ordered[others]
        return (same | opposite) & fits, opposite & ~same

    def _as_known(self, firsts: NDArray[np.intp], others: NDArray[np.intp]) -> Bools:
        """Return whether the same samples are missing in both variables."""
        missing = self._samples.missing
        if not missing:
            return np.ones(len(others), np.bool_)
        pairs = zip(self._variables[firsts].tolist(), self._variables[others].tolist(), strict=True)
        return np.array([_are_equal(missing.get(i), missing.get(j)) for i, j in pairs])

    def _blocks(self, positions: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        return [positions[k : k + self._step] for k in range(0, len(positions), self._step)]

    def _of(self, positions: NDArray[np.intp], n_words: int | None = None) -> tuple[Words, Words]:
        """Return the first words of indicator rows, (n, r, n_words), and for reversed levels."""
        samples, variables = self._samples, self._variables[positions]
        rows = samples.starts[variables][:, None] + np.arange(self._r)
        forward = np.asarray(samples.words[:, :n_words][rows])
        lowest = np.bitwise_or.reduce(forward, axis=1) ^ self._everywhere[:n_words]
        for k, j in enumerate(variables.tolist()) if samples.missing else ():
            if j in samples.missing:
                lowest[k] &= ~samples.missing[j][:n_words]
        return forward, np.concatenate([forward[:, -2::-1], lowest[:, None]], axis=1)


def _mixed(rows: Words, factors: Words) -> Words:
    """Hash blocks of words, (n, r, n_words), to n numbers."""
    words = rows ^ (rows >> np.uint64(32))
    mixed: Words = np.einsum("nrw,rw->n", words, factors)
    return mixed ^ (mixed >> np.uint64(29))


def _are_equal(mask: Words | None, other: Words | None) -> bool:
    if mask is None or other is None:
        return mask is other
    return np.array_equal(mask, other)


def warn_of_copies(pairs: Sequence[tuple[str, str]], what: str, advice: str = "") -> None:
    """Warn about variables that are an exact or near copy: pairs of a variable and its copy."""
    if not pairs:
        return
    one = f" is {'an' if what == 'exact' else 'a'} {what} copy or the complement of another"
    several = f"s are {what} copies or complements of others"
    shown = listed([f"{copy!r} of {first!r}" for first, copy in pairs], 3)
    warn(
        "identical-columns",
        pairs[0][1],
        f"{len(pairs)} column{several if len(pairs) > 1 else one}: {shown}. The data cannot "
        f"separate their edges and couplings: leave one of each pair out{advice}.",
    )


def near_copies(samples: Samples, edges: Ints) -> list[tuple[str, str]]:
    """Return the edges whose variables are nearly, but not exactly, copies, by name.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> rows = [[0, 0], [1, 1]] * 100 + [[0, 1]]
    >>> near_copies(encode(rows), np.array([[0, 1]]))
    [('x0', 'x1')]
    """
    for n_words in (samples.words.shape[1] // 8, samples.words.shape[1]):
        edges = edges[_may_agree(samples, edges, max(1, n_words))]
        if not len(edges):
            return []
    kappa = np.abs(agreement(samples, edges))
    found = edges[(kappa >= NEARLY) & (kappa < 1)]
    return [(samples.names[i], samples.names[j]) for i, j in found.tolist()]


def _may_agree(samples: Samples, pairs: Ints, n_words: int) -> Bools:
    """Return which pairs may be near copies, by their first words of samples.

    Where kappa is at least `NEARLY`, at most the rest of all samples differ (or agree, for
    complements of binary variables).
    """
    if samples.missing or samples.weights:
        return np.ones(len(pairs), np.bool_)
    n_seen = min(64 * n_words, samples.n_samples)
    most, counts = (1 - NEARLY) * samples.n_samples, np.empty(len(pairs), np.int64)
    first = samples.words[:, :n_words]
    for k in range(0, len(pairs), PAIRS_PER_BLOCK):
        i, j = samples.starts[pairs[k : k + PAIRS_PER_BLOCK]].T
        counts[k : k + PAIRS_PER_BLOCK] = np.bitwise_count(first[i] ^ first[j]).sum(axis=1)
    are_binary = (np.diff(samples.starts) == 1)[pairs].all(axis=1)
    return np.asarray((counts <= most) | (are_binary & (n_seen - counts <= most)))


def agreement(samples: Samples, pairs: Ints) -> Floats:
    """Return Cohen's kappa of pairs of variables; negative for near complements.

    Samples are weighted, and those with a missing value of the pair are left out.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1]])
    >>> agreement(samples, np.array([[0, 1], [0, 2]])).tolist()
    [-1.0, 0.0]
    """
    n_rows = np.diff(samples.starts)
    found = np.zeros(len(pairs))
    comparable = n_rows[pairs[:, 0]] == n_rows[pairs[:, 1]]
    for r in np.unique(n_rows[pairs[comparable]]).tolist():
        at = np.flatnonzero(comparable & (n_rows[pairs[:, 0]] == r))
        rows = samples.starts[pairs[at]][:, :, None] + np.arange(r)
        differ = np.zeros((len(at), samples.words.shape[1]), np.uint64)
        for k in range(r):
            differ |= samples.words[rows[:, 0, k]] ^ samples.words[rows[:, 1, k]]
        differing, shares, total = _counted(samples, pairs[at], rows, differ)
        agree = 1 - differing / total
        shares = shares / total[:, None, None]
        shares = np.concatenate([1 - shares.sum(axis=2, keepdims=True), shares], axis=2)
        by_chance = (shares[:, 0] * shares[:, 1]).sum(axis=1)
        with np.errstate(invalid="ignore"):  # neither varies in the samples where both are observed
            found[at] = (agree - by_chance) / (1 - by_chance)
            if r == 1:  # compare with the complement
                opposite = (by_chance - agree) / by_chance
                found[at] = np.where(opposite > found[at], -opposite, found[at])
    return np.nan_to_num(found)


def _counted(
    samples: Samples, pairs: Ints, rows: Ints, differ: Words
) -> tuple[Floats, Floats, Floats]:
    """Return the weights of differing samples, of each level but the first, and of all."""
    if not samples.missing:
        used, at = np.unique(rows, return_inverse=True)
        of_rows = samples.weight_of(samples.words[used])[at].reshape(rows.shape)
        return samples.weight_of(differ), of_rows, np.full(len(pairs), samples.total_weight)
    everywhere = packed(np.ones(samples.n_samples), samples.words.shape[1])
    none = np.zeros_like(everywhere)
    masks = np.array([[samples.missing.get(v, none) for v in pair] for pair in pairs.tolist()])
    known = everywhere & ~(masks[:, 0] | masks[:, 1])
    ones = [
        [samples.weight_of(samples.words[row] & known) for row in own]
        for own in rows.transpose(1, 2, 0)
    ]
    total = np.maximum(samples.weight_of(known), samples.weights.unit if samples.weights else 1)
    return samples.weight_of(differ & known), np.array(ones).transpose(2, 0, 1), total
