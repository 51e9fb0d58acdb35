"""Numeric covariates as real columns of every regression, in all methods that support them."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.samples import RealColumn
from markhood.data.stacking import stacked
from markhood.data.storage.packed import read_packed, write_packed
from markhood.learning.preparing import covariates_last
from markhood.scores.bic import Bic
from markhood.scores.discrete import DiscreteScorer
from messages import refuses, warns
from oracles.packing import samples_with_levels

N = 1200


def confounded(seed=1, n=N):
    """Two answers depend on age alone, a third on the first; one has three levels, one is a scale."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 15, n)
    z = (age - 45) / 15
    a, b = (rng.random((2, n)) < 1 / (1 + np.exp([-1.6 * z, 1.6 * z]))).astype(int)
    c = np.where(rng.random(n) < 0.8, a, 1 - a)
    kind = (np.column_stack([0 * z, 1.5 * z, -1.5 * z]) + rng.gumbel(size=(n, 3))).argmax(axis=1)
    scale = (np.outer(z, np.arange(4)) + rng.gumbel(size=(n, 4))).argmax(axis=1)
    return pd.DataFrame(
        {
            "a": a,
            "age": age,
            "b": b,
            "c": c,
            "kind": np.array(["x", "y", "z"])[kind],
            "scale": scale,
        }
    )


DATA = confounded()
METHODS = [
    ("plrhc", {}),
    ("plrhc", {"rule": "pair"}),
    ("plrhc", {"max_candidates": 2}),
    ("hc", {}),
    ("hc", {"rule": "and"}),
    ("pairwise", {}),
    ("pairwise", {"ranking": "mi", "top": 1}),
    ("chow-liu", {}),
    ("bayes", {}),
    ("l1lr", {"kinds": "nominal"}),
    ("l1lr", {"kinds": "nominal", "rule": "and"}),
]


@pytest.mark.parametrize(("method", "options"), METHODS, ids=str)
def test_example_binary_columns_take_binary_and_real_covariates(method, options):
    binary = DATA[["a", "age", "b", "c"]].assign(sex=np.arange(N) % 2)
    found = markhood.learn(binary, method, adjust_for=["age", "sex"], n_jobs=1, **options)
    assert found.nodes == ("a", "b", "c")
    assert found.has_edge("a", "c")


@pytest.mark.parametrize(("method", "options"), METHODS, ids=str)
def test_example_what_a_real_covariate_explains_is_not_an_edge(method, options):
    found = markhood.learn(DATA, method, adjust_for=["age"], n_jobs=1, **options)
    assert found.nodes == ("a", "b", "c", "kind", "scale")
    assert found.edge_names() == [("a", "c")]
    assert found.provenance["adjusted_for"] == ["age"]
    assert found.provenance["real_covariates"]["age"]["mean"] == pytest.approx(DATA["age"].mean())
    assert found.provenance["data"]["variables"] == 5
    if not options.keys() & {"top", "max_candidates"}:
        plain = markhood.learn(DATA.drop(columns="age"), method, n_jobs=1, **options)
        assert plain.n_edges > 3


def test_example_paths_without_a_refit():
    binary = DATA[["a", "age", "b", "c"]]
    found = markhood.learn(binary, "l1lr", adjust_for=["age"], refit=False, n_jobs=1)
    assert found.edge_names() == [("a", "c")]
    plain = markhood.learn(binary.drop(columns="age"), "l1lr", refit=False, n_jobs=1)
    assert plain.has_edge("a", "b")


@pytest.mark.parametrize("method", ["mpl", "bjp", "plm"])
def test_example_methods_of_tables_take_bins_and_say_so(method):
    with warns("covariates", where="age"):
        found = markhood.learn(DATA, method, adjust_for=["age"], kinds="nominal", n_jobs=1)
    assert found.has_edge("a", "c")
    assert found.provenance["adjusted_for"] == ["age"]
    assert found.nodes == ("a", "b", "c", "kind", "scale")


