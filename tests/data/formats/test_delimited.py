from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from markhood.data.coding.cells import is_infinite, parse_cell
from markhood.data.formats.files import read_file
from markhood.data.reading import Reading
from messages import ignores, refuses


@pytest.fixture
def read(tmp_path):
    def read_text(text, name="table.csv", **options):
        content = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(content)
        return read_file(tmp_path / name, Reading(**options))

    return read_text


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "txt"])
def test_example_delimiters(read, delimiter, ending, decode):
    text = "a,b,c\n1,yes,0\n0,no,1\n".replace(",", delimiter)
    samples = read(text, f"t.{ending}")
    assert samples.names == ("a", "b", "c")
    assert decode(samples) == [(1, "yes", 0), (0, "no", 1)]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("a;b\nx,y;0\nz;1\n", (("x,y", "z"), (0, 1))),
        ("a|b\nx,y|0\nx;y|1\n", (("x,y", "x;y"), (0, 1))),
        ('a,b\n"x;y",0\n"u;v",1\n', (("u;v", "x;y"), (0, 1))),
        ('a,b\n"x,y",0\n"say ""hi""",1\n', (('say "hi"', "x,y"), (0, 1))),
        ('"a";"b"\n"1";"0"\n"0";"1"\n', ((0, 1), (0, 1))),
        ("a, b\n 1, no\n0 ,yes\n", ((0, 1), ("no", "yes"))),
    ],
)
def test_example_delimiters_inside_cells(read, text, levels):
    samples = read(text)
    assert samples.names == ("a", "b")
    assert samples.levels == levels


def test_example_tsv_with_as_many_commas(read):
    assert read("a,a,a\tb,b,b\n1,1,1\t0,0,0\n2,2,2\t1,1,1\n", "t.tsv").names == ("a,a,a", "b,b,b")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_example_newlines_and_byte_order_mark(read, newline, mark, decode):
    samples = read(mark + "ä,b\n1,0\n\n0,1".replace("\n", newline).encode())
    assert samples.names == ("ä", "b")
    assert decode(samples) == [(1, 0), (0, 1)]


@pytest.mark.parametrize(
    ("text", "header", "names"),
    [
        ("a,b\n1,0\n0,1\n", None, ("a", "b")),
        ("1,0\n0,1\n1,1\n", None, ("x0", "x1")),
        ("no,no\nyes,no\nyes,yes\n", None, ("x0", "x1")),
        ("a,1\n0,0\n1,1\n", None, ("x0", "x1")),
        ("7,8\n0,0\n1,1\n", None, ("7", "8")),
        ("1,0\n0,1\n1,1\n", False, ("x0", "x1")),
        ("0,1\n0,1\n1,0\n", True, ("0", "1")),
        ("id,\n0,1\n1,0\n", None, ("id", "x1")),
        ("1.0,0\n1,1\n0,1\n", None, ("x0", "x1")),
    ],
)
@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
def test_example_headers(read, text, header, names):
    samples = read(text, header=header)
    assert samples.names == names
    if names == ("x0", "x1") and text.startswith("a"):
        assert samples.levels == ((0, 1, "a"), (0, 1))


def test_example_a_cell_of_the_first_row_that_occurs_again_late(read, decode):
    rows = [("0", "5"), *[("1", "6")] * 300, ("0", "6")]
    samples = read("\n".join(map(",".join, rows)))
    assert samples.names == ("x0", "x1")
    assert decode(samples) == [(int(a), int(b)) for a, b in rows]


