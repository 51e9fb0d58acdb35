"""Fits of every backend against an independent optimiser, separated ones included."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import NO_PENALTY, Costs, FitPenalty
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.kernels.reference.regression import maximum as maximum_of_table
from markhood.kernels.tables import Table
from oracles.logistic import log_likelihood, maximum
from oracles.networks import awkward, hub, independent, network
from oracles.packing import pack

FREE = Costs(0.0, 0.0)  # the score is the likelihood itself


def fit(kernels, values, target, blanket):
    fits = kernels.fit_blankets(pack(values), np.array([target]), Lists.of([blanket]), NO_PENALTY)
    return fits.log_likelihoods[0], fits.coefficients, fits.infinite


@pytest.mark.parametrize(("n_samples", "size"), [(63, 1), (64, 2), (65, 3), (513, 4), (2000, 7)])
def test_oracle_likelihood_and_optimality(kernels, n_samples, size):
    values = network(size, n_samples, 9)
    blanket = list(range(8 - size, 8))
    likelihood, coefficients, infinite = fit(kernels, values, 8, blanket)
    best = maximum(values, 8, blanket)
    assert likelihood == pytest.approx(best.log_likelihood, abs=1e-8)
    assert best.directions == [0] * (size + 1)
    assert not infinite.any()
    # At the maximum the expected sums are the observed ones.
    design = np.column_stack([np.ones(n_samples), values[:, blanket]])
    expected = design.T @ (1 / (1 + np.exp(-design @ coefficients)))
    np.testing.assert_allclose(expected, design.T @ values[:, 8], rtol=0, atol=1e-4)


@pytest.mark.parametrize("size", [8, 9, 10, 12, 25])
def test_oracle_blankets_whose_rows_have_no_masks(kernels, size):
    """Past 256 rows the native table numbers its samples instead."""
    values = hub(size, 600, size, slope=0.5)
    blanket = list(range(size))
    likelihood, _, infinite = fit(kernels, values, size, blanket)
    assert likelihood == pytest.approx(log_likelihood(values, size, blanket), abs=1e-8)
    assert not infinite.any()


@pytest.mark.parametrize("size", [7, 8, 9, 12])
def test_oracle_one_more_and_one_fewer(native_kernels, size):
    values = np.column_stack([independent(size, 600, 2), hub(size, 600, size + 1, slope=0.7)])
    target, d = values.shape[1] - 1, values.shape[1]
    blanket = list(range(1, size + 1))
    others = list(range(d - 1))
    _, toggled = native_kernels.toggle_scores(
        pack(values), np.array([target]), Lists.of([blanket]), Lists.of([others]), FREE
    )
    expected = [log_likelihood(values, target, sorted({*blanket} ^ {v})) for v in others]
    np.testing.assert_allclose(toggled, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("l2", [0.0, 0.3, 20.0])
def test_property_a_member_fewer_of_many_is_a_fit_of_its_own(native_kernels, l2):
    """It is looked for near the fit with that member, by steps of which none knows its second derivatives."""
    size, costs = 40, Costs(0.0, 0.0, FitPenalty(l2=l2))
    values = hub(5, 1500, size, slope=0.4)
    bits, target, blanket = pack(values), np.array([size]), list(range(size))
    _, toggled = native_kernels.toggle_scores(
        bits, target, Lists.of([blanket]), Lists.of([blanket]), costs
    )
    without = [[v for v in blanket if v != gone] for gone in blanket]
    alone, _ = native_kernels.toggle_scores(
        bits, np.repeat(target, size), Lists.of(without), Lists.empty(size), costs
    )
    np.testing.assert_allclose(toggled, alone, rtol=0, atol=1e-8)


@pytest.mark.parametrize("size", [1, 4, 8])
def test_oracle_penalised_fits_of_binary_tables(native_kernels, size):
    values = np.column_stack([independent(size, 300, 2), hub(size, 300, size + 1, slope=1.5)])
    target, d, l2 = values.shape[1] - 1, values.shape[1], 0.7
    blanket, others = list(range(1, size + 1)), list(range(d - 1))
    _, toggled = native_kernels.toggle_scores(
        pack(values),
        np.array([target]),
        Lists.of([blanket]),
        Lists.of([others]),
        Costs(0.0, 0.0, FitPenalty(l2=l2)),
    )

    def best(members):
        design = np.column_stack([np.ones(len(values)), values[:, members]])
        signs = 2.0 * values[:, target] - 1

        def loss(b):
            return np.logaddexp(0, -signs * (design @ b)).sum() + l2 * (b[1:] ** 2).sum()

        return -minimize(loss, np.zeros(design.shape[1]), method="BFGS").fun

    expected = [best(sorted({*blanket} ^ {v})) for v in others]
    np.testing.assert_allclose(toggled, expected, rtol=0, atol=1e-6)


def test_example_the_blanket_of_several_targets_at_once(kernels):
    values = network(3, 200, 6)
    blankets = [[1, 2], [], [0, 1, 3, 4, 5]]
    fits = kernels.fit_blankets(pack(values), np.array([0, 4, 2]), Lists.of(blankets), NO_PENALTY)
    alone = [fit(kernels, values, t, b) for t, b in zip([0, 4, 2], blankets, strict=True)]
    assert fits.log_likelihoods.tolist() == [likelihood for likelihood, _, _ in alone]
    assert fits.coefficients.tolist() == np.concatenate([b for _, b, _ in alone]).tolist()


@pytest.mark.parametrize("seed", range(24))
def test_oracle_awkward_data(kernels, seed):
    rng = np.random.default_rng(seed)
    values = awkward(seed, int(rng.choice([20, 60, 200, 600, 3000])))
    size = int(rng.integers(1, 6)) if values.shape[1] > 6 else 3
    others = np.arange(1, values.shape[1])
    blanket = sorted(rng.choice(others, size=min(size, len(others)), replace=False).tolist())
    likelihood, coefficients, infinite = fit(kernels, values, 0, blanket)
    best = maximum(values, 0, blanket)
    assert likelihood == pytest.approx(best.log_likelihood, abs=1e-8)
    for direction, b, is_infinite in zip(best.directions, coefficients, infinite, strict=True):
        if direction is not None:
            assert (np.sign(b) if is_infinite else 0) == direction


@pytest.mark.parametrize("seed", range(24))
def test_oracle_neighbours_of_separated_blankets(native_kernels, seed):
    """A fit that starts from its neighbour's coefficients must not start from infinite ones."""
    values = awkward(seed, [20, 200, 600, 3000][seed % 4])
    d = values.shape[1]
    others = list(range(1, d))
    blanket = [1, 2, *range(3, d, 2)]
    score, toggled = native_kernels.toggle_scores(
        pack(values), np.array([0]), Lists.of([blanket]), Lists.of([others]), FREE
    )
    assert score[0] == pytest.approx(log_likelihood(values, 0, blanket), abs=1e-8)
    expected = [log_likelihood(values, 0, sorted({*blanket} ^ {v})) for v in others]
    np.testing.assert_allclose(toggled, expected, rtol=0, atol=1e-8)


