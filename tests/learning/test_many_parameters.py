"""Warnings about edges with too many parameters for the samples; the advice works."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import markhood


def answers(n_samples, n_levels, n_columns=4, seed=0):
    values = np.random.default_rng(seed).integers(n_levels, size=(n_samples, n_columns))
    return pd.DataFrame(values, columns=[f"q{k}" for k in range(n_columns)])


def noted(*arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", markhood.DataWarning)
        markhood.learn(*arguments, **options)
    return [str(w.message) for w in caught if w.message.code == "many-parameters"]


@pytest.mark.parametrize(
    ("n_samples", "n_levels", "expected"), [(125, 6, 0), (124, 6, 1), (45, 4, 0), (44, 4, 1)]
)
def test_example_fewer_than_five_samples_a_parameter(n_samples, n_levels, expected):
    said = noted(answers(n_samples, n_levels), kinds="nominal")
    assert len(said) == expected
    for sentence in said:
        assert all(f"'q{k}' ({n_levels} levels)" in sentence for k in range(4))


def test_property_what_the_note_advises_makes_it_go_away():
    data = answers(100, 8)
    (said,) = noted(data, kinds="nominal")
    fewest = int(re.search(r"merge_rare=(\d+)\.$", said)[1])
    assert not noted(data, kinds="nominal", table=markhood.TableFormat(merge_rare=fewest))
    assert "kinds='ordinal'" in said
    assert not noted(data, kinds="ordinal")


def test_example_of_two_ends_the_one_with_more_levels_is_named():
    data = answers(300, 3)
    data["place"] = np.arange(300) % 40
    (said,) = noted(data, kinds="nominal")
    assert "'q0'" not in said
    assert "'place' (40 levels)" in said


def test_example_order_is_no_advice_where_it_is_not_used():
    (said,) = noted(answers(100, 8), "mpl", kinds="nominal")
    assert "ordinal" not in said
    assert "merge_rare=" in said
