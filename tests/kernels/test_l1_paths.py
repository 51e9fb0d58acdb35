"""L1 paths of every backend against other solvers, and against what defines their solutions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn import __version__ as sklearn_version
from sklearn.linear_model import LogisticRegression

from markhood.kernels.bits import Reals
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.reference.backend import ReferenceKernels
from oracles.l1 import l1_logistic, scores, slopes_along
from oracles.networks import awkward, independent, network
from oracles.packing import pack

# The penalty has had its own name until scikit-learn 1.8.
L1 = (
    {"l1_ratio": 1}
    if tuple(map(int, sklearn_version.split(".")[:2])) >= (1, 8)
    else {"penalty": "l1"}
)
FRACTIONS = np.geomspace(1, 0.01, 12)
PROMISED = 1e-8 + 1e-10  # of lambda: what the kernels stop at, and the rounding of other sums


def path_of(kernels, values, target, penalties=None, fractions=FRACTIONS):
    """Return lambdas, intercepts, slopes on all variables, and log-likelihoods."""
    d = values.shape[1]
    candidates = Lists.of([[v for v in range(d) if v != target]])
    penalties = np.ones(d) if penalties is None else penalties
    paths = kernels.l1_paths(pack(values), np.array([target]), candidates, penalties, fractions, d)
    slopes = slopes_along(paths, 0, d)
    return paths.lambdas[0], paths.intercepts[0], slopes, paths.log_likelihoods[0]


def split(values, target):
    return np.delete(values, target, axis=1).astype(float), values[:, target].astype(float)


def deviations(values, standardize):
    d = values.shape[1]
    return values.std(axis=0) if standardize else np.ones(d)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize(("n_samples", "d"), [(63, 5), (130, 9), (513, 17)])
def test_oracle_coefficients_and_likelihoods(kernels, n_samples, d, standardize):
    values = network(d, n_samples, d, strength=1.5)
    target, penalties = d - 1, deviations(values, standardize)
    fractions = np.array([1, 0.9, 0.5, 0.2, 0.05, 0.01])
    lambdas, intercepts, slopes, likelihoods = path_of(
        kernels, values, target, penalties, fractions
    )
    x, y = split(values, target)
    for k, bound in enumerate(lambdas):
        b0, b = l1_logistic(x, y, bound * np.delete(penalties, target))
        assert intercepts[k] == pytest.approx(b0, abs=1e-6)
        np.testing.assert_allclose(np.delete(slopes[k], target), b, rtol=0, atol=1e-6)
        eta = b0 + x @ b
        assert likelihoods[k] == pytest.approx(np.sum(y * eta - np.logaddexp(0, eta)), abs=1e-5)
    assert np.count_nonzero(slopes[-1]) > 3


@pytest.mark.parametrize("kind", ["many", "few", "own", "collinear"])
def test_oracle_real_columns_are_in_every_fit(kernels, kind):
    rng = np.random.default_rng(7)
    n, d = 300, 9
    columns = rng.normal(size=(2, n))
    values = network(5, n, d, strength=1.5)
    values[:, 1] = rng.random(n) < 1 / (1 + np.exp(-2 * columns[0]))
    if kind == "few":
        columns = columns.round()
    if kind == "own":
        columns = rng.normal(size=(d, 2, n))
    if kind == "collinear":
        columns[1] = -columns[0]
    bits = replace(pack(values), reals=Reals.of(columns))
    targets = np.array([8, 1])
    candidates = Lists.of([[v for v in range(d) if v != target] for target in targets])
    penalties = np.array([1.0, 1, 1, 1, 1, 1, 0, 1, 1])  # and a variable without a penalty
    paths = kernels.l1_paths(bits, targets, candidates, penalties, FRACTIONS, d)
    assert paths.converged.all()
    for t, target in enumerate(targets.tolist()):
        x, y = split(values, target)
        own = columns[target] if kind == "own" else columns
        both = np.column_stack([own.T, x])
        slopes = slopes_along(paths, t, d)
        for k, bound in enumerate(paths.lambdas[t]):
            bounds = np.append(np.zeros(2), np.delete(penalties, target) * bound)
            b0, b = l1_logistic(both, y, np.where(bounds > 0, bounds, 1e-6))
            assert paths.intercepts[t, k] == pytest.approx(b0, abs=1e-6)
            np.testing.assert_allclose(np.delete(slopes[k], target), b[2:], rtol=0, atol=1e-6)
            eta = b0 + both @ b
            likelihood = np.sum(y * eta - np.logaddexp(0, eta))
            assert paths.log_likelihoods[t, k] == pytest.approx(likelihood, abs=1e-5)
        assert np.count_nonzero(slopes[0]) == 1
        assert np.count_nonzero(slopes[-1]) > 4


def test_oracle_without_a_penalty_a_variable_is_in_every_fit(kernels):
    values = network(5, 300, 9, strength=1.5)
    penalties = np.array([1.0, 1, 1, 1, 1, 1, 0, 0, 1])
    lambdas, intercepts, slopes, likelihoods = path_of(kernels, values, 8, penalties)
    x, y = split(values, 8)
    assert np.count_nonzero(slopes[0]) == 2
    for k, bound in enumerate(lambdas):
        b0, b = l1_logistic(x, y, np.where(penalties[:8] > 0, bound, 1e-6))
        assert intercepts[k] == pytest.approx(b0, abs=1e-6)
        np.testing.assert_allclose(slopes[k, :8], b, rtol=0, atol=1e-6)
        eta = b0 + x @ b
        assert likelihoods[k] == pytest.approx(np.sum(y * eta - np.logaddexp(0, eta)), abs=1e-5)
    _, just_above = l1_logistic(x, y, np.where(penalties[:8] > 0, 1.001 * lambdas[0], 1e-6))
    assert np.flatnonzero(just_above).tolist() == [6, 7]  # so that the path begins at its top
    assert np.count_nonzero(slopes[-1]) > 4


def test_example_a_free_variable_that_separates_the_target_ends_the_path_soon(kernels):
    values = network(5, 200, 5, strength=1.0)
    values[:, 3] = values[:, 4]
    lambdas, _, slopes, likelihoods = path_of(kernels, values, 4, np.array([1.0, 1, 1, 0, 1]))
    assert np.isfinite(slopes).all()
    assert likelihoods[0] == pytest.approx(0.0, abs=0.01)
    assert lambdas[0] < 1e-4


@pytest.mark.parametrize("standardize", [False, True])
def test_oracle_supports_and_coefficients_of_scikit_learn(kernels, standardize):
    values = network(3, 400, 12, strength=1.5)
    penalties = deviations(values, standardize)
    lambdas, intercepts, slopes, _ = path_of(
        kernels, values, 11, penalties, np.array([0.8, 0.3, 0.1, 0.02])
    )
    x, y = split(values, 11)
    scale = penalties[:11]
    sizes = set()
    for bound, intercept, b in zip(lambdas, intercepts, slopes[:, :11], strict=True):
        peer = LogisticRegression(
            C=1 / (bound * len(y)), solver="saga", tol=1e-10, max_iter=20_000, **L1
        ).fit(x / scale, y)
        assert np.flatnonzero(b).tolist() == np.flatnonzero(peer.coef_[0]).tolist()
        np.testing.assert_allclose(b * scale, peer.coef_[0], rtol=0, atol=1e-6)
        assert intercept == pytest.approx(peer.intercept_[0], abs=1e-6)
        sizes.add(np.count_nonzero(b))
    assert len(sizes) > 1


def violation(values, target, penalties, bound, intercept, slopes):
    """How far, relative to lambda, a point is from being a maximum."""
    x, y = split(values, target)
    gradient = scores(x, y, intercept, np.delete(slopes, target))
    bounds, b = bound * np.delete(penalties, target), np.delete(slopes, target)
    off = np.where(b == 0, np.maximum(np.abs(gradient[1:]) - bounds, 0),
                   np.abs(gradient[1:] - bounds * np.sign(b)))  # fmt: skip
    return max(abs(gradient[0]), np.max(off / np.delete(penalties, target))) / bound


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 10_000),
    n_samples=st.integers(20, 700),  # the fewest are nearly separated: flat at the top
    d=st.integers(3, 40),
    standardize=st.booleans(),
)
def test_property_every_point_of_the_path_is_a_maximum(
    native_kernels, seed, n_samples, d, standardize
):
    values = network(seed, n_samples, d, strength=2.0)
    values[:2] = [[0], [1]]  # none is constant
    penalties = deviations(values, standardize)
    lambdas, intercepts, slopes, _ = path_of(native_kernels, values, d // 2, penalties)
    for bound, intercept, b in zip(lambdas, intercepts, slopes, strict=True):
        if bound > 0:
            assert violation(values, d // 2, penalties, bound, intercept, b) < PROMISED


@pytest.mark.parametrize("n_samples", [1200, 5000])
def test_example_many_samples_of_few_patterns(native_kernels, n_samples):
    """While few variables are known, most of the others are not looked at: none may be missed."""
    values = network(n_samples, n_samples, 60, strength=0.7)
    lambdas, intercepts, slopes, _ = path_of(native_kernels, values, 30)
    sizes = np.count_nonzero(slopes, axis=1)
    assert sizes[1] < 4
    assert sizes[-1] > 30
    for bound, intercept, b in zip(lambdas, intercepts, slopes, strict=True):
        assert violation(values, 30, np.ones(60), bound, intercept, b) < PROMISED


def test_example_columns_that_say_nearly_the_same(native_kernels):
    """Coordinate ascent alone would still be on its way after a hundred thousand sweeps."""
    values = network(1274, 59, 28, strength=2.5)
    values[:2] = [[0], [1]]
    lambdas, intercepts, slopes, _ = path_of(native_kernels, values, 14)
    for bound, intercept, b in zip(lambdas, intercepts, slopes, strict=True):
        assert violation(values, 14, np.ones(28), bound, intercept, b) < PROMISED


def test_example_a_path_that_begins_at_next_to_nothing(native_kernels):
    """Distances of a 1e-9th are not small enough where lambda is less than a 1e-4th."""
    values = network(2620, 313, 3, strength=2.0)
    values[:2] = [[0], [1]]
    lambdas, intercepts, slopes, _ = path_of(native_kernels, values, 1)
    assert 0 < lambdas[-1] < 1e-4
    for bound, intercept, b in zip(lambdas, intercepts, slopes, strict=True):
        assert violation(values, 1, np.ones(3), bound, intercept, b) < PROMISED


@pytest.mark.parametrize("standardize", [False, True])
def test_example_the_path_begins_where_the_first_slope_leaves_zero(kernels, standardize):
    values = network(5, 300, 8)
    penalties = deviations(values, standardize)
    lambdas, intercepts, slopes, likelihoods = path_of(
        kernels, values, 7, penalties, np.array([1.0, 1 - 1e-6])
    )
    assert not slopes[0].any()
    assert np.count_nonzero(slopes[1]) == 1
    x, y = split(values, 7)
    share = y.mean()
    assert lambdas[0] == pytest.approx(
        np.max(np.abs(x.T @ (y - share)) / penalties[:7]) / len(y), rel=1e-12
    )
    assert intercepts[0] == pytest.approx(np.log(share / (1 - share)))
    entropy = share * np.log(share) + (1 - share) * np.log(1 - share)
    assert likelihoods[0] == pytest.approx(300 * entropy)


@pytest.mark.parametrize("seed", range(25))
def test_oracle_awkward_data(kernels, seed):
    """Separated targets, duplicates, complements, rare and constant variables: still maxima."""
    values = awkward(seed, [20, 60, 200, 600, 3000][seed % 5])
    lambdas, intercepts, slopes, _ = path_of(kernels, values, 0)
    for bound, intercept, b in zip(lambdas, intercepts, slopes, strict=True):
        if bound > 0:
            assert violation(values, 0, np.ones(len(b)), bound, intercept, b) < PROMISED


@pytest.mark.parametrize("n_samples", [20, 600, 5000])
def test_example_a_variable_that_says_all(kernels, n_samples):
    """With one variable a path has a closed form: at the maximum each half's share is known."""
    y = np.arange(n_samples) % 4 == 0
    values = np.column_stack([y, y]).astype(np.uint8)
    lambdas, intercepts, slopes, _ = path_of(kernels, values, 0)
    # Of the residuals those where x = 1 sum to N lambda, and so do the others, negated.
    at_one, at_zero = 1 - lambdas / y.mean(), lambdas / (1 - y.mean())
    expected = np.log(at_one / (1 - at_one)) - np.log(at_zero / (1 - at_zero))
    np.testing.assert_allclose(slopes[1:, 1], expected[1:], rtol=0, atol=1e-6)
    np.testing.assert_allclose(intercepts, np.log(at_zero / (1 - at_zero)), rtol=0, atol=1e-6)