@pytest.mark.parametrize("n_samples", [63, 64, 65, 513])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_chunks(read, n_samples, decode):
    rows = [(s % 2, ("u", "v")[s // 3 % 2], (-1, 1)[s // 5 % 2]) for s in range(n_samples)]
    text = "\n".join(",".join(map(str, row)) for row in [("a", "b", "c"), *rows])
    assert decode(read(text)) == rows


CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=3))
@example([("0", ";"), (";", "0")])
@ignores("missing-codes")
def test_property_quoted_text_is_kept_or_refused(read, decode, pairs):
    def quote(cell):
        return '"' + cell.replace('"', '""') + '"'

    rows = [tuple(pair[s % 2] for pair in pairs) for s in range(4)]
    header = ",".join(f"name{j}" for j in range(len(pairs)))
    text = "\n".join([header, *(",".join(map(quote, row)) for row in rows)])
    expected = [tuple(map(parse_cell, row)) for row in rows]
    assume(not any(map(is_infinite, chain(*rows))))  # a text among words, else refused
    if any(value is None for row in expected for value in row):
        with refuses("missing-values"):
            read(text, header=True, missing="error", missing_values=())
    elif all(a != b for a, b in zip(expected[0], expected[1], strict=True)):
        assert decode(read(text, header=True, missing_values=())) == expected


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1", 1),
        ("-1", -1),
        ("+1", 1),
        ("1.0", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1_0", "1_0"),
        ("0x1", "0x1"),
        ("\u0661", "\u0661"),  # an Arabic digit one
        ("Infinity", float("inf")),
        ("infer", "infer"),
        (" a ", "a"),
        ("True", "True"),
        ("", None),
        ("NA", None),
        ("NaN", None),
        ("null", None),
        ("Nan", "Nan"),
    ],
)
def test_example_cells(cell, value):
    assert parse_cell(cell) == value
    assert type(parse_cell(cell)) is type(value)


def test_example_numbers_are_numbers(read):
    samples = read("a,b,c\n10,1.0,True\n9,1,False\n9,0,True\n")
    assert samples.levels == ((9, 10), (0, 1.0), ("False", "True"))
    assert samples.words[:, 0].tolist() == [1, 3, 5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n \n\n", ("too-few-rows", "table.csv")),
        ("a,b\n", ("too-few-rows", "", "shape=(0, 2)")),
        ("a,b\n0,1\n", ("too-few-rows", "", "shape=(1, 2)")),
        ("a\n0\n1\n", ("too-few-columns", "", "shape=(2, 1)")),
        ("a,b\n0,1\n1,0\n0\n", ("file-damaged", "table.csv", "Line 4")),
        ("a,b\n0,1\n\n1,0,1\n", ("file-damaged", "table.csv", "Line 4", "3 fields")),
        ("a,b\nu,1\nv,0\nw,0\n", ("too-many-levels", "a", "line 4")),
        ('a,b\n"x\ny",1\n\nz,0\n"\n\nw",0\nv,1', ("too-many-levels", "a", "line 6")),
        ("u,1\nv,0\nu,1\nw,0\n", ("too-many-levels", "x0", "line 4")),
        (
            "a,b\n0,\n1,NA\nnull,1\n",
            ("missing-values", "b", "3 missing", "'a' (1)", "'b' (2)", "line 2"),
        ),
        ("a,b\n0,1\nNaN,0\n", ("missing-values", "a", "1 missing", "'a' (1)", "line 3")),
        ("a,b\n0,1\n-inf,0\n", ("infinite-values", "a", "line 3")),
        ("a,b\n0,1e999\n1,0\n", ("infinite-values", "b", "line 2")),
        ("a,a\n0,1\n1,0\n", ("duplicate-column", "a")),
        ('a,b\n0,"1\n1,0\n', ("file-damaged", "table.csv", "line 2")),
        (b"a,b\n0,1\n\x00,0\n", ("file-format", "table.csv")),
        (
            b"PK\x03\x04" + bytes(30),
            ("file-format", "table.csv"),
        ),
    ],
)
def test_example_bad_text(read, text, expected):
    with refuses(*expected) as caught:
        read(text, max_levels=2, missing="error")
    assert "\n" not in str(caught.value)


def test_example_duplicates_matter_only_where_wanted(read):
    text = "a,a,b,c\n0,1,0,1\n1,0,0,0\n1,1,1,0\n"
    assert read(text, columns=["c", "b"]).names == ("c", "b")
    with refuses("duplicate-column", "a"):
        read(text, columns=["a", "b"])


@pytest.mark.parametrize("encoding", ["zlib", "hex", "rot13", "undefined", "no\0name", "klingon"])
def test_example_encodings_that_are_not_of_text(tmp_path, encoding):
    (tmp_path / "t.csv").write_text("a,b\n0,1\n1,0\n")
    with refuses("option-value", "encoding"):
        read_file(tmp_path / "t.csv", Reading(encoding=encoding))
