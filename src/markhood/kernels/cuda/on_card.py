"""A data set on the GPU: its rows of bits, and the inputs of the tests for its variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.bits import Bits
from markhood.kernels.cuda.bounds import margins, slack
from markhood.kernels.cuda.lanes import Lanes
from markhood.kernels.cuda.levels import levels_of, variables_of
from markhood.kernels.cuda.memory import Memory
from markhood.kernels.cuda.programs import Program


class PairsOnCard:
    """Binary variables, one row each, and the bounds of their counts."""

    def __init__(self, cupy: Any, bits: Bits, program: Program, copying: Lanes) -> None:
        self._cupy, self._copying = cupy, copying
        self.bits, self.program = bits, program
        self.rows = Memory[Any](cupy, bits.words, copying, lambda _, rows: program.laid_out(rows))
        self._test: tuple[float, tuple[Any, ...]] | None = None

    def test(self, ones: Ints, n_log_n: Floats, least_ratio: float) -> tuple[Any, ...]:
        """Return the inputs of the pair tests for every variable."""
        if self._test is None or self._test[0] != least_ratio:
            n = self.bits.n_samples
            bounds = margins(ones, n, least_ratio)
            with self._copying.taken():
                copied = [self._cupy.asarray(a) for a in (ones.astype(np.int32), bounds, n_log_n)]
            numbers = (np.float64(least_ratio), np.float32(slack(n)), np.uint32(n))
            self._test = (least_ratio, (*copied, *numbers))
        return self._test[1]


class Side(NamedTuple):
    """Variables with levels: their rows, and the rows masked by each digit of the weights.

    The highest digit comes first.
    """

    rows: Any
    masked: list[Any]
    known: tuple[Any, ...]  # `Levels` of the variables


class TablesOnCard:
    """Variables with levels, or weighted samples."""

    def __init__(self, cupy: Any, bits: Bits, program: Program, copying: Lanes) -> None:
        self._cupy = cupy
        self.bits, self.program = bits, program
        n_planes = 0 if bits.weighting is None else len(bits.weighting.planes)
        self.sides = Memory[Side](cupy, bits.words, copying, self._side, 1 + n_planes)

    def _side(self, numbers: range, rows: Any) -> Side:
        cupy, program, n_rows = self._cupy, self.program, len(rows)
        ones, add = cupy.empty(n_rows, dtype=np.int32), program.kernel("add_ones")
        masked = []
        for k, part in enumerate(self._masked(rows)):
            size = (np.uint32(rows.shape[1]), np.uint32(n_rows))
            add((-(-n_rows // 8),), (256,), (part, *size, ones, np.uint32(k > 0)))
            masked.append(program.laid_out(part))
        bits = self.bits
        known = levels_of(bits, variables_of(bits, numbers), ones[: len(numbers)].get())
        plain = masked[0] if bits.weighting is None else program.laid_out(rows)
        return Side(plain, masked, tuple(map(cupy.asarray, known)))

    def _masked(self, rows: Any) -> Iterator[Any]:
        if self.bits.weighting is None:
            yield rows
            return
        for plane in self.bits.weighting.planes[::-1]:
            part = rows.copy()
            part[:, : len(plane)] &= self._cupy.asarray(plane)
            yield part


def are_same(one: Bits, other: Bits) -> bool:
    """Return whether the arrays are the same objects; comparing the contents takes too long."""
    arrays = ("words", "starts", "weighting", "ordered", "reals")
    return one.n_samples == other.n_samples and all(
        getattr(one, name) is getattr(other, name) for name in arrays
    )
