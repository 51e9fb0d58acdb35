"""The method `bayes` as its users meet it: columns of edges, choices, seeds, sentences."""

import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import markhood
from markhood.errors import InputError
from markhood.learning.checks.convergence import warn_of_chains, warn_of_prior
from markhood.learning.methods import Bayes
from markhood.output.methods_section import methods_section
from markhood.search.chains import Sweeps
from markhood.search.values.probabilities import Draws, EdgeProbabilities
from markhood.simulate import grid, ising
from messages import refuses, warns
from oracles.networks import independent, network

MODEL = ising(grid(16), seed=2)
VALUES = MODEL.sample(800, seed=3)
SHORT = {"sweeps": 6, "chains": 2}


def test_example_every_edge_has_a_probability_and_an_interval(tmp_path):
    graph = markhood.learn(VALUES, "bayes")
    low, high = graph.annotations["coupling_low"], graph.annotations["coupling_high"]
    assert np.all((graph.probability > 0.5) & (graph.probability <= 1))
    assert np.all((low < graph.coupling) & (graph.coupling < high))
    assert graph.provenance["chains"]["seed"] == 0
    markhood.write_graph(graph, tmp_path / "graph.json")
    assert markhood.read_graph(tmp_path / "graph.json") == graph
    unknown = markhood.learn(VALUES).probability
    assert len(unknown) > 0
    assert np.all(np.isnan(unknown))


def test_example_an_estimator_lists_all_pairs():
    found = markhood.Bayes(fdr=0.1, **SHORT).fit(VALUES)
    assert len(found.pairs_) == len(found.probabilities_) > found.graph_.n_edges > 0
    assert found.probabilities_.min() < 0.2
    assert np.mean(1 - found.graph_.probability) <= 0.1
    assert 0 < found.edge_density_ < 1
    assert 0 < found.coupling_scale_ <= 1.5


def test_example_a_higher_probability_keeps_a_part_of_the_edges():
    some = markhood.learn(VALUES, "bayes", min_probability=0.95, **SHORT).edge_names()
    more = markhood.learn(VALUES, "bayes", min_probability=0.05, **SHORT).edge_names()
    assert set(some) < set(more)


def test_example_separated_data_have_finite_couplings():
    values = np.random.default_rng(1).integers(0, 2, (100, 3))
    values[:, 2] = values[:, 0]
    keep = markhood.Genome(identical="keep")
    assert np.all(np.isinf(markhood.learn(values, genome=keep).coupling))
    graph = markhood.learn(values, "bayes", genome=keep)
    assert graph.edges.tolist() == [[0, 2]]
    assert 2 < graph.coupling[0] < 15


def test_example_a_prior_moves_probabilities():
    def probabilities(prior):
        found = markhood.Bayes(edge_prior=prior, **SHORT).fit(network(5, 200, 6, strength=0.5))
        assert found.edge_density_ == pytest.approx(prior)
        return found.probabilities_.mean()

    assert probabilities(0.01) < probabilities(0.5)


def test_example_pairs_can_have_priors_of_their_own():
    values = network(5, 200, 6, strength=0.5)

    def probability(**options):
        found = markhood.Bayes(min_probability=0.0, **SHORT, **options).fit(values).graph_
        return dict(zip(found.edge_names(), found.probability.tolist(), strict=True))

    plain = probability()
    pair = min(plain, key=lambda names: abs(plain[names] - 0.3))  # one that is in doubt
    low, high = (probability(pair_priors={pair: p}) for p in (0.001, 0.99))
    assert low[pair] < plain[pair] < high[pair]
    far = probability(pair_priors=[("x0", "x5", 0.5)])  # a candidate it was not
    assert ("x0", "x5") in far
    # Bayes' rule: the odds are the prior's times a factor that does not depend on it.
    alone = values[:, list(map(int, (pair[0][1:], pair[1][1:])))]
    p, q = (
        markhood.Bayes(pair_priors={(0, 1): prior}, min_probability=0.0).fit(alone).probabilities_
        for prior in (0.2, 0.6)
    )
    factors = (p / (1 - p)) / (0.2 / 0.8), (q / (1 - q)) / (0.6 / 0.4)
    np.testing.assert_allclose(*factors, rtol=0.05)  # but for the scale, which is learned


