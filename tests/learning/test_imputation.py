"""What is said where values are missing: evidence of what was observed, and no more."""

from itertools import product

import numpy as np
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.execution.runner import Runner
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.tables import codes
from markhood.learning.imputation.imputed_samples import (
    ImputedSamples,
    observed_pseudo_likelihood,
    surplus_of,
)
from markhood.learning.imputation.learn_imputed import completed_on, completed_search, drawn
from markhood.learning.methods import METHODS, Plrhc
from markhood.learning.methods.climbing import HillClimbing
from markhood.model.regressions import Regressions
from markhood.simulate import chain, ising
from oracles.jobs import job_of
from oracles.networks import network

N = 800


def of_a_pair(seed, levels=2, strength=0.9):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, levels, N)
    pulled = rng.random((N, levels)) + strength * np.eye(levels)[first] / 3
    return np.column_stack([first, pulled.argmax(axis=1)])


def hidden(values, share, columns, seed):
    holes = values.astype(float)
    rng = np.random.default_rng([seed, 1])
    for column in columns:
        holes[rng.random(len(holes)) < share, column] = np.nan
    return holes


def ratio(graph, n_samples, n_parameters=1, gamma=0.5):
    """Return the log of the likelihood ratio of the one edge, both ends: evidence and its price."""
    price = n_parameters * np.log(n_samples) / 2 + gamma * np.log(graph.n_nodes - 1)
    return float(graph.evidence[0]) + 2 * price


@pytest.mark.parametrize(
    ("levels", "kinds", "n_parameters"), [(2, "auto", 1), (3, "nominal", 4), (4, "ordinal", 1)]
)
def test_oracle_evidence_is_that_of_the_complete_rows(levels, kinds, n_parameters):
    """Of two variables, one with holes, the rows without say all that there is to say."""
    claimed, supported, complete = [], [], []
    for seed in range(12):
        values = of_a_pair(seed, levels)
        holes = hidden(values, 0.6, [1], seed)
        graph = markhood.learn(
            holes,
            missing="impute",
            kinds=kinds,
            seed=seed,
            n_jobs=1,
            knowledge=markhood.Knowledge(required_edges=[(0, 1)]),
        )
        claimed.append(ratio(graph, N, n_parameters))
        rows = ~np.isnan(holes[:, 1])
        dropped = markhood.learn(
            values[rows],
            kinds=kinds,
            n_jobs=1,
            knowledge=markhood.Knowledge(required_edges=[(0, 1)]),
        )
        supported.append(ratio(dropped, rows.sum(), n_parameters))
        full = markhood.learn(
            values, kinds=kinds, n_jobs=1, knowledge=markhood.Knowledge(required_edges=[(0, 1)])
        )
        complete.append(ratio(full, N, n_parameters))
    error = np.std(np.subtract(claimed, supported), ddof=1) / np.sqrt(len(claimed))
    assert np.mean(supported) < 0.6 * np.mean(complete)
    assert abs(np.mean(claimed) - np.mean(supported)) < max(4 * error, 0.1 * np.mean(supported))


def test_property_evidence_is_not_above_that_of_complete_data():
    """A chain with a third of all values missing; the mean over data sets is near the complete one."""
    claimed, complete = [], []
    for seed in range(3):
        model = ising(chain(8), seed=seed)
        values = model.sample(N, seed=seed)
        edges = model.graph.edges.tolist()
        known = {"knowledge": markhood.Knowledge(required_edges=edges), "n_jobs": 1}
        full = markhood.learn(values, **known)
        holes = hidden(values, 0.33, range(8), seed)
        imputed = markhood.learn(holes, missing="impute", seed=seed, **known)
        evidence = dict(zip(full.edge_names(), full.evidence, strict=True))
        found = dict(zip(imputed.edge_names(), imputed.evidence, strict=True))
        claimed += [found[name] for name in model.graph.edge_names()]
        complete += [evidence[name] for name in model.graph.edge_names()]
    price = np.log(N) + np.log(7)  # of both ends
    strong = np.array(complete) > 15
    assert strong.sum() >= 6
    ratios, of_complete = (np.array(evidence)[strong] + price for evidence in (claimed, complete))
    # Both ends of an edge are there in 45 % of the samples; the neighbours say something of others.
    assert 0.35 < ratios.sum() / of_complete.sum() < 0.7
    assert (ratios / of_complete).max() < 1.1


