"""What is drawn, not the pixels: lines, widths, colours, labels."""

import math

import matplotlib
import numpy as np
import pytest
from matplotlib import colors, pyplot
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure

import markhood
from markhood import Graph, InputError, plot, simulate


@pytest.fixture(autouse=True)
def figures():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def lines(ax):
    return [c for c in ax.collections if isinstance(c, LineCollection)]


def dots(ax):
    return [c for c in ax.collections if isinstance(c, PathCollection)]


def hexes(collection):
    return [colors.to_hex(c).upper() for c in collection.get_colors()]


@pytest.fixture
def signs():
    """A chain of a weak, a repelling, an infinite and an unknown edge."""
    ends = [(0.5, 0.5), (-2, -2), (math.inf, 1), (math.nan, 1)]
    return Graph("abcde", [(0, 1), (1, 2), (2, 3), (3, 4)], coupling_ends=ends)


def test_width_is_strength_and_colour_is_sign(signs):
    (edges,) = lines(plot.network(signs))
    look = dict(zip(hexes(edges), edges.get_linewidths(), strict=False))
    widths = sorted(edges.get_linewidths())
    assert len(edges.get_segments()) == 4
    assert sorted(hexes(edges)) == sorted(
        [plot.ATTRACTION, plot.ATTRACTION, plot.REPULSION, plot.UNKNOWN]
    )
    assert look[plot.UNKNOWN] == plot.THINNEST
    assert look[plot.REPULSION] == plot.WIDEST
    assert widths[1] < widths[2] == widths[3] == plot.WIDEST
    dashed = [style[1] is not None for style in edges.get_linestyles()]
    assert dashed.count(True) == 1
    assert edges.get_linewidths()[dashed.index(True)] == plot.WIDEST


def test_opacity_is_probability():
    ends = [(0.5, 0.5), (2, 2)]
    graph = Graph("abc", [(0, 1), (1, 2)], None, ends, annotations={"probability": [1.0, 0.6]})
    (edges,) = lines(plot.network(graph))
    shown = edges.get_colors()[:, 3]
    np.testing.assert_allclose(shown, [plot.OPACITY, 0.6 * plot.OPACITY])


@pytest.fixture
def tables():
    """A chain of a repelling edge and two whose couplings are tables, of size 2 and 4."""
    table = np.array([[1, -1], [-1, 1]])
    return Graph(
        "abcd",
        [(0, 1), (1, 2), (2, 3)],
        coupling_ends=[(-1, -1), (2, 2), (4, 4)],
        coupling_tables=[None, table, 2 * table],
    )


def test_tables_have_width_and_no_sign(tables):
    (edges,) = lines(plot.network(tables))
    assert hexes(edges) == [plot.REPULSION, plot.UNKNOWN, plot.UNKNOWN]
    widths = edges.get_linewidths()
    assert widths[0] < widths[1] < widths[2] == plot.WIDEST


def test_adjacency_of_tables_has_a_scale_of_its_own(tables):
    ax = plot.adjacency(tables)
    signed, sizes = (image.get_array() for image in ax.images)
    assert signed.compressed().tolist() == [-1, -1]
    assert sorted(sizes.compressed().tolist()) == [2, 2, 4, 4]
    assert ax.images[1].norm.vmin == 0
    other = Graph("ab", [(0, 1)], None, [(1, 1)], coupling_tables=[np.eye(3)])
    assert len(plot.adjacency(other).images) == 1


def test_axes_go_in_and_come_out(signs):
    ax = Figure().subplots()
    assert plot.network(signs, ax) is ax
    assert plot.adjacency(signs, ax) is ax
    assert plot.degrees(signs, ax) is ax
    assert plot.comparison(signs, signs, ax) is ax


@pytest.mark.parametrize("graph", [simulate.grid(49), simulate.hub(56)])
def test_labels_do_not_overlap(graph):
    ax = plot.network(graph)
    boxes = [text.get_window_extent().extents for text in ax.texts]
    assert len(boxes) > 0.8 * graph.n_nodes
    for k, a in enumerate(boxes):
        for b in boxes[:k]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_labels_by_default_up_to_sixty_nodes():
    assert plot.network(simulate.grid(49)).texts
    assert not plot.network(simulate.grid(64)).texts
    assert plot.network(simulate.grid(64), labels=True).texts


