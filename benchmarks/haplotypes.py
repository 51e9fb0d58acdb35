"""Haplotypes with planted pairs of interacting sites: what is found of them, at which price.

Haplotypes come from a coalescent with recombination (msprime), sites with a minor allele in 1 % of them or more.
Pairs are planted so: twenty sites with a minor allele in 20 to 50 % are drawn, ten of them from each half of the sequence,
and paired at random; in each pair a share `strength` of the haplotypes, drawn at random, has its allele at the second site
replaced by the one at the first. That makes a correlation r of about `strength`, in the middle of linkage that stays as it
was but for the altered site. An edge counts as found where it joins the two sites, or sites whose squared correlation
with them is above 0.8: linkage says no more about which of them it is.

    python benchmarks/haplotypes.py --sites 7456 -o docs/genomes/haplotypes.csv
"""

from __future__ import annotations

import argparse
import csv
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LINKED = 0.8  # squared correlation from which a site stands for another
NEAR = 100_000  # bases; an edge between more distant sites that is not planted is false


def simulated(
    n_sites: int, n_haplotypes: int, seed: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return 0/1 alleles, a row a haplotype, of so many sites, and their places along the sequence."""
    import msprime

    length = 1000 * n_sites  # human-like: a site with a minor allele of 1 % in about 500 bases
    while True:
        trees = msprime.sim_ancestry(
            n_haplotypes // 2,
            population_size=10_000,
            recombination_rate=1e-8,
            sequence_length=length,
            random_seed=seed,
        )
        found = msprime.sim_mutations(
            trees, rate=1.25e-8, random_seed=seed, model=msprime.BinaryMutationModel()
        )
        alleles, places, taken = [], [], set()
        for variant in found.variants():
            share = variant.genotypes.mean()
            place = int(variant.site.position)
            if min(share, 1 - share) >= 0.01 and place not in taken:
                alleles.append(variant.genotypes.astype(np.uint8))
                places.append(place)
                taken.add(place)
        if len(places) >= n_sites:
            return np.array(alleles[:n_sites]).T.copy(), np.array(places[:n_sites])
        length = int(length * 1.2 * n_sites / max(1, len(places)))


def planted(
    alleles: NDArray[np.uint8], n_pairs: int, strength: float, seed: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return alleles with pairs of interacting sites, and these pairs."""
    rng = np.random.default_rng(seed)
    altered, n_sites = alleles.copy(), alleles.shape[1]
    shares = alleles.mean(axis=0)
    common = np.flatnonzero(np.minimum(shares, 1 - shares) >= 0.2)
    first = rng.choice(common[common < n_sites // 2], n_pairs, replace=False)
    second = rng.choice(common[common >= n_sites // 2], n_pairs, replace=False)
    for i, j in zip(first, second, strict=True):
        copied = rng.random(len(alleles)) < strength
        altered[copied, j] = altered[copied, i]
    return altered, np.column_stack([first, second])


def judged(
    graph, alleles: NDArray[np.uint8], places: NDArray[np.int64], pairs: NDArray[np.int64]
) -> dict[str, float]:
    """Count the planted pairs that are found, and the other edges, by distance."""
    number = {str(place): k for k, place in enumerate(places)}
    centred = alleles - alleles.mean(axis=0)
    centred /= np.sqrt((centred**2).sum(axis=0))
    linked = {}
    for site in np.unique(pairs):
        linked[site] = np.flatnonzero((centred.T @ centred[:, site]) ** 2 > LINKED)
    members = graph.members
    groups = [[number[name], *(number[m] for m in members.get(name, ()))] for name in graph.nodes]
    hit, far_false, near = set(), 0, 0
    for i, j in graph.edges.tolist():
        one, other = groups[i], groups[j]
        which = [
            k
            for k, (a, b) in enumerate(pairs.tolist())
            if (np.isin(linked[a], one).any() and np.isin(linked[b], other).any())
            or (np.isin(linked[b], one).any() and np.isin(linked[a], other).any())
        ]
        hit.update(which)
        if not which:
            distance = min(abs(places[a] - places[b]) for a in one for b in other)
            far_false += distance > NEAR
            near += distance <= NEAR
    return {"found": len(hit), "planted": len(pairs), "false_far": far_false, "other_near": near}


def main() -> None:
    """Simulate, learn and write a row."""
    import markhood
    from markhood.learning.methods import method_named
    from markhood.learning.request import Options, Request

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sites", type=int, default=7456)
    parser.add_argument("--haplotypes", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--strength", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--identical", default="group")
    parser.add_argument("--max-candidates", type=int)
    parser.add_argument("--gamma", type=float, default=0.5)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    name = f"haplotypes-{given.sites}-{given.haplotypes}-{given.seed}.npz"
    cache = Path(tempfile.gettempdir()) / name  # of 100 000 sites it takes minutes
    if not cache.exists():
        alleles, places = simulated(given.sites, given.haplotypes, given.seed)
        np.savez_compressed(cache, alleles=np.packbits(alleles, axis=0), places=places)
    held = np.load(cache)
    places = held["places"]
    alleles = np.unpackbits(held["alleles"], axis=0, count=given.haplotypes)
    alleles, pairs = planted(alleles, given.pairs, given.strength, given.seed)
    try:
        identical = float(given.identical)
    except ValueError:
        identical = given.identical
    chosen = {"gamma": given.gamma, "max_candidates": given.max_candidates}
    method = method_named("plrhc", {k: v for k, v in chosen.items() if v is not None})
    options = Options(identical=identical, n_jobs=given.n_jobs)
    samples = markhood.encode(alleles, names=[str(place) for place in places])
    with Request(method, options) as request:
        said = request.forecast(samples)
        before, wall = time.process_time(), time.perf_counter()
        graph = request.learn(samples).graph
    row = {
        "sites": given.sites,
        "haplotypes": given.haplotypes,
        "strength": given.strength,
        "identical": given.identical,
        "max_candidates": given.max_candidates or "",
        "gamma": given.gamma,
        "nodes": graph.n_nodes,
        "screened_pairs": graph.provenance.get("screened_pairs", ""),
        "largest_blanket": graph.provenance["largest_blanket"],
        "edges": graph.n_edges,
        **judged(graph, alleles, places, pairs),
        "processor_seconds": round(time.process_time() - before, 2),
        "seconds": round(time.perf_counter() - wall, 2),
        "forecast_seconds": round(sum(said.seconds.values()), 2),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "forecast_megabytes": round(said.memory / 2**20),
        **{f"seconds_{k}": round(v, 2) for k, v in graph.provenance["seconds"].items()},
    }
    is_new = not given.output.exists()
    with given.output.open("a", newline="") as file:
        writer = csv.DictWriter(file, row)
        if is_new:
            writer.writeheader()
        writer.writerow(row)
    sys.stdout.write(f"{row}\n")


if __name__ == "__main__":
    main()