def test_example_what_is_all_there_has_no_surplus():
    values = np.random.default_rng(3).integers(0, 2, (200, 4)).astype(float)
    values[:50, 3] = np.nan
    samples = encode(values, missing="impute")
    completed = ImputedSamples(samples, np.random.default_rng(1))
    sets = [completed.samples(), completed.samples()]
    blankets = Lists.of([[1, 2], [0], [0, 3], [2]])
    kernels = NativeKernels()
    surplus = surplus_of(sets, completed.is_missing, np.arange(4), blankets, Runner(1), kernels)
    assert surplus[:3].tolist() == [0.0, 0.0, 0.0]
    assert np.all(surplus[3:] != 0.0)


def test_property_resampled_rows_are_rows_of_the_samples():
    values = np.column_stack([np.arange(60) % 3, np.arange(60) % 3, np.arange(60) % 2])
    holes = values.astype(float)
    holes[::10, 2] = np.nan
    completed = ImputedSamples(encode(holes, missing="impute"), np.random.default_rng(5))
    resampled = completed.resampled()
    first, second = (resampled.words[resampled.starts[v] : resampled.starts[v + 1]] for v in (0, 1))
    assert np.array_equal(first, second)  # two equal columns stay equal
    assert not np.array_equal(resampled.words, completed.samples().words)
    assert resampled.n_samples == 60


@pytest.mark.parametrize("weights", [np.arange(1, 61), np.linspace(0.3, 2.2, 60)])
def test_example_resampled_weights_stay_about_as_many(weights):
    values = np.random.default_rng(2).integers(0, 2, (60, 3)).astype(float)
    values[::7, 0] = np.nan
    samples = encode(values, missing="impute", weights=weights)
    completed = ImputedSamples(samples, np.random.default_rng(5))
    totals = [completed.resampled().total_weight for _ in range(50)]
    assert np.std(totals) > 0
    assert np.mean(totals) == pytest.approx(samples.total_weight, rel=0.1)


def test_property_sets_differ_as_much_as_is_not_known():
    """The mean of a column half of which is gone varies between sets as it should.

    Its variance between sets is that of estimating it from half, less that from all: p q / n. With
    regressions that fit best it would be two thirds of that.
    """
    values = np.random.default_rng(4).integers(0, 2, (400, 2)).astype(float)
    values[:200, 1] = np.nan
    samples = encode(values, missing="impute")
    rng = np.random.default_rng(8)
    own = ImputedSamples(samples, rng)
    job, none = job_of(samples), np.empty((0, 2), np.int64)
    means = [drawn(job, none, own, by_chance=True).samples.ones[1] / 400 for _ in range(900)][20:]
    share = np.nanmean(values[:, 1])
    assert np.var(means) == pytest.approx(share * (1 - share) / 400, rel=0.25)


@pytest.mark.parametrize("name", METHODS)
def test_property_a_completed_search_keeps_what_was_observed(name):
    method, values = METHODS[name](), ising(chain(5), seed=2).sample(300, seed=2)
    holes = hidden(values, 0.2, range(5), 2)
    samples = encode(holes, missing="impute")
    job, whole = (job_of(own, method.scored_by) for own in (samples, encode(values)))
    found, (first, second) = completed_search(job, method, np.random.default_rng(1), sets=2)
    assert len(found.edges) >= 2
    seen = ~np.isnan(holes)
    for completed in (first, second):
        assert not completed.samples.missing
        drawn_values = np.column_stack([codes(completed.samples.bits, v) for v in range(5)])
        assert (drawn_values[seen] == values[seen]).all()
    assert first.samples.fingerprint != second.samples.fingerprint
    again, (same, _) = completed_search(job, method, np.random.default_rng(1), sets=2)
    assert np.array_equal(again.edges, found.edges)
    assert same.samples.fingerprint == first.samples.fingerprint
    plain, (itself,) = completed_search(whole, method, np.random.default_rng(1), sets=2)
    assert itself is whole
    assert np.array_equal(plain.edges, method.search(whole).edges)


