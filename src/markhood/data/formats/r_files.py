"""Data frames and matrices of R (.rds, .rda, .RData), read through the package rdata.

Factors keep their levels in their order, logical values are true and false, and the names of rows
are no column. Of a file with several tables none is chosen: they are named instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from markhood.data.coding.findings import listed
from markhood.data.coding.frames import read_foreign
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.errors import InputError, option


def read_r(path: Path, reading: Reading) -> Samples:
    """Read a data frame or matrix from a file of R; of several, the one called `array`."""
    try:
        import rdata
    except ImportError as error:
        raise InputError(f"Reading {path} needs rdata: pip install 'markhood[r]'.") from error
    try:
        with warnings.catch_warnings(action="ignore"):  # of classes that it does not know
            held = (rdata.read_rds if path.suffix.lower() == ".rds" else rdata.read_rda)(path)
    except Exception as error:  # a damaged file fails in as many ways as there are kinds of object
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(f"{path} cannot be read as R's ({reason}): save it again.") from error
    tables, array = _tables(held), reading.array
    if array is None and len(tables) == 1:
        array = next(iter(tables))
    if array in tables:
        return read_foreign(tables[array], reading)
    if not tables:
        raise InputError(f"{path} has no data frame and no matrix: save one.")
    raise InputError(
        f"{path} has {len(tables)} tables, {listed([repr(name) for name in tables])}: name one with "
        f"{option('array')}."
    )


def _tables(held: Any) -> dict[str, Any]:
    """Return the data frames among what a file holds, by name; a matrix becomes one."""
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
