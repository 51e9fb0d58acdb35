"""Ordered levels on every backend: fits, the pair test and searches, alone and among categories."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.data.samples import Weights
from markhood.errors import InputError
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import NO_PENALTY, Costs, FitPenalty, Status
from markhood.kernels.reference.backend import ReferenceKernels
from oracles.conditional import blanket_problem, is_separated, supremum
from oracles.levels import chain
from oracles.ordered import fitted, ordinal_chain
from oracles.packing import samples_with_levels

LEVELS = (5, 3, 2, 6, 4, 5)
ORDERED = (True, False, True, True, False, True)
seeds = st.integers(0, 100_000)
some = st.lists(st.booleans(), min_size=6, max_size=6)


def bits_of(values, ordered, weights=None):
    return samples_with_levels(values, weights).with_order(ordered).bits


def fit(kernels, bits, target, blanket, penalty=NO_PENALTY):
    found = kernels.fit_blankets(bits, np.array([target]), Lists.of([blanket]), penalty)
    return found.log_likelihoods[0], found.coefficients, found.infinite


def all_others(d):
    return np.arange(d), Lists.of([[j for j in range(d) if j != i] for i in range(d)])


@pytest.mark.parametrize("target", range(6))
@pytest.mark.parametrize("n_samples", [150, 2000])
def test_oracle_an_optimiser_that_knows_no_tables(kernels, target, n_samples):
    values = ordinal_chain(1, n_samples, LEVELS, coupling=0.3)
    bits = bits_of(values, ORDERED)
    for blanket in ([], [(target + 1) % 6], [v for v in range(6) if v != target]):
        blanket = sorted(blanket)
        best, thresholds, slopes = fitted(values, target, blanket, ORDERED)
        likelihood, coefficients, infinite = fit(kernels, bits, target, blanket)
        if not infinite.any():
            assert likelihood == pytest.approx(best, abs=1e-8)
            expected = np.concatenate([thresholds, slopes.ravel()])
            np.testing.assert_allclose(coefficients, expected, rtol=0, atol=1e-5)
        assert likelihood > best - 1e-8
        assert n_samples < 2000 or not infinite.any()


@pytest.mark.parametrize("target", [1, 3])
def test_oracle_penalised_and_weighted(kernels, target):
    values = ordinal_chain(2, 300, LEVELS)
    weights = Weights(np.random.default_rng(2).integers(1, 3000, 300), 1 / 1024)
    blanket = [v for v in range(6) if v != target]
    best, _, slopes = fitted(
        values, target, blanket, ORDERED, weights.counts * weights.unit, l2=0.4
    )
    bits = bits_of(values, ORDERED, weights)
    found, coefficients, _ = fit(kernels, bits, target, blanket, FitPenalty(l2=0.4))
    assert found == pytest.approx(best, abs=1e-8)
    thresholds = int(values[:, target].max())
    np.testing.assert_allclose(coefficients[thresholds:], slopes.ravel(), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("seed", "target", "blanket"),
    [
        (0, 8, [0, 2, 4, 5, 7]),
        (3, 0, [1, 2, 5, 6, 7, 8]),
        (27, 1, [0, 2, 3, 4, 7, 8]),
        (35, 0, [2, 4, 5, 7, 8]),
        (78, 5, [0, 2, 3, 4, 6, 7]),
    ],
)
def test_nine_distinct_rows_are_separated(kernels, seed, target, blanket):
    """Steps go very far before they promise little."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.permutation(9) for _ in range(9)])
    problem = blanket_problem(values, target, blanket, [True] * 9)
    bits = bits_of(values, [True] * 9)
    found = kernels.fit_blankets(bits, np.array([target]), Lists.of([blanket]), NO_PENALTY)
    assert is_separated(problem)
    assert found.statuses.tolist() == [Status.SEPARATED]
    assert found.log_likelihoods[0] == pytest.approx(supremum(problem), abs=1e-8)


