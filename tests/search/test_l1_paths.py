"""Blankets from L1 paths: the choice among supports against plain enumeration of them."""

from functools import cache
from math import log

import numpy as np
import pytest

from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.search.blankets import combine
from markhood.search.l1_paths import LARGEST_BLANKET, DistinctVariables, l1_blankets
from oracles.jobs import job_of
from oracles.l1 import l1_logistic
from oracles.networks import awkward, hub, network
from oracles.packing import samples_of, samples_with_levels
from oracles.scoring import bic

REFIT = {"gamma": 0.5, "standardize": False, "refit": True}
ISING_FIT = {"gamma": 0.25, "standardize": True, "refit": False}


def blankets_of(values, kernels=None, n_jobs=1, **options):
    return l1_blankets(job_of(samples_of(values), kernels=kernels, n_jobs=n_jobs), **options)


def members(found):
    return [blanket.tolist() for blanket in found.members]


VALUES = network(4, 200, 6, strength=2.0)


@cache
def path_by_hand(target, standardize):
    """The solutions (intercept, slopes) of an independent solver at eight lambdas."""
    x, y = np.delete(VALUES, target, axis=1).astype(float), VALUES[:, target].astype(float)
    scale = x.std(axis=0) if standardize else np.ones(x.shape[1])
    top = np.max(np.abs(x.T @ (y - y.mean())) / scale) / len(y)
    start = np.log(y.mean() / (1 - y.mean())), np.zeros(x.shape[1])
    lambdas = np.geomspace(top, top / 100, 8)[1:]
    return [start, *(l1_logistic(x, y, bound * scale) for bound in lambdas)]


@pytest.mark.parametrize("standardize", [False, True])
def test_oracle_best_refitted_support(kernels, standardize):
    options = REFIT | {"standardize": standardize}
    found = blankets_of(VALUES, kernels, n_lambdas=8, **options)
    for target in range(6):
        others = np.delete(np.arange(6), target)
        along = path_by_hand(target, standardize)
        supports = dict.fromkeys(tuple(others[np.flatnonzero(b)].tolist()) for _, b in along)
        scores = {support: bic(VALUES, target, support) for support in supports}
        best = max(scores, key=scores.__getitem__)
        assert tuple(found.members[target].tolist()) == best
        assert found.scores[target] == pytest.approx(scores[best], abs=1e-7)
    assert found.slopes is None
    assert len(found.members.values) > 4


def test_oracle_ising_fit(kernels):
    """Its EBIC, -2 logL + J log N + 2 gamma J log(d - 1), at the coefficients of the path."""
    found = blankets_of(VALUES, kernels, n_lambdas=8, **ISING_FIT)
    for target in range(6):
        x, y = np.delete(VALUES, target, axis=1), VALUES[:, target]
        best = (np.inf, None)
        for intercept, b in path_by_hand(target, True):
            eta = intercept + x @ b
            size = np.count_nonzero(b)
            ebic = -2 * np.sum(y * eta - np.logaddexp(0, eta))
            ebic += size * log(200) + 2 * 0.25 * size * log(5)
            best = min(best, (ebic, b.tolist()))
        start, stop = found.members.starts[target : target + 2]
        slopes = np.zeros(6)
        slopes[found.members[target]] = found.slopes[start:stop]
        np.testing.assert_allclose(np.delete(slopes, target), best[1], rtol=0, atol=1e-6)
        assert -2 * found.scores[target] - log(200) == pytest.approx(best[0], abs=1e-5)
    assert len(found.members.values) > 4


@pytest.mark.parametrize("options", [REFIT, ISING_FIT], ids=["refit", "ising-fit"])
def test_property_every_backend_and_thread_count_gives_the_same(options):
    values = network(8, 500, 14, strength=1.5)
    expected = blankets_of(values, ReferenceKernels(), n_lambdas=8, **options)
    for name in NativeKernels.available():
        for n_jobs in (1, 3):
            found = blankets_of(values, NativeKernels(name), n_jobs, n_lambdas=8, **options)
            assert members(found) == members(expected)
            np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-7)
            assert found.evaluations.tolist() == expected.evaluations.tolist()


def test_property_relabelling_variables_permutes_the_blankets():
    values = network(9, 400, 20, strength=1.5)
    order = np.random.default_rng(0).permutation(20)
    found, permuted = (members(blankets_of(v, **REFIT)) for v in (values, values[:, order]))
    for position, variable in enumerate(order):
        assert sorted(order[permuted[position]].tolist()) == found[variable]