@pytest.mark.parametrize("method", ["plrhc", "pairwise"])
def test_oracle_couplings_are_slopes_with_age_as_it_is(method):
    import statsmodels.api as sm

    found = markhood.learn(DATA, method, adjust_for="age", n_jobs=1)
    slopes = []
    for target, other in (("a", "c"), ("c", "a")):
        design = sm.add_constant(DATA[[other, "age"]].astype(float))
        slopes.append(sm.Logit(DATA[target], design).fit(disp=0).params[other])
    np.testing.assert_allclose(found.coupling_ends[0], slopes, atol=1e-6)


def test_oracle_the_score_pays_for_the_covariate():
    import statsmodels.api as sm

    found = markhood.PLRHC(adjust_for=["age"], n_jobs=1).fit(DATA)
    design = sm.add_constant(DATA[["c", "age"]].astype(float))
    best = sm.Logit(DATA["a"], design).fit(disp=0).llf
    expected = best - 3 * np.log(N) / 2 - 0.5 * np.log(4)
    assert found.blanket_scores_[0] == pytest.approx(expected, abs=1e-6)


def test_property_units_and_several_covariates():
    more = DATA.assign(age=DATA["age"] * 12 + 7, noise=np.random.default_rng(2).normal(size=N))
    once = markhood.learn(DATA, adjust_for=["age"], n_jobs=1)
    moved = markhood.learn(more.drop(columns="noise"), adjust_for=["age"], n_jobs=1)
    both = markhood.learn(more, adjust_for=["age", "noise"], n_jobs=1)
    assert once.edge_names() == moved.edge_names() == both.edge_names()
    np.testing.assert_allclose(once.coupling_ends, moved.coupling_ends, atol=1e-7)
    assert both.provenance["adjusted_for"] == ["age", "noise"]


def test_property_next_to_a_covariate_of_levels():
    sex = np.random.default_rng(3).integers(0, 2, N)
    table = DATA.assign(sex=sex)
    table["b"] = np.where(np.random.default_rng(4).random(N) < 0.7, sex, table["b"])
    found = markhood.learn(table, adjust_for=["sex", "age"], n_jobs=1)
    assert found.edge_names() == [("a", "c")]
    assert found.provenance["adjusted_for"] == ["sex", "age"]


@pytest.mark.parametrize("method", ["plrhc", "pairwise", "bayes", "l1lr"])
@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_property_a_weight_is_a_repeated_row(method):
    options = {"adjust_for": ["age"], "n_jobs": 1, "seed": 1}
    if method == "l1lr":
        options["kinds"] = "nominal"
    weights = np.random.default_rng(2).integers(1, 4, N)
    repeated = DATA.loc[DATA.index.repeat(weights)].reset_index(drop=True)
    plain = markhood.TableFormat(weights_are="frequencies")
    first = markhood.learn(DATA, method, weights=weights, table=plain, **options)
    second = markhood.learn(repeated, method, **options)
    assert first.edge_names() == second.edge_names()
    np.testing.assert_allclose(first.coupling, second.coupling, rtol=1e-3)


@pytest.mark.parametrize("options", [{"bins": {"age": 5}}, {"bins": 5}])
def test_example_bins_are_bins(options):
    samples = markhood.learning.request.Request.of(
        "plrhc", {"adjust_for": ["age"], **options}
    ).read(DATA)
    assert not samples.reals
    assert "age" in samples.names


