"""VCF and BCF: phased files are haplotypes, others genotypes; a damaged file is an error."""

import gzip
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.data.genome.loci import Locus
from markhood.data.storage.packing import pack
from messages import refuses, warns

HEADER = """##fileformat=VCFv4.2
##contig=<ID=1>
##contig=<ID=X>
##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">
##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">
#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tann\tbob\tcid
"""
PHASED = [
    "1 5 . A T 0|1 1|0 0|0",
    "1 9 rs1 A T,G 0|1 2|0 0|0",
    "1 9 rs2 A C 1|1 0|0 0|1",
    "X 7 . G GT 1 0|1 0|0",
]


def written(tmp_path, lines, name="data.vcf", form="GT"):
    """Write sites, given as chromosome, position, name, alleles and calls."""
    text = HEADER
    for line in lines:
        chromosome, position, identity, ref, alt, *calls = line.split(" ")
        text += "\t".join([chromosome, position, identity, ref, alt, ".", ".", ".", form, *calls])
        text += "\n"
    path = tmp_path / name
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.fixture
def columns(decode):
    """Return the values of every variable; "gone" where they are missing."""
    return lambda samples: [list(column) for column in zip(*decode(samples), strict=True)]


def contents(samples):
    return [one.text for one in samples.account.findings if one.code == "file-content"]


@pytest.mark.parametrize("name", ["data.vcf", "data.VCF.gz", "data.vcf.bgz"])
def test_example_a_phased_file_is_haplotypes(name, tmp_path, columns):
    samples = markhood.read_samples(written(tmp_path, PHASED, name), missing="impute")
    assert samples.names == ("1:5", "1:9:A:T:G", "1:9:A:C", "X:7")
    assert samples.variables.loci == (Locus("1", 5), Locus("1", 9), Locus("1", 9), Locus("X", 7))
    assert samples.variables.kinds == ("binary", "nominal", "binary", "binary")
    assert columns(samples) == [
        [0, 1, 1, 0, 0, 0],
        [0, 1, 2, 0, 0, 0],
        [1, 1, 0, 0, 0, 1],
        [1, "gone", 0, 1, 0, 0],
    ]
    assert {(one.code, one.where) for one in samples.account.findings} == {("file-content", name)}
    individuals, sites, alleles, copies = contents(samples)
    assert individuals == "3 individuals, diploid, phased: 6 haplotypes."
    assert "4 of 4 sites" in sites
    assert "1 site " in alleles
    assert "1 individual " in copies


def test_example_sites_that_failed_a_filter_are_used_and_listed(tmp_path):
    path = written(tmp_path, PHASED)
    lines = path.read_text().splitlines(keepends=True)
    for at, verdict in ((-4, "q10"), (-3, "PASS"), (-2, "q10;s50")):
        fields = lines[at].split("\t")
        fields[6] = verdict
        lines[at] = "\t".join(fields)
    path.write_text("".join(lines))
    samples = markhood.read_samples(path, missing="impute")
    assert samples.n_variables == 4
    failed = contents(samples)[3]
    assert failed.startswith("2 of these sites")
    assert "(q10 1, q10;s50 1)" in failed


def test_example_one_unphased_call_makes_it_genotypes(tmp_path, columns):
    lines = ["1 4 . A T 0/0 1|1 0|1", *PHASED]
    samples = markhood.read_samples(written(tmp_path, lines), missing="impute")
    assert columns(samples) == [[0, 2, 1], [1, 1, 0], [1, 1, 0], [2, 0, 1], [1, 1, 0]]
    assert samples.variables.kinds[0] == "ordinal"
    assert contents(samples)[0].startswith("3 individuals, diploid, not phased: genotypes")
    for genotypes, expected in (("dominant", [0, 1, 1]), ("recessive", [0, 1, 0])):
        read = markhood.read_samples(
            tmp_path / "data.vcf",
            columns=["1:4", "1:9:A:C"],
            genome=markhood.Genome(genotypes=genotypes),
        )
        assert columns(read)[0] == expected
    # A homozygous call has no phase to be asked for.
    read = markhood.read_samples(
        tmp_path / "data.vcf", missing="impute", genome=markhood.Genome(genotypes="haplotypes")
    )
    assert columns(read)[0] == [0, 0, 1, 1, 0, 1]


