"""Real-valued predictors and offsets on every backend, against optimisers that know no tables."""

from dataclasses import replace

import numpy as np
import pytest

from markhood.data.samples import Weights
from markhood.kernels.bits import Reals
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import NO_PENALTY, Costs, Dirichlet, FitPenalty
from markhood.kernels.reference.backend import ReferenceKernels
from oracles.ordered import ordinal_chain
from oracles.packing import pack, samples_with_levels
from oracles.real_columns import fitted_pair, fitted_with_reals

LEVELS, ORDERED = (2, 4, 5, 2, 3), (False, False, True, False, True)
BINARY, NOMINAL, ORDINAL = 0, 1, 2
N = 240


def columns_of(kind, n=N, d=5, seed=0):
    """Two columns: of a number for each sample, of few different numbers, or others for each target."""
    rng = np.random.default_rng(seed)
    if kind == "few":
        return np.array([rng.integers(0, 7, n) / 3 - 1, rng.integers(0, 2, n) * 1.0])
    return rng.normal(size=(2, n) if kind == "many" else (d, 2, n))


def moved_by(columns, n=N, d=5, seed=3):
    """Draw variables of which some depend on the first real column."""
    values = ordinal_chain(seed, n, LEVELS[:d], coupling=0.4)
    own = columns[0] if columns.ndim == 2 else columns[:, 0].mean(axis=0)
    moved = np.random.default_rng(seed).random(n) < 0.5
    values[:, BINARY] = np.where(moved, own > 0, values[:, BINARY])
    return values


def bits_of(values, columns, offset=None, weights=None):
    bits = samples_with_levels(values, weights).with_order(ORDERED[: values.shape[1]]).bits
    return replace(bits, reals=Reals.of(columns, offset))


def fit(kernels, bits, target, blanket, penalty=NO_PENALTY):
    found = kernels.fit_blankets(bits, np.array([target]), Lists.of([blanket]), penalty)
    return found.log_likelihoods[0], found.coefficients, found.infinite


@pytest.mark.parametrize("kind", ["many", "few", "own"])
@pytest.mark.parametrize("target", [BINARY, NOMINAL, ORDINAL])
def test_oracle_a_general_optimiser(kernels, kind, target):
    columns = columns_of(kind)
    values = moved_by(columns)
    own = columns[target] if kind == "own" else columns
    for blanket in ([], [v for v in range(len(LEVELS)) if v != target]):
        best, expected = fitted_with_reals(values, target, blanket, ORDERED, own)
        likelihood, coefficients, infinite = fit(kernels, bits_of(values, columns), target, blanket)
        assert not infinite.any()
        assert likelihood == pytest.approx(best, abs=1e-7)
        np.testing.assert_allclose(coefficients, expected, atol=2e-4)


@pytest.mark.parametrize("target", [BINARY, NOMINAL, ORDINAL])
def test_oracle_weighted_and_penalised(kernels, target):
    columns, blanket = columns_of("few"), [v for v in range(len(LEVELS)) if v != target]
    values = moved_by(columns)
    weights = Weights(np.random.default_rng(2).integers(1, 3000, N), 1 / 1024)
    bits = bits_of(values, columns, weights=weights)
    best, expected = fitted_with_reals(
        values, target, blanket, ORDERED, columns, weights=weights.counts * weights.unit, l2=0.3
    )
    likelihood, coefficients, _ = fit(kernels, bits, target, blanket, FitPenalty(l2=0.3))
    assert likelihood == pytest.approx(best, abs=1e-7)
    np.testing.assert_allclose(coefficients, expected, atol=1e-4)


@pytest.mark.parametrize("shape", [(N,), (len(LEVELS), N)], ids=["all", "own"])
@pytest.mark.parametrize("target", [BINARY, ORDINAL])
def test_oracle_offsets(kernels, target, shape):
    offset = 0.7 * np.random.default_rng(5).normal(size=shape)
    columns, blanket = columns_of("few"), [v for v in range(len(LEVELS)) if v != target]
    values = moved_by(columns)
    own = offset if offset.ndim == 1 else offset[target]
    best, expected = fitted_with_reals(values, target, blanket, ORDERED, columns, own)
    bits = bits_of(values, columns, offset)
    likelihood, coefficients, _ = fit(kernels, bits, target, blanket)
    assert likelihood == pytest.approx(best, abs=1e-7)
    np.testing.assert_allclose(coefficients, expected, atol=1e-4)


