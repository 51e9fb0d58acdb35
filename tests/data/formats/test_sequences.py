"""Alignments in A2M, A3M and Stockholm: the same samples as in FASTA, and structures."""

import gzip

import numpy as np
import pytest

import markhood
from markhood.data.formats.files import read_samples
from markhood.data.genome.fasta import read_sequences, read_structure
from messages import refuses, warns

ROWS = ["ACGU-A", "ACUA-A", "GCGAUA", "GUGUUA"]
FASTA = "".join(f">s{k}\n{row}\n" for k, row in enumerate(ROWS))
A3M = ">s0\nACGU-A\n>s1\naacACUA-A\n>s2\nGCgGAUA\n>s3\nGUGUUAu\n"
A2M = ">s0\n...ACG.U-A.\n>s1\naacACU.A-A.\n>s2\n...GCGgAUA.\n>s3\n...GUG.UUAu\n"
STOCKHOLM = """# STOCKHOLM 1.0
#=GF ID  Small
s0         ACG
s1         ACU
#=GR s1 SS (..
s2         GCG
s3         GUG
#=GC SS_cons  <<.

s0         U-A
s1         A-A
s2         AUA
s3         UUA
#=GC SS_cons  .>>
//
"""
ONE_BLOCK = "# STOCKHOLM 1.0\n" + "".join(f"s{k} {row}\n" for k, row in enumerate(ROWS)) + "//\n"
FORMS = {
    "family.a3m": A3M,
    "family.a2m": A2M,
    "family.sto": STOCKHOLM,
    "family.stk": ONE_BLOCK,
}


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("name", FORMS)
def test_example_every_format_holds_the_same_samples(name, ending, tmp_path):
    expected = read_samples(
        write(tmp_path, "family.fasta", FASTA), genome=markhood.Genome(max_gap=0.5)
    )
    path = write(tmp_path, name + ending, FORMS[name])
    found = read_samples(path, genome=markhood.Genome(max_gap=0.5))
    assert found.fingerprint == expected.fingerprint
    markhood.pack(path, tmp_path / "packed", genome=markhood.Genome(max_gap=0.5))
    assert read_samples(tmp_path / "packed").fingerprint == expected.fingerprint


def test_example_titles_are_kept_in_order(tmp_path):
    path = write(tmp_path, "family.sto", STOCKHOLM)
    assert list(read_sequences(path)) == [(f"s{k}", row) for k, row in enumerate(ROWS)]


def test_example_positions_that_were_left_out_are_counted(tmp_path):
    samples = read_samples(write(tmp_path, "family.fasta", FASTA))
    (note,) = samples.account.findings
    assert (note.code, note.where) == ("file-content", "family.fasta")
    assert note.text.startswith("4 sequences of RNA, 6 positions; 4 positions ")
    assert "min_minor=0.01" in note.text
    assert "max_gap=0.15" in note.text
    all_of_them = read_samples(write(tmp_path, "all.fasta", ">a\nACD\n>b\nCAF\n>c\nACD\n"))
    assert all_of_them.account.findings[0].text == "3 sequences of protein, 3 positions."


def test_example_a_structure_may_have_pairs_that_cross(tmp_path):
    drawn = "<<A[.>>a]({...})"
    path = write(tmp_path, "knot.sto", f"# STOCKHOLM 1.0\n#=GC SS_cons {drawn}\n//\n")
    pairs = [(1, 7), (2, 6), (3, 8), (4, 9), (10, 16), (11, 15)]
    assert read_structure(path) == (16, pairs)
    assert read_structure(write(tmp_path, "family.sto", STOCKHOLM)).pairs == [(1, 6), (2, 5)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("family.sto", "s0 ACG\n", ("file-format", "family.sto", "'# STOCKHOLM'")),
        ("family.sto", "# STOCKHOLM 1.0\ns0 ACG GU\n", ("file-damaged", "family.sto", "3 words")),
        ("family.sto", "# STOCKHOLM 1.0\n//\n", ("sequences", "family.sto")),
        ("family.sto", "# STOCKHOLM 1.0\ns0 ACG\ns1 AC\n//\n", ("sequences", None, "2 letters")),
        ("family.a3m", ">s0\nACG\n>s1\nAcG\n", ("sequences", None, "2 letters")),
        ("family.a3m", ">s0\nacg\n>s1\nacg\n", ("sequences", "family.a3m")),
        ("family.sto", "# STOCKHOLM 1.0\ns0 \udcffCG\n//\n", ("file-format", "family.sto")),
    ],
)
def test_example_files_that_cannot_be_used(name, text, expected, tmp_path):
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with refuses(*expected):
        read_samples(path)


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("..>>", ("sequences", "family.sto", "column 3")),
        ("<<.>", ("sequences", "family.sto", "column 1")),
        ("", ("sequences", "family.sto")),
    ],
)
def test_example_structures_that_cannot_be_used(drawn, expected, tmp_path):
    path = write(tmp_path, "family.sto", f"# STOCKHOLM 1.0\n#=GC SS_cons {drawn}\n//\n")
    with refuses(*expected):
        read_structure(path)


def test_example_letters_are_merged_into_classes(tmp_path):
    residues = "".join(
        f">s{k}\n{row}\n" for k, row in enumerate(["ILKDFPAC", "VMREYGGT", "LVHNWSST"])
    )
    path = write(tmp_path, "protein.faa", residues)
    samples = read_samples(path, genome=markhood.Genome(letters="reduced"))
    assert samples.levels[2] == ("H", "KR")
    assert samples.levels[3] == ("EDNQ",)
    note = samples.account.findings[-1]
    assert (note.code, note.where) == ("merged-levels", "letters")
    assert "protein" in note.text
    assert "8 classes" in note.text
    with refuses("option-conflict", "letters"):
        markhood.encode([[0, 1], [1, 0]], genome=markhood.Genome(letters="reduced"))
    with refuses("option-value", "letters", "'few'"):
        read_samples(path, genome=markhood.Genome(letters="few"))


def test_example_how_alike_sequences_count_as_one(tmp_path):
    path = write(tmp_path, "family.fasta", FASTA)
    few, many = (
        read_samples(
            path, weights="similarity", genome=markhood.Genome(similarity_threshold=t)
        ).total_weight
        for t in (0.6, 0.0)
    )
    assert few < many == pytest.approx(4)
    with refuses("option-conflict", "similarity_threshold", "'similarity'"):
        read_samples(path, genome=markhood.Genome(similarity_threshold=0.2))
    with refuses("option-value", "similarity_threshold"):
        read_samples(path, weights="similarity", genome=markhood.Genome(similarity_threshold=1.5))


def test_example_proteins_without_edges_are_pointed_to_what_finds_some():
    rng = np.random.default_rng(0)
    residues = np.array(list("ACDEFGHIKLMNPQRSTVWY"))[rng.integers(20, size=(3000, 4))]
    with warns("many-parameters", facts=("'plm'",)):
        assert markhood.learn(residues).n_edges == 0
    with warns("many-parameters", where="x0", facts=("'plm'",)):
        markhood.learn(residues[:300])
