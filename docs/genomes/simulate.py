"""The file of the page on genomes: 150 individuals with two variants that were selected together.

It needs msprime (pip install msprime): python docs/genomes/simulate.py docs/genomes/variants.vcf.gz
"""

import gzip
import sys

import msprime
import numpy as np

LENGTH, INDIVIDUALS = 200_000, 150
STRENGTH = 2.0  # log odds by which haplotypes with equal alleles at both sites are preferred


def simulated(rng):
    """Return positions, and the alleles of haplotypes, of shape (sites, haplotypes)."""
    trees = msprime.sim_ancestry(
        10 * INDIVIDUALS, sequence_length=LENGTH, recombination_rate=5e-8, population_size=10_000,
        random_seed=1,
    )  # fmt: skip
    trees = msprime.sim_mutations(
        trees, rate=5e-9, model=msprime.BinaryMutationModel(), random_seed=1
    )
    return trees.sites_position.astype(int) + 1, trees.genotype_matrix()


def selected(positions, alleles, rng):
    """Choose haplotypes so that a common variant near each end goes with the other."""
    shares = alleles.mean(axis=1)
    common = np.flatnonzero((shares > 0.3) & (shares < 0.7))
    first, second = common[positions[common] < 40_000][0], common[positions[common] > 160_000][0]
    fitness = np.exp(STRENGTH * (alleles[first] == alleles[second]))
    kept = rng.choice(alleles.shape[1], 2 * INDIVIDUALS, replace=False, p=fitness / fitness.sum())
    print("selected together:", positions[first], positions[second])
    return alleles[:, kept]


def main(path):
    rng = np.random.default_rng(1)
    positions, alleles = simulated(rng)
    alleles = selected(positions, alleles, rng)
    names = "\t".join(f"i{k}" for k in range(INDIVIDUALS))
    lines = [
        "##fileformat=VCFv4.2",
        f"##contig=<ID=chr1,length={LENGTH}>",
        '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
        f"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{names}",
    ]
    for position, own in zip(positions.tolist(), alleles, strict=True):
        if 0 < own.sum() < len(own):
            calls = "\t".join(f"{a}|{b}" for a, b in own.reshape(-1, 2).tolist())
            lines.append(f"chr1\t{position}\t.\tA\tC\t.\tPASS\t.\tGT\t{calls}")
    with open(path, "wb") as file:
        file.write(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
