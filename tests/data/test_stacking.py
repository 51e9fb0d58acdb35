"""Samples of several tables below each other: as if the stacked table had been encoded."""

import numpy as np
import pandas as pd
import pytest

from markhood.data.coding.encode import encode
from markhood.data.stacking import stacked
from messages import refuses

RNG = np.random.default_rng(3)


def table(n, seed, levels=(2, 3, 4)):
    rng = np.random.default_rng(seed)
    columns = {f"v{k}": rng.integers(0, r, n) for k, r in enumerate(levels)}
    columns["text"] = rng.choice(["no", "some", "yes"], n)
    return pd.DataFrame(columns)


@pytest.mark.parametrize("missing", ["error", "level", "impute"])
@pytest.mark.parametrize("n_tables", [2, 3])
def test_oracle_as_the_stacked_table_is_encoded(missing, n_tables):
    tables = [table(90 + 70 * k, k) for k in range(n_tables)]
    tables[1] = tables[1].assign(
        v2=tables[1]["v2"] + 2, text=tables[1]["text"].replace("no", "not")
    )
    if missing != "error":
        for k, own in enumerate(tables):
            tables[k] = own.mask(np.random.default_rng(k).random(own.shape) < 0.1)
    whole = encode(pd.concat(tables, ignore_index=True), missing=missing)
    found = stacked([encode(own, missing=missing) for own in tables])
    assert found.fingerprint == whole.fingerprint
    assert found.variables == whole.variables


def test_oracle_whole_weights_are_as_in_the_stacked_table():
    tables, counts = [table(80, 1), table(100, 2)], [RNG.integers(1, 4, n) for n in (80, 100)]
    whole = encode(pd.concat(tables), weights=np.concatenate(counts))
    parts = [
        encode(own, weights=own_counts) for own, own_counts in zip(tables, counts, strict=True)
    ]
    assert stacked(parts).fingerprint == whole.fingerprint
    half = stacked([parts[0], encode(tables[1], weights=np.tile([0.5, 1.5], 50))])
    np.testing.assert_allclose(half.bits.weighting.weights[:80], counts[0])
    scaled = np.tile([0.5, 1.5], 50) / 1.25  # to the effective sample size
    np.testing.assert_allclose(half.bits.weighting.weights[80:], scaled, rtol=1e-4)
    one = stacked([encode(tables[1]), parts[0]])
    np.testing.assert_allclose(one.bits.weighting.weights, [*np.ones(100), *counts[0]])


def test_example_levels_that_one_table_lacks_and_columns_in_another_order():
    one = encode(pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, 2, 2, 1]}))
    other = encode(pd.DataFrame({"b": [3, 1, 3, 1], "a": [1, 1, 1, 0]}))
    found = stacked([one, other])
    assert found.names == ("a", "b")
    assert found.levels == ((0, 1), (1, 2, 3))
    assert found.variables.kinds == ("binary", "ordinal")


def test_example_ordered_categories():
    def column(values, categories=("low", "mid", "high")):
        own = pd.Categorical(values, categories=categories, ordered=True)
        return encode(pd.DataFrame({"a": own, "b": np.arange(len(values)) % 2}))

    whole = column(["low", "mid", "high", "low"])
    assert stacked([whole, column(["high", "mid", "mid"])]).levels[0] == ("low", "mid", "high")
    four = ("none", "low", "mid", "high")
    with refuses("columns-differ", "a"):
        stacked([whole, column(["none", "high", "mid"], four)])
    with refuses("columns-differ", "a"):
        stacked([whole, column(["high", "mid", "low"], ("high", "mid", "low"))])


def test_example_what_cannot_be_stacked():
    numbers = RNG.integers(0, 50, (2, 200))
    cut = [
        encode(pd.DataFrame({"a": own, "b": own % 2}), bins={"a": 3})
        for own in (numbers[0], numbers[1] + 9)
    ]
    with refuses("columns-differ", "a"):
        stacked(cut)
    assert stacked([cut[0], cut[0]]).levels == cut[0].levels
    with refuses("columns-differ", "v1"):
        stacked([encode(table(50, 0)), encode(table(50, 0).drop(columns="v1"))])
