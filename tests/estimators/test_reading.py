"""What estimators do with missing values, codes for them, levels and weights before they learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from markhood import PLRHC, ChowLiu, L1Logistic, learn
from markhood.data.reading import TableFormat
from messages import refuses, warns


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(300, 4)).astype(float)
    table[:, 1] = np.where(rng.random(300) < 0.9, table[:, 0], table[:, 1])
    return table


@pytest.mark.parametrize("make", [PLRHC, L1Logistic, ChowLiu])
@pytest.mark.parametrize("code", [np.nan, -9])
def test_example_drop(make, code, table):
    holed = table.copy()
    holed[::10, 2] = code
    whole = np.delete(table, np.s_[::10], axis=0)
    estimator = make(missing="drop", missing_values=(-9,))
    with warns("rows-dropped", where="missing", facts=("30 of 300",)):
        fitted = clone(estimator).fit(holed)
    assert fitted.graph_ == make().fit(whole).graph_
    with warns("rows-dropped", where="missing"):
        assert fitted.score(holed) == make().fit(whole).score(whole)
    with warns("rows-dropped", where="missing"):
        graph = learn(holed, fitted._method.name, missing="drop", missing_values=[-9])
    assert graph == fitted.graph_


def test_example_refused(table):
    table[3, 2] = np.nan
    with refuses("missing-values", "x2", "1 missing"):
        PLRHC(missing="error").fit(table)
    words = np.array([[f"w{k}", "uv"[k % 2], "uvw"[k % 3]] for k in range(300)], object)
    with refuses("too-many-levels", "x0", "1 column"):
        PLRHC(table=TableFormat(max_levels=100)).fit(words)


def test_example_samples_of_weight_zero_are_left_out(table):
    weights = np.arange(300) % 3 > 0
    fitted = PLRHC().fit(table, sample_weight=weights.astype(float))
    assert fitted.graph_ == PLRHC().fit(table[weights]).graph_
    assert learn(table, weights=weights) == fitted.graph_
    with refuses("weights", "weights"):
        PLRHC().fit(table, sample_weight=weights[:5])


def test_example_the_tag_says_whether_missing_values_are_taken():
    assert PLRHC().__sklearn_tags__().input_tags.allow_nan
    assert not PLRHC(missing="error").__sklearn_tags__().input_tags.allow_nan
    assert ChowLiu(missing="drop").__sklearn_tags__().input_tags.allow_nan
