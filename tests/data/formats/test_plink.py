from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from bed_reader import to_bed

from markhood.data.formats.files import read_samples
from markhood.data.reading import Genome
from messages import refuses

COPIES = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]], dtype=np.int8)
NAMES = {"sid": ["rs1", ".", "rs3"], "chromosome": ["1", "7", "7"], "bp_position": [1, 55, 90]}


def write(tmp_path, copies=COPIES, names=NAMES):
    path = tmp_path / "cohort.bed"
    to_bed(path, copies, properties=names)
    return path


@pytest.mark.parametrize(
    ("genotypes", "levels", "expected"),
    [
        ("levels", (0, 1, 2), COPIES),
        ("dominant", (0, 1), COPIES > 0),
        ("recessive", (0, 1), COPIES > 1),
    ],
)
def test_example_codings(tmp_path, decode, genotypes, levels, expected):
    samples = read_samples(write(tmp_path), genome=Genome(genotypes=genotypes))
    assert samples.names == ("rs1", "7:55", "rs3")
    assert samples.levels == (levels,) * 3
    assert samples.variables.kinds == ("ordinal" if len(levels) > 2 else "binary",) * 3
    assert decode(samples) == [tuple(row) for row in expected.astype(int).tolist()]


def test_example_missing_genotypes_follow_the_choice(tmp_path, decode):
    copies = COPIES.copy()
    copies[1, 1] = -127
    path = write(tmp_path, copies)
    with refuses("missing-values", "7:55", "1 missing", "'7:55' (1)"):
        read_samples(path, missing="error")
    samples = read_samples(path, missing="level", genome=Genome(genotypes="dominant"))
    assert samples.levels[1] == (0, 1, None)
    assert list(read_samples(path, missing="impute").missing) == [1]
    picked = read_samples(path, columns=["rs3", "rs1"])
    assert decode(picked) == [(2, 0), (0, 2), (2, 1), (1, 0)]


@pytest.mark.usefixtures("small_chunks")
def test_property_blocks_of_variants_do_not_matter(tmp_path, decode):
    copies = np.random.default_rng(0).integers(0, 3, (130, 7), dtype=np.int8)
    samples = read_samples(write(tmp_path, copies, {}))
    assert decode(samples) == [tuple(row) for row in copies.tolist()]


def test_example_what_cannot_be_used(tmp_path):
    path = write(tmp_path)
    with refuses("option-value", "genotypes", "'additive'"):
        read_samples(path, genome=Genome(genotypes="additive"))
    path.write_bytes(path.read_bytes()[:2])
    with refuses("file-damaged", "cohort.bed"):
        read_samples(path)
    path.with_suffix(".bim").unlink()
    with refuses("file-damaged", "cohort.bed"):
        read_samples(path)


@pytest.mark.parametrize("ending", [".bim", ".fam"])
def test_example_a_pipe_is_not_waited_for(tmp_path, ending):
    path = write(tmp_path)
    path.with_suffix(ending).unlink()
    os.mkfifo(path.with_suffix(ending))
    with refuses("file-unreadable", f"cohort{ending}"):
        read_samples(path)


def test_example_without_bed_reader(tmp_path, monkeypatch):
    path = write(tmp_path)
    monkeypatch.setitem(sys.modules, "bed_reader", None)
    with refuses("library-missing", "bed-reader", "pip install 'markhood[plink]'"):
        read_samples(path)
