"""Read data frames and matrices of R (.rds, .rda, .RData) through the package rdata.

Factors keep the order of their levels, logical values become booleans, and row names are not a
column. For a file with several tables, the error lists their names.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from markhood.data.coding.frames import read_foreign
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.errors import InputError, listed, option


def read_r(path: Path, reading: Reading) -> Samples:
    """Read a data frame or matrix from an R file; of several, the one named by `array`."""
    try:
        import rdata
    except ImportError as error:
        raise InputError(
            "library-missing", "rdata", f"Reading {path} needs rdata: pip install 'markhood[r]'."
        ) from error
    try:
        with warnings.catch_warnings(action="ignore"):  # about unknown classes
            held = (rdata.read_rds if path.suffix.lower() == ".rds" else rdata.read_rda)(path)
    except Exception as error:  # a damaged file can raise any exception
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(
            "file-damaged",
            path.name,
            f"{path} cannot be read as an R file ({reason}): save it again.",
        ) from error
    tables, array = _tables(held), reading.array
    if array is None and len(tables) == 1:
        array = next(iter(tables))
    if array in tables:
        return read_foreign(tables[array], reading)
    if not tables:
        raise InputError(
            "not-a-table", path.name, f"{path} has no data frame and no matrix: save one of these."
        )
    raise InputError(
        "file-part",
        path.name,
        f"{path} has {len(tables)} tables, {listed(list(map(repr, tables)))}: name one with "
        f"{option('array')}.",
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
