"""Conversion of a fitted model to a `DiscreteMarkovNetwork` of pgmpy (extra `pgmpy`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.data.variables import level_text
from markhood.errors import installed

if TYPE_CHECKING:
    from markhood.model.fitted.model import FittedModel


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
