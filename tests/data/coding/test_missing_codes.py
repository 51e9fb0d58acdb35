"""Codes for missing values: what is one, what may be one, and what is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from markhood.data.coding.encode import encode, encode_like
from markhood.data.coding.missing_codes import find_codes
from markhood.data.formats.files import read_samples
from markhood.errors import on_command_line, written_by
from messages import ignores, refuses, warns

AGES = range(18, 75)


@pytest.mark.parametrize(
    ("values", "certain", "doubtful"),
    [
        ([-99, 1, 2], [-99], []),
        ([-9, -9, 0, 1], [-9], []),
        ([-9, 0, 1], [], [-9]),  # once only
        ([-9, -9, -8, -8, 0, 1], [-9, -8], []),
        ([-9, -9, 0.5, 1.5], [], [-9]),  # degrees, perhaps
        ([-9, -9, -3, 0], [], []),  # other negative numbers
        ([-99, -3, 0, 3], [-99], []),
        ([-1, 1], [], []),
        ([0.0, 1.0, 1.7e308], [], []),
        ([-9.0, 1.0], [], [-9.0]),
        ([0, 1, 9], [9], []),
        ([1, 2, 7, 9], [7, 9], []),
        ([1, 2, 3, 9, 9], [9], []),
        ([1, 2, 3, 4, 5, 9, 9], [9], []),
        ([1, 2, 3, 4, 5, 8, 8, 9], [], [8, 9]),  # a household of nine
        ([1, 2, 3, 4, 5, 6, 7, 9], [], []),
        ([0, 0, 0, 1, 1, 2, 9], [], [9]),  # the tail of counts
        ([0, 0, 0, 1, 1, 2, 9, 9], [], [9]),
        ([0, 0, 0, 1, 5, 12, 99], [], [99]),
        ([*AGES, 999], [999], []),
        ([*AGES, 99, 99], [], [99]),
        ([*AGES, *range(75, 100)], [], []),
        ([200, 450, 999, 1500, 2000], [], []),  # incomes
        ([1, 9], [], []),
        ([18, 40, 98, 99], [], [98, 99]),
        (["n", "y", "?"], ["?"], []),
        (["y", "?"], [], ["?"]),
        (["-", "+"], [], []),
        (["-", "A", "C"], [], []),  # a gap of an alignment
        (["-", "low", "high"], [], ["-"]),
        ([0, 1, "."], ["."], []),
        ([1, 2, 3, "Don't know", "refused"], ["refused", "Don't know"], []),
        (["no", "yes", "don't know", "Refused"], ["Refused"], ["don't know"]),
        ([False, True], [], []),
    ],
)
def test_example_codes(values, certain, doubtful):
    counts = {value: values.count(value) for value in values}
    found = find_codes(counts)
    assert (found.certain, found.doubtful) == (certain, doubtful)


@pytest.mark.parametrize(
    "name", ["fair", "heart", "spector", "star98", "anes96", "ccard", "strikes", "modechoice"]
)
def test_example_no_value_of_real_tables_is_read_as_missing(name):
    data = getattr(sm.datasets, name).load_pandas().data
    found = {c: find_codes(data[c].dropna().value_counts().to_dict()).certain for c in data}
    assert not any(found.values())


def table(n=200, **columns):
    rng = np.random.default_rng(0)
    given = {"a": rng.integers(0, 2, n), "age": rng.integers(18, 75, n)}
    return pd.DataFrame(given | columns)


def test_example_a_code_is_found_before_numbers_are_cut():
    data = table()
    data.loc[:9, "age"] = 999
    with warns("missing-codes", "missing-values", where="age", facts=("999", "10 times")):
        samples = encode(data, bins=4)
    assert samples.levels[1][-1].endswith("74]")
    assert samples.account.missing == {"age": 10}
    with ignores("missing-codes"):
        kept = encode(data, bins=4, missing_values=[])
    assert kept.levels[1][-1].endswith("999]")
    with refuses("missing-values", "age", "10 missing", "'999'"), ignores("missing-codes"):
        encode(data, bins=4, missing="error")


def test_example_the_choice_is_named_as_the_user_would_write_it():
    data = table()
    data.loc[:9, "age"] = 999
    facts = ("--missing-values ''",)
    with written_by(on_command_line), warns("missing-codes", "missing-values", facts=facts):
        encode(data, bins=4)


def test_example_the_same_from_a_file(tmp_path):
    data = table()
    data["age"] = data["age"].astype(object)
    data.loc[:4, "age"] = "refused"
    data.to_csv(tmp_path / "t.csv", index=False)
    with warns("missing-codes", "missing-values", where="age"):
        samples = read_samples(tmp_path / "t.csv", bins=4)
    assert samples.account.missing == {"age": 5}


def test_example_new_data_have_the_same_codes():
    levels = ((0, 1), ("[18, 40)", "[40, 74]"))
    with warns("missing-codes", where="x1"):
        samples = encode_like([[0, 999], [1, 30]], levels, missing="impute")
    assert list(samples.missing) == [1]
    with refuses("missing-values", "x1"), ignores("missing-codes"):
        encode_like([[0, 999], [1, 30]], levels)


def test_example_declared_categories_are_kept():
    data = table(answer=pd.Categorical(["yes", "no", "no", "refused"] * 50))
    with warns("missing-codes", where="answer", facts=("treated as a level",)):
        assert encode(data, bins=4).levels[2] == ("no", "refused", "yes")