def test_example_heterozygous_calls_without_a_phase_are_no_haplotypes(tmp_path):
    path = written(tmp_path, ["1 4 . A T 0/0 1|1 0/1", *PHASED])
    with refuses("genotypes", "genotypes", "1 heterozygous"):
        markhood.read_samples(path, genome=markhood.Genome(genotypes="haplotypes"))


def test_example_haploid_files_have_a_sample_for_each(tmp_path, columns):
    path = written(tmp_path, ["1 4 . A T 0 1 1", "1 6 . A T 1 1 0"])
    samples = markhood.read_samples(path)
    assert columns(samples) == [[0, 1, 1], [1, 1, 0]]
    assert contents(samples)[0] == "3 individuals, haploid: 3 haplotypes."


def test_example_sites_that_hardly_vary_are_left_out_and_listed(tmp_path, columns):
    lines = [
        *PHASED,
        "1 20 . A T 0|0 0|0 0|0",
        "1 30 . A T 0|0 0|1 .|.",
        "1 40 . A . 0|0 0|0 0|0",
    ]
    samples = markhood.read_samples(written(tmp_path, lines), missing="impute")
    assert samples.n_variables == 4
    expected = "4 of 7 sites (2 vary too little, 1 have too many missing calls)."
    assert contents(samples)[1] == expected
    wide = markhood.read_samples(
        tmp_path / "data.vcf", missing="impute", genome=markhood.Genome(max_gap=0.4)
    )
    assert wide.names[-1] == "1:30"
    assert columns(wide)[-1] == [0, 0, 0, 1, "gone", "gone"]
    rare = markhood.read_samples(
        tmp_path / "data.vcf", missing="impute", genome=markhood.Genome(min_minor=0.3)
    )
    assert rare.names == ("1:5", "1:9", "X:7")  # and so no two are at one position


def test_example_missing_calls_are_missing_values(tmp_path, columns):
    path = written(tmp_path, ["1 4 . A T 0|0 1|1 .|1", "1 6 . A T 1|1 0|1 0|0"])
    with refuses("missing-values", "1:4", "1 missing", "'cid (1)'"):
        markhood.read_samples(path, missing="error", genome=markhood.Genome(max_gap=0.5))
    with warns("rows-dropped", where="missing"):
        samples = markhood.read_samples(path, missing="drop", genome=markhood.Genome(max_gap=0.5))
    assert samples.n_samples == 5
    genotypes = markhood.read_samples(
        path, missing="impute", genome=markhood.Genome(max_gap=0.5, genotypes="levels")
    )
    assert columns(genotypes)[0] == [0, 2, "gone"]


def test_property_columns_are_picked_in_the_order_wanted_whatever_the_blocks(
    tmp_path, monkeypatch, columns
):
    from markhood.data.coding import encoder

    rng = np.random.default_rng(0)
    calls = rng.integers(0, 2, size=(40, 3, 2))
    lines = [
        f"1 {10 + j} . A T " + " ".join(f"{a}|{b}" for a, b in own) for j, own in enumerate(calls)
    ]
    path = written(tmp_path, lines)
    whole = markhood.read_samples(path, genome=markhood.Genome(min_minor=0.2))
    names = list(rng.permutation(whole.names))
    for chunk in (1, 36, 1 << 24):
        monkeypatch.setattr(encoder, "CHUNK_BYTES", chunk)
        picked = markhood.read_samples(path, columns=names, genome=markhood.Genome(min_minor=0.2))
        assert picked.names == tuple(names)
        expected = [calls[int(name[2:]) - 10].ravel().tolist() for name in names]
        assert columns(picked) == expected


