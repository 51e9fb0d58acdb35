"""The simulated data: the first replicate of three cells of `markhood paper comparison`.

Networks, potentials and seeds are the same, so results can be compared with that table.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from peer import Table

from markhood.graph.graph import Graph
from markhood.paper.experiment import Cell, Sampling, draw

NETWORKS: Mapping[str, Cell] = {
    "hub-64": Cell("hub", 64, 1000),
    "grid-144": Cell("grid", 144, 2000),
    "hub-256": Cell("hub", 256, 4000),
}


def simulate(cell: Cell) -> tuple[Table, Graph]:
    """Return samples, one per row, and the true graph."""
    samples, truth = draw(cell, 0, Sampling())
    columns = np.unpackbits(
        samples.words.view(np.uint8), axis=1, count=samples.n_samples, bitorder="little"
    )
    return np.ascontiguousarray(columns[: samples.n_variables].T), truth
