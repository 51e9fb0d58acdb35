"""What the frequency of an edge in drawn data sets is worth, and what intervals cover.

python benchmarks/bootstrap_frequencies.py docs/stability/frequencies.csv     goes on where the file ends

Data of known networks, 200 replicates each, by rows and by halves. A row of the file counts the pairs of one data set in
a bin of frequencies: how many there are, and how many of them are true edges. The last columns, in the
bin 'all', say how many edges the graph and a replicate have, how many of the graph's edges are true, how many of these have an
interval (where the pair is an edge) that holds the true coupling, and the bound at 0.9 with the number of false edges that reach it.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from pathlib import Path

import numpy as np
from kept_rows import append_rows, read_rows

import markhood
from markhood.simulate import NormalCouplings, UniformTables, erdos_renyi, grid, ising

NETWORKS = {
    "grid 36 x 500": lambda seed: (ising(grid(36), UniformTables(), seed=seed), 500),
    "random 20 x 300": lambda seed: (
        ising(erdos_renyi(20, 0.15, seed), NormalCouplings(1.0), seed=seed),
        300,
    ),
}
TRIALS, REPLICATES = 25, 200
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
COLUMNS = ("network", "trial", "resample", "bin", "pairs", "edges", "in_graph", "in_replicate", "true_in_graph",
           "covered", "bound", "false_at_0.9")  # fmt: skip


def main(path: Path) -> None:
    """Run what the file does not have yet, then print the table."""
    done = [dict(zip(COLUMNS, row, strict=True)) for row in read_rows(path)]
    have = {(row["network"], int(row["trial"]), row["resample"]) for row in done}
    for trial in range(TRIALS):
        for network in NETWORKS:
            for resample in ("rows", "halves"):
                if (network, trial, resample) not in have:
                    rows = _run(network, trial, resample)
                    append_rows(path, COLUMNS, [[row.get(c, "") for c in COLUMNS] for row in rows])
                    done += rows
    print(as_table(done))


def _run(network: str, trial: int, resample: str) -> list[dict]:
    model, n = NETWORKS[network](trial)
    values = model.sample(n, seed=trial, burn_in=500, thinning=5)
    found = markhood.bootstrap(
        values, replicates=REPLICATES, resample=resample, n_jobs=1, seed=trial
    )
    d = model.n_variables
    frequency = np.zeros((d, d))
    frequency[tuple(found.replicates.pairs.T)] = found.replicates.shares
    truth = np.zeros((d, d), bool)
    truth[tuple(model.graph.edges.T)] = True
    above = np.triu_indices(d, 1)
    f, t = frequency[above], truth[above]
    key = {"network": network, "trial": trial, "resample": resample}
    rows = []
    for low, high in itertools.pairwise(BINS):
        own = (f >= low) & ((f < high) | (high == 1.0))
        rows.append(
            {**key, "bin": f"{low}-{high}", "pairs": int(own.sum()), "edges": int(t[own].sum())}
        )
    couplings = dict(zip(map(tuple, model.graph.edges.tolist()), model.couplings, strict=True))
    hits = covered = 0
    for row in found.edges():
        ends = tuple(int(row[end][1:]) for end in ("source", "target"))
        if row["in_graph"] and ends in couplings:
            hits += 1
            covered += row["low_if_edge"] <= couplings[ends] <= row["high_if_edge"]
    bound = found.expected_false(0.9) if resample == "halves" else ""
    whole = {**key, "bin": "all", "pairs": len(f), "edges": int(t.sum()),
             "in_graph": found.graph.n_edges, "in_replicate": float(found.replicates.shares.sum()),
             "true_in_graph": hits, "covered": covered, "bound": bound,
             "false_at_0.9": int((~t[f >= 0.9]).sum())}  # fmt: skip
    return [*rows, whole]


def as_table(rows: list[dict]) -> str:
    """Return what share of the pairs in each bin are edges, as a table in Markdown."""
    bins = [f"{low}-{high}" for low, high in itertools.pairwise(BINS)]
    lines = [
        f"| network | drawn | {' | '.join(bins)} | edges of the graph, of a replicate | covered | bound, false at 0.9 |",
        "|---" * (len(bins) + 5) + "|",
    ]
    for network in NETWORKS:
        for resample in ("rows", "halves"):
            own = [r for r in rows if (r["network"], r["resample"]) == (network, resample)]
            if not own:
                continue
            cells = []
            for name in bins:
                pairs, edges = (
                    sum(int(r[k]) for r in own if r["bin"] == name) for k in ("pairs", "edges")
                )
                cells.append(f"{edges / pairs:.2f} of {pairs}" if pairs else "-")
            whole = [r for r in own if r["bin"] == "all"]
            means = [np.mean([float(r[k]) for r in whole]) for k in ("in_graph", "in_replicate")]
            hits, covered = (sum(int(r[k]) for r in whole) for k in ("true_in_graph", "covered"))
            false = np.mean([int(r["false_at_0.9"]) for r in whole])
            bound = (
                "-" if resample == "rows" else f"{np.mean([float(r['bound']) for r in whole]):.2f}"
            )
            lines.append(
                f"| {network} | {resample} | {' | '.join(cells)} | {means[0]:.1f}, {means[1]:.1f} | "
                f"{covered / max(1, hits):.3f} | {bound}, {false:.2f} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.errors.DataWarning)
    main(Path(sys.argv[1]))
