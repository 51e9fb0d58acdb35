"""Count base pairs among the strongest pairs of an RNA, by method, with times; proteins are compared with plmc.

python benchmarks/alignments.py docs/alignments/families.csv FAMILY.sto ...        goes on where the file ends
python benchmarks/alignments.py docs/alignments/families.csv --plmc bin/plmc FAMILY.sto ...
python benchmarks/alignments.py docs/alignments/proteins.csv --plmc bin/plmc --methods plm,mi_apc PROTEIN.a3m ...

A family is a Stockholm file with a consensus structure (Rfam's, which are free of rights, CC0). Sequences weigh by similarity; columns
are those that vary. Pairs nearer than four columns are left out, as no hairpin is tighter; of the L / 2 strongest others, L being
the number of columns, those that are base pairs are counted, and of as many as there are base pairs. A method that finds fewer is counted on what
it finds. Where there is no structure (a file that is not Stockholm) the strongest 1.5 L pairs of plmc stand in the place of base pairs. plmc gets the same columns,
weights and penalty (its own is joint: twice ours a table), 100 steps, one thread. Seconds are processor time of one thread, after reading.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from kept_rows import append_rows

import markhood
from markhood.data.genome.alphabets import alphabet_of
from markhood.data.genome.fasta import is_stockholm, read_structure
from markhood.data.samples import Samples
from markhood.kernels.tables import codes

COLUMNS = ("family", "sequences", "weight", "columns", "base_pairs", "method", "best_half_length", "true",
           "best_as_many", "true_of_as_many", "seconds")  # fmt: skip
NEAR = 4
STEPS = 100
METHODS = {
    "plm": lambda samples: markhood.PseudoLikelihood(
        top=10**6, n_jobs=1, genome=markhood.Genome(identical="keep")
    ).fit(samples),
    "mi_apc": lambda samples: markhood.Pairwise(
        ranking="mi_apc", top=10**6, n_jobs=1, genome=markhood.Genome(identical="keep")
    ).fit(samples),
    "plrhc": lambda samples: markhood.PLRHC(n_jobs=1, genome=markhood.Genome(identical="keep")).fit(
        samples
    ),
    "mpl": lambda samples: markhood.MarginalPseudoLikelihood(
        n_jobs=1, genome=markhood.Genome(identical="keep")
    ).fit(samples),
    "bayes": lambda samples: markhood.Bayes(n_jobs=1, genome=markhood.Genome(identical="keep")).fit(
        samples
    ),
}


def main() -> None:
    """Measure what the file does not have yet."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=Path)
    parser.add_argument("families", type=Path, nargs="+")
    parser.add_argument("--plmc", type=Path)
    parser.add_argument("--methods", default="plm,mi_apc,plrhc,bayes")
    given = parser.parse_args()
    METHODS["plm"](markhood.encode(np.tile(np.eye(2, dtype=int), (50, 1))))  # imports happen once
    done = set()
    if given.rows.exists():
        with given.rows.open() as file:
            done = {(row["family"], row["method"]) for row in csv.DictReader(file)}
    methods = given.methods.split(",") + (["plmc"] if given.plmc else [])
    for method in methods:
        for path in given.families:
            if (path.stem, method) not in done:
                append_rows(given.rows, COLUMNS, [_row(path, method, given.plmc)])


def _row(path: Path, method: str, plmc: Path | None) -> tuple:
    samples = markhood.read_samples(path, weights="similarity")
    places = np.array([int(name) for name in samples.names])
    pairs = _true_pairs(path, samples, places, plmc)
    known = sum(i in places and j in places for i, j in pairs)
    ranked, seconds = ranked_pairs(samples, method, plmc)
    ends = places[ranked]
    ends = ends[np.abs(ends[:, 1] - ends[:, 0]) >= NEAR]
    is_true = np.array([tuple(sorted(pair)) in pairs for pair in ends.tolist()], bool)
    half, many = is_true[: samples.n_variables // 2], is_true[:known]
    row = (path.stem, samples.n_samples, round(samples.total_weight, 1), samples.n_variables, known, method,
           len(half), half.sum(), len(many), many.sum(), round(seconds, 2))  # fmt: skip
    print(*row, file=sys.stderr, flush=True)
    return row


def ranked_pairs(samples: Samples, method: str, plmc: Path | None) -> tuple[np.ndarray, float]:
    """Return the pairs that a method finds, the strongest first, and its processor time."""
    if method == "plmc":
        return _plmc(samples, plmc)
    start = time.process_time()
    graph = METHODS[method](samples).graph_
    seconds = time.process_time() - start
    by = graph.annotations.get("mi_apc", graph.evidence)
    return graph.edges[np.argsort(-by, kind="stable")], seconds


def _true_pairs(
    path: Path, samples: Samples, places: np.ndarray, plmc: Path | None
) -> set[tuple[int, int]]:
    """Return the base pairs of a structure; or, where there is none, plmc's strongest pairs."""
    if is_stockholm(path):
        return set(read_structure(path).pairs)
    ends = places[_plmc(samples, plmc)[0]]
    far = ends[np.abs(ends[:, 1] - ends[:, 0]) >= NEAR][: int(1.5 * samples.n_variables)]
    return {tuple(sorted(pair)) for pair in far.tolist()}


@lru_cache(maxsize=1)
def _plmc(samples: Samples, program: Path | None) -> tuple[np.ndarray, float]:
    """Run plmc on the same columns; return all pairs, the strongest first, and its processor time."""
    assert program is not None
    is_rna = alphabet_of(samples.variables) == "RNA"
    letters = "-ACGU" if is_rna else "-ACDEFGHIKLMNPQRSTVWY"
    levels = [np.array([max(0, letters.find(x)) for x in values]) for values in samples.levels]
    table = np.column_stack([own[codes(samples.bits, v)] for v, own in enumerate(levels)])
    penalty = 0.01 * (samples.n_variables - 1) * (len(letters) - 1)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        rows = "".join(
            f">s{k}\n{''.join(letters[x] for x in row)}\n" for k, row in enumerate(table)
        )
        (home / "family.fa").write_text(rows)
        weights = samples.bits.weighting.weights
        (home / "weights.txt").write_text("".join(f"{w:.8f}\n" for w in weights))
        options = ["-a", letters, "-le", f"{penalty:g}", "-lh", "0.01", "-m", STEPS, "-w", "weights.txt",
                   "-c", "pairs.txt", "family.fa"]  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [program.resolve(), *options]
        subprocess.run(list(map(str, command)), cwd=home, check=True, capture_output=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        found = [line.split() for line in (home / "pairs.txt").read_text().splitlines()]
    ends = np.array([(int(words[0]) - 1, int(words[2]) - 1) for words in found])
    scores = np.array([float(words[-1]) for words in found])
    return np.sort(ends[np.argsort(-scores, kind="stable")], axis=1), seconds


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    main()
