import numpy as np
import pytest

import markhood
from markhood import Graph, InputError
from markhood.output.pictures.named_layouts import node_coordinates
from messages import refuses

ABC = Graph(["a", "b", "c"], [(0, 1)])


def written(folder, text, name="coordinates.csv"):
    (folder / name).write_text(text)
    return folder / name


def test_a_circle_goes_clockwise_from_the_top():
    coordinates = node_coordinates(Graph("abcd", []), "circle")
    assert np.allclose(coordinates, [[0, 1], [1, 0], [0, -1], [-1, 0]])


def test_sites_of_a_map_keep_their_proportions(tmp_path):
    path = written(tmp_path, "y,name,x\n10,c,0\n20,a,40\n10,b,40\n")
    coordinates = node_coordinates(ABC, path)
    assert np.allclose(coordinates / (coordinates[0, 0] or 1), [[1, 0.5], [1, 0.25], [0, 0.25]])
    assert np.array_equal(coordinates, node_coordinates(ABC, str(path)))


def test_positions_go_around_a_circle(tmp_path):
    path = written(tmp_path, "name\tposition\na\t100\nb\t400\nc\t200\n", "genome.tsv")
    coordinates = node_coordinates(ABC, path)
    assert np.allclose(np.linalg.norm(coordinates, axis=1), 1)
    turned = np.mod(np.pi / 2 - np.arctan2(coordinates[:, 1], coordinates[:, 0]), 2 * np.pi)
    assert np.allclose(turned[[0, 2]], [0, 2 * np.pi * 100 / 450])
    assert turned[1] > turned[2]


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("name,z\na,1\n", "unknown-column", "position"),
        ("x,y\n1,2\n", "unknown-column", "name"),
        ("", "unknown-column", "name"),
        ("name,x,y\na,1,2\nb,3,4\n", "option-value", "c"),
        ("name,x,y\na,1,2\nb,east,4\nc,1,1\n", "file-damaged", None),
        ("name,x,y\na,1\n", "file-damaged", None),
        ("name,x,y\na,1,2\nb,inf,4\nc,1,1\n", "infinite-values", None),
    ],
)
def test_files_without_coordinates_are_refused(tmp_path, text, code, where):
    path = written(tmp_path, text)
    with refuses(code, where or str(path)):
        node_coordinates(ABC, path)


def test_a_damaged_line_is_named(tmp_path):
    with pytest.raises(InputError, match="Line 3"):
        node_coordinates(ABC, written(tmp_path, "name,x,y\na,1,2\nb,east,4\nc,1,1\n"))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("none.csv", "file-not-found"),
        ("spiral", "option-value"),
        ("coordinates.xlsx", "option-value"),
    ],
)
def test_unknown_layouts_are_refused(name, code, tmp_path):
    with refuses(code):
        node_coordinates(ABC, tmp_path / name if name.endswith("csv") else name)


@pytest.mark.parametrize("layout", ["auto", "stress", "grid", "circle", "arc"])
@pytest.mark.parametrize("graph", [Graph([], []), Graph("a", [])])
def test_next_to_nothing(layout, graph):
    assert node_coordinates(graph, layout).shape == (graph.n_nodes, 2)


def test_isolated_nodes_are_a_strip_below_and_strong_edges_short():
    edges = [(0, 1), (1, 2), (2, 3)]
    graph = Graph(map(str, range(30)), edges, evidence_ends=[(9, 9), (1, 1), (0.1, 0.1)])
    coordinates = node_coordinates(graph, "stress")
    assert coordinates[4:, 1].max() < coordinates[:4, 1].min()
    assert np.ptp(coordinates[4:, 1]) <= 2
    apart = np.linalg.norm(np.diff(coordinates[:4], axis=0), axis=1)
    assert apart[0] < apart[1] < apart[2]


def test_the_plots_take_the_same_layouts(tmp_path):
    path = written(tmp_path, "name,x,y\na,0,0\nb,1,0\nc,0,1\n")
    ax = markhood.plot.network(ABC, layout=path)
    assert np.allclose(ax.collections[-1].get_offsets(), node_coordinates(ABC, path))