def test_example_bayes_factors_are_relative_to_the_prior_of_the_pair():
    options = {"pair_priors": {("x0", "x1"): 0.9}, "edge_prior": 0.2, "min_probability": 0.0}
    found = markhood.learn(network(5, 200, 6, strength=0.5), "bayes", **SHORT, **options)
    p = np.minimum(found.probability, 1 - 1e-12)
    own = np.where((found.edges == [0, 1]).all(axis=1), 0.9 / 0.1, 0.2 / 0.8)
    expected, factors = p / (1 - p) / own, found.annotations["bayes_factor"]
    np.testing.assert_allclose(factors[p < 0.999], expected[p < 0.999])
    one = of_one_pair([0.9, 0.9], np.full((2, 20), 0.1), p=0.9)
    kept = replace(one, own_log_odds=np.log([9.0]))
    np.testing.assert_allclose(kept.bayes_factors, 1)
    # Another density changes the prior of pairs without their own only.
    assert [each.n_edges_at(0.01) for each in (one, kept)] == [0, 1]
    assert {row[1] for row in kept.sensitivity} == {1}
    assert one.sensitivity[20] == (0.1, 1, 0)
    assert one.sensitivity[12] == (0.0357, 1, 0)  # a third of the odds


def test_example_priors_that_clash():
    with refuses("constraints"):
        markhood.learn(
            VALUES,
            "bayes",
            pair_priors={(0, 1): 0.3},
            knowledge=markhood.Knowledge(forbidden_edges=[(1, 0)]),
        )
    with refuses("option-unknown", "pair_priors"):
        markhood.learn(VALUES, "hc", pair_priors={(0, 1): 0.3})


def test_property_what_is_known_is_heeded():
    groups = [k % 2 for k in range(16)]
    required, forbidden = [(0, 15)], [(0, 1)]
    found = markhood.Bayes(
        knowledge=markhood.Knowledge(
            required_edges=required,
            forbidden_edges=forbidden,
            groups=groups,
            group_rule="between",
        ),
        **SHORT,
    ).fit(VALUES)
    edges = set(map(tuple, found.graph_.edges.tolist()))
    assert (0, 15) in edges
    assert (0, 1) not in set(map(tuple, found.pairs_.tolist()))
    assert all((i + j) % 2 for i, j in found.pairs_.tolist())
    at = found.graph_.edges.tolist().index([0, 15])
    assert found.graph_.probability[at] == 1.0


def test_property_seeds_decide():
    one, again, other = (markhood.learn(VALUES, "bayes", seed=s, **SHORT) for s in (1, 1, 2))
    assert one == again
    assert not np.array_equal(one.probability, other.probability)


def test_example_a_checkpoint_is_of_one_seed(tmp_path):
    def learn(seed):
        return markhood.learn(
            VALUES, "bayes", seed=seed, run=markhood.Run(checkpoint=tmp_path / "run"), **SHORT
        )

    assert learn(1) == learn(1)
    with refuses("checkpoint"):
        learn(2)
    with refuses("option-needed", "seed"):
        learn(None)


def of_three_levels(n_samples, seed=4):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (n_samples, 3))
    copies = rng.random(n_samples) < 0.6
    values[:, 1] = np.where(copies, values[:, 0], values[:, 1])
    return values


def test_example_levels_have_tables_with_a_deviation_for_each_cell():
    found = markhood.Bayes(kinds="nominal", **SHORT).fit(of_three_levels(300))
    graph, (deviations,) = found.graph_, found.coupling_deviations_
    assert graph.edges.tolist() == [[0, 1]]
    assert graph.coupling_tables[0].shape == deviations.shape == (3, 3)
    assert np.all(deviations > 0)
    assert "coupling_low" not in graph.annotations  # a single number is the table's size
    more = markhood.Bayes(kinds="nominal", **SHORT).fit(of_three_levels(1200))
    np.testing.assert_allclose(more.coupling_deviations_[0], deviations / 2, rtol=0.2)


