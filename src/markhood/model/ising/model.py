"""`IsingModel`: a distribution of binary variables with pairwise interactions on a graph.

    log p(x) = sum_i h_i x_i + sum_{ij in E} J_ij x_i x_j - log Z,      x_i in {0, 1},

with a field h_i for each variable and a coupling J_ij for each edge. In 0/1 coding a coupling is
the log odds ratio of two variables given all others, which learned graphs report. In physics the
coding is s_i = 2 x_i - 1 in {-1, +1}; `to_spins` and `from_spins` convert,

    J^s_ij = J_ij / 4,      h^s_i = h_i / 2 + sum_j J_ij / 4

(`markhood.recode`). `PottsModel` has the same methods for variables with more levels, which have
vectors of fields and tables of couplings. The classes are separate because binary variables allow
faster algorithms.

Forests: exact log Z, marginals and independent samples by message passing. From the leaves to the
roots, each variable i collects in a_i its field and the messages of its children. Its message to
its parent p, with coupling J, is the log ratio of the weights of the states below it for x_p = 1
and x_p = 0; with s(a) = log(1 + e^a),

    a_p += s(a_i + J) - s(a_i),        log Z += s(a_i).

The forest is then a table of conditional probabilities, P(x_i = 1 | x_p) = 1 / (1 + exp(-a_i - J
x_p)), from which marginals and ancestral samples follow from the roots down without a second pass
of messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.arrays import Floats, Ints
from markhood.data.coding.encoder import Encoder
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.kernels.protocol import Kernels
from markhood.model.coding import recode
from markhood.model.neighbours import Neighbours, breadth_first
from markhood.model.potts.exact import JunctionTree
from markhood.model.potts.network import Arrays, invalid_model, require_no_data
from markhood.model.sampling.gibbs import Advance, gibbs_network
from markhood.model.sampling.sampled import SampledModel

BLOCK_BYTES = 1 << 25


@dataclass(frozen=True, eq=False)
class Exact:
    """Normalising constant and marginals."""

    log_partition: float  # log Z
    marginals: Floats  # (n_variables,): probability that each variable is one
    # (n_edges, 2, 2): entry ``[e, a, b]`` is the probability that edge e = (i, j) has x_i = a and
    # x_j = b.
    pair_marginals: Floats


@dataclass(frozen=True, eq=False)
class Forest:
    """A forest as conditional probabilities, parents before children."""

    order: Ints  # (n_variables,): all variables, each after its parent
    parent: Ints  # (n_variables,): parent of each variable; -1 for a root
    # (n_variables,) each: P(x_i = 1) given each value of the parent; equal for a root.
    given_zero: Floats
    given_one: Floats
    log_partition: float

    @classmethod
    def of(cls, neighbours: Neighbours, fields: Floats) -> Forest | None:
        """Pass the messages; return None if the graph has a cycle."""
        order, parent, position = breadth_first(neighbours.lists)
        has_parent = parent >= 0
        if len(neighbours.couplings) != 2 * np.count_nonzero(has_parent):
            return None
        coupling = np.zeros(len(fields))
        coupling[has_parent] = neighbours.couplings[position[has_parent]]
        collected = fields.tolist()
        log_partition = 0.0
        for i in reversed(order.tolist()):
            below = float(np.logaddexp(0.0, collected[i]))
            log_partition += below
            if parent[i] >= 0:
                more = float(np.logaddexp(0.0, collected[i] + coupling[i]))
                collected[parent[i]] += more - below
        log_odds = np.array(collected)
        return cls(order, parent, sigmoid(log_odds), sigmoid(log_odds + coupling), log_partition)

    def exact(self, edges: Ints) -> Exact:
        """Return log Z, the marginals, and the pair marginals of the given edges."""
        marginals = np.empty(len(self.order))
        for i in self.order.tolist():
            above = marginals[self.parent[i]] if self.parent[i] >= 0 else 0.0
            marginals[i] = self.given_zero[i] * (1.0 - above) + self.given_one[i] * above
        # One end of each edge is the parent of the other; tables are [x_parent, x_child].
        first, second = edges[:, 0], edges[:, 1]
        downward = self.parent[second] == first
        child, parent = np.where(downward, second, first), np.where(downward, first, second)
        given = np.stack((self.given_zero[child], self.given_one[child]), axis=1)
        above = np.stack((1.0 - marginals[parent], marginals[parent]), axis=1)
        tables = np.stack((above * (1.0 - given), above * given), axis=2)
        tables[~downward] = tables[~downward].transpose(0, 2, 1)
        return Exact(self.log_partition, marginals, tables)

    def blocks(
        self,
        n_samples: int,
        seed: int | np.random.SeedSequence | np.random.Generator | None,
        block_bytes: int = BLOCK_BYTES,
    ) -> Iterator[NDArray[np.uint8]]:
        """Draw independent samples, parents before children, in blocks of rows."""
        rng = np.random.default_rng(seed)
        d = len(self.order)
        rows = 64 * max(1, block_bytes // (64 * max(1, d)))
        for first in range(0, n_samples, rows):
            n = min(rows, n_samples - first)
            values = np.empty((d, n), dtype=np.uint8)
            for i in self.order.tolist():
                probability: Floats | np.float64 = self.given_zero[i]
                if self.parent[i] >= 0:
                    by_parent = np.array((self.given_zero[i], self.given_one[i]))
                    probability = by_parent[values[self.parent[i]]]
                np.less(rng.random(n), probability, out=values[i], casting="unsafe")
            yield np.ascontiguousarray(values.T)


def sigmoid(log_odds: Floats) -> Floats:
    """Return 1 / (1 + exp(-log_odds)) without overflow."""
    small = np.exp(-np.abs(log_odds))
    result: Floats = np.where(log_odds < 0, small, 1.0) / (1.0 + small)
    return result


class IsingModel(SampledModel):
    """Binary variables with pairwise interactions, in 0/1 coding.

    Parameters
    ----------
    graph : Graph
        The graph of interactions.
    couplings : array-like of shape (n_edges,)
        Aligned with ``graph.edges``.
    fields : array-like of shape (n_variables,), optional
        Aligned with ``graph.nodes``; 0 by default. Required for a graph that was learned from data:
        use `fit_model` to estimate fields and couplings.

    Examples
    --------
    >>> model = IsingModel(Graph("abc", [(0, 1), (1, 2)]), couplings=[2.0, -1.0])
    >>> model.log_potential([[1, 1, 0], [1, 1, 1]])
    array([2., 1.])
    >>> model.marginals().round(3)
    array([0.782, 0.742, 0.329])
    >>> model.sample(100_000, seed=1).mean(axis=0).round(1)
    array([0.8, 0.7, 0.3])
    """

    def __init__(self, graph: Graph, couplings: ArrayLike, fields: ArrayLike | None = None) -> None:
        self.graph = graph
        self.couplings = _numbers(couplings, graph.n_edges, "couplings", "edge")
        if fields is None:
            require_no_data(graph)
            fields = np.zeros(graph.n_nodes)
        self.fields = _numbers(fields, graph.n_nodes, "fields", "variable")
        if graph.n_nodes == 0:
            raise invalid_model("graph", "A model needs a graph with at least one variable.")

    @classmethod
    def from_spins(
        cls, graph: Graph, couplings: ArrayLike, fields: ArrayLike | None = None
    ) -> IsingModel:
        """Make a model from couplings and fields in -1/+1 coding.

        Examples
        --------
        >>> IsingModel.from_spins(Graph("ab", [(0, 1)]), [0.5]).fields
        array([-1., -1.])
        """
        spins = cls(graph, couplings, np.zeros(graph.n_nodes) if fields is None else fields)
        return cls(graph, *recode(graph.edges, spins.couplings, spins.fields, to="01"))

    def to_spins(self) -> tuple[Floats, Floats]:
        """Return couplings and fields in -1/+1 coding.

        Examples
        --------
        >>> IsingModel(Graph("ab", [(0, 1)]), [2.0], [-1.0, -1.0]).to_spins()
        (array([0.5]), array([0., 0.]))
        """
        return recode(self.graph.edges, self.couplings, self.fields, to="spins")

    def log_potential(self, samples: ArrayLike) -> Floats:
        """Return log p(x) + log Z of each sample, shape (n_samples,).

        Parameters
        ----------
        samples : array-like of shape (n_samples, n_variables)
            Zeros and ones.
        """
        values = self._checked(samples)
        together: Floats = np.einsum("si,si->s", self._couplings_times(values), values)
        return values @ self.fields + together / 2.0

    def conditionals(self, samples: ArrayLike) -> Floats:
        """Return the probability that each variable is one given all others in its sample.

        Parameters
        ----------
        samples : array-like of shape (n_samples, n_variables)
            Zeros and ones.

        Returns
        -------
        ndarray of shape (n_samples, n_variables)

        Examples
        --------
        >>> model = IsingModel(Graph("ab", [(0, 1)]), [2.0], [-1.0, 0.0])
        >>> model.conditionals([[0, 0], [0, 1]]).round(3)
        array([[0.269, 0.5  ],
               [0.731, 0.5  ]])
        """
        return sigmoid(self.fields + self._couplings_times(self._checked(samples)))

    def marginals(self) -> Floats:
        """Return P(x_i = 1), shape (n_variables,), for the graphs that `log_partition` supports."""
        return self._exact.marginals.copy()

    def pair_marginals(self) -> Floats:
        """Return the pair marginals of all edges, for the graphs that `log_partition` supports.

        Returns
        -------
        ndarray of shape (n_edges, 2, 2)
            Entry ``[e, a, b]`` is P(x_i = a, x_j = b) for edge e = (i, j).
        """
        return self._exact.pair_marginals.copy()

    def as_tables(self) -> tuple[Arrays, Arrays]:
        """Return the tables and fields of the equivalent `PottsModel`.

        Examples
        --------
        >>> IsingModel(Graph("ab", [(0, 1)]), [2.0]).as_tables()[0][0].tolist()
        [[0.0, 0.0], [0.0, 2.0]]
        """
        tables = np.zeros((self.graph.n_edges, 2, 2))
        tables[:, 1, 1] = self.couplings
        fields = np.column_stack([np.zeros(self.n_variables), self.fields])
        return tuple(tables), tuple(fields)

    def _indicators(self, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
        return dict(zip(self.graph.nodes, values.T, strict=True))

    def __repr__(self) -> str:
        """Describe the model in a line."""
        return f"<IsingModel: {self.n_variables} variables, {self.graph.n_edges} couplings>"

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours.of(self.n_variables, self.graph.edges, self.couplings)

    @cached_property
    def _forest(self) -> Forest | None:
        return Forest.of(self._neighbours, self.fields)

    @cached_property
    def _exact(self) -> Exact:
        if self._forest is not None:
            return self._forest.exact(self.graph.edges)
        tree = JunctionTree.of([2] * self.n_variables, self.graph.edges)
        if tree is None:
            raise InputError(
                "model-size",
                "graph",
                f"The graph of {self.n_variables} variables has too many cycles for exact "
                "inference: use model.sample(...) or model.estimate_log_partition().",
            )
        summed = tree.exact(self.graph.edges, *self.as_tables())
        marginals = np.array([levels[1] for levels in summed.marginals])
        pairs = np.array(summed.pair_marginals).reshape(-1, 2, 2)
        return Exact(summed.log_partition, marginals, pairs)

    @property
    def _exact_sampler(self) -> Forest | None:
        return self._forest

    _no_exact_sampler = "Exact sampling requires a forest, but this graph has a cycle."

    def _gibbs_sampler(self, kernels: Kernels) -> Advance:
        return partial(kernels.gibbs, gibbs_network(self._neighbours, self.fields))

    @property
    def _level_counts(self) -> int:
        return 2

    def _packed(self, blocks: Iterator[NDArray[np.uint8]], n_samples: int) -> Samples:
        known = Variables(self.graph.nodes, ((0, 1),) * self.n_variables)
        encoder = Encoder(self.graph.nodes, n_samples, reading=Reading(known=known))
        for block in blocks:
            encoder.add(block)
        return encoder.finish()

    def _couplings_times(self, values: Floats) -> Floats:
        """Sum the couplings to the neighbours that are 1, for each sample and variable."""
        from scipy.sparse import csr_array

        lists = self._neighbours.lists
        shape = (self.n_variables, self.n_variables)
        matrix = csr_array((self._neighbours.couplings, lists.values, lists.starts), shape=shape)
        return np.asarray(values @ matrix)

    def _level_numbers(self, values: NDArray[Any]) -> Floats:
        if not np.isin(values, (0, 1)).all():
            raise InputError("model-data", "samples", "samples must contain zeros and ones only.")
        return values.astype(np.float64)


def _numbers(values: ArrayLike, count: int, what: str, each: str) -> Floats:
    """Return a read-only copy of `values`, finite numbers with one for `each`."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid_model(what, f"{what} must be numbers, one for each {each}.") from None
    if numbers.shape != (count,):
        raise invalid_model(
            what, f"{what} must have shape ({count},), one for each {each}, not {numbers.shape}."
        )
    if not np.isfinite(numbers).all():
        odd = numbers[~np.isfinite(numbers)][0]
        raise invalid_model(what, f"{what} must be finite, not {odd}.")
    numbers.setflags(write=False)
    return numbers
