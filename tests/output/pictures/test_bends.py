import numpy as np

from markhood import Graph
from markhood.output.pictures.bends import MAX_NODES, bends
from markhood.output.pictures.layout import grid_positions
from markhood.output.pictures.named_layouts import node_coordinates


def test_only_what_runs_through_a_node_is_bent():
    coordinates = grid_positions(9, 3)
    edges = np.array([(0, 1), (0, 2), (0, 4), (0, 8), (0, 5), (1, 7)])
    assert (bends(coordinates, edges) != 0).tolist() == [False, True, False, True, False, True]


def test_arcs_of_a_circle_go_inwards():
    graph = Graph(map(str, range(12)), [(0, 1), (0, 6), (2, 5), (11, 3)])
    coordinates = node_coordinates(graph, "circle")
    bent = bends(coordinates, graph.edges)
    for (a, b), bend in zip(coordinates[graph.edges], bent, strict=True):
        along = b - a
        control = (a + b) / 2 + bend * np.array([-along[1], along[0]])
        assert np.linalg.norm(control) <= np.linalg.norm((a + b) / 2) + 1e-9
    assert bent[1] == bends(coordinates, graph.edges[1:2])[0]
    assert np.abs(bent).max() < 1


def test_nothing_and_many():
    assert bends(np.zeros((0, 2)), np.zeros((0, 2), dtype=int)).tolist() == []
    two_rows = np.column_stack(np.divmod(np.arange(MAX_NODES + 1), 2))
    through = np.array([[0, 4]])
    assert bends(two_rows[:-1], through).tolist() != [0]
    assert bends(two_rows, through).tolist() == [0]
