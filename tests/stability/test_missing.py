"""Bootstrap and gamma path of data with missing values."""

from dataclasses import replace

import numpy as np
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.learning.imputation.learn_imputed import completed_search
from markhood.learning.methods import METHODS, Plrhc
from markhood.simulate import grid, ising
from markhood.stability.replicates import replicate
from markhood.stability.resampling import FromModel, Rows, Units
from oracles.jobs import job_of

D = 9
VALUES = ising(grid(D), seed=0).sample(500, seed=0)
HOLES = np.where(np.random.default_rng(0).random(VALUES.shape) < 0.1, np.nan, VALUES)
QUICK = {"replicates": 6, "n_jobs": 1}


def table_of(found, column):
    """Return a column of the rows of all pairs, 0 for pairs that are never an edge."""
    numbers = np.zeros((D, D))
    for row in found.edges():
        i, j = (found.graph.nodes.index(row[end]) for end in ("source", "target"))
        numbers[i, j] = row[column] if isinstance(column, str) else column(row)
    return numbers[np.triu_indices(D, 1)]


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
def test_property_frequencies_resemble_those_of_the_complete_data():
    options = {"replicates": 60, "n_jobs": 1}
    whole = markhood.bootstrap(VALUES, **options)
    imputed = markhood.bootstrap(HOLES, missing="impute", **options)
    dropped = markhood.bootstrap(HOLES, missing="drop", **options)
    apart, of_dropped = (
        np.abs(table_of(own, "frequency") - table_of(whole, "frequency")).mean()
        for own in (imputed, dropped)
    )
    assert apart < 0.05
    assert apart < of_dropped
    assert imputed.graph == markhood.learn(HOLES, missing="impute", n_jobs=1)
    # Intervals from one imputed data set ignore the uncertainty of the missing values.
    job = job_of(encode(HOLES, missing="impute"))
    _, (one,) = completed_search(job, Plrhc(), np.random.default_rng(1))
    single = markhood.bootstrap(one.samples, **options)
    strong = table_of(whole, "frequency") > 0.5
    width, of_single = (
        table_of(own, lambda row: row["high"] - row["low"])[strong].mean()
        for own in (imputed, single)
    )
    assert strong.sum() >= 6
    assert width > 1.05 * of_single


def test_property_the_couplings_of_the_graph_are_near_those_of_the_complete_data():
    known = {
        "knowledge": markhood.Knowledge(required_edges=grid(D).edges.tolist()),
        "replicates": 2,
        "n_jobs": 1,
    }
    imputed = markhood.bootstrap(HOLES, missing="impute", **known)
    whole = markhood.bootstrap(VALUES, **known)
    apart = table_of(imputed, "coupling") - table_of(whole, "coupling")
    of_edges = table_of(whole, "coupling") != 0
    assert np.abs(apart[of_edges]).mean() < 0.25 * np.abs(whole.couplings).mean()


