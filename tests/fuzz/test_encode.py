"""Data of any kind: nothing but our own clear errors comes out."""

from __future__ import annotations

import datetime
import decimal
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fuzz.harness import encode_anything

pytestmark = pytest.mark.fuzz

SCALARS = st.one_of(
    st.sampled_from([0, 1, "a", "b", None, float("nan"), True]),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.booleans(),
    st.complex_numbers(),
    st.dates(),
    st.datetimes(timezones=st.sampled_from([None, datetime.UTC])),
    st.decimals(),
    st.fractions(),
    st.sampled_from([pd.NA, pd.NaT, np.datetime64("NaT", "D"), np.float32("nan"), np.int8(3)]),
    st.sampled_from([decimal.Decimal("sNaN"), fractions.Fraction(1, 3), object(), int, ...]),
    st.sampled_from([(), (1, 2), frozenset([1]), [], {}, {1}, np.array([1, 2]), np.array(1)]),
)
OPTIONS = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["error", "drop", "level", "impute"]),
        "missing_values": st.lists(SCALARS, max_size=2),
        "max_levels": st.sampled_from([2, 64, 65535]),
        "weights": st.one_of(
            st.none(),
            st.just("similarity"),
            st.lists(st.floats() | st.integers(), max_size=5),
            st.lists(SCALARS, max_size=5),
        ),
        "weights_are": st.sampled_from(["auto", "frequencies", "survey"]),
    }
)


def columns_of(values, min_columns=0):
    return st.integers(0, 6).flatmap(
        lambda n: st.lists(
            st.lists(values, min_size=n, max_size=n), min_size=min_columns, max_size=4
        )
    )


MANY = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@MANY
@given(columns_of(SCALARS), OPTIONS)
def test_property_lists_and_arrays_of_objects(columns, options):
    rows = [list(row) for row in zip(*columns, strict=True)]
    encode_anything(rows, **options)
    array = np.empty((len(rows), len(columns)), object)
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            array[r, c] = value
    encode_anything(array, **options)


@MANY
@given(
    hnp.arrays(
        st.one_of(
            hnp.scalar_dtypes(), hnp.unicode_string_dtypes(), hnp.byte_string_dtypes(),
            hnp.datetime64_dtypes(), hnp.timedelta64_dtypes(), hnp.array_dtypes(),
        ),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=8),
    ),
    OPTIONS,
)  # fmt: skip
def test_property_arrays_of_any_dtype(array, options):
    encode_anything(array, **options)


@MANY
@given(st.one_of(SCALARS, st.lists(SCALARS), st.dictionaries(st.text(), SCALARS)), OPTIONS)
def test_property_what_is_no_table(data, options):
    encode_anything(data, **options)


@MANY
@given(columns_of(SCALARS, 2), st.lists(SCALARS, min_size=4, max_size=4), OPTIONS)
def test_property_pandas(columns, names, options):
    frame = pd.DataFrame(dict(enumerate(columns)), dtype=object)
    encode_anything(frame, **options)
    encode_anything(frame.infer_objects(), **options)
    try:
        frame.columns = names[: len(columns)]
    except (TypeError, ValueError):
        return
    encode_anything(frame, **options)


ONE_KIND = [
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.none() | st.integers(0, 3),
    st.none() | st.floats(),
    st.none() | st.booleans(),
    st.none() | st.text(max_size=2),
    st.none() | st.binary(max_size=2),
    st.none() | st.dates(),
    st.none() | st.lists(st.integers(0, 1), max_size=2),
    st.none(),
]


@MANY
@given(st.lists(st.sampled_from(ONE_KIND), min_size=1, max_size=4), st.data(), OPTIONS)
def test_property_polars_and_arrow(kinds, data, options):
    n = data.draw(st.integers(0, 6))
    columns = {
        f"x{j}": data.draw(st.lists(kind, min_size=n, max_size=n)) for j, kind in enumerate(kinds)
    }
    encode_anything(pl.DataFrame(columns, strict=False), **options)
    encode_anything(pa.table(columns), **options)
