"""`PottsModel`: a distribution of variables with any number of levels and pairwise interactions.

    log p(x) = sum_i h_i(x_i) + sum_{ij in E} T_ij(x_i, x_j) - log Z,      x_i in {0, ..., r_i - 1},

with a vector h_i of fields for every variable and a table T_ij, r_i by r_j, for every edge. Many
tables and fields are the same distribution: a number added to a row of a table and taken off a field
changes nothing. `zero_sum` chooses the ones whose every row and column sums to nothing, which is what
a learned graph reports. Physicists' Potts model has one number in the diagonal of each table.

`IsingModel` is the case of two levels everywhere, and faster for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.checks import read_only
from markhood.graph.graph import Graph
from markhood.kernels.protocol import CHAINS, Kernels
from markhood.model.convergence import Convergence, chain_diagnostics
from markhood.model.junction_tree import JunctionTree
from markhood.model.potts.checks import levels_of, require_no_data, table_numbers
from markhood.model.potts.exact import MOST_STATES, Exact, Forest, States, log_sum_exp
from markhood.model.potts.tables import Arrays, TableNeighbours, potts_network
from markhood.model.sampling.gibbs import Advance
from markhood.model.sampling.packing import pack_levels
from markhood.model.sampling.sampled import SampledModel
from markhood.model.sampling.settings import require_counts
from markhood.model.zero_sum import split_table


class PottsModel(SampledModel):
    """Variables with any number of levels and pairwise interactions.

    Parameters
    ----------
    graph : Graph
        Which variables interact.
    tables : sequence of array-like of shape (r_i, r_j)
        One for every edge, aligned with ``graph.edges``: a row for each level of the edge's first
        variable.
    fields : sequence of array-like of shape (r_i,), optional
        One for every variable, aligned with ``graph.nodes``; zero by default.
    n_levels : int or sequence of int, optional
        Levels of every variable, or of each; needed where neither a table nor a field tells them.

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
            raise InputError("A model needs at least one variable, and the graph has no nodes.")
        self.tables = table_numbers(tables, graph.n_edges, 2, "tables", "edge")
        known = (
            None
            if fields is None
            else table_numbers(fields, graph.n_nodes, 1, "fields", "variable")
        )
        self.n_levels = levels_of(graph, self.tables, known, n_levels)
        if known is None:
            require_no_data(graph)
        self.fields = known or tuple(read_only(np.zeros(r)) for r in self.n_levels.tolist())

    @classmethod
    def from_steps(
        cls, graph: Graph, couplings: ArrayLike, fields: Sequence[ArrayLike]
    ) -> PottsModel:
        """Make the model of ordered levels, in which an edge is one number: what a step adds.

        The table of an edge is ``coupling * x_i * x_j``, with levels 0, 1, ... as they are numbered. The
        model's graph has the couplings and says that levels are ordered, and so do packed samples.

        Parameters
        ----------
        graph : Graph
        couplings : array-like of shape (n_edges,)
            Aligned with ``graph.edges``, as a graph learned from ordered levels reports them.
        fields : sequence of array-like of shape (r_i,)
            One for every variable, which also tell how many levels it has.

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
            raise InputError(
                f"There must be {graph.n_edges} couplings, one for every edge, and these have shape "
                f"{numbers.shape}."
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
                raise InputError(
                    f"Variable {name!r} has {len(own)} levels in the graph, and {len(field)} fields."
                )
        variables = Variables(graph.nodes, levels, (True,) * graph.n_nodes)
        ends = np.column_stack([numbers, numbers])
        return cls(Graph(variables, graph.edges, coupling_ends=ends), tables, known)

    def zero_sum(self) -> PottsModel:
        """Return the same distribution with tables and fields that sum to nothing.

        Every row and every column of each table then sums to zero, and so does every field.

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

    def log_potential(self, samples: ArrayLike) -> NDArray[np.float64]:
        """Return log p(x) + log Z of every sample, shape (n_samples,).

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
        """Return the probability of each variable's levels given all others in the sample.

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

    def log_partition(self) -> float:
        """Return log Z: for forests, any graph of at most 2^20 states, and all that are nearly trees."""
        return self._exact.log_partition

    def marginals(self) -> Arrays:
        """Return P(x_i = a), of shape (r_i,) each, wherever `log_partition` is possible."""
        return tuple(levels.copy() for levels in self._exact.marginals)

    def pair_marginals(self) -> Arrays:
        """Return P(x_i = a, x_j = b) of every edge, wherever `log_partition` is possible.

        Returns
        -------
        tuple of ndarray of shape (r_i, r_j)
        """
        return tuple(table.copy() for table in self._exact.pair_marginals)

    def as_tables(self) -> tuple[Arrays, Arrays]:
        """Return tables and fields, as `IsingModel.as_tables` does."""
        return self.tables, self.fields

    def convergence(self, samples: ArrayLike, chains: int = CHAINS) -> Convergence:
        """Summarise how well the chains of a Gibbs sample agree: R-hat, effective samples.

        Parameters
        ----------
        samples : array-like of shape (n_samples, n_variables)
            What `sample` returned.
        chains : int, default=16
            As given to `sample`.

        Returns
        -------
        Convergence
            Of how often each level but the first occurs, and of the log potential.

        Examples
        --------
        >>> model = PottsModel(Graph("ab", [(0, 1)]), [[[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
        >>> model.convergence(model.sample(3200, seed=1, method="gibbs")).names
        ('a = 1', 'b = 1', 'b = 2', 'log potential')
        """
        values = self._checked(samples)
        require_counts(chains=chains)
        draws = len(values) // chains
        levels = [(i, a) for i, r in enumerate(self.n_levels.tolist()) for a in range(1, r)]
        names = *(f"{self.graph.nodes[i]} = {a}" for i, a in levels), "log potential"
        indicators = [values[:, i] == a for i, a in levels]
        traced = np.column_stack((*indicators, self.log_potential(values)))[: draws * chains]
        return chain_diagnostics(traced.reshape(draws, chains, traced.shape[1]), names)

    def __repr__(self) -> str:
        """Say how large the model is."""
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
    def _summed(self) -> Forest | States | None:
        forest = Forest.of(self._neighbours, self.fields)
        return forest or States.of(self.graph.edges, self.tables, self.fields)

    @cached_property
    def _exact(self) -> Exact:
        if self._summed is not None:
            return self._summed.exact(self.graph.edges)
        tree = JunctionTree.of(self.n_levels.tolist(), self.graph.edges)
        if tree is None:
            raise InputError(
                "The graph has too many cycles among variables of these levels for exact answers; "
                "estimate them from model.sample(...), or model.estimate_log_partition()."
            )
        return tree.exact(self.graph.edges, self.tables, self.fields)

    @property
    def _exact_sampler(self) -> Forest | States | None:
        return self._summed

    _no_exact_sampler = (
        "Only forests and small networks are sampled exactly, and this graph has a cycle and more "
        f"than {MOST_STATES} states."
    )

    def _gibbs_sampler(self, kernels: Kernels) -> Advance:
        return partial(kernels.gibbs, potts_network(self._neighbours, self.fields))

    @property
    def _level_counts(self) -> NDArray[np.int64]:
        return self.n_levels

    def _packed(self, blocks: Iterator[NDArray[np.uint8]], n_samples: int) -> Samples:
        samples = pack_levels(blocks, n_samples, self.graph.nodes, self.n_levels)
        return samples.with_order(self.graph.variables.is_ordered)

    def _checked(self, samples: ArrayLike) -> NDArray[np.int64]:
        values = np.asarray(samples)
        if values.ndim != 2 or values.shape[1] != self.n_variables:
            raise InputError(
                f"Samples of this model have shape (n_samples, {self.n_variables}), and these "
                f"have {values.shape}."
            )
        levels = values.astype(np.int64)
        wrong = ((levels != values) | (levels < 0) | (levels >= self.n_levels)).any(axis=0)
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"Samples of variable {self.graph.nodes[i]!r} are levels from 0 to "
                f"{self.n_levels[i] - 1}, and these are not."
            )
        return levels
