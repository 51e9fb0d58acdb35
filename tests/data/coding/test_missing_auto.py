"""`missing="auto"`: what is imputed, dropped, left out, and what does not apply."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.cells import NOT_APPLICABLE
from markhood.data.coding.encode import encode
from markhood.data.coding.missing import MOST_COLUMNS
from messages import ignores, refuses, warns

N = 400


def holes(share, seed=0):
    return np.random.default_rng(seed).random(N) < share


@pytest.fixture
def survey():
    """Return a survey in which only the employed were asked for their hours."""
    rng = np.random.default_rng(1)
    work = rng.integers(0, 2, N)
    frame = pd.DataFrame(
        {
            "work": np.where(work, "yes", "no"),
            "mood": rng.integers(1, 6, N).astype(float),
            "hours": np.where(work, rng.integers(1, 41, N), np.nan),
        }
    )
    frame["boss"] = np.where(work & (rng.random(N) < 0.5), "yes", "no")
    frame.loc[work == 0, "boss"] = None
    return frame


def test_example_missing_values_are_imputed_and_counted(survey):
    survey.loc[holes(0.1), "mood"] = np.nan
    n = int(survey["mood"].isna().sum())
    with warns("missing-values", where="mood", facts=(f"{n} missing values", "1 column")):
        samples = encode(survey[["work", "mood"]])
    assert list(samples.missing) == [1]
    assert samples.n_samples == N


def test_example_a_few_rows_are_dropped(survey):
    survey.loc[[3, 77], "mood"] = np.nan
    with warns("rows-dropped", where="missing", facts=("2 of 400",)):
        samples = encode(survey[["work", "mood"]])
    assert samples.n_samples == N - 2
    assert samples.account.rows_left_out == {"missing values": 2}
    survey.loc[[4, 78], "mood"] = np.nan  # 1 %
    with warns("missing-values"):
        assert encode(survey[["work", "mood"]]).n_samples == N


def test_example_columns_that_are_mostly_empty_are_left_out(survey):
    survey["rare"] = np.where(holes(0.8, 2), np.nan, survey["mood"])
    survey["void"] = np.nan
    with warns("empty-column", where="rare", facts=("2 columns", "'void' (100%)")):
        samples = encode(survey[["work", "rare", "mood", "void"]])
    assert samples.names == ("work", "mood")
    assert samples.account.left_out == dict.fromkeys(["rare", "void"], "mostly missing")
    assert samples.account.missing == {}
    with warns("missing-values"):
        assert encode(survey, columns=["work", "rare"]).names == ("work", "rare")
    with refuses("empty-column", "void"):
        encode(survey[["work", "void"]])


def test_example_skipped_questions_do_not_apply(survey, decode):
    with warns("skip-pattern", where="hours", facts=("2 columns", "'work' is 'no'")):
        samples = encode(survey, bins=4)
    assert samples.levels[2][-1] == NOT_APPLICABLE
    assert samples.levels[3] == ("no", "yes", NOT_APPLICABLE)
    assert samples.variables.ordered == (False, True, False, False)
    assert samples.missing == {}
    assert samples.account.missing == {"hours": 0, "boss": 0}
    for work, _, hours, boss in decode(samples):
        assert (work == "no") == (hours == NOT_APPLICABLE) == (boss == NOT_APPLICABLE)


def test_example_what_is_missing_elsewhere_is_still_imputed(survey):
    survey.loc[holes(0.1) & (survey["work"] == "yes"), "hours"] = np.nan
    n = int((survey["hours"].isna() & (survey["work"] == "yes")).sum())
    with warns("skip-pattern", "missing-values", where="hours"):
        samples = encode(survey[["work", "mood", "hours"]], bins=4)
    assert int(np.bitwise_count(samples.missing[2]).sum()) == n
    assert samples.account.missing == {"hours": n}


def test_example_a_chain_of_skips_and_a_threshold(survey):
    survey["pay"] = np.where(survey["boss"] == "yes", survey["mood"], np.nan)
    facts = ("'pay' where 'boss' is 'no' or missing",)
    with warns("skip-pattern", "missing-values", facts=facts), ignores("binned-columns"):
        survey.loc[holes(0.05), "mood"] = np.nan
        encode(survey, bins=4)
    ages = np.random.default_rng(3).integers(5, 90, N)
    table = pd.DataFrame({"age": ages, "vote": np.where(ages < 18, np.nan, ages % 3)})
    with warns("skip-pattern", where="vote", facts=("'age' is below 18",)):
        encode(table, bins=4)


def test_property_values_missing_at_random_are_no_skip_pattern():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.integers(0, 3, (N, 12))).astype(float).mask(rng.random((N, 12)) < 0.2)
    table[12] = np.arange(N)  # an identifier explains any pattern
    table.columns = [f"q{j}" for j in range(13)]
    with warns("missing-values"):
        encode(table, exclude=["q12"])
    with ignores("distinct-column"), warns("missing-values"):
        encode(table, kinds={"q12": "ordinal"})


def test_example_an_order_by_request_is_kept_and_imputed(survey):
    with warns("missing-values"):
        samples = encode(survey[["work", "hours"]], bins=4, kinds={"hours": "ordinal"})
    assert samples.variables.ordered == (False, True)


def test_example_learning_and_fitting_agree_about_skips(survey):
    with ignores("skip-pattern", "hidden-factors"):
        graph = markhood.learn(survey, bins=4)
        model = markhood.fit_model(graph, survey)
    assert model.variables.levels == graph.variables.levels
    assert model.n_samples == N
    with ignores("skip-pattern"):
        again = markhood.fit_model(graph, encode(survey, bins=4))
    np.testing.assert_allclose(model.couplings, again.couplings)


def test_example_very_many_columns_are_not_imputed_unasked():
    table = np.random.default_rng(5).integers(0, 2, (50, MOST_COLUMNS + 1)).astype(float)
    table[3:9, 7] = np.nan
    with refuses("missing-values", "x7", "6 missing", "missing='impute'"):
        encode(table)
    assert list(encode(table, missing="impute").missing) == [7]


def test_example_dropping_nearly_all_rows_is_refused(survey):
    table = survey[["work", "mood"]].assign(a=survey["mood"], b=survey["mood"])
    for k, name in enumerate(["mood", "a", "b"]):
        table.loc[holes(0.7, k), name] = np.nan
    with refuses("too-few-rows", "missing", "missing='auto'"):
        encode(table, missing="drop")


def test_example_rows_without_a_numeric_covariate_are_dropped(survey):
    survey["age"] = np.where(holes(0.1), np.nan, np.arange(N) % 60)
    n = int(survey["age"].isna().sum())
    with warns("rows-dropped", facts=(f"{n} of 400", "covariates")):
        samples = encode(survey[["work", "mood", "age"]], adjust_for="age")
    assert samples.n_samples == N - n


def test_example_a_blanket_of_imputed_data():
    rng = np.random.default_rng(6)
    values = rng.integers(0, 2, (N, 4)).astype(float)
    values[:, 3] = np.where(rng.random(N) < 0.9, values[:, 0], values[:, 3])
    values[rng.random((N, 4)) < 0.05] = np.nan
    with ignores("missing-values"):
        assert markhood.blanket(values, "x3").names == ("x0",)
        chosen = markhood.BlanketSelector().fit(values[:, :3], np.nan_to_num(values[:, 3]))
    assert chosen.get_support().tolist() == [True, False, False]
