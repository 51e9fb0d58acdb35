"""Coverage of 95 % intervals of fields and couplings if the graph was learned from the same data.

python benchmarks/selection_coverage.py docs/model/selection.csv 200     goes on where the file ends

Data are drawn exactly from the network of interval_coverage.py. Each data set is fitted on the true graph, on the graph
that plrhc learns from it, and on the complete graph, in which nothing is selected. A row says how many intervals of
fields and of couplings have the true values in them (0 for a pair that is not an edge of the network), the mean
standard error of fields, and by how much the couplings are exaggerated: the mean of |estimate| / |truth| of true edges.
"""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from interval_coverage import truth
from kept_rows import append_rows, read_rows

import markhood
from markhood.graph.graph import Graph
from markhood.model.potts.model import PottsModel

SIZES = (250, 1000, 4000)
GRAPHS = ("true", "learned", "complete")
COLUMNS = (
    *(
        "samples",
        "replicate",
        "graph",
        "fields",
        "fields_covered",
        "couplings",
        "couplings_covered",
    ),
    *("field_error", "exaggeration"),
)


def main(path: Path, replicates: int) -> None:
    """Run what the file does not have yet, then print the table."""
    model, rows = truth(), [tuple(row) for row in read_rows(path)]
    known = {(int(row[0]), int(row[1])) for row in rows}
    same = PottsModel(model.graph, *model.as_tables())  # draws exactly
    for replicate in range(replicates):
        for size in SIZES:
            if (size, replicate) not in known:
                own = _run(model, same.sample(size, seed=[size, replicate, 7]), replicate)
                append_rows(path, COLUMNS, own)
                rows += own
    print("| samples | graph | data sets | fields | couplings | error of fields | exaggeration |")
    print("|---|---|---|---|---|---|---|")
    for size in SIZES:
        for graph in GRAPHS:
            own = np.array([r[3:] for r in rows if (int(r[0]), r[2]) == (size, graph)], float)
            n, covered, m, kept = own[:, :4].sum(axis=0)
            error, factor = own[:, 4:].mean(axis=0)
            print(
                f"| {size} | {graph} | {len(own)} | {100 * covered / n:.1f} % | {100 * kept / m:.1f} % "
                f"| {error:.2f} | {factor:.2f} |"
            )


def _run(model: object, values: np.ndarray, replicate: int) -> list[tuple]:
    true = {tuple(e): c for e, c in zip(model.graph.edges.tolist(), model.couplings, strict=True)}
    nodes, rows = model.graph.nodes, []
    graphs = (
        model.graph,
        markhood.learn(values),
        Graph(nodes, list(combinations(range(len(nodes)), 2))),
    )
    for name, graph in zip(GRAPHS, graphs, strict=True):
        fit = markhood.fit_model(graph, values)
        fields = np.abs(fit.fields - model.fields) <= 1.959964 * fit.errors.fields
        couplings = np.array([true.get(tuple(e), 0.0) for e in fit.graph.edges.tolist()])
        low, high = fit.intervals().T
        covers = (low <= couplings) & (couplings <= high)
        is_edge = couplings != 0
        factor = float(np.mean(np.abs(fit.couplings[is_edge] / couplings[is_edge])))
        rows.append(
            (
                *(len(values), replicate, name, len(fields), int(fields.sum())),
                *(len(covers), int(covers.sum())),
                *(round(float(fit.errors.fields.mean()), 4), round(factor, 4)),
            )
        )
    return rows


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
