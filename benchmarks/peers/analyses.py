"""Compare the analyses of R packages for network psychometrics with markhood's, on the same simulated data.

python benchmarks/peers/analyses.py                          all analyses
python benchmarks/peers/analyses.py probabilities groups     only these
python benchmarks/peers/analyses.py --rows docs/probabilities/bgms.csv 5     edge probabilities, with a row for each data set

The last command continues where the file ends, data set by data set. bgms has its default prior (an edge probability of 1/2) or a learned one
(beta-Bernoulli), and its defaults but for the sampler: adaptive Metropolis takes a fifth of the time of NUTS, which is the default.

`run.py` compares learned graphs of larger networks; here it is edge probabilities, bootstrap frequencies, tests of
groups, mixed variables and communities. An R package that is not installed is reported as absent. Seconds are CPU seconds per
data set on one thread, without the start of R.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from r_packages import HERE, r_versions
from simulated import (
    Known,
    Matrix,
    adjacency,
    binary_networks,
    factor_items,
    mixed_networks,
    ordinal_networks,
    two_groups,
)
from sklearn.metrics import adjusted_rand_score

import markhood
from markhood.graph.communities import communities
from markhood.paper.experiment import Results

AS_ISINGFIT: dict[str, Any] = {
    "method": "l1lr", "refit": False, "standardize": True, "gamma": 0.25, "rule": "and",
}  # fmt: skip
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "RCPP_PARALLEL")}

Judge = Callable[[Sequence[Matrix], Sequence[Known]], str]


@dataclass(frozen=True)
class Here:
    """A function of markhood, from a table to a result."""

    name: str
    analyse: Callable[[Matrix], Any]

    def run(self, known: Sequence[Known]) -> tuple[list[Matrix], float]:
        """Return the result for each table, and the mean CPU seconds."""
        start = time.process_time()
        results = [np.asarray(self.analyse(item.table)) for item in known]
        return results, (time.process_time() - start) / len(known)


@dataclass(frozen=True)
class InR:
    """A script in R, and the package that it calls."""

    name: str
    package: str
    script: str
    options: tuple[str, ...] = ()

    def run(self, known: Sequence[Known]) -> tuple[list[Matrix], float]:
        """Return the result for each table, and the mean CPU seconds."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for k, item in enumerate(known):
                names = ",".join(f"x{column}" for column in range(item.table.shape[1]))
                path = folder / f"table{k:03d}.csv"
                np.savetxt(path, item.table, "%.6g", ",", header=names, comments="")
            scripts = HERE / "r"
            command = [
                "Rscript",
                scripts / self.script,
                folder,
                scripts / "tables.R",
                *self.options,
            ]
            environment = os.environ | ONE_THREAD
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            results = [
                np.loadtxt(folder / f"result{k:03d}.csv", delimiter=",") for k in range(len(known))
            ]
            return results, float((folder / "seconds.txt").read_text())


def inclusion_probabilities(table: Matrix) -> Matrix:
    """Return the probability of every pair by `bayes`."""
    found = markhood.Bayes(n_jobs=1, seed=1).fit(table)
    probabilities = np.zeros((table.shape[1],) * 2)
    probabilities[tuple(found.pairs_.T)] = found.probabilities_
    return probabilities + probabilities.T


def learned(table: Matrix, **options: Any) -> Matrix:
    """Return the learned edges as a matrix."""
    return adjacency(markhood.learn(table, n_jobs=1, **options)).astype(float)


def frequencies(table: Matrix, **options: Any) -> Matrix:
    """Return the share of 200 bootstrap replicates that have each edge."""
    names = [f"x{k}" for k in range(table.shape[1])]
    drawn = markhood.bootstrap(table, replicates=200, n_jobs=1, seed=1, **options)
    shares = np.zeros((len(names),) * 2)
    for row in drawn.edges():
        shares[names.index(row["source"]), names.index(row["target"])] = row["frequency"]
    return shares + shares.T


