"""The GPU's screen: its bounds everywhere, its pairs where there is a card."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood import InputError
from markhood.kernels.cuda.backend import MOST_SAMPLES, CudaKernels
from markhood.kernels.cuda.bounds import margins, slack
from markhood.kernels.cuda.programs import MMA, POPCOUNT, WGMMA, variant_for
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Costs
from markhood.kernels.tables import likelihood_ratios
from markhood.learning.request import kernels_named
from oracles.counting import n_log_n
from oracles.networks import network
from oracles.packing import pack

try:
    CUDA = kernels_named("cuda")
except InputError as error:
    CUDA, WHY_NOT = None, str(error)

needs_card = pytest.mark.skipif(CUDA is None, reason="there is no GPU here")


@pytest.fixture(autouse=True)
def small_tiles_too(monkeypatch):
    monkeypatch.setattr("markhood.kernels.cuda.backend.FEWEST_PAIRS", 0)


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


@pytest.mark.parametrize(
    ("capability", "compiler", "variant"),
    [
        ((7, 5), (12, 8), POPCOUNT),
        ((8, 0), (12, 8), MMA),
        ((8, 9), (13, 0), MMA),
        ((9, 0), (12, 8), MMA),
        ((9, 0), (13, 0), WGMMA),
        ((10, 0), (13, 0), POPCOUNT),
    ],
)
def test_example_ways_of_counting(capability, compiler, variant):
    assert variant_for(capability, compiler) is variant
    assert variant.shared_bytes <= 227 * 1024


def test_example_too_many_samples_for_the_card_are_left_to_the_processor():
    n = MOST_SAMPLES + 1
    values = np.random.default_rng(2).integers(0, 2, size=(n, 2), dtype=np.uint8)
    bits, ones = pack(values), values.sum(axis=0).astype(np.int64)
    arguments = (bits, ones, n_log_n(n), range(2), range(2), 1e-9)
    ours = CudaKernels(device=None).associated_pairs(*arguments)
    assert ours.joint == [(values[:, 0] & values[:, 1]).sum()]


def test_example_small_tiles_are_left_to_the_processor(monkeypatch):
    monkeypatch.setattr("markhood.kernels.cuda.backend.FEWEST_PAIRS", 101)
    values = network(4, 300, 10)
    bits, ones = pack(values), values.sum(axis=0).astype(np.int64)
    arguments = (bits, ones, n_log_n(300), range(10), range(10), 1.0)
    ours = CudaKernels(device=None).associated_pairs(*arguments)
    assert ours.pairs.tolist() == NativeKernels().associated_pairs(*arguments).pairs.tolist()
    costs = Costs(0.5, 0.5)
    ours = CudaKernels(device=None).associated_tables(bits, range(10), range(10), costs)
    theirs = NativeKernels().associated_tables(bits, range(10), range(10), costs)
    assert ours.ratios.tolist() == theirs.ratios.tolist()


def test_example_pairs_come_in_order():
    class Card:
        def associated_pairs(self, *_):
            return np.array([[1, 7, 3], [0, 9, 4], [1, 2, 5]], dtype=np.int32)

    bits = pack(np.zeros((2, 10)))
    found = CudaKernels(device=Card()).associated_pairs(bits, None, None, range(2), range(10), 1.0)
    assert found.pairs.tolist() == [[0, 9], [1, 2], [1, 7]]
    assert found.joint.tolist() == [4, 5, 3]


@needs_card
@pytest.mark.parametrize(("n", "d"), [(2, 40), (1023, 300), (1025, 700), (10240, 1111)])
@pytest.mark.parametrize("least_ratio", [0.5, 8.0])
@pytest.mark.parametrize("rare", [0.0, 0.3])
def test_example_same_pairs_as_the_processor(n, d, least_ratio, rare):
    values = network(n + d, n, d)
    rng = np.random.default_rng(n)
    values &= (rng.random(d) >= rare) | (rng.random((n, d)) < 0.02)
    bits, ones, logs = pack(values), values.sum(axis=0).astype(np.int64), n_log_n(n)
    half = d // 3
    for rows, columns in [(range(d), range(d)), (range(half), range(half, d))]:
        ours = CUDA.associated_pairs(bits, ones, logs, rows, columns, least_ratio)
        theirs = NativeKernels().associated_pairs(bits, ones, logs, rows, columns, least_ratio)
        order = np.lexsort((theirs.pairs[:, 1], theirs.pairs[:, 0]))
        np.testing.assert_array_equal(ours.pairs, theirs.pairs[order])
        np.testing.assert_array_equal(ours.joint, theirs.joint[order])


@needs_card
def test_example_kernels_travel_without_their_card():
    values = network(3, 500, 80)
    arguments = (pack(values), values.sum(axis=0).astype(np.int64), n_log_n(500), range(80))
    again = pickle.loads(pickle.dumps(CUDA))
    ours, theirs = (k.associated_pairs(*arguments, range(80), 5.0) for k in (again, CUDA))
    np.testing.assert_array_equal(ours.pairs, theirs.pairs)
