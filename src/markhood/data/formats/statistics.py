"""Read files of SPSS, Stata and SAS, with their value labels, through pyreadstat.

Labels become the names of levels, in the order of the values: "never" (1) before "often" (3).
Values that the file declares as missing are missing. Values without a label keep their numbers.
Labelled values are ordered if some have no label, as between "not at all" (1) and "very much" (7),
if SPSS measures them as ordinal or scale, and if the labels are a recognised scale; else they are
categories. For numbers without labels the measure "nominal" is ignored, because it is the default
of SPSS.

Damaged files can crash pyreadstat or make it run forever. So it runs in a separate process and
returns JSON.

Read data frames and matrices of R (.rds, .rda, .RData) through the package rdata. Factors keep the
order of their levels, logical values become booleans, dates and times are dates, and row names are
not a column. Columns that haven labelled are read as from the file of SPSS, Stata or SAS that they
come from. For a file with several tables, the error lists their names.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from markhood.data.coding.frames import read_foreign
from markhood.data.formats.separate_process import REFUSED, SECONDS, output_of
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.scales import recognised_scale
from markhood.data.variables import level_text
from markhood.errors import InputError, file_error, installed, listed, option

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
ORDERED_MEASURES = ("ordinal", "scale")

READ = f"""
import json, sys
import pyreadstat
try:
    frame, about = getattr(pyreadstat, sys.argv[2])(sys.argv[1], output_format="pandas")
except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
    print((str(error).splitlines() or ["damaged"])[0], file=sys.stderr)
    sys.exit({REFUSED})

def plain(value):
    if value is None or value != value:
        return None
    return value if isinstance(value, (int, float, str)) else str(value)

columns = [[plain(value) for value in frame.iloc[:, k].tolist()] for k in range(frame.shape[1])]
labels = [[name, list(own.items())] for name, own in about.variable_value_labels.items()]
found = {{"names": list(map(str, frame.columns)), "columns": columns, "labels": labels}}
found["texts"] = dict(about.column_names_to_labels or {{}})
json.dump({{**found, "measures": dict(about.variable_measure or {{}})}}, sys.stdout)
"""


def read_statistics(path: Path, reading: Reading, seconds: int = SECONDS) -> Samples:
    """Read a file of SPSS, Stata or SAS, with value labels as the names of levels."""
    if find_spec("pyreadstat") is None or find_spec("pandas") is None:
        raise InputError(
            "library-missing",
            "pyreadstat",
            f"Reading {path} needs pyreadstat: pip install 'markhood[statistics]'.",
        )
    import pandas as pd

    reader = READERS[path.suffix.lower()]
    read = json.loads(output_of(READ, path, reader, seconds=seconds))
    frame = pd.DataFrame(dict(zip(range(len(read["names"])), read["columns"], strict=True)))
    frame.columns = read["names"]
    reading.log.texts.update({name: text for name, text in read["texts"].items() if text})
    n_categories = 0
    for name, labels in read["labels"]:
        if name in frame.columns:
            is_ordered = read["measures"].get(name) in ORDERED_MEASURES
            found = labelled(frame[name], dict(labels), is_ordered)
            n_categories += not found.ordered and len(found.categories) > 2
            frame[name] = found
    if n_categories and reading.kinds == "auto":
        many = n_categories > 1
        reading.log.add_note(
            "level-kinds",
            "kinds",
            f"{n_categories} column{'s'[:many]} of labelled values {'are' if many else 'is'} "
            f"nominal ({option('kinds', 'ordinal')} for ordered levels).",
        )
    return read_foreign(frame, reading)


def labelled(column: Any, labels: Mapping[Any, str], is_ordered: bool = False) -> Any:
    """Return a pandas series as categories: labels in the order of their values.

    The categories are ordered if the source declares this, if some values have no label, or if the
    labels are a recognised scale.
    """
    found = _categories(column, labels)
    is_partly = not all(isinstance(level, str) for level in found.categories)
    if is_ordered or is_partly or _is_scale(found.categories.tolist()):
        return found.as_ordered()
    return found


def _is_scale(labels: list[Any]) -> bool:
    """Return whether labels in the order of their values are a recognised scale."""
    scale = recognised_scale(labels)
    return scale is not None and list(scale) in (labels, labels[::-1])


def _categories(column: Any, labels: Mapping[Any, str]) -> Any:
    import pandas as pd

    values = sorted(
        column.dropna().unique().tolist(), key=lambda value: (isinstance(value, str), value)
    )
    uses = Counter(str(labels.get(value, "")).strip() for value in values)
    called: dict[Any, Any] = {}
    for value in values:
        label = str(labels.get(value, "")).strip()
        if not label:
            is_whole = isinstance(value, float) and value.is_integer()
            called[value] = int(value) if is_whole else value
        else:  # two values with the same label remain two levels
            called[value] = label if uses[label] == 1 else f"{label} ({level_text(value)})"
    return pd.Categorical(column.map(called), categories=list(called.values()))


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
