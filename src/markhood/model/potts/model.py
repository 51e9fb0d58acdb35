"""`PottsModel`: a distribution of variables with any number of levels and pairwise interactions.

    log p(x) = sum_i h_i(x_i) + sum_{ij in E} T_ij(x_i, x_j) - log Z,      x_i in {0, ..., r_i - 1},

with a vector h_i of fields for each variable and a table T_ij, r_i by r_j, for each edge. The
parameters are not unique: adding a constant to a row of a table and subtracting it from a field
does not change the distribution. `zero_sum` returns the tables whose rows and columns sum to 0,
which learned graphs report. The Potts model of physics has one number in the diagonal of each
table.

`IsingModel` is the faster special case of binary variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.checks import read_only
from markhood.graph.graph import Graph
from markhood.kernels.protocol import Kernels
from markhood.model.coding import split_table
from markhood.model.potts.exact import MOST_STATES, Exact, Forest, JunctionTree, States, log_sum_exp
from markhood.model.potts.network import (
    Arrays,
    TableNeighbours,
    invalid_model,
    levels_of,
    potts_network,
    require_no_data,
    table_numbers,
)
from markhood.model.sampling.gibbs import Advance, pack_levels
from markhood.model.sampling.sampled import SampledModel


class PottsModel(SampledModel):
    """Variables with any number of levels and pairwise interactions.

    Parameters
    ----------
    graph : Graph
        The graph of interactions.
    tables : sequence of array-like of shape (r_i, r_j)
        One table per edge, aligned with ``graph.edges``, with a row for each level of the first
        variable of the edge.
    fields : sequence of array-like of shape (r_i,), optional
        One vector per variable, aligned with ``graph.nodes``; 0 by default.
    n_levels : int or sequence of int, optional
        Number of levels of all variables, or of each; required if a variable has neither a table
        nor a field.

    Attributes
    ----------
    tables, fields : tuple of ndarray
        Read-only.
    n_levels : ndarray of shape (n_variables,), dtype int64
        Read-only.

    Examples
    --------
    >>> model = PottsModel(Graph("ab", [(0, 1)]), [[[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    >>> model.n_levels.tolist()
    [2, 3]
    >>> model.log_potential([[0, 0], [1, 2]])
    array([2., 1.])
    >>> [levels.round(2).tolist() for levels in model.marginals()]
    [[0.67, 0.33], [0.59, 0.14, 0.26]]
    >>> model.sample(4, seed=1).shape
    (4, 2)
    """

    def __init__(
        self,
        graph: Graph,
        tables: Sequence[ArrayLike],
        fields: Sequence[ArrayLike] | None = None,
        n_levels: int | Sequence[int] | None = None,
    ) -> None:
        self.graph = graph
        if graph.n_nodes == 0:
            raise invalid_model("graph", "A model needs a graph with at least one variable.")
        self.tables = table_numbers(tables, graph.n_edges, 2, "tables", "edge")
        known = None
        if fields is not None:
            known = table_numbers(fields, graph.n_nodes, 1, "fields", "variable")
        self.n_levels = levels_of(graph, self.tables, known, n_levels)
        if known is None:
            require_no_data(graph)
        self.fields = known or tuple(read_only(np.zeros(r)) for r in self.n_levels.tolist())

    @classmethod
    def from_steps(
        cls, graph: Graph, couplings: ArrayLike, fields: Sequence[ArrayLike]
    ) -> PottsModel:
        """Make a model of ordered levels, with one coupling per step of both ends of an edge.

        The table of an edge is ``coupling * x_i * x_j``, with levels numbered 0, 1, ... The graph
        of the model has the couplings, and its variables and packed samples are ordinal.

        Parameters
        ----------
        graph : Graph
        couplings : array-like of shape (n_edges,)
            Aligned with ``graph.edges``, as in a graph learned from ordered levels.
        fields : sequence of array-like of shape (r_i,)
            One vector per variable, which also defines its number of levels.

        Examples
        --------
        >>> model = PottsModel.from_steps(Graph("ab", [(0, 1)]), [0.5], [[0, 1, 0], [0, 0, 0]])
        >>> model.tables[0].tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.5, 1.0], [0.0, 1.0, 2.0]]
        >>> model.sample_packed(1000, seed=1).variables.kinds
        ('ordinal', 'ordinal')
        """
        numbers = np.asarray(couplings, dtype=np.float64)
        if numbers.shape != (graph.n_edges,):
            raise invalid_model(
                "couplings",
                f"couplings must have shape ({graph.n_edges},), one for each edge, not "
                f"{numbers.shape}.",
            )
        known = table_numbers(fields, graph.n_nodes, 1, "fields", "variable")
        steps = [np.arange(len(field)) for field in known]
        tables = [
            coupling * np.multiply.outer(steps[i], steps[j])
            for coupling, (i, j) in zip(numbers.tolist(), graph.edges.tolist(), strict=True)
        ]
        levels = graph.variables.levels or tuple(tuple(own.tolist()) for own in steps)
        for name, own, field in zip(graph.nodes, levels, known, strict=True):
            if len(own) != len(field):
                raise invalid_model(
                    name,
                    f"Variable {name!r} has {len(own)} levels in the graph, but {len(field)} "
                    "fields.",
                )
        variables = Variables(graph.nodes, levels, (True,) * graph.n_nodes)
        ends = np.column_stack([numbers, numbers])
        return cls(Graph(variables, graph.edges, coupling_ends=ends), tables, known)

    def zero_sum(self) -> PottsModel:
        """Return the same distribution with zero-sum tables and fields.

        The rows and columns of each table sum to 0, and so does each field.

        Examples
        --------
        >>> model = PottsModel(Graph("ab", [(0, 1)]), [[[0.0, 0.0], [0.0, 4.0]]]).zero_sum()
        >>> model.tables[0].tolist(), model.fields[0].tolist()
        ([[1.0, -1.0], [-1.0, 1.0]], [-1.0, 1.0])
        """
        tables, fields = [], [field - field.mean() for field in self.fields]
        for (i, j), table in zip(self.graph.edges.tolist(), self.tables, strict=True):
            own, rows, columns = split_table(table)
            fields[i] = fields[i] + rows
            fields[j] = fields[j] + columns
            tables.append(own)
        return PottsModel(self.graph, tables, fields)

    def log_potential(self, samples: ArrayLike) -> Floats:
        """Return log p(x) + log Z of each sample, shape (n_samples,).

        Parameters
        ----------
        samples : array-like of shape (n_samples, n_variables)
            Level numbers.
        """
        values = self._checked(samples)
        total = np.zeros(len(values))
        for i, field in enumerate(self.fields):
            total += field[values[:, i]]
        for (i, j), table in zip(self.graph.edges.tolist(), self.tables, strict=True):
            total += table[values[:, i], values[:, j]]
        return total

    def conditionals(self, samples: ArrayLike) -> Arrays:
        """Return the probabilities of the levels of each variable given all others in its sample.

        Parameters
        ----------
        samples : array-like of shape (n_samples, n_variables)
            Level numbers.

        Returns
        -------
        tuple of ndarray of shape (n_samples, r_i)

        Examples
        --------
        >>> model = PottsModel(Graph("ab", [(0, 1)]), [[[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
        >>> model.conditionals([[0, 2]])[0].round(3)
        array([[0.269, 0.731]])
        """
        values = self._checked(samples)
        found = []
        for i, field in enumerate(self.fields):
            logs = np.tile(field, (len(values), 1))
            for position in range(*self._neighbours.lists.starts[i : i + 2].tolist()):
                j = self._neighbours.lists.values[position]
                logs += self._neighbours.table(position).T[values[:, j]]
            found.append(np.exp(logs - log_sum_exp(logs)[:, None]))
        return tuple(found)

    def marginals(self) -> Arrays:
        """Return P(x_i = a), shape (r_i,) each, for the graphs that `log_partition` supports."""
        return tuple(levels.copy() for levels in self._exact.marginals)

    def pair_marginals(self) -> Arrays:
        """Return P(x_i = a, x_j = b) of each edge, for the graphs that `log_partition` supports.

        Returns
        -------
        tuple of ndarray of shape (r_i, r_j)
        """
        return tuple(table.copy() for table in self._exact.pair_marginals)

    def as_tables(self) -> tuple[Arrays, Arrays]:
        """Return tables and fields, as `IsingModel.as_tables` does."""
        return self.tables, self.fields

    def _indicators(self, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
        levels = [(i, a) for i, r in enumerate(self.n_levels.tolist()) for a in range(1, r)]
        return {f"{self.graph.nodes[i]} = {a}": values[:, i] == a for i, a in levels}

    def __repr__(self) -> str:
        """Describe the model in a line."""
        low, high = self.n_levels.min(), self.n_levels.max()
        levels = f"{low}" if low == high else f"{low} to {high}"
        return (
            f"<PottsModel: {self.n_variables} variables of {levels} levels, "
            f"{self.graph.n_edges} tables>"
        )

    @cached_property
    def _neighbours(self) -> TableNeighbours:
        return TableNeighbours.of(self.n_variables, self.graph.edges, self.tables)

    @cached_property
    def _forest(self) -> Forest | None:
        return Forest.of(self._neighbours, self.fields)

    @cached_property
    def _exact(self) -> Exact:
        if self._forest is not None:
            return self._forest.exact(self.graph.edges)
        tree = JunctionTree.of(self.n_levels.tolist(), self.graph.edges)
        if tree is None:
            raise InputError(
                "model-size",
                "graph",
                "The graph has too many cycles for exact inference with these numbers of levels: "
                "use model.sample(...) or model.estimate_log_partition().",
            )
        return tree.exact(self.graph.edges, self.tables, self.fields)

    @cached_property
    def _exact_sampler(self) -> Forest | States | None:
        return self._forest or States.of(self.graph.edges, self.tables, self.fields)

    _no_exact_sampler = (
        "Exact sampling requires a forest or a small network, but this graph has a cycle and more "
        f"than {MOST_STATES} states."
    )

    def _gibbs_sampler(self, kernels: Kernels) -> Advance:
        return partial(kernels.gibbs, potts_network(self._neighbours, self.fields))

    @property
    def _level_counts(self) -> Ints:
        return self.n_levels

    def _packed(self, blocks: Iterator[NDArray[np.uint8]], n_samples: int) -> Samples:
        samples = pack_levels(blocks, n_samples, self.graph.nodes, self.n_levels)
        return samples.with_order(self.graph.variables.is_ordered)

    def _level_numbers(self, values: NDArray[Any]) -> Ints:
        levels = values.astype(np.int64)
        wrong = ((levels != values) | (levels < 0) | (levels >= self.n_levels)).any(axis=0)
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            raise InputError(
                "model-data",
                self.graph.nodes[i],
                f"samples of variable {self.graph.nodes[i]!r} must be level numbers from 0 to "
                f"{self.n_levels[i] - 1}.",
            )
        return levels


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