def group_tests(table: Matrix, **options: Any) -> Matrix:
    """Return the p-values of structure and global strength with 50 permutations."""
    found = markhood.compare_groups(
        table[:, :-1], by=table[:, -1], permutations=50, n_jobs=1, seed=1, **options
    )
    return np.array([found.p_structure, found.p_strength])


def mixed_edges(table: Matrix, method: str) -> Matrix:
    """Return the learned edges of a table whose first six columns are cut into 12 bins."""
    bins = {f"x{k}": 12 for k in range(6)}
    return learned(table, method=method, bins=bins)


def false_and_missed(results: Sequence[Matrix], known: Sequence[Known]) -> str:
    """Count false and missed edges in all data sets together."""
    pairs = np.triu_indices(known[0].truth.shape[0], 1)
    chosen = np.array([result[pairs] for result in results]) > 0.5
    truth = np.array([item.truth[pairs] for item in known])
    return f"{(chosen & ~truth).sum()} false, {(~chosen & truth).sum()} missed of {truth.sum()}"


def probability_scores(results: Sequence[Matrix], known: Sequence[Known]) -> str:
    """Add the Brier score, and the share of false edges at an expected false discovery rate of 5 %."""
    scores = [scored(*own) for own in zip(results, known, strict=True)]
    false, chosen = (int(sum(own[name] for own in scores)) for name in ("false_at_5", "kept_at_5"))
    brier = np.mean([own["brier"] for own in scores])
    share = f"{100 * false / max(chosen, 1):.1f} % of {chosen}"
    return f"{false_and_missed(results, known)}; Brier {brier:.3f}; false at 5 %: {share}"


def scored(result: Matrix, known: Known) -> dict[str, float]:
    """Compare the probabilities of one data set with the truth."""
    pairs = np.triu_indices(known.truth.shape[0], 1)
    p, is_edge = result[pairs], known.truth[pairs]
    order = np.argsort(-p)
    expected = np.cumsum(1 - p[order]) / np.arange(1, len(order) + 1)
    kept = order[expected <= 0.05]
    return {
        "edges": is_edge.sum(),
        "false": (~is_edge & (p > 0.5)).sum(),
        "missed": (is_edge & (p <= 0.5)).sum(),
        "brier": np.mean((p - is_edge) ** 2),
        "kept_at_5": len(kept),
        "false_at_5": (~is_edge[kept]).sum(),
    }


def keep_rows(path: Path, n: int) -> None:
    """Run the tools on networks that the file does not have yet, then print a table."""
    measures = ("edges", "false", "missed", "brier", "kept_at_5", "false_at_5", "seconds")
    rows = Results(path, "edge probabilities beside bgms", ("tool", "data_set"), measures)
    for k, known in enumerate(binary_networks(n)):
        for tool in (BAYES, *BGMS_PRIORS):
            if (tool.name, k) not in rows:
                (result,), seconds = tool.run([known])
                rows.append((tool.name, k), scored(result, known) | {"seconds": seconds})
    print("| tool | data sets | false, missed of edges | Brier | false at 5 % | seconds |")
    print("|---|---|---|---|---|---|")
    for tool in (BAYES, *BGMS_PRIORS):
        sets = [np.array(rows.of((tool.name,), name, n)) for name in measures]
        edges, false, missed, brier, kept, false_at_5, seconds = sets
        share = 100 * false_at_5 / np.maximum(kept, 1)
        error = share.std(ddof=1) / len(share) ** 0.5 if len(share) > 1 else np.nan
        print(
            f"| {tool.name} | {len(edges)} | {false.sum():.0f}, {missed.sum():.0f} of {edges.sum():.0f} | {brier.mean():.3f} | "
            f"{share.mean():.1f} ± {error:.1f} % | {seconds.mean():.2g} |"
        )


def detections(results: Sequence[Matrix], known: Sequence[Known]) -> str:
    """Give the share of data sets with p <= 0.05, in the structure and in the strength."""
    structure, strength = np.mean(np.array(results) <= 0.05, axis=0)
    return f"structure {structure:.2f}, strength {strength:.2f}"


