"""Rare levels merged and numbers cut in packed samples, as if the table had been written so."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import markhood
from markhood.data.coding.encode import encode, encode_like
from markhood.data.coding.merged import merged_level_of
from markhood.data.coding.regrouping import cut_samples, level_counts, with_rare_merged
from messages import ignores, refuses

tables = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("abcdefg"), st.booleans()), min_size=8, max_size=90
)


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")
@settings(max_examples=40)
@given(rows=tables, fewest=st.integers(2, 30), missing=st.sampled_from(["level", "impute"]))
def test_oracle_merged_levels_are_those_of_a_table_written_so(rows, fewest, missing):
    data = pd.DataFrame(rows, columns=["step", "letter", "yes"]).astype(object)
    data.loc[::7, "letter"] = data.loc[3::9, "step"] = None
    assume(all(data[name].nunique() > 1 for name in data))
    samples = encode(data, missing=missing)
    merged = with_rare_merged(samples, fewest)
    written = data.copy()
    for j, name in enumerate(data):
        levels = [level for level in merged.levels[j] if level is not None]
        written[name] = [
            None if v is None else v if v in levels else merged_level_of(v, levels)
            for v in data[name]
        ]
    again = encode_like(written, merged.levels, missing=missing)
    np.testing.assert_array_equal(merged.words, again.words)
    for j, levels in enumerate(merged.levels):
        known = [level for level in levels if level is not None]
        before = [level for level in samples.levels[j] if level is not None]
        counts = level_counts(merged, j)[: len(known)]
        assert counts.sum() == level_counts(samples, j)[: len(before)].sum()
        assert len(known) <= 2 or counts.min() >= fewest
        assert len(known) >= min(2, len(before))


def test_example_neighbours_join_the_rarer_side():
    values = np.repeat([1, 2, 3, 4, 5], [50, 30, 3, 20, 60])
    samples = encode(np.column_stack([values, np.arange(len(values)) % 2]))
    merged = with_rare_merged(samples, 10)
    assert merged.levels[0] == (1, 2, "3 or 4", 5)
    assert merged.variables.kinds == ("ordinal", "binary")
    assert level_counts(merged, 0).tolist() == [50, 30, 23, 60]
    note = merged.account.findings[-1]
    assert (note.code, note.where) == ("merged-levels", "x0")
    assert "fewer than 10 samples" in note.text
    assert "'x0' (5 levels to 4)" in note.text


def test_example_categories_become_other_with_the_next_rarest_where_they_are_few():
    letters = np.repeat(list("abcde"), [40, 30, 20, 2, 1])
    table = pd.DataFrame({"letter": letters, "half": np.arange(len(letters)) % 2})
    assert with_rare_merged(encode(table), 3).levels[0] == ("a", "b", "c", "other")
    assert with_rare_merged(encode(table), 5).levels[0] == ("a", "b", "other")
    table["letter"] = table["letter"].replace({"b": "other"})
    assert with_rare_merged(encode(table), 5).levels[0] == ("a", "c", "other")
    assert with_rare_merged(encode(table), 100).levels[0] == ("a", "other")


def test_example_merged_bins_are_one_longer_bin():
    ages = np.repeat(np.arange(20, 60), 5)
    samples = encode(np.column_stack([ages, ages % 2]), bins={"x0": 4})
    assert samples.levels[0] == ("[20, 30)", "[30, 40)", "[40, 50)", "[50, 59]")
    merged = with_rare_merged(samples, 60)
    assert merged.levels[0] == ("[20, 40)", "[40, 59]")
    new = encode_like([[39, 0], [41, 1]], merged.levels)
    assert level_counts(new, 0).tolist() == [1, 1]


@ignores("identical-columns")
@pytest.mark.parametrize("as_array", [True, False])
def test_example_new_data_find_what_rare_values_were_merged_into(as_array):
    letters = np.array(list("aaaabbbbcd"))
    steps = np.array([1, 1, 1, 1, 2, 2, 2, 2, 3, 4])
    old = pd.DataFrame({"letter": letters, "step": steps})
    model = markhood.PLRHC(table=markhood.TableFormat(merge_rare=2)).fit(old)
    assert model.regressions_.variables.levels == (("a", "b", "other"), (1, 2, "3 or 4"))
    assert np.isfinite(model.score(pd.DataFrame({"letter": ["c", "z"], "step": [4, 3]})))
    new = np.array([["c", "a"], ["z", "b"]]) if as_array else [["c", "a"], ["z", "b"]]
    levels = (("a", "b", "other"), ("a", "b"))
    assert level_counts(encode_like(new, levels), 0).tolist() == [0, 0, 2]
    with refuses("unknown-level", "step"):
        model.model_.predict(pd.DataFrame({"letter": ["c"], "step": [5]}), "letter")


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")
@settings(max_examples=30)
@given(values=st.lists(st.integers(0, 40), min_size=4, max_size=80), number=st.integers(2, 6))
def test_oracle_samples_are_cut_as_their_table_is(values, number):
    table = np.column_stack([values, np.arange(len(values)) % 2])
    bins = {"x0": number}
    cut, whole = encode(table, bins=bins), encode(table, bins=None)
    late = cut_samples(whole, bins)
    assert (late.levels, late.variables.kinds) == (cut.levels, cut.variables.kinds)
    np.testing.assert_array_equal(late.words, cut.words)


@pytest.mark.parametrize("wrong", [1, 0, -3, 2.5, "5"])
def test_example_bad_numbers_are_one_sentence(wrong):
    with refuses("option-value", "merge_rare"):
        markhood.learn(np.eye(3), table=markhood.TableFormat(merge_rare=wrong))


def test_example_what_was_merged_is_not_merged_again_by_the_same_reading():
    letters = np.array(list("ACGT"))[np.random.default_rng(0).integers(0, 4, size=(60, 4))]
    genome = markhood.Genome(letters="reduced")
    samples = encode(letters, genome=genome)
    assert encode(samples, genome=genome).levels == samples.levels == (("AG", "CT"),) * 4
    table = markhood.TableFormat(merge_rare=20)
    again = encode(samples, genome=genome, table=table)
    assert again.levels == samples.levels
    assert (again.reading.merge_rare, again.reading.letters) == (20, "reduced")
