"""`CudaKernels`: screening on an NVIDIA GPU, everything else as in `NativeKernels`.

The GPU counts and tests pairs of binary variables. For tables with levels or weights, the GPU drops
the pairs that cannot pass, which are nearly all, and the CPU kernel decides the rest. An ordered
pair may need a fit, and this way all numbers are bit-identical to those of the CPU.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.kernels.bits import Bits
from markhood.kernels.cuda.device import Device
from markhood.kernels.cuda.levels import MOST_UNITS, n_units, rows_of
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import AssociatedPairs, AssociatedTables, Costs, Tiling

MOST_SAMPLES = 1 << 22  # counts are stored in the low bits of a float
SIDE = 1 << 15  # of a tile of pairs, in variables
COUNTS = 1 << 27  # of a tile of tables, all on the GPU at the same time
SHARE_OF_COUNTS = 1 / 32  # of the GPU's memory, in bytes, if that is less
FEWEST_PAIRS = (
    1 << 18
)  # of bit rows: copying a smaller tile to the GPU takes longer than counting it


@dataclass(frozen=True)
class CudaKernels(NativeKernels):
    """Kernels for a machine with an NVIDIA GPU."""

    device: Device = field(default_factory=Device)  # the GPU, with its data

    @property
    def name(self) -> str:
        return f"cuda ({self.device.name})"

    def tiling(self, bits: Bits) -> Tiling:
        """Return the tile size; with levels or weights, the counts must fit in GPU memory."""
        if bits.is_plain:
            return Tiling(words=1e12, side=SIDE)
        if n_units(bits) > MOST_UNITS:
            return super().tiling(bits)
        counts = min(COUNTS, self.device.n_bytes * SHARE_OF_COUNTS / 4)
        n_planes = 1 if bits.weighting is None else len(bits.weighting.planes)
        return Tiling(words=counts * bits.words.shape[1] * n_planes, side=SIDE)

    def associated_pairs(
        self,
        bits: Bits,
        ones: Ints,
        n_log_n: Floats,
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        if bits.n_samples > MOST_SAMPLES or len(rows) * len(columns) < FEWEST_PAIRS:
            return super().associated_pairs(bits, ones, n_log_n, rows, columns, least_ratio)
        found = self.device.associated_pairs(bits, ones, n_log_n, rows, columns, least_ratio)
        triples = _in_order(found)
        return AssociatedPairs(triples[:, :2], triples[:, 2])

    def associated_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> AssociatedTables:
        n_pairs = len(rows_of(bits, rows)) * len(rows_of(bits, columns))
        if n_units(bits) > MOST_UNITS or n_pairs < FEWEST_PAIRS:
            return super().associated_tables(bits, rows, columns, costs)
        likely = self.device.likely_tables(bits, rows, columns, costs)
        return self.associated_among(bits, _in_order(likely), costs)


def _in_order(found: NDArray[np.int32]) -> Ints:
    """Sort rows that begin with i and j by these two."""
    rows = found.astype(np.int64)
    order = np.argsort(rows[:, 0] << 32 | rows[:, 1])  # faster than by two keys
    return np.take(rows, order, axis=0)