def test_example_few_numbers_and_named_kinds_stay_levels():
    table = DATA.assign(age=(DATA["age"] // 20).astype(int))
    reading = markhood.learning.request.Request.of("plrhc", {"adjust_for": ["age"]})
    assert "age" in reading.read(table).names
    years = DATA.assign(age=(DATA["age"].clip(0, 59) // 4).astype(int))
    named = {"adjust_for": ["age"], "kinds": {"age": "ordinal"}}
    assert "age" in markhood.learning.request.Request.of("plrhc", named).read(years).names
    assert [*reading.read(years).reals] == ["age"]


@pytest.mark.parametrize("missing", ["impute", "level"])
def test_example_missing_numbers_are_dropped_or_refused(missing):
    holes = DATA.assign(age=DATA["age"].where(np.arange(N) % 7 > 0))
    with pytest.raises(markhood.InputError, match="age"):
        markhood.learn(holes, adjust_for=["age"], missing=missing, n_jobs=1)
    with pytest.warns(markhood.DataWarning, match="rows"):
        found = markhood.learn(holes, adjust_for=["age"], missing="drop", n_jobs=1)
    assert found.edge_names() == [("a", "c")]


def test_example_missing_answers_are_imputed_given_the_covariate():
    rng = np.random.default_rng(5)
    holes = DATA.astype({"a": object, "b": object, "c": object})
    for column in "abc":
        holes.loc[rng.random(N) < 0.2, column] = None
    run = markhood.Run(imputations=3)
    found = markhood.learn(holes, adjust_for=["age"], missing="impute", run=run, n_jobs=1)
    assert found.edge_names() == [("a", "c")]


def test_example_a_command_line_reads_it(tmp_path):
    from typer.testing import CliRunner

    from markhood.commandline.app import app

    DATA.to_csv(tmp_path / "people.csv", index=False)
    arguments = ["learn", str(tmp_path / "people.csv"), "--adjust-for", "age", "--bins", "age=4"]
    for adjusted in (arguments[:4], arguments):
        result = CliRunner().invoke(app, adjusted)
        assert result.exit_code == 0, result.output
        assert "adjusted  for age" in result.output


def test_property_samples_keep_their_columns_in_parts():
    samples = markhood.learning.request.Request.of("plrhc", {"adjust_for": ["age"]}).read(DATA)
    rows = np.array([5, 3, 3, 900])
    taken = samples.take(rows)
    np.testing.assert_array_equal(taken.reals["age"].values, DATA["age"].to_numpy()[rows])
    assert taken.reals["age"].mean == samples.reals["age"].mean
    halves = [samples.take(np.arange(600)), samples.take(np.arange(600, N))]
    together = stacked(halves)
    np.testing.assert_array_equal(together.reals["age"].values, DATA["age"])
    assert samples.fingerprint != covariates_last(samples, []).fingerprint
    assert not covariates_last(samples, []).reals


def test_property_a_packed_folder_keeps_them(tmp_path):
    samples = markhood.encode(DATA, adjust_for=["age"])
    write_packed(samples, tmp_path / "folder")
    again = read_packed(tmp_path / "folder")
    assert again.reals["age"].deviation == samples.reals["age"].deviation
    np.testing.assert_array_equal(again.reals["age"].values, DATA["age"])
    first, second = (markhood.learn(own, adjust_for=["age"], n_jobs=1) for own in (samples, again))
    assert first == second == markhood.learn(DATA, adjust_for=["age"], n_jobs=1)
    assert markhood.learn(again, n_jobs=1).n_edges > 3  # nothing is adjusted for that is not named


def test_oracle_an_estimator_scores_new_data_with_their_covariate():
    import statsmodels.api as sm

    found = markhood.PLRHC(adjust_for=["age"], n_jobs=1).fit(DATA)
    new = confounded(seed=9, n=300)
    design, own = ({"a": ["c"], "c": ["a"]}, DATA[["a", "b", "c"]])
    expected = 0.0
    for target in own:
        predictors = [*design.get(target, []), "age"]
        model = sm.Logit(DATA[target], sm.add_constant(DATA[predictors].astype(float))).fit(disp=0)
        chance = model.predict(sm.add_constant(new[predictors].astype(float)))
        expected += np.log(np.where(new[target] == 1, chance, 1 - chance)).mean()
    without = new.drop(columns=["kind", "scale"])
    binary = markhood.PLRHC(adjust_for=["age"], n_jobs=1).fit(DATA.drop(columns=["kind", "scale"]))
    assert binary.score(without) == pytest.approx(expected, abs=1e-4)
    assert np.isfinite(found.score(new))
    with pytest.raises(markhood.InputError, match="age"):
        found.score(new.drop(columns="age"))


def test_example_models_are_not_drawn_from_given_numbers():
    with pytest.raises(markhood.InputError, match="bins"):
        markhood.bootstrap(DATA, adjust_for=["age"], resample="model", replicates=2, n_jobs=1)


def test_oracle_a_model_has_the_covariate_in_every_regression():
    import statsmodels.api as sm

    graph = markhood.learn(DATA, adjust_for=["age"], n_jobs=1)
    model = markhood.fit_model(graph, DATA, method="average", prior=None)
    rows = {(row["variable"], row["level"]): row for row in model.covariate_rows()}
    for target, others in (("a", ["c"]), ("b", []), ("c", ["a"])):
        design = sm.add_constant(DATA[[*others, "age"]].astype(float))
        fitted = sm.Logit(DATA[target], design).fit(disp=0)
        assert rows[target, ""]["effect"] == pytest.approx(fitted.params["age"], rel=1e-5)
        assert rows[target, ""]["error"] == pytest.approx(fitted.bse["age"], rel=0.15)
        if not others:
            chances = model.predict_proba(DATA, target)[:, 1]
            np.testing.assert_allclose(chances, fitted.predict(design), atol=1e-5)
    kinds = sm.MNLogit(DATA["kind"], sm.add_constant(DATA[["age"]])).fit(disp=0)
    effects = np.append(0, kinds.params.to_numpy()[1])
    shown = [rows["kind", level]["effect"] for level in "xyz"]
    np.testing.assert_allclose(shown, effects - effects.mean(), atol=1e-6)


def test_property_a_model_with_a_covariate_predicts_sums_up_and_is_stored(tmp_path):
    graph = markhood.learn(DATA, adjust_for=["age"], n_jobs=1)
    model = markhood.fit_model(graph, DATA)
    new = confounded(seed=8, n=200)
    markhood.write_model(model, tmp_path / "model.json")
    again = markhood.read_model(tmp_path / "model.json")
    for target in ("a", "kind", "scale"):
        np.testing.assert_array_equal(
            model.predict_proba(new, target), again.predict_proba(new, target)
        )
        younger = model.predict_proba(new.assign(age=20.0), target)
        assert np.abs(younger - model.predict_proba(new.assign(age=70.0), target)).max() > 0.2
    assert "a:age" in model.params.index
    assert "Covariates" in str(model.summary())
    assert model.log_pseudo_likelihood(new) > markhood.fit_model(
        graph.with_provenance({}), DATA.drop(columns="age")
    ).log_pseudo_likelihood(new.drop(columns="age"))
    with pytest.raises(markhood.InputError, match="log_pseudo_likelihood"):
        model.log_likelihood(new)
    with refuses("not-supported", "method"):
        markhood.fit_model(graph, DATA, method="likelihood")
    with pytest.raises(markhood.InputError, match="age"):
        model.predict(new.drop(columns="age"), "a")


def random_samples(seed, n, d=8):
    """Variables of several kinds that depend on each other and on a heavy-tailed covariate."""
    from dataclasses import replace

    rng = np.random.default_rng(seed)
    z = rng.standard_t(3, size=n)
    levels = rng.choice([2, 2, 3, 5], d)
    values = np.zeros((n, d), int)
    for v, r in enumerate(levels.tolist()):
        eta = 1.5 * rng.normal(size=r) + np.outer(z, rng.normal(size=r) * rng.choice([0, 1, 3]))
        eta += np.outer(z**2, rng.normal(size=r) * rng.choice([0, 0, 1]))
        if v and rng.random() < 0.5:
            u = int(rng.integers(0, v))
            eta += rng.normal(size=(levels[u], r))[values[:, u]] * rng.choice([0.5, 1, 4])
        values[:, v] = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
        values[:r, v] = np.arange(r)
    samples = samples_with_levels(values).with_order((rng.random(d) < 0.5).tolist())
    return replace(samples, reals={"z": RealColumn.of(z)})


@pytest.mark.parametrize("n", [60, 300])
def test_property_the_screen_loses_no_pair(n):
    for seed in range(12):
        scorer = DiscreteScorer(random_samples(seed, n), Bic(0.5))
        tile = (range(8), range(8))
        found = scorer.pairs(tile, 0.5)
        i, j = np.triu_indices(8, 1)
        every = np.column_stack([i, j])
        gains = scorer._ratios(every) - scorer.prices(every, 0.5)
        np.testing.assert_array_equal(found.edges, every[gains > 1e-9])
