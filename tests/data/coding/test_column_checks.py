"""Questions about a table: what is asked, and what is not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from markhood.data.coding.cells import MISSING
from markhood.data.coding.column_checks import likeness
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from messages import ignores, refuses, warns

N = 40
RNG = np.random.default_rng(0)
ANSWERS = pd.DataFrame({"a": RNG.integers(0, 2, N), "b": RNG.integers(1, 6, N)})


def warnings_of(data, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        encode(data, **options)
    return [w.message for w in caught]


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


def test_example_columns_that_are_no_categories_are_named_in_one_sentence():
    table = ANSWERS.assign(
        id=range(1, N + 1),
        born=pd.date_range("2001-01-01", periods=N).strftime("%Y-%m-%d"),
        iq=RNG.normal(100, 15, N).round(1),
    )
    (warning,) = warnings_of(table)
    assert (warning.code, warning.where) == ("distinct-column", "id")
    for fact in (
        "3 columns",
        "'id' (running numbers",
        "'born' (dates, such as '2001-01-01' and",
        "exclude=['id', 'born', 'iq']",
        "bins=4",
    ):
        assert fact in str(warning)
    assert warnings_of(table, exclude=["id", "born", "iq"]) == []


def test_example_many_whole_numbers_are_measurements_though_values_repeat():
    table = np.column_stack([np.arange(900) % 31, np.arange(900) % 2])
    assert "'x0' (measurements" in str(warnings_of(table)[0])
    assert warnings_of(np.column_stack([np.arange(900) % 30, np.arange(900) % 2])) == []


def test_example_too_many_values_in_several_columns_of_tables_and_files(tmp_path):
    table = pd.DataFrame(
        {
            "id": range(300),
            "a": np.arange(300) % 2,
            "b": np.arange(300) // 150,
            "name": [f"P{k}" for k in range(300)],
        }
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    facts = ("2 columns", "'id' (running numbers", "'name' (identifiers, such as 'P0' and 'P1')")
    texts = set()
    for read in (lambda: encode(table), lambda: read_samples(tmp_path / "t.csv")):
        with refuses("too-many-levels", "id", *facts, "exclude=['id', 'name']") as caught:
            read()
        texts.add(str(caught.value))
    assert len(texts) == 1


@ignores("missing-codes")
@pytest.mark.parametrize("marker", sorted(MISSING))
def test_example_one_list_of_missing_values_for_all_sources(tmp_path, marker):
    column = ["yes", marker, "no", "yes"]
    (tmp_path / "t.csv").write_text(
        "a,b\n" + "".join(f'"{c}",{k % 2}\n' for k, c in enumerate(column))
    )
    by_hand = {"a": column, "b": [0, 1, 0, 1]}
    sources = [
        read_samples(tmp_path / "t.csv", missing="level"),
        encode(pd.read_csv(tmp_path / "t.csv"), missing="level"),
        encode(pd.DataFrame(by_hand), missing="level"),
        encode(pl.DataFrame(by_hand), missing="level"),
        encode(list(map(list, zip(*by_hand.values(), strict=True))), ["a", "b"], missing="level"),
    ]
    assert {samples.levels for samples in sources} == {(("no", "yes", None), (0, 1))}
    assert len({samples.fingerprint for samples in sources}) == 1


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
    with refuses("missing-values", "x0", "1 missing", "'NA'", "'x0' (1)"):
        encode([["NA", 0], ["no", 1], ["yes", 0]], missing="error")


def test_example_none_is_an_answer_among_words_and_missing_among_numbers():
    assert encode([["no", 0], ["None", 1], ["yes", 0]]).levels[0] == ("None", "no", "yes")
    with warns("missing-codes", where="x0"):
        assert encode([[2, 0], ["None", 1], [1, 0]], missing="level").levels[0] == (1, 2, None)


def test_example_values_of_any_kind_behind_one_too_many():
    rows = [[k, k % 2] for k in range(70)]
    with refuses("too-many-levels", "x0"):
        encode([*rows, [float("inf"), 1], [{}, 0]])
    floats = np.array([[k, k % 2] for k in [*range(64), np.inf, 70, 71]], float)
    with refuses("too-many-levels", "x0"):
        encode(floats)
