"""Titles, headers and rows of units: which rows of a file are not data."""

from __future__ import annotations

import openpyxl
import pytest

import markhood
from markhood.data.formats.files import read_samples
from messages import refuses, warns

STOPS = [
    (f"17-{k:06}", f"2017-01-{k % 28 + 1:02}", "suspicious", "MDC" if k % 3 else "other",
     "citation", "No", "Black", "Male", 44.97 + k / 1e4, -93.2 - k / 1e4, k % 5, "Cedar")
    for k in range(60)
]  # fmt: skip
NAMES = ["idNum", "date", "problem", "MDC", "kind", "search", "race", "gender", "lat", "long",
         "precinct", "area"]  # fmt: skip
SCORES = [("ann", k % 3, 1.5 + k % 4, "xyz"[k % 3]) for k in range(40)]


@pytest.fixture
def read(tmp_path):
    """Return a function that writes rows to a file and reads it."""

    def read_rows(rows, name="t.csv", delimiter=",", **options):
        path = tmp_path / name
        if name.endswith(".xlsx"):
            book = openpyxl.Workbook()
            for row in rows:
                book.active.append(list(row))
            book.save(path)
        else:
            path.write_text("\n".join(delimiter.join(map(str, row)) for row in rows) + "\n")
        return read_samples(path, **options)

    return read_rows


def test_example_a_name_that_is_also_a_value(read):
    with warns("file-header", facts=("'idNum'", "header=False")):
        samples = read([NAMES, *STOPS], exclude=["id*", "date", "l*", "problem", "kind", "s*", "r*",
                                                 "gender", "area"])  # fmt: skip
    assert samples.names == ("MDC", "precinct")
    assert samples.n_samples == 60


def test_example_data_without_a_header_are_data(read):
    rows = [(row[3], row[10], row[3] + "x", "ab"[row[10] % 2]) for row in STOPS]
    samples = read(rows)
    assert samples.names == ("x0", "x1", "x2", "x3")
    assert samples.n_samples == 60


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_example_titles_above_the_header(read, name, delimiter):
    titles = [["Table 1: scores of children"], ["Source: a study"]]
    names = ["who", "visit", "score", "group"]
    with warns("file-header", facts=("2 lines", "Table 1", "skip_rows")):
        samples = read([*titles, names, *SCORES], name, delimiter, exclude=["who"])
    assert samples.names == ("visit", "score", "group")
    assert samples.n_samples == 40


def test_example_rows_to_skip_by_request(read):
    rows = [["a", "b", "c", "d"], ["who", "visit", "score", "group"], *SCORES]
    samples = read(rows, exclude=["who"], table=markhood.TableFormat(skip_rows=1))
    assert samples.names == ("visit", "score", "group")
    with refuses("option-value", "skip_rows"):
        markhood.TableFormat(skip_rows=-1)
    with refuses("too-few-rows", "t.csv", "skip_rows=100"):
        read(rows, table=markhood.TableFormat(skip_rows=100))


def test_example_a_row_of_units(read):
    rows = [["who", "visit", "score", "group"], ["", "number", "points", ""], *SCORES]
    with warns("file-header", facts=("'number' and 'points'",)):
        samples = read(rows, exclude=["who"])
    assert samples.names == ("visit", "score", "group")
    assert samples.n_samples == 40


def test_example_two_rows_of_names(read):
    rows = [["first", "", "second", ""], ["mood", "sleep", "mood", "sleep"]]
    values = [(k % 2, k % 3, (k // 2) % 2, k % 5) for k in range(40)]
    with warns("file-header", facts=("added to the names",)):
        samples = read([*rows, *values])
    assert samples.names == ("first mood", "first sleep", "second mood", "second sleep")
    assert samples.levels[0] == (0, 1)


def test_example_a_row_of_missing_values_is_data(read):
    values = [(k % 2, k % 3, k % 2) for k in range(300)]
    with warns("missing-codes", "rows-dropped"):
        samples = read([["a", "b", "c"], ["?", "?", 1], *values, ["?", 1, 0]])
    assert samples.account.n_rows == 302


def test_example_messages_name_the_line_of_the_file(read):
    rows = [["A title"], ["a", "b", "c"], *((k % 2, k % 3, k % 2) for k in range(40)), [1, 1]]
    with refuses("file-damaged", "t.csv", "Line 43"):
        read(rows)
