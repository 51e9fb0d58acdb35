"""Measure how far variables are copies of each other by Cohen's kappa, the agreement beyond chance.

    kappa = (share of samples that agree - share expected by chance) / (1 - that share)

Two rare variants agree in nearly every sample because nearly every sample has neither, and kappa
corrects for that. For binary columns the complement is tried too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from markhood.arrays import Bools, Floats, Ints, Words
from markhood.data.samples import Samples
from markhood.errors import listed, warn
from markhood.kernels.words import packed

NEARLY = 0.98  # kappa from which on joined variables are reported as copies
PAIRS_PER_BLOCK = 1 << 16


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
