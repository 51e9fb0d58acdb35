"""Questions about a table: what is asked, and what is not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from markhood.data.coding.cells import MISSING
from markhood.data.coding.column_checks import likeness, suspected_codes
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.errors import DataWarning, InputError, on_command_line, written_by

N = 40
RNG = np.random.default_rng(0)
ANSWERS = pd.DataFrame({"a": RNG.integers(0, 2, N), "b": RNG.integers(1, 6, N)})


def said_of(data, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        encode(data, **options)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (list(range(5, 50)), "running numbers"),
        ([float(k) for k in range(5, 50)], "running numbers"),
        ([3, 17, 4, 99], "identifiers or measurements"),
        ([100, 101, 100, 99, 100, 101], "measurements"),
        ([1.5, 2.25], "measurements"),
        (["1.5", "2.25"], "measurements"),
        (["2024-01-31", "2024-02-01 10:00"], "dates"),
        (["31.1.2024", "1/2/24"], "dates"),
        (["10:30", "23:59:01"], "dates"),
        (["P-001", "P-002", "P-003"], "identifiers"),
        (["I did not like it much", "it was quite all right"], "free text"),
        (["red", "blue", "red", "blue"], "categories"),
    ],
)
def test_example_what_values_look_like(values, expected):
    assert likeness(values) == expected


@pytest.mark.parametrize(
    ("levels", "codes"),
    [
        ((-99, 1, 2), [-99]),
        ((-9, 0, 1), [-9]),
        ((-9, -8, 0, 1), [-9, -8]),
        ((-9, -3, 0), []),  # other negative numbers
        ((-1, 1), []),
        ((-9.0, 1.0), [-9.0]),
        ((1, 2, 3, 9), [9]),
        ((1, 2, 3, 4, 5, 6, 7, 9), []),
        ((18, 40, 98, 99), []),
        ((18, 40, 98, 999), [999]),
        ((1, 9), []),
        (("n", "y", "?"), ["?"]),
        (("-", "+"), ["-"]),
        (("-", "A", "C"), []),  # a gap of an alignment
        ((0, 1, "."), ["."]),
        ((".", None), []),  # it is all that there is
        ((False, True), []),
    ],
)
def test_example_codes_for_missing(levels, codes):
    assert suspected_codes(levels) == codes


def test_example_codes_are_asked_about_by_name():
    table = ANSWERS.copy()
    table.loc[:11, "a"] = -99
    table.loc[:1, "b"] = -99
    assert said_of(table) == [
        (
            "-99 (14 times in columns 'a' and 'b') looks like a code for missing, and is taken as a level: "
            "say missing_values=[-99] if missing is what it means."
        )
    ]
    with written_by(on_command_line):
        assert "say --missing-values -99 if" in said_of(table)[0]
    assert said_of(table, missing_values=[-99], missing="level") == []


def test_example_columns_that_are_no_categories_are_named_in_one_sentence():
    table = ANSWERS.assign(
        id=range(1, N + 1),
        born=pd.date_range("2001-01-01", periods=N).strftime("%Y-%m-%d"),
        iq=RNG.normal(100, 15, N).round(1),
    )
    (sentence,) = said_of(table)
    assert sentence.startswith(
        "3 columns are taken value by value and do not look so: 'id' (running"
    )
    assert "'born' (dates, such as '2001-01-01' and" in sentence
    assert sentence.endswith(
        "leave them out with exclude=['id', 'born', 'iq'], or cut measurements into bins with bins=4."
    )
    assert said_of(table, exclude=["id", "born", "iq"]) == []


def test_example_many_whole_numbers_are_measurements_though_values_repeat():
    table = np.column_stack([np.arange(900) % 31, np.arange(900) % 2])
    assert "'x0' (measurements" in said_of(table)[0]
    assert said_of(np.column_stack([np.arange(900) % 30, np.arange(900) % 2])) == []


def test_example_too_many_values_in_several_columns_on_both_doors(tmp_path):
    table = pd.DataFrame(
        {
            "id": range(300),
            "a": np.arange(300) % 2,
            "b": np.arange(300) // 150,
            "name": [f"P{k}" for k in range(300)],
        }
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    messages = set()
    for read in (lambda: encode(table), lambda: read_samples(tmp_path / "t.csv")):
        with pytest.raises(InputError) as caught:
            read()
        messages.add(str(caught.value))
    assert messages == {
        (
            "2 columns have more than 64 values: 'id' (running numbers, such as 0 and 1) and 'name' "
            "(identifiers, such as 'P0' and 'P1'); leave them out with exclude=['id', 'name']."
        )
    }


@pytest.mark.filterwarnings("ignore:The text .None.:markhood.errors.DataWarning")
@pytest.mark.parametrize("marker", sorted(MISSING))
def test_example_one_list_of_missing_values_for_all_doors(tmp_path, marker):
    column = ["yes", marker, "no", "yes"]
    (tmp_path / "t.csv").write_text(
        "a,b\n" + "".join(f'"{c}",{k % 2}\n' for k, c in enumerate(column))
    )
    by_hand = {"a": column, "b": [0, 1, 0, 1]}
    doors = [
        read_samples(tmp_path / "t.csv", missing="level"),
        encode(pd.read_csv(tmp_path / "t.csv"), missing="level"),
        encode(pd.DataFrame(by_hand), missing="level"),
        encode(pl.DataFrame(by_hand), missing="level"),
        encode(list(map(list, zip(*by_hand.values(), strict=True))), ["a", "b"], missing="level"),
    ]
    assert {samples.levels for samples in doors} == {(("no", "yes", None), (0, 1))}
    assert len({samples.fingerprint for samples in doors}) == 1


@pytest.mark.parametrize("kind", ["U6", "S6"])
def test_example_missing_values_in_arrays_of_text(kind):
    table = np.array([["yes", "a"], ["NA", "b"], ["no", ""]], kind)
    levels = encode(table, missing="level").levels
    assert [len(own) for own in levels] == [3, 3]
    assert [own[-1] for own in levels] == [None, None]


def test_example_categories_that_are_declared_are_levels_whatever_they_are_called():
    column = pd.Categorical(["None", "some", "NA", "None"], categories=["None", "some", "NA"])
    assert encode(pd.DataFrame({"a": column, "b": [0, 1, 0, 1]})).levels[0] == (
        "None",
        "some",
        "NA",
    )


def test_example_what_was_taken_as_missing_is_named():
    with pytest.raises(
        InputError, match=r"2 missing values \('NA' and 'None'\) in column 'x0' \(2\)"
    ):
        encode([["NA", 0], ["None", 1], ["yes", 0]])
    with pytest.warns(DataWarning, match="^The text 'None' was taken as missing: "):
        encode([["no", 0], ["None", 1], ["yes", 0]], missing="level")


def test_example_values_of_any_kind_behind_one_too_many():
    rows = [[k, k % 2] for k in range(70)]
    with pytest.raises(InputError, match="more than 64 values"):
        encode([*rows, [float("inf"), 1], [{}, 0]])
    floats = np.array([[k, k % 2] for k in [*range(64), np.inf, 70, 71]], float)
    with pytest.raises(InputError, match="more than 64 values"):
        encode(floats)
