"""The interface of criteria: one method, from a contingency table to a number.

Searches do not depend on the criterion. The kernels compute `Bic` and `Mpl`; any other object with
this method is evaluated in Python.
"""

from __future__ import annotations

from typing import Protocol

from markhood.scores.table import BlanketTable


class Criterion(Protocol):
    """A score of one variable's blanket; higher is better."""

    def score(self, table: BlanketTable) -> float:
        """Score the blanket with this table."""
