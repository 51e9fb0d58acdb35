"""How good the probabilities of edges are, and the graphs that they make, beside PLRHC on the same data.

python benchmarks/edge_probabilities.py docs/probabilities 24              the usual cells, 24 data sets each
python benchmarks/edge_probabilities.py docs/probabilities 100 paper       the paper's 32 cells
python benchmarks/edge_probabilities.py docs/probabilities 100 others      other networks and couplings
python benchmarks/edge_probabilities.py docs/probabilities 12 letters      variables with five letters
python benchmarks/edge_probabilities.py docs/probabilities 8 strong        strong couplings, rare variables and wrong models
python benchmarks/edge_probabilities.py docs/probabilities 5 coins         nothing depends on anything
python benchmarks/edge_probabilities.py docs/probabilities 24 fresh        the study of calibration, with seeds of its own
python benchmarks/edge_probabilities.py docs/probabilities 6 "fresh paper" the paper's cells that are not in "fresh", with seeds of their own
python benchmarks/edge_probabilities.py docs/probabilities 24 "fresh ordered"    ordered levels, with seeds of their own
python benchmarks/edge_probabilities.py docs/probabilities 20 TABLE.csv    a table of your own, its columns shuffled

Each set of cells has a CSV file there, with a line for every data set; a run goes on where the file ends.
Then the tables are printed: Hamming distances, paired; false discoveries where some were promised; and of the pairs
with a probability of about p, how many are edges, which is drawn too.

The prior was developed on the replicates 0 to 129 of the cells in "strong" and "coins", and for ordered levels on 200 to 235 too. "fresh" and "fresh paper"
have the replicates from 1000 on and "fresh ordered" those from 2000 on, which were drawn once, after the last change, and are learned from through
`markhood.Bayes` and `markhood.learn` with default settings like the others.

A table is learned from as it is (replicate -1) and with every column shuffled on its own, so that nothing depends on anything:
all edges that are found then are false.
"""

from __future__ import annotations

import sys
import time
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import markhood
from markhood.data.coding.encode import encode
from markhood.data.samples import Samples
from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from markhood.paper.experiment import Cell, Results
from markhood.paper.experiments import Comparison
from markhood.search.values.probabilities import Choice
from markhood.simulate import (
    NormalCouplings,
    SignedCouplings,
    UniformCouplings,
    UniformTables,
    barabasi_albert,
    chain,
    erdos_renyi,
    grid,
    hub,
    ising,
    ordinal,
    potts,
    stochastic_block,
    tree,
    watts_strogatz,
)

BURN_IN, THINNING = 5000, 50  # sweeps of the sampler that makes the data
RATES = (0.01, 0.05, 0.1, 0.2)
BINS = 10


def edges_at_random(n_variables: int, seed: int, n_edges: int) -> Graph:
    """Make a graph with so many edges."""
    i, j = np.triu_indices(n_variables, 1)
    chosen = np.sort(np.random.default_rng(seed).choice(len(i), n_edges, replace=False))
    return Graph([f"x{k}" for k in range(n_variables)], np.column_stack([i, j])[chosen])


def no_edges(n_variables: int, seed: int) -> Graph:
    """Make a graph without edges."""
    return edges_at_random(n_variables, seed, 0)


def thresholded(network: Graph, n_samples: int, seed: int) -> Samples:
    """Draw normal variables with partial correlations of +-0.3 on the edges, cut into five ordered levels."""
    rng = np.random.default_rng(seed)
    precision = np.eye(network.n_nodes)
    i, j = network.edges.T
    precision[i, j] = precision[j, i] = 0.3 * rng.choice((-1.0, 1.0), len(i))
    least = float(np.linalg.eigvalsh(precision)[0])
    precision += max(0.0, 0.1 - least) * np.eye(network.n_nodes)
    values = rng.multivariate_normal(np.zeros(network.n_nodes), np.linalg.inv(precision), n_samples)
    cuts = np.sort(rng.normal(size=(4, network.n_nodes)), axis=0) * values.std(axis=0)
    return encode((values > cuts[:, np.newaxis]).sum(axis=0), kinds="ordinal")


@dataclass(frozen=True)
class Centred:
    """Couplings whose fields make levels equally frequent, or ones rare: a share from 1.5 to 4 % without couplings."""

    couplings: SignedCouplings | UniformCouplings
    is_rare: bool = False

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""
        couplings = self.couplings.entries(graph.n_edges, rng)
        if self.is_rare:
            share = rng.uniform(0.015, 0.04, graph.n_nodes)
            return IsingModel(graph, couplings, np.log(share / (1 - share)))
        fields = np.zeros(graph.n_nodes)
        np.subtract.at(fields, graph.edges, couplings[:, np.newaxis] / 2)
        return IsingModel(graph, couplings, fields)


