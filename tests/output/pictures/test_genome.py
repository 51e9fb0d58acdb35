"""Variables along a genome: to scale, chromosome after chromosome, and edges by distance."""

import numpy as np
import pytest

import markhood
from markhood.data.genome.loci import Locus
from markhood.data.variables import Variables
from markhood.output.pictures.bends import bends
from markhood.output.pictures.genome import ByDistance, bounds, marks_along, shares_along
from markhood.output.pictures.named_layouts import node_coordinates
from messages import refuses

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close():
    yield
    pyplot.close("all")


def along(loci, edges=(), evidence=None, **parts):
    names = tuple(f"v{k}" for k in range(len(loci)))
    ends = None if evidence is None else [(0.5 * e, 0.5 * e) for e in evidence]
    return markhood.Graph(Variables(names, loci=tuple(loci)), edges, ends, **parts)


TWO = [Locus("1", 100), Locus("1", 400), Locus("2", 50), Locus("2", 150), None]


def test_property_places_are_to_scale_within_a_chromosome_and_in_order():
    rng = np.random.default_rng(0)
    loci = [Locus(str(c), int(p)) for c in range(3) for p in rng.integers(0, 1000, 9)]
    shares = shares_along(along(loci))
    for c in range(3):
        own = np.array([locus.position for locus in loci[9 * c : 9 * c + 9]])
        there = shares[9 * c : 9 * c + 9]
        np.testing.assert_allclose(
            (there - there.min()) * np.ptp(own), (own - own.min()) * np.ptp(there)
        )
    assert shares[:9].max() < shares[9:18].min() < shares[18:].min()
    assert 0 <= shares.min() <= shares.max() < 1


def test_example_what_lies_nowhere_comes_last():
    shares = shares_along(along(TWO))
    assert shares.argmax() == 4
    assert shares[1] - shares[0] == pytest.approx(3 * (shares[3] - shares[2]))
    assert [text for _, text in marks_along(along(TWO))] == ["1", "2", ""]


def test_example_a_circle_is_closed():
    loci = (Locus("1", 250), Locus("1", 500))
    graph = markhood.Graph(Variables(("a", "b"), loci=loci, genome_length=1000), [])
    assert shares_along(graph).tolist() == [0.25, 0.5]
    assert [text for _, text in marks_along(graph)] == [
        "0 kb",
        "0.2 kb",
        "0.4 kb",
        "0.6 kb",
        "0.8 kb",
    ]
    apart = ByDistance.of(markhood.Graph(graph.variables, [(0, 1)])).distances
    assert apart.tolist() == [250]


def test_example_without_places_variables_stand_in_their_order():
    graph = markhood.Graph("abcd", [])
    assert shares_along(graph).tolist() == [0, 0.25, 0.5, 0.75]
    assert marks_along(graph) == []
    assert marks_along(along([Locus("1", 5), Locus("1", 5)])) == []


def test_example_known_places_are_the_default_layout():
    graph = along([Locus("1", p) for p in (0, 10, 20, 1000, 2000)], [(0, 3)])
    assert np.array_equal(node_coordinates(graph, "auto"), node_coordinates(graph, "circle"))
    assert np.array_equal(
        node_coordinates(markhood.Graph("ab", []), "auto"),
        node_coordinates(markhood.Graph("ab", []), "stress"),
    )
    line = node_coordinates(graph, "arc")
    assert not line[:, 1].any()
    assert (np.diff(line[:, 0]) > 0).all()


def test_property_edges_of_a_row_go_over_it_and_those_of_a_circle_inwards():
    graph = along([Locus("1", p) for p in (30, 0, 10, 20, 500)], [(0, 1), (1, 4), (2, 3)])
    bent = bends(node_coordinates(graph, "arc"), graph.edges)
    x = node_coordinates(graph, "arc")[:, 0]
    assert np.array_equal(np.sign(bent), np.sign(x[graph.edges[:, 1]] - x[graph.edges[:, 0]]))
    circle = node_coordinates(graph, "circle")
    ends, bent = circle[graph.edges], bends(circle, graph.edges)
    chord = ends[:, 1] - ends[:, 0]
    middle = ends.mean(1) + bent[:, None] * np.column_stack([-chord[:, 1], chord[:, 0]])
    assert (np.linalg.norm(middle, axis=1) < np.linalg.norm(ends.mean(1), axis=1)).all()


def test_oracle_bounds_are_tukeys_of_every_variables_strongest_edge():
    rng = np.random.default_rng(1)
    edges = np.array([(i, j) for i in range(12) for j in range(i + 1, 12) if rng.random() < 0.4])
    values = rng.exponential(size=len(edges))
    strongest = [
        max(v for e, v in zip(edges.tolist(), values, strict=True) if k in e)
        for k in range(12)
        if (edges == k).any()
    ]
    low, high = np.percentile(strongest, [25, 75])
    expected = (high + 1.5 * (high - low), high + 3 * (high - low))
    assert bounds(edges, values, 12) == pytest.approx(expected)
    assert bounds(edges[:1], values[:1], 12) == (np.inf, np.inf)


def many(n=40):
    """Neighbours joined, the strongest edge a far one, and one between chromosomes."""
    loci = [Locus("1", 1000 * k) for k in range(n)] + [Locus("2", 5)]
    edges = (
        [(k, k + 1) for k in range(n - 1)]
        + [(0, n - 1), (3, n)]
        + [(k, k + 9) for k in range(0, 30, 2)]
    )
    evidence = [50.0] * (n - 1) + [300.0, 4.0] + [10.0 + k % 3 for k in range(15)]
    return along(loci, edges, evidence)


def test_example_near_edges_have_no_part_in_the_bounds():
    whole, far = ByDistance.of(many()), ByDistance.of(many(), min_distance=5000)
    assert whole.extreme >= 50 > far.extreme
    graph = many()
    names = {graph.edge_names()[k] for k in np.flatnonzero(far.is_outlier)}
    assert names == {("v0", "v39")}
    assert np.isinf(far.distances).sum() == 1


def test_example_the_picture_marks_outliers_bounds_and_other_chromosomes():
    graph = many()
    ax = markhood.plot.by_distance(graph, min_distance=5000, names=1)
    words = [text.get_text() for text in ax.texts]
    assert "v0 \N{EN DASH} v39" in words
    assert {"*", "**", "between\nchromosomes"} <= set(words)
    assert ax.get_xlabel() == "distance (kb)"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["usual, or near", "extreme outlier"]
    learned = along(TWO, [(0, 1)], [3], provenance={"min_distance": 200})
    assert len(markhood.plot.by_distance(learned).lines) == 1


def test_example_graphs_without_positions_or_values_are_refused():
    with refuses("positions", "graph"):
        markhood.plot.by_distance(markhood.Graph("ab", [(0, 1)]))
    with refuses("option-value", "value"):
        markhood.plot.by_distance(many(), value="mi")
    assert markhood.plot.by_distance(along(TWO)).get_ylabel() == "evidence"


@pytest.mark.parametrize("layout", ["auto", "arc"])
def test_example_networks_along_a_genome(layout):
    ax = markhood.plot.network(many(), layout=layout, labels=False)
    assert {"1", "2"} <= {text.get_text() for text in ax.texts}
    large = along([Locus("1", k) for k in range(700)], [(0, 500)], [3])
    markhood.plot.network(large, layout=layout)
