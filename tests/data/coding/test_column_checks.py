"""Questions about a table: what is asked, and what is not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from markhood.data.coding.cells import MISSING
from markhood.data.coding.column_kinds import likeness
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


def test_example_columns_that_are_not_variables_are_left_out(tmp_path):
    table = ANSWERS.assign(
        id=range(1, N + 1),
        born=pd.date_range("2001-01-01", periods=N).strftime("%Y-%m-%d"),
        name=[f"P{k}" for k in range(N)],
        iq=RNG.normal(100, 15, N).round(1),
    )
    (warning,) = warnings_of(table)
    assert (warning.code, warning.where) == ("left-out", "id")
    for fact in (
        "3 columns",
        "'id' (numbers of the rows)",
        "'born' (dates)",
        "'name' (an identifier)",
    ):
        assert fact in str(warning)
    assert "kinds={'id': 'nominal'}" in str(warning)
    assert warnings_of(table, exclude=["id", "born", "name"]) == []
    table.to_csv(tmp_path / "t.csv", index=False)
    for read in (lambda: encode(table), lambda: read_samples(tmp_path / "t.csv")):
        with warns("left-out", where="id"):
            samples = read()
        assert samples.names == (*ANSWERS, "iq")
        assert dict(samples.account.left_out) == {
            "id": "numbers of the rows",
            "born": "dates",
            "name": "an identifier",
        }


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