def blocks(n_variables: int, seed: int) -> Graph:
    """Make four groups, dense within and sparse between."""
    return stochastic_block([n_variables // 4] * 4, 0.2, 0.01, seed)


# What each network is made of: a graph from a number of variables and a seed, and its couplings.
NETWORKS = {
    "hub": (lambda d, seed: hub(d), UniformTables()),
    "grid": (lambda d, seed: grid(d), UniformTables()),
    "weak": (partial(edges_at_random, n_edges=90), SignedCouplings(0.5)),
    "random": (lambda d, seed: erdos_renyi(d, 3 / d, seed), NormalCouplings(1.0)),
    "dense": (lambda d, seed: erdos_renyi(d, 8 / d, seed), UniformCouplings(-1.0, 1.0)),
    "attached": (lambda d, seed: barabasi_albert(d, 2, seed), NormalCouplings(1.0)),
    "small world": (lambda d, seed: watts_strogatz(d, 4, 0.1, seed), SignedCouplings(1.0)),
    "blocks": (blocks, NormalCouplings(1.0, 0.5)),
    "wide": (lambda d, seed: grid(d), NormalCouplings(3.0)),
    "one sign": (lambda d, seed: erdos_renyi(d, 3 / d, seed), UniformCouplings(0.3, 1.0, 1.0)),
    "letters": (lambda d, seed: erdos_renyi(d, 2.5 / d, seed), NormalCouplings(0.7)),
    "ordered": (lambda d, seed: erdos_renyi(d, 3 / d, seed), NormalCouplings(1.0)),
    "chain of 5": (lambda d, seed: chain(d), Centred(SignedCouplings(5.0))),
    "tree of 4": (tree, Centred(SignedCouplings(4.0))),
    "lattice of 1.6": (lambda d, seed: grid(d), Centred(UniformCouplings(1.6, 1.6))),
    "random of 4": (lambda d, seed: erdos_renyi(d, 2.5 / d, seed), Centred(SignedCouplings(4.0))),
    "rare": (
        lambda d, seed: erdos_renyi(d, 3 / d, seed),
        Centred(UniformCouplings(2.0, 2.0), is_rare=True),
    ),
    "unequal": (lambda d, seed: erdos_renyi(d, 3 / d, seed), NormalCouplings(1.0, 1.5)),
    "thresholded": (lambda d, seed: erdos_renyi(d, 3 / d, seed), None),
    "coins": (no_edges, NormalCouplings()),
    "unequal coins": (no_edges, NormalCouplings(1.0, 1.0)),
}
USUAL = [
    *(Cell("hub", 64, n) for n in (250, 1000, 4000)),
    *(Cell("grid", 144, n) for n in (250, 1000)),
    *(Cell("hub", 256, n) for n in (250, 1000)),
    Cell("weak", 60, 1000),
]
CELLS: dict[str, Sequence[Cell]] = {
    "usual": USUAL,
    "paper": Comparison("plrhc").cells,
    "others": [
        Cell(name, 64, n)
        for name in NETWORKS
        if name in ("random", "dense", "attached", "small world", "blocks", "wide", "one sign")
        for n in (250, 1000)
    ],
    "letters": [Cell("letters", d, n) for d, n in ((30, 300), (30, 1000), (60, 300))],
    "strong": [
        Cell("chain of 5", 40, 500),
        Cell("tree of 4", 50, 250),
        Cell("random of 4", 40, 500),
        Cell("lattice of 1.6", 36, 500),
        Cell("rare", 40, 1000),
        Cell("random", 40, 250),
        Cell("random", 40, 1000),
        Cell("unequal", 40, 500),
        Cell("attached", 40, 500),
        Cell("small world", 40, 500),
        Cell("blocks", 40, 500),
        Cell("thresholded", 20, 500),
        Cell("ordered", 20, 500),
        Cell("letters", 20, 300),
        *(Cell(name, 64, n) for name in ("hub", "grid") for n in (250, 1000)),
    ],
    "coins": [
        Cell("coins", 200, 50),
        Cell("coins", 1000, 200),
        *(Cell("unequal coins", 27, n) for n in (20, 30)),
    ],
}
CELLS["fresh ordered"] = [
    Cell("thresholded", 20, 500),
    Cell("thresholded", 40, 1000),
    Cell("ordered", 20, 500),
]
FRESH = {"fresh": 1000, "fresh paper": 1000, "fresh ordered": 2000}  # the first replicates
CELLS["fresh"] = [
    *(cell for cell in CELLS["strong"] if cell not in CELLS["fresh ordered"]),
    Cell("dense", 40, 500),
    Cell("one sign", 40, 500),
    *(
        Cell(name, d, n)
        for name, d, n in (("hub", 64, 4000), ("hub", 256, 500), ("grid", 144, 500))
    ),
    *CELLS["coins"],
    Cell("coins", 20, 500),
    Cell("unequal coins", 60, 100),
]
CELLS["fresh paper"] = [cell for cell in CELLS["paper"] if cell not in CELLS["fresh"]]
MEASURES = [
    *(
        f"{method}_{wrong}"
        for method in ("plrhc", "pair", "bayes")
        for wrong in ("false", "missed")
    ),
    *(f"fdr{100 * rate:g}_{what}" for rate in RATES for what in ("found", "false")),
    *("density", "true_density", "scale", "background", "plrhc_s", "bayes_s"),
    *(f"bin{k}_{what}" for k in range(BINS) for what in ("pairs", "expected", "edges")),
]


def main(folder: Path, replicates: int, name: str) -> None:
    """Run the data sets that the file does not have yet, then print the tables."""
    if name not in CELLS:
        shuffle(folder, replicates, Path(name))
        return
    settings = f"edge probabilities, burn-in {BURN_IN}, thinning {THINNING}"
    path = folder / f"{name.replace(' ', '-')}.csv"
    results = Results(path, settings, [*Cell._fields, "replicate"], MEASURES)
    first = FRESH.get(name, 0)
    replicates += first
    for replicate in range(first, replicates):
        for cell in CELLS[name]:
            if (*cell, replicate) not in results:
                results.append((*cell, replicate), measure(*draw(cell, replicate)))
    print(distances(results, CELLS[name], replicates))
    print()
    print(reliability(results, CELLS[name], replicates))
    draw_reliability(binned(results, CELLS[name], replicates), path.with_suffix(".svg"))


def shuffle(folder: Path, replicates: int, table: Path) -> None:
    """Learn from a table as it is, and with its columns shuffled."""
    measures = [
        "plrhc_edges",
        "bayes_edges",
        "bayes_expected_false",
        "fdr5_edges",
        "density",
        "scale",
        "seconds",
    ]
    settings = "edges of a table, and of its columns shuffled"
    results = Results(folder / f"shuffled-{table.stem}.csv", settings, ["replicate"], measures)
    frame = pd.read_csv(table)
    for replicate in range(-1, replicates):
        if (replicate,) in results:
            continue
        rng = np.random.default_rng(max(replicate, 0))
        columns = {
            name: column if replicate < 0 else rng.permutation(column)
            for name, column in frame.items()
        }
        start = time.process_time()
        found = markhood.Bayes(n_jobs=1).fit(pd.DataFrame(columns))
        seconds = time.process_time() - start
        of_rate = Choice(fdr=0.05).among(found.probabilities_)
        measured = [
            markhood.learn(pd.DataFrame(columns), n_jobs=1).n_edges,
            found.graph_.n_edges,
            float((1 - found.graph_.probability).sum()),
            len(of_rate),
            found.edge_density_,
            found.coupling_scale_,
            seconds,
        ]
        results.append((replicate,), dict(zip(measures, measured, strict=True)))
    print((folder / f"shuffled-{table.stem}.csv").read_text())


def draw(cell: Cell, replicate: int) -> tuple[Samples, Graph]:
    """Make one data set, and return it with the graph that it came from."""
    name = zlib.crc32(cell.network.encode())
    seed = np.random.SeedSequence([name, cell.variables, cell.samples, replicate])
    for_graph, for_couplings, for_samples = (int(s.generate_state(1)[0]) for s in seed.spawn(3))
    graph, potentials = NETWORKS[cell.network]
    network = graph(cell.variables, for_graph)
    if potentials is None:
        return thresholded(network, cell.samples, for_samples), network
    if cell.network == "letters":
        model = potts(network, 5, potentials, seed=for_couplings)
    elif cell.network == "ordered":
        model = ordinal(network, 5, potentials, seed=for_couplings)
    else:
        model = ising(network, potentials, seed=for_couplings)
    return model.sample_packed(
        cell.samples, for_samples, burn_in=BURN_IN, thinning=THINNING
    ), model.graph


def measure(samples: Samples, truth: Graph) -> dict[str, float]:
    """Learn from one data set in each way, with default settings."""
    start = time.process_time()
    plrhc = markhood.learn(samples, n_jobs=1)
    between = time.process_time()
    bayes = markhood.Bayes(n_jobs=1).fit(samples)
    end = time.process_time()
    pair = markhood.learn(samples, rule="pair", n_jobs=1)
    graphs = {"plrhc": plrhc, "pair": pair, "bayes": bayes.graph_}
    true = set(map(tuple, truth.edges.tolist()))
    measured: dict[str, float] = {}
    for method, graph in graphs.items():
        found = set(map(tuple, graph.edges.tolist()))
        measured |= {f"{method}_false": len(found - true), f"{method}_missed": len(true - found)}
    for rate in RATES:
        within = Choice(fdr=rate).among(bayes.probabilities_)
        chosen = set(map(tuple, bayes.pairs_[within].tolist()))
        label = f"fdr{100 * rate:g}"
        measured |= {f"{label}_found": len(chosen), f"{label}_false": len(chosen - true)}
    d = truth.n_nodes
    return measured | {
        "density": bayes.edge_density_,
        "true_density": len(true) / (d * (d - 1) / 2),
        "scale": bayes.coupling_scale_,
        "background": bayes.background_,
        "plrhc_s": between - start,
        "bayes_s": end - between,
        **_binned(bayes.pairs_, bayes.probabilities_, true),
    }


def _binned(pairs: np.ndarray, p: np.ndarray, true: set[tuple[int, int]]) -> dict[str, float]:
    at = np.minimum((p * BINS).astype(int), BINS - 1)
    is_edge = np.array([tuple(pair) in true for pair in pairs.tolist()], dtype=float)
    return {
        f"bin{k}_{what}": float(numbers[at == k].sum())
        for k in range(BINS)
        for what, numbers in (
            ("pairs", np.ones(len(at))),
            ("expected", p),
            ("edges", is_edge),
        )
    }


def distances(results: Results, cells: Sequence[Cell], replicates: int) -> str:
    """Return the distances to the truth and the realised rates as a table in Markdown."""
    rates = ", ".join(f"{100 * rate:g} %" for rate in RATES)
    lines = [
        (
            f"| network | data sets | PLRHC (false, missed) | rule `pair` | probabilities | false where {rates} "
            "were promised | density (true) | scale | seconds (PLRHC) |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for cell in cells:
        column = {name: np.array(results.of(tuple(cell), name, replicates)) for name in MEASURES}
        wrong = {
            m: column[f"{m}_false"] + column[f"{m}_missed"] for m in ("plrhc", "pair", "bayes")
        }
        if not len(wrong["plrhc"]):
            continue
        realised = ", ".join(
            f"{100 * column[f'{label}_false'].sum() / max(1, column[f'{label}_found'].sum()):.1f}"
            for label in (f"fdr{100 * rate:g}" for rate in RATES)
        )
        mean = {name: values.mean() for name, values in column.items()}
        lines.append(
            f"| {cell.network} {cell.variables} x {cell.samples} | {len(wrong['plrhc'])} | "
            f"{wrong['plrhc'].mean():.1f} ({mean['plrhc_false']:.1f}, {mean['plrhc_missed']:.1f}) | "
            f"{_difference(wrong['pair'] - wrong['plrhc'])} | "
            f"{_difference(wrong['bayes'] - wrong['plrhc'])} "
            f"({mean['bayes_false']:.1f}, {mean['bayes_missed']:.1f}) | {realised} % | "
            f"{mean['density']:.4f} ({mean['true_density']:.4f}) | {mean['scale']:.2f} | "
            f"{mean['bayes_s']:.2f} ({mean['plrhc_s']:.2f}) |"
        )
    return "\n".join(lines)


def _difference(paired: np.ndarray) -> str:
    error = np.std(paired, ddof=1) / len(paired) ** 0.5 if len(paired) > 1 else np.nan
    return f"{paired.mean():+.1f} ± {error:.1f}"


def binned(results: Results, cells: Sequence[Cell], replicates: int) -> np.ndarray:
    """Return, for pairs by their probability, how many there are, the sum of it, and how many are edges."""
    sums = np.zeros((BINS, 3))
    for cell in cells:
        for k in range(BINS):
            for n, what in enumerate(("pairs", "expected", "edges")):
                sums[k, n] += sum(results.of(tuple(cell), f"bin{k}_{what}", replicates))
    return sums


def reliability(results: Results, cells: Sequence[Cell], replicates: int) -> str:
    """Return, for pairs by their probability, the mean of it and the share that are edges."""
    lines = ["| probability | of them edges | pairs |", "|---|---|---|"]
    lines += [
        f"| {e / n:.3f} | {t / n:.3f} | {n:.0f} |"
        for n, e, t in binned(results, cells, replicates).tolist()
        if n
    ]
    return "\n".join(lines)


def draw_reliability(sums: np.ndarray, path: Path) -> None:
    """Draw the share of edges over the probability; bars are two standard errors."""
    from matplotlib.figure import Figure

    pairs, expected, edges = sums[sums[:, 0] > 0].T
    share = edges / pairs
    figure = Figure(figsize=(3.6, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    error = 2 * np.sqrt(share * (1 - share) / pairs)
    axes.errorbar(expected / pairs, share, error, fmt="o", markersize=4, linewidth=1)
    axes.set(xlabel="probability", ylabel="share that are edges", xlim=(0, 1), ylim=(0, 1))
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "usual")
