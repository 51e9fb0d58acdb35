"""The parameters of a fitted model as rows, with level names, standard errors and intervals."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.data.variables import level_text
from markhood.errors import installed
from markhood.model.coding import check_coding
from markhood.model.ising.model import IsingModel
from markhood.options import check_value

if TYPE_CHECKING:
    from markhood.model.fitted.model import FittedModel
    from markhood.model.fitted.parameters import FittedParameters

Row = dict[str, Any]


def coupling_rows(model: FittedParameters, coding: str, level: float = 0.95) -> list[Row]:
    """Return a row for each edge, or for each cell of the table of an edge."""
    factor, numbers = _factor(model, coding), _interval("coupling", level)
    names, rows = model.variables.names, list[Row]()
    couplings = factor * model.couplings
    for k, (i, j) in enumerate(model.distribution.graph.edges.tolist()):
        ends = {"source": names[i], "target": names[j]}
        if model.errors.tables[k] is None:
            cells = [("", "", couplings[k], factor * model.errors.couplings[k])]
        else:
            own = model.table(i, j)
            cells = [
                (level_text(a), level_text(b), own.values[x, y], own.errors[x, y])
                for x, a in enumerate(own.rows)
                for y, b in enumerate(own.columns)
            ]
        rows += [
            {**ends, "source_level": a, "target_level": b, **numbers(value, error)}
            for a, b, value, error in cells
        ]
    return rows


def field_rows(model: FittedParameters, coding: str, level: float = 0.95) -> list[Row]:
    """Return a row for each variable if all are binary, else for each level."""
    _factor(model, coding)
    numbers = _interval("field", level)
    names, levels = model.variables.names, model.levels
    fields: Any = model.fields
    errors: Any = model.errors.fields
    if coding == "spins":
        fields, errors = model.to_spins()[1], model.errors.spin_fields
    if isinstance(model.distribution, IsingModel):
        return [
            {"variable": name, "level": level_text(levels[k][-1]), **numbers(fields[k], errors[k])}
            for k, name in enumerate(names)
        ]
    return [
        {"variable": name, "level": level_text(own_level), **numbers(value, error)}
        for name, own, values, own_errors in zip(names, levels, fields, errors, strict=True)
        for own_level, value, error in zip(own, values, own_errors, strict=True)
    ]


def covariate_rows(model: FittedParameters, level: float = 0.95) -> list[Row]:
    """Return a row for each variable and covariate, and for each level of nominal variables."""
    numbers, rows, at = _interval("effect", level), list[Row](), 0
    for name, levels, is_step in zip(
        model.variables.names, model.levels, model.variables.is_ordered, strict=True
    ):
        own = slice(at, at := at + len(levels))
        for covariate in model.covariates:
            effects, errors = covariate.effects[own], covariate.errors[own]
            ends = {"variable": name, "covariate": covariate.name}
            if is_step or len(levels) == 2:
                step, error = effects[1] - effects[0], 2 * errors[0] / (len(levels) - 1)
                rows.append({**ends, "level": "", **numbers(step, error)})
                continue
            rows += [
                {**ends, "level": level_text(one), **numbers(value, error)}
                for one, value, error in zip(levels, effects, errors, strict=True)
            ]
    return rows


def parameter_rows(model: FittedParameters, level: float = 0.95) -> list[Row]:
    """Return a row for each field, covariate effect and coupling, with the name of the parameter.

    Names are as in formulas: ``a`` and ``a:b`` for single numbers, ``a[x]`` and ``a[x]:b[y]`` for
    one number per level.
    """
    binary, rows = isinstance(model.distribution, IsingModel), list[Row]()
    for row in field_rows(model, "01", level):
        at = row["variable"], row["level"], "", ""
        name = row["variable"] if binary else f"{row['variable']}[{row['level']}]"
        rows.append(_parameter(name, at, row, "field"))
    for row in covariate_rows(model, level):
        at = row["variable"], row["level"], row["covariate"], ""
        name = f"{at[0]}[{at[1]}]:{at[2]}" if at[1] else f"{at[0]}:{at[2]}"
        rows.append(_parameter(name, at, row, "effect"))
    for row in coupling_rows(model, "01", level):
        at = row["source"], row["source_level"], row["target"], row["target_level"]
        name = "{}[{}]:{}[{}]".format(*at) if row["source_level"] else f"{at[0]}:{at[2]}"
        rows.append(_parameter(name, at, row, "coupling"))
    return rows


def _parameter(name: str, at: tuple[str, ...], row: Row, what: str) -> Row:
    ends = dict(zip(("variable", "level", "other", "other_level"), at, strict=True))
    numbers = {key: row[key] for key in ("error", "low", "high")}
    return {"parameter": name, **ends, "value": row[what], **numbers}


def _factor(model: FittedParameters, coding: str) -> float:
    """Return the factor of couplings in a coding."""
    check_coding(coding)
    if coding == "01":
        return 1.0
    model.to_spins()  # raises an error if some variables are not binary
    return 0.25


def deviations_within(level: float) -> float:
    """Return the two-sided normal quantile of a confidence level."""
    check_value("level", level, float, above=0, below=1)
    return NormalDist().inv_cdf((1 + level) / 2)


def _interval(what: str, level: float) -> Callable[[float, float], dict[str, float]]:
    """Return a function from an estimate and its standard error to the columns of a row."""
    half = deviations_within(level)

    def columns(value: float, error: float) -> dict[str, float]:
        low, high = value - half * error, value + half * error
        if not np.isfinite(value):
            low, high = -np.inf, np.inf
        return {what: float(value), "error": float(error), "low": float(low), "high": float(high)}

    return columns


def to_pgmpy(model: FittedModel) -> Any:
    """Return the distribution with a factor for each variable and each edge.

    States are named after the levels.
    """
    factors, models = installed("pgmpy.factors.discrete"), installed("pgmpy.models")
    names = model.variables.names
    states = {
        name: [level_text(level) for level in own]
        for name, own in zip(names, model.levels, strict=True)
    }
    network = models.DiscreteMarkovNetwork()
    network.add_nodes_from(names)
    network.add_edges_from(model.graph.edge_names())
    tables, fields = model.distribution.as_tables()
    owners: list[tuple[str, ...]] = [*((name,) for name in names), *model.graph.edge_names()]
    for own, logs in zip(owners, (*fields, *tables), strict=True):
        # Only ratios matter; subtract the maximum to avoid overflow.
        values = np.exp(logs - logs.max())
        named = {name: states[name] for name in own}
        factor = factors.DiscreteFactor(list(own), values.shape, values, state_names=named)
        network.add_factors(factor)
    return network
