"""Plant pairs of interacting sites in haplotypes: the number that is found, and the time it takes.

Two chromosomes for each pair are simulated by themselves (msprime: a coalescent with recombination, 10 000 diploids, mutation
1.25e-8 and recombination 1e-8 a base and generation), and sites kept at which the minor allele is in 1 % of the
haplotypes or more. So far chromosomes are independent. For each pair a site with a minor allele in 20 to 50 % is drawn on
both of its chromosomes. There are two ways of planting it.

altered  In a share `strength` of the samples, drawn at random, the allele of the second site is replaced by that of the first:
         the second site depends on the first as well as on its neighbours.
paired   In such a share the haplotypes of the second chromosome are put in the order that makes the two sites agree as often as
         they can. No haplotype is altered, so that linkage stays whole around both, as where selection favours a
         combination; given its neighbours neither site then depends on the other, and a
         search for conditional dependence should not find much.

A planted pair is found where an edge joins its chromosomes at sites (or groups of copies) that are linked to the two of the
pair with a squared correlation above 0.5: nothing in the data tells them from those. Other edges between the two are
counted by themselves, as they come from the pair too; all edges between other chromosomes are false. Those within
one are linkage, counted by distance.

    python benchmarks/haplotypes.py --sites 7456 -o docs/genomes/haplotypes.csv
"""

from __future__ import annotations

import argparse
import csv
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from markhood.graph.graph import Graph

LINKED = 0.5  # squared correlation from which a site represents another
FAR = 100_000  # bases


