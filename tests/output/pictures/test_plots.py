"""What is drawn, not the pixels: lines, widths, colours, labels."""

import math

import matplotlib
import numpy as np
import pytest
from matplotlib import colors, pyplot
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import markhood
from markhood import Graph, plot, simulate
from markhood.output.pictures import marks
from messages import refuses


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
    edges, inside = lines(plot.network(signs))
    look = dict(zip(hexes(edges), edges.get_linewidths(), strict=False))
    assert len(edges.get_segments()) == 4
    assert sorted(hexes(edges)) == sorted(
        [marks.ATTRACTION, marks.ATTRACTION, marks.REPULSION, marks.UNKNOWN]
    )
    assert look[marks.UNKNOWN] == marks.THINNEST
    assert look[marks.REPULSION] == marks.WIDEST
    dashed = [style[1] is not None for style in edges.get_linestyles()]
    assert dashed == [colour == marks.REPULSION for colour in hexes(edges)]
    assert len(inside.get_segments()) == 1  # of the infinite coupling, a double line
    assert marks.DOUBLE in edges.get_linewidths()


def test_the_legend_says_what_signs_and_widths_look_like(signs, tables):
    def said(graph, **options):
        legend = plot.network(graph, **options).get_legend()
        return legend and [text.get_text() for text in legend.get_texts()]

    kinds = ["positive", "negative", "no sign", "infinite", "coupling 1", "coupling 2"]
    assert said(signs) == kinds
    assert said(tables) == ["negative", "no sign", "coupling 2", "coupling 4"]
    assert said(signs, legend=False) is None
    assert said(Graph("ab", [(0, 1)])) is None


def boxes_of_dots(ax):
    scale = ax.figure.dpi / 72
    for points in dots(ax):
        sizes = np.broadcast_to(np.sqrt(points.get_sizes()) / 2 * scale, len(points.get_offsets()))
        for (x, y), r in zip(ax.transData.transform(points.get_offsets()), sizes, strict=True):
            yield x - r, y - r, x + r, y + r


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("engine", ["constrained", None])
@pytest.mark.parametrize(
    ("graph", "options"),
    [
        (simulate.hub(56), {"groups": "communities"}),
        (simulate.grid(64), {"layout": "grid", "groups": "communities"}),
        (simulate.chain(12), {"layout": "circle", "sizes": 12}),
    ],
)
def test_no_legend_and_no_label_lies_on_a_node(graph, options, engine):
    """At the width of a journal's column."""
    couplings = np.random.default_rng(0).normal(size=(graph.n_edges, 2))
    signed = Graph(graph.nodes, graph.edges, coupling_ends=couplings)
    figure = Figure(figsize=(3.35, 3.0), layout=engine)
    for ax in (
        plot.network(signed, figure.subplots(), **options),
        plot.comparison(graph, signed, Figure(figsize=(3.35, 3.0), layout=engine).subplots()),
    ):
        ax.figure.draw_without_rendering()
        legend = ax.get_legend().get_window_extent().extents
        labels = [text.get_window_extent().extents for text in ax.texts]
        assert len(labels) > 5
        for dot in boxes_of_dots(ax):
            assert not overlap(dot, legend)
            assert not any(overlap(dot, label) for label in labels)
        assert not any(overlap(label, legend) for label in labels)
        whole = ax.figure.bbox.extents
        assert whole[0] <= legend[0] < legend[2] <= whole[2] + 1
        assert legend[1] >= whole[1] - 1


def test_colours_sizes_and_labels_are_ones_own(signs):
    ax = plot.network(
        signs,
        colors={"a": "red", "b": "blue", "c": "red", "d": "red", "e": "red"},
        sizes=[4, 5, 6, 7, 8],
        labels={"a": "A", "b": "B", "c": "C", "d": "D", "e": "E"},
    )
    (points,) = dots(ax)
    assert points.get_sizes().tolist() == [16, 25, 36, 49, 64]
    assert [colors.to_hex(c) for c in points.get_facecolors()[:2]] == ["#ff0000", "#0000ff"]
    assert {text.get_text() for text in ax.texts} <= set("ABCDE")
    groups = plot.network(signs, groups=["u", "u", "v", "v", "v"], colors={"v": "black"})
    assert colors.to_hex(dots(groups)[1].get_facecolors()[0]) == "#000000"


def test_two_networks_in_one_layout():
    one, other = Graph("abcd", [(0, 1), (1, 2)]), Graph("dcba", [(0, 1), (2, 3)])
    coordinates = plot.shared_layout(one, other)
    first = dots(plot.network(one, layout=coordinates))[0].get_offsets()
    second = dots(plot.network(other, layout=coordinates))[0].get_offsets()
    assert np.allclose(first, second[::-1])
    with refuses("option-value", "e"):
        plot.network(Graph("ae", []), layout=coordinates)


def test_arcs_are_drawn_where_an_edge_would_run_through_a_node():
    graph = Graph("abc", [(0, 1), (0, 2)])
    (edges,) = lines(plot.network(graph, layout="grid", columns=3))
    assert sorted(len(segment) for segment in edges.get_segments()) == [2, 24]


