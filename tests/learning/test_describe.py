"""Evidence and couplings of a graph's edges."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.kernels.lists import Lists
from markhood.learning.describe import numbers_of
from markhood.search.hill_climbing import hill_climb
from markhood.search.values.search_result import SearchResult
from oracles.jobs import job_of
from oracles.logistic import maximum
from oracles.networks import awkward, network
from oracles.packing import samples_of
from oracles.scoring import bic, neighbours


def described(values, edges, kernels=None, n_jobs=1):
    edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    job = job_of(samples_of(values), kernels=kernels, n_jobs=n_jobs)
    return numbers_of(job, SearchResult(edges, or_edges=edges))


def some_edges(seed, d, n_edges):
    rng = np.random.default_rng(seed)
    pairs = np.column_stack(np.triu_indices(d, k=1))
    return sorted(rng.choice(pairs, size=n_edges, replace=False).tolist())


@pytest.mark.parametrize("values", [network(1, 300, 8), awkward(2, 80)], ids=["network", "awkward"])
def test_oracle_scores_and_evidence_per_end(kernels, values):
    d = values.shape[1]
    edges = some_edges(1, d, 9)
    found = described(values, edges, kernels)
    for v in range(d):
        constant = len(set(values[:, v].tolist())) == 1
        expected = 0.0 if constant else bic(values, v, neighbours(edges, v))
        assert found.scores[v] == pytest.approx(expected, abs=1e-8)
    for edge, gains in zip(edges, found.evidence_ends, strict=True):
        for end, other, gain in zip(edge, edge[::-1], gains, strict=True):
            blanket = neighbours(edges, end)
            without = [b for b in blanket if b != other]
            gained = bic(values, end, blanket) - bic(values, end, without)
            assert gain == pytest.approx(gained, abs=2e-8)


@pytest.mark.parametrize("kind", ["or", "empty"])
def test_property_scores_known_from_the_climb_are_those_of_the_graph(kernels, kind):
    values = awkward(3, 200)
    job = job_of(samples_of(values), kernels=kernels)
    found = hill_climb(job, gamma=0.0, depth=None, rule="global", start=kind)
    assert found.evidence is not None
    assert not np.isnan(found.evidence.gains).all()
    known, computed = (numbers_of(job, result) for result in (found, replace(found, evidence=None)))
    np.testing.assert_allclose(known.scores, computed.scores, rtol=0, atol=1e-8)
    np.testing.assert_allclose(known.evidence_ends, computed.evidence_ends, rtol=0, atol=1e-8)


def test_oracle_couplings_are_each_ends_regression(kernels):
    from statsmodels.api import GLM, families

    values = network(2, 400, 7)
    edges = some_edges(2, 7, 10)
    found = described(values, edges, kernels)
    for v in range(7):
        blanket = neighbours(edges, v)
        design = np.column_stack([np.ones(400), values[:, blanket]])
        fit = GLM(values[:, v], design, family=families.Binomial()).fit(tol=1e-14, maxiter=100)
        for other, slope in zip(blanket, fit.params[1:], strict=True):
            k = edges.index(sorted([v, other]))
            end = edges[k].index(v)
            assert found.coupling_ends[k, end] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_oracle_infinite_couplings_have_the_right_sign(kernels, seed):
    values = awkward(seed, 60)
    d = values.shape[1]
    edges = [[0, j] for j in range(1, 4)] + [[1, 2]]
    found = described(values, edges, kernels)
    for k, edge in enumerate(edges):
        for end, other, coupling in zip(edge, edge[::-1], found.coupling_ends[k], strict=True):
            blanket = neighbours(edges, end)
            direction = maximum(values, end, blanket).directions[1 + blanket.index(other)]
            if direction is not None:
                assert (np.sign(coupling) if np.isinf(coupling) else 0) == direction
    assert np.isfinite(found.regressions.coefficients).all()
    assert len(found.regressions.coefficients) == d + 2 * len(edges)


def test_example_regressions_follow_the_blankets():
    values = network(3, 200, 5)
    edges = [[0, 1], [0, 4], [1, 4], [2, 4]]
    found = described(values, edges)
    regressions = found.regressions
    expected = Lists.of([[1, 4], [0, 4], [4], [], [0, 1, 2]])
    assert [b.tolist() for b in regressions.blankets] == [b.tolist() for b in expected]
    assert regressions.of(0)[1:, 0].tolist() == found.coupling_ends[:2, 0].tolist()
    assert regressions.of(4)[1:, 0].tolist() == found.coupling_ends[[1, 2, 3], 1].tolist()


def test_example_no_edges():
    found = described(network(3, 50, 3), [])
    assert found.evidence_ends.shape == found.coupling_ends.shape == (0, 2)
    assert len(found.scores) == 3


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), copies=st.integers(2, 4))
def test_property_copies_of_all_samples_leave_the_couplings(seed, copies):
    values = network(seed, 120, 7)
    edges = some_edges(seed, 7, 8)
    once, often = described(values, edges), described(np.tile(values, (copies, 1)), edges)
    np.testing.assert_allclose(often.coupling_ends, once.coupling_ends, rtol=0, atol=1e-4)
