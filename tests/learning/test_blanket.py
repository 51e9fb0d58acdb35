"""The blanket of one column: the same as PLRHC's, and a selector of features."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import markhood
from messages import refuses, warns
from oracles.networks import network

VALUES = network(3, 600, 12, strength=1.5)


@pytest.mark.parametrize("depth", [1, 3])
def test_oracle_blankets_of_plrhc(depth):
    fitted = markhood.PLRHC(rule="or", depth=depth).fit(VALUES)
    union = fitted.or_graph_
    for target in range(12):
        found = markhood.blanket(VALUES, target, depth=depth)
        assert set(found.names) <= set(union.neighbours(target))
        if depth == 1:  # its candidates are the screened neighbours
            screened = fitted.screened_graph_.neighbours(target)
            assert [f"x{j}" for j in found.candidates] == list(screened)
    joined = {
        tuple(sorted((target, int(j))))
        for target in range(12)
        for j in markhood.blanket(VALUES, target, depth=depth).numbers
    }
    assert joined == {tuple(edge) for edge in union.edges.tolist()}


@pytest.mark.parametrize("adjust_for", [["x0"], ["x0", "x5"], ["x0", "real"]])
def test_oracle_blankets_given_covariates(adjust_for):
    table = pd.DataFrame(VALUES, columns=[f"x{k}" for k in range(12)])
    table["real"] = np.random.default_rng(0).normal(size=len(table)) + VALUES[:, 3]
    options = {"adjust_for": adjust_for, "exclude": [] if "real" in adjust_for else ["real"]}
    union = markhood.PLRHC(rule="or", depth=1, **options).fit(table).or_graph_
    joined = {
        frozenset([target, name])
        for target in union.nodes
        for name in markhood.blanket(table, target, **options).names
    }
    assert joined == {frozenset(edge) for edge in union.edge_names()}


def test_example_levels_of_any_kind_and_names():
    frame = pd.DataFrame(VALUES, columns=[f"q{k}" for k in range(12)])
    frame["q0"] = np.array(["no", "yes"])[VALUES[:, 0]]
    frame["mood"] = VALUES[:, 0] + VALUES[:, 5]
    found = markhood.blanket(frame, "mood")
    assert set(found.names) >= {"q0", "q5"}
    assert (found.evidence > 0).all()
    with refuses("unknown-column", "mod"):
        markhood.blanket(frame, "mod")
    with refuses("unknown-column", "99"):
        markhood.blanket(frame, 99)


def test_example_a_selector_in_a_pipeline():
    target = np.where(VALUES[:, 0] + VALUES[:, 5] > 0, "ill", "well")
    pipeline = make_pipeline(markhood.BlanketSelector(), DecisionTreeClassifier())
    pipeline.fit(VALUES, target)
    kept = pipeline[0].get_support(indices=True).tolist()
    assert kept == [0, 5]
    assert pipeline.score(VALUES, target) == 1
    assert pipeline[0].transform(VALUES).shape == (600, 2)


def test_example_weights_of_zero_leave_rows_out_of_the_target_too():
    target = VALUES[:, 0] | VALUES[:, 5]
    rest = np.arange(600) % 10 > 0
    expected = markhood.BlanketSelector().fit(VALUES[rest], target[rest])
    zeros = markhood.BlanketSelector().fit(VALUES, target, sample_weight=rest.astype(int))
    assert zeros.evidence_ == pytest.approx(expected.evidence_)
    tiny = markhood.BlanketSelector().fit(VALUES, target, np.where(rest, 1.5, 1e-9))
    assert tiny.get_support().tolist() == expected.get_support().tolist()


def test_oracle_rows_with_missing_features_or_targets_are_dropped():
    target = (VALUES[:, 0] | VALUES[:, 5]).astype(float)
    holes, gaps = VALUES.astype(float), target.copy()
    holes[::7, 3], gaps[::11] = np.nan, np.nan
    with refuses("missing-values"):
        markhood.BlanketSelector(missing="error").fit(holes, target)
    with refuses("missing-values", "target"):
        markhood.BlanketSelector(missing="error").fit(VALUES, gaps)
    with pytest.warns(markhood.DataWarning, match="86"):
        found = markhood.BlanketSelector(missing="drop").fit(holes, gaps)
    rest = ~np.isnan(gaps) & ~np.isnan(holes).any(axis=1)
    expected = markhood.BlanketSelector().fit(VALUES[rest], target[rest])
    assert found.evidence_ == pytest.approx(expected.evidence_)
    levels = markhood.BlanketSelector(missing="level").fit(holes, target)
    assert levels.get_support(indices=True).tolist() == [0, 5]


def test_example_a_continuous_target_is_called_the_target():
    target = np.random.default_rng(0).normal(size=600)
    with pytest.raises(markhood.InputError, match="target"):
        markhood.BlanketSelector().fit(VALUES, target)
    with pytest.raises(markhood.InputError, match="599"):
        markhood.BlanketSelector().fit(VALUES, target[1:])


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks([markhood.BlanketSelector()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_example_copies_are_grouped_as_learn_does():
    table = pd.DataFrame(VALUES, columns=[f"q{k}" for k in range(12)])
    plain = markhood.blanket(table, "q0")
    doubled = table.assign(again=1 - table["q0"], other=table[plain.names[0]])
    found = markhood.blanket(doubled, "again", genome=markhood.Genome(identical="group"))
    assert found.names == plain.names
    assert found.numbers.tolist() == plain.numbers.tolist()
    assert found.copies == {"q0": ("again",), plain.names[0]: ("other",)}
    with warns("identical-columns"):  # other tables are grouped only on request
        assert markhood.blanket(doubled, "again").names == ("q0",)


def test_example_sites_are_grouped_by_default(tmp_path):
    rows = "".join(
        f">s{k}\n{''.join(np.where(row, 'A', 'C'))}{'AC'[row[0]]}\n" for k, row in enumerate(VALUES)
    )
    (tmp_path / "sites.fasta").write_text(rows)
    found = markhood.blanket(tmp_path / "sites.fasta", "13")  # the opposite of the first
    assert "1" not in found.names
    assert found.copies["1"] == ("13",)
