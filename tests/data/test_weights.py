"""Weights of samples: frequencies, real numbers, columns and files of them, and similarity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from markhood.data.codebook import table_summary
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.data.reading import TableFormat
from markhood.data.samples import Weights
from markhood.data.weights import MOST_REPEATED, UNIT, as_weights, repeated, similarity_weights
from messages import ignores, refuses, warns

TABLE = np.array([[0, 1, 1], [1, 1, 0], [1, 0, 0], [2, 0, 1]])


@pytest.mark.parametrize("dtype", [int, float, np.uint8, object, list, pd.Series, pl.Series])
def test_example_whole_numbers_are_frequencies(dtype):
    values = [3, 1, 0, 12]
    given = np.array(values).astype(dtype) if isinstance(dtype, type(int)) and dtype in (
        int, float, np.uint8, object) else dtype(values)  # fmt: skip
    counts, unit = as_weights(given, 4)
    assert counts.tolist() == values
    assert counts.dtype == np.int64
    assert unit == 1


def test_example_real_weights_sum_to_the_effective_sample_size():
    counts, unit = as_weights([0.5, 2.5, 0, 3], 4)
    assert counts.tolist() == [256, 1280, 0, 1536]
    assert counts.sum() * unit == pytest.approx(6**2 / (0.5**2 + 2.5**2 + 3**2), rel=1e-4)
    assert as_weights([5e6 + 0.5, 2.5e7 + 2.5, 0, 3e7 + 3], 4)[0].tolist() == counts.tolist()
    assert as_weights([0.5, 2.5, 0, 3], 4, "frequencies")[0].tolist() == [512, 2560, 0, 3072]


@given(st.lists(st.floats(0.5, 100), min_size=1, max_size=50))
def test_property_real_weights_are_within_the_stated_precision(values):
    numbers = np.array([*values, 0.567])
    counts, unit = as_weights(numbers, len(numbers))
    assert np.abs(counts / 1024 - numbers / numbers.mean()).max() <= UNIT / 2 + 1e-12
    expected = numbers.sum() ** 2 / (numbers**2).sum()
    assert counts.sum() * unit == pytest.approx(expected, rel=2e-3)


def test_example_a_weight_that_is_rounded_to_zero_is_said_to_be():
    with warns("rows-dropped", where="weights"):
        assert as_weights([1e-9, 1.5, 1.5], 3, "frequencies")[0][0] == 0
    with warns("rows-dropped", where="weights", facts=("2 samples",)):
        samples = encode(
            [[0, 1], [1, 1], [2, 0], [3, 2]],
            weights=[1e-9, 1.5, 1.5, 1e-9],
            weights_are="frequencies",
        )
    assert samples.levels == ((1, 2), (0, 1))


@pytest.mark.parametrize("weights", [[1e-9, 1.5, 1.5, 1e-9], [1, 10**9, 10**9, 1]])
@ignores("weights-read")
def test_example_samples_with_small_survey_weights_stay(weights):
    table = [[0, 1], [1, 1], [2, 0], [3, 2]]
    samples = encode(table, weights=weights, weights_are="survey")
    assert samples.levels == ((0, 1, 2, 3), (0, 1, 2))
    assert samples.weights.counts.tolist() == [1, 2048, 2048, 1]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, 2], ("weights", "weights", "shape (2,)", "4 samples")),
        ([[1, 1, 1, 1]], ("weights", "weights", "shape (1, 4)", "4 samples")),
        (3, ("weights", "weights", "shape ()", "4 samples")),
        ([1, -1, 1, 1], ("weights", "weights", "sample 2", "negative")),
        ([1, 1, np.nan, 1], ("weights", "weights", "sample 3", "NaN")),
        ([1, 1, None, 1], ("weights", "weights", "sample 3", "NaN")),
        ([1, 1, np.inf, 1], ("weights", "weights", "sample 3", "infinite")),
        (["a", "b", "c", "d"], ("weights", "weights")),
        ([1, 1, 1j, 1], ("weights", "weights")),
        (np.ones(4, complex), ("weights", "weights")),
        ([0, 0, 0, 0], ("weights", "weights")),
        ([0, 0, 0, 5], ("too-few-rows", "weights")),
        ([1, 1, 1, 2**41], ("weights", "weights")),
        ("heavy", ("unknown-column", "heavy")),
        ({"a": 1}, ("weights", "weights")),
        ([1, (), 1, 1], ("weights", "weights")),
    ],
)
def test_example_bad_weights(weights, expected):
    with refuses(*expected) as caught:
        encode(TABLE, weights=weights)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array, pd.DataFrame])
def test_oracle_a_column_of_any_table_can_have_the_weights(kind):
    table = kind(np.column_stack([TABLE, [2, 1.5, 3, 0]]))
    names = [f"x{j}" for j in range(table.shape[1])]
    found = encode(table, names=names, weights=names[-1])
    expected = encode(TABLE, weights=[2, 1.5, 3, 0])
    assert found.fingerprint == expected.fingerprint


def test_oracle_samples_of_weight_zero_are_as_if_they_were_not_there(decode):
    samples = encode(TABLE, weights=[2, 1, 3, 0])
    assert decode(samples) == [tuple(row) for row in TABLE[:3].tolist()]
    assert samples.levels[0] == (0, 1)
    assert samples.weights.counts.tolist() == [2, 1, 3]
    assert samples.total_weight == 6
    one, other = encode(TABLE, weights=[1.5, 1, 2, 0]), encode(TABLE[:3], weights=[1.5, 1, 2])
    assert one.fingerprint == other.fingerprint


def test_example_samples_know_the_rows_that_they_came_from():
    table = [[0, 1], [1, None], [1, 0], [0, 0], [1, 1]]
    labels = ["a", "b", "c", "d", "e"]
    with warns("rows-dropped", where="missing", facts=("1 of 5",)):
        samples = encode(table, missing="drop", weights=[2, 1, 0, 1, 1])
    assert samples.rows.tolist() == [0, 3, 4]
    assert samples.per_sample(labels, "pairs").tolist() == ["a", "d", "e"]
    assert samples.per_sample(labels[:3], "pairs").tolist() == labels[:3]
    assert samples.account.rows_left_out == {"missing values": 1, "weight zero": 1}
    assert samples.take(np.array([2, 0, 2])).rows.tolist() == [4, 0, 4]
    assert repeated(samples).rows.tolist() == [0, 0, 3, 4]
    with refuses("labels", "pairs", "shape (4,)", "3 samples of 5 rows"):
        samples.per_sample(labels[:4], "pairs")
    whole = encode(TABLE)
    assert whole.rows is None
    assert not whole.account.rows_left_out
    assert whole.take(np.array([3, 1])).rows.tolist() == [3, 1]


def test_example_weights_of_one_are_no_weights():
    plain = encode(TABLE)
    assert encode(TABLE, weights=np.ones(4)).weights is None
    assert encode(TABLE, weights=np.ones(4)).fingerprint == plain.fingerprint
    assert encode(TABLE, weights=[2, 2, 2, 2]).fingerprint != plain.fingerprint


def test_example_weights_of_dropped_rows_do_not_count(decode):
    table = np.array([[0, 1], [1, np.nan], [1, 0], [0, 0]])
    with warns("rows-dropped", where="missing"):
        samples = encode(table, missing="drop", weights=[0.5, 1000, 1, 1.5])
    assert decode(samples) == [(0, 1), (1, 0), (0, 0)]
    assert samples.weights.counts.tolist() == [512, 1024, 1536]
    assert samples.total_weight == pytest.approx(3**2 / (0.5**2 + 1 + 1.5**2), rel=1e-4)


def test_example_samples_cannot_be_encoded_again():
    with refuses("option-conflict", "weights"):
        encode(encode(TABLE), weights=[1, 2, 3, 4])
    with refuses("option-conflict", "missing"):
        encode(encode(TABLE), missing="drop")


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow", ".npy", ".npz"])
@pytest.mark.parametrize("n_samples", [4, 1100])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_a_column_of_a_file(tmp_path, ending, n_samples, decode):
    table = np.random.default_rng(0).integers(0, 3, (n_samples, 4))
    table[:3] = [[0], [1], [2]]
    table[:, 1] += 1
    frame = pl.DataFrame({f"x{j}": table[:, j] for j in range(4)})
    path = tmp_path / f"t{ending}"
    {
        ".csv": frame.write_csv,
        ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc,
        ".npy": lambda place: np.save(place, np.asfortranarray(table)),
        ".npz": lambda place: np.savez(place, table),
    }[ending](path)
    samples = read_samples(path, weights="x1")
    assert samples.names == ("x0", "x2", "x3")
    assert samples.weights.counts.tolist() == table[:, 1].tolist()
    assert decode(samples) == [tuple(row) for row in table[:, [0, 2, 3]].tolist()]
    picked = read_samples(path, columns=["x3", "x1", "x0"], weights="x1")
    assert picked.names == ("x3", "x0")
    np.save(tmp_path / "w.npy", table[:, 1])
    (tmp_path / "w.txt").write_text("\n".join(map(str, table[:, 1].tolist())))
    for file in ("w.npy", "w.txt"):
        other = read_samples(path, columns=["x0", "x2", "x3"], weights=str(tmp_path / file))
        assert other.fingerprint == samples.fingerprint
    array = read_samples(path, columns=["x0", "x2", "x3"], weights=table[:, 1])
    assert array.fingerprint == samples.fingerprint


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ("c", ("weights", "weights", "line 3", "'x'")),
        ("d", ("weights", "weights", "line 2")),
        ("none", ("unknown-column", "none")),
        ("bad.txt", ("weights", "bad.txt", "'one'")),
        ("bad.npy", ("weights", "bad.npy")),
        ("short.txt", ("weights", "weights", "shape (1,)", "2 samples")),
    ],
)
def test_example_bad_columns_and_files(tmp_path, monkeypatch, weights, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,c,d\n0,1,2,\n1,0,x,1\n")
    (tmp_path / "bad.txt").write_text("1\none\n")
    (tmp_path / "bad.npy").write_text("1\n2\n")
    (tmp_path / "short.txt").write_text("1\n")
    columns = ["a", "b"] if weights != "c" else ["a", "b", "c"]
    with refuses(*expected):
        read_samples("t.csv", columns=columns, weights=weights)


def test_example_a_column_comes_before_a_file_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,w\n0,1,2\n1,0,3\n")
    (tmp_path / "w").write_text("7\n7\n")
    assert read_samples("t.csv", weights="w").weights.counts.tolist() == [2, 3]


def n_similar(table, threshold):
    """Count, pair by pair, the samples that differ in at most this share of the variables."""
    most = int(threshold * table.shape[1] + 1e-9)
    return [sum((row != other).sum() <= most for other in table) for row in table]


@pytest.mark.parametrize("threshold", [0, 0.1, 0.3, 1])
@pytest.mark.parametrize("missing", ["level", "impute"])
def test_oracle_similarity(threshold, missing):
    rng = np.random.default_rng(1)
    table = np.column_stack([rng.integers(0, r, 70) for r in [2] * 70 + [3, 4, 5, 9] * 5 + [21]])
    table[20:40] = table[:20]
    table[30:60, ::9] = 0
    gaps = np.where(rng.random(table.shape) < 0.02, np.nan, table)
    samples = encode(gaps, missing=missing)
    counts, unit = similarity_weights(samples, threshold, side=16)
    expected = n_similar(np.nan_to_num(gaps, nan=-1), threshold)
    assert np.abs(counts * unit * expected - 1).max() < 1e-3
    if threshold == 0.1:
        given = encode(gaps, missing=missing, weights="similarity").weights
        assert isinstance(given, Weights)
        assert given.counts.tolist() == counts.tolist()


COINS = np.random.default_rng(3).integers(0, 2, (200, 12))
PEOPLE = 1000 + np.arange(200)


@pytest.mark.parametrize("weights", [PEOPLE, np.where(np.arange(200) < 9, 3, PEOPLE)])
def test_example_whole_numbers_that_are_likely_a_population_are_survey_weights(weights):
    with warns("weights-read", where="weights", facts=(f"{weights.sum():.4g}",)):
        samples = encode(COINS, weights=weights)
    expected = weights.sum() ** 2 / (weights**2.0).sum()
    assert samples.total_weight == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("table", "name", "weights", "are_frequencies"),
    [
        (COINS, "weight", np.arange(200) % 5, True),
        (COINS, "n", PEOPLE, True),
        (COINS, "wtmec2yr", np.arange(200) % 5, False),
        (COINS[:, :2], "weight", PEOPLE, False),  # rows occur again
        (np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]), "weight",
         PEOPLE[:8], True),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::markhood.DataWarning")
def test_example_whole_numbers_are_recognised_by_name_size_and_table(
    table, name, weights, are_frequencies
):
    frame = pd.DataFrame(table).add_prefix("q").assign(**{name: weights})
    samples = encode(frame, weights=name)
    assert (samples.weights.unit == 1) == are_frequencies
    assert [f.code for f in samples.account.findings] == ["weights-read"]
    for own, is_one in (("frequencies", True), ("survey", False)):
        found = encode(frame, weights=name, table=TableFormat(weights_are=own))
        assert (found.weights.unit == 1) == is_one
        assert not found.account.findings


def test_example_the_scale_of_survey_weights_does_not_matter():
    weights = np.random.default_rng(0).lognormal(size=200)
    expected = encode(COINS, weights=weights).fingerprint
    for factor in (1e-5, 1e-300, 1e6, 1e305):
        assert encode(COINS, weights=factor * weights).fingerprint == expected
    assert encode(COINS, weights=np.full(200, 1e-5)).weights is None


@pytest.mark.parametrize("as_data", [pd.DataFrame, pl.DataFrame, pa.table, "array", "sparse"])
def test_oracle_a_column_of_weights_of_any_table(as_data):
    columns = {"x0": [0, 1, 1, 2], "x1": [2, 1, 0, 3], "x2": [1, 1, 0, 0]}
    table = np.array(list(columns.values())).T
    if isinstance(as_data, str):
        data = table if as_data == "array" else scipy.sparse.csr_array(table)
    else:
        data = as_data(columns)
    samples = encode(data, weights="x1")
    expected = encode(table[:, [0, 2]], names=["x0", "x2"], weights=columns["x1"])
    assert samples.names == ("x0", "x2")
    assert samples.fingerprint == expected.fingerprint
    assert table_summary(samples).left_out == {"x1": "the weights"}
    with refuses("unknown-column", "w"):
        encode(data, weights="w")


def test_property_huge_frequencies_are_repeated_in_proportion():
    samples = encode([[0, 1], [1, 0], [1, 1]], weights=[10**8, 3 * 10**8, 1])
    with warns("weights-read", where="weights"):
        found = repeated(samples)
    assert abs(found.n_samples / MOST_REPEATED - 1) < 1e-3
    assert found.ones[0] / found.n_samples == pytest.approx(0.75, abs=1e-3)
    assert repeated(encode([[0, 1], [1, 0]], weights=[2, 3])).n_samples == 5
    assert repeated(encode([[0, 1], [1, 0]], weights=[2 * 10**8, 3 * 10**8])).n_samples == 5
