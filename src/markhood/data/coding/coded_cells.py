"""`CodedCells`: a column of text cells as numbers of its distinct texts.

Text files have few distinct cells per column. A fast reader returns the number of each cell and the
distinct texts, and only these are parsed, so that every cell has the meaning that `parse_cell`
gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class CodedCells:
    """Cells of a column.

    Examples
    --------
    >>> import numpy as np
    >>> list(CodedCells(np.array([0, 1, 0]), ["yes", "no"]))
    ['yes', 'no', 'yes']
    """

    numbers: NDArray[Any]  # (n_rows,): index of the text of each cell
    texts: Sequence[str]  # in order of first appearance; a text may occur twice

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        """Yield the texts of all cells."""
        return (self.texts[k] for k in self.numbers.tolist())