def test_property_complements_leave_the_blankets():
    values = network(10, 400, 20, strength=1.5)
    flipped = values.copy()
    flipped[:, ::3] = 1 - flipped[:, ::3]
    assert members(blankets_of(values, **REFIT)) == members(blankets_of(flipped, **REFIT))


def test_example_constant_equal_and_complementary_variables(kernels):
    values = network(11, 200, 8, strength=2.0)
    values[:, 2], values[:, 5] = 0, 1
    values[:, 6], values[:, 7] = values[:, 1], 1 - values[:, 1]
    candidates = DistinctVariables(samples_of(values)).of(np.arange(8))
    assert [c.tolist() for c in candidates] == [
        [1, 3, 4],
        [0, 3, 4, 6],
        [0, 1, 3, 4],
        [0, 1, 4],
        [0, 1, 3],
        [0, 1, 3, 4],
        [0, 1, 3, 4],
        [0, 1, 3, 4],
    ]
    found = members(blankets_of(values, kernels, n_lambdas=10, **REFIT))
    assert found[2] == found[5] == []
    assert (found[1], found[6], found[7]) == ([6], [1], [1])
    assert combine(blankets_of(values, **REFIT).members, "and").tolist()[-1] == [1, 6]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("options", [REFIT, ISING_FIT], ids=["refit", "ising-fit"])
def test_example_awkward_data(seed, options):
    values = awkward(seed, [20, 60, 200, 600][seed % 4])
    first, *others = (
        members(blankets_of(values, NativeKernels(name), **options))
        for name in NativeKernels.available()
    )
    assert all(other == first for other in others)


def test_example_supports_of_more_than_twelve_are_not_candidates():
    values = hub(1, 4000, 16, slope=1.5)
    found = blankets_of(values, **REFIT)
    assert len(found.members[16]) <= len(found.evaluations) - 1 == LARGEST_BLANKET
    assert len(blankets_of(values, **ISING_FIT).members[16]) == 16


def test_example_paths_that_end_early():
    values = network(12, 300, 40, strength=1.5)
    whole, short, shorter = (blankets_of(values, largest_support=n, **REFIT) for n in (None, 24, 0))
    assert members(short) == members(whole)
    assert len(shorter.members.values) < len(whole.members.values)
    assert shorter.evaluations.sum() < short.evaluations.sum() <= whole.evaluations.sum()


def test_example_one_variable_and_two():
    assert members(blankets_of(np.array([[0], [1]], dtype=np.uint8), **REFIT)) == [[]]
    equal = np.repeat([[0, 0], [1, 1]], 20, axis=0).astype(np.uint8)
    assert members(blankets_of(equal, **REFIT)) == [[1], [0]]


def test_oracle_supports_that_are_not_refitted_cannot_be_the_best():
    rng = np.random.default_rng(0)
    classes = rng.integers(4, size=400)
    kept = rng.random((400, 9)) < np.linspace(0.3, 0.9, 9)
    values = np.where(kept, classes[:, None], rng.integers(4, size=(400, 9)))
    job = job_of(samples_with_levels(values))
    found = l1_blankets(job, gamma=0.5, standardize=False, refit=True)
    targets, scorer = np.arange(9), job.scorer
    others = Lists.of([np.delete(targets, t) for t in targets])
    paths = scorer.l1_paths(targets, others, np.geomspace(1, 0.01, 100), None, False)
    supports = [[] for _ in targets]
    for k, support in enumerate(paths.supports):
        own = tuple(sorted({*scorer.owners[support].tolist()}))
        supports[scorer.owners[k // 100]].append(own)
    best = [
        scorer.toggled(np.full(len(own), t), Lists.of(own), Lists.empty(len(own)))[0].max()
        for t, own in enumerate(map(sorted, map(set, supports)))
    ]
    np.testing.assert_allclose(found.scores, best, rtol=0, atol=1e-9)
    assert found.evaluations.sum() < sum(len(set(own)) for own in supports)


def test_example_supports_whose_penalty_exceeds_every_gain_are_not_fitted():
    # The largest supports would have more parameters than a regression may have.
    values = np.random.default_rng(0).integers(0, 26, size=(60, 14))
    found = l1_blankets(job_of(samples_with_levels(values)), **REFIT)
    assert members(found) == [[]] * 14
    assert found.evaluations[1:].sum() == 0
