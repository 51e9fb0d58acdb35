"""Communities of items that measure factors: `graph.communities()` against Walktrap.

pip install igraph
python benchmarks/communities.py benchmarks/communities_results.csv 20             goes on where the file ends
python benchmarks/communities.py benchmarks/communities_results.csv 10 bfi.csv     random rows of the Big Five instead

`hidden_causes.py` says how to write bfi.csv. Its rows have 5 factors with 5 items, some of which are worded negatively.

Factor models as in studies of exploratory graph analysis: 3 or 6 factors with 4 or 8 items each, loadings 0.4 to 0.7, factors
correlated by 0.3, five ordered levels, 250 to 1000 samples. EGAnet itself is an R package and was not run; its Walktrap is
compared by igraph's, which EGAnet calls too (four steps, absolute weights):

    markhood     graph.communities() of the network that plrhc learns
    all_pairs    communities(signed=True) of fit_model(graph, data, all_pairs=True).graph, the couplings of all pairs
    walktrap     igraph's Walktrap on the same network and weights
    glasso       igraph's Walktrap on a graphical lasso of Pearson correlations, with lambda by EBIC, as in EGA
    shrunk       communities() of fit_model(graph, data, all_pairs=True, prior=0.02).graph

A row has the adjusted Rand index of each with the factors, the number of communities that each finds, and whether markhood
calls them clear. "none" has items without a factor: there, clear communities are false alarms.
"""

from __future__ import annotations

import os
import sys
import warnings
from itertools import product
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import igraph
import numpy as np
import pandas as pd
from kept_rows import append_rows, read_rows
from sklearn.covariance import graphical_lasso
from sklearn.metrics import adjusted_rand_score

import markhood
from markhood.graph.communities import edge_weights

CASES = [*product((3, 6), (4, 8), (250, 500, 1000)), (0, 20, 500)]
BIG_FIVE = [(5, 5, n) for n in (250, 500, 1000)]
METHODS = ("markhood", "all_pairs", "walktrap", "glasso", "shrunk")
SCALES = np.repeat(np.arange(5), 5)  # of the Big Five items
PRIOR = 0.02  # standard deviation of couplings per step of both items
COLUMNS = (
    "factors",
    "items",
    "samples",
    "replicate",
    *METHODS,
    *(f"n_{m}" for m in METHODS),
    "clear",
)


def drawn(
    factors: int, items: int, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return answers with five levels, and the factor of each item."""
    if factors == 0:
        return rng.integers(0, 5, (n, items)), np.zeros(items, int)
    correlation = np.full((factors, factors), 0.3) + 0.7 * np.eye(factors)
    scores = rng.multivariate_normal(np.zeros(factors), correlation, n)
    of = np.repeat(np.arange(factors), items)
    loadings = rng.uniform(0.4, 0.7, len(of))
    values = scores[:, of] * loadings + rng.normal(size=(n, len(of))) * np.sqrt(1 - loadings**2)
    return np.digitize(values, [-1.2, -0.4, 0.4, 1.2]), of


def walktrap(n_nodes: int, edges: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the communities of igraph's Walktrap."""
    graph = igraph.Graph(n_nodes, edges.tolist())
    found = graph.community_walktrap(weights=weights.tolist(), steps=4).as_clustering()
    return np.array(found.membership)


def glasso(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges and partial correlations of the graphical lasso with the best EBIC."""
    n, d = values.shape
    covariance = np.corrcoef(values.T)
    largest = np.abs(covariance - np.eye(d)).max()
    path = []
    for alpha in largest * np.geomspace(1, 0.02, 25):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path.append(graphical_lasso(covariance, alpha, tol=1e-3)[1])
    for gamma in (0.5, 0.25, 0.0):  # EGAnet lowers gamma until no node is isolated
        best = min(path, key=lambda precision: _ebic(precision, covariance, n, gamma))
        if (np.abs(best - np.diag(np.diag(best))) > 1e-8).any(axis=1).all():
            break
    scale = np.sqrt(np.outer(np.diag(best), np.diag(best)))
    partial = np.abs(np.triu(-best / scale, 1))
    edges = np.argwhere(partial > 1e-8)
    return edges, partial[edges[:, 0], edges[:, 1]]


def _ebic(precision: np.ndarray, covariance: np.ndarray, n: int, gamma: float) -> float:
    n_edges = int((np.abs(np.triu(precision, 1)) > 1e-8).sum())
    logs = n / 2 * (np.linalg.slogdet(precision)[1] - (covariance * precision).sum())
    return -2 * logs + n_edges * np.log(n) + 4 * n_edges * gamma * np.log(len(precision))


def run(factors: int, items: int, n: int, replicate: int, real: np.ndarray | None = None) -> tuple:
    """Return one row, of simulated answers or of random rows of real ones."""
    rng = np.random.default_rng([factors, items, n, replicate])
    if real is None:
        values, of = drawn(factors, items, n, rng)
    else:
        values, of = real[rng.choice(len(real), n, replace=False)], SCALES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = markhood.encode(values, kinds="ordinal")
        graph = markhood.learn(samples)
        full = markhood.fit_model(graph, samples, all_pairs=True).graph
        shrunk = markhood.fit_model(graph, samples, all_pairs=True, prior=PRIOR).graph
    own = graph.communities()
    alone = np.where(
        own.labels < 0, 1000 + np.arange(len(of)), own.labels
    )  # as Walktrap counts them
    found = (
        alone,
        full.communities(signed=True).labels,
        walktrap(graph.n_nodes, graph.edges, edge_weights(graph)),
        walktrap(len(of), *glasso(values)),
        shrunk.communities().labels,
    )
    scores = [f"{adjusted_rand_score(of, labels):.4f}" for labels in found]
    return (
        factors,
        items,
        n,
        replicate,
        *scores,
        *(len(set(f.tolist())) for f in found),
        int(own.is_clear),
    )


def main(path: Path, replicates: int, real: Path | None = None) -> None:
    """Run what the file does not have yet, then print the table."""
    answers = None
    if real is not None:
        answers = pd.read_csv(real).iloc[:, : len(SCALES)].dropna().to_numpy(int)
        samples = markhood.encode(answers, kinds="ordinal")
        for method in ("plrhc", "bayes"):
            labels = markhood.learn(samples, method, seed=0).communities().labels
            print(f"all {len(answers)} rows, {method}: {adjusted_rand_score(SCALES, labels):.2f}")
    cases = CASES if answers is None else BIG_FIVE
    rows = [tuple(row) for row in read_rows(path)]
    known = {tuple(map(int, row[:4])) for row in rows}
    for replicate, case in product(range(replicates), cases):
        if (*case, replicate) not in known:
            row = run(*case, replicate, answers)
            append_rows(path, COLUMNS, [row])
            rows.append(row)
    print(
        "| factors | items | N | data sets | markhood | all pairs, signed | Walktrap, same network | Walktrap, graphical lasso | all pairs, shrunk | clear |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for case in cases:
        own = np.array([row[4:] for row in rows if tuple(map(int, row[:3])) == case], float)
        means = " | ".join(f"{x:.2f}" for x in np.nanmean(own[:, : len(METHODS)], axis=0))
        print(
            f"| {case[0]} | {case[1]} | {case[2]} | {len(own)} | {means} | {own[:, -1].mean():.2f} |"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *map(Path, sys.argv[3:4]))