def test_oracle_cells_are_as_far_from_the_truth_as_their_deviations_say():
    truth = np.log(np.full((3, 3), 0.4 / 3) + 0.6 * np.eye(3))
    truth = truth - truth.mean(axis=0) - truth.mean(axis=1)[:, np.newaxis] + truth.mean()
    apart = []
    for seed in range(8):
        found = markhood.Bayes(kinds="nominal", sweeps=2, chains=1).fit(of_three_levels(400, seed))
        at = found.graph_.edges.tolist().index([0, 1])
        error = found.graph_.coupling_tables[at] - truth
        apart.append(error / found.coupling_deviations_[at])
    assert 0.6 < np.sqrt(np.mean(np.square(apart))) < 1.6


def test_example_deviations_are_those_of_the_intervals():
    found = markhood.Bayes(**SHORT).fit(VALUES)
    wide = found.graph_.annotations["coupling_high"] - found.graph_.coupling
    deviations = np.array([own.item() for own in found.coupling_deviations_])
    np.testing.assert_allclose(1.959964 * deviations, wide)


def test_example_ordered_levels_have_numbers_and_intervals():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 3, (300, 3))
    values[:, 1] = np.where(rng.random(300) < 0.6, values[:, 0], values[:, 1])
    graph = markhood.learn(values, "bayes", **SHORT)
    assert graph.edges.tolist() == [[0, 1]]
    low, high = graph.annotations["coupling_low"][0], graph.annotations["coupling_high"][0]
    assert 0 < low < graph.coupling[0] < high
    assert not any(table is not None for table in graph.coupling_tables)


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_example_weights_count_samples():
    values = VALUES[:200, :5]
    weights = np.random.default_rng(1).integers(1, 4, len(values))
    repeated = markhood.learn(np.repeat(values, weights, axis=0), "bayes", **SHORT)
    weighted = markhood.learn(values, "bayes", weights=weights, **SHORT)
    np.testing.assert_array_equal(weighted.edges, repeated.edges)
    np.testing.assert_allclose(weighted.probability, repeated.probability, atol=1e-3)


def test_example_what_is_not_known_lowers_probabilities():
    holes = VALUES[:, :6].astype(float)
    full = markhood.learn(holes, "bayes", **SHORT)
    holes[np.random.default_rng(2).random(len(holes)) < 0.6, 1] = np.nan
    graph = markhood.learn(
        holes, "bayes", missing="impute", run=markhood.Run(imputations=3), **SHORT
    )
    assert {"probability", "evidence_variance", "coupling_low"} <= graph.annotations.keys()
    assert np.all(graph.probability > 0.5)
    wider = dict(
        zip(graph.edge_names(), graph.annotations["coupling_high"] - graph.coupling, strict=False)
    )
    before = dict(
        zip(full.edge_names(), full.annotations["coupling_high"] - full.coupling, strict=False)
    )
    at_holes = [edge for edge in wider if "x1" in edge and edge in before]
    assert at_holes
    assert np.mean([wider[e] for e in at_holes]) > np.mean([before[e] for e in at_holes])


def test_example_coins_have_no_edges():
    assert markhood.learn(independent(3, 100, 30), "bayes").n_edges == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fdr": 1.5}, "fdr"),
        ({"edge_prior": 0}, "edge_prior"),
        ({"min_probability": 1}, "min_probability"),
    ],
)
def test_example_bad_options_are_named(options, message):
    with pytest.raises(InputError, match=message):
        markhood.learn(VALUES, "bayes", **options)


@pytest.mark.parametrize("name", ["sweeps", "chains"])
def test_example_there_is_at_least_one(name):
    with pytest.raises(markhood.InputError, match=name):
        markhood.learn(VALUES, "bayes", **{name: 0})


def test_property_replicates_start_at_the_learned_scale_with_chains_of_fixed_length():
    learned = SimpleNamespace(probabilities=SimpleNamespace(scale=0.7))
    method = Bayes(keep_draws=True, chains=3).for_replicates(learned)
    assert method.start_scale == 0.7
    assert method.lengths == Sweeps(3, 5, 20, 20)
    assert Bayes(sweeps=7).for_replicates(learned).sweeps == 7


