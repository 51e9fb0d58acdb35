"""The GPU's screen of levels and weights: what it knows of variables everywhere, its pairs where there is a card."""

import numpy as np
import pytest

from markhood import InputError, learn
from markhood.data.samples import Weights
from markhood.kernels.cuda.backend import CudaKernels
from markhood.kernels.cuda.levels import MOST_UNITS, levels_of, rows_of, variables_of
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Costs
from markhood.learning.request import kernels_named
from markhood.learning.run import Run
from oracles.levels import chain
from oracles.packing import samples_with_levels

try:
    CUDA = kernels_named("cuda")
except InputError:
    CUDA = None

needs_card = pytest.mark.skipif(CUDA is None, reason="there is no GPU here")


@pytest.fixture(autouse=True)
def small_tiles_too(monkeypatch):
    monkeypatch.setattr("markhood.kernels.cuda.backend.FEWEST_PAIRS", 0)


KINDS = {
    "nominal": lambda v: False,
    "ordinal": lambda v: True,
    "mixed": lambda v: v % 3 == 0,
}


def table(seed, n, d, most_levels, kind="nominal", unit=None):
    rng = np.random.default_rng(seed)
    values = chain(seed, n, tuple(rng.integers(2, most_levels + 1, d).tolist()), strength=0.4)
    counts = rng.integers(1, 9 if unit == 1 else 3000, n)
    samples = samples_with_levels(values, None if unit is None else Weights(counts, unit))
    return values, samples.with_order([KINDS[kind](v) for v in range(d)])


@pytest.mark.parametrize("unit", [None, 1 / 1024])
def test_oracle_levels_are_counted_and_have_the_moments_of_their_numbers(unit):
    values, samples = table(1, 300, 7, 5, unit=unit)
    bits, weights = samples.bits, samples.bits.weighting
    units = np.ones(300) if weights is None else weights.weights / weights.unit
    picked = range(2, 6)
    rows = rows_of(bits, picked)
    assert variables_of(bits, rows) == picked
    shown = np.unpackbits(
        bits.words[rows.start : rows.stop].view(np.uint8), axis=1, count=300, bitorder="little"
    )
    known = levels_of(bits, picked, (shown @ units).astype(np.int32))
    at = 0
    for k, v in enumerate(picked):
        expected = np.bincount(values[:, v], units)
        levels = known.levels[at : at + len(expected)]
        np.testing.assert_array_equal(levels["total"], expected)
        np.testing.assert_allclose(levels["share"], expected / units.sum(), rtol=1e-6)
        np.testing.assert_allclose(levels["inverse"] * expected, 1.0, rtol=1e-6)
        mean = np.average(values[:, v], weights=units)
        variance = np.average((values[:, v] - mean) ** 2, weights=units)
        np.testing.assert_allclose(known.moments[k], [mean, 1 / variance])
        at += len(expected)
    assert at == len(known.levels)


def test_example_a_level_that_never_occurs_has_no_inverse():
    _, samples = table(1, 50, 3, 4)
    known = levels_of(samples.bits, range(3), np.zeros(len(samples.words), np.int32))
    assert (known.levels["inverse"][known.levels["total"] == 0] == 0).all()
    assert np.isfinite(known.moments).all()


def test_example_too_large_weights_are_left_to_the_processor():
    values = chain(1, 60, (3, 3), strength=3.0)
    heavy = Weights(np.full(60, MOST_UNITS // 50), 1 / 1024)
    bits = samples_with_levels(values, heavy).bits
    found = CudaKernels(device=None).associated_tables(bits, range(2), range(2), Costs(1.0, 1.0))
    assert found.pairs.tolist() == [[0, 1]]


@pytest.mark.parametrize("extra", [[], [[0, 2], [1, 2]]])
def test_example_the_processor_decides_about_what_the_card_lets_through(extra):
    values = chain(1, 200, (3, 3, 3), strength=3.0)
    values[:, 2] = np.random.default_rng(1).permutation(values[:, 2])
    bits, costs = samples_with_levels(values).bits, Costs(2.0, 2.0)

    class Card:
        def likely_tables(self, *_):
            return np.array([*extra, [0, 1]], dtype=np.int32)

    ours = CudaKernels(device=Card()).associated_tables(bits, range(3), range(3), costs)
    theirs = NativeKernels().associated_tables(bits, range(3), range(3), costs)
    assert ours.pairs.tolist() == theirs.pairs.tolist() == [[0, 1]]
    assert ours.ratios.tolist() == theirs.ratios.tolist()


@needs_card
@pytest.mark.parametrize("unit", [None, 1.0, 1 / 1024])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n", "d", "most_levels"), [(40, 20, 3), (1025, 150, 3), (3000, 90, 6), (700, 200, 2)]
)
def test_example_same_tables_as_the_processor(n, d, most_levels, kind, unit):
    _, samples = table(n + d, n, d, most_levels, kind, unit)
    third = d // 3
    for costs in (Costs(np.log(n) / 2, np.log(d) / 2), Costs(0.1, 0.1)):
        for rows, columns in [(range(d), range(d)), (range(third), range(third, d))]:
            ours = CUDA.associated_tables(samples.bits, rows, columns, costs)
            theirs = NativeKernels().associated_tables(samples.bits, rows, columns, costs)
            order = np.lexsort(theirs.pairs.T[::-1])
            np.testing.assert_array_equal(ours.pairs, theirs.pairs[order])
            np.testing.assert_array_equal(ours.ratios, theirs.ratios[order])


@needs_card
@pytest.mark.parametrize("price", [Costs(4.0, 4.0), Costs(1.0, 0.5)])
def test_example_the_card_leaves_little_to_the_processor(price):
    _, samples = table(5, 2000, 300, 4)
    pairs = CUDA.device.likely_tables(samples.bits, range(300), range(300), price)
    passing = CUDA.associated_among(samples.bits, np.sort(pairs.astype(np.int64), axis=1), price)
    assert len(passing.pairs) == len(pairs)


@needs_card
@pytest.mark.parametrize("weighted", [False, True])
def test_example_the_same_graph_is_learned(weighted):
    values = chain(9, 1500, (2, 3, 4, 3, 2, 5, 3, 3, 2, 4), strength=0.8)
    weights = np.random.default_rng(1).random(1500) + 0.5 if weighted else None
    ours, theirs = (
        learn(values, weights=weights, run=Run(kernels=name)) for name in ("cuda", "native")
    )
    assert ours == theirs
