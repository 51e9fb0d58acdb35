"""`Graph`: named nodes, and edges with their evidence and couplings.

Edges are rows (i, j) of node numbers with i < j, in lexicographic order; the numbers of an edge are
rows of arrays aligned with them. Evidence and coupling have one number from the regression of each
end, because the two may disagree in small samples:

    evidence = gain of end i + gain of end j        (gain in the penalised log-likelihood)
    coupling = (log odds ratio at i + at j) / 2     (positive or negative association)

The coupling of variables with more than two levels is a table, the mean of the zero-sum tables of
the two ends; the number is then its Frobenius norm, which has no sign.

Provenance is stored as JSON text and parsed at each access, so that the graph cannot be changed
through a nested dictionary, and every file format can store it. Equality ignores it, because it
contains run times.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.arrays import Floats, Ints
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph import actions
from markhood.graph.checks import (
    are_same,
    as_json,
    checked_annotations,
    checked_ends,
    checked_pairs,
    checked_tables,
    checked_variables,
    invalid_graph,
    node_numbers,
    read_only,
)
from markhood.graph.factors import Factors
from markhood.graph.numbering import in_order
from markhood.options import check_value, checked

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Graph:
    """An immutable undirected graph with named nodes.

    Parameters
    ----------
    nodes : iterable of str, or Variables
        Distinct names; variables also specify the levels.
    edges : array_like of int, shape (m, 2), or iterable of pairs
        Node numbers of the ends of each edge, in any order, without loops or repeated edges.
    evidence_ends : array_like of float, shape (m, 2), optional
        Gain in the score of each end (in the order of `edges`) from including the edge. NaN if
        unknown.
    coupling_ends : array_like of float, shape (m, 2), optional
        Conditional log odds ratio from the regression of each end; infinite if the data are
        separated, NaN if unknown.
    provenance : mapping, optional
        How the graph was made (version, method, parameters, data, seconds); any content that can be
        written as JSON.
    coupling_tables : sequence of array_like of shape (r_i, r_j) or None, optional
        The zero-sum coupling table of each edge, with a row for each level of its first end; None
        for an edge whose coupling is one number.
    annotations : mapping of str to array_like of float, shape (m,), optional
        Further numbers of the edges by name, such as the share of imputed data sets that have the
        edge. A name is one word of letters, digits and underscores.

    Notes
    -----
    Two graphs are equal if nodes (with their order and levels), edges, evidence, couplings and
    annotations are equal, with NaN equal to NaN. Provenance is not compared.

    Examples
    --------
    >>> graph = Graph(["rain", "wet", "sun"], [(1, 0), (1, 2)], coupling_ends=[(2, 1), (-3, -1)])
    >>> graph.edges
    array([[0, 1],
           [1, 2]])
    >>> graph.coupling
    array([ 1.5, -2. ])
    >>> graph.neighbours("wet")
    ('rain', 'sun')
    """

    __slots__ = (
        "_annotations",
        "_coupling_ends",
        "_edges",
        "_evidence_ends",
        "_index",
        "_provenance",
        "_tables",
        "_variables",
    )

    def __init__(
        self,
        nodes: Iterable[str] | Variables,
        edges: ArrayLike | Iterable[tuple[int, int]],
        evidence_ends: ArrayLike | None = None,
        coupling_ends: ArrayLike | None = None,
        provenance: Mapping[str, Any] | None = None,
        coupling_tables: Sequence[ArrayLike | None] = (),
        annotations: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._variables = checked_variables(nodes)
        self._index = node_numbers(self._variables)
        pairs = checked_pairs(edges, self.n_nodes)
        evidence = checked_ends(evidence_ends, len(pairs), "evidence_ends")
        coupling = checked_ends(coupling_ends, len(pairs), "coupling_ends")
        tables = checked_tables(coupling_tables, len(pairs))

        swapped = pairs[:, 0] > pairs[:, 1]
        for array in (pairs, evidence, coupling):
            array[swapped] = array[swapped, ::-1]
        order = in_order(pairs)
        self._edges = read_only(pairs[order])
        self._evidence_ends = read_only(evidence[order])
        self._coupling_ends = read_only(coupling[order])
        for k in np.flatnonzero(swapped).tolist() if tables else ():
            tables[k] = None if (table := tables[k]) is None else read_only(table.T)
        self._tables = tuple(tables[k] for k in order.tolist()) if tables else ()
        further = checked_annotations(annotations or {}, len(pairs))
        self._annotations = {name: read_only(further[name][order]) for name in further}
        repeated = np.flatnonzero((self._edges[1:] == self._edges[:-1]).all(axis=1))
        if repeated.size:
            a, b = (self.nodes[i] for i in self._edges[repeated[0]])
            raise invalid_graph(f"{a} - {b}", f"The edge {a!r} - {b!r} is given twice.")
        self._provenance = as_json(provenance)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return self._variables.names

    @property
    def variables(self) -> Variables:
        """The names of the nodes, and their levels if known."""
        return self._variables

    @property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The other columns that a node represents, for the nodes that represent any.

        They are copies or complements of its own column; see ``identical=`` of `learn`.
        """
        groups = zip(self.nodes, self._variables.members or (), strict=False)
        return MappingProxyType({node: tuple(m.name for m in own) for node, own in groups if own})

    @property
    def node_columns(self) -> Mapping[str, tuple[str, ...]]:
        """Descriptions of the nodes from a codebook or a file, one text per node.

        "text" is what was asked or measured, "group" the scale that the node belongs to; empty for
        a node without one. A column is present if any node has a text.

        Examples
        --------
        >>> from markhood.data.variables import Variables
        >>> Graph(Variables(("q1", "q2"), columns={"text": ("Sleep", "")}), []).node_columns["text"]
        ('Sleep', '')
        """
        return MappingProxyType(dict(self._variables.columns))

    @property
    def edges(self) -> Ints:
        """Node numbers of the ends, shape (m, 2), i < j, in lexicographic order; read-only."""
        return self._edges

    @property
    def evidence_ends(self) -> Floats:
        """Gain in the score of each end, shape (m, 2); NaN if unknown; read-only."""
        return self._evidence_ends

    @property
    def coupling_ends(self) -> Floats:
        """Conditional log odds ratio from each end, shape (m, 2); NaN if unknown; read-only."""
        return self._coupling_ends

    @property
    def evidence(self) -> Floats:
        """Gain in the penalised log-likelihood from including each edge, shape (m,)."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self._evidence_ends[:, 0] + self._evidence_ends[:, 1]

    @property
    def coupling(self) -> Floats:
        """Mean of the couplings of the two ends, shape (m,), or the Frobenius norm of a table.

        NaN if the two ends are infinite with opposite signs: both grow without bound, so their mean
        has no limit. `fit_model` gives a finite coupling to such edges.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            coupling = 0.5 * self._coupling_ends[:, 0] + 0.5 * self._coupling_ends[:, 1]
            for k, table in enumerate(self._tables):
                if table is not None and np.isfinite(coupling[k]):
                    coupling[k] = np.linalg.norm(table)
        return coupling

    @property
    def coupling_tables(self) -> tuple[Floats | None, ...]:
        """Zero-sum table of each edge, None if its coupling is a number; empty if all are None."""
        return self._tables

    @property
    def probability(self) -> Floats:
        """The annotation "probability" of each edge, shape (m,); NaN if unknown.

        Examples
        --------
        >>> Graph("abc", [(0, 1)], annotations={"probability": [0.8]}).probability
        array([0.8])
        """
        unknown = np.full(self.n_edges, np.nan)
        return self._annotations.get("probability", unknown)

    @property
    def annotations(self) -> Mapping[str, Floats]:
        """Further numbers of the edges by name, each of shape (m,); read-only."""
        return MappingProxyType(self._annotations)

    @property
    def provenance(self) -> Mapping[str, Any]:
        """How the graph was made; a read-only copy."""
        return MappingProxyType(json.loads(self._provenance))

    @property
    def factors(self) -> Factors | None:
        """The hidden factors that the graph was adjusted for, with loadings, or None."""
        provenance = self.provenance
        has_factors = bool(provenance.get("factors"))
        return Factors.from_provenance(self.variables, provenance) if has_factors else None

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._variables)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self._edges)

    @property
    def degree(self) -> Ints:
        """Number of neighbours of each node, shape (n_nodes,)."""
        return np.bincount(self._edges.ravel(), minlength=self.n_nodes).astype(np.int64)

    def neighbours(self, node: str | int) -> tuple[str, ...]:
        """Return the names of the neighbours of a node (a name or a number), in node order.

        Examples
        --------
        >>> Graph("abc", [(0, 2), (1, 2)]).neighbours("c")
        ('a', 'b')
        """
        i = self.number(node)
        lower, higher = self._edges[:, 0], self._edges[:, 1]
        # In lexicographic order both parts are sorted, and the first has only numbers below i.
        found = np.concatenate((lower[higher == i], higher[lower == i]))
        return tuple(self.nodes[j] for j in found)

    def has_edge(self, a: str | int, b: str | int) -> bool:
        """Return whether there is an edge between two nodes, given by name or number.

        Examples
        --------
        >>> Graph("abc", [(0, 2)]).has_edge("c", "a")
        True
        """
        i, j = sorted((self.number(a), self.number(b)))
        return bool(((self._edges[:, 0] == i) & (self._edges[:, 1] == j)).any())

    def edge_names(self) -> list[tuple[str, str]]:
        """Return the names of the ends of each edge, aligned with `edges`.

        Examples
        --------
        >>> Graph("abc", [(0, 2), (0, 1)]).edge_names()
        [('a', 'b'), ('a', 'c')]
        """
        nodes = self.nodes
        return [(nodes[i], nodes[j]) for i, j in self._edges.tolist()]

    @checked
    def strongest(self, k: int) -> NDArray[np.intp]:
        """Return the row numbers in `edges` of the `k` edges with the most evidence.

        Ties go to the lower row; edges with unknown evidence come last.

        Examples
        --------
        >>> Graph("abc", [(0, 1), (0, 2)], evidence_ends=[(1, 1), (4, 3)]).strongest(1)
        array([1])
        """
        return np.argsort(-self.evidence, kind="stable")[:k]

    def components(self) -> list[tuple[str, ...]]:
        """Return the connected components as tuples of names, largest first.

        Examples
        --------
        >>> Graph("abcd", [(1, 3), (2, 3)]).components()
        [('b', 'c', 'd'), ('a',)]
        """
        if not self.nodes:
            return []
        from scipy.sparse.csgraph import connected_components

        _, labels = connected_components(self.adjacency(), directed=False)
        members: dict[int, list[str]] = {}
        for name, label in zip(self.nodes, labels.tolist(), strict=True):
            members.setdefault(label, []).append(name)
        return sorted(map(tuple, members.values()), key=len, reverse=True)

    def adjacency(self, weight: str | None = None) -> csr_array:
        """Return the symmetric adjacency matrix as a scipy `csr_array`, in the order of `nodes`.

        Parameters
        ----------
        weight : str, optional
            The entries: "coupling", "evidence", or the name of an annotation; by default True for
            edges.

        Examples
        --------
        >>> Graph("ab", [(0, 1)]).adjacency().toarray()
        array([[False,  True],
               [ True, False]])
        >>> Graph("ab", [(0, 1)], coupling_ends=[(2, 1)]).adjacency("coupling").toarray()
        array([[0. , 1.5],
               [1.5, 0. ]])
        """
        from scipy.sparse import coo_array

        i, j = self._edges.T
        rows, columns = np.concatenate((i, j)), np.concatenate((j, i))
        shape = (self.n_nodes, self.n_nodes)
        entries: NDArray[Any] = np.ones(len(rows), dtype=np.bool_)
        if weight is not None:
            entries = np.tile(self._weights(weight), 2)
        return coo_array((entries, (rows, columns)), shape=shape).tocsr()

    def _weights(self, name: str) -> Floats:
        """Return the finite weights of all edges."""
        known = {"coupling": self.coupling, "evidence": self.evidence, **self._annotations}
        if name not in known:
            raise InputError(
                "graph-unknown", name, f"Edges have no {name!r}: choose one of {', '.join(known)}."
            )
        odd = np.flatnonzero(~np.isfinite(known[name]))
        if odd.size:
            a, b = self.edge_names()[int(odd[0])]
            raise InputError(
                "separated",
                f"{a} - {b}",
                f"The {name} of {a!r} - {b!r} is {known[name][odd[0]]}, but a weighted adjacency "
                "matrix needs finite numbers: use markhood.fit_model(graph, data).graph.",
            )
        return known[name]

    def __eq__(self, other: object) -> bool:
        """Compare everything except provenance, with NaN equal to NaN."""
        if not isinstance(other, Graph):
            return NotImplemented
        return (
            self._variables == other._variables
            and np.array_equal(self._edges, other._edges)
            and np.array_equal(self._evidence_ends, other._evidence_ends, equal_nan=True)
            and np.array_equal(self._coupling_ends, other._coupling_ends, equal_nan=True)
            and len(self._tables) == len(other._tables)
            and all(map(are_same, self._tables, other._tables))
            and self._annotations.keys() == other._annotations.keys()
            and all(
                are_same(self._annotations[k], other._annotations[k]) for k in self._annotations
            )
        )

    def __hash__(self) -> int:
        """Hash nodes and edges, which equal graphs share."""
        # Without floats: 0.0 and -0.0 are equal but have different bytes.
        return hash((self.nodes, self._edges.tobytes()))

    def with_provenance(self, provenance: Mapping[str, Any]) -> Graph:
        """Return the graph with another provenance, sharing all arrays.

        Examples
        --------
        >>> Graph("ab", [(0, 1)]).with_provenance({"method": "guess"}).provenance["method"]
        'guess'
        """
        same = Graph.__new__(Graph)
        for part in Graph.__slots__:
            setattr(same, part, getattr(self, part))
        same._provenance = as_json(provenance)
        return same

    def __reduce__(self) -> tuple[type[Graph], tuple[Any, ...]]:
        """Pickle through the constructor, so that the arrays of the copy are read-only."""
        arrays = (self._edges, self._evidence_ends, self._coupling_ends)
        return Graph, (
            self._variables,
            *arrays,
            dict(self.provenance),
            self._tables,
            self._annotations,
        )

    def __repr__(self) -> str:
        """Describe the size of the graph and its strongest edge in a line."""
        text = f"<Graph: {self.n_nodes} nodes, {self.n_edges} edges"
        if self.n_edges:
            degree = self.degree
            best = self.strongest(1)[0]
            a, b = self.edge_names()[best]
            text += f"; mean degree {degree.mean():.3g}, at most {degree.max()}"
            if not np.isnan(self.evidence[best]):
                text += f"; strongest {a!r} - {b!r} (evidence {self.evidence[best]:.4g})"
        return text + ">"

    # Done by other modules.
    to_frame = actions.to_frame
    communities = actions.communities
    bootstrap = actions.bootstrap
    describe_methods = actions.describe_methods
    checklist = actions.checklist
    export_reproduction = actions.export_reproduction
    show = actions.show
    unfold = actions.unfold

    def _repr_html_(self) -> str:
        from markhood.graph.notebook import graph_html

        return graph_html(self)

    def number(self, node: str | int) -> int:
        """Return the number of a node given by name or number, or by a member of its group."""
        if isinstance(node, str):
            if node not in self._index:
                raise InputError("graph-unknown", node, f"The graph has no node named {node!r}.")
            return self._index[node]
        check_value("node", node, int)
        number = operator.index(node)
        if not 0 <= number < self.n_nodes:
            raise InputError(
                "graph-unknown",
                str(number),
                f"The graph has no node number {number}; it has {self.n_nodes} nodes.",
            )
        return number
