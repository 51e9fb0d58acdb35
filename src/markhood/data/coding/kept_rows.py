"""Choose the rows of a table that become samples, and their weights."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.missing import Treatment
from markhood.data.coding.problems import MINIMUM
from markhood.data.reading import SIMILARITY
from markhood.data.samples import Weights
from markhood.data.weights import as_weights, check_weights
from markhood.errors import InputError, option

FEWEST_KEPT = 30  # rows without missing values, and at least one per column


def choose_rows(table: CodedTable, treatment: Treatment) -> tuple[NDArray[np.bool_], Counter[str]]:
    """Leave out rows with missing values, if requested, and rows of weight zero.

    Return which rows are kept, and the number of others by reason.
    """
    kept = np.ones(table.n_rows, np.bool_)
    left_out: Counter[str] = Counter()
    if table.reading.missing == "drop":
        kept = ~table.planes.missing_somewhere(table.n_rows)
        _check_dropped(table, int(kept.sum()))
    elif treatment.dropped is not None:
        kept = ~treatment.dropped
    left_out["missing values"] = table.n_rows - int(kept.sum())
    given = table.reading.weights if table.given_weights is None else table.given_weights
    if given is not None and not (isinstance(given, str) and given == SIMILARITY):
        numbers = check_weights(given, table.n_rows)[kept]
        counts, unit = as_weights(numbers, len(numbers), table.reading.weights_are)
        kept[kept] = counts > 0
        check_weighted(int(kept.sum()), 1 if table.known is not None else MINIMUM)
        left_out["weight zero"] = int((counts == 0).sum())
        counts = counts[counts > 0]
        table.weights = None if unit == 1 and (counts == 1).all() else Weights(counts, unit)
    table.keep(kept)
    return kept, +left_out


def check_weighted(n_kept: int, minimum: int) -> None:
    """Raise if too few samples have a weight above zero."""
    if n_kept < minimum:
        raise InputError(
            "too-few-rows",
            "weights",
            f"{n_kept} sample(s) have a weight above zero while a minimum of {minimum} is "
            "required: give more samples a weight above zero.",
        )


def _check_dropped(table: CodedTable, n_kept: int) -> None:
    """Warn about rows that are dropped; raise where too few are left."""
    n_rows, is_known = table.n_rows, table.known is not None
    if n_kept == n_rows:
        return
    dropped = f"{n_rows - n_kept} of {n_rows} rows have missing values"
    fewest = min(max(FEWEST_KEPT, len(table.names)), n_rows / 2)
    if n_kept < (1 if is_known else max(MINIMUM, fewest)):
        raise InputError(
            "too-few-rows",
            "missing",
            f"{dropped}, and the {n_kept} others are too few to learn from: leave out the columns "
            f"with the most missing values, or use {option('missing', 'auto')}, which imputes the "
            "values.",
        )
    table.log.add_warning("rows-dropped", "missing", f"{dropped} and are dropped; {n_kept} remain.")
