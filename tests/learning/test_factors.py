"""Hidden factors: rest scores, the number of factors, and what is left for edges."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.data.rest_scores import (
    known_codes,
    leading_components,
    permuted_eigenvalues,
    rest_scores,
    unlinked_sites,
)
from markhood.output.report.facts import run_rows, warnings
from markhood.output.report.findings import findings
from markhood.output.report.study import Study
from markhood.scores.bic import Bic
from markhood.scores.discrete import DiscreteScorer
from markhood.scores.given import score_statistics, scored_variable
from markhood.search.screen import screen
from markhood.search.values.job import Job
from messages import refuses, warns

PAIRS = {(2 * k, 2 * k + 1) for k in range(5)}


@pytest.fixture(autouse=True)
def common_causes():
    """Do not ignore them here."""


def questionnaire(seed, n=600, d=16, kind="factors", levels=2):
    """Draw items that measure two factors, with five pairs of items that share something else."""
    rng = np.random.default_rng(seed)
    loadings = np.zeros((d, 2))
    loadings[: d // 2, 0] = loadings[d // 2 :, 1] = 1.3 if kind == "factors" else 0.0
    noise = rng.logistic(size=(n, d))
    for i, j in PAIRS:
        noise[:, j] = np.where(rng.random(n) < 0.4, noise[:, i], noise[:, j])
    values = rng.normal(size=(n, 2)) @ loadings.T + noise
    cuts = np.quantile(values, np.arange(1, levels) / levels, axis=0)
    return (values[:, np.newaxis] > cuts).sum(axis=1)


def edges(graph):
    return {tuple(edge) for edge in graph.edges.tolist()}


def test_oracle_rest_scores_are_sums_over_other_columns():
    samples = encode(questionnaire(1, 50, 10, levels=3), kinds={"x0": "nominal"})
    found = leading_components(samples, 10, 2)
    values = known_codes(samples, np.arange(10))
    scores = rest_scores(values, samples.variables, found, 10)
    columns = [*(values[0] == level for level in (1, 2)), *values[1:]]
    z = np.array([(c - c.mean()) / c.std() for c in np.array(columns, float)])
    correlation = z @ z.T / 50
    eigenvalues, vectors = np.linalg.eigh(correlation)
    for k in range(2):
        v = vectors[:, -1 - k]
        for target in range(10):
            own = [0, 1] if target == 0 else [target + 1]
            rest = (np.delete(v, own) @ np.delete(z, own, axis=0)) / np.sqrt(eigenvalues[-1 - k])
            sign = np.sign(rest @ scores[target, k])
            np.testing.assert_allclose(scores[target, k], sign * rest, atol=1e-10)


@pytest.mark.parametrize("levels", [2, 4])
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("plrhc", {}),
        ("plrhc", {"rule": "pair"}),
        ("hc", {"rule": "and"}),
        ("pairwise", {}),
        ("l1lr", {"kinds": "nominal"}),
    ],
)
def test_example_edges_of_common_causes_disappear(method, options, levels):
    values = questionnaire(1, levels=levels)
    without = markhood.learn(values, method, factors=0, **options)
    graph = markhood.learn(values, method, factors="auto", **options)
    assert graph.factors.n_factors == 2
    assert len(edges(graph) - PAIRS) < len(edges(without) - PAIRS) / 3
    assert edges(graph) >= PAIRS


@pytest.mark.parametrize("levels", [2, 4])
def test_example_edges_of_common_causes_are_not_probable(levels):
    values = questionnaire(1, levels=levels)
    graph = markhood.learn(values, "bayes", factors="auto")
    assert graph.factors.n_factors == 2
    assert edges(graph) >= PAIRS
    assert len(edges(graph) - PAIRS) <= 2
    assert graph.provenance["chains"]["background"] > 0  # factors do not explain everything


def test_example_a_sparse_network_has_no_factors():
    graph = markhood.learn(questionnaire(2, kind="sparse"), factors="auto")
    assert graph.factors is None
    assert edges(graph) >= PAIRS


def test_example_few_rows_of_noise_have_no_factors():
    rng = np.random.default_rng(3)
    for _ in range(10):
        graph = markhood.learn(rng.integers(0, 2, (20, 27)), gamma=2, factors="auto")
        assert graph.factors is None


def test_example_a_table_with_factors_is_noticed():
    with warns("hidden-factors", where="factors"):
        graph = markhood.learn(questionnaire(1))
    assert graph.factors is None
    assert "warnings" not in markhood.learn(questionnaire(1), factors=0).provenance
    # The report begins with it, and repeats it among its warnings.
    (noticed,) = graph.provenance["warnings"]
    assert (noticed["code"], noticed["where"]) == ("hidden-factors", "factors")
    caution = findings(Study.of(graph))[-1]
    assert caution.startswith("Caution: 2 hidden factors would explain much")
    assert caution.endswith("of common causes.")
    assert noticed["text"] in warnings(graph, None)


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_property_weights_are_repeated_rows():
    values = questionnaire(4, 200)
    weights = np.random.default_rng(0).integers(0, 3, 200)
    weighted = markhood.learn(values, weights=weights, factors=2)
    repeated = markhood.learn(np.repeat(values, weights, axis=0), factors=2)
    assert edges(weighted) == edges(repeated)
    np.testing.assert_allclose(weighted.evidence, repeated.evidence, rtol=1e-6)


def test_example_missing_values_covariates_and_replicates():
    table = pd.DataFrame(questionnaire(1), columns=[f"q{k}" for k in range(16)])
    rng = np.random.default_rng(0)
    table["age"] = rng.normal(size=len(table))
    holes = table.mask(rng.random(table.shape) < 0.03).assign(age=table["age"])
    graph = markhood.learn(holes, factors="auto", adjust_for=["age"], missing="impute")
    assert graph.factors.n_factors == 2
    assert len(edges(graph) - PAIRS) <= 4
    found = markhood.learn(table, factors=2, exclude=["age"])
    frequencies = found.bootstrap(table, replicates=20).to_frame()
    often = frequencies[frequencies["frequency"] > 0.5]
    assert {
        (int(a[1:]), int(b[1:])) for a, b in zip(often["source"], often["target"], strict=True)
    } >= PAIRS


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.filterwarnings("ignore:Method l1lr ignores the order")
@pytest.mark.parametrize("method", ["plrhc", "bayes", "l1lr", "pairwise", "chow-liu"])
def test_example_factors_with_covariates_of_every_kind(method, levels):
    values = questionnaire(2, levels=levels)
    table = pd.DataFrame(values, columns=[f"q{k}" for k in range(16)])
    table["age"] = np.random.default_rng(0).normal(size=600)
    table["sex"], table["region"] = np.arange(600) % 2, np.array(list("pqrs"))[np.arange(600) % 4]
    graph = markhood.learn(table, method, factors=2, adjust_for=["age", "sex", "region"], seed=1)
    assert graph.nodes == tuple(table.columns[:16])
    assert {tuple(sorted(edge)) for edge in PAIRS} <= edges(graph)


def test_example_a_model_predicts_better_with_factors(tmp_path):
    values = questionnaire(1, 1200)
    train, test = values[:600], values[600:]
    scores = []
    for factors in (0, 2):
        graph = markhood.learn(train, factors=factors)
        model = markhood.fit_model(graph, train)
        scores.append(model.log_pseudo_likelihood(test))
    assert scores[1] > scores[0] + 0.02
    markhood.write_model(model, tmp_path / "model.json")
    again = markhood.read_model(tmp_path / "model.json")
    assert again.log_pseudo_likelihood(test) == pytest.approx(scores[1])
    with refuses("not-supported", "method"):
        markhood.fit_model(graph, train, method="likelihood")


@pytest.mark.parametrize("stored", [3, {"loadings": {"a": [1]}}, {"loadings": 1, "explained": []}])
def test_example_damaged_factors_are_refused(stored):
    graph = markhood.Graph("ab", [(0, 1)], provenance={"factors": stored})
    with refuses("graph-invalid", "factors"):
        _ = graph.factors


def test_property_rotations_explain_the_same():
    factors = markhood.learn(questionnaire(1), factors=2).factors
    varimax, oblimin = factors.rotated(), factors.rotated("oblimin")
    assert varimax.explained.sum() == pytest.approx(factors.explained.sum())
    for found in (varimax, oblimin):
        first = np.abs(found.loadings[:8]).mean(axis=0)
        last = np.abs(found.loadings[8:]).mean(axis=0)
        assert first.argmax() != last.argmax()
        assert min(first.max(), last.max()) > 4 * max(first.min(), last.min())
    with refuses("option-value", "method"):
        factors.rotated("promax")


@pytest.mark.parametrize(
    "damage",
    [
        {"means": [0.5]},
        {"means": None},
        {"deviations": [0.0] * 16},
        {"deviations": ["a"] * 16},
        {"explained": [-1.0, 0.1]},
        {"loadings": {"x0": [0.1, 0.1]}},
    ],
)
def test_example_damaged_scores_are_refused(damage):
    graph = markhood.learn(questionnaire(1), factors=2)
    stored = dict(graph.provenance)
    stored["factors"] = dict(stored["factors"]) | damage
    damaged = markhood.Graph(graph.variables, graph.edges, provenance=stored)
    with refuses("graph-invalid", "factors"):
        markhood.fit_model(damaged, questionnaire(1))


@pytest.mark.parametrize("levels", [2, 4])
def test_oracle_scores_of_rows_have_the_loadings_as_correlations(levels):
    table = pd.DataFrame(questionnaire(1, levels=levels)).add_prefix("q")
    holes = table.mask(np.random.default_rng(0).random(table.shape) < 0.02)
    factors = markhood.learn(table, factors=2).factors
    assert factors.scores(holes).shape == (600, 2)
    for own in (factors, factors.rotated("varimax")):
        scores = own.scores(table[table.columns[::-1]])
        np.testing.assert_allclose(scores.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(np.cov(scores.T, ddof=0), np.eye(2), atol=1e-9)
        found = np.corrcoef(table.to_numpy().T, scores.T)[:16, 16:]
        np.testing.assert_allclose(found, own.loadings, atol=1e-9)
    oblique = factors.rotated("oblimin")
    explained = oblique.scores(table) @ oblique.loadings.T  # by all factors, as before rotation
    np.testing.assert_allclose(explained, factors.scores(table) @ factors.loadings.T, atol=1e-9)
    with refuses("not-supported", "factors"):
        replace(factors, learned=None).scores(table)


def test_example_loadings_are_a_frame_of_the_input_library():
    polars = pytest.importorskip("polars")
    values = questionnaire(1)
    table = polars.DataFrame(values, schema=[f"x{k}" for k in range(values.shape[1])])
    found = markhood.learn(table, factors=2).factors.rotated().to_frame()
    assert isinstance(found, polars.DataFrame)
    assert found.columns == ["column", "factor 1", "factor 2"]
    of_array = markhood.learn(values, factors=1).factors.to_frame()
    assert of_array["column"].to_list()[:2] == ["x0", "x1"]


def two_populations(seed, n=600, chromosomes=6, sites=25):
    """Draw sites with linkage along chromosomes, whose frequencies differ between populations."""
    rng = np.random.default_rng(seed)
    half = rng.permutation(np.arange(n) < n // 2)
    values, names = [], []
    for chromosome in range(chromosomes):
        before = None
        for site in range(sites):
            share = np.clip(rng.uniform(0.3, 0.7) + 0.5 * rng.choice([-1, 1]) * (half - 0.5), 0, 1)
            own = rng.random(n) < share
            if before is not None:
                own = np.where(rng.random(n) < 0.5, before, own)
            values.append(own)
            names.append(f"chr{chromosome}:{1000 * site}")
            before = own
    table = pd.DataFrame(np.column_stack(values).astype(int), columns=names)
    table["chr5:0"] = np.where(rng.random(n) < 0.5, table["chr0:0"], table["chr5:0"])
    return table, half


def test_example_populations_behind_a_genome():
    table, half = two_populations(1)
    genome = markhood.Genome(min_distance=10**6)
    options = {"genome": genome, "remove_indirect": True, "gamma": 1.5, "n_jobs": 1}
    plain = markhood.learn(table, "pairwise", factors=0, **options)
    found = markhood.learn(table, "pairwise", factors="auto", **options)
    assert found.factors.n_factors == 1
    scores = table.to_numpy() @ found.factors.loadings[:, 0]
    assert abs(np.corrcoef(scores, half)[0, 1]) > 0.7
    assert plain.n_edges > 10
    assert ("chr0:0", "chr5:0") in {tuple(sorted(edge)) for edge in found.edge_names()}
    assert found.n_edges <= 3
    rng = np.random.default_rng(1)
    shuffled = table.apply(lambda column: rng.permutation(column))
    assert markhood.learn(shuffled, "pairwise", factors="auto", **options).factors is None


def in_long_rows(vectors):
    return vectors @ vectors.T


def test_property_short_vectors_give_the_score_statistics_of_one_pair_at_a_time():
    values = questionnaire(1, 300)
    samples = encode(values, weights=np.arange(300) % 3 + 1)
    samples = replace(samples, components=leading_components(samples, 16, 2))
    scorer = DiscreteScorer(samples, Bic(0.5))
    weights, residuals = scorer._weights, scorer._residuals
    joint = (values.T * weights) @ values
    squares = (joint - in_long_rows(residuals.means)) ** 2 / in_long_rows(residuals.variances)
    ones = [scored_variable(samples.bits, v, scorer._shares_given(v), weights) for v in range(16)]
    expected = score_statistics(ones, ones, weights)
    np.testing.assert_allclose(squares, expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("n_sites", [60, 150])
def test_property_the_screen_given_factors_loses_no_pair(n_sites):
    table = two_populations(2)[0].to_numpy()[:, :n_sites]
    samples = encode(table)
    samples = replace(samples, components=leading_components(samples, n_sites, 1))
    scorer = DiscreteScorer(samples, Bic(0.5))
    pairs = np.column_stack(np.triu_indices(n_sites, 1))
    gains = scorer._ratios(pairs) - scorer.prices(pairs, 0.5)
    found = screen(Job(samples, scorer), 0.5)
    np.testing.assert_array_equal(found.edges, pairs[gains > 1e-9])
    np.testing.assert_allclose(found.gains, gains[gains > 1e-9])
    is_shared = samples.bits.reals.columns.ndim == 2
    assert is_shared == (n_sites == 150)


def test_property_permuted_blocks_have_the_eigenvalues_of_permuted_columns():
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(n, 90)).astype(np.float32) for n in (40, 3, 70)]
    orders = rng.permuted(np.tile(np.arange(90), (4, 3, 1)), axis=2)
    found = permuted_eigenvalues(parts, orders)
    for own, eigenvalue in zip(orders, found, strict=True):
        rows = np.concatenate([part[:, order] for part, order in zip(parts, own, strict=True)])
        assert eigenvalue == pytest.approx(np.linalg.norm(rows, 2) ** 2 / 90, rel=1e-3)


def test_oracle_unlinked_sites_are_those_found_one_at_a_time():
    table, _ = two_populations(3, sites=300)
    found = unlinked_sites(encode(table), table.shape[1])
    correlations = np.corrcoef(table, rowvar=False)
    for chromosome in range(6):
        kept = []
        for site in range(300 * chromosome, 300 * chromosome + 300):
            if (correlations[site, kept[-50:]] ** 2 <= 0.1).all():
                kept.append(site)
        assert kept == found[found // 300 == chromosome].tolist()
    assert 180 < len(found) < 1500


@pytest.mark.parametrize("suffix", ["json", "graphml", "csv"])
def test_example_files_and_reports_have_the_loadings(tmp_path, suffix):
    graph = markhood.learn(questionnaire(1), factors=2)
    markhood.write_graph(graph, tmp_path / f"graph.{suffix}")
    again = markhood.read_graph(tmp_path / f"graph.{suffix}")
    np.testing.assert_allclose(again.factors.loadings, graph.factors.loadings)
    rows = dict(run_rows(again))
    leading = graph.factors.rotated().leading(0, 1)[0]
    assert leading in rows["hidden factor 1"]
    assert "hidden factor 2" in rows