def entropy(ones, zeros):
    """The log-likelihood of coins thrown with their own frequency."""
    return sum(k * np.log(k / (ones + zeros)) for k in (ones, zeros) if k)


@pytest.mark.parametrize("n_samples", [80, 500, 5000, 50_000])
@pytest.mark.parametrize("complement", [False, True])
def test_example_half_separated(kernels, n_samples, complement):
    """The target is one only where the predictor is: a slope goes to infinity, and the fit of the
    other half is a coin's, however large that half is beside the weights that vanish."""
    x = np.arange(n_samples) % 2
    y = x & (np.arange(n_samples) // 2 % 4 == 0)
    values = np.column_stack([y, 1 - x if complement else x])
    likelihood, coefficients, infinite = fit(kernels, values, 0, [1])
    ones, at_one = int(y.sum()), int(x.sum())
    assert likelihood == pytest.approx(entropy(ones, at_one - ones), abs=1e-8)
    assert infinite.tolist() == [not complement, True]
    assert np.sign(coefficients[1]) == (-1 if complement else 1)


def test_example_a_predictor_and_its_complement_tie(native_kernels):
    """Also among a million samples, where weights of separated rows vanish soon."""
    n_samples = 1_000_000
    x = (np.arange(n_samples) % 2).astype(np.uint8)
    y = x & (np.arange(n_samples) // 2 % 4 == 0)
    values = np.column_stack([y, x, 1 - x])
    ones, at_one = int(y.sum()), int(x.sum())
    for blanket in ([1], [2], [1, 2]):
        likelihood, _, _ = fit(native_kernels, values, 0, blanket)
        assert likelihood == pytest.approx(entropy(ones, at_one - ones), abs=1e-9)


@pytest.mark.parametrize("target_is_one", [False, True])
def test_example_the_reference_reaches_the_supremum_of_a_million(target_is_one):
    counts = np.array([[500_000, 0], [375_000, 125_000]])
    counts = counts[:, ::-1] if target_is_one else counts
    found = maximum_of_table(Table(np.array([[0], [1]], dtype=np.uint16), counts, (2,)))
    assert found.value == pytest.approx(entropy(375_000, 125_000), abs=1e-9)


@pytest.mark.parametrize("n_samples", [20, 600, 50_000])
def test_example_duplicates_and_complements(kernels, n_samples):
    y = np.arange(n_samples) % 3 == 0
    values = np.column_stack([y, y, 1 - y]).astype(np.uint8)
    for blanket, sign in ([[1], 1], [[2], -1]):
        likelihood, coefficients, infinite = fit(kernels, values, 0, blanket)
        assert likelihood == pytest.approx(0, abs=1e-8)
        assert infinite.all()
        assert np.sign(coefficients[1]) == sign
    likelihood, coefficients, infinite = fit(kernels, values, 0, [1, 2])
    assert likelihood == pytest.approx(0, abs=1e-8)
    assert infinite[1]
    assert not infinite[2]  # says what the first has said already
    assert np.isfinite(coefficients).all()


@pytest.mark.parametrize("separated", [False, True])
def test_example_copies_among_many_members(native_kernels, separated):
    """Fourteen columns of three kinds: the first of each has its kind's coefficient, and which is missing makes no difference."""
    three = network(2, 300, 4, strength=1.0)
    target = three[:, 1] & three[:, 2] if separated else three[:, 0]
    kinds = np.array([0, 1, 0, 0, 2, 1, 2, 2, 0, 1, 1, 2, 0, 2])
    values = np.column_stack([target, three[:, 1:], three[:, 1 + kinds]])
    likelihood, coefficients, _ = fit(native_kernels, values, 0, [1, 2, 3])
    many = fit(native_kernels, values, 0, np.arange(4, 18))
    assert many[0] == pytest.approx(likelihood, rel=0, abs=1e-8)
    if not separated:
        firsts = np.array([0, 1, 2, 5])  # of the kinds, after the intercept
        np.testing.assert_allclose(many[1][firsts], coefficients, rtol=0, atol=1e-6)
        assert not np.delete(many[1], firsts).any()
        assert not many[2].any()
    blanket = Lists.of([np.arange(4, 18)])
    _, fewer = native_kernels.toggle_scores(pack(values), np.array([0]), blanket, blanket, FREE)
    np.testing.assert_allclose(fewer, likelihood, rtol=0, atol=1e-8)


def test_example_a_level_seen_once(kernels):
    values = independent(1, 200, 3)
    values[:, 1] = 0
    values[17, 1] = 1
    target, rest = int(values[17, 0]), np.delete(values[:, 0], 17)
    likelihood, coefficients, infinite = fit(kernels, values, 0, [1])
    ones = int(rest.sum())
    assert likelihood == pytest.approx(entropy(ones, 199 - ones), abs=1e-8)
    assert infinite.tolist() == [False, True]
    assert np.sign(coefficients[1]) == (1 if target else -1)
    # As a target it has a maximum: one in two hundred.
    likelihood, coefficients, infinite = fit(kernels, values, 1, [])
    assert likelihood == pytest.approx(entropy(1, 199), abs=1e-8)
    assert coefficients[0] == pytest.approx(np.log(1 / 199))
    assert not infinite.any()


@pytest.mark.parametrize("level", [0, 1])
def test_example_constant_target_and_constant_member(kernels, level):
    values = independent(2, 150, 3)
    values[:, 1] = level
    likelihood, _, _ = fit(kernels, values, 1, [0])
    assert likelihood == pytest.approx(0, abs=1e-8)
    with_it, coefficients, infinite = fit(kernels, values, 0, [1, 2])
    without, _, _ = fit(kernels, values, 0, [2])
    assert with_it == pytest.approx(without, abs=1e-10)
    assert not infinite.any()
    assert coefficients[1] == 0


def test_example_large_but_finite_coefficients(kernels):
    """One exception in ten thousand each way: eta is -9 and +9, and both are maxima."""
    x = np.repeat([0, 1], 10_000)
    y = x.copy()
    y[[0, 10_000]] = 1, 0
    likelihood, coefficients, infinite = fit(kernels, np.column_stack([y, x]), 0, [1])
    assert likelihood == pytest.approx(2 * entropy(1, 9999), abs=1e-8)
    np.testing.assert_allclose(coefficients, [-np.log(9999), 2 * np.log(9999)], rtol=1e-6)
    assert not infinite.any()


@pytest.mark.parametrize("copies", [1, 40])
def test_example_finite_coefficients_beside_infinite_ones(kernels, copies):
    """Where the first member is one so is the target; the second says something only elsewhere."""
    rows = [(0, 0, 0)] * 7 + [(1, 0, 0)] * 3 + [(0, 0, 1)] * 2 + [(1, 0, 1)] * 5
    separated = [(1, 1, 0)] * 4 + [(1, 1, 1)] * 6
    values = np.array((rows + separated) * copies, dtype=np.uint8)
    _, coefficients, infinite = fit(kernels, values, 0, [1, 2])
    assert infinite.tolist() == [False, True, False]
    expected = [np.log(3 / 7), np.log(5 / 2) - np.log(3 / 7)]
    np.testing.assert_allclose(coefficients[[0, 2]], expected, rtol=0, atol=1e-6)
    assert coefficients[1] > 15


def test_example_a_member_that_only_separated_samples_know(kernels):
    """The second member is one only where the first has said all: it may have any coefficient."""
    rows = [(0, 0, 0)] * 7 + [(1, 0, 0)] * 3 + [(1, 1, 0)] * 4 + [(1, 1, 1)] * 6
    values = np.column_stack([np.array(rows, dtype=np.uint8), np.arange(20, dtype=np.uint8) % 2])
    _, coefficients, infinite = fit(kernels, values, 0, [1, 2, 3])
    _, expected, _ = fit(ReferenceKernels(), values, 0, [1, 2, 3])
    assert infinite[:3].tolist() == [False, True, False]
    np.testing.assert_allclose(coefficients, expected, rtol=0, atol=1e-6)
    assert 0 < coefficients[2] < coefficients[1] / 4


def test_example_separated_by_many_members_together(kernels):
    """A majority of thirteen: no member separates alone, all do together."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, size=(600, 13))
    values = np.column_stack([x.sum(axis=1) > 6, x]).astype(np.uint8)
    likelihood, coefficients, infinite = fit(kernels, values, 0, list(range(1, 14)))
    assert likelihood == pytest.approx(0, abs=1e-8)
    assert infinite.all()
    assert (coefficients[1:] > 0).all()
    assert coefficients[0] < 0


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), size=st.integers(1, 6), copies=st.integers(2, 5))
def test_property_copies_of_all_samples_leave_coefficients(native_kernels, seed, size, copies):
    values = network(seed, 150, 8)
    blanket = list(range(size))
    once = fit(native_kernels, values, 7, blanket)
    often = fit(native_kernels, np.tile(values, (copies, 1)), 7, blanket)
    assert often[0] == pytest.approx(copies * once[0], abs=1e-8 * copies)
    assert often[2].tolist() == once[2].tolist()
    finite = ~once[2]
    np.testing.assert_allclose(often[1][finite], once[1][finite], rtol=0, atol=1e-4)


def others_of(n_variables):
    variables = np.arange(n_variables)
    return variables, Lists.of([np.setdiff1d(variables, [v]) for v in variables])


@settings(max_examples=4)
@given(seed=st.integers(0, 2**32 - 1), strength=st.sampled_from([0.2, 1.0, 3.0]))
def test_property_bounds_never_change_what_is_found(seed, strength):
    """Copies, complements and a column that is nearly constant: bounds that rounding could spoil."""
    values = network(seed, 120, 3, strength=strength)
    rare = np.arange(120) == seed % 120
    values = np.column_stack([values, values[:, 0], 1 - values[:, 1], rare]).astype(np.uint8)
    bits = pack(values)
    for costs in (Costs(np.log(120) / 2, 0.8), Costs(0.3, 0.0)):
        expected = ReferenceKernels().grow_blankets(bits, *others_of(6), costs)
        for name in NativeKernels.available():
            found = NativeKernels(name).grow_blankets(bits, *others_of(6), costs)
            assert found.members.values.tolist() == expected.members.values.tolist()
            np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-7)
            assert found.evaluations.tolist() == expected.evaluations.tolist()


def test_example_most_candidates_are_not_fitted(native_kernels):
    bits = pack(network(3, 1500, 20, strength=0.7))
    found = native_kernels.grow_blankets(bits, *others_of(20), Costs(np.log(1500) / 2, 1.0))
    assert found.n_bounded > 0.7 * found.evaluations[2:].sum()
