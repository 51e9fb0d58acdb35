"""Read data frames and matrices of R (.rds, .rda, .RData) through the package rdata.

Factors keep the order of their levels, logical values become booleans, dates and times are dates,
and row names are not a column. Columns that haven labelled are read as from the file of SPSS, Stata
or SAS that they come from. For a file with several tables, the error lists their names.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from markhood.data.coding.frames import read_foreign
from markhood.data.formats.statistics import labelled
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.errors import file_error, installed, listed, option


def read_r(path: Path, reading: Reading) -> Samples:
    """Read a data frame or matrix from an R file; of several, the one named by `array`."""
    rdata = installed("rdata", f"Reading {path}", "r")
    try:
        with warnings.catch_warnings(action="ignore"):  # about unknown classes
            read = rdata.read_rds if path.suffix.lower() == ".rds" else rdata.read_rda
            held = read(path, constructor_dict={**rdata.conversion.DEFAULT_CLASS_MAP, **CLASSES})
    except Exception as error:  # a damaged file can raise any exception
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise file_error(path, f"cannot be read as an R file ({reason}): save it again.") from error
    tables, array = _tables(held), reading.array
    if array is None and len(tables) == 1:
        array = next(iter(tables))
    if array in tables:
        return read_foreign(tables[array], reading)
    if not tables:
        raise file_error(path, "has no data frame and no matrix: save one of these.", "not-a-table")
    raise file_error(
        path,
        f"has {len(tables)} tables, {listed(list(map(repr, tables)))}: name one with "
        f"{option('array')}.",
        "file-part",
    )


def _tables(held: Any) -> dict[str, Any]:
    """Return the data frames of a file by name; matrices are converted to data frames."""
    import pandas as pd

    found = {}
    for name, value in (held if isinstance(held, dict) else {"": held}).items():
        if isinstance(value, pd.DataFrame):
            found[str(name)] = _plain(value)
        elif isinstance(value, np.ndarray) and value.ndim == 2:
            found[str(name)] = pd.DataFrame(value, columns=[f"x{j}" for j in range(value.shape[1])])
        elif type(value).__name__ == "DataArray" and value.ndim == 2:  # a matrix with names
            found[str(name)] = _plain(value.to_pandas())
        elif isinstance(value, Mapping) and not isinstance(held, Mapping):
            found |= _tables(dict(value))
    return found


def _plain(frame: Any) -> Any:
    frame = frame.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    return frame


def _dates(unit: Literal["D", "s"]) -> Callable[[Any, Any], Any]:
    def convert(values: Any, _: Mapping[str, Any]) -> Any:
        import pandas as pd

        return pd.to_datetime(np.ma.filled(values.astype(float), np.nan), unit=unit).array

    return convert


def _whole(values: Any, _: Mapping[str, Any]) -> Any:
    """Return 64-bit integers, whose bits R stores as numbers; the smallest one is missing."""
    import pandas as pd

    whole = values.view(np.int64)
    return pd.arrays.IntegerArray(whole, whole == np.iinfo(np.int64).min)


def _texts(values: Any, attributes: Mapping[str, Any]) -> Any:
    """Return texts that the R package wrote as codes, because rdata takes long to read texts."""
    return np.array([*attributes["levels"], None], object)[np.ma.filled(values, 0) - 1]


def _labels(values: Any, attributes: Mapping[str, Any]) -> Any:
    """Return a column that haven labelled as categories, without values declared as missing."""
    import pandas as pd

    labels: Any = attributes.get("labels")
    if not hasattr(labels, "coords"):  # no labels, or those of texts, whose names rdata drops
        return values
    column = pd.Series(np.ma.filled(values.astype(float), np.nan))
    low, high = attributes.get("na_range", (np.inf, -np.inf))
    column = column.mask(column.isin(attributes.get("na_values", ())) | column.between(low, high))
    return labelled(column, dict(zip(labels.values.tolist(), labels["dim_0"].values, strict=True)))


CLASSES: dict[str | bytes, Any] = {
    "Date": _dates("D"),
    "POSIXct": _dates("s"),
    "integer64": _whole,
    "markhood_texts": _texts,
    "haven_labelled": _labels,
    "haven_labelled_spss": _labels,
}
