"""Look up the codes of a column with many levels by bisection."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class ManyLevels:
    """Sorted values and their codes, which are in order of appearance and begin at `first`."""

    def __init__(self, dtype: np.dtype[Any], first: int) -> None:
        self._values = np.empty(0, dtype)
        self._codes = np.empty(0, np.uint32)
        self._next = first

    def codes(self, values: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the codes of values; new values get the next codes."""
        distinct, first_at, which = np.unique(values, return_index=True, return_inverse=True)
        at = np.searchsorted(self._values, distinct)
        near = np.minimum(at, max(0, len(self._values) - 1))
        is_new = self._values[near] != distinct if len(self._values) else np.ones(len(at), np.bool_)
        codes = np.empty(len(distinct), np.uint32)
        codes[~is_new] = self._codes[at[~is_new]]
        n_new = int(is_new.sum())
        if n_new:
            by_appearance = np.argsort(np.argsort(first_at[is_new]))
            codes[is_new] = self._next + by_appearance
            self._values = np.insert(self._values, at[is_new], distinct[is_new])
            self._codes = np.insert(self._codes, at[is_new], codes[is_new])
            self._next += n_new
        return codes[which]

    def values(self) -> list[Any]:
        """Return all values in order of appearance."""
        found: list[Any] = self._values[np.argsort(self._codes)].tolist()
        return found
