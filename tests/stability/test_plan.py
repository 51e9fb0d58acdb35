import numpy as np
import pandas as pd
import pytest

import markhood
from markhood import simulate
from markhood.learning.request import Request
from markhood.stability.plan import _described, _logistic, _root, _Study
from messages import refuses

QUICK = {"data_sets": 90, "n_jobs": 1}
NETWORK = simulate.ising(simulate.chain(6), simulate.SignedCouplings(1.5), seed=1)


def test_oracle_the_answer_has_the_wanted_power():
    found = markhood.plan(NETWORK, target=0.8, n_jobs=1, data_sets=900)
    truth = NETWORK.graph
    n_reached = 0
    for seed in range(200):
        learned = markhood.learn(NETWORK.sample(found.n_samples, seed=1000 + seed), factors=0)
        shared = {tuple(e) for e in truth.edges.tolist()} & {
            tuple(e) for e in learned.edges.tolist()
        }
        n_reached += len(shared) / truth.n_edges >= 0.8
    assert 0.7 < n_reached / 200 < 0.9
    assert found.low < found.n_samples <= found.high + 1


def test_property_missing_values_need_more_samples():
    whole, holes = (markhood.plan(NETWORK, missing_share=s, **QUICK) for s in (0.0, 0.3))
    assert holes.n_samples > 1.2 * whole.n_samples


@pytest.mark.parametrize("measure", ["specificity", "correlation", "edge"])
def test_example_every_measure_has_an_answer(measure):
    found = markhood.plan(NETWORK, measure, **QUICK)
    assert 25 <= found.n_samples < 5000
    assert measure in found.rows()[0]


def test_example_the_stability_of_centralities_is_a_measure():
    model = simulate.ising(simulate.hub(8), simulate.SignedCouplings(2.0), seed=1)
    study = _Study(Request.of("plrhc", {"seed": 1}), lambda _: model, "cs", -1, 0.0)
    assert study.value((0, 60)) < 0.5 < study.value((0, 4000))


def test_example_pilot_data_a_graph_and_files_are_networks(tmp_path):
    data = pd.DataFrame(NETWORK.sample(500, seed=2), columns=list("abcdef"))
    data.to_csv(tmp_path / "pilot.csv", index=False)
    graph = markhood.learn(data)
    model = markhood.fit_model(graph, data)
    markhood.write_graph(graph, tmp_path / "graph.json")
    markhood.write_model(model, tmp_path / "model.json")
    sources = [
        data,
        graph,
        model,
        *(tmp_path / f for f in ("pilot.csv", "graph.json", "model.json")),
    ]
    answers = [markhood.plan(source, **QUICK).n_samples for source in sources]
    assert answers[0] == answers[2] == answers[3] == answers[5]
    assert answers[1] == answers[4]


def test_example_a_target_out_of_reach():
    found = markhood.plan(nodes=5, density=0.5, coupling=0.0, data_sets=9, n_jobs=1)
    assert found.n_samples is None
    assert np.isnan(found.low)


def test_property_levels_are_as_frequent_as_their_mirror_images():
    model = _described(6, 0.5, 1.5, 4)[0](1)
    shares = np.array([np.bincount(column, minlength=4) for column in model.sample(4000, seed=1).T])
    np.testing.assert_allclose(shares / 4000, shares[:, ::-1] / 4000, atol=0.05)
    assert model.sample_packed(500, seed=1).variables.kinds == ("ordinal",) * 6


def test_oracle_logistic_regression_finds_the_size():
    rng = np.random.default_rng(1)
    x = np.repeat(np.log([100, 150, 200, 300, 400]), 2000)
    success = rng.random(len(x)) < 1 / (1 + np.exp(-4 * (x - np.log(180))))
    centre, slope, covariance = _logistic(x, success)
    assert _root(centre, slope, 0.5) == pytest.approx(180, rel=0.03)
    assert abs(centre - np.log(180)) < 4 * np.sqrt(covariance[0, 0])


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"measure": "luck"}, "measure"),
        ({"target": 2}, "target"),
        ({"power": 1}, "power"),
        ({"nodes": 1}, "nodes"),
        ({"levels": 2.5}, "levels"),
        ({"missing_share": 1}, "missing_share"),
        ({"data_sets": 3}, "data_sets"),
    ],
)
def test_example_options_out_of_range(options, where):
    with refuses("option-value", where):
        markhood.plan(**options)


def test_example_an_edge_that_the_network_lacks():
    with refuses("graph-unknown"):
        markhood.plan(NETWORK, "edge", edge=("x0", "x5"), **QUICK)