@pytest.mark.parametrize("seed", [50, 51, 52, 59])
@pytest.mark.parametrize("copies", [1, 3])
def test_blankets_that_become_separated_as_they_grow_converge(native_kernels, seed, copies):
    """A blanket does not start from a candidate's fit whose coefficients go to infinity."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.permutation(9) for _ in range(12)]).repeat(copies, axis=0)
    costs = Costs(np.log(len(values)) / 2, 0.5)
    grown = native_kernels.grow_blankets(bits_of(values, [True] * 12), *all_others(12), costs)
    assert not grown.not_converged.any()
    assert np.diff(grown.members.starts).max() > 2


@settings(max_examples=40)
@given(
    seed=seeds,
    ordered=some,
    n_samples=st.integers(6, 30),
    size=st.integers(0, 4),
    coupling=st.sampled_from([0.3, 1.0, 3.0]),
    combined=st.booleans(),
    weighted=st.booleans(),
    l2=st.sampled_from([0.0, 0.0, 0.3]),
)
def test_oracle_a_linear_programme_finds_the_separated_cells(
    seed, ordered, n_samples, size, coupling, combined, weighted, l2
):
    """Separated, quasi-separated, collinear, weighted and penalised fits reach their supremum and say so."""
    rng = np.random.default_rng(seed)
    values = ordinal_chain(seed, n_samples, tuple(rng.integers(3, 6, 6).tolist()), coupling)
    if combined:
        values[:, 1], values[:, 2] = values[:, 0], (values[:, 0] + values[:, 3]) // 2
    ordered = [*ordered[:5], True]
    weights = Weights(rng.integers(1, 3000, len(values)), 1 / 1024) if weighted else None
    real_weights = weights and weights.counts * weights.unit
    bits, blanket = bits_of(values, ordered, weights), list(range(size))
    flipped = [sorted({*blanket} ^ {v}) for v in range(5)]

    def problem_of(members):
        return blanket_problem(values, 5, members, ordered, real_weights, l2=l2)

    found = NativeKernels().fit_blankets(
        bits, np.array([5]), Lists.of([blanket]), FitPenalty(l2=l2)
    )
    _, toggled = NativeKernels().toggle_scores(
        bits,
        np.array([5]),
        Lists.of([blanket]),
        Lists.of([range(5)]),
        Costs(0.0, 0.0, FitPenalty(l2=l2)),
    )
    assert found.log_likelihoods[0] == pytest.approx(supremum(problem_of(blanket)), abs=1e-8)
    assert toggled == pytest.approx(
        [supremum(problem_of(members)) for members in flipped], abs=1e-8
    )
    is_at_infinity = l2 == 0 and is_separated(problem_of(blanket))
    assert found.statuses[0] == (Status.SEPARATED if is_at_infinity else Status.CONVERGED)


def ratio_by_statsmodels(values, i, j, ordered):
    """The likelihood ratio of association in a log-linear model with both margins."""
    models = pytest.importorskip("statsmodels.api")
    table = np.zeros((values[:, i].max() + 1, values[:, j].max() + 1))
    np.add.at(table, (values[:, i], values[:, j]), 1)
    u, v = (g.ravel() for g in np.indices(table.shape))
    margins = [u == k for k in range(table.shape[0])] + [v == k for k in range(1, table.shape[1])]
    of_u = [u] if ordered[i] else [u == k for k in range(1, table.shape[0])]
    of_v = [v] if ordered[j] else [v == k for k in range(1, table.shape[1])]
    both = [a.astype(float) * b for a in of_u for b in of_v]
    deviances = [
        models.GLM(table.ravel(), np.column_stack(columns).astype(float), models.families.Poisson())
        .fit(tol=1e-13, maxiter=200)
        .deviance
        for columns in (margins, margins + both)
    ]
    return (deviances[0] - deviances[1]) / 2


@pytest.mark.parametrize("strength", [0.05, 0.4])
def test_oracle_pairs_by_statsmodels_association_models(kernels, strength):
    values = ordinal_chain(3, 600, LEVELS, coupling=strength)
    bits = bits_of(values, ORDERED)
    f, pairs = bits.n_scores, [(i, j) for i in range(6) for j in range(i + 1, 6)]
    # Where every cell has a parameter the table itself is the model, as for categories.
    modelled = [(i, j) for i, j in pairs if f[i] * f[j] < (LEVELS[i] - 1) * (LEVELS[j] - 1)]
    expected = {(i, j): ratio_by_statsmodels(values, i, j, ORDERED) for i, j in modelled}
    for costs in (Costs(1e-9, 0.0), Costs(1.0, 1.0)):
        found = kernels.associated_tables(bits, range(6), range(6), costs)
        ratios = dict(zip(map(tuple, found.pairs.tolist()), found.ratios, strict=True))
        passing = {
            (i, j): ratio
            for (i, j), ratio in expected.items()
            if ratio >= f[i] * f[j] * costs.parameter + costs.variable
        }
        ours = {pair: ratio for pair, ratio in ratios.items() if pair in expected}
        assert ours == pytest.approx(passing, abs=1e-7)


def test_property_the_pair_test_is_symmetric(kernels):
    values = ordinal_chain(4, 500, LEVELS)
    everything = Costs(1e-9, 0.0)
    found, mirrored = (
        kernels.associated_tables(
            bits_of(v, kinds), range(6), range(6), everything
        )
        for v, kinds in ((values, ORDERED), (values[:, ::-1], ORDERED[::-1]))
    )  # fmt: skip
    ratios = dict(zip(map(tuple, found.pairs.tolist()), found.ratios, strict=True))
    other = {
        (5 - j, 5 - i): ratio
        for (i, j), ratio in zip(mirrored.pairs.tolist(), mirrored.ratios, strict=True)
    }
    assert ratios == pytest.approx(other, abs=1e-9)
    assert len(ratios) == 15


@settings(max_examples=15)
@given(
    seed=seeds,
    ordered=some,
    n_samples=st.integers(12, 900),
    unit=st.sampled_from([None, 1.0, 1 / 1024]),
    strength=st.sampled_from([0.02, 0.2, 1.0]),
)
def test_property_all_backends_find_the_same_pairs(seed, ordered, n_samples, unit, strength):
    rng = np.random.default_rng(seed)
    values = ordinal_chain(seed, n_samples, tuple(rng.integers(2, 8, 6).tolist()), strength)
    weights = unit and Weights(rng.integers(1, 3000 if unit < 1 else 6, n_samples), unit)
    bits = bits_of(values, ordered, weights)
    for costs in (Costs(0.4, 0.2), Costs(2.0, 1.0)):
        expected = ReferenceKernels().associated_tables(bits, range(6), range(6), costs)
        for name in NativeKernels.available():
            found = NativeKernels(name).associated_tables(bits, range(6), range(6), costs)
            order = np.lexsort(found.pairs.T[::-1])
            assert found.pairs[order].tolist() == expected.pairs.tolist()
            np.testing.assert_allclose(found.ratios[order], expected.ratios, rtol=0, atol=1e-7)


@settings(max_examples=20)
@given(
    seed=seeds,
    ordered=some,
    n_samples=st.integers(8, 400),
    size=st.integers(0, 4),
    weighted=st.booleans(),
    penalty=st.sampled_from([NO_PENALTY, FitPenalty(l2=0.3), FitPenalty(l1=1.0)]),
    makes=st.sampled_from([chain, ordinal_chain]),
)
def test_property_all_backends_reach_the_same_maximum(
    seed, ordered, n_samples, size, weighted, penalty, makes
):
    """With few samples most fits are separated, and both must end at the supremum."""
    rng = np.random.default_rng(seed)
    values = makes(seed, n_samples, tuple(rng.integers(2, 6, 6).tolist()))
    weights = Weights(rng.integers(1, 3000, n_samples), 1 / 1024) if weighted else None
    bits = bits_of(values, ordered, weights)
    asked = np.array([5]), Lists.of([list(range(size))]), Lists.of([list(range(5))])
    costs = Costs(0.7, 0.2, penalty)
    expected, _, _ = fit(ReferenceKernels(), bits, 5, list(range(size)), penalty)
    of_reference = ReferenceKernels().toggle_scores(bits, *asked, costs)
    for name in NativeKernels.available():
        found, _, _ = fit(NativeKernels(name), bits, 5, list(range(size)), penalty)
        assert found == pytest.approx(expected, abs=1e-7)
        for one, other in zip(
            NativeKernels(name).toggle_scores(bits, *asked, costs), of_reference, strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-7)


@settings(max_examples=6)
@given(seed=seeds, ordered=some, coupling=st.sampled_from([0.1, 0.4, 1.5]))
def test_property_searches_agree(seed, ordered, coupling):
    """Candidates are bounded before they are fitted, and that never changes what is found."""
    rng = np.random.default_rng(seed)
    values = ordinal_chain(seed, 150, tuple(rng.integers(2, 5, 4).tolist()), coupling)
    bits = bits_of(values, ordered[:4])
    for costs in (Costs(np.log(150) / 2, 0.8), Costs(0.3, 0.0)):
        expected = ReferenceKernels().grow_blankets(bits, *all_others(4), costs)
        for name in NativeKernels.available():
            found = NativeKernels(name).grow_blankets(bits, *all_others(4), costs)
            assert found.members.values.tolist() == expected.members.values.tolist()
            np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-7)
            assert found.evaluations.tolist() == expected.evaluations.tolist()


@settings(max_examples=10)
@given(seed=seeds, coupling=st.sampled_from([0.1, 0.4, 1.0]), has_separation=st.booleans())
def test_property_members_of_a_target_with_many_categories_leave(seed, coupling, has_separation):
    """Removals from dense designs are bounded and started by the blanket's own second derivatives."""
    values = ordinal_chain(seed, 250, (7, 5, 4, 6), coupling)
    if has_separation:
        values[values[:, 0] == 3, 1] = 4
    bits = bits_of(values, [False, True, True, True])
    first, others = np.array([0]), Lists.of([[1, 2, 3]])
    grown = ReferenceKernels().grow_blankets(bits, first, others, Costs(4.0, 0.0))
    expected = ReferenceKernels().toggle_scores(bits, first, others, others, Costs(4.0, 0.0))
    for name in NativeKernels.available():
        kernels = NativeKernels(name)
        found = kernels.grow_blankets(bits, first, others, Costs(4.0, 0.0))
        assert found.members.values.tolist() == grown.members.values.tolist()
        np.testing.assert_allclose(found.scores, grown.scores, rtol=0, atol=1e-7)
        toggled = kernels.toggle_scores(bits, first, others, others, Costs(4.0, 0.0))
        for one, other in zip(toggled, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-7)


