"""Three real tables with and without hidden factors: the Big Five, fishes along a river, mites in a bog.

python benchmarks/hidden_causes.py FOLDER     FOLDER has bfi.csv, fish.csv and mite.csv

The tables come with R packages and are not distributed here. In R:

    write.csv(psychTools::bfi[, 1:25], "bfi.csv", row.names = FALSE, na = "")
    write.csv((ade4::doubs$fish > 0) * 1, "fish.csv", row.names = FALSE)
    write.csv((vegan::mite > 0) * 1, "mite.csv", row.names = FALSE)

Rows with missing answers are left out. Numbers in docs/explain/hidden-causes.md are those that this prints.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import markhood


def main(folder: Path) -> None:
    """Learn every table without and with factors, and once with shuffled columns."""
    rng = np.random.default_rng(0)
    for name in ("bfi", "fish", "mite"):
        table = pd.read_csv(folder / f"{name}.csv").dropna().astype(int)
        table = table.loc[:, table.nunique() > 1]
        shuffled = table.apply(lambda column: rng.permutation(column.to_numpy()))
        print(f"{name}: {table.shape[0]} rows, {table.shape[1]} columns")
        for label, data, factors in (
            ("plain", table, 0),
            ("auto", table, "auto"),
            ("shuffled, auto", shuffled, "auto"),
        ):
            start = time.process_time()
            graph = markhood.learn(data, factors=factors, n_jobs=1)
            seconds = time.process_time() - start
            n = 0 if graph.factors is None else graph.factors.n_factors
            print(f"  {label}: {graph.n_edges} edges, {n} factors, {seconds:.2f} s", flush=True)
            if label == "auto":
                _print(graph)


def _print(graph: markhood.Graph) -> None:
    """Print the variance explained, the leading columns of rotated factors, and the remaining edges."""
    if graph.factors is not None:
        print(f"    explained {graph.factors.explained.round(2).tolist()}")
        rotated = graph.factors.rotated("oblimin")
        for k in range(rotated.n_factors):
            print(f"    factor {k + 1}: {', '.join(rotated.leading(k, 6))}")
    order = np.argsort(-graph.evidence)
    names = [graph.edge_names()[k] for k in order]
    print(f"    edges: {', '.join(f'{a}-{b}' for a, b in names)}")


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    main(Path(sys.argv[1]))
