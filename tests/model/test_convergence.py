import numpy as np
import pytest

from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from markhood.model.sampling.sampled import chain_diagnostics
from messages import refuses, warns

triangle = IsingModel(Graph("abc", [(0, 1), (0, 2), (1, 2)]), [1.0, -0.5, 0.8])


def autoregressive(n_draws, n_chains, correlation, seed):
    rng = np.random.default_rng(seed)
    draws = np.empty((n_draws, n_chains, 1))
    draws[0] = rng.normal(size=(n_chains, 1))
    for t in range(1, n_draws):
        noise = rng.normal(size=(n_chains, 1)) * np.sqrt(1 - correlation**2)
        draws[t] = correlation * draws[t - 1] + noise
    return draws


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_oracle_effective_samples_of_an_autoregression(correlation):
    found = chain_diagnostics(autoregressive(20000, 4, correlation, 1), ("x",))
    expected = 4 * 20000 * (1 - correlation) / (1 + correlation)
    assert found.effective_samples[0] == pytest.approx(expected, rel=0.1)
    assert found.r_hat[0] == pytest.approx(1.0, abs=0.005)


def test_golden_figures_of_arviz():
    draws = autoregressive(301, 3, 0.6, 2)
    found = chain_diagnostics(draws, ("x",))
    # ArviZ 0.23.4: rhat(x, method="split"), and ess(x, method="mean"), which adds to Geyer's sum
    # one half of the first term after its end.
    assert found.r_hat[0] == pytest.approx(1.0059640471118365, rel=1e-9)
    assert found.effective_samples[0] == pytest.approx(264.52422284895175, rel=0.01)


def test_example_chains_that_disagree():
    draws = np.random.default_rng(1).normal(size=(100, 4, 2))
    draws[:, 0, 1] += 5.0
    with warns("not-converged", where="apart"):
        found = chain_diagnostics(draws, ("same", "apart"))
    assert found.r_hat[0] < 1.05
    assert found.r_hat[1] > 1.5
    assert "(apart)" in repr(found)


def test_example_what_never_varies_is_unknown():
    found = chain_diagnostics(np.ones((10, 2, 1)), ("one",))
    assert np.isnan(found.r_hat[0])
    assert np.isnan(found.effective_samples[0])
    assert repr(found) == "<Convergence: nothing varies>"


def test_example_chains_stuck_apart_have_infinite_r_hat():
    draws = np.tile(np.array([0.0, 1.0]).reshape(1, 2, 1), (10, 1, 1))
    with warns("not-converged", where="stuck"):
        assert np.isinf(chain_diagnostics(draws, ("stuck",)).r_hat[0])


def test_example_a_model_summarises_its_samples():
    samples = triangle.sample(1601, seed=1, burn_in=100, thinning=5)
    found = triangle.convergence(samples)
    assert found.names == ("a", "b", "c", "log potential")
    assert (found.r_hat < 1.1).all()
    assert (found.effective_samples > 400).all()


def test_example_too_few_draws():
    with refuses("option-value", "chains"):
        triangle.convergence(triangle.sample(48, seed=1))
