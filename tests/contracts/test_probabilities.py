"""The probability of an edge is in every output, and comes back from all that can be read."""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.errors import InputError
from markhood.graph import convert
from oracles.networks import network

COLUMNS = ("probability", "coupling_low", "coupling_high")


@pytest.fixture(scope="module")
def graph():
    values = network(31, 300, 6, strength=1.0).astype(int)
    values[:, 5] += values[:, 4] & values[:, 3]  # a variable of more levels: edges with tables
    found = markhood.learn(
        values, "bayes", kinds="nominal", min_probability=0.01, sweeps=4, chains=2
    )
    assert len(np.unique(found.probability)) > 3
    assert any(table is not None for table in found.coupling_tables)
    return found


@pytest.mark.parametrize("ending", ["csv", "json", "graphml", "gexf", "npz"])
def test_example_files(graph, ending, tmp_path):
    path = tmp_path / f"graph.{ending}"
    markhood.write_graph(graph, path)
    back = markhood.read_graph(path)
    for name in COLUMNS:
        np.testing.assert_array_equal(back.annotations[name], graph.annotations[name])


@pytest.mark.parametrize("library", ["networkx", "igraph", "pandas", "polars"])
def test_example_converters(graph, library):
    pytest.importorskip(library)
    other = getattr(convert, f"to_{library}")(graph)
    back = getattr(convert, f"from_{library}")(other)
    by_name = dict(zip(back.edge_names(), back.probability.tolist(), strict=True))
    assert by_name == dict(zip(graph.edge_names(), graph.probability.tolist(), strict=True))


def test_example_attributes_of_other_libraries(graph):
    a, b = graph.edge_names()[0]
    first = float(graph.probability[0])
    assert convert.to_networkx(graph).edges[a, b]["probability"] == first
    assert convert.to_igraph(graph).es[0]["probability"] == first
    assert convert.to_pandas(graph)["probability"].tolist() == graph.probability.tolist()


def test_example_a_matrix_of_probabilities(graph):
    matrix = convert.to_scipy(graph, "probability").toarray()
    i, j = graph.edges.T
    assert matrix[i, j].tolist() == matrix[j, i].tolist() == graph.probability.tolist()
    assert matrix.sum() == pytest.approx(2 * graph.probability.sum())
    with pytest.raises(InputError, match="'odds'"):
        convert.to_scipy(graph, "odds")


def test_example_the_terminal_and_its_edge_list(tmp_path):
    values = network(31, 300, 5, strength=1.0)
    pd.DataFrame(values).to_csv(tmp_path / "data.csv", index=False)
    command = [sys.executable, "-c", "from markhood.commandline.app import main; main()"]
    options = ["--method=bayes", "--sweeps=4", "--chains=2", "-o", "-"]
    done = subprocess.run(
        [*command, "learn", "data.csv", *options],
        check=True, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    table = pd.read_csv(io.StringIO(done.stdout))
    assert table["probability"].between(0.5, 1).all()
    assert len(table) > 1
