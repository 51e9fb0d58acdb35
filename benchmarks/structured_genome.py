"""Planted pairs of sites in a genome of two populations, without and with hidden factors.

python benchmarks/structured_genome.py docs/genomes/populations.csv     continues where the file ends; needs msprime

The two halves of 1000 haplotypes are of populations that separated 4000 generations ago. Ten chromosomes and five planted pairs are those of
`haplotypes.py` (planting "altered", strength 0.5), which also explains what counts as found, beside and false. The method is the recipe of
docs/how-to/genomes.md: `pairwise` with `remove_indirect`, gamma 1.5 and near pairs left out. Seconds are processor time of one thread.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from haplotypes import Study
from kept_rows import append_rows, read_rows

import markhood

COLUMNS = ("sites", "seed", "factors", "edges", "found", "planted", "beside", "false", "chosen", "seconds")  # fmt: skip
RUNS = ((1213, (1, 2, 3, 4, 5)), (12234, (3,)))
HAPLOTYPES, PAIRS, STRENGTH, SPLIT, FAR = 1000, 5, 0.5, 4000, 1_000_000


def main(path: Path) -> None:
    """Run what the file does not have yet, then print means."""
    done = {tuple(row[:3]) for row in read_rows(path)}
    for sites, seeds in RUNS:
        for seed in seeds:
            wanted = [f for f in (0, "auto") if (str(sites), str(seed), str(f)) not in done]
            if wanted:
                study = Study.of(sites, HAPLOTYPES, PAIRS, STRENGTH, "altered", seed, SPLIT)
                for factors in wanted:
                    append_rows(path, COLUMNS, [_run(study, sites, seed, factors)])
    rows = read_rows(path)
    for sites, _ in RUNS:
        for factors in ("0", "auto"):
            own = [[float(x) for x in r[3:]] for r in rows if (r[0], r[2]) == (str(sites), factors)]
            means = [sum(column) / len(own) for column in zip(*own, strict=True)]
            print(f"| {sites} | {factors} | {len(own)} |", *(f"{mean:.1f} |" for mean in means))


def _run(study: Study, sites: int, seed: int, factors: int | str) -> tuple:
    samples = markhood.encode(study.alleles, names=study.names)
    genome = markhood.Genome(identical="group", min_distance=FAR)
    options = {"remove_indirect": True, "gamma": 1.5, "factors": factors, "genome": genome}
    markhood.learn(samples.pick(np.arange(200)), "pairwise", **options, n_jobs=1)  # loads modules
    start = time.process_time()
    graph = markhood.learn(samples, "pairwise", **options, n_jobs=1)
    seconds = round(time.process_time() - start, 2)
    judged = study.judged(graph)
    chosen = 0 if graph.factors is None else graph.factors.n_factors
    counts = (judged["found"], judged["planted"], judged["beside"], judged["false"])
    return (sites, seed, factors, graph.n_edges, *counts, chosen, seconds)


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    main(Path(sys.argv[1]))
