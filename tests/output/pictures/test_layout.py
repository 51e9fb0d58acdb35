import numpy as np
import pytest

from markhood import simulate
from markhood.graph.communities import communities
from markhood.graph.graph import Graph
from markhood.output.pictures.layout import grid_positions, positions


def lengths(coordinates, graph):
    return np.linalg.norm(coordinates[graph.edges[:, 0]] - coordinates[graph.edges[:, 1]], axis=1)


def test_a_grid_is_laid_out_as_a_grid():
    graph = simulate.grid(64)
    found = lengths(positions(graph), graph)
    assert found.max() / found.min() < 1.3


@pytest.mark.parametrize("n", [2, 3, 30])
def test_a_chain_is_stretched_out(n):
    graph = Graph(map(str, range(n)), [(k, k + 1) for k in range(n - 1)])
    coordinates = positions(graph)
    ends = np.linalg.norm(coordinates[0] - coordinates[-1])
    assert ends > 0.9 * np.ptp(coordinates, axis=0).max()
    assert np.isfinite(coordinates).all()


@pytest.mark.parametrize(
    "graph",
    [simulate.hub(504), simulate.chain(100)],
)
def test_what_is_long_and_thin_is_rolled_up(graph):
    coordinates = positions(graph)
    wide, tall = np.ptp(coordinates, axis=0)
    assert 0.5 < wide / tall < 2
    apart = np.linalg.norm(coordinates[:, None] - coordinates, axis=2) + 9 * np.eye(graph.n_nodes)
    assert apart.min() > 0.1 * np.median(lengths(coordinates, graph))


def test_components_do_not_overlap_and_the_largest_is_first():
    graph = Graph("abcdefgh", [(0, 1), (1, 2), (0, 2), (4, 5), (5, 6), (6, 7)])
    coordinates = positions(graph)
    for one, other in (([4, 5, 6, 7], [0, 1, 2]), ([0, 1, 2], [3]), ([4, 5, 6, 7], [3])):
        a, b = coordinates[one], coordinates[other]
        apart = np.maximum(a.min(0) - b.max(0), b.min(0) - a.max(0)).max()
        assert apart > 0.5
    assert coordinates[[4, 5, 6, 7], 1].max() == pytest.approx(coordinates[:, 1].max())


def test_neighbours_are_near_in_a_large_component():
    graph = simulate.grid(900)
    coordinates = positions(graph)
    near = lengths(coordinates, graph).mean()
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 900, size=(2000, 2))
    far = np.linalg.norm(coordinates[pairs[:, 0]] - coordinates[pairs[:, 1]], axis=1).mean()
    assert near < far / 8


def test_same_seed_same_places_and_no_two_nodes_in_one_place():
    star = Graph(map(str, range(30)), [(0, k) for k in range(1, 30)])
    coordinates = positions(star, seed=3)
    assert np.array_equal(coordinates, positions(star, seed=3))
    apart = np.linalg.norm(coordinates[:, None] - coordinates, axis=2) + np.eye(30)
    assert apart.min() > 0.1


@pytest.mark.parametrize("graph", [Graph([], []), Graph("a", []), Graph("abc", [])])
def test_without_edges(graph):
    coordinates = positions(graph)
    assert coordinates.shape == (graph.n_nodes, 2)
    assert len(np.unique(coordinates, axis=0)) == graph.n_nodes
    assert (communities(graph) == -1).all()


def test_pixels_stand_where_they_are():
    assert grid_positions(6, 3)[5].tolist() == [2, -1]


def test_communities_are_the_dense_parts():
    cliques = [(i + s, j + s) for s in (0, 5) for i in range(5) for j in range(i)]
    graph = Graph(map(str, range(11)), [*cliques, (0, 5)])
    label = communities(graph)
    assert set(label[:5]) != set(label[5:10])
    assert len(set(label[:5])) == len(set(label[5:10])) == 1
    assert label[10] == -1
