import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from markhood.search.blankets import AllVariables, NearbyVariables, StrongestNearby
from markhood.search.screen import representatives

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


def test_example_near_copies_give_way_where_a_space_is_full():
    # 0 is joined to three copies, 1 to 3, more strongly than to 4; 5 is further off.
    edges = np.array([[0, 1], [0, 2], [0, 3], [0, 4], [4, 5]])
    gains = np.array([9.0, 8.0, 7.0, 3.0, 3.0])
    sets = np.array([0, 1, 1, 1, 4, 5])

    def space(most, sets):
        return StrongestNearby(edges, gains, 6, 2, most, sets).of(np.array([0])).candidates[0]

    assert space(2, None).tolist() == [1, 2]
    assert space(2, sets).tolist() == [1, 4]
    assert space(3, sets).tolist() == [1, 2, 4]
    assert space(4, sets).tolist() == [1, 2, 3, 4]  # nearer ones before 5, copies or not
    assert space(5, sets).tolist() == [1, 2, 3, 4, 5]


@given(edge_sets, st.integers(1, 4), st.integers(1, 8), st.randoms(use_true_random=False))
def test_property_where_none_is_a_near_copy_nothing_gives_way(edges, depth, most, random):
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    gains = np.array([random.randint(1, 6) for _ in edges], float)
    plain = StrongestNearby(array, gains, 15, depth, most).of(np.arange(15))
    apart = StrongestNearby(array, gains, 15, depth, most, np.arange(15)).of(np.arange(15))
    assert plain.candidates.values.tolist() == apart.candidates.values.tolist()


@given(edge_sets)
def test_property_every_variable_is_alike_to_its_leader(edges):
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    found = representatives(array, 15)
    alike = {*edges, *((j, i) for i, j in edges), *((k, k) for k in range(15))}
    assert all((k, leader) in alike for k, leader in enumerate(found.tolist()))
    assert (found[found] == found).all()
