"""Variables of more than two levels, weighted samples and penalised fits, on every backend."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from markhood.data.samples import Weights
from markhood.errors import InputError
from markhood.kernels.bits import Bits
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import NO_PENALTY, Costs, Dirichlet, FitPenalty
from markhood.kernels.reference.backend import ReferenceKernels
from oracles.conditional import blanket_problem, supremum
from oracles.levels import chain
from oracles.packing import samples_with_levels

LEVELS = (2, 3, 5, 2, 4, 3)
FREE = Costs(0.0, 0.0)  # the score is the likelihood itself
seeds = st.integers(0, 100_000)


def bits_of(values, weights=None):
    return samples_with_levels(values, weights).bits


def fit(kernels, bits, target, blanket, penalty=NO_PENALTY):
    found = kernels.fit_blankets(bits, np.array([target]), Lists.of([blanket]), penalty)
    return found.log_likelihoods[0], found.coefficients, found.infinite


@pytest.mark.parametrize("blanket", [[], [2], [0, 1], [1, 2, 4]])
@pytest.mark.parametrize("target", [3, 5])
def test_oracle_statsmodels_finds_the_same_coefficients(kernels, target, blanket):
    from oracles.levels import design_of

    MNLogit = pytest.importorskip("statsmodels.api").MNLogit
    values = chain(1, 3000, LEVELS, strength=0.7)
    expected = MNLogit(values[:, target], design_of(values, blanket)).fit(disp=0, tol=1e-12)
    likelihood, coefficients, infinite = fit(kernels, bits_of(values), target, blanket)
    assert likelihood == pytest.approx(expected.llf, abs=1e-6)
    shape = np.asarray(expected.params).shape
    np.testing.assert_allclose(coefficients.reshape(shape), expected.params, atol=1e-4)
    assert not infinite.any()


@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_oracle_pairs_by_scipys_g_test(kernels, gamma):
    values = chain(2, 400, (2, 3, 2, 5, 4, 3, 2), strength=0.4)
    bits, d = bits_of(values), values.shape[1]
    costs = Costs(1.0, gamma)
    expected = {}
    for i in range(d):
        for j in range(i + 1, d):
            table = np.zeros((values[:, i].max() + 1, values[:, j].max() + 1))
            np.add.at(table, (values[:, i], values[:, j]), 1)
            ratio = chi2_contingency(table, lambda_="log-likelihood", correction=False)[0] / 2
            if ratio >= (table.shape[0] - 1) * (table.shape[1] - 1) + gamma:
                expected[i, j] = ratio
    found = kernels.associated_tables(bits, range(d), range(d), costs)
    pairs = [tuple(pair) for pair in found.pairs.tolist()]
    assert dict(zip(pairs, found.ratios, strict=True)) == pytest.approx(expected, abs=1e-8)
    assert 0 < len(expected) < d * (d - 1) // 2


@settings(max_examples=25, deadline=None)
@given(seed=seeds, n_samples=st.integers(8, 700), unit=st.sampled_from([None, 1.0, 1 / 1024]))
def test_property_all_backends_find_the_same_pairs(seed, n_samples, unit):
    rng = np.random.default_rng(seed)
    values = chain(seed, n_samples, tuple(rng.integers(2, 7, 9).tolist()), strength=0.5)
    weights = unit and Weights(rng.integers(1, 3000 if unit < 1 else 6, n_samples), unit)
    bits = bits_of(values, weights)
    costs = Costs(1.0, 0.5)
    expected = ReferenceKernels().associated_tables(bits, range(9), range(9), costs)
    for name in NativeKernels.available():
        for rows, columns in [(range(9), range(9)), (range(3), range(2, 9))]:
            found = NativeKernels(name).associated_tables(bits, rows, columns, costs)
            order = np.lexsort(found.pairs.T[::-1])
            inside = [i in rows and j in columns for i, j in expected.pairs.tolist()]
            assert found.pairs[order].tolist() == expected.pairs[inside].tolist()
            np.testing.assert_allclose(found.ratios[order], expected.ratios[inside], atol=1e-7)


@pytest.mark.parametrize("unit", [None, 1.0, 1 / 1024])
@pytest.mark.parametrize("kind", ["nominal", "ordinal", "mixed"])
def test_example_pairs_alone_are_tested_as_in_their_tile(native_kernels, unit, kind):
    """To the last bit: the GPU chooses pairs, and these decide."""
    levels = (2, 3, 5, 2, 4, 3, 6, 2)
    values = chain(3, 700, levels, strength=0.5)
    weights = unit and Weights(
        np.random.default_rng(4).integers(1, 9 if unit == 1 else 3000, 700), unit
    )
    ordered = [kind != "nominal" and (kind == "ordinal" or v % 2 == 0) for v in range(8)]
    bits = samples_with_levels(values, weights).with_order(ordered).bits
    for costs in (Costs(1.0, 0.5), Costs(0.0, 1e-9)):
        whole = native_kernels.associated_tables(bits, range(8), range(8), costs)
        pairs = np.column_stack(np.triu_indices(8, 1))
        alone = native_kernels.associated_among(bits, pairs, costs)
        order = np.lexsort(whole.pairs.T[::-1])
        assert alone.pairs.tolist() == whole.pairs[order].tolist()
        assert alone.ratios.tolist() == whole.ratios[order].tolist()
        assert len(alone.pairs) > 0


@settings(max_examples=25, deadline=None)
@given(
    seed=seeds,
    n_samples=st.integers(8, 400),
    size=st.integers(0, 3),
    weighted=st.booleans(),
    penalty=st.sampled_from([NO_PENALTY, FitPenalty(l2=0.3), FitPenalty(l1=1.0)]),
)
def test_property_all_backends_reach_the_same_maximum(seed, n_samples, size, weighted, penalty):
    rng = np.random.default_rng(seed)
    values = chain(seed, n_samples, tuple(rng.integers(2, 6, size + 2).tolist()))
    weights = Weights(rng.integers(1, 3000, n_samples), 1 / 1024) if weighted else None
    bits = bits_of(values, weights)
    blanket = list(range(size))
    expected, _, _ = fit(ReferenceKernels(), bits, size, blanket, penalty)
    toggles = Lists.of([[*range(size), size + 1]])
    costs = Costs(0.7, 0.2, penalty)
    of_reference = ReferenceKernels().toggle_scores(
        bits, np.array([size]), Lists.of([blanket]), toggles, costs
    )
    for name in NativeKernels.available():
        kernels = NativeKernels(name)
        found, _, _ = fit(kernels, bits, size, blanket, penalty)
        assert found == pytest.approx(expected, abs=1e-7)
        scores, toggled = kernels.toggle_scores(
            bits, np.array([size]), Lists.of([blanket]), toggles, costs
        )
        np.testing.assert_allclose(scores, of_reference[0], rtol=0, atol=1e-7)
        np.testing.assert_allclose(toggled, of_reference[1], rtol=0, atol=1e-7)


def test_example_levels_never_seen_together(kernels):
    """Each level of the target has its own levels of the predictor: the likelihood is one."""
    values = np.repeat([[0, 0], [0, 1], [1, 2], [2, 3]], 50, axis=0)
    likelihood, coefficients, infinite = fit(kernels, bits_of(values), 0, [1])
    assert likelihood == pytest.approx(0, abs=1e-8)
    assert np.isfinite(coefficients).all()
    assert infinite.any()


def test_example_an_l2_penalty_keeps_separated_coefficients_finite(kernels):
    values = np.repeat([[0, 0], [1, 1], [2, 2]], 30, axis=0)
    _, coefficients, infinite = fit(kernels, bits_of(values), 0, [1], FitPenalty(l2=0.1))
    assert not infinite.any()
    assert np.abs(coefficients).max() < 20


@pytest.mark.parametrize("costs", [Costs(1.5, 0.5), Dirichlet(0.5)])
def test_property_integer_weights_are_repeated_rows(kernels, costs):
    rng = np.random.default_rng(5)
    values = chain(5, 150, (3, 2, 4, 2, 3))
    counts = rng.integers(1, 5, 150)
    weighted, repeated = bits_of(values, Weights(counts)), bits_of(values.repeat(counts, axis=0))
    targets, candidates = (
        np.arange(5),
        Lists.of([[j for j in range(5) if j != i] for i in range(5)]),
    )
    found = kernels.grow_blankets(weighted, targets, candidates, costs)
    expected = kernels.grow_blankets(repeated, targets, candidates, costs)
    assert found.members.values.tolist() == expected.members.values.tolist()
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-9)
    assert found.evaluations.tolist() == expected.evaluations.tolist()


@pytest.mark.parametrize("costs", [Costs(1.5, 0.5), Dirichlet(0.5)])
def test_property_two_levels_given_as_levels_change_nothing(kernels, costs):
    values = chain(6, 200, (2,) * 6)
    plain = bits_of(values)
    as_levels = Bits(plain.words, plain.n_samples, np.arange(7))
    targets, candidates = (
        np.arange(6),
        Lists.of([[j for j in range(6) if j != i] for i in range(6)]),
    )
    found = kernels.grow_blankets(as_levels, targets, candidates, costs)
    expected = kernels.grow_blankets(plain, targets, candidates, costs)
    assert found.members.values.tolist() == expected.members.values.tolist()
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-8)


@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_property_searches_agree(seed):
    rng = np.random.default_rng(seed)
    bits = bits_of(chain(seed, 200, tuple(rng.integers(2, 5, 5).tolist())))
    targets, candidates = (
        np.arange(5),
        Lists.of([[j for j in range(5) if j != i] for i in range(5)]),
    )
    for costs in (Costs(np.log(200) / 2, 0.8), Dirichlet(0.8)):
        expected = ReferenceKernels().grow_blankets(bits, targets, candidates, costs)
        for name in NativeKernels.available():
            found = NativeKernels(name).grow_blankets(bits, targets, candidates, costs)
            assert found.members.values.tolist() == expected.members.values.tolist()
            np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-7)
            assert found.evaluations.tolist() == expected.evaluations.tolist()


@pytest.mark.parametrize("given_size", [0, 1, 3])
def test_property_independence_tests_agree(kernels, given_size):
    values = chain(7, 250, (3, 2, 4, 2, 3))
    for bits in (bits_of(values), bits_of(values, Weights(np.arange(1, 251), 1 / 1024))):
        targets, givens = np.array([4]), Lists.of([list(range(given_size))])
        others = Lists.of([[j for j in range(given_size, 4)]])
        logs = np.zeros(254)  # not used
        expected = ReferenceKernels().independence_tests(bits, targets, givens, others, logs)
        found = kernels.independence_tests(bits, targets, givens, others, logs)
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        assert (found <= 0).all()


def test_example_a_fit_that_cannot_be_held_in_memory():
    values = np.column_stack([np.arange(400) % 100, np.arange(400) // 4, np.arange(400) % 97])
    with pytest.raises(InputError, match="more than 4096 parameters"):
        fit(NativeKernels(), bits_of(values), 0, [1, 2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starts": np.array([0, 2, 2, 3])}, "from 1 to 65534 rows"),
        ({"starts": np.array([0, 1, 2])}, "number of rows"),
        ({"starts": np.array([1, 2, 3])}, "number of rows"),
    ],
)
def test_example_wrong_starts_are_refused(change, message):
    bits = replace(bits_of(chain(1, 60, (2, 2, 2))), **change)
    with pytest.raises(ValueError, match=message):
        fit(NativeKernels(), bits, 0, [1])


def toggled(kernels, bits, target, blanket, toggles):
    """Score a blanket, and it with each of some variables put in or taken out."""
    lists = Lists.of([np.array(blanket, dtype=np.int64)]), Lists.of([np.array(toggles)])
    score, changed = kernels.toggle_scores(bits, np.array([target]), *lists, Costs(1.0, 0.0))
    return score[0], changed


def related_sequences(seed, n_samples, n_sites):
    """Copies of copies with errors: five letters, and hardly a blanket that separates nothing."""
    rng = np.random.default_rng(seed)
    found = [rng.integers(0, 5, n_sites)]
    while len(found) < n_samples:
        copied = found[rng.integers(len(found))]
        found.append(np.where(rng.random(n_sites) < 0.12, rng.integers(0, 5, n_sites), copied))
    return np.array(found)


@pytest.mark.parametrize("seed", range(3))
def test_property_separated_scores_do_not_depend_on_where_the_search_came_from(
    native_kernels, seed
):
    values = related_sequences(seed, 200, 12)
    bits, rng = bits_of(values), np.random.default_rng(seed)
    for target in range(12):
        others = np.setdiff1d(np.arange(12), [target])
        blanket = np.sort(rng.choice(others, 4, replace=False))
        _, changed = toggled(native_kernels, bits, target, blanket, others)
        for toggle, score in zip(others, changed, strict=True):
            members = np.setxor1d(blanket, [toggle])
            alone, _ = toggled(native_kernels, bits, target, members, others[:0])
            assert score == pytest.approx(alone, rel=0, abs=1e-8)


@settings(max_examples=12, deadline=None)
@given(seed=seeds, n_samples=st.integers(20, 150), size=st.integers(2, 6))
def test_oracle_separated_fits_reach_what_a_linear_programme_says(seed, n_samples, size):
    values = related_sequences(seed, n_samples, size + 1)
    values = np.column_stack([np.unique(column, return_inverse=True)[1] for column in values.T])
    assume(values[:, 0].any())  # a constant has no parameters, and so no linear programme
    likelihood, _, _ = fit(NativeKernels(), bits_of(values), 0, np.arange(1, size + 1))
    expected = supremum(blanket_problem(values, 0, np.arange(1, size + 1)))
    assert likelihood == pytest.approx(expected, rel=0, abs=1e-8)


def test_example_steps_that_would_go_from_side_to_side(native_kernels):
    """A level that occurs once: whole steps overshoot, and half of one gains next to nothing."""
    rows = [
        *([5, 12, 0], [1, 30, 0], [1, 18, 0], [0, 22, 0], [1, 30, 0], [0, 6, 0], [0, 2, 0]),
        *(
            [0, 1, 0],
            [3, 34, 0],
            [8, 28, 0],
            [0, 17, 0],
            [7, 26, 0],
            [2, 43, 1],
            [1, 0, 0],
            [0, 1, 0],
        ),
    ]
    members = [(0, b) for b in range(5)] + [(1, b) for b in range(3)]
    members += [(2, b) for b in range(5)] + [(3, b) for b in range(2)]
    values = np.array(
        [
            (level, *pair)
            for counts, pair in zip(rows, members, strict=True)
            for level, n in enumerate(counts)
            for _ in range(n)
        ]
    )
    _, (without_second,) = toggled(native_kernels, bits_of(values), 0, [1, 2], [2])
    first_alone, _ = toggled(native_kernels, bits_of(values), 0, [1], np.arange(0))
    assert without_second == pytest.approx(first_alone, rel=0, abs=1e-8)


def test_example_removals_from_a_separated_blanket_reach_their_maximum(native_kernels):
    """Levels of conserved positions hardly occur: coefficients that grow forever start no other fit."""
    values = conserved_sequences(4757, 54)
    blanket = np.array([0, 2, 3, 4, 5, 10, 13, 17, 20, 21, 26, 36, 40, 44, 53])
    bits, target = bits_of(values), np.array([1])
    _, without = native_kernels.toggle_scores(
        bits, target, Lists.of([blanket]), Lists.of([blanket]), FREE
    )
    smaller = Lists.of([np.delete(blanket, k) for k in range(len(blanket))])
    expected, _ = native_kernels.toggle_scores(
        bits, target.repeat(len(blanket)), smaller, Lists.empty(len(blanket)), FREE
    )
    np.testing.assert_allclose(without, expected, rtol=0, atol=1e-8)


def conserved_sequences(n, n_positions):
    """Copy earlier sequences of five letters with mutations, which are rare in most positions."""
    rng = np.random.default_rng(1)
    sequences = np.empty((n, n_positions), np.int64)
    sequences[0] = rng.integers(0, 5, n_positions)
    rates = 0.01 * rng.exponential(size=n_positions)
    for k in range(1, n):
        mutates = rng.random(n_positions) < rates
        mutates[1::2] |= mutates[::2][: n_positions // 2] & (rng.random(n_positions // 2) < 0.7)
        sequences[k] = sequences[rng.integers(max(0, k - 500), k)]
        sequences[k, mutates] = rng.integers(0, 5, mutates.sum())
    return sequences