@pytest.mark.parametrize("level", [0, 1])
def test_example_constant_variables(kernels, level):
    values = independent(2, 150, 4)
    values[:, 1] = level
    _, intercepts, slopes, likelihoods = path_of(kernels, values, 1)
    assert not slopes.any()
    assert (likelihoods == 0).all()
    assert (intercepts == (np.inf if level else -np.inf)).all()
    _, _, slopes, _ = path_of(kernels, values, 0)
    assert slopes.any()
    assert not slopes[:, 1].any()


def test_example_no_candidates_and_no_association(kernels):
    values = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint8)
    paths = kernels.l1_paths(
        pack(values), np.array([0, 1]), Lists.of([[], [0]]), np.ones(2), FRACTIONS, 2
    )
    assert not paths.lambdas.any()
    assert len(paths.supports.values) == 0
    np.testing.assert_allclose(paths.log_likelihoods, -20 * np.log(2))


@pytest.mark.parametrize("largest", [0, 3, 6])
def test_example_a_path_ends_with_a_support_that_is_too_large(kernels, largest):
    values = network(5, 300, 12, strength=1.5)
    targets, candidates = np.array([11, 0]), Lists.of([range(11), range(1, 12)])
    arguments = pack(values), targets, candidates, np.ones(12), FRACTIONS
    whole, short = (kernels.l1_paths(*arguments, n) for n in (12, largest))
    for t in range(2):
        sizes = np.count_nonzero(slopes_along(whole, t, 12), axis=1)
        last = int(np.argmax(sizes > largest))
        assert 0 < last < len(FRACTIONS) - 1
        kept = np.minimum(np.arange(len(FRACTIONS)), last)
        assert short.lambdas[t].tolist() == whole.lambdas[t][kept].tolist()
        assert short.log_likelihoods[t].tolist() == whole.log_likelihoods[t][kept].tolist()
        expected = slopes_along(whole, t, 12)[kept]
        assert slopes_along(short, t, 12).tolist() == expected.tolist()


