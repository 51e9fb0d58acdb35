import numpy as np
import pandas as pd
import pytest

import markhood
from markhood import simulate
from markhood.learning.request import Request
from markhood.stability.plan import fit_power, size_with_power
from markhood.stability.planned_study import Study, described_networks, with_change
from markhood.stability.studies import MEASURES, NetworkOptions
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
    few = {"data_sets": 45, "n_jobs": 1}
    whole, holes = (markhood.plan(NETWORK, missing_share=s, **few) for s in (0.0, 0.3))
    assert holes.n_samples > 1.2 * whole.n_samples


@pytest.mark.parametrize("measure", ["specificity", "correlation", "edge"])
def test_example_every_measure_has_an_answer(measure):
    found = markhood.plan(NETWORK, measure, **QUICK)
    assert 25 <= found.n_samples < 5000
    assert measure in found.rows()[0]


def test_example_the_stability_of_centralities_is_a_measure():
    model = simulate.ising(simulate.hub(8), simulate.SignedCouplings(2.0), seed=1)
    study = Study(Request.of("plrhc", {"seed": 1}), lambda _: model, "cs", -1, 0.0)
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
    answers = [markhood.plan(source, data_sets=27, n_jobs=1).n_samples for source in sources]
    assert answers[0] == answers[2] == answers[3] == answers[5]
    assert answers[1] == answers[4]


def test_example_a_target_out_of_reach():
    found = markhood.plan(nodes=5, density=0.5, coupling=0.0, data_sets=9, n_jobs=1)
    assert found.n_samples is None
    assert np.isnan(found.low)


def test_property_levels_are_as_frequent_as_their_mirror_images():
    model = described_networks(NetworkOptions(nodes=6, density=0.5, coupling=1.5, levels=4))[0](1)
    shares = np.array([np.bincount(column, minlength=4) for column in model.sample(4000, seed=1).T])
    np.testing.assert_allclose(shares / 4000, shares[:, ::-1] / 4000, atol=0.05)
    assert model.sample_packed(500, seed=1).variables.kinds == ("ordinal",) * 6


def test_oracle_logistic_regression_finds_the_size():
    rng = np.random.default_rng(1)
    x = np.repeat(np.log([100, 150, 200, 300, 400]), 2000)
    success = rng.random(len(x)) < 1 / (1 + np.exp(-4 * (x - np.log(180))))
    centre, slope, covariance = fit_power(x, success)
    assert size_with_power(centre, slope, 0.5) == pytest.approx(180, rel=0.03)
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


def test_property_a_larger_group_difference_needs_fewer_samples():
    sizes = [
        markhood.plan(NETWORK, "group", difference=d, data_sets=27, n_jobs=1).n_samples
        for d in (1.5, 3.0)
    ]
    assert sizes[1] < 0.6 * sizes[0]


def test_oracle_the_power_for_a_group_difference_is_that_of_the_permutation_test():
    study = Study(Request.of("plrhc", {"seed": 1}), lambda _: NETWORK, "group", 2, 0.0, 2.0)
    planned = np.mean([study.value((k, 400)) for k in range(40)])
    found = []
    for seed in range(40):
        one = NETWORK.sample(200, seed=[seed, 1])
        other = with_change(NETWORK, 2, 2.0).sample(200, seed=[seed, 2])
        tested = markhood.compare_groups(one, other, permutations=199, seed=seed)
        i, j = NETWORK.graph.edges[2].tolist()
        rows = {(r["source"], r["target"]): r["p_adjusted"] for r in tested.edge_rows()}
        found.append(rows[f"x{i}", f"x{j}"] <= 0.05)
    assert planned == pytest.approx(np.mean(found), abs=0.3)
    assert 0.1 < planned < 1


@pytest.mark.parametrize("measure", MEASURES)
def test_example_the_paragraph_of_every_measure_states_its_target(measure):
    own = MEASURES[measure]
    numbers = np.array([50, 50, 100, 100]), np.array([0.0, 1.0, 1.0, 1.0])
    found = markhood.Plan(measure, own.target, 0.8, 90, 80, 99, *numbers, 0.1, "a network")
    assert own.wanted.format(own.target) in found.paragraph()
    assert "with 10 % missing values" in found.paragraph()
    assert [row["power"] for row in found.rows()] == [0.5, 1.0]
    assert {"samples", measure, "power_error"} <= set(found.rows()[0])
    assert f"{measure}: {own.meaning}" in " ".join(markhood.plan.__doc__.split())


def test_property_a_change_keeps_fields_of_spins_and_levels():
    model = described_networks(NetworkOptions(nodes=5, density=0.6, levels=3))[0](1)
    changed = with_change(model, 0, 0.2)
    assert [np.abs(a - b).max() > 0 for a, b in zip(model.tables, changed.tables, strict=True)] == [
        True,
        *[False] * (len(model.tables) - 1),
    ]
    with refuses("option-value", "difference"):
        markhood.plan(NETWORK, "group", difference=0.0, n_jobs=1)


@pytest.mark.parametrize("measure", ["edge", "group"])
def test_example_sparse_networks_have_an_edge_to_find(measure):
    found = markhood.plan(
        None, measure, nodes=4, density=0.02, coupling=4.0, difference=6.0, data_sets=9, n_jobs=1
    )
    assert found.n_samples is None or found.n_samples >= 25
    assert ("one coupling changed by 6" in found.paragraph()) == (measure == "group")
    assert found.paragraph().endswith("The edge is the weakest one of each network.")
    with refuses("graph-empty", "source"):
        markhood.plan(None, measure, nodes=4, density=0.0, n_jobs=1)
