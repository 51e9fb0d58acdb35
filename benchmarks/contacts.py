"""How many of the strongest pairs of a protein are contacts of its structure, by method, and what they take.

python benchmarks/contacts.py docs/alignments/contacts.csv --plmc bin/plmc PF00014.fasta.gz=tab_cont DHFR.a2m=5dfr_minimized.pdb

A family is an alignment and, after the sign, where its contacts are known from. Either is a PDB file of the first sequence: a contact is a
pair of residues whose C-beta atoms (C-alpha of glycine) are less than 8 A apart. Or it is a table of pairs of columns, the distance
of their nearest heavy atoms in the last field: a contact is a pair less than 8 A apart, which more are. Pairs nearer than five in the chain are left out, and
so are those that the structure does not have. Of the L/2, L and 1.5 L strongest others, L being the number of columns, those
that are contacts are counted; a method that finds fewer is counted on what it finds.

Sequences that differ in at most a fifth of the positions share a weight. "reduced" before a method is for amino acids merged into eight classes.
Seconds are processor time of one thread, after reading. The families are not ours to give: PF00014 with its distances is in
the repository of ArDCA.jl (data/PF14), DHFR in that of plmc (example/protein), the structure 5DFR in that of OpenMM (examples/benchmarks).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from alignments import METHODS, ranked_pairs
from kept_rows import append_rows, read_rows

import markhood
from markhood.data.genome.fasta import read_sequences

COLUMNS = ("family", "sequences", "weight", "columns", "far_pairs", "contacts", "method", "edges", "far_edges", "true_edges",
           "best_half", "true_half", "best_length", "true_length", "best_more", "true_more", "seconds")  # fmt: skip
NEAR = 5  # in the chain
TOUCHING = 8.0  # in Angstrom
RESIDUES = {
    "ALA": "A", "CYS": "C", "ASP": "D", "GLU": "E", "PHE": "F", "GLY": "G", "HIS": "H", "HID": "H", "HIE": "H", "HIP": "H", "ILE": "I",
    "LYS": "K", "LEU": "L", "MET": "M", "ASN": "N", "PRO": "P", "GLN": "Q", "ARG": "R", "SER": "S", "THR": "T", "VAL": "V", "TRP": "W", "TYR": "Y",
}  # fmt: skip


def main() -> None:
    """Measure what the file does not have yet."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=Path)
    parser.add_argument("families", nargs="+", metavar="ALIGNMENT=CONTACTS")
    parser.add_argument("--plmc", type=Path)
    parser.add_argument(
        "--methods", default="plm,mi_apc,plrhc,reduced plrhc,reduced plm,mpl,reduced mpl"
    )
    given = parser.parse_args()
    METHODS["plm"](markhood.encode(np.tile(np.eye(2, dtype=int), (50, 1))))  # imports happen once
    done = {(row[0], row[6]) for row in read_rows(given.rows)}
    for method in given.methods.split(",") + (["plmc"] if given.plmc else []):
        for family in given.families:
            alignment, contacts = map(Path, family.split("=", 1))
            if (alignment.name.partition(".")[0], method) not in done:
                append_rows(given.rows, COLUMNS, [_row(alignment, contacts, method, given.plmc)])


def _row(alignment: Path, contacts: Path, method: str, plmc: Path | None) -> tuple:
    reduced = method.startswith("reduced ")
    samples = markhood.read_samples(
        alignment,
        weights="similarity",
        genome=markhood.Genome(similarity_threshold=0.2, letters="reduced" if reduced else "all"),
    )
    places = np.array([int(name) for name in samples.names])
    distances = {
        pair: apart
        for pair, apart in _distances(contacts, alignment).items()
        if pair[1] - pair[0] >= NEAR and pair[0] in places and pair[1] in places
    }
    ranked, seconds = ranked_pairs(samples, method.removeprefix("reduced "), plmc)
    ends = map(tuple, np.sort(places[ranked], axis=1).tolist())
    is_true = np.array([distances[pair] < TOUCHING for pair in ends if pair in distances], bool)
    found = [is_true[: int(share * len(places))] for share in (0.5, 1, 1.5)]
    name, touching = alignment.name.partition(".")[0], sum(d < TOUCHING for d in distances.values())
    row = (name, samples.n_samples, round(samples.total_weight, 1), len(places), len(distances), touching, method,
           len(ranked), len(is_true), is_true.sum(), *(x for best in found for x in (len(best), best.sum())),
           round(seconds, 2))  # fmt: skip
    print(*row, file=sys.stderr, flush=True)
    return row


def _distances(contacts: Path, alignment: Path) -> dict[tuple[int, int], float]:
    """Return how far apart pairs of columns, from 1, are in the structure."""
    if contacts.suffix != ".pdb":
        table = np.loadtxt(contacts)
        return {(int(i), int(j)): float(d) for i, j, d in table[:, [0, 1, -1]]}
    numbers, letters, atoms = _residues(contacts)
    first = next(letters for _, letters in read_sequences(alignment))
    columns = [k for k, x in enumerate(first, 1) if x.isalpha()]
    sequence = "".join(x for x in first if x.isalpha()).upper()
    # Numbers of residues say nothing of the alignment: the shift with the most equal letters does.
    equal = {
        shift: sum(sequence[n - shift : n - shift + 1] == x for n, x in zip(numbers, letters, strict=True) if n >= shift)
        for shift in range(min(numbers) - len(sequence) + 1, max(numbers) + 1)
    }  # fmt: skip
    shift = max(equal, key=equal.__getitem__)
    kept = [k for k, n in enumerate(numbers) if 0 <= n - shift < len(sequence)]
    places = [columns[numbers[k] - shift] for k in kept]
    apart = np.linalg.norm(atoms[kept][:, None] - atoms[kept][None], axis=2)
    return {
        (places[a], places[b]): float(apart[a, b])
        for a in range(len(kept))
        for b in range(a + 1, len(kept))
    }


def _residues(path: Path) -> tuple[list[int], str, np.ndarray]:
    """Return the numbers, letters and C-beta atoms of the first chain of a PDB file."""
    atoms: dict[int, tuple[str, list[float]]] = {}
    chain = None
    for line in path.read_text().splitlines():
        if not line.startswith("ATOM") or line[17:20] not in RESIDUES:
            continue
        chain = line[21] if chain is None else chain
        letter, number = RESIDUES[line[17:20]], int(line[22:26])
        if line[21] == chain and line[12:16].strip() == ("CA" if letter == "G" else "CB"):
            atoms.setdefault(number, (letter, [float(line[k : k + 8]) for k in (30, 38, 46)]))
    letters = "".join(letter for letter, _ in atoms.values())
    return list(atoms), letters, np.array([place for _, place in atoms.values()])


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    main()