def test_example_a_bound_is_no_less_than_the_gain(kernels):
    """Rare levels of a category: what their first step promises is not the sum of its own squares."""
    values = ordinal_chain(16548, 300, (5, 3, 2, 3, 5, 3), 1.5)
    bits = bits_of(values, [False, False, False, True, True, False])
    found = kernels.grow_blankets(
        bits, np.array([2]), Lists.of([[0]]), Costs(0.3, 0.0), Lists.of([[1, 3, 5]])
    )
    assert found.members.values.tolist() == [0, 1, 3, 5]


def test_example_most_candidates_are_not_fitted(native_kernels):
    values = ordinal_chain(5, 1500, (5,) * 12, coupling=0.4)
    costs = Costs(np.log(1500) / 2, 1.0)
    found = native_kernels.grow_blankets(bits_of(values, [True] * 12), *all_others(12), costs)
    assert found.n_bounded > 0.7 * found.evaluations.sum()


@pytest.mark.parametrize("turned", [0, 3])
@pytest.mark.parametrize("target", [0, 1, 3])
def test_property_reversing_an_order_flips_the_signs(kernels, target, turned):
    values = ordinal_chain(6, 400, LEVELS)
    reversed_values = values.copy()
    reversed_values[:, turned] = LEVELS[turned] - 1 - values[:, turned]
    blanket = [v for v in range(6) if v != target]
    likelihood, b, _ = fit(kernels, bits_of(values, ORDERED), target, blanket)
    turned_likelihood, turned_b, _ = fit(
        kernels, bits_of(reversed_values, ORDERED), target, blanket
    )
    assert turned_likelihood == pytest.approx(likelihood, abs=1e-9)
    n_thresholds = LEVELS[target] - 1
    n_scores = 1 if ORDERED[target] else n_thresholds
    slopes, turned_slopes = (x[n_thresholds:].reshape(-1, n_scores) for x in (b, turned_b))
    is_turned = np.repeat(
        np.array(blanket) == turned, [1 if ORDERED[v] else LEVELS[v] - 1 for v in blanket]
    )
    signs = np.where(is_turned | (target == turned), -1, 1)[:, None]
    np.testing.assert_allclose(turned_slopes, signs * slopes, rtol=0, atol=1e-5)