def test_opacity_is_probability():
    ends = [(0.5, 0.5), (2, 2)]
    graph = Graph("abc", [(0, 1), (1, 2)], None, ends, annotations={"probability": [1.0, 0.6]})
    (edges,) = lines(plot.network(graph))
    shown = edges.get_colors()[:, 3]
    np.testing.assert_allclose(shown, [marks.OPACITY, 0.6 * marks.OPACITY])


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
    assert hexes(edges) == [marks.REPULSION, marks.UNKNOWN, marks.UNKNOWN]
    widths = edges.get_linewidths()
    assert widths[0] < widths[1] < widths[2] == marks.WIDEST


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


def test_labels_by_default_of_all_or_of_the_most_connected():
    assert len(plot.network(simulate.grid(49)).texts) > 40
    assert 10 < len(plot.network(simulate.grid(64)).texts) <= plot.HUBS
    assert len(plot.network(simulate.grid(64), labels=True).texts) > plot.HUBS
    assert not plot.network(simulate.grid(49), labels=False).texts


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
    assert [text.get_text() for text in ax.get_legend().get_texts()][-3:] == ["u", "v", "w"]


def test_pixels_on_a_grid_and_places_of_ones_own(signs):
    (points,) = dots(plot.network(simulate.grid(9), layout="grid", columns=3))
    assert points.get_offsets()[5].tolist() == [2, -1]
    coordinates = np.arange(10.0).reshape(5, 2)
    (points,) = dots(plot.network(signs, layout=coordinates))
    assert np.array_equal(points.get_offsets(), coordinates)


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


def test_loadings_of_learned_factors():
    rng = np.random.default_rng(0)
    traits = np.repeat(rng.normal(size=(500, 2)), 5, axis=1)
    items = (1.5 * traits + rng.logistic(size=(500, 10)) > 0).astype(int)
    factors = markhood.learn(items, factors=2).factors.rotated()
    ax = plot.loadings(factors)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert {frozenset(names[:5]), frozenset(names[5:])} == {
        frozenset(f"x{k}" for k in range(5)),
        frozenset(f"x{k}" for k in range(5, 10)),
    }
    drawn = ax.images[0].get_array()
    assert np.abs(drawn[:5, 0]).min() > np.abs(drawn[:5, 1]).max()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2"]


def test_degrees():
    bars = plot.degrees(Graph("abcd", [(0, 1), (0, 2), (0, 3)])).patches
    assert [bar.get_height() for bar in bars] == [0, 3, 0, 1]


@pytest.mark.parametrize("graph", [Graph([], []), Graph("a", []), Graph("ab", [])])
def test_graphs_without_edges(graph):
    plot.network(graph, groups="communities")
    plot.adjacency(graph)
    plot.degrees(graph)
    plot.comparison(graph, graph)


def test_communities_are_named_by_their_first_nodes():
    cliques = [(i, j) for start in (0, 5) for i in range(start, start + 5) for j in range(start, i)]
    ax = plot.network(Graph("abcdefghijk", cliques), groups="communities")
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["a, b \N{HORIZONTAL ELLIPSIS}", "f, g \N{HORIZONTAL ELLIPSIS}", "isolated"]


def test_long_names_are_numbers_with_a_key():
    names = ["mood", *(f"I see myself as somebody who is often {x} today" for x in ("sad", "glad"))]
    graph = Graph(names, [(0, 1), (1, 2)], coupling_ends=[(1, 1), (2, 2)])
    ax = plot.network(graph)
    assert {text.get_text() for text in ax.texts} == {"mood", "1", "2"}
    ax.figure.draw_without_rendering()
    key, legend = ax.findobj(Legend)
    said = [text.get_text() for text in key.get_texts()]
    assert said == [f"1  {names[1]}", f"2  {names[2]}"]
    boxes = [one.get_window_extent() for one in (key, legend)]
    nodes = ax.transData.transform(ax.collections[-1].get_offsets())
    assert boxes[0].y1 <= boxes[1].y0 + 1
    assert boxes[1].y1 <= nodes[:, 1].min()
    # Small axes have no space for a key, and neither has a plot without a legend.
    small = plot.network(graph, pyplot.figure(figsize=(3, 0.6)).add_subplot())
    assert len(small.findobj(Legend)) == 1
    assert "1" not in {text.get_text() for text in plot.network(graph, legend=False).texts}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"layout": "spiral"}, "option-value"),
        ({"layout": np.zeros((2, 2))}, "option-value"),
        ({"columns": 3}, "option-conflict"),
        ({"columns": 0, "layout": "grid"}, "option-value"),
        ({"groups": "me"}, "option-value"),
        ({"groups": ["u"]}, "option-value"),
        ({"groups": {"a": "u"}}, "option-value"),
        ({"sizes": [1, 2]}, "option-value"),
        ({"sizes": "large"}, "option-value"),
        ({"labels": {"a": "A"}}, "option-value"),
        ({"colors": ["red"]}, "option-value"),
    ],
)
def test_bad_options(signs, options, code):
    with refuses(code, next(iter(options))):
        plot.network(signs, **options)


def test_importing_markhood_does_not_import_matplotlib():
    import subprocess
    import sys

    code = "import markhood, sys; markhood.plot; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "plot" in dir(markhood)