def test_oracle_statsmodels_with_an_offset(kernels):
    import statsmodels.api as sm

    columns, offset = columns_of("many"), np.random.default_rng(6).normal(size=N)
    values = moved_by(columns)
    design = sm.add_constant(np.column_stack([*columns, values[:, 3]]))
    model = sm.GLM(values[:, BINARY], design, family=sm.families.Binomial(), offset=offset).fit()
    likelihood, coefficients, _ = fit(kernels, bits_of(values, columns, offset), BINARY, [3])
    assert likelihood == pytest.approx(model.llf, abs=1e-7)
    np.testing.assert_allclose(coefficients, model.params, atol=1e-6)
    nominal = sm.MNLogit(values[:, NOMINAL], design).fit(disp=0)
    likelihood, coefficients, _ = fit(kernels, bits_of(values, columns), NOMINAL, [3])
    assert likelihood == pytest.approx(nominal.llf, abs=1e-7)
    np.testing.assert_allclose(coefficients, nominal.params.ravel(), atol=1e-5)


@pytest.mark.parametrize("n_distinct", [2, 7, N])
def test_property_a_column_of_a_variable_is_that_variable(kernels, n_distinct):
    """Zeros and ones as a real column, alone or next to one that differs in every sample."""
    other = np.random.default_rng(1).integers(0, n_distinct, N) / n_distinct
    values = moved_by(columns_of("many"))
    as_real = bits_of(values, np.array([values[:, 3].astype(float), other]))
    as_member = bits_of(values, np.array([other]))
    for target in (BINARY, NOMINAL, ORDINAL):
        first = fit(kernels, as_real, target, [4])[0]
        assert first == pytest.approx(fit(kernels, as_member, target, [3, 4])[0], abs=1e-8)


@pytest.mark.parametrize("target", [BINARY, NOMINAL, ORDINAL])
def test_example_separated_by_a_real_column(kernels, target):
    rng = np.random.default_rng(4)
    values = ordinal_chain(1, N, LEVELS)
    column = values[:, target] + 0.4 * rng.random(N)  # each level has an interval of its own
    bits = bits_of(values, np.array([column, rng.normal(size=N)]))
    likelihood, coefficients, infinite = fit(kernels, bits, target, [3])
    assert likelihood == pytest.approx(0.0, abs=1e-6)
    assert infinite.any()
    assert np.isfinite(coefficients).all()


def test_example_only_one_level_is_separated(kernels):
    """Above 1 the target is always one; below, a maximum exists, which is that of these samples alone."""
    rng = np.random.default_rng(4)
    values = ordinal_chain(1, N, LEVELS)
    above = rng.random(N) < 0.3
    values[above, BINARY] = 1
    other = rng.normal(size=N)
    bits = bits_of(values, np.array([above * 1.0, other]))
    likelihood, _, infinite = fit(kernels, bits, BINARY, [3])
    below = values[~above]
    best, _ = fitted_with_reals(below, BINARY, [3], ORDERED, other[np.newaxis, ~above])
    assert likelihood == pytest.approx(best, abs=1e-6)
    assert infinite.tolist() == [False, True, False, False]


COSTS = Costs(parameter=np.log(N) / 2, variable=0.5 * np.log(4))


@pytest.mark.parametrize("kind", ["many", "few", "own"])
def test_oracle_scores_pay_for_every_column(kernels, kind):
    columns = columns_of(kind)
    values = moved_by(columns)
    d = len(LEVELS)
    bits, others = bits_of(values, columns), [[v for v in range(d) if v != t] for t in range(d)]
    blankets = Lists.of([own[:2] for own in others])
    scores, toggled = kernels.toggle_scores(bits, np.arange(d), blankets, Lists.of(others), COSTS)
    n_scores = [1 if o else r - 1 for r, o in zip(LEVELS, ORDERED, strict=True)]

    def score(target, blanket):
        own = columns[target] if kind == "own" else columns
        best, _ = fitted_with_reals(values, target, blanket, ORDERED, own)
        n = LEVELS[target] - 1 + n_scores[target] * (2 + sum(n_scores[b] for b in blanket))
        return best - n * COSTS.parameter - len(blanket) * COSTS.variable

    found = iter(toggled)
    for target in range(d):
        blanket = others[target][:2]
        assert scores[target] == pytest.approx(score(target, blanket), abs=1e-6)
        for other in others[target]:
            changed = sorted({*blanket} ^ {other})
            assert next(found) == pytest.approx(score(target, changed), abs=1e-6)


