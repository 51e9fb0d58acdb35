"""Headers, indexes and ends of lines: what a table does not say of itself."""

from __future__ import annotations

import gzip
import warnings

import numpy as np
import pandas as pd
import pytest

from markhood.data.formats.files import read_file, read_samples
from markhood.data.reading import Reading, TableFormat
from markhood.errors import DataWarning
from messages import refuses, warns

VALUES = np.random.default_rng(0).integers(0, 2, (40, 4))
FRAME = pd.DataFrame(VALUES, columns=list("abcd"))


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a text, and returns the samples and the warnings."""

    def read_text(text, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            samples = read_file(path, Reading(**options))
        assert {w.category for w in caught} <= {DataWarning}
        return samples, [w.message for w in caught]

    return read_text


def codes(given):
    return [one.code for one in given]


def lines(rows, header=None, end=""):
    body = [",".join(map(str, row)) + end for row in rows]
    return "\n".join([*([] if header is None else [header]), *body]) + "\n"


def values_of(samples, decode):
    return [list(row) for row in decode(samples)]


@pytest.mark.parametrize("index", [False, True])
def test_example_integer_names_that_pandas_wrote(read, decode, index):
    samples, given = read(pd.DataFrame(VALUES).to_csv(index=index))
    assert samples.names == ("0", "1", "2", "3")
    assert values_of(samples, decode) == VALUES.tolist()
    assert codes(given) == ["file-header", *["index-column"][:index]]
    assert "'0', '1', '2' and '3'" in str(given[0])
    assert "header=False" in str(given[0])


@pytest.mark.parametrize("first", ["class,1,2,3,4,5,6", "class,0,1,2,3,4,5", "1,2,3,4,5,6,7"])
def test_example_many_numbers_that_are_counted_are_names(read, first):
    rows = [("ab"[k % 2], *((k + j) % 7 for j in range(6))) for k in range(40)]
    if first[0] == "1":
        rows = [[7 - (k % 2), *row[1:]] for k, row in enumerate(rows)]
    samples, given = read(lines(rows, first))
    assert samples.names == tuple(first.split(","))
    assert codes(given)[0] == "file-header"
    assert "header=False" in str(given[0])


def test_example_a_first_row_unlike_the_others_that_is_read_as_data(read):
    rows = [("abc"[k % 3], "xy"[k % 2], "uvw"[k % 3], "st"[k % 2]) for k in range(40)]
    samples, given = read(lines(rows, "1,2,w,t"))
    assert samples.n_samples == 41
    assert codes(given) == ["file-header"]
    for fact in ("'1', '2', 'w' and 't'", "because 'w'", "header=True"):
        assert fact in str(given[0])
    assert read(lines(rows, "a,2,w,t"))[1] == []


def test_example_a_name_and_a_few_numbers_that_are_counted_may_be_data(read):
    rows = [("ab"[k % 2], *((k + j) % 4 for j in range(3))) for k in range(40)]
    samples, _ = read(lines(rows, "b,1,2,3"))
    assert samples.n_samples == 41


def test_example_two_integers_are_data(read):
    samples, given = read(lines(VALUES[:, :2], "0,1"))
    assert samples.names == ("x0", "x1")
    assert samples.n_samples == 41
    assert codes(given)[0] == "file-header"
    assert "header=True" in str(given[0])


@pytest.mark.parametrize(
    ("header", "end"),
    [("a,b,c,d,", ","), ("a,b,c,d", ","), ("a,b,c,d,", "")],
    ids=["both", "rows", "header"],
)
def test_example_lines_that_end_in_a_delimiter(read, decode, header, end):
    samples, given = read(lines(VALUES, header, end))
    assert samples.names == ("a", "b", "c", "d")
    assert values_of(samples, decode) == VALUES.tolist()
    assert given == []


def test_example_something_after_the_last_delimiter_late_in_the_file(read):
    text = lines(np.tile(VALUES, (10, 1)), "a,b,c,d,", ",") + "0,0,0,0,7\n"
    with refuses("file-damaged", "table.csv", "Line 402", "'7'"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        FRAME.to_csv(),
        FRAME.rename(index=lambda k: k + 1).to_csv(),
        FRAME.rename(index=lambda k: f"row {k}").to_csv(),
        FRAME.to_csv(index_label="Unnamed: 0"),
        FRAME.rename(index=lambda k: f"r{k}").to_csv().removeprefix(","),  # as R writes it
    ],
    ids=["zero", "one", "names", "pandas", "r"],
)
def test_example_an_index_is_left_out(read, decode, text):
    samples, given = read(text)
    assert samples.names == ("a", "b", "c", "d")
    assert values_of(samples, decode) == VALUES.tolist()
    assert codes(given) == ["index-column"]
    assert list(samples.account.left_out.values()) == ["the index"]


def test_example_a_nameless_first_column_with_values_that_come_again_late_is_a_variable(read):
    first = [*range(300), 7]
    rows = [(k, k % 2) for k in first]
    samples, given = read(lines(rows, ",b"), max_levels=400)
    assert samples.names == ("x0", "b")
    assert any("x0" in str(one) for one in given if one.code == "file-header")
    assert samples.account.left_out == {}


def test_example_a_row_of_texts_that_occur_again_is_data(read):
    samples, given = read("yes,never\nno,often\nyes,seldom\nno,often\n")
    assert samples.names == ("x0", "x1")
    assert codes(given) == ["file-header"]
    for fact in ("'yes' and 'never'", "because 'yes'", "header=True"):
        assert fact in str(given[0])


def test_example_obvious_tables_are_read_without_a_warning(read):
    assert read(lines(VALUES, "a,b,c,d"))[1] == []
    assert read("1,0\n0,1\n1,1\n")[1] == []


def test_example_decimals_are_no_names(read):
    samples, _ = read("1.5,2.25\n1.75,2.25\n1.5,3.5\n")
    assert samples.names == ("x0", "x1")
    assert samples.n_samples == 3


@pytest.mark.parametrize("corner", ["", "species"])
def test_example_transposed(read, decode, corner):
    text = FRAME.T.rename(columns=lambda k: f"site{k}").to_csv(index_label=corner)
    samples, _ = read(text, transpose=True)
    assert samples.names == ("a", "b", "c", "d")
    assert values_of(samples, decode) == VALUES.tolist()


@pytest.mark.parametrize("save", [np.save, np.savez])
@pytest.mark.parametrize("order", ["C", "F"])
def test_example_transposed_arrays(tmp_path, decode, save, order):
    path = tmp_path / ("t.npy" if save is np.save else "t.npz")
    save(path, np.array(VALUES.T, order=order))
    assert (
        values_of(read_samples(path, table=TableFormat(transpose=True)), decode) == VALUES.tolist()
    )


def test_example_transposing_is_not_for_every_file(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    with refuses("option-conflict", "transpose"):
        read_samples(tmp_path / "t.parquet", table=TableFormat(transpose=True))


def test_example_the_index_that_pandas_keeps_in_parquet_is_left_out(tmp_path):
    FRAME.rename(index=lambda k: f"row {k}").to_parquet(tmp_path / "t.parquet")
    with warns("index-column", where="__index_level_0__"):
        samples = read_samples(tmp_path / "t.parquet")
    assert samples.names == ("a", "b", "c", "d")


TOWNS = "town;grade\nKöln;1,5\nZürich;2,5\nKöln;3\nZürich;1,5\n"
LEVELS = (("Köln", "Zürich"), (1.5, 2.5, 3))


@pytest.mark.parametrize(
    ("encoding", "is_guessed"),
    [("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("cp1252", True)],
)
def test_example_encodings_and_decimal_commas(read, encoding, is_guessed):
    samples, given = read(TOWNS.encode(encoding))
    assert samples.levels == LEVELS
    assert codes(given) == [*["file-encoding"][:is_guessed], "decimal-comma"]
    assert not is_guessed or "cp1252" in str(given[0])
    assert "1,5" in str(given[-1])
    assert "1.5" in str(given[-1])


def test_example_an_encoding_that_is_named(read):
    samples, given = read(TOWNS.encode("mac-roman"), encoding="mac-roman")
    assert samples.levels == LEVELS
    assert codes(given) == ["decimal-comma"]
    with refuses("option-value", "encoding", "'elvish'"):
        read(TOWNS, encoding="elvish")
    with refuses("file-encoding", "table.csv"):
        read(TOWNS.encode("cp1252"), encoding="utf-8")


def test_example_bytes_that_are_not_utf8_late_in_the_file(read):
    samples, given = read(b"a,b\n" + b"0,x\n1,y\n" * 9000 + b"1,\xe4\n")
    assert samples.levels == ((0, 1), ("x", "y", "ä"))
    assert samples.n_samples == 18001
    assert codes(given) == ["file-encoding"]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("1,5;2,5\n2,5;3,5\n1,5;3,5\n", ((1.5, 2.5), (2.5, 3.5))),  # commas cut it evenly too
        ("a;b\n1,000;1.5\n2,000;2.5\n", (("1,000", "2,000"), (1.5, 2.5))),
        ("a;b\n1,000;1\n2,000;2\n", (("1,000", "2,000"), (1, 2))),  # thousands, or decimals
    ],
)
def test_example_commas_between_semicolons(read, text, levels):
    assert read(text)[0].levels == levels


def test_example_compressed_text(read, decode):
    samples, _ = read(gzip.compress(FRAME.to_csv(index=False).encode()), "t.csv.gz")
    assert values_of(samples, decode) == VALUES.tolist()
    with refuses("file-damaged", "t.tsv.gz"):
        read(gzip.compress(FRAME.to_csv().encode())[:-20], "t.tsv.gz")


def test_example_columns_by_pattern(read):
    text = lines(np.tile(VALUES, 2)[:, :6], "Q1,Q2,id,Q10,note,Q[x]")
    assert read(text, columns=["Q*", "id"])[0].names == ("Q1", "Q2", "Q10", "Q[x]", "id")
    assert read(text, columns=["Q?"])[0].names == ("Q1", "Q2")
    assert read(text, columns=["Q[x]", "id"])[0].names == ("Q[x]", "id")
    samples, _ = read(text, exclude=["Q1*", "note"], index="id")
    assert samples.names == ("Q2", "Q[x]")
    assert samples.account.left_out == {
        "Q1": "excluded", "Q10": "excluded", "note": "excluded", "id": "the index"
    }  # fmt: skip
    with refuses("unknown-column", "R*"):
        read(text, exclude=["R*"])
    with refuses("unknown-column", "ix"):
        read(text, index="ix")


def test_example_named_columns_imply_a_header(read):
    text = "yes,no\nno,no\nyes,yes\nno,no\n"
    samples, given = read(text, columns=["no", "yes"])
    assert samples.names == ("no", "yes")
    assert codes(given)[0] == "file-header"
    assert "header=False" in str(given[0])
    assert read(text)[0].names == ("x0", "x1")
    assert read(FRAME.to_csv(index_label="rownames"), index="rownames")[1] == []
    assert read(FRAME.to_csv(index_label="rownames"), exclude=["row*"])[0].names == tuple("abcd")


def test_example_an_explicit_header_is_read_without_a_warning(read):
    assert read(lines(VALUES, "0,1,2,3"), header=True)[1] == []
    assert read(lines(VALUES, "0,1,2,3"), header=False)[1] == []


def test_example_a_first_row_of_numbers_that_is_too_short_is_no_header(read):
    with refuses("file-damaged", "table.csv", "Line 2", "3 fields"):
        read("1,0\n0,1,1\n1,1,0\n")


def test_example_an_index_and_a_header_that_are_both_refuted(read):
    rows = [("k", 3), *((f"r{k}", k % 2) for k in range(300)), ("r7", 3)]
    text = lines(rows, None).replace("k,3", "rownames,3", 1)
    samples, _ = read(text, max_levels=400, kinds={"x0": "nominal"})
    assert samples.names == ("x0", "x1")
    assert samples.n_samples == 302


def test_example_cells_of_nothing(read):
    with refuses("too-few-rows", "table.csv"):
        read('""\n""\n')
