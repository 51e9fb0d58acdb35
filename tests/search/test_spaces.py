import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from markhood.search.spaces import AllVariables, NearbyVariables

edge_sets = st.sets(
    st.tuples(st.integers(0, 14), st.integers(0, 14)).filter(lambda e: e[0] < e[1]), max_size=18
)


@given(edge_sets, st.integers(1, 5), st.lists(st.integers(0, 14), max_size=5))
def test_oracle_all_within_some_steps(edges, depth, targets):
    graph = nx.empty_graph(15)
    graph.add_edges_from(edges)
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    spaces = NearbyVariables(array, 15, depth).of(np.array(targets, dtype=np.int64))
    assert [space.tolist() for space in spaces] == [
        sorted(set(nx.single_source_shortest_path_length(graph, t, depth)) - {t}) for t in targets
    ]


def test_example_every_other_variable():
    spaces = AllVariables(4).of(np.array([0, 2]))
    assert [space.tolist() for space in spaces] == [[1, 2, 3], [0, 1, 3]]