@pytest.mark.parametrize("kind", ["many", "few", "own"])
@pytest.mark.parametrize("ordered", [ORDERED, (False,) * 5], ids=["kinds", "nominal"])
def test_property_searches_are_those_of_the_reference(kind, ordered):
    for seed in range(3):
        columns = columns_of(kind, seed=seed)
        values = moved_by(columns, seed=seed)
        bits = replace(bits_of(values, columns), ordered=np.array(ordered))
        d = len(LEVELS)
        others = Lists.of([[v for v in range(d) if v != t] for t in range(d)])
        found = [
            kernels.grow_blankets(bits, np.arange(d), others, COSTS)
            for kernels in (NativeKernels(), ReferenceKernels())
        ]
        assert [m.tolist() for m in found[0].members] == [m.tolist() for m in found[1].members]
        np.testing.assert_allclose(found[0].scores, found[1].scores, atol=1e-7)


def test_property_a_climb_is_that_of_the_reference():
    columns = columns_of("many")
    values = moved_by(columns)
    bits, d = bits_of(values, columns), len(LEVELS)
    others = Lists.of([[v for v in range(d) if v != t] for t in range(d)])
    empty, reference = Lists.empty(d), ReferenceKernels()
    scores, toggled = reference.toggle_scores(bits, np.arange(d), empty, others, COSTS)
    changes = toggled - np.repeat(scores, d - 1)
    ends = [
        kernels.climb_groups(bits, Lists.of([range(d)]), empty, others, changes, COSTS)
        for kernels in (NativeKernels(), reference)
    ]
    np.testing.assert_array_equal(ends[0].present, ends[1].present)


@pytest.mark.parametrize("scale", [0.5, np.inf])
@pytest.mark.parametrize("kind", ["many", "few", "own"])
def test_oracle_pairs_of_binary_variables(kernels, kind, scale):
    rng = np.random.default_rng(8)
    columns = columns_of(kind, d=4)
    values = (rng.random((N, 4)) < 0.5).astype(np.uint8)
    own = columns[0] if kind == "own" else columns
    for v in (0, 1):
        values[:, v] = np.where(rng.random(N) < 0.5, own[0] > 0, values[:, v])
    bits = replace(pack(values), reals=Reals.of(columns))
    found = kernels.fit_pairs(bits, np.array([[0, 1]]), Lists.of([[2]]), Lists.of([[3]]), scale)
    reals = [columns[v] if kind == "own" else columns for v in (0, 1)]
    precision = 1 / scale**2
    joint, apart, coupling = fitted_pair(
        values, 0, 1, [2], [3], reals, precision, min(precision, 0.01)
    )
    assert found.joint[0] == pytest.approx(joint, abs=2e-4)
    assert found.apart[0] == pytest.approx(apart, abs=2e-4)
    assert found.couplings[0] == pytest.approx(coupling, abs=2e-3)


@pytest.mark.parametrize("kind", ["many", "few", "own"])
def test_property_pairs_are_those_of_the_reference(kind):
    columns = columns_of(kind)
    bits = bits_of(moved_by(columns), columns)
    pairs = np.array([[0, 1], [0, 2], [1, 2], [1, 4]])
    first, second = Lists.of([[3], [], [3, 4], []]), Lists.of([[4], [3], [4], [3]])
    found, expected = (
        kernels.fit_pairs(bits, pairs, first, second, 0.8)
        for kernels in (NativeKernels(), ReferenceKernels())
    )
    for own, reference in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, reference, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize(
    ("reals", "what"),
    [
        (Reals.of(np.zeros((1, N - 1))), "number for each sample"),
        (Reals.of(np.zeros((3, 1, N))), "for each variable"),
        (Reals.of(np.full((1, N), np.nan)), "finite"),
        (Reals.of(np.zeros((1, N)), np.zeros(N)), "ordered ones"),
        (Reals(np.zeros((1, N)), None, np.full(N, N, np.uint32)), "numbered from 0"),
    ],
)
def test_example_bad_columns_never_reach_a_kernel(reals, what):
    bits = replace(samples_with_levels(ordinal_chain(1, N, LEVELS)).bits, reals=reals)
    with pytest.raises(ValueError, match=what):
        NativeKernels().fit_blankets(bits, np.array([NOMINAL]), Lists.of([[0]]), NO_PENALTY)


def test_example_a_marginal_likelihood_has_no_real_columns():
    bits = replace(
        samples_with_levels(ordinal_chain(1, N, LEVELS)).bits, reals=Reals.of(columns_of("few"))
    )
    with pytest.raises(ValueError, match="marginal likelihood"):
        NativeKernels().toggle_scores(
            bits, np.array([0]), Lists.of([[1]]), Lists.empty(1), Dirichlet(0.5)
        )
