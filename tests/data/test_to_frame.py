"""Frames of results: which library, and which types the columns have."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import markhood
from markhood.data import to_frame
from markhood.data.variables import Variables
from messages import refuses

KNOWN = Variables(
    ("count", "share", "flag", "word", "step", "mixed"),
    ((-1, 4), (0.5, 1.5), (False, True), ("a", "b"), ("low", "mid", "top"), ("a", None)),
    (False, False, False, False, True, False),
)
NUMBERS = np.array([[0, 1, 1, 0, 2, 1], [1, 0, 0, 1, 0, 0]])
VALUES = [[-1, 4], [1.5, 0.5], [True, False], ["a", "b"], ["top", "low"], [None, "a"]]


def test_example_pandas_columns_have_the_types_of_the_levels():
    frame = to_frame.frame_of_levels(KNOWN, NUMBERS, "pandas")
    assert list(frame.columns) == list(KNOWN.names)
    assert [str(frame[name].dtype) for name in KNOWN.names[:3]] == ["int64", "float64", "bool"]
    assert frame["step"].cat.ordered
    assert list(frame["step"].cat.categories) == ["low", "mid", "top"]
    for name, values in zip(KNOWN.names[:5], VALUES, strict=False):
        assert frame[name].tolist() == values
    assert frame["mixed"].isna().tolist() == [True, False]


def test_example_polars_columns_have_the_types_of_the_levels():
    frame = to_frame.frame_of_levels(KNOWN, NUMBERS, "polars")
    types = [pl.Int64, pl.Float64, pl.Boolean, pl.String, pl.Enum(["low", "mid", "top"]), pl.String]
    assert frame.dtypes == types
    for name, values in zip(KNOWN.names, VALUES, strict=True):
        assert frame[name].to_list() == values


def test_example_the_unseen_level_of_a_constant_is_missing():
    constant = Variables(("a",), ((7,),))
    frame = to_frame.frame_of_levels(constant, np.array([[0], [1]]), "polars")
    assert frame["a"].to_list() == [7, None]


@pytest.mark.parametrize(
    ("imported", "installed", "chosen"),
    [
        (["pandas", "polars"], [], "pandas"),
        (["polars"], ["pandas"], "polars"),
        ([], ["pandas", "polars"], "pandas"),
        ([], ["polars"], "polars"),
    ],
)
def test_example_the_library_that_is_in_use_is_chosen(monkeypatch, imported, installed, chosen):
    for name in to_frame.LIBRARIES:
        if name not in imported:
            monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(to_frame, "find_spec", lambda name: name in installed or None)
    assert to_frame.frame_library() == chosen
    assert to_frame.frame_library(np.zeros(3)) == chosen


def test_example_without_both_the_extra_is_named(monkeypatch):
    for name in to_frame.LIBRARIES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(to_frame, "find_spec", lambda name: None)
    with refuses("library-missing", "pandas", "markhood[pandas]", "markhood[polars]"):
        to_frame.frame_of({"a": [1]})


def test_example_data_decide():
    assert to_frame.frame_library(pl.DataFrame({"a": [1]})) == "polars"
    assert to_frame.frame_library(pd.DataFrame({"a": [1]})) == "pandas"


def test_example_names_that_are_not_utf8_stay_in_pandas():
    assert to_frame.frame_of({"a": ["x\udc80"]}, "pandas")["a"].tolist() == ["x\udc80"]
    with refuses("not-supported", "polars"):
        to_frame.frame_of({"a": ["x\udc80"]}, "polars")


def test_example_no_rows_keep_their_columns():
    assert list(to_frame.frame_of_rows([], ["a", "b"]).columns) == ["a", "b"]


POLARS_ALONE = """
import polars, markhood, sys
data = polars.DataFrame({"a": [0, 1] * 40, "b": [0, 1] * 38 + [1, 0, 1, 0]})
graph = markhood.learn(data)
model = markhood.fit_model(graph, data)
for frame in (graph.to_frame(), model.to_frame(), model.sample(3), model.params):
    assert isinstance(frame, polars.DataFrame), type(frame)
assert "pandas" not in sys.modules
"""


def test_example_a_session_with_polars_alone_stays_so():
    command = [sys.executable, "-c", POLARS_ALONE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_property_samples_are_read_back_as_the_training_data_were(library):
    rng = np.random.default_rng(5)
    base = rng.integers(0, 3, 200)
    columns = {
        "step": np.array(["low", "mid", "top"])[base],
        "word": np.array(["x", "y", "z"])[(base + (rng.random(200) < 0.3)) % 3],
        "flag": base + rng.integers(0, 2, 200) > 1,
        "count": rng.integers(-1, 2, 200) * 5,
        "age": base * 20.0 + rng.normal(0, 9, 200),
    }
    order = ["low", "mid", "top"]
    if library == "pandas":
        data = pd.DataFrame(columns)
        data["step"] = pd.Categorical(data["step"], order, ordered=True)
    else:
        data = pl.DataFrame(columns).with_columns(pl.col("step").cast(pl.Enum(order)))
    samples = markhood.encode(data, bins={"age": 4})
    model = markhood.fit_model(markhood.learn(samples), samples)
    drawn = to_frame.frame_of_levels(model.variables, model.distribution.sample(150, 1), library)
    again = markhood.encode(drawn)
    assert again.variables.kinds == samples.variables.kinds
    assert again.levels[:4] == samples.levels[:4]
    assert set(again.levels[4]) <= set(samples.levels[4])
    assert np.isfinite(model.energy(drawn)).all()
    completed = model.complete(drawn)
    assert type(completed) is type(drawn)
    assert completed.equals(drawn)