def test_property_sets_on_a_graph_have_its_couplings():
    """Starting without a coupling, the two columns agree in imputed samples as in observed ones."""
    values = of_a_pair(3, strength=2.5)
    holes = hidden(values, 0.5, [1], 3)
    gone = np.isnan(holes[:, 1])
    job, edge = job_of(encode(holes, missing="impute")), np.array([[0, 1]])
    sets = completed_on(job, edge, np.random.default_rng(4), sets=4)
    drawn_values = [codes(own.samples.bits, 1)[gone] for own in sets]
    agree = np.mean([own == values[gone, 0] for own in drawn_values])
    assert agree == pytest.approx(np.mean(values[~gone, 0] == values[~gone, 1]), abs=0.04)


def test_example_a_variable_without_any_value_is_constant():
    values = ising(chain(4), seed=1).sample(100, seed=1).astype(float)
    values[:60, 2] = np.nan
    part = encode(values, missing="impute").take(np.arange(50))
    found, (completed,) = completed_search(job_of(part), Plrhc(), np.random.default_rng(0))
    assert completed.samples.ones[2] == 0
    assert not (found.edges == 2).any()


@pytest.mark.parametrize("weights", [None, np.arange(600) % 3])
def test_oracle_observed_values_are_scored_given_the_other_observed_ones(weights):
    """By the regressions of a joint distribution of three variables, which can be summed over."""
    fields, (first, second) = (0.3, -0.8, 0.5), (1.5, -2.0)
    states = np.array(list(product((0, 1), repeat=3)))
    joint = np.exp(states @ fields + states[:, :2].prod(1) * first + states[:, 1:].prod(1) * second)
    rng = np.random.default_rng(3)
    values = states[rng.choice(8, size=600, p=joint / joint.sum())]
    holes = hidden(values, 0.4, range(3), 5)
    samples = encode(holes, missing="impute", weights=weights)
    coefficients = np.array([fields[0], first, fields[1], first, second, fields[2], second])
    blankets = Lists.of([[1], [0, 2], [1]])
    regressions = Regressions(samples.variables, blankets, coefficients, np.zeros(7, np.bool_))
    exact, counts = np.zeros(3), np.ones(600) if weights is None else weights
    for row, count in zip(holes, counts, strict=True):
        for v in np.flatnonzero(~np.isnan(row)).tolist():
            fits = np.isnan(row) | (states == row)
            others = np.delete(fits, v, axis=1).all(axis=1)
            exact[v] += count * np.log(joint[fits.all(axis=1)].sum() / joint[others].sum())
    exact /= counts @ ~np.isnan(holes)
    found = observed_pseudo_likelihood(regressions, samples, 1e-9, np.random.default_rng(1))
    assert found == pytest.approx(exact.sum(), abs=0.01)
    complete = encode(values, weights=weights)
    given_neighbours = regressions.log_pseudo_likelihood(complete, 1e-9)
    assert observed_pseudo_likelihood(regressions, complete, 1e-9, rng) == given_neighbours
    assert abs(found - given_neighbours) > 0.05


def test_property_pairs_are_climbed_in_the_last_turn_of_each_data_set(monkeypatch):
    values = network(3, 200, 5).astype(float)
    values[np.random.default_rng(3).random(values.shape) < 0.1] = np.nan
    rules = []
    again = HillClimbing.search_again

    def counted(self, job, before):
        rules.append(self.rule)
        return again(self, job, before)

    monkeypatch.setattr(HillClimbing, "search_again", counted)
    markhood.learn(values, rule="pair", missing="impute", run=markhood.Run(imputations=2))
    assert rules == ["global", "global", "global", "pair"] * 2


@pytest.mark.parametrize("name", ["mpl", "bjp", "l1lr"])
def test_property_values_are_drawn_on_other_graphs_than_those_of_other_criteria(name, monkeypatch):
    """The method itself searches each imputed data set once."""
    values = hidden(network(3, 200, 5), 0.1, range(5), 3)
    searched = []
    search = METHODS[name].search

    def counted(self, job):
        searched.append(job.samples.fingerprint)
        return search(self, job)

    monkeypatch.setattr(METHODS[name], "search", counted)
    markhood.learn(values, name, missing="impute", run=markhood.Run(imputations=3))
    assert len(set(searched)) == len(searched) == 3
