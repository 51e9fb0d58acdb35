"""Count planted and false pairs of sites that each method finds among haplotypes, with times.

python benchmarks/planted_pairs.py docs/genomes/planted.csv                       continues where the file ends
python benchmarks/planted_pairs.py docs/genomes/planted.csv --spydrpick bin/SpydrPick

Ten chromosomes of 2000 haplotypes with five planted pairs (see `haplotypes.py` for how they are planted, and for what counts as found, beside and false).
Near pairs, those on one chromosome here, are left out by `min_distance`. SpydrPick gets the same sites as a FASTA file of two letters and the same distance, no weights of
samples, one thread; its edges are the outliers, or extreme outliers, that its ARACNE step keeps. Seconds are processor time of one thread, after reading; SpydrPick's are all of it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from haplotypes import Study
from kept_rows import append_rows, read_rows

import markhood
from markhood.graph.graph import Graph

COLUMNS = ("planting", "method", "sites", "haplotypes", "nodes", "edges", "found", "planted", "beside", "false", "linkage",
           "seconds")  # fmt: skip
SITES, HAPLOTYPES, PAIRS, STRENGTH, SEED = 7056, 2000, 5, 0.5, 3
FAR = 1_000_000  # bases; no chromosome here is as long
APART = 10_000_000  # from one chromosome to the next, for a program that knows only one
DIRECT = {"remove_indirect": True}
METHODS = {
    "pairwise": ("pairwise", {}),
    "pairwise, indirect removed": ("pairwise", DIRECT),
    "pairwise, indirect removed, gamma 1.5": ("pairwise", {**DIRECT, "gamma": 1.5}),
    "pairwise by mi, top 50, indirect removed": ("pairwise", {**DIRECT, "ranking": "mi", "top": 50}),
    "pairwise by mi, top 500, indirect removed": ("pairwise", {**DIRECT, "ranking": "mi", "top": 500}),
    "plrhc, 50 candidates": ("plrhc", {"max_candidates": 50}),
    "plrhc, 200 candidates": ("plrhc", {"max_candidates": 200}),
    "plrhc, groups, 50 candidates": ("plrhc", {"max_candidates": 50}),
}  # fmt: skip
# Near pairs are forbidden in the search, not left out of its result:
BY_GROUPS = ("plrhc, groups, 50 candidates",)


def main() -> None:
    """Measure what the file does not have yet."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=Path)
    parser.add_argument("--spydrpick", type=Path)
    given = parser.parse_args()
    for planting in ("paired", "altered"):
        study = Study.of(SITES, HAPLOTYPES, PAIRS, STRENGTH, planting, SEED)
        done = {row[1] for row in read_rows(given.rows) if row[0] == planting}
        for name in [name for name in METHODS if name not in done]:
            _keep(given.rows, study, planting, name, *_learned(study, name))
        if given.spydrpick and "SpydrPick, outliers" not in done:
            graphs, seconds = _spydrpick(study, given.spydrpick)
            for name, graph in graphs.items():
                _keep(given.rows, study, planting, name, graph, seconds)


def _learned(study: Study, name: str) -> tuple[Graph, float]:
    method, options = METHODS[name]
    known, genome = None, markhood.Genome(identical="group", min_distance=FAR)
    if name in BY_GROUPS:
        chromosomes = map(str, study.chromosomes.tolist())
        known = markhood.Knowledge(groups=dict(zip(study.names, chromosomes, strict=True)))
        genome = markhood.Genome(identical="group")
    samples = markhood.encode(study.alleles, names=study.names)
    start = time.process_time()
    graph = markhood.learn(samples, method, n_jobs=1, genome=genome, knowledge=known, **options)
    return graph, time.process_time() - start


def _spydrpick(study: Study, program: Path) -> tuple[dict[str, Graph], float]:
    """Run SpydrPick; return the outliers and the extreme ones that it keeps, and its processor time."""
    places = (study.places + APART * study.chromosomes).tolist()
    site_at = {place: site for site, place in enumerate(places)}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        letters = np.array(list("AC"))[study.alleles]
        rows = (f">s{k}\n{''.join(row)}\n" for k, row in enumerate(letters))
        (home / "sites.fasta").write_text("".join(rows))
        (home / "places.txt").write_text(" ".join(map(str, places)))
        options = ["-t", "1", "--linear-genome", "--ld-threshold", str(FAR), "--no-sample-reweighting",
                   "--mapping-list", "places.txt", "sites.fasta"]  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [str(program.resolve()), *options]
        subprocess.run(command, cwd=home, check=True, capture_output=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        (outliers,) = home.glob("*.outliers")
        lines = [line.split() for line in outliers.read_text().splitlines()]
    kept = [line for line in lines if line[3] == "1"]  # direct, by ARACNE's rule
    named = {"SpydrPick, outliers": kept}
    named["SpydrPick, extreme outliers"] = [line for line in kept if line[7] == "1"]
    return {
        name: Graph(study.names, [(site_at[int(a)], site_at[int(b)]) for a, b, *_ in own])
        for name, own in named.items()
    }, seconds


def _keep(path: Path, study: Study, planting: str, name: str, graph: Graph, seconds: float) -> None:
    judged = study.judged(graph)
    linkage = judged["linkage_near"] + judged["linkage_far"]
    row = (planting, name, SITES, HAPLOTYPES, graph.n_nodes, graph.n_edges, judged["found"], judged["planted"],
           judged["beside"], judged["false"], linkage, round(seconds, 1))  # fmt: skip
    print(*row, file=sys.stderr, flush=True)
    append_rows(path, COLUMNS, [row])


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    main()
