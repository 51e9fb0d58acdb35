"""Look for rows that depend on each other: repeated rows, and rows that resemble their neighbours.

All criteria assume independent rows. Rows that are copies, or that follow each other in time, give
edges where there are none. Both checks hold whatever the dependence between columns is.

**Repeated rows.** Let f_k be the number of distinct rows that occur k times. In independent rows,
the frequency of a row is Poisson with a rate of its own, so k! f_k are moments of the rates and
(k! f_k)^2 <= (k - 1)! f_{k-1} (k + 1)! f_{k+1} in expectation. Tables in which a part of the rows
was copied have too many pairs for their number of triples. A table that was copied as a whole has
frequencies with a common divisor.

**Serial dependence.** The share of columns in which a row equals the next one is compared with that
of the same rows in random pairs. Sorting rows by a column makes neighbours similar, although the
rows are independent. So rows are compared within the runs of columns by which the table is sorted,
and the column that agrees most is left out, because one column alone gives no false edges.

Both look at a bounded part of the data.

In clusters, pairs are tested at their own effective sample size: see `without_undecided`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from markhood.arrays import Floats, Ints, Words
from markhood.data.clusters import design_effect, pair_effects
from markhood.data.samples import Samples
from markhood.data.weights import row_hashes
from markhood.errors import option, warn
from markhood.graph.numbering import in_order
from markhood.kernels.words import packed, transposed, unpacked
from markhood.search.values.constraints import Constraints

MOST_BITS = 1 << 22  # that are hashed
MOST_ROWS = 1000  # of bits that are hashed, one for each level but the first
FIRST_ROWS = 64  # of bits, which mostly tell all samples apart
LARGEST_FREQUENCY = 6
RARE = 1e-4  # probability below which a finding is not due to chance
FEWEST_DISTINCT = 20  # rows whose frequencies have a common divisor by chance in 1 of 2^20 tables
MOST_WORDS = 256  # of 64 neighbouring samples each
MOST_COLUMNS = 192  # whose digits are three words
LARGE = 5.0  # standard errors
MUCH_LARGER = 1.25  # design effect of a pair, in units of the median
MOST_SORTED = 3  # columns by which a table is sorted


def warn_of_dependent_rows(samples: Samples) -> None:
    """Warn about repeated rows and serial dependence, unless the caller described the rows."""
    if samples.clusters is not None or samples.weights is not None:
        return
    if found := repeated_rows(samples):
        advice = (
            f"remove the copies, or name the column of the original rows with {option('clusters')}"
        )
        if samples.are_sites:
            advice = f"use {option('weights', 'similarity')}"
        warn(
            "dependent-rows",
            "clusters",
            f"{found} of {samples.n_samples} rows are copies of others, which is more than "
            f"independent rows have. Copies give false edges: {advice}.",
        )
    if not samples.are_sites and (excess := serial_dependence(samples)) > LARGE:
        warn(
            "dependent-rows",
            "clusters",
            f"Neighbouring rows are more similar than other rows ({excess:.1f} standard errors), "
            f"and rows that depend on each other give false edges. Use {option('clusters')} for "
            f"schools, persons or batches, or {option('time')} for rows in time.",
        )


def without_undecided(known: Constraints, samples: Samples, gamma: float) -> Constraints:
    """Forbid pairs that only seem associated because they vary with the cluster.

    The design effect of samples is a median over pairs. A pair whose own is `MUCH_LARGER` must pass
    the marginal test of BIC_gamma at its own effective sample size.
    """
    n_nodes = samples.n_variables - len(known.covariates)
    found = pair_effects(samples, n_nodes)
    if found is None:
        return known
    effects, squares = found
    pooled = design_effect(samples)
    sizes = samples.total_weight * pooled / np.maximum(effects, 1.0)
    scores = samples.bits.n_scores[:n_nodes]
    prices = np.log(np.maximum(sizes, 2.0)) / 2 * np.outer(scores, scores)
    prices += gamma * np.log(max(2, samples.n_variables - 1))
    is_undecided = (effects > MUCH_LARGER * pooled) & (sizes * squares / 2 < prices)
    pairs = np.argwhere(np.triu(is_undecided, 1))
    pairs = pairs[~known.requires(pairs) & known.allows(*pairs.T)]
    forbidden = np.concatenate([known.forbidden, pairs])
    return replace(known, forbidden=forbidden[in_order(forbidden)])


def repeated_rows(samples: Samples) -> int:
    """Return the number of rows that are copies, or 0 if independent rows may have as many.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(400, 20))
    >>> repeated_rows(encode(coins)), repeated_rows(encode(np.repeat(coins, 2, axis=0)))
    (0, 400)
    """
    n_rows = min(len(samples.words), MOST_ROWS) + len(samples.missing)
    n_samples = min(samples.n_samples, MOST_BITS // n_rows)
    rows = samples.words[:MOST_ROWS, : n_samples // 64 + 1]
    if samples.missing:
        masks = [mask[: n_samples // 64 + 1] for mask in samples.missing.values()]
        rows = np.concatenate([rows, masks])
    for some in (rows[:FIRST_ROWS], rows):
        frequencies = np.unique(row_hashes(some, n_samples), return_counts=True)[1]
        n_copies = n_samples - len(frequencies)
        if not n_copies:
            return 0
    if len(frequencies) >= FEWEST_DISTINCT and int(np.gcd.reduce(frequencies)) > 1:
        return n_copies
    counts = np.bincount(frequencies, minlength=LARGEST_FREQUENCY + 2).tolist()
    return n_copies * any(_too_many(counts, k) for k in range(2, LARGEST_FREQUENCY))


def _too_many(counts: list[int], k: int) -> bool:
    """Return whether too many rows occur k times, for the numbers that occur k - 1 and k + 1."""
    from scipy.special import pdtr

    fewer, these, more = counts[k - 1 : k + 2]
    low, high = these - 2 * math.sqrt(these), fewer + 2 * math.sqrt(fewer) + 2
    if low <= 0:
        return False
    return float(pdtr(more, k / (k + 1) * low**2 / high)) < RARE


def serial_dependence(samples: Samples) -> float:
    """Return by how many standard errors neighbouring rows agree more than random pairs.

    The result is 0 if a bound shows that it is at most `LARGE`.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(800, 10))
    >>> stays = np.repeat(coins[:400], 2, axis=0)
    >>> serial_dependence(encode(coins)) < 3, serial_dependence(encode(stays)) > 20
    (True, True)
    """
    words = _some_words(samples)
    columns = np.linspace(0, samples.n_variables - 1, MOST_COLUMNS).astype(np.int64)
    columns = np.unique(columns[columns < samples.n_variables])
    n = 64 * (len(words) - 1) + min(64, samples.n_samples - 64 * int(words[-1]))
    digits = _digits(samples, columns, words)
    first = np.arange(0, n - 1, 2)  # pairs without a common row are independent
    run = _runs(digits, n)
    first = first[run[first] == run[first + 1]]
    if len(first) < 30 or len(columns) < 2:
        return 0.0
    rng = np.random.default_rng(0)
    partner = np.empty(len(first), np.int64)  # of a random pair in the same run
    by_run = np.argsort(run[first], kind="stable")
    partner[by_run] = first[np.argsort(run[first] + rng.random(len(first)))] + 1
    rows = transposed(digits)  # the digits of 64 columns in a sample are a word

    def differing(others: Ints) -> Words:
        return np.asarray(np.bitwise_or.reduce(rows[:, :, first] ^ rows[:, :, others], axis=0))

    apart, near = differing(partner), differing(first + 1)
    each, size = _excess(apart, near), math.sqrt(len(first))
    if size * each.mean() <= LARGE * (each.std() - 1):  # a column changes it by 1 at most
        return 0.0
    of_apart, of_near = _of_columns(np.stack([apart, near]))
    most = int((of_apart - of_near)[: len(columns)].argmax())
    block, bit = most // 64, np.uint64(1) << np.uint64(most % 64)
    apart[block] &= ~bit
    near[block] &= ~bit
    each = _excess(apart, near)
    deviation = float(each.std())
    return size * float(each.mean()) / deviation if deviation else 0.0


def _excess(apart: Words, near: Words) -> Floats:
    """Return in how many more columns rows differ from a random row than from the next one."""
    more = np.bitwise_count(apart).astype(np.float64) - np.bitwise_count(near)
    return np.asarray(more.sum(axis=0))


def _some_words(samples: Samples) -> Ints:
    """Return the numbers of some words of bits, evenly spaced."""
    n_words = -(-samples.n_samples // 64)
    return np.unique(np.linspace(0, n_words - 1, min(n_words, MOST_WORDS)).astype(np.int64))


def _digits(samples: Samples, columns: Ints, words: Ints) -> Words:
    """Return the binary digits of level numbers in some words, of shape (digits, columns, words).

    Missing is a level of its own.
    """
    first, n_rows = samples.starts[columns], np.diff(samples.starts)[columns]
    n_digits = (int(n_rows.max()) + bool(samples.missing)).bit_length()
    found = np.zeros((n_digits, len(columns), len(words)), np.uint64)
    for level in range(1, int(n_rows.max()) + 1):
        has = np.flatnonzero(n_rows >= level)
        rows = samples.words[(first[has] + level - 1)[:, None], words]
        for digit in _ones_of(level):
            found[digit, has] |= rows
    for k, variable in enumerate(columns.tolist()):
        if variable in samples.missing:
            found[_ones_of(int(n_rows[k]) + 1), k] |= samples.missing[variable][words]
    return found


def _ones_of(number: int) -> list[int]:
    return [digit for digit in range(number.bit_length()) if number >> digit & 1]


def _of_columns(words: Words) -> Ints:
    """Count the ones of each bit in blocks of words, (..., blocks, n)."""
    *outer, n_blocks, n = words.shape
    groups = np.zeros((*outer, n_blocks, -(-n // 64), 64), np.uint64)
    groups.reshape(*outer, n_blocks, -1)[..., :n] = words
    ones = np.bitwise_count(transposed(np.swapaxes(groups, -1, -2)))
    counts: Ints = ones.reshape(groups.shape).sum(axis=-2, dtype=np.int64)
    return counts.reshape(*outer, -1)


def _runs(digits: Words, n: int) -> Ints:
    """Return the number of each row's run, in the columns by which rows are sorted."""
    following = digits >> np.uint64(1)
    following[..., :-1] |= digits[..., 1:] << np.uint64(63)
    changes = np.bitwise_or.reduce(digits ^ following, axis=0)
    changes &= packed(np.ones(n - 1), digits.shape[2])
    run = np.zeros(n, np.int64)
    for _ in range(MOST_SORTED):
        n_runs = 1 + np.bitwise_count(changes).sum(axis=1, dtype=np.int64)
        n_before = run[-1] + 1
        may_be_sorted = (n_before < n_runs) & (n_runs <= n_before << len(digits))
        for k in np.flatnonzero(may_be_sorted & (n_runs < n // 8)).tolist():
            own = sum(unpacked(row, n).astype(np.int64) << p for p, row in enumerate(digits[:, k]))
            if n_runs[k] == len(np.unique(run << len(digits) | own)):
                run[1:] = np.cumsum(unpacked(changes[k], n - 1))
                changes |= changes[k]
                break
        else:
            break
    return run
