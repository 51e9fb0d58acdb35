"""Missing values: refused, dropped, made a level, or kept apart."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from data.conftest import GONE
from markhood.data.coding.encode import encode, encode_like
from markhood.data.formats.files import read_samples
from markhood.errors import InputError
from messages import refuses, warns

ROWS = [(1, "a"), (None, "b"), (0, None), (2, "b"), (1, "b"), (0, "a")]
WHOLE = [row for row in ROWS if None not in row]


def as_columns(rows):
    return {f"x{j}": list(column) for j, column in enumerate(zip(*rows, strict=True))}


def with_gone(rows):
    return [tuple(GONE if value is None else value for value in row) for row in rows]


def as_array(rows):
    codes = {"a": 0.0, "b": 1.0, None: np.nan}
    return np.array([[codes.get(value, value) for value in row] for row in rows], float)


MAKERS = {
    "list": lambda rows: [list(row) for row in rows],
    "object": lambda rows: np.array(rows, object),
    "pandas": lambda rows: pd.DataFrame(as_columns(rows)),
    "pandas-nullable": lambda rows: pd.DataFrame(as_columns(rows)).convert_dtypes(),
    "polars": lambda rows: pl.DataFrame(as_columns(rows)),
    "arrow": lambda rows: pa.table(as_columns(rows)),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_each_policy(make, times, decode):
    data = make(ROWS * times)
    facts = (f"{2 * times} of {6 * times} rows", str(4 * times))
    with warns("rows-dropped", where="missing", facts=facts):
        dropped = encode(data, missing="drop")
    assert decode(dropped) == WHOLE * times
    assert dropped.fingerprint == encode(make(WHOLE * times)).fingerprint
    levels = encode(data, missing="level")
    assert levels.levels == ((0, 1, 2, None), ("a", "b", None))
    assert decode(levels) == ROWS * times
    apart = encode(data, missing="impute")
    assert apart.levels == ((0, 1, 2), ("a", "b"))
    assert decode(apart) == with_gone(ROWS * times)
    assert len({dropped.fingerprint, levels.fingerprint, apart.fingerprint}) == 3
    with refuses("missing-values", "x0", "'x1'", "'drop'", "'level'", "'impute'"):  # fmt: skip
        encode(data, missing="error")


@pytest.mark.parametrize("kind", ["C", "F", "sparse", "npy"])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_arrays(kind, decode, tmp_path):
    table = as_array(ROWS * 100)
    np.save(tmp_path / "t.npy", table)

    def read(**options):
        if kind == "npy":
            return read_samples(tmp_path / "t.npy", **options)
        return encode(scipy.sparse.csc_array(table) if kind == "sparse" else
                      np.array(table, order=kind), **options)  # fmt: skip

    expected = [tuple(None if math.isnan(v) else v for v in row) for row in table.tolist()]
    assert decode(read(missing="level")) == expected
    assert decode(read(missing="impute")) == with_gone(expected)
    with warns("rows-dropped", where="missing"):
        assert decode(read(missing="drop")) == [row for row in expected if None not in row]


CELLS = st.sampled_from([0, 1, 2, None])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=2, max_size=150))
@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
def test_property_every_road_agrees(rows):
    assume(all(len({*column} - {None}) > 1 for column in as_columns(rows).values()))
    array = np.array([[np.nan if v is None else v for v in row] for row in rows])
    frame = pl.DataFrame(as_columns(rows), schema=dict.fromkeys(["x0", "x1", "x2"], pl.Int8))
    for missing in ("drop", "level", "impute"):
        found = []
        for data in ([list(row) for row in rows], array, frame):
            try:
                found.append(encode(data, missing=missing).fingerprint)
            except InputError as error:
                found.append(str(error))
        assert len(set(found)) == 1
    whole = [row for row in rows if None not in row]
    if len(whole) > 1 and 2 * len(whole) >= len(rows):
        dropped = encode(array, missing="drop")
        assert dropped.fingerprint == encode([list(row) for row in whole]).fingerprint


def test_example_text_files(tmp_path, decode):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,yes\n-9,no\n0,?\n,no\n1,NA\n-9.0,yes\n")
    expected = [(1, "yes"), (None, "no"), (0, None), (None, "no"), (1, None), (None, "yes")]
    for codes in ([-9, "?"], ["-9", "?"], [-9.0, "?"]):
        samples = read_samples(path, missing="level", missing_values=codes)
        assert decode(samples) == expected
    with refuses("missing-values", "a", "5 missing", "'a' (3)", "'b' (2)", "line 3"):
        read_samples(path, missing="error", missing_values=[-9, "?"])


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (np.array([[1, 0], [-9, 1], [0, -9]], np.int8), [-9]),
        (np.array([[1, 0], [9, 1], [0, 9]], np.uint8), [9, -1, 300, 10**30]),
        (np.array([[1, 0], [-9, 1], [0, np.nan]]), [-9]),
        (np.array([["1", "0"], ["?", "1"], ["0", "?"]]), ["?"]),
        (np.array([[b"1", b"0"], [b"?", b"1"], [b"0", b"?"]]), ["?"]),
        (np.array([["1", "0"], ["-9", "1"], ["0", "-9"]]), [-9]),
        ([[1, 0], [-9, 1], [0, "?"]], [-9, "?"]),
        (pd.DataFrame({"a": [1, -9, 0], "b": [0, 1, -9]}), [-9]),
        (np.array([[1, 0], [np.inf, 1], [0, np.nan]]), [np.inf]),
    ],
)
def test_example_codes_for_missing(data, codes, decode):
    samples = encode(data, missing="level", missing_values=codes)
    assert [[v is None for v in row] for row in decode(samples)] == [
        [False, False],
        [True, False],
        [False, True],
    ]
    assert all(len(levels) == 3 for levels in samples.levels)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.usefixtures("small_chunks")
def test_example_a_column_that_begins_with_missing_values(first, decode):
    table = np.full((200, 2), np.nan)
    table[150:, 0] = np.arange(50) % 3
    table[:, 1] = np.arange(200) % 2
    if not first:
        table = table[::-1]
    samples = encode(table, missing="level")
    assert samples.levels == ((0, 1, 2, None), (0, 1))
    expected = [tuple(None if math.isnan(v) else v for v in row) for row in table.tolist()]
    assert decode(samples) == expected


def test_example_dates(decode):
    day = datetime.date(2024, 1, 1)
    rows = [[day, 1], [None, 0], [datetime.date(2024, 1, 2), 1]]
    assert decode(encode(rows, missing="level")) == [tuple(row) for row in rows]
    days = ["2024-01-01", "2024-01-02"]
    dates = np.array([[days[0], "NaT"], [days[1], days[0]], [days[1], days[1]]], "M8[D]")
    assert decode(encode(dates, missing="impute"))[0][1] == GONE


def test_example_levels_that_only_dropped_rows_had_are_removed(decode):
    rows = [[0, 5, 1], [1, None, 2], [0, 5, 3], [0, 5, 1]]
    with warns("rows-dropped", "constant-column", where="missing", facts=("1 of 4 rows",)):
        samples = encode(rows, missing="drop")
    warned = [one.where for one in samples.account.findings if one.severity == "warning"]
    assert warned == ["missing", "x0"]
    assert samples.levels == ((0,), (5,), (1, 3))
    assert decode(samples) == [(0, 5, 1), (0, 5, 3), (0, 5, 1)]


def test_example_the_higher_of_two_values_may_be_the_one_that_stays(decode):
    rows = [[7, None, 0], [9, 0, 1], [9, 1, 0]]
    with warns("rows-dropped", "constant-column", where="missing", facts=("1 of 3 rows",)):
        samples = encode(rows, missing="drop")
    assert samples.levels == ((9,), (0, 1), (0, 1))
    assert decode(samples) == [(9, 0, 1), (9, 1, 0)]


@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        (
            [[None, 1], [1, None], [1, 0]],
            {"missing": "drop"},
            ("too-few-rows", "missing", "2 of 3 rows", "missing='auto'"),
        ),
        ([[None, 1], [None, 0]], {"missing": "impute"}, ("empty-column", "x0")),
        ([[0, 1], [1, 0]], {"missing": "ignore"}, ("option-value", "missing", "'ignore'")),
        ([[0, 1], [1, 0]], {"missing_values": "-9"}, ("option-value", "missing_values", "'-9'")),
        ([[0, 1], [1, 0]], {"missing_values": -9}, ("option-value", "missing_values")),
        ([[0, 1], [1, 0]], {"missing_values": None}, ("option-value", "missing_values")),
        ([[0, 1], [1, 0]], {"missing_values": [[]]}, ("option-value", "missing_values")),
    ],
)
def test_example_bad_choices(data, options, expected):
    with refuses(*expected):
        encode(data, **options)


def test_example_a_column_with_missing_values_only(decode):
    with warns("constant-column", where="x0", facts=("1 column",)):
        samples = encode([[None, 1], [None, 0]], missing="level")
    assert samples.levels == ((None,), (0, 1))
    assert decode(samples) == [(None, 1), (None, 0)]


def test_oracle_fixed_levels_with_missing(decode):
    levels = ((0, 1, None), ("a", "b"))
    rows = [(None, "a"), (1, "b"), (0, "a")]
    assert decode(encode_like([list(row) for row in rows], levels)) == rows
    array = np.array([[np.nan, 0.0], [1, 1]])
    assert decode(encode_like(array, ((0, 1, None), (0, 1)))) == [(None, 0), (1, 1)]
    with refuses("missing-values", "x1"):
        encode_like([[0, None]], levels)
    only = ((None,), (0, 1))
    assert decode(encode_like(array[:1], only)) == [(None, 0)]
    with refuses("unknown-level", "x0", "value 1", "row 2"):
        encode_like(array, only)


def test_example_fixed_levels_and_the_other_choices(decode):
    levels = ((0, 1), (0, 1, 2))
    table = np.array([[0, np.nan], [1, 0], [0, 2]])
    assert decode(encode_like(table, levels, missing="impute"))[0] == (0, GONE)
    with warns("rows-dropped", where="missing"):
        samples = encode_like(table, levels, missing="drop")
    assert samples.levels == levels
    assert decode(samples) == [(1, 0), (0, 2)]
