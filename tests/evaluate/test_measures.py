import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.evaluate.measures import (
    Comparison,
    compare,
    comparison_table,
    edge_outcomes,
    inclusion_by_distance,
)
from markhood.graph.graph import Graph
from messages import refuses

path = Graph("abcde", [(0, 1), (1, 2), (2, 3), (3, 4)])


def test_example_a_learned_graph():
    learned = Graph("abcde", [(0, 1), (1, 2), (0, 4)])
    assert compare(path, learned) == Comparison(
        false_positives=1,
        false_negatives=2,
        hamming_distance=3,
        standardised_hamming_distance=75.0,
        precision=2 / 3,
        recall=0.5,
        f1=4 / 7,
    )


def test_example_the_same_graph_in_another_order():
    reordered = Graph("ecabd", [(2, 3), (3, 1), (1, 4), (4, 0)])
    found = compare(path, reordered)
    assert (found.hamming_distance, found.f1) == (0, 1.0)
    assert inclusion_by_distance(path, reordered).included.tolist() == [4, 0, 0, 0, 0]


def test_example_empty_graphs():
    empty = Graph("abcde", [])
    nothing = compare(path, empty)
    assert (nothing.false_negatives, nothing.recall, nothing.f1) == (4, 0.0, 0.0)
    assert np.isnan(nothing.precision)
    found = compare(empty, path)
    assert (found.false_positives, found.precision) == (4, 0.0)
    assert np.isnan(found.recall)
    assert np.isnan(found.standardised_hamming_distance)
    assert np.isnan(compare(empty, empty).f1)


def test_example_inclusion_by_distance():
    apart = Graph("abcdef", [(0, 1), (1, 2), (2, 3), (3, 4)])
    learned = Graph("abcdef", [(0, 1), (0, 2), (1, 3), (0, 5)])
    found = inclusion_by_distance(apart, learned)
    # Distance 4 is a - e; f has no edges, so its five pairs count as "5 or more".
    assert found.pairs.tolist() == [4, 3, 2, 1, 5]
    assert found.included.tolist() == [1, 2, 0, 0, 1]
    np.testing.assert_allclose(found.shares, [1 / 4, 2 / 3, 0, 0, 1 / 5])


def test_example_share_of_no_pairs_is_unknown():
    found = inclusion_by_distance(Graph("ab", [(0, 1)]), Graph("ab", []), longest=2)
    assert found.pairs.tolist() == [1, 0]
    assert np.isnan(found.shares[1])


def test_property_blocks_add_up():
    rng = np.random.default_rng(1)
    pairs = np.argwhere(np.triu(np.ones((30, 30)), 1))
    names = [f"x{i}" for i in range(30)]
    truth, learned = (Graph(names, pairs[rng.random(len(pairs)) < 0.06]) for _ in range(2))
    whole = inclusion_by_distance(truth, learned)
    parts = inclusion_by_distance(truth, learned, block=7)
    assert (whole.pairs.tolist(), whole.included.tolist()) == (
        parts.pairs.tolist(),
        parts.included.tolist(),
    )
    assert whole.pairs.sum() == 30 * 29 // 2
    assert whole.included.sum() == learned.n_edges


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_property_measures_agree_with_sets(data):
    pairs = [(i, j) for j in range(6) for i in range(j)]
    true = {pair for pair in pairs if data.draw(st.booleans())}
    found = {pair for pair in pairs if data.draw(st.booleans())}
    order = data.draw(st.permutations(range(6)))
    names = [f"x{i}" for i in range(6)]
    learned = Graph([names[i] for i in order], [(order.index(i), order.index(j)) for i, j in found])
    result = compare(Graph(names, list(true)), learned)
    assert result.false_positives == len(found - true)
    assert result.false_negatives == len(true - found)
    assert result.hamming_distance == len(true ^ found)


def test_example_table():
    rows = comparison_table(path, {"plrhc": path, "empty": Graph("abcde", [])})
    assert [row["method"] for row in rows] == ["plrhc", "empty"]
    assert [row["hamming_distance"] for row in rows] == [0, 4]
    assert list(rows[0])[1:4] == ["false_positives", "false_negatives", "hamming_distance"]


@pytest.mark.parametrize(
    ("learned", "node"),
    [
        (Graph("abcd", []), "e"),
        (Graph("abcdef", []), "f"),
        (Graph([f"y{i}" for i in range(5)], []), "a"),
    ],
)
def test_example_other_nodes_are_named(learned, node):
    with refuses("graphs-differ", node):
        compare(path, learned)


def test_example_no_distance_below_one():
    with refuses("option-value", "longest"):
        inclusion_by_distance(path, path, longest=0)


def test_edge_outcomes_are_in_the_node_numbers_of_the_truth():
    truth = Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    hits, missed, false = edge_outcomes(truth, Graph("dcba", [(2, 3), (1, 2), (0, 3)]))
    assert hits.tolist() == [[0, 1], [1, 2]]
    assert missed.tolist() == [[2, 3]]
    assert false.tolist() == [[0, 3]]