@pytest.mark.parametrize("standardize", [False, True])
def test_oracle_native_and_reference_agree(native_kernels, standardize):
    values = network(11, 350, 15, strength=1.5)
    targets = np.array([14, 0, 7])
    candidates = Lists.of([[v for v in range(15) if v != t] for t in targets])
    arguments = pack(values), targets, candidates, deviations(values, standardize), FRACTIONS, 15
    paths, expected = (k.l1_paths(*arguments) for k in (native_kernels, ReferenceKernels()))
    assert paths.lambdas.tolist() == expected.lambdas.tolist()
    assert paths.supports.starts.tolist() == expected.supports.starts.tolist()
    assert paths.supports.values.tolist() == expected.supports.values.tolist()
    np.testing.assert_allclose(paths.slopes, expected.slopes, rtol=0, atol=1e-8)
    np.testing.assert_allclose(paths.intercepts, expected.intercepts, rtol=0, atol=1e-8)
    np.testing.assert_allclose(paths.log_likelihoods, expected.log_likelihoods, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("penalties", "fractions", "message"),
    [
        (np.ones(4), FRACTIONS, "one penalty per variable"),
        (-np.ones(5), FRACTIONS, "not be negative"),
        (np.ones(5), np.array([0.5, 0.6]), "must fall"),
        (np.ones(5), np.array([1.1]), "must fall"),
        (np.ones(5), np.array([0.5, 0.0]), "must fall"),
        (np.ones(5), np.array([np.nan]), "must fall"),
    ],
)
def test_example_wrong_sizes_and_values(penalties, fractions, message):
    values = network(1, 100, 5)
    with pytest.raises(ValueError, match=message):
        path_of(NativeKernels(), values, 0, penalties, fractions)
