import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from markhood.kernels.lists import Lists

some_lists = st.lists(st.lists(st.integers(0, 50), max_size=5), max_size=8)


@given(some_lists)
def test_property_lists_come_back_as_they_went_in(lists):
    joined = Lists.of(lists)
    assert len(joined) == len(lists)
    assert [values.tolist() for values in joined] == lists
    assert [joined[k].tolist() for k in range(len(joined))] == lists
    assert joined.starts.dtype == joined.values.dtype == np.int64


@given(some_lists, st.data())
def test_property_a_part_is_a_slice(lists, data):
    start = data.draw(st.integers(0, len(lists)))
    stop = data.draw(st.integers(start, len(lists)))
    part = Lists.of(lists).part(range(start, stop))
    assert [values.tolist() for values in part] == lists[start:stop]
    assert part.starts[0] == 0


@given(st.lists(some_lists, max_size=4))
def test_property_joined_parts_come_one_after_another(parts):
    joined = Lists.joined([Lists.of(lists) for lists in parts])
    assert [values.tolist() for values in joined] == [values for lists in parts for values in lists]


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda e: e[0] < e[1])))
def test_property_neighbours_are_those_of_the_edges(edges):
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    lists = Lists.of_neighbours(array, 10)
    expected = [
        sorted([j for i, j in edges if i == v] + [i for i, j in edges if j == v]) for v in range(10)
    ]
    assert [values.tolist() for values in lists] == expected


def test_example_empty_lists():
    assert [values.tolist() for values in Lists.empty(3)] == [[], [], []]


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1])))
def test_property_edges_are_found_at_both_their_ends(some):
    edges = np.array(sorted(some), np.int64).reshape(-1, 2)
    neighbours, places = Lists.from_both_ends(edges, 7)
    expected = Lists.of_neighbours(edges, 7)
    assert neighbours.starts.tolist() == expected.starts.tolist()
    assert neighbours.values.tolist() == expected.values.tolist()
    owners = np.repeat(np.arange(7), np.diff(neighbours.starts))
    assert owners[places].tolist() == edges.tolist()
    assert neighbours.values[places].tolist() == edges[:, ::-1].tolist()


@given(some_lists, st.lists(st.integers(0, 100)))
def test_property_picked_lists_come_in_the_order_asked_for(lists, wanted):
    which = [k % len(lists) for k in wanted] if lists else []
    picked = Lists.of(lists).pick(np.array(which, np.int64))
    assert [values.tolist() for values in picked] == [lists[k] for k in which]
