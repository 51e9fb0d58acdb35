"""Numeric covariates, which stay numbers and are not variables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from markhood.data.coding.bins import AUTO, MOST_STEPS, are_numbers, columns_to_cut
from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.names import covariates_among
from markhood.data.samples import RealColumn
from markhood.errors import InputError, listed, option


def columns_of_reals(table: CodedTable) -> list[int]:
    """Return the covariates to use as numbers: over 12 distinct ones, no bins or kind requested.

    When new data are matched to known variables, they are the other columns.
    """
    reading, names = table.reading, table.names
    if reading.known is not None:
        return [j for j, name in enumerate(names) if name not in reading.known.names]
    kinds = reading.kinds if isinstance(reading.kinds, Mapping) else {}
    to_cut = {}
    if reading.bins not in (None, AUTO):
        to_cut = columns_to_cut(reading.bins, names, table.values, table.categories, None)
    return [
        j
        for j in covariates_among(names, reading.adjust_for)
        if j not in table.categories
        and j not in to_cut
        and kinds.get(names[j], AUTO) == AUTO
        and len(table.values[j]) > MOST_STEPS
        and are_numbers(table.values[j])
    ]


def take_numbers(table: CodedTable) -> None:
    """Move the covariates that stay numbers to `reals`; their columns become constant."""
    found = {}
    for j in columns_of_reals(table):
        name, codes = table.names[j], table.codes(j)
        if not are_numbers(table.values[j]):
            raise InputError(
                "covariates",
                name,
                f"The covariate {name!r} has values that are not numbers, but was numeric in the "
                "data of the graph: pass numbers.",
            )
        if (codes < 0).any():
            raise InputError(
                "covariates",
                name,
                f"The numeric covariate {name!r} has missing values, which cannot be imputed or "
                f"treated as a level: choose {option('missing', 'drop')}, or cut it into bins with "
                f"{option('bins')}.",
            )
        found[name] = RealColumn.of(np.array(table.values[j], np.float64)[codes])
        table.clear(j)
    if found and table.known is None:
        many, columns = len(found) > 1, listed([repr(name) for name in found])
        table.log.add_note(
            "covariates",
            next(iter(found)),
            f"{len(found)} covariate{'s are' if many else ' is'} used as numbers: {columns} "
            f"(cut into levels with {option('bins')}).",
        )
    table.reals = found | table.reals
