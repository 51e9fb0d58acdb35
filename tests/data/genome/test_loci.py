"""Where variables lie: what names, files and mappings tell, and what carries it."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.data.genome.loci import Coordinates, Locus, loci_in_names
from markhood.data.genome.positions import known_loci
from markhood.data.variables import Variables, described_variables
from messages import refuses

NAMES = ["rs1", "rs2", "rs3"]
LOCI = (Locus("1", 5), Locus("1", 90), Locus("2", 7))


@pytest.mark.parametrize(
    "given",
    [
        {"rs1": ("1", 5), "rs2": ["1", 90.0], "rs3": ("2", "7")},
        [("1", 5), ("1", 90), ("2", 7)],
        pd.Series({"rs1": ("1", 5), "rs2": ("1", 90), "rs3": ("2", 7), "rs4": ("2", 8)}),
    ],
)
def test_example_positions_in_python(given):
    assert known_loci(given, NAMES) == LOCI


@pytest.mark.parametrize(
    "text",
    [
        "rs1,1,5\nrs2,1,90\nrs3,2,7\n",
        "rs1\t1\t5\nrs2\t1\t90\nrs3\t2\t7\nelsewhere\t9\t1\n",
        "position;name;gene;chromosome\n5;rs1;abc;1\n90;rs2;abc;1\n7;rs3;d;2\n",
    ],
)
def test_example_positions_in_a_file(text, tmp_path):
    path = tmp_path / "positions.csv"
    path.write_text(text)
    assert known_loci(path, NAMES) == LOCI


@pytest.mark.parametrize("text", ["rs1\t5\nrs3\t7\n", "name,position,gene\nrs1,5,a\nrs3,7,b\n"])
def test_example_one_chromosome_needs_no_name_and_not_all_variables_need_a_place(text, tmp_path):
    path = tmp_path / "positions.tsv"
    path.write_text(text)
    assert known_loci(path, NAMES) == (Locus("", 5), None, Locus("", 7))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"rs1": "here"}, ("positions", "positions", "'here'")),
        ({"rs1": -1}, ("positions", "positions", "-1")),
        ({"rs1": 1.5}, ("positions", "positions", "1.5")),
        ({"rs1": float("inf")}, ("positions", "positions", "inf")),
        ({"a": 1}, ("positions", "positions")),
        ([1, 2], ("positions", "positions", "2 positions")),
        (3, ("positions", "positions", "int")),
        ([("1", 5), ("1", 90), ()], ("positions", "positions")),
    ],
)
def test_example_what_is_no_position_is_said(given, expected):
    with refuses(*expected) as error:
        known_loci(given, NAMES)
    assert str(error.value).endswith(".")


def test_example_one_variable_has_one_place(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("rs1,1,5\nrs1,2,5\n")
    with refuses("positions", "rs1", "line 2"):
        known_loci(path, NAMES)


def test_example_names_tell_places_where_most_do():
    assert loci_in_names(["chr1:5", "chrX:90_A_T", "7:1:CTT:C", "sex"]) == (
        Locus("chr1", 5),
        Locus("chrX", 90),
        Locus("7", 1),
        None,
    )
    assert loci_in_names(["time:5", "sex"]) is None
    assert loci_in_names([]) is None


def test_property_described_variables_are_read_back():
    for levels in (None, ((0, 1), (0, 1, 2), (0, 1))):
        variables = Variables(tuple(NAMES), levels, loci=(LOCI[0], None, LOCI[2]))
        assert described_variables(NAMES, variables.described()) == variables
    with pytest.raises(ValueError, match="position"):
        described_variables(NAMES, {"chromosomes": ["1"], "positions": [1]})
    with pytest.raises(TypeError):
        described_variables(["a"], {"chromosomes": [1], "positions": [1]})


def test_example_distances():
    apart = Coordinates.of((*LOCI, None)).distances(np.array([[0, 1], [1, 0], [0, 2], [2, 3]]))
    assert apart.tolist()[:3] == [85, 85, np.inf]
    assert np.isnan(apart[3])


@pytest.mark.parametrize("ending", [".csv", ".json", ".graphml", ".gexf", ".npz"])
def test_property_graphs_and_their_files_carry_places(ending, tmp_path):
    graph = markhood.Graph(Variables(tuple(NAMES), loci=LOCI), [(0, 2)])
    markhood.write_graph(graph, tmp_path / f"graph{ending}")
    assert markhood.read_graph(tmp_path / f"graph{ending}") == graph
    assert graph != markhood.Graph(NAMES, [(0, 2)])


def test_example_packed_folders_and_picks_carry_places(tmp_path):
    samples = encode(
        [[0, 1, 1], [1, 0, 2], [0, 0, 0]],
        NAMES,
        genome=markhood.Genome(positions=dict(zip(NAMES, LOCI, strict=True))),
    )
    assert samples.variables.loci == LOCI
    markhood.pack(samples, tmp_path / "packed")
    assert markhood.read_samples(tmp_path / "packed").variables == samples.variables
    picked = markhood.read_samples(tmp_path / "packed", columns=["rs3", "rs1"])
    assert picked.variables.loci == (LOCI[2], LOCI[0])
    other = markhood.read_samples(tmp_path / "packed", genome=markhood.Genome(positions={"rs2": 3}))
    assert other.variables.loci == (None, Locus("", 3), None)
