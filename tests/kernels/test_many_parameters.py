"""Fits with many parameters: earlier decompositions, starts and bounds change no score and no blanket."""

import numpy as np
import pytest

from markhood.kernels.lists import Lists
from markhood.kernels.protocol import NO_PENALTY, Costs, FitPenalty
from markhood.kernels.reference.backend import ReferenceKernels
from oracles.packing import samples_with_levels

FREE = Costs(0.0, 0.0)  # the score is the likelihood itself
N_SAMPLES, N_CLASSES, N_MEASURES = 500, 8, 7


def classes_and_measures(seed, strength):
    """Draw a class of eight, and seven measures of it with up to eight levels."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, N_CLASSES, N_SAMPLES)
    means = 3.5 + strength * rng.standard_normal((N_CLASSES, N_MEASURES))
    measures = means[classes] + 1.5 * rng.standard_normal((N_SAMPLES, N_MEASURES))
    return np.column_stack([classes, np.clip(measures.round(), 0, 7).astype(int)])


def bits_of(values, are_steps):
    """Pack the values; measures are steps or categories, and the class is a category."""
    return samples_with_levels(values).with_order([False] + [are_steps] * N_MEASURES).bits


def scores(kernels, bits, target, blanket, toggles, costs=FREE):
    """Score a blanket, and it with each of some variables put in or taken out."""
    lists = Lists.of([np.array(blanket, dtype=np.int64)]), Lists.of([toggles])
    own, toggled = kernels.toggle_scores(bits, np.array([target]), *lists, costs)
    return own[0], toggled


def greedy_blanket(kernels, bits, target, candidates, costs):
    """Grow and shrink by scores that are all fitted, none of them bounded."""
    blanket, best = [], scores(kernels, bits, target, [], [], costs)[0]
    while len(blanket) < len(candidates):
        others = [v for v in candidates if v not in blanket]
        _, gained = scores(kernels, bits, target, blanket, others, costs)
        if not gained.max() > best + 1e-9:
            break
        blanket, best = sorted([*blanket, others[gained.argmax()]]), gained.max()
        while len(blanket) > 2:
            _, left = scores(kernels, bits, target, blanket, blanket, costs)
            if not left.max() > best + 1e-9:
                break
            blanket, best = sorted(set(blanket) - {blanket[left.argmax()]}), left.max()
    return blanket, best


@pytest.mark.parametrize("are_steps", [True, False])
@pytest.mark.parametrize(("target", "strength"), [(0, 0.5), (0, 3.0), (4, 1.0)])
def test_property_earlier_decompositions_end_at_newtons_maximum(
    native_kernels, target, strength, are_steps
):
    """Coefficients are fitted with second derivatives at every step, from no other fit."""
    bits = bits_of(classes_and_measures(target, strength), are_steps)
    others = np.setdiff1d(np.arange(N_MEASURES + 1), [target])
    blanket = others[:5]
    _, toggled = scores(native_kernels, bits, target, blanket, others)
    alone = [np.setxor1d(blanket, [v]) for v in others]
    newtons = native_kernels.fit_blankets(
        bits, np.full(len(others), target), Lists.of(alone), NO_PENALTY
    )
    np.testing.assert_allclose(toggled, newtons.log_likelihoods, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("strength", "are_steps"), [(0.3, True), (0.6, True), (2.0, True), (0.6, False)]
)
def test_oracle_a_search_that_fits_every_score(native_kernels, strength, are_steps):
    """Where a member or a candidate is bounded, and where a fit starts, changes no blanket."""
    bits = bits_of(classes_and_measures(7, strength), are_steps)
    costs = Costs(np.log(N_SAMPLES) / 2 if are_steps else 0.6, 0.5)
    for target in (0, 3):
        others = np.setdiff1d(np.arange(N_MEASURES + 1), [target])
        found = native_kernels.grow_blankets(bits, np.array([target]), Lists.of([others]), costs)
        blanket, best = greedy_blanket(native_kernels, bits, target, others.tolist(), costs)
        assert found.members.values.tolist() == blanket
        assert found.scores[0] == pytest.approx(best, rel=0, abs=1e-7)


def test_example_a_level_with_one_sample(native_kernels):
    """Its cells leave in every fit, and what has left is handed on as the blanket grows."""
    values = classes_and_measures(1, 1.0)
    values[0] = [N_CLASSES, *range(N_MEASURES)]
    bits = bits_of(values, are_steps=True)
    others = np.arange(1, N_MEASURES + 1)
    found = native_kernels.grow_blankets(bits, np.array([0]), Lists.of([others]), Costs(1.0, 0.0))
    alone, _ = scores(native_kernels, bits, 0, found.members.values, [], Costs(1.0, 0.0))
    assert len(found.members.values) > 3
    assert found.scores[0] == pytest.approx(alone, rel=0, abs=1e-7)


@pytest.mark.parametrize("penalty", [FitPenalty(l2=0.08), NO_PENALTY])
@pytest.mark.parametrize("depends", [True, False])
def test_oracle_conjugate_gradients_end_at_the_coefficients_of_factorisations(
    native_kernels, penalty, depends
):
    """40 samples, 150 coefficients: steps are solved by products with the curvature."""
    values = np.random.default_rng(1).integers(0, 7, (40, 5))
    values[:25, 1] = values[:25, 0] if depends else values[:25, 1]
    fits = [
        kernels.fit_blankets(
            samples_with_levels(values).bits, np.array([0]), Lists.of([[1, 2, 3, 4]]), penalty
        )
        for kernels in (native_kernels, ReferenceKernels())
    ]
    found, expected = fits
    assert len(found.coefficients) == 150
    np.testing.assert_allclose(found.log_likelihoods, expected.log_likelihoods, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.coefficients, expected.coefficients, rtol=0, atol=1e-6)
    assert np.array_equal(found.infinite, expected.infinite)
    assert found.statuses.tolist() == expected.statuses.tolist()