def simulated(
    n_sites: int, n_haplotypes: int, seed: int, split: int = 0
) -> tuple[NDArray[np.uint8], list[int]]:
    """Return 0/1 alleles of one chromosome, one row per haplotype, and the positions of its sites.

    With `split`, the two halves of the haplotypes are from populations that separated that number of generations ago.
    """
    import msprime

    drawn: dict = {"samples": n_haplotypes // 2, "population_size": 10_000}
    if split:
        history = msprime.Demography.isolated_model([10_000] * 2)
        history.add_population(name="ancestral", initial_size=10_000)
        history.add_population_split(time=split, derived=["pop_0", "pop_1"], ancestral="ancestral")
        halves = {"pop_0": n_haplotypes // 4, "pop_1": n_haplotypes // 4}
        drawn = {"samples": halves, "demography": history}
    length = 450.0 * n_sites
    while True:
        trees = msprime.sim_ancestry(
            **drawn,
            recombination_rate=1e-8,
            sequence_length=int(length),
            random_seed=seed,
        )
        found = msprime.sim_mutations(
            trees, rate=1.25e-8, random_seed=seed, model=msprime.BinaryMutationModel()
        )
        kept = {}
        for variant in found.variants():
            share = variant.genotypes.mean()
            if min(share, 1 - share) >= 0.01:
                kept.setdefault(int(variant.site.position), variant.genotypes.astype(np.uint8))
        if len(kept) >= n_sites:
            places = sorted(kept)[:n_sites]
            return np.column_stack([kept[place] for place in places]), places
        length *= 1.1 * n_sites / max(1, len(kept))


@dataclass
class Study:
    """Haplotypes of many chromosomes, with pairs planted between every other and the next one."""

    alleles: NDArray[np.uint8]
    chromosomes: NDArray[np.int64]
    places: NDArray[np.int64]
    pairs: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        n_sites: int,
        n_haplotypes: int,
        n_pairs: int,
        strength: float,
        planting: str,
        seed: int,
        split: int = 0,
    ) -> Study:
        """Simulate, and plant."""
        sizes = np.diff(np.linspace(0, n_sites, 2 * n_pairs + 1).astype(int))
        parts = [
            simulated(int(size), n_haplotypes, 1000 * seed + k, split)
            for k, size in enumerate(sizes, 1)
        ]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rng = np.random.default_rng(seed)
        alleles, pairs = [own for own, _ in parts], []
        for k in range(0, 2 * n_pairs, 2):
            i, j = (_common(own, rng) for own in alleles[k : k + 2])
            alleles[k + 1] = PLANTINGS[planting](alleles[k][:, i], alleles[k + 1], j, strength, rng)
            pairs.append((starts[k] + i, starts[k + 1] + j))
        return cls(
            np.concatenate(alleles, axis=1),
            np.repeat(np.arange(1, 2 * n_pairs + 1), sizes),
            np.concatenate([places for _, places in parts]),
            np.array(pairs),
        )

    @property
    def names(self) -> list[str]:
        """Names that tell where sites are."""
        return [f"chr{c}:{p}" for c, p in zip(self.chromosomes, self.places, strict=True)]

    def judged(self, graph: Graph) -> dict[str, int]:
        """Count the planted pairs that are found, and all other edges."""
        number = {name: k for k, name in enumerate(self.names)}
        members = graph.members
        groups = [
            np.array([number[name], *(number[m] for m in members.get(name, ()))])
            for name in graph.nodes
        ]
        linked = {int(site): self._linked(int(site)) for site in np.unique(self.pairs)}
        counts = {"found": 0, "beside": 0, "false": 0, "linkage_far": 0, "linkage_near": 0}
        hit: set[int] = set()
        for i, j in graph.edges.tolist():
            here, there = int(groups[i][0]), int(groups[j][0])
            if self.chromosomes[here] == self.chromosomes[there]:
                is_far = abs(int(self.places[here]) - int(self.places[there])) > FAR
                counts["linkage_far" if is_far else "linkage_near"] += 1
                continue
            which = [
                k
                for k, (a, b) in enumerate(self.pairs.tolist())
                if (np.isin(groups[i], linked[a]).any() and np.isin(groups[j], linked[b]).any())
                or (np.isin(groups[i], linked[b]).any() and np.isin(groups[j], linked[a]).any())
            ]
            hit.update(which)
            if not which:
                one, other = sorted((self.chromosomes[here], self.chromosomes[there]))
                counts["beside" if one % 2 and other == one + 1 else "false"] += 1
        return counts | {"found": len(hit), "planted": len(self.pairs)}

    def _linked(self, site: int) -> NDArray[np.int64]:
        """Return the sites of the same chromosome that hardly differ from one."""
        near = np.flatnonzero(self.chromosomes == self.chromosomes[site])
        correlations = np.corrcoef(self.alleles[:, near].T)[near.tolist().index(site)]
        return near[correlations**2 > LINKED]


def _common(alleles: NDArray[np.uint8], rng: np.random.Generator) -> int:
    shares = alleles.mean(axis=0)
    return int(rng.choice(np.flatnonzero(np.minimum(shares, 1 - shares) >= 0.2)))


def _altered(
    first: NDArray[np.uint8],
    alleles: NDArray[np.uint8],
    j: int,
    strength: float,
    rng: np.random.Generator,
) -> NDArray[np.uint8]:
    """Replace the allele at site j by that of another site in a share of the samples."""
    chosen = rng.random(len(alleles)) < strength
    changed = alleles.copy()
    changed[chosen, j] = first[chosen]
    return changed


def _in_agreement(
    first: NDArray[np.uint8],
    alleles: NDArray[np.uint8],
    j: int,
    strength: float,
    rng: np.random.Generator,
) -> NDArray[np.uint8]:
    """Put the haplotypes of a chromosome in an order in which site j agrees with another one."""
    shuffled = alleles[rng.permutation(len(alleles))]
    chosen = np.flatnonzero(rng.random(len(alleles)) < strength)
    ordered = shuffled.copy()
    by_first = chosen[np.argsort(first[chosen], kind="stable")]
    ordered[by_first] = shuffled[chosen[np.argsort(shuffled[chosen, j], kind="stable")]]
    return ordered


PLANTINGS = {"altered": _altered, "paired": _in_agreement}


def main() -> None:
    """Simulate, learn and write a row."""
    import markhood
    from markhood.learning.methods import METHODS
    from markhood.learning.request import Request

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sites", type=int, default=7456)
    parser.add_argument("--haplotypes", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--strength", type=float, default=0.4)
    parser.add_argument("--planting", choices=PLANTINGS, default="altered")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--identical", default="group")
    parser.add_argument("--max-candidates", type=int)
    parser.add_argument("--gamma", type=float, default=0.5)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    study = _held(given)
    try:
        identical = float(given.identical)
    except ValueError:
        identical = given.identical
    chosen = {"gamma": given.gamma, "max_candidates": given.max_candidates}
    method = METHODS["plrhc"](**{k: v for k, v in chosen.items() if v is not None})
    options = {"identical": identical, "n_jobs": given.n_jobs}
    samples = markhood.encode(study.alleles, names=study.names)
    with Request.of(method, options) as request:
        said = request.forecast(samples)
        before, wall = time.process_time(), time.perf_counter()
        graph = request.learn(samples).graph
    row = {
        "sites": given.sites,
        "haplotypes": given.haplotypes,
        "planting": given.planting,
        "strength": given.strength,
        "identical": given.identical,
        "max_candidates": given.max_candidates or "",
        "gamma": given.gamma,
        "nodes": graph.n_nodes,
        "screened_pairs": graph.provenance.get("screened_pairs", ""),
        "largest_blanket": graph.provenance["largest_blanket"],
        "edges": graph.n_edges,
        **study.judged(graph),
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


def _held(given: argparse.Namespace) -> Study:
    """Return the study, kept in the folder for temporary files: 100 000 sites take minutes."""
    shape = (
        *(given.sites, given.haplotypes, given.pairs),
        *(given.strength, given.planting, given.seed),
    )
    path = Path(tempfile.gettempdir()) / f"haplotypes-{'-'.join(map(str, shape))}.npz"
    if not path.exists():
        study = Study.of(*shape)
        packed = np.packbits(study.alleles, axis=0)
        np.savez(path, packed, study.chromosomes, study.places, study.pairs)
    with np.load(path) as held:
        packed, *rest = (held[f"arr_{k}"] for k in range(4))
    return Study(np.unpackbits(packed, axis=0, count=given.haplotypes), *rest)


if __name__ == "__main__":
    main()
