"""Potts models by pseudo-likelihood: the compiled fit against indicators, double precision and SciPy."""

import numpy as np
import pytest

from markhood.kernels.native import NativeKernels
from markhood.kernels.networks import PottsPenalty, PottsSamples
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.kernels.reference.pseudo_likelihood import Objective

NATIVE = [NativeKernels(name) for name in NativeKernels.available()]


def placed(n_samples, n_levels, seed=0, missing=0.0, weighted=False):
    """Draw samples whose neighbours in the list often agree."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n_samples, len(n_levels)), np.int32)
    for v, r in enumerate(n_levels):
        own = rng.integers(r, size=n_samples)
        codes[:, v] = (
            own if v == 0 else np.where(rng.random(n_samples) < 0.5, codes[:, v - 1] % r, own)
        )
    starts = np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int64)
    places = (codes + starts[:-1]).astype(np.int32)
    places[rng.random(places.shape) < missing] = starts[-1]
    weights = rng.random(n_samples) + 0.5 if weighted else np.ones(n_samples)
    return PottsSamples(places, starts, weights)


def penalty_of(n_variables, strength=0.7):
    return PottsPenalty(0.01, np.linspace(1.0, 1.5, n_variables) * strength)


CASES = {
    "binary": ([2] * 6, {}),
    "mixed": ([2, 5, 3, 21, 4], {}),
    "weighted": ([4, 4, 4, 4], {"weighted": True}),
    "missing": ([3, 2, 4, 3], {"missing": 0.2}),
    "blocks": ([3] * 4, {"n_samples": 1100}),
}


@pytest.mark.parametrize("kernels", NATIVE, ids=lambda k: k.instruction_set)
@pytest.mark.parametrize("case", CASES)
def test_oracle_the_fit_is_scipys_minimum(case, kernels):
    n_levels, options = CASES[case]
    samples = placed(options.pop("n_samples", 150), n_levels, **options)
    targets, penalty = np.array([1, 3]), penalty_of(len(n_levels))
    found = kernels.fit_potts(samples, targets, penalty, 1e-4, 1000)
    expected = ReferenceKernels().fit_potts(samples, targets, penalty, 1e-12, 1000)
    assert found.converged.all()
    assert expected.converged.all()
    ends = np.diff(samples.starts)[targets].cumsum()[:-1]
    for own, other in zip(
        *(np.split(f.table, ends, axis=1) for f in (found, expected)), strict=True
    ):
        # A number added to a target's fields hardly costs anything, and is the last to come to rest.
        own[-1] -= own[-1].mean()
        other[-1] -= other[-1].mean()
        np.testing.assert_allclose(own, other, atol=1e-4)


def test_oracle_the_twins_gradient_is_that_of_differences():
    samples = placed(60, [2, 4, 3], missing=0.1, weighted=True)
    objective = Objective(samples, np.array([0, 2]), penalty_of(3))
    rng = np.random.default_rng(1)
    at = rng.normal(size=objective.strengths.size) * objective.is_free.ravel()
    gradient = objective.value_and_gradient(at)[1]
    for k in np.flatnonzero(objective.is_free.ravel())[::5]:
        step = np.zeros_like(at)
        step[k] = 1e-5
        above, below = (objective.value_and_gradient(at + s)[0] for s in (step, -step))
        assert gradient[k] == pytest.approx((above - below) / 2e-5, rel=1e-5, abs=1e-5)


def test_property_own_rows_stay_zero_and_tables_sum_to_nothing():
    samples = placed(300, [3, 4, 21])
    table = NativeKernels().fit_potts(samples, np.array([1]), penalty_of(3), 1e-8, 200).table
    assert not table[3:7].any()
    np.testing.assert_allclose(table[:-1].sum(axis=1), 0.0, atol=5e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starts": np.array([0, 3, 3, 28])}, "a variable must have a level"),
        ({"places": np.full((300, 3), 29, np.int32)}, "rows of their variables"),
        ({"places": np.full((300, 3), -1, np.int32)}, "rows of their variables"),
        ({"weights": np.ones(3)}, "one weight a sample"),
    ],
)
def test_example_what_would_be_read_out_of_bounds_is_refused(change, message):
    samples = placed(300, [3, 4, 21])._replace(**change)
    with pytest.raises(ValueError, match=message):
        NativeKernels().fit_potts(samples, np.array([1]), penalty_of(3), 1e-5, 9)
    sound = placed(300, [3, 4, 21])
    with pytest.raises(ValueError, match="from 1 to 64 targets"):
        NativeKernels().fit_potts(sound, np.zeros(65, np.int64), penalty_of(3), 1e-5, 9)
    with pytest.raises(ValueError, match="row numbers"):
        NativeKernels().fit_potts(sound, np.array([3]), penalty_of(3), 1e-5, 9)
