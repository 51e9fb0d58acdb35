"""Arguments of a wrong type: an `InputError` with the name of the option, never a Python error."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
import xarray as xr

import markhood
from messages import refuses

X = np.random.default_rng(0).integers(0, 2, (40, 3))
WRONG = [object(), b"x", 1.5, [1], np.array([1, 2])]


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["method", "progress"])
def test_example_options_of_learning(name, value):
    with refuses("option-value", name):
        markhood.learn(X, **{name: value})


@pytest.mark.parametrize("value", WRONG[:4], ids=lambda value: type(value).__name__)
def test_example_kernels_and_checkpoints(value):
    with refuses("option-unknown", "kernels"):
        markhood.learn(X, run=markhood.Run(kernels=value))
    with refuses("option-value", "checkpoint"):
        markhood.learn(X, run=markhood.Run(checkpoint=value))


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["method", "missing", "all_pairs", "table"])
def test_example_options_of_fitting(name, value):
    graph = markhood.Graph(["x0", "x1", "x2"], [(0, 1)])
    with refuses("option-value", name):
        markhood.fit_model(graph, X, **{name: value})


def test_example_graphs_of_other_libraries_are_named():
    with refuses("graph-invalid", "graph", "networkx Graph"):
        markhood.fit_model(networkx.path_graph(3), X)


@pytest.mark.parametrize("value", [None, 1.5, object()], ids=lambda value: type(value).__name__)
def test_example_gammas_and_paths(value):
    with refuses("option-value", "gammas"):
        markhood.gamma_path(X, gammas=value)
    with refuses("option-value", "path"):
        markhood.read_samples(value)


def test_example_missing_values_may_be_an_array():
    codes = np.array([7, 8])
    assert markhood.encode(X, missing_values=codes).levels == markhood.encode(X).levels
    assert markhood.fit_model(markhood.learn(X), X, missing_values=codes).n_samples == 40


def test_example_datasets_of_xarray():
    columns = {name: ("row", X[:, j]) for j, name in enumerate("abc")}
    assert markhood.encode(xr.Dataset(columns)).names == ("a", "b", "c")
    with refuses("not-a-table", "", "2 dimensions"):
        markhood.encode(xr.Dataset({"a": (("row", "column"), X)}))
