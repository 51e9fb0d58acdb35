"""What holds for all results: a frame, HTML, and modules that show their public names only."""

import inspect
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest

import markhood
from markhood.data import to_frame
from oracles.networks import network

NAMES = ["a <b>", "b", "c", "d", "e", "f"]
DATA = pd.DataFrame(network(31, 300, 6, strength=1.5), columns=NAMES)
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
QUICK = {"n_jobs": 1, "seed": 1}


@pytest.fixture(scope="module")
def results():
    graph = markhood.learn(DATA, n_jobs=1)
    model = markhood.fit_model(graph, DATA)
    return {
        "Graph": graph,
        "Bootstrap": markhood.bootstrap(DATA, replicates=6, **QUICK),
        "GammaPath": markhood.gamma_path(DATA, gammas=[0, 0.5], folds=2, **QUICK),
        "GroupComparison": markhood.compare_groups(
            DATA, by=["x <i>", "y"] * 150, permutations=3, **QUICK
        ),
        "FittedModel": model,
        "Answer": model.query("b", {"c": 1}),
    }


ROWS = {
    "Graph": lambda graph: graph.edges,
    "Bootstrap": lambda found: found.edges(),
    "GammaPath": lambda path: path.rows(),
    "GroupComparison": lambda compared: compared.edge_rows(),
    "FittedModel": lambda model: [*model.field_rows(), *model.coupling_rows()],
    "Answer": lambda answer: answer.rows(),
}
TEXTS = {
    "source",
    "target",
    "first",
    "second",
    "parameter",
    "variable",
    "level",
    "other",
    "other_level",
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("kind", ROWS)
def test_property_every_result_is_a_frame(results, kind, library, monkeypatch):
    monkeypatch.setattr(to_frame, "frame_library", lambda data=None, provenance=None: library)
    result = results[kind]
    frame = result.to_frame()
    assert isinstance(frame, FRAMES[library])
    assert len(frame) == len(ROWS[kind](result)) > 0
    for name in set(frame.columns) - TEXTS:
        assert np.isfinite(np.asarray(frame[name], dtype=float)).all() or "if_edge" in name


class Balanced(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("kind", ROWS)
def test_property_every_result_shows_itself_in_a_notebook(results, kind):
    reader = Balanced()
    reader.feed(results[kind]._repr_html_())
    reader.close()
    assert reader.open == []
    assert kind in reader.texts
    said = {"GroupComparison": "x <i>", "GammaPath": "best", "Answer": "exact"}
    assert said.get(kind, "a <b>") in reader.texts


@pytest.mark.parametrize("name", ["convert", "plot"])
def test_property_public_modules_show_public_names_only(name):
    module = getattr(markhood, name)
    assert dir(module) == sorted(module.__all__)
    assert all(callable(getattr(module, own)) for own in module.__all__)
    own = {
        key
        for key, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not key.startswith("_")
    }
    assert own <= set(module.__all__)


def test_example_no_edges_still_make_a_frame():
    empty = markhood.Graph("ab", [])
    assert list(empty.to_frame().columns[:2]) == ["source", "target"]
    coins = np.random.default_rng(0).integers(0, 2, (60, 2))
    found = markhood.bootstrap(coins, gamma=50, replicates=2, **QUICK)
    some = markhood.bootstrap(DATA, replicates=2, **QUICK)
    assert list(found.to_frame().columns) == list(some.to_frame().columns)
    options = {"by": ["x", "y"] * 30, "permutations": 1, "gamma": 50}
    compared = markhood.compare_groups(coins, **options, **QUICK)
    assert list(compared.to_frame().columns) == [
        *("source", "target", "first", "second", "coupling_x", "coupling_y"),
        *("difference", "p_value", "p_adjusted"),
    ]


def test_example_frames_are_of_the_library_of_the_data():
    import polars as pl

    table = pl.from_pandas(DATA)
    graph = markhood.learn(table)
    found = [
        graph,
        graph.bootstrap(table, replicates=2),
        markhood.gamma_path(table, gammas=[0.5], **QUICK),
        markhood.compare_groups(table, by=["x", "y"] * (len(DATA) // 2), permutations=1, **QUICK),
        markhood.fit_model(graph, table),
    ]
    assert all(isinstance(one.to_frame(), pl.DataFrame) for one in found)
    assert isinstance(found[-1].sample(2), pl.DataFrame)
