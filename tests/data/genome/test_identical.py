"""Variables that no data tell apart, found and grouped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markhood.data.coding.encode import encode
from markhood.data.genome.identical import find_duplicates, group_duplicates, identical_variables
from oracles.packing import samples_with_levels


def alike_by_columns(table, ordered):
    """Compare every column with every one before it, value by value."""
    node, opposite = list(range(table.shape[1])), [False] * table.shape[1]
    n_levels = table.max(axis=0) + 1
    for j in range(table.shape[1]):
        if len(set(table[:, j])) < 2:
            continue
        for i in range(j):
            if node[i] != i or n_levels[i] != n_levels[j] or ordered[i] != ordered[j]:
                continue
            turned = n_levels[j] - 1 - table[:, j]
            is_turned = (ordered[j] or n_levels[j] == 2) and (table[:, i] == turned).all()
            if (table[:, i] == table[:, j]).all() or is_turned:
                node[j], opposite[j] = i, not (table[:, i] == table[:, j]).all()
                break
    return node, opposite


@given(st.integers(2, 4), st.integers(1, 10), st.integers(0, 2**32 - 1), st.booleans())
def test_oracle_every_column_is_compared_with_every_other(n_samples, n_columns, seed, is_ordered):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, rng.integers(2, 4, n_columns + 1), (n_samples, n_columns + 1))
    _, table = zip(*(np.unique(own, return_inverse=True) for own in table.T), strict=True)
    table = np.column_stack(table)
    samples = samples_with_levels(table).with_order([is_ordered] * table.shape[1])
    found = find_duplicates(samples)
    node, opposite = alike_by_columns(table, [is_ordered] * table.shape[1])
    assert (found.node.tolist(), found.opposite.tolist()) == (node, opposite)


def test_example_samples_that_are_missing_tell_variables_apart():
    nan = float("nan")
    table = [[0, 0, 1, 0], [1, 1, 0, nan], [nan, nan, nan, 0], [1, 1, 0, 1]]
    found = find_duplicates(encode(np.array(table), missing="impute"))
    assert found.node.tolist() == [0, 0, 0, 3]
    assert found.opposite.tolist() == [False, False, True, False]


def test_example_a_hash_that_agrees_by_chance_decides_nothing(monkeypatch):
    samples = encode(np.array([[0, 1, 0, 0, 1], [0, 0, 1, 0, 0], [1, 0, 0, 1, 0]]))
    expected = find_duplicates(samples)
    assert expected.node.tolist() == [0, 1, 2, 0, 1]
    monkeypatch.setattr(
        "markhood.data.genome.identical._mixed", lambda rows, _: np.zeros(len(rows), np.uint64)
    )
    assert find_duplicates(samples).node.tolist() == expected.node.tolist()


def test_example_variables_that_differ_in_late_samples_are_not_copies():
    """Those of the first eight words are compared before all."""
    column = np.random.default_rng(0).integers(0, 2, 600)
    late = column.copy()
    late[550] ^= 1
    table = np.column_stack([column, late, 1 - column, late])
    assert find_duplicates(encode(table)).node.tolist() == [0, 1, 0, 1]


def test_example_labels_tell_variables_apart():
    samples = encode(np.array([[0, 0, 1, 0], [1, 1, 0, 1], [1, 1, 0, 1]]))
    assert find_duplicates(samples, np.array([0, 1, 1, 0])).node.tolist() == [0, 1, 1, 0]


def test_property_the_size_of_blocks_does_not_matter():
    table = np.random.default_rng(0).integers(0, 2, (5, 60))
    samples = samples_with_levels(table)
    whole = find_duplicates(samples)
    assert whole.n_copies > 20
    assert find_duplicates(samples, words_per_block=1).node.tolist() == whole.node.tolist()
    sets = identical_variables(samples)
    assert sum(len(own) - 1 for own in sets) == whole.n_copies


def test_example_groups_of_groups_are_unfolded_in_the_order_of_the_columns():
    table = np.array([[0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [1, 0, 1, 0, 1], [1, 0, 1, 0, 1]])
    samples = encode(table, names=list("abcde"))
    grouped = group_duplicates(samples, find_duplicates(samples))
    assert grouped.names == ("a", "c")
    told = grouped.variables.unfolded()
    assert told.variables.names == samples.names
    assert told.variables.levels == samples.levels
    assert told.node == (0, 0, 1, 0, 0)
    assert told.opposite == (False, True, False, True, False)
    again = group_duplicates(grouped, find_duplicates(grouped)._replace(node=np.array([1, 1])))
    assert again.names == ("c",)
    assert again.variables.unfolded().variables.names == samples.names
    assert again.variables.unfolded().node == (0,) * 5


@pytest.mark.parametrize("columns", [["c", "a"], ["c"]])
def test_example_of_some_variables_members_follow_theirs(columns):
    table = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 1]])
    samples = encode(table, names=list("abc"))
    grouped = group_duplicates(samples, find_duplicates(samples)).variables
    picked = grouped.pick([grouped.names.index(name) for name in columns])
    expected = [m for name in columns for m in (["a", "b"] if name == "a" else [name])]
    assert sorted(picked.unfolded().variables.names) == sorted(expected)
