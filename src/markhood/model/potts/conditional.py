"""The conditional distribution of some variables given the others, as a pairwise model."""

from __future__ import annotations

from collections.abc import Sequence

from markhood.graph.graph import Graph
from markhood.model.potts.model import PottsModel
from markhood.model.sampling.sampled import SampledModel


def given_last(model: SampledModel, levels: Sequence[int]) -> PottsModel:
    """Return the distribution of the first variables given the levels of the last ones.

    Couplings to the given variables become part of the fields.

    Examples
    --------
    >>> import numpy as np
    >>> from markhood.model.ising.model import IsingModel
    >>> model = IsingModel(Graph("ab", [(0, 1)]), [2.0])
    >>> [given_last(model, [level]).marginals()[0].round(2).tolist() for level in (0, 1)]
    [[0.5, 0.5], [0.12, 0.88]]
    """
    graph, n = model.graph, model.n_variables - len(levels)
    tables, all_fields = model.as_tables()
    fields, stays = [field.copy() for field in all_fields[:n]], graph.edges[:, 1] < n
    for (i, j), table in zip(graph.edges.tolist(), tables, strict=True):
        if i < n <= j:
            fields[i] += table[:, levels[j - n]]
    kept = [table for table, stay in zip(tables, stays.tolist(), strict=True) if stay]
    return PottsModel(Graph(graph.variables.pick(range(n)), graph.edges[stays]), kept, fields)