def test_property_reversing_an_order_changes_no_blanket(kernels):
    values = ordinal_chain(6, 150, LEVELS)
    turned = values.copy()
    turned[:, 3] = LEVELS[3] - 1 - values[:, 3]
    found, turned_found = (
        kernels.grow_blankets(bits_of(v, ORDERED), *all_others(6), Costs(3.0, 0.8)).members
        for v in (values, turned)
    )
    assert found.values.tolist() == turned_found.values.tolist()


def test_property_integer_weights_are_repeated_rows(kernels):
    values = ordinal_chain(7, 150, LEVELS)
    counts = np.random.default_rng(7).integers(1, 5, 150)
    weighted = bits_of(values, ORDERED, Weights(counts))
    repeated = bits_of(values.repeat(counts, axis=0), ORDERED)
    found, expected = (
        kernels.grow_blankets(bits, *all_others(6), Costs(1.5, 0.5))
        for bits in (weighted, repeated)
    )
    assert found.members.values.tolist() == expected.members.values.tolist()
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-9)
    assert found.evaluations.tolist() == expected.evaluations.tolist()


def test_property_two_levels_are_binary_to_the_last_bit(kernels):
    values = chain(8, 200, (2,) * 6)
    plain, ordered = bits_of(values, [False] * 6), bits_of(values, [True] * 6)
    assert ordered.is_plain
    assert ordered.ordered is None
    costs = Costs(1.5, 0.5)
    for one, other in zip(
        kernels.grow_blankets(plain, *all_others(6), costs)[1:],
        kernels.grow_blankets(ordered, *all_others(6), costs)[1:],
        strict=True,
    ):
        assert np.array_equal(one, other)


