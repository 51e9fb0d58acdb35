"""The codes of one column that has many levels, found by bisection."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class ManyLevels:
    """Values in order, and their codes, which go by order of appearance from `first` on."""

    def __init__(self, dtype: np.dtype[Any], first: int) -> None:
        self._values = np.empty(0, dtype)
        self._codes = np.empty(0, np.uint32)
        self._next = first

    def learn(self, values: NDArray[Any], limit: int) -> int | None:
        """Give codes to new values, as long as fewer than `limit` are known.

        Returns
        -------
        int or None
            The place of the first value that is too many; None where there is room for all.
        """
        new, places = np.unique(values, return_index=True)
        known = np.isin(new, self._values)
        new, places = new[~known], places[~known]
        by_appearance = np.argsort(places)
        room = max(0, limit - self._next)
        taken = new[by_appearance[:room]]
        if len(taken):
            fresh = np.arange(self._next, self._next + len(taken), dtype=np.uint32)
            codes = np.concatenate([self._codes, fresh])
            both = np.concatenate([self._values, taken])
            order = np.argsort(both, kind="stable")
            self._values, self._codes = both[order], codes[order]
            self._next += len(taken)
        return int(places[by_appearance[room]]) if len(new) > room else None

    def codes(self, values: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the codes of values that are all known."""
        return self._codes[np.searchsorted(self._values, values)]

    def values(self) -> list[Any]:
        """Return all values by order of appearance."""
        found: list[Any] = self._values[np.argsort(self._codes)].tolist()
        return found
