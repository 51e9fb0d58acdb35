"""The native module is given sizes that are checked before any memory is read."""

import gc
from dataclasses import replace

import numpy as np
import pytest

from markhood.kernels import native
from markhood.kernels.bits import Bits
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import NO_PENALTY, Costs, Residuals
from markhood.kernels.steps import weakest_of_triangles, within_steps
from oracles.counting import n_log_n
from oracles.networks import network
from oracles.packing import pack

VALUES = network(1, 100, 5)
BITS = pack(VALUES)
ONES = VALUES.sum(axis=0, dtype=np.int64)
COSTS = Costs(1.0, 1.0)


def pairs(bits=BITS, ones=ONES, logs=None, rows=range(5), columns=range(5), least=1.0):
    logs = n_log_n(100) if logs is None else logs
    return NativeKernels().associated_pairs(bits, ones, logs, rows, columns, least)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bits": Bits(BITS.words[:, :7].copy(), 100)}, "multiple of 8"),
        ({"bits": Bits(BITS.words, 513), "logs": n_log_n(513)}, "n_samples bits"),
        ({"ones": ONES[:-1].copy()}, "a count per variable"),
        ({"logs": n_log_n(99)}, "from 0 to n_samples"),
        ({"rows": range(6)}, "rows must be within"),
        ({"columns": range(4, 6)}, "columns must be within"),
        ({"least": 0.0}, "positive"),
        ({"least": float("nan")}, "positive"),
    ],
)
def test_example_pairs_of_wrong_sizes(change, message):
    with pytest.raises(ValueError, match=message):
        pairs(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"means": np.ones((4, 2))}, "those of the first variables"),
        ({"variances": np.ones((6, 2))}, "those of the first variables"),
        ({"least_variance": 0.0}, "positive"),
        ({"least_variance": float("nan")}, "positive"),
    ],
)
def test_residuals_of_the_wrong_size_are_refused(change, message):
    residuals = Residuals(np.ones((5, 2)), np.ones((5, 2)), 0.1)._replace(**change)
    with pytest.raises(ValueError, match=message):
        NativeKernels().associated_residuals(BITS, range(5), range(5), residuals, 1.0)


def test_residuals_of_variables_with_levels_are_refused():
    bits = replace(BITS, starts=np.array([0, 2, 5]))
    residuals = Residuals(np.ones((2, 2)), np.ones((2, 2)), 0.1)
    with pytest.raises(ValueError, match="must be binary"):
        NativeKernels().associated_residuals(bits, range(2), range(2), residuals, 1.0)


@pytest.mark.parametrize(
    ("targets", "lists", "message"),
    [
        ([5], Lists.of([[0]]), "row numbers"),
        ([-1], Lists.of([[0]]), "row numbers"),
        ([0], Lists.of([[5]]), "row numbers"),
        ([0], Lists.of([[1], [2]]), "one list a target"),
        ([0], Lists(np.array([0, 2]), np.array([1])), "end at the last value"),
        ([0, 1], Lists(np.array([0, 2, 1]), np.array([1])), "ascend"),
    ],
)
def test_example_lists_of_wrong_sizes(targets, lists, message):
    kernels, targets = NativeKernels(), np.array(targets)
    with pytest.raises(ValueError, match=message):
        kernels.fit_blankets(BITS, targets, lists, NO_PENALTY)
    with pytest.raises(ValueError, match=message):
        kernels.grow_blankets(BITS, targets, lists, COSTS)
    with pytest.raises(ValueError, match=message):
        kernels.grow_blankets(BITS, targets, Lists.empty(len(targets)), COSTS, lists)
    with pytest.raises(ValueError, match=message):
        kernels.toggle_scores(BITS, targets, lists, lists, COSTS)


def test_example_an_instruction_set_that_is_not_there():
    kernels = NativeKernels("abacus")
    with pytest.raises(ValueError, match="'abacus' is not available"):
        kernels.fit_blankets(BITS, np.array([0]), Lists.of([[1]]), NO_PENALTY)


def test_example_the_best_instruction_set_is_the_default():
    available = NativeKernels.available()
    assert available[-1] == "scalar"
    assert NativeKernels().name == f"native-{available[0]}"
    assert NativeKernels("scalar").name == "native-scalar"


@pytest.mark.parametrize(
    ("starts", "values", "targets"),
    [
        ([0, 1, 2, 3], [1, 3, 0], [0]),  # a neighbour that is no variable
        ([0, 1, 2, 3], [1, -1, 0], [0]),
        ([0, 3, 2], [1, 0], [0]),  # a list that ends after the last value
        ([0, -5, 2], [1, 0], [1]),
        ([0, 1, 2], [1, 0], [2]),
    ],
)
def test_example_steps_never_leave_the_graph(starts, values, targets):
    graph = Lists(np.array(starts), np.array(values))
    with pytest.raises(ValueError, match="must"):
        within_steps(graph, np.array(targets), 3)


@pytest.mark.parametrize(
    ("pairs", "strengths"),
    [([[0, 3]], [1.0]), ([[1, 1]], [1.0]), ([[-1, 1]], [1.0]), ([[0, 1]], [1.0, 2.0])],
)
def test_example_triangles_are_those_of_variables(pairs, strengths):
    with pytest.raises(ValueError, match="must"):
        weakest_of_triangles(np.array(pairs), np.array(strengths), 3)


def test_example_triangles_whose_corners_are_far_apart():
    """Neighbours of so many variables are looked at a part at a time."""
    corners = [0, 20_000, 39_999]
    for middle in corners:
        ends = [corner for corner in corners if corner != middle]
        pairs = np.array([sorted([middle, ends[0]]), sorted([middle, ends[1]]), ends])
        found = weakest_of_triangles(pairs, np.array([3.0, 2.0, 1.0]), 40_000)
        assert found.tolist() == [False, False, True]


def test_example_samples_are_checked_once_and_let_go():
    bits = pack(network(1, 70, 4))
    checked = native._packed(bits)
    assert native._packed(bits) is checked
    assert native._packed(replace(bits)) is not checked
    del bits
    gc.collect()
    assert all(kept is not checked for kept in native._PACKED.values())
