"""The numbers of a fitted model as rows, for a data frame or a CSV: level names, errors and intervals beside them."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.data.variables import level_text
from markhood.model.coding import check_coding
from markhood.model.ising.model import IsingModel

if TYPE_CHECKING:
    from markhood.model.fitted.model import FittedModel

Row = dict[str, Any]


def coupling_rows(model: FittedModel, coding: str) -> list[Row]:
    """Return a row for every edge, or for every cell where an edge has a table."""
    factor = _factor(model, coding)
    names, rows = model.variables.names, list[Row]()
    for k, (i, j) in enumerate(model.distribution.graph.edges.tolist()):
        ends = {"source": names[i], "target": names[j]}
        if model.errors.tables[k] is None:
            cells = [("", "", factor * model.couplings[k], factor * model.errors.couplings[k])]
        else:
            own = model.table(i, j)
            cells = [
                (level_text(a), level_text(b), own.values[x, y], own.errors[x, y])
                for x, a in enumerate(own.rows)
                for y, b in enumerate(own.columns)
            ]
        rows += [
            {**ends, "source_level": a, "target_level": b, **_numbers("coupling", value, error)}
            for a, b, value, error in cells
        ]
    return rows


def field_rows(model: FittedModel, coding: str) -> list[Row]:
    """Return a row for every variable, or for every level of one where some have more than two."""
    _factor(model, coding)
    names, levels = model.variables.names, model.levels
    fields: Any = model.fields
    errors: Any = model.errors.fields
    if coding == "spins":
        fields, errors = model.to_spins()[1], model.errors.spin_fields
    if isinstance(model.distribution, IsingModel):
        return [
            {
                "variable": name,
                "level": level_text(levels[k][-1]),
                **_numbers("field", fields[k], errors[k]),
            }
            for k, name in enumerate(names)
        ]
    return [
        {"variable": name, "level": level_text(level), **_numbers("field", value, error)}
        for name, own, values, own_errors in zip(names, levels, fields, errors, strict=True)
        for level, value, error in zip(own, values, own_errors, strict=True)
    ]


def _factor(model: FittedModel, coding: str) -> float:
    """Return what couplings are multiplied with in a coding."""
    check_coding(coding)
    if coding == "01":
        return 1.0
    model.to_spins()  # which says so where some variables are not binary
    return 0.25


def _numbers(what: str, value: float, error: float) -> dict[str, float]:
    half = NormalDist().inv_cdf(0.975) * error
    low, high = (value - half, value + half) if np.isfinite(value) else (np.nan, np.nan)
    return {what: float(value), "error": float(error), "low": float(low), "high": float(high)}
