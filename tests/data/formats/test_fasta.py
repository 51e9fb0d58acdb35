from __future__ import annotations

import gzip
import sys
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.data.formats.files import read_samples
from markhood.data.reading import Genome
from messages import refuses

ALIGNMENT = """>one first of them
ACGT-A
CCGTN
>two
acta-ac
CGT
>three
ACGA-ATCGT
>four

ACGT-ANCG.
"""


def write(tmp_path, text=ALIGNMENT, name="genes.fasta"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_example_positions_that_vary_with_few_gaps(tmp_path, decode):
    path = write(tmp_path, ALIGNMENT.replace("ACGT-A\nCCGTN", "ACGT-ACCGT"))
    samples = read_samples(path, genome=Genome(min_minor=0.25, max_gap=0.25))
    assert samples.names == ("3", "4", "7")
    assert samples.levels == (("G", "T"), ("A", "T"), ("-", "C", "T"))
    assert decode(samples) == [("G", "T", "C"), ("T", "A", "C"), ("G", "A", "T"), ("G", "T", "-")]
    assert read_samples(path, genome=Genome(min_minor=0.25, max_gap=0)).names == ("3", "4")
    assert read_samples(path, columns=["7", "3"], genome=Genome(max_gap=0.25)).names == ("7", "3")


@pytest.mark.parametrize(
    ("missing", "levels"), [("level", ("C", "T", None)), ("impute", ("C", "T"))]
)
def test_example_gaps_as_missing_values(tmp_path, missing, levels):
    path = write(tmp_path, ALIGNMENT.replace("ACGT-A\nCCGTN", "ACGT-ACCGT"))
    samples = read_samples(path, missing=missing, genome=Genome(max_gap=0.25))
    assert samples.levels[2] == levels
    assert list(samples.missing) == ([2] if missing == "impute" else [])


def test_example_the_letter_n_is_a_gap_in_genes_and_a_level_in_proteins(tmp_path):
    genes = write(tmp_path, ">a\nNAC\n>b\nCTG\n>c\nCAC\n>d\nCTG\n")
    assert read_samples(genes, genome=Genome(max_gap=1)).names == ("2", "3")
    proteins = write(tmp_path, ">a\nNAL\n>b\nCTG\n>c\nCAX\n>d\nCTG\n", "proteins.faa")
    samples = read_samples(proteins, genome=Genome(max_gap=1))
    assert samples.levels == (("C", "N"), ("A", "T"), ("-", "G", "L"))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text("ACGTN-", min_size=6, max_size=6), min_size=2, max_size=80),
    st.sampled_from([0.0, 0.05, 0.2]),
    st.sampled_from([0.0, 0.2, 1.0]),
)
def test_oracle_shares_counted_one_letter_at_a_time(tmp_path_factory, rows, min_minor, max_gap):
    expected = []
    for position, column in enumerate(zip(*rows, strict=True)):
        letters = [c for c in column if c not in "N-"]
        ranked = sorted(Counter(letters).values(), reverse=True)
        second = ranked[1] if len(ranked) > 1 else 0
        if len(column) - len(letters) <= max_gap * len(column) and second >= min_minor * len(
            letters
        ):
            expected.append(str(position + 1))
    path = tmp_path_factory.mktemp("fasta") / "genes.fa.gz"
    with gzip.open(path, "wt") as file:
        file.writelines(f">{k}\n{row}\n" for k, row in enumerate(rows))
    if len(expected) < 2:
        with refuses("too-few-columns", "genes.fa.gz"):
            read_samples(path, genome=Genome(min_minor=min_minor, max_gap=max_gap))
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = read_samples(path, genome=Genome(min_minor=min_minor, max_gap=max_gap))
    assert samples.names == tuple(expected)


@pytest.mark.usefixtures("small_chunks")
def test_property_chunks_do_not_matter(tmp_path, decode):
    rows = np.random.default_rng(0).choice(list("ACGT"), (300, 5))
    text = "".join(f">{k}\n{''.join(row)}\n" for k, row in enumerate(rows))
    samples = read_samples(write(tmp_path, text))
    assert decode(samples) == [tuple(row) for row in rows.tolist()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ALIGNMENT, ("sequences", "genes.fasta", "'two'", "10 letters")),
        ("no sequences\n", ("sequences", "genes.fasta")),
        (">a\nACGT\n>b\nACGT\n", ("too-few-columns", "genes.fasta", "0 of the 4")),
        (">a\nAC\n>b\nA\u00e9\n", ("file-format", "genes.fasta")),
    ],
)
def test_example_what_cannot_be_used(tmp_path, text, expected):
    with refuses(*expected):
        read_samples(write(tmp_path, text))


def test_example_odd_characters_do_not_make_a_protein_and_are_listed(tmp_path):
    samples = read_samples(
        write(tmp_path, ">a\nACU1~\n>b\nCAGA*\n>c\nAAXA@\n>d\nCCUAU\n"), genome=Genome(max_gap=0.6)
    )
    notes = [one.text for one in samples.account.findings if one.code == "file-content"]
    assert notes[0].startswith("4 sequences of RNA, 5 positions")
    assert "('1', '@')" in notes[1]
    assert samples.levels[-1] == ("-", "@", "U")


def test_example_bad_choices_and_damage(tmp_path):
    path = write(tmp_path)
    with refuses("option-value", "min_minor"):
        read_samples(path, genome=Genome(min_minor=2))
    damaged = tmp_path / "genes.fa.gz"
    damaged.write_bytes(gzip.compress(b">a\nAC\n>b\nCA\n" * 99)[:-12])
    with refuses("file-damaged", "genes.fa.gz"):
        read_samples(damaged)
    content = bytearray(gzip.compress(b">a\nAC\n>b\nCA\n" * 99))
    content[20:30] = b"\xff" * 10
    damaged.write_bytes(content)
    with refuses("file-damaged", "genes.fa.gz"):
        read_samples(damaged)
    damaged.write_bytes(gzip.compress(b">a\n>b\n"))
    with refuses("sequences", "genes.fa.gz"):
        read_samples(damaged)
    (tmp_path / "genes.npy.gz").write_bytes(b"x")
    with refuses("file-format", "genes.npy.gz"):
        read_samples(tmp_path / "genes.npy.gz")


def test_example_without_biopython(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "Bio.SeqIO.FastaIO", None)
    with refuses("library-missing", "biopython", "pip install 'markhood[fasta]'"):
        read_samples(write(tmp_path))
