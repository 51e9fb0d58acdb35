"""The GPU's screen: its bounds everywhere, its pairs where there is a card."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood import InputError
from markhood.kernels.cuda.bounds import margins, slack
from markhood.kernels.native import NativeKernels
from markhood.kernels.reference import likelihood_ratios
from markhood.learning import kernels_named
from oracles.counting import n_log_n
from oracles.networks import network
from oracles.packing import pack

try:
    CUDA = kernels_named("cuda")
except InputError as error:
    CUDA, WHY_NOT = None, str(error)

needs_card = pytest.mark.skipif(CUDA is None, reason="there is no GPU here")


@settings(max_examples=300, deadline=None)
@given(data=st.data(), n=st.integers(2, 3000), least_ratio=st.floats(0.1, 40))
def test_property_the_bounds_never_drop_a_pair_that_passes(data, n, least_ratio):
    """Every table of a pair with these margins, in the kernel's own single precision."""
    ones = np.array([data.draw(st.integers(0, n)), data.draw(st.integers(0, n))])
    joint = np.arange(max(0, ones.sum() - n), ones.min() + 1)
    passing = likelihood_ratios(joint, ones[:1], ones[1:], n_log_n(n)) >= least_ratio
    (x, loose_i, tight_i, _), (y, loose_j, tight_j, _) = margins(ones, n, least_ratio)
    covariance = np.abs(np.float32(n) * joint.astype(np.float32) - x * y) + np.float32(slack(n))
    assert (covariance[passing] >= max(loose_i * loose_j, tight_i * tight_j)).all()


def test_example_the_tight_bound_drops_far_more_pairs_of_balanced_variables():
    values = np.random.default_rng(1).integers(0, 2, size=(5000, 400))
    ones = values.sum(axis=0)
    least_ratio = np.log(5000) / 2 + 0.5 * np.log(399)
    covariance = np.abs(5000.0 * (values.T @ values) - np.outer(ones, ones))
    _, loose, tight, _ = margins(ones, 5000, least_ratio).T
    pairs = np.triu_indices(400, 1)
    by_loose = (covariance >= np.outer(loose, loose))[pairs].sum()
    by_tight = (covariance >= np.outer(tight, tight))[pairs].sum()
    assert by_loose > 50 * max(by_tight, 1)


def test_example_constant_variables_never_pass():
    assert np.isinf(margins(np.array([0, 10]), 10, 1.0)[:, 1:3]).all()


@pytest.mark.skipif(CUDA is not None, reason="there is a GPU here")
def test_example_no_gpu_is_one_sentence():
    assert WHY_NOT.count(". ") == 0
    assert "CuPy" in WHY_NOT or "GPU" in WHY_NOT


def test_example_unknown_kernels():
    with pytest.raises(InputError, match="'tpu': choose native or cuda"):
        kernels_named("tpu")


@needs_card
@pytest.mark.parametrize(("n", "d"), [(2, 40), (1023, 300), (1025, 700), (10240, 1111)])
@pytest.mark.parametrize("least_ratio", [0.5, 8.0])
def test_example_same_pairs_as_the_processor(n, d, least_ratio):
    values = network(n + d, n, d)
    bits, ones, logs = pack(values), values.sum(axis=0).astype(np.int64), n_log_n(n)
    half = d // 3
    for rows, columns in [(range(d), range(d)), (range(half), range(half, d))]:
        ours = CUDA.associated_pairs(bits, ones, logs, rows, columns, least_ratio)
        theirs = NativeKernels().associated_pairs(bits, ones, logs, rows, columns, least_ratio)
        order = np.lexsort((theirs.pairs[:, 1], theirs.pairs[:, 0]))
        np.testing.assert_array_equal(ours.pairs, theirs.pairs[order])
        np.testing.assert_array_equal(ours.joint, theirs.joint[order])
