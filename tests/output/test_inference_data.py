"""Draws of graphs in ArviZ, by ArviZ itself."""

import sys

import numpy as np
import pytest

import markhood
from markhood.errors import InputError
from messages import refuses
from oracles.networks import network

pytestmark = pytest.mark.filterwarnings("ignore:\nArviZ is undergoing:FutureWarning")
VALUES = network(31, 300, 12, strength=1.5)  # sparse enough that the density is learned


@pytest.fixture(scope="module")
def found():
    return markhood.Bayes(keep_draws=True, sweeps=100, n_jobs=1, seed=1).fit(VALUES)


def test_oracle_arviz_sees_the_same_probabilities_and_agreement(found):
    arviz = pytest.importorskip("arviz")
    data = found.to_inference_data()
    posterior = data.posterior
    assert dict(posterior.sizes) == {"chain": 4, "draw": 100, "pair": len(found.pairs_)}
    names = [f"x{i} - x{j}" for i, j in found.pairs_.tolist()]
    assert posterior["pair"].values.tolist() == names
    np.testing.assert_allclose(
        posterior["probability"].mean(("chain", "draw")), found.probabilities_
    )
    assert float(posterior["density"].mean()) == pytest.approx(found.edge_density_)
    # Draws of 0 and 1 agree, with more noise than the probabilities have.
    in_doubt = np.flatnonzero(np.abs(found.probabilities_ - 0.5) < 0.4)
    assert len(in_doubt)
    p, edges = found.probabilities_[in_doubt], posterior[["edge"]].isel(pair=in_doubt)
    own = found.draws_.agreement(in_doubt)
    assert np.all(np.abs(arviz.rhat(edges, method="split")["edge"] - own["rhat"]) < 0.05)
    size = arviz.ess(edges, method="mean")["edge"].values
    assert np.all(own["ess"] > size)
    shares = edges["edge"].mean(("chain", "draw")).values
    assert np.all(np.abs(shares - p) < 4 * np.sqrt(p * (1 - p) / size))
    assert len(arviz.summary(data, var_names=["density"])) == 1


def test_example_every_edge_says_how_the_chains_agree(found):
    for graph in (found.graph_, markhood.learn(VALUES, "bayes", n_jobs=1)):
        rhat, ess = graph.annotations["rhat"], graph.annotations["ess"]
        assert graph.n_edges > 0
        assert np.all((rhat >= 1) & (rhat < 1.1))
        assert np.all((ess > 80) & (ess <= 1e6))
        assert {"rhat", "ess"} <= set(graph.to_frame().columns)
    holes = VALUES.astype(float)
    holes[::7, 2] = np.nan
    imputed = markhood.learn(
        holes, "bayes", missing="impute", run=markhood.Run(imputations=4), n_jobs=1
    )
    assert np.isfinite(imputed.annotations["rhat"]).all()
    single = markhood.learn(VALUES, "bayes", chains=1, sweeps=1, n_jobs=1)
    assert "rhat" not in single.annotations


def test_example_draws_that_were_not_kept_are_asked_for(found, monkeypatch):
    usual = markhood.Bayes(n_jobs=1, sweeps=5).fit(VALUES)
    assert not hasattr(usual, "draws_")
    with refuses("option-needed", "keep_draws"):
        usual.to_inference_data()
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(InputError, match=r"markhood\[arviz\]"):
        found.to_inference_data()
