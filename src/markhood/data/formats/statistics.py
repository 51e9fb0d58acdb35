"""Files of SPSS, Stata and SAS, read through pyreadstat: values come with labels.

A labelled value is called by its label, and levels stand in the order of the values: "never" (1)
before "often" (3). What the file declares as missing is missing. In a column of which some values have
labels and others none (ages, of which 99 means "99 or more") those without keep their numbers.

pyreadstat reads in this process and does not survive every damaged file: mutated files have crashed
it, and kept it busy for ever. Such files are to be read only from people whom one trusts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markhood.data.coding.frames import read_foreign
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.variables import level_text
from markhood.errors import InputError

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


def read_statistics(path: Path, reading: Reading | None = None) -> Samples:
    """Read a file of SPSS, Stata or SAS, with the labels of values as the names of levels."""
    try:
        import pyreadstat
    except ImportError as error:
        raise InputError(
            f"Reading {path} needs pyreadstat: pip install 'markhood[statistics]'."
        ) from error
    read = getattr(pyreadstat, READERS[path.suffix.lower()])
    try:
        frame, about = read(str(path), output_format="pandas")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        reason = (str(error).splitlines() or ["damaged"])[0].rstrip(".")
        raise InputError(f"{path} cannot be read ({reason}): save it again.") from error
    for name, labels in about.variable_value_labels.items():
        if name in frame.columns:
            frame[name] = _labelled(frame[name], labels)
    return read_foreign(frame, reading or Reading())


def _labelled(column: Any, labels: Mapping[Any, str]) -> Any:
    """Return a column of values as one of categories, which are labels in the order of values."""
    import pandas as pd

    values = sorted(column.dropna().unique().tolist(), key=_by_size)
    uses = Counter(str(labels.get(value, "")).strip() for value in values)
    called: dict[Any, Any] = {}
    for value in values:
        label = str(labels.get(value, "")).strip()
        if not label:
            is_whole = isinstance(value, float) and value.is_integer()
            called[value] = int(value) if is_whole else value
        else:  # two values with one label are two levels all the same
            called[value] = label if uses[label] == 1 else f"{label} ({level_text(value)})"
    return pd.Categorical(column.map(called), categories=list(called.values()))


def _by_size(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value
