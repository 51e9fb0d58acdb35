"""How many edges chance makes: by theory, by shuffling, and what is said of it."""

import warnings

import numpy as np
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.kernels.tables import codes
from markhood.learning.checks.chance import (
    expected_pairs,
    pairs_by_chance,
    safer_gamma,
    shuffled,
)
from markhood.learning.request import Request
from markhood.search.screen import screen
from messages import warns
from oracles.networks import network


def coins(seed, n_samples, n_variables, n_levels=2):
    return np.random.default_rng(seed).integers(0, n_levels, size=(n_samples, n_variables))


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize(("n_samples", "d", "n_levels"), [(200, 150, 2), (60, 60, 3), (60, 200, 2)])
def test_property_as_many_pairs_pass_by_chance_as_expected(n_samples, d, n_levels):
    gamma = 0.25 if n_levels == 2 else 0.0
    sets = [encode(coins(seed, n_samples, d, n_levels)) for seed in range(6)]
    found = [markhood.learn(samples, "pairwise", gamma=gamma).n_edges for samples in sets]
    expected = expected_pairs(sets[0], gamma)
    assert expected > 1
    assert np.mean(found) == pytest.approx(
        expected, abs=4 * (expected / 6) ** 0.5 + 0.15 * expected
    )


def test_property_a_shuffled_table_has_the_same_columns_and_nothing_else():
    values = network(3, 300, 8, strength=3.0)
    samples = encode(values)
    mixed = shuffled(samples, np.random.default_rng(1))
    again = np.stack([codes(mixed.bits, v) for v in range(8)], axis=1)
    assert (np.sort(again, axis=0) == np.sort(values, axis=0)).all()
    assert (again != values).any()
    assert mixed.words[:, -1].sum() == 0  # what is past the last sample stays empty
    assert markhood.learn(mixed, gamma=2.0).n_edges == 0 < markhood.learn(samples).n_edges


@pytest.mark.parametrize("n_levels", [2, 3])
def test_property_the_pairs_by_chance_do_not_depend_on_the_order_of_rows_or_columns(n_levels):
    table = coins(0, 40, 10, n_levels)
    orders = np.random.default_rng(1)
    request = Request.of("pairwise", {"gamma": 0.5, "n_jobs": 1})

    def by_chance(values):
        with request.job(encode(values)) as job:
            return pairs_by_chance(job, 0.25)

    expected = by_chance(table)
    for _ in range(5):
        assert by_chance(orders.permutation(table)) == expected
        assert by_chance(orders.permutation(table, axis=1)) == expected


def test_example_few_samples_of_many_variables_are_spoken_of_with_a_safer_choice():
    table = coins(1, 50, 225)
    with warns("chance-edges", facts=("of the", "gamma=1.5", "shuffles=5")):
        graph = markhood.learn(table, gamma=0.5)
    assert graph.n_edges > 20


def test_example_the_suggested_gamma_is_larger_where_the_asymptotic_formula_is_too_small():
    table = coins(0, 40, 10)
    request = Request.of("pairwise", {"gamma": 0.5, "n_jobs": 1})
    with request.job(encode(table)) as job:
        assert expected_pairs(job.samples, 0.5) < 1 <= pairs_by_chance(job, 0.5)
        assert pairs_by_chance(job, safer_gamma(job, 0.5)) < 1


def test_example_the_default_gamma_is_raised_where_most_edges_would_be_chance():
    table = coins(1, 50, 225)
    with warns("chance-edges", where="gamma", facts=("gamma=1.5", "50 samples")):
        graph = markhood.learn(table)
    assert graph.n_edges <= 2
    assert graph.provenance["parameters"]["gamma"] == 1.5
    again = markhood.learn(table, gamma=1.5)
    assert graph == again
    with warns("chance-edges", where="gamma"):
        stable = markhood.bootstrap(table, replicates=2)
    assert stable.graph == again
    with warns("chance-edges", where="gamma"):
        assert markhood.PLRHC().fit(table).graph_ == again
    with warns("chance-edges", where=""):
        assert markhood.PLRHC(gamma=0.5).fit(table).graph_.n_edges > 20


def test_example_a_few_chance_edges_among_strong_ones_are_counted():
    rng = np.random.default_rng(3)
    table = coins(5, 40, 24)
    table[:, 1::2] = np.where(rng.random((40, 12)) < 0.85, table[:, ::2], table[:, 1::2])
    with warns("chance-edges", where="", facts=("40 samples of 24",)):
        graph = markhood.learn(table)
    assert 12 <= graph.n_edges < 24
    assert graph.provenance["parameters"]["gamma"] == 0.5


@pytest.mark.parametrize(("n", "d"), [(20, 20), (40, 30)])
def test_property_small_tables_have_as_many_chance_pairs_as_expected(n, d):
    counts, expected = [], []
    for seed in range(6):
        request = Request.of("pairwise", {"gamma": 0.5, "n_jobs": 1})
        samples = encode(coins(seed, n, d))
        with request.job(samples) as job:
            counts.append(len(screen(job, 0.5).edges))
            expected.append(pairs_by_chance(job, 0.5))
    spread = (np.mean(expected) / 6) ** 0.5
    assert np.mean(counts) == pytest.approx(np.mean(expected), abs=4 * spread)


def test_example_what_shuffled_columns_give_is_written_down():
    with warns("chance-edges"):
        graph = markhood.learn(coins(3, 50, 100), gamma=0.5, run=markhood.Run(shuffles=3))
    counts = graph.provenance["edges_by_chance"]
    assert len(counts) == 3
    assert abs(np.mean(counts) - graph.n_edges) < 0.6 * graph.n_edges
    strong = markhood.learn(network(4, 2000, 6, strength=2.0), run=markhood.Run(shuffles=2))
    assert max(strong.provenance["edges_by_chance"]) <= 1
    assert "edges_by_chance" not in markhood.learn(network(4, 2000, 6)).provenance


@pytest.mark.parametrize("method", ["plrhc", "pairwise"])
@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_property_pairs_are_screened_once_whether_gamma_is_raised_or_not(method, strength):
    rng = np.random.default_rng(2)
    table = coins(1, 400, 260)
    table[:, 1::2] = np.where(rng.random((400, 130)) < strength, table[:, ::2], table[:, 1::2])
    n_screened = 0

    def count(phase, done, total):
        nonlocal n_screened
        n_screened += phase == "screen" and done > 0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = markhood.learn(table, method, progress=count)
    assert (graph.provenance["parameters"]["gamma"] > 0.5) == (strength == 0)
    request = Request.of(method, {})
    with request.job(request.prepared(encode(table))) as job:
        assert n_screened == len(job.scorer.tiles()) > 3
