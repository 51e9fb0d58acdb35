"""Numeric columns in bins: their frequencies and names, and which columns are cut."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from markhood.data.coding.bins import bin_like, cut
from markhood.data.coding.encode import encode, encode_like
from markhood.data.formats.files import read_samples
from markhood.errors import filter_findings
from markhood.kernels.tables import codes
from messages import refuses, warns

RNG = np.random.default_rng(4)
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, size=400),
        "income": np.exp(RNG.normal(8, 1, size=400)),
        "mood": RNG.integers(1, 6, size=400),
        "town": RNG.choice(["a", "b", "c"], size=400),
    }
)


def values_of(samples, name):
    j = samples.names.index(name)
    return np.array(samples.levels[j], dtype=object)[codes(samples.bits, j)]


def test_example_many_numbers_are_cut_into_ordered_levels():
    samples = encode(PEOPLE, bins=4)
    assert samples.variables.kinds == ("ordinal", "ordinal", "ordinal", "nominal")
    assert [len(levels) for levels in samples.levels] == [4, 4, 5, 3]
    assert samples.levels[2] == (1, 2, 3, 4, 5)
    low, high = samples.levels[0][0], samples.levels[0][-1]
    assert low.startswith("[18, ")
    assert high.endswith(", 79]")
    for name in ("age", "income"):
        counts = pd.Series(values_of(samples, name)).value_counts()
        assert counts.max() - counts.min() <= 20


def test_property_bins_are_the_intervals_they_are_called_by():
    samples = encode(PEOPLE, bins={"income": 5, "age": 3})
    for name in ("age", "income"):
        for value, label in zip(PEOPLE[name], values_of(samples, name), strict=True):
            low, high = map(float, label[1:-1].split(", "))
            assert low <= value < high or (label.endswith("]") and value == high)
    assert len(samples.levels[1]) == 5


@given(
    values=st.lists(st.integers(-50, 50), min_size=2, max_size=60),
    number=st.integers(2, 6),
    scale=st.sampled_from([1, 0.1, 1 / 3, 1e6]),
)
def test_property_equal_numbers_share_a_bin_and_order_is_kept(values, number, scale):
    distinct = [v * scale for v in dict.fromkeys(values)]
    counts = np.array([values.count(v) for v in dict.fromkeys(values)])
    bins, labels = cut(distinct, counts, number)
    assume(len(labels) > 1)
    order = np.argsort(distinct)
    assert (np.diff(bins[order]) >= 0).all()
    assert set(bins.tolist()) == set(range(len(labels)))
    assert len(labels) <= number
    assert bin_like(distinct, labels) == [labels[k] for k in bins]


def test_example_auto_goes_by_the_number_of_samples():
    numbers = RNG.normal(size=(1000, 2))
    assert {len(own) for own in encode(numbers[:20]).levels} == {4}
    assert {len(own) for own in encode(numbers[:60]).levels} == {12}
    assert {len(own) for own in encode(numbers).levels} == {12}


@pytest.mark.parametrize("n_values", [12, 13, 64, 65])
def test_example_no_jump_by_the_number_of_values(n_values):
    numbers = np.column_stack([np.arange(1300) % n_values, np.arange(1300) % 2])
    assert len(encode(numbers).levels[0]) == 12
    with filter_findings(ignore=["distinct-column"]):
        assert len(encode(numbers, bins=None).levels[0]) == n_values


@pytest.mark.parametrize("as_text", [False, True])
def test_example_zero_is_the_first_level_of_counts(tmp_path, as_text):
    table = pd.DataFrame({"birds": [0] * 40 + list(range(1, 61)), "wet": [0, 1] * 50})
    if as_text:
        table.to_csv(tmp_path / "t.csv", index=False)
    samples = read_samples(tmp_path / "t.csv") if as_text else encode(table)
    assert samples.levels[0][:2] == (0, "[1, 6)")
    assert len(samples.levels[0]) == 12
    assert samples.variables.kinds[0] == "ordinal"
    assert samples.account.codebook["birds"].kind == "count"
    new = encode_like([[0, 1], [3, 0], [500, 0]], samples.levels)
    assert codes(new.bits, 0).tolist() == [0, 1, 11]


def test_example_presence():
    table = pd.DataFrame({"birds": [0, 0, 3, 7] * 20, "age": [20, 30, 40, 50] * 20})
    samples = encode(table, bins="presence")
    assert samples.levels == (("absent", "present"), (20, 30, 40, 50))
    assert codes(encode_like([[2, 20]], samples.levels).bits, 0).tolist() == [1]
    assert encode(table, bins={"birds": "presence"}).levels == samples.levels


def test_example_new_numbers_find_their_bins():
    frame = PEOPLE[["age", "income"]]
    samples = encode(frame, bins=4)
    again = encode_like(frame, samples.levels)
    assert np.array_equal(again.words, samples.words)
    beyond = encode_like([[1, 0.0], [200, 1e9]], samples.levels)
    assert [codes(beyond.bits, j).tolist() for j in range(2)] == [[0, 3], [0, 3]]


@pytest.mark.parametrize("as_objects", [False, True])
def test_example_more_numbers_than_sixteen_bits_can_tell_apart(as_objects):
    values = np.column_stack([np.arange(70_000) / 7, np.arange(70_000) % 2])
    samples = encode(values.astype(object) if as_objects else values, bins=4)
    assert np.bitwise_count(samples.words).sum(axis=1).tolist() == [17_500, 17_500, 17_500, 35_000]
    assert samples.variables.kinds == ("ordinal", "binary")


def test_example_missing_values_stay_missing():
    holes = PEOPLE.assign(age=PEOPLE["age"].where(PEOPLE.index % 7 > 0))
    kept = encode(holes, bins=4, missing="impute")
    assert np.bitwise_count(kept.missing[0]).sum() == 58
    with warns("rows-dropped", where="missing", facts=("58 of 400",)):
        dropped = encode(holes, bins=4, missing="drop")
    assert dropped.n_samples == 342
    assert len(dropped.levels[0]) == 4
    level = encode(holes, bins=4, missing="level")
    assert level.levels[0][-1] is None
    assert level.variables.kinds[0] == "nominal"


def test_property_a_file_is_cut_as_its_table_is(tmp_path):
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    from_file = read_samples(tmp_path / "people.csv", bins=4)
    assert from_file.variables == encode(PEOPLE, bins=4).variables
    assert np.array_equal(from_file.words, encode(PEOPLE, bins=4).words)


@pytest.mark.parametrize(
    ("bins", "expected"),
    [
        (1, ("option-value", "bins", "from 2 up")),
        (True, ("option-value", "bins")),
        ("many", ("option-value", "bins")),
        ({"age": 2.5}, ("option-value", "bins")),
        ({"weight": 3}, ("unknown-column", "weight")),
        ({"town": 3}, ("binned-columns", "town")),
    ],
)
def test_example_bins_that_cannot_be(bins, expected):
    with refuses(*expected):
        encode(PEOPLE, bins=bins)


def test_example_texts_that_do_not_repeat_are_left_out():
    notes = PEOPLE.assign(note=[f"n{k}" for k in range(400)])
    with warns("left-out", where="note"):
        assert "note" not in encode(notes).names
    assert encode(notes, exclude=["note"]).levels == encode(PEOPLE).levels


def test_example_whole_numbers_that_are_the_same_float():
    values = [*range(20), *(2**61 + k for k in range(20))]
    samples = encode(np.array([values, [0, 1] * 20]).T)
    assert 1 < len(samples.levels[0]) <= 12
    codes = np.unpackbits(samples.words.view(np.uint8), axis=1)[: samples.starts[1]]
    assert codes.any(axis=1).all()