def test_property_two_levels_among_ordered_ones_are_fitted_as_binary_ones(kernels):
    """A binary target takes the road of steps where others are ordered; its numbers are the same."""
    values = chain(9, 300, (2, 2, 2, 3), strength=0.5)
    plain, mixed = bits_of(values[:, :3], [False] * 3), bits_of(values, [True] * 4)
    for target in range(3):
        blanket = [v for v in range(3) if v != target]
        one, other = fit(kernels, plain, target, blanket), fit(kernels, mixed, target, blanket)
        assert one[0] == pytest.approx(other[0], abs=1e-9)
        np.testing.assert_allclose(one[1], other[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("n_levels", [3, 6, 15])
def test_example_one_variable_is_the_other(kernels, n_levels):
    """The coupling is infinite and the likelihood one, with any number of steps."""
    values = np.repeat(np.arange(n_levels), 12)[:, None].repeat(2, axis=1)
    likelihood, coefficients, infinite = fit(kernels, bits_of(values, [True, True]), 0, [1])
    assert likelihood == pytest.approx(0, abs=1e-6)
    assert coefficients[-1] > 0
    assert infinite[-1]


def test_oracle_a_level_in_between_never_occurs(kernels):
    """Samples that are left out may take a level with them; the steps stay where they are."""
    values = ordinal_chain(10, 400, (5, 5, 4), coupling=0.4)
    kept = values[(values[:, 0] != 2) & (values[:, 1] != 3)]
    likelihood, coefficients, infinite = fit(kernels, bits_of(kept, [True] * 3), 0, [1, 2])
    renamed = kept.copy()
    renamed[renamed[:, 0] > 2, 0] -= 1
    best, _, slopes = fitted(renamed, 0, [1, 2], [True] * 3, steps=[0, 1, 3, 4])
    assert likelihood == pytest.approx(best, abs=1e-8)
    np.testing.assert_allclose(coefficients[-2:], slopes.ravel(), rtol=0, atol=1e-5)
    assert infinite.tolist() == [False, True, False, False, False, False]


def test_example_kinds_without_levels_are_refused():
    bits = bits_of(ordinal_chain(1, 60, (3, 3)), [True, True])
    wrong = replace(bits, ordered=np.array([True]))
    with pytest.raises(ValueError, match="a kind for each variable"):
        fit(NativeKernels(), wrong, 0, [1])


def test_example_a_fit_that_cannot_be_held_in_memory():
    bits = bits_of(np.arange(4100)[:, None].repeat(2, axis=1), [True, True])
    with pytest.raises(InputError, match="more than 4096 parameters"):
        fit(NativeKernels(), bits, 0, [1])
    with pytest.raises(InputError, match="more than 4096 parameters"):
        NativeKernels().associated_tables(bits, range(2), range(2), Costs(1.0, 1.0))


def test_example_how_many_numbers_a_variable_enters_by():
    bits = bits_of(ordinal_chain(1, 60, LEVELS), ORDERED)
    assert bits.n_scores.tolist() == [1, 2, 1, 1, 3, 1]
    assert replace(bits, ordered=None).n_scores.tolist() == [4, 2, 1, 5, 3, 4]