def test_example_chains_are_as_long_as_they_need_to_be():
    assert Bayes(sweeps=7).lengths.n_most == 7
    easy = markhood.learn(independent(3, 300, 6), "bayes")
    assert easy.provenance["chains"]["sweeps"] == 20
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 150)
    b = np.where(rng.random(150) < 0.75, a, 1 - a)
    near = [np.where(rng.random(150) < 0.06, 1 - b, b) for _ in range(2)]  # stand for each other
    hard = markhood.learn(np.column_stack([a, b, *near]), "bayes")
    assert hard.provenance["chains"]["sweeps"] > 20


def of_one_pair(chains, densities, p=0.5):
    """Return the result of chains with these probabilities of a pair, and these densities."""
    chains = np.array(chains)[:, np.newaxis]
    draws = Draws(np.zeros((2, 1, 1), np.uint8), chains[:, np.newaxis], np.array(densities))
    return EdgeProbabilities(
        pairs=np.array([[0, 1]]),
        probabilities=np.array([p]),
        couplings=np.zeros(1),
        deviations=np.ones(1),
        starts=np.arange(2),
        density=0.1,
        scale=1.0,
        chain_probabilities=chains,
        n_fits=1,
        sweeps=20,
        draws=draws,
    )


def test_example_chains_that_disagree_or_drift_are_reported():
    still = np.full((2, 20), 0.1)
    apart = of_one_pair([0.1, 0.9], still)
    assert not apart.has_converged
    with warns("not-converged", where="sweeps"):
        warn_of_chains(apart)
    rising = of_one_pair([0.5, 0.5], still * np.linspace(1, 2, 20))
    assert rising.draws.has_drift
    assert not rising.has_converged
    with warns("not-converged", where="sweeps"):
        warn_of_chains(rising)
    good = of_one_pair([0.5, 0.5], still)
    assert good.has_converged
    warn_of_chains(good)
    warn_of_chains(replace(apart, sweeps=None))  # with missing values: no sweeps to lengthen


def test_example_a_number_of_edges_that_the_prior_decides_is_reported():
    one = of_one_pair([0.5, 0.5], np.full((2, 20), 0.1))
    many = replace(
        one, pairs=np.array([[0, v] for v in range(1, 9)]), probabilities=np.full(8, 0.4)
    )
    assert [many.n_edges_at(factor) for factor in (1 / 3, 1, 3)] == [0, 0, 8]
    with warns("prior-dependent", where="edge_prior"):
        warn_of_prior(many)
    warn_of_prior(replace(many, probabilities=np.full(8, 0.9)))


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        (np.random.default_rng(0).integers(0, 2, (2, 60)), "auto"),
        (np.random.default_rng(0).integers(0, 64, (20, 10)), "nominal"),
        (np.random.default_rng(0).integers(0, 2, (20, 27)), "auto"),
    ],
)
def test_example_few_rows_have_no_edges(values, kinds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        assert markhood.learn(values, "bayes", kinds=kinds).n_edges == 0


def test_example_tables_that_the_data_cannot_determine_are_reported():
    values = np.random.default_rng(0).integers(0, 64, (20, 3))
    with pytest.warns(markhood.DataWarning) as caught:
        graph = markhood.learn(values, "bayes", kinds="nominal")
    codes = [one.message.code for one in caught]
    assert codes.count("many-parameters") == 2  # they cost much, and were not examined
    assert graph.provenance["chains"]["candidates"] == 0


def test_property_a_regression_has_no_more_slopes_than_samples():
    """Many levels of few samples took minutes: chains met ever larger neighbourhoods."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(7, 0.6), (12, 3))
    classes = rng.integers(0, 3, 100)
    columns = [[rng.choice(7, p=own[c]) for c in classes] for own in shares]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        graph = markhood.learn(np.column_stack(columns), "bayes", kinds="nominal")
    assert 0 < max(map(len, map(graph.neighbours, graph.nodes))) <= 200 // 36


def test_example_density_and_scale_are_in_the_methods_paragraph():
    chains = {"edge_density": 0.125, "coupling_scale": 1.75}
    about = {"method": "bayes", "chains": chains, "parameters": {"edge_prior": None}}
    graph = markhood.Graph("ab", [(0, 1)], provenance=about)
    text = methods_section(graph)
    assert "0.125, estimated from the data" in text
    assert "1.75" in text
