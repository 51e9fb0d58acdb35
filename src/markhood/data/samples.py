"""Samples as the kernels want them: one bit per sample, one row per variable.

Packing turns "count the samples where both are one" into "count the one bits of an
intersection", and makes 10 000 samples of a variable fit in 1.3 kB. A variable with r levels is
r - 1 indicator rows, so a binary variable is one row; that is all there is for now.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

BITS_PER_WORD = 64
WORDS_PER_LANE = 8  # rows are padded to the widest vector register: no kernel has a tail loop


@dataclass(frozen=True, eq=False)
class Samples:
    """Binary data, packed, with what is needed to name the result.

    Attributes
    ----------
    words : ndarray of shape (n_variables, n_words), dtype uint64
        Sample s of a variable is bit ``s % 64`` of word ``s // 64``. Bits past ``n_samples`` are
        zero, so they are never counted; ``n_words`` is a multiple of eight.
    n_samples : int
        Number of bits that mean something in each row.
    names : tuple of str
        One name a variable.
    levels : tuple of tuple
        The values that occur in each variable, in order; a one bit is the last of two. A
        constant variable has one level and no one bits.
    """

    words: NDArray[np.uint64]
    n_samples: int
    names: tuple[str, ...]
    levels: tuple[tuple[Any, ...], ...]

    @property
    def n_variables(self) -> int:
        """Number of variables, constant ones included."""
        return len(self.words)

    @cached_property
    def ones(self) -> NDArray[np.int64]:
        """Samples in which each variable is one, of shape (n_variables,)."""
        # A block at a time: the counts of all words at once would be an eighth of the data again.
        blocks = np.array_split(self.words, max(1, self.words.size >> 20))
        return np.concatenate([np.bitwise_count(b).sum(axis=1, dtype=np.int64) for b in blocks])

    @cached_property
    def is_constant(self) -> NDArray[np.bool_]:
        """Whether each variable has one level only, of shape (n_variables,)."""
        constant: NDArray[np.bool_] = (self.ones == 0) | (self.ones == self.n_samples)
        return constant

    @cached_property
    def fingerprint(self) -> str:
        """Hash of names, levels and values: equal for equal data, whatever file they came from."""
        digest = hashlib.blake2b(digest_size=16)
        described = [self.n_samples, self.names, [[_as_text(v) for v in ls] for ls in self.levels]]
        digest.update(json.dumps(described).encode())
        digest.update(np.ascontiguousarray(self.words).data)
        return digest.hexdigest()


def _as_text(level: Any) -> str:
    """Write equal numbers alike, whether they came as 1, 1.0 or True."""
    is_whole = isinstance(level, (bool, int, float)) and level == int(level)
    return str(int(level)) if is_whole else str(level)


def words_per_row(n_samples: int) -> int:
    """Return the length of a packed row in words, padding included."""
    bits_per_lane = BITS_PER_WORD * WORDS_PER_LANE
    return max(1, -(-n_samples // bits_per_lane)) * WORDS_PER_LANE