def test_property_bcf_and_packed_folders_hold_the_same(tmp_path):
    cyvcf2 = pytest.importorskip("cyvcf2")
    path = written(tmp_path, PHASED)
    source = cyvcf2.VCF(str(path))
    writer = cyvcf2.Writer(str(tmp_path / "data.bcf"), source, mode="wb")
    for record in source:
        writer.write_record(record)
    writer.close()
    pack(path, tmp_path / "packed", missing="impute")
    texts = markhood.read_samples(path, missing="impute")
    for other in ("data.bcf", "packed"):
        read = markhood.read_samples(
            tmp_path / other, **({"missing": "impute"} if other == "data.bcf" else {})
        )
        assert read.fingerprint == texts.fingerprint
        assert read.variables == texts.variables
    (tmp_path / "cut.bcf").write_bytes((tmp_path / "data.bcf").read_bytes()[:-28])
    with refuses("file-damaged", "cut.bcf"):
        markhood.read_samples(tmp_path / "cut.bcf")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", ("file-format", "bad.vcf")),
        (HEADER, ("genotypes", "bad.vcf")),
        (
            HEADER + "1\tx\t.\tA\tT\t.\t.\t.\tGT\t0|1\t0|1\t0|0\n",
            ("file-damaged", "bad.vcf", "Line 7", "position"),
        ),
        (
            HEADER + "1\t5\t.\tA\tT\t.\t.\t.\tGT\t0|1\t0|1\n",
            ("file-damaged", "bad.vcf", "2 individuals instead of 3"),
        ),
        (HEADER + "1\t5\t.\tA\tT\t.\t.\t.\tDP\t1\t2\t3\n", ("genotypes", "bad.vcf")),
        ("\t".join(HEADER.split("\t")[:8]) + "\n", ("genotypes", "bad.vcf")),
        (
            HEADER + "1\t5\t.\tA\tT\t.\t.\t.\tGT\t0|1\t0|1\t0|2\n",
            ("file-damaged", "bad.vcf", "allele"),
        ),
        (
            HEADER + "1\t5\t.\tA\tT\t.\t.\t.\tGT\t0|1\t0|1\t0:x\n",
            ("too-few-columns", "bad.vcf", "1 of the 1"),
        ),
        (
            HEADER + "1\t5\t.\tA\tT\t.\t.\t.\tGT\t0|1\t0|1\tx|0\n",
            ("file-damaged", "bad.vcf", "'x|0'"),
        ),
        (HEADER + "1\t5\t.\tA\n", ("file-damaged", "bad.vcf", "columns")),
        ("\x00" * 100, ("file-format", "bad.vcf")),
    ],
)
def test_example_what_cannot_be_read_is_said_in_a_sentence(content, expected, tmp_path):
    path = tmp_path / "bad.vcf"
    path.write_text(content)
    with refuses(*expected) as error:
        markhood.read_samples(path)
    assert str(error.value).endswith(".")
    done = CliRunner().invoke(app, ["learn", str(path)])
    assert done.exit_code == 2


def test_example_options_that_are_none(tmp_path):
    path = written(tmp_path, PHASED)
    with refuses("option-value", "genotypes", "'x'"):
        markhood.read_samples(path, genome=markhood.Genome(genotypes="x"))
    with refuses("option-value", "max_gap"):
        markhood.read_samples(path, genome=markhood.Genome(max_gap=2))


def test_example_without_cyvcf2_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cyvcf2", None)
    (tmp_path / "data.bcf").write_bytes(b"BCF")
    with refuses("library-missing", "cyvcf2", "pip install 'markhood[vcf]'"):
        markhood.read_samples(tmp_path / "data.bcf")


def test_property_calls_among_other_fields_are_the_same(tmp_path, decode):
    plain = markhood.read_samples(written(tmp_path, PHASED), missing="impute")
    more = [
        " ".join([*line.split(" ")[:5], *(f"7:{call}:x" for call in line.split(" ")[5:])])
        for line in PHASED
    ]
    other = markhood.read_samples(
        written(tmp_path, more, "more.vcf", form="DP:GT:ZZ"), missing="impute"
    )
    assert decode(plain) == decode(other)
    assert plain.names == other.names


def test_example_a_compressed_file_that_is_cut_short(tmp_path):
    path = written(tmp_path, PHASED, "data.vcf.gz")
    path.write_bytes(path.read_bytes()[:-30])
    with refuses("file-damaged", "data.vcf.gz"):
        markhood.read_samples(path)


def test_example_the_command_line_tells_what_was_found(tmp_path):
    rng = np.random.default_rng(1)
    sites = rng.integers(0, 2, size=(6, 3, 2))
    lines = [
        f"1 {100 * j} . A T " + " ".join(f"{a}|{b}" for a, b in own)
        for j, own in enumerate(sites, 1)
    ]
    path = written(tmp_path, lines)
    done = CliRunner().invoke(app, ["learn", str(path), "--min-distance", "150"])
    assert done.exit_code == 0, done.output
    assert "file      3 individuals, diploid, phased: 6 haplotypes." in done.output
    assert "positions" in done.output
    assert "near      0 edges nearer than 150 left out" in done.output
    done = CliRunner().invoke(app, ["pack", str(path), "--output", str(tmp_path / "packed")])
    assert "6 haplotypes" in done.output
