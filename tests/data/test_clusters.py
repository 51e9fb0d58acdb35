"""Clusters of rows: the design effect, where clusters are carried, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.clusters import blocks_in_time, design_effect, in_clusters
from markhood.data.coding.encode import encode
from markhood.data.labels import as_samples
from markhood.data.reading import Reading
from markhood.data.stacking import stacked
from messages import refuses, warns

RNG = np.random.default_rng(5)
COINS = RNG.integers(0, 2, (400, 8))
STEPS = RNG.integers(0, 4, (400, 5))
TWICE = np.repeat(np.arange(400), 2)


@pytest.mark.parametrize("table", [COINS, STEPS, STEPS.astype(str), np.hstack([COINS, STEPS])])
@pytest.mark.parametrize("times", [2, 3])
def test_oracle_copies_of_rows_count_once(table, times):
    clusters = np.repeat(np.arange(400), times)
    samples = in_clusters(encode(np.repeat(table, times, axis=0)), clusters)
    assert samples.total_weight == pytest.approx(400, rel=0.01)


def test_oracle_clusters_of_one_row_change_nothing():
    samples = in_clusters(encode(COINS), np.arange(400))
    assert samples.total_weight == pytest.approx(400, rel=0.01)


def test_oracle_the_design_effect_is_that_of_the_textbook():
    """For clusters of m rows with intraclass correlations r_i, it is 1 + (m - 1) r_i r_j."""
    n_clusters, m = 400, 10
    shared = RNG.integers(0, 2, (n_clusters, 6)).repeat(m, axis=0)
    own = RNG.integers(0, 2, shared.shape)
    rows = np.where(RNG.random(shared.shape) < np.sqrt(0.5), shared, own)  # correlation 1/2
    samples = in_clusters(encode(rows), np.repeat(np.arange(n_clusters), m))
    assert samples.n_samples / samples.total_weight == pytest.approx(1 + 9 / 4, rel=0.1)


def test_property_unequal_weights_and_clusters_multiply():
    weights = np.random.default_rng(0).lognormal(size=400)
    alone = encode(COINS, weights=weights)
    both = in_clusters(encode(COINS[TWICE], weights=weights[TWICE]), TWICE)
    assert both.total_weight == pytest.approx(alone.total_weight, rel=0.02)


def test_oracle_frequencies_are_repeated_rows():
    counts = np.random.default_rng(1).integers(1, 4, 400)
    clusters = np.arange(400) // 8
    repeated = in_clusters(encode(np.repeat(COINS, counts, axis=0)), np.repeat(clusters, counts))
    found = in_clusters(encode(COINS, weights=counts), clusters)
    assert found.total_weight == pytest.approx(repeated.total_weight, rel=1e-4)
    assert found.total_weight < 0.7 * counts.sum()


def test_example_constant_columns_do_not_count():
    values = np.hstack([COINS[TWICE], np.zeros((800, 30), int)])
    with warns("constant-column"):
        samples = encode(values)
    assert design_effect(in_clusters(samples, TWICE)) == pytest.approx(2, rel=0.02)


def test_example_missing_values_do_not_count():
    values = COINS[TWICE].astype(float)
    values[::7, 2] = np.nan
    samples = in_clusters(encode(values, missing="impute"), TWICE)
    assert design_effect(samples) == pytest.approx(2, rel=0.05)


def test_property_a_column_or_labels_in_any_table(tmp_path):
    frame = pd.DataFrame(COINS[TWICE]).add_prefix("q").assign(person=TWICE)
    frame.to_csv(tmp_path / "table.csv", index=False)
    labels = frame.drop(columns="person")
    found = [
        as_samples(frame, Reading(clusters="person")),
        as_samples(tmp_path / "table.csv", Reading(clusters="person")),
        as_samples(labels, Reading(clusters=TWICE)),
        as_samples(labels, Reading(clusters=TWICE.tolist())),
        as_samples(encode(labels), Reading(clusters=TWICE)),
    ]
    assert len({samples.fingerprint for samples in found}) == 1
    assert found[0].names == tuple(labels.columns)
    assert as_samples(found[0], Reading(clusters="person")) is found[0]
    with refuses("option-conflict", "clusters"):
        as_samples(found[0], Reading(clusters=TWICE[::-1]))


def test_property_clusters_stay_with_their_samples(tmp_path):
    samples = in_clusters(encode(COINS[TWICE]), TWICE)
    assert samples.take(np.array([5, 0, 5])).clusters.tolist() == [2, 0, 2]
    both = stacked([samples, encode(COINS)])
    assert both.clusters[:800].tolist() == TWICE.tolist()
    assert len(set(both.clusters[800:].tolist()) - set(TWICE.tolist())) == 400
    assert both.total_weight == pytest.approx(samples.total_weight + 400, rel=1e-3)
    markhood.pack(samples, tmp_path / "packed")
    again = markhood.read_samples(tmp_path / "packed")
    assert again.clusters.tolist() == TWICE.tolist()
    assert again.total_weight == samples.total_weight


def test_property_zero_weights_and_missing_labels_stay_aligned():
    labels = [None if k % 10 == 3 else k // 2 for k in range(800)]
    weights = np.where(np.arange(800) % 7 == 0, 0, 1)
    with warns("rows-dropped", where="clusters"):
        samples = as_samples(COINS[TWICE], Reading(clusters=labels, weights=weights))
    expected = [label for label, weight in zip(labels, weights, strict=True) if weight and label]
    numbers = {label: k for k, label in enumerate(dict.fromkeys(expected))}
    found = samples.clusters.tolist()
    assert len(found) == len(
        [x for x, w in zip(labels, weights, strict=True) if w and x is not None]
    )
    assert found[-50:] == [found[-1] - max(numbers.values()) + numbers[x] for x in expected[-50:]]


def test_example_blocks_follow_time_and_keep_equal_times_together():
    times = RNG.permutation(400)
    blocks = blocks_in_time(times.tolist())
    assert (np.diff(blocks[np.argsort(times)]) >= 0).all()
    assert np.bincount(blocks).tolist() == [20] * 20
    days = blocks_in_time([f"2024-01-{day:02}" for day in range(1, 31) for _ in range(10)])
    assert all(len(set(own)) == 1 for own in days.reshape(30, 10).tolist())


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        (np.zeros(400, int), ("labels", "clusters")),
        ([1, 2], ("labels", "clusters")),
        ("school", ("unknown-column", "school")),
        (3, ("labels",)),
    ],
)
def test_example_clusters_that_cannot_be_used(clusters, expected):
    with refuses(*expected):
        markhood.learn(COINS, clusters=clusters)


def test_example_few_clusters_are_said_to_be_imprecise():
    with warns("labels", where="clusters"):
        markhood.learn(COINS, clusters=np.arange(400) % 4)