def recovered(results: Sequence[Matrix], known: Sequence[Known]) -> str:
    """Give the mean adjusted Rand index of the communities, and how often they are exactly right."""
    scores = [adjusted_rand_score(k.truth, r) for r, k in zip(results, known, strict=True)]
    return f"adjusted Rand index {np.mean(scores):.2f}, exact in {np.sum(np.isclose(scores, 1))}"


def agreement(results: Sequence[Matrix], known: Sequence[Known]) -> str:
    """Give the mean frequency of true edges and of other pairs."""
    pairs = np.triu_indices(known[0].truth.shape[0], 1)
    values = np.array([result[pairs] for result in results])
    truth = np.array([item.truth[pairs] for item in known])
    return (
        f"mean frequency {values[truth].mean():.2f} of edges, {values[~truth].mean():.3f} of others"
    )


BAYES = Here("bayes", inclusion_probabilities)
METROPOLIS = "adaptive-metropolis"
BGMS = InR("bgms", "bgms", "bgms_probabilities.R", ("learned", METROPOLIS, "2"))
BGMS_PRIORS = tuple(
    InR(f"bgms {prior} prior", "bgms", "bgms_probabilities.R", (prior, METROPOLIS, "4"))
    for prior in ("default", "learned")
)
TESTS = (
    Here("compare_groups", group_tests),
    InR("NetworkComparisonTest", "NetworkComparisonTest", "nct_groups.R"),
)
ANALYSES: dict[str, tuple[Callable[[], list[Known]], Judge, tuple[Here | InR, ...]]] = {
    "probabilities": (binary_networks, probability_scores, (BAYES, BGMS)),
    "ordinal": (ordinal_networks, probability_scores, (BAYES, BGMS)),
    "bootstrap": (
        lambda: binary_networks()[:2],
        agreement,
        (
            Here("bootstrap", frequencies),
            Here("bootstrap, l1lr as IsingFit", lambda table: frequencies(table, **AS_ISINGFIT)),
            InR("bootnet, IsingFit", "bootnet", "bootnet_frequencies.R"),
        ),
    ),
    "groups": (lambda: two_groups(2.0), detections, TESTS),
    "equal groups": (lambda: two_groups(0.0), detections, TESTS),
    "mixed": (
        mixed_networks,
        false_and_missed,
        (
            Here("plrhc, 12 bins", lambda table: mixed_edges(table, "plrhc")),
            Here("bayes, 12 bins", lambda table: mixed_edges(table, "bayes")),
            InR("mgm", "mgm", "mgm_mixed.R"),
        ),
    ),
    "communities": (
        factor_items,
        recovered,
        (
            Here("communities", lambda table: communities(markhood.learn(table, n_jobs=1))),
            InR("EGAnet", "EGAnet", "ega_communities.R"),
        ),
    ),
}


def main(names: Sequence[str]) -> None:
    """Print one table of all analyses."""
    print("| analysis | tool | result | CPU seconds per data set |")
    print("|---|---|---|---|", flush=True)
    for name in names or ANALYSES:
        make, judge, tools = ANALYSES[name]
        known = make()
        outcomes = {}
        for tool in tools:
            version = r_versions(tool.package) if isinstance(tool, InR) else ["", ""]
            if not version:
                print(f"absent: the R package {tool.package}", file=sys.stderr)
                continue
            outcomes[tool.name], seconds = tool.run(known)
            result = judge(outcomes[tool.name], known)
            print(f"| {name} | {tool.name} {version[0]} | {result} | {seconds:.2g} |", flush=True)
        for tool in tools[:-1]:
            if tools[-1].name in outcomes:
                r = np.corrcoef(np.ravel(outcomes[tool.name]), np.ravel(outcomes[tools[-1].name]))
                said = f"{name}: correlation of {tool.name} and {tools[-1].name}: {r[0, 1]:.3f}"
                print(said, file=sys.stderr)


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    if sys.argv[1:2] == ["--rows"]:
        keep_rows(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(sys.argv[1:])