def test_names_are_not_mathematics():
    graph = Graph(["$x", "y$", "<b>", "_z"], [(0, 1)])
    ax = plot.network(graph, groups=["$a", "b$", "c", "c"])
    ax.figure.draw_without_rendering()
    assert {text.get_text() for text in ax.texts} == set(graph.nodes)


@pytest.mark.parametrize(
    "groups", [["u", "u", "v", "v", "w"], {"a": "u", "b": "u", "c": "v", "d": "v", "e": "w"}]
)
def test_groups_have_colours_and_a_legend(signs, groups):
    ax = plot.network(signs, groups=groups)
    assert [len(d.get_offsets()) for d in dots(ax)] == [2, 2, 1]
    assert len({colors.to_hex(d.get_facecolor()[0]) for d in dots(ax)}) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["u", "v", "w"]


def test_pixels_on_a_grid_and_places_of_ones_own(signs):
    (points,) = dots(plot.network(simulate.grid(9), layout="grid", columns=3))
    assert points.get_offsets()[5].tolist() == [2, -1]
    places = np.arange(10.0).reshape(5, 2)
    (points,) = dots(plot.network(signs, layout=places))
    assert np.array_equal(points.get_offsets(), places)


def test_same_seed_same_places():
    graph = simulate.hub(24)
    one, other = (dots(plot.network(graph))[0].get_offsets() for _ in range(2))
    assert np.array_equal(one, other)


def test_thousands_of_nodes_are_an_overview():
    graph = Graph(map(str, range(2000)), [(k, k + 1) for k in range(1000)])
    ax = plot.network(graph)
    assert not lines(ax)
    assert "2000 variables, 1000 edges" in ax.get_title()
    assert "1000 components, the largest of 1001" in ax.get_title()
    assert [bar.get_height() for bar in ax.patches] == [999, 2, 999]
    (corner,) = ax.child_axes
    assert len(dots(corner)[0].get_offsets()) == 2


def test_adjacency_puts_communities_together():
    cliques = [(i, j) for first in (0, 1) for i in range(first, 8, 2) for j in range(first, i, 2)]
    graph = Graph("abcdefgh", cliques, coupling_ends=np.full((12, 2), -1.0))
    ax = plot.adjacency(graph)
    matrix = ax.images[0].get_array()
    assert np.ma.count(matrix) == 24
    assert np.ma.count(matrix[:4, 4:]) == 0
    assert np.ma.min(matrix) == np.ma.max(matrix) == -1
    names = "".join(label.get_text() for label in ax.get_yticklabels())
    assert names == "acegbdfh"


def test_comparison_shows_hits_misses_and_false_edges():
    truth = Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    learned = Graph("dcba", [(2, 3), (1, 2), (0, 3)])
    ax = plot.comparison(truth, learned)
    found = {colour: len(c.get_segments()) for c in lines(ax) for colour in hexes(c)[:1]}
    assert found == {plot.HIT: 2, plot.MISS: 1, plot.FALSE: 1}
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["2 hits", "1 missed", "1 false"]


def test_degrees():
    bars = plot.degrees(Graph("abcd", [(0, 1), (0, 2), (0, 3)])).patches
    assert [bar.get_height() for bar in bars] == [0, 3, 0, 1]


@pytest.mark.parametrize("graph", [Graph([], []), Graph("a", []), Graph("ab", [])])
def test_graphs_without_edges(graph):
    plot.network(graph, groups="communities")
    plot.adjacency(graph)
    plot.degrees(graph)
    plot.comparison(graph, graph)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"layout": "spiral"}, "'spiral'.*stress, grid, circle"),
        ({"layout": np.zeros((2, 2))}, "5 pairs"),
        ({"columns": 3}, "grid"),
        ({"layout": "grid", "columns": 0}, "columns"),
        ({"groups": "me"}, "'me'"),
        ({"groups": ["u"]}, "1 groups for 5"),
        ({"groups": {"a": "u"}}, "'b'"),
    ],
)
def test_bad_options(signs, options, sentence):
    with pytest.raises(InputError, match=sentence):
        plot.network(signs, **options)


def test_importing_markhood_does_not_import_matplotlib():
    import subprocess
    import sys

    code = "import markhood, sys; markhood.plot; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "plot" in dir(markhood)
