import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from markhood.search.spaces import AllVariables, NearbyVariables, StrongestNearby

edge_sets = st.sets(
    st.tuples(st.integers(0, 14), st.integers(0, 14)).filter(lambda e: e[0] < e[1]), max_size=18
)


@given(edge_sets, st.integers(1, 5), st.lists(st.integers(0, 14), max_size=5))
def test_oracle_all_within_some_steps(edges, depth, targets):
    graph = nx.empty_graph(15)
    graph.add_edges_from(edges)
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    spaces = NearbyVariables(array, 15, depth).of(np.array(targets, dtype=np.int64))
    assert [space.tolist() for space in spaces.candidates] == [
        sorted(set(nx.single_source_shortest_path_length(graph, t, depth)) - {t}) for t in targets
    ]


def strongest(edges, gains, target, depth, most):
    """Go layer by layer in a dictionary, sorting each as a whole."""
    strengths, layer = {target: 1}, [target]
    for _ in range(depth):
        found = {}
        for (i, j), gain in zip(edges, gains, strict=True):
            for here, there in ((i, j), (j, i)):
                if here in layer and there not in strengths:
                    found[there] = max(found.get(there, 0), strengths[here] * gain)
        ranked = sorted(found, key=lambda v: (-found[v], v))
        if len(strengths) - 1 + len(ranked) > most:
            kept = [*strengths, *ranked][1 : most + 1]
            return sorted(kept), True
        strengths |= found
        layer = ranked
    return sorted(set(strengths) - {target}), False


@given(edge_sets, st.integers(1, 4), st.integers(1, 8), st.randoms(use_true_random=False))
def test_oracle_the_nearest_and_strongest(edges, depth, most, random):
    edges = sorted(edges)
    gains = [random.randint(1, 6) for _ in edges]
    array = np.array(edges, dtype=np.int64).reshape(-1, 2)
    spaces = StrongestNearby(array, np.array(gains, float), 15, depth, most)
    found = spaces.of(np.arange(15))
    expected = [strongest(edges, gains, t, depth, most) for t in range(15)]
    assert [space.tolist() for space in found.candidates] == [space for space, _ in expected]
    assert found.n_cut == sum(is_cut for _, is_cut in expected)


@given(edge_sets, st.integers(1, 4))
def test_property_a_bound_that_binds_nothing_changes_nothing(edges, depth):
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    bounded = StrongestNearby(array, np.ones(len(array)), 15, depth, 14).of(np.arange(15))
    free = NearbyVariables(array, 15, depth).of(np.arange(15))
    assert bounded.n_cut == 0
    assert bounded.candidates.starts.tolist() == free.candidates.starts.tolist()
    assert bounded.candidates.values.tolist() == free.candidates.values.tolist()


def test_example_every_other_variable():
    spaces = AllVariables(4).of(np.array([0, 2]))
    assert [space.tolist() for space in spaces.candidates] == [[1, 2, 3], [0, 1, 3]]
