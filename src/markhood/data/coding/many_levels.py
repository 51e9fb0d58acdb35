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

    def learn(self, values: NDArray[Any], limit: int) -> int | None:
        """Assign codes to new values, up to `limit` in all.

        Returns
        -------
        int or None
            The index of the first value beyond the limit, None if there is none.
        """
        new, first_at = np.unique(values, return_index=True)
        known = np.isin(new, self._values)
        new, first_at = new[~known], first_at[~known]
        by_appearance = np.argsort(first_at)
        room = max(0, limit - self._next)
        taken = new[by_appearance[:room]]
        if len(taken):
            fresh = np.arange(self._next, self._next + len(taken), dtype=np.uint32)
            codes = np.concatenate([self._codes, fresh])
            both = np.concatenate([self._values, taken])
            order = np.argsort(both, kind="stable")
            self._values, self._codes = both[order], codes[order]
            self._next += len(taken)
        return int(first_at[by_appearance[room]]) if len(new) > room else None

    def codes(self, values: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the codes of values, which all have one."""
        return self._codes[np.searchsorted(self._values, values)]

    def values(self) -> list[Any]:
        """Return all values in order of appearance."""
        found: list[Any] = self._values[np.argsort(self._codes)].tolist()
        return found