@pytest.mark.parametrize(
    "how",
    [
        {"resample": "rows"},
        {"resample": "halves"},
        {"resample": "cases"},
        {"resample": "model"},
        {"clusters": np.arange(500) // 5},
        {"strata": np.arange(500) // 250},
    ],
)
def test_property_every_resampling_imputes_and_the_seed_decides(how):
    one, again, other = (
        markhood.bootstrap(
            HOLES,
            missing="impute",
            seed=seed,
            run=markhood.Run(imputations=2),
            **how,
            **QUICK | {"n_jobs": jobs},
        )
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    )
    np.testing.assert_equal(one.edges(), again.edges())
    assert one.replicates.couplings.data.tolist() != other.replicates.couplings.data.tolist()
    assert one.frequency.mean() > 0.7


@pytest.mark.parametrize("name", METHODS)
def test_property_every_method_is_bootstrapped_with_missing_values(name):
    options = {"missing": "impute", "run": markhood.Run(imputations=2), **QUICK | {"replicates": 2}}
    found = markhood.bootstrap(HOLES[:, :5], name, **options)
    assert found.frequency.mean() > 0.6
    assert np.isfinite(found.replicates.couplings.data).all()
    assert np.isfinite(found.couplings).all()


def test_property_samples_of_a_model_lack_the_same_values():
    samples = encode(HOLES, missing="impute")
    drawn = FromModel(ising(grid(D), seed=0), 3).drawn(samples, 0)
    for variable, mask in samples.missing.items():
        assert (drawn.missing[variable] == mask).all()
        assert not (drawn.words[variable] & mask).any()


@pytest.mark.parametrize("weights", [1 + np.arange(500) % 3, np.linspace(0.1, 1.9, 500)])
def test_property_samples_of_a_model_are_as_many_as_the_weights_say(weights):
    samples = encode(HOLES, missing="impute", weights=weights)
    drawn = FromModel(ising(grid(D), seed=0), 3).drawn(samples, 0)
    assert drawn.n_samples == pytest.approx(samples.total_weight, abs=1)
    assert drawn.weights is None
    n_missing, expected = (
        np.array([own.weight_of(own.missing[v]) for v in range(D)]) for own in (drawn, samples)
    )
    exact = weights.dtype.kind == "i"
    np.testing.assert_allclose(n_missing, expected, rtol=0, atol=0 if exact else 40)
    for variable, mask in drawn.missing.items():
        assert not (drawn.words[variable] & mask).any()


def test_property_chains_of_different_seeds_and_replicates_differ():
    seeds = []

    class Listening(METHODS["plrhc"]):
        def search(self, job):
            seeds.append(job.seed)
            return super().search(job)

    for seed in (0, 1):
        job = replace(job_of(encode(VALUES)), seed=seed)
        replicate(job, Listening(), Rows(Units.of(len(VALUES), seed)), 5)
    assert len(set(seeds)) == 10


def test_property_gamma_path_imputes_inside_the_folds():
    options = {"gammas": [0.0, 0.5, 100.0], "folds": 3, "n_jobs": 1}
    imputed = markhood.gamma_path(
        HOLES, missing="impute", run=markhood.Run(imputations=3), **options
    )
    whole = markhood.gamma_path(VALUES, **options)
    for gamma, graph in zip(imputed.gammas, imputed.graphs, strict=True):
        learned = markhood.learn(
            HOLES, gamma=gamma, missing="impute", n_jobs=1, run=markhood.Run(imputations=3)
        )
        np.testing.assert_array_equal(graph.edges, learned.edges)
    # Missing neighbours predict less: about a tenth of the gain from edges is lost.
    first, _, without_edges = whole.held_out.mean(axis=1)
    gap = whole.held_out.mean(axis=1) - imputed.held_out.mean(axis=1)
    assert gap[2] == pytest.approx(0, abs=0.05)
    assert (gap[:2] > 0.05 * (first - without_edges)).all()
    assert (gap[:2] < 0.2 * (first - without_edges)).all()
    np.testing.assert_allclose(imputed.ebic, whole.ebic, rtol=0.05)
    again = markhood.gamma_path(
        HOLES, missing="impute", run=markhood.Run(imputations=3), **options | {"n_jobs": 2}
    )
    assert again.rows() == imputed.rows()


def test_oracle_left_out_values_that_are_observed_are_scored_by_the_other_folds():
    fold_of = np.random.default_rng(3).permutation(np.arange(500) % 2)
    table = np.where(fold_of[:, None] == 0, HOLES, VALUES)
    path = markhood.gamma_path(
        table,
        gammas=[100],
        folds=2,
        seed=3,
        n_jobs=1,
        missing="impute",
        run=markhood.Run(imputations=2),
    )
    share, left_out = VALUES[fold_of == 1].mean(axis=0), HOLES[fold_of == 0]
    alone = np.nanmean(left_out * np.log(share) + (1 - left_out) * np.log(1 - share), axis=0)
    assert path.held_out[0, 0] == pytest.approx(alone.sum())
