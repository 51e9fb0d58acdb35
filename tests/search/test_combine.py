from hypothesis import given
from hypothesis import strategies as st

from markhood.kernels.lists import Lists
from markhood.search.blankets import combine


@given(st.lists(st.sets(st.integers(0, 7)), min_size=8, max_size=8))
def test_property_or_is_either_end_and_and_is_both(blankets):
    blankets = [sorted(blanket - {v}) for v, blanket in enumerate(blankets)]
    pairs = [[i, j] for i in range(8) for j in range(i + 1, 8)]
    either = [[i, j] for i, j in pairs if j in blankets[i] or i in blankets[j]]
    both = [[i, j] for i, j in pairs if j in blankets[i] and i in blankets[j]]
    lists = Lists.of(blankets)
    assert combine(lists, "or").tolist() == either
    assert combine(lists, "and").tolist() == both


def test_example_no_blankets_no_edges():
    for rule in ("or", "and"):
        assert combine(Lists.of([[], []]), rule).shape == (0, 2)
