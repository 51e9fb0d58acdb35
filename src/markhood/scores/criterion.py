"""What a criterion is: one method, from a contingency table to a number.

The search never asks which criterion it has. `Bic` has a fast native road; any other object with
this method takes the readable one through Python, and works.
"""

from __future__ import annotations

from typing import Protocol

from markhood.scores.table import BlanketTable


class Criterion(Protocol):
    """A score of one variable's blanket; higher is better."""

    def score(self, table: BlanketTable) -> float:
        """Score the blanket whose table this is."""
