"""Samples of large sparse networks, drawn piece by piece straight into packed form.

What no edge joins is independent, so every connected component can be sampled on its own: trees
exactly, others with chains of their own. Small components share a piece, because a piece costs a
little by itself. A million variables then need the memory of their bits and of a few pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples, words_per_row
from markhood.data.storage.memory import require_memory
from markhood.data.variables import Variables
from markhood.execution.runner import Progress, Runner, cut
from markhood.graph.graph import Graph
from markhood.kernels.protocol import CHAINS
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel
from markhood.model.sampling.settings import Seed, check_settings

_PIECE = 64  # variables that a piece has at least, while components are left
_BATCH = 256  # pieces whose samples wait for their place at one time


def sample_in_pieces(
    model: IsingModel | PottsModel,
    n_samples: int,
    seed: Seed = None,
    *,
    burn_in: int = 2000,
    thinning: int = 10,
    chains: int = CHAINS,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Samples:
    """Draw packed samples of a network with many connected components.

    Parameters
    ----------
    model : IsingModel or PottsModel
    n_samples : int
    seed : int, SeedSequence or Generator, optional
        The same seed gives the same data, whatever `n_jobs`; other data than ``model.sample_packed``.
    burn_in, thinning, chains : int
        Of the components that are sampled by Gibbs sampling; as in ``model.sample``.
    n_jobs : int, optional
        Threads, as in joblib: None is one, -1 all.
    progress : callable, optional
        Called with the name of the phase, pieces done and pieces in all.

    Returns
    -------
    Samples

    Examples
    --------
    >>> from markhood.simulate import disjoint, grid, hub, ising
    >>> model = ising(disjoint([grid(64), hub(64)] * 10), seed=1)
    >>> samples = sample_in_pieces(model, 1000, seed=2)
    >>> samples.n_variables, samples.n_samples
    (1280, 1000)
    """
    check_settings(n_samples, "auto", burn_in, thinning, chains, n_jobs)
    pieces = list(_pieces(model.graph))
    seeds = _as_sequence(seed).spawn(len(pieces))
    settings = {"burn_in": burn_in, "thinning": thinning, "chains": chains}
    work = partial(_sample, model, n_samples, settings)
    rows = np.ones(model.n_variables, np.int64)
    if isinstance(model, PottsModel):
        rows = model.n_levels - 1
    joined = _Joined(model.graph.nodes, n_samples, rows)
    runner = Runner(n_jobs)
    for batch in cut(len(pieces), _BATCH):
        tiles = [(pieces[k], seeds[k]) for k in batch]
        for (piece, _), part in zip(tiles, runner.map("sample", work, tiles), strict=True):
            joined.add(piece.nodes, part)
        if progress is not None:
            progress("sample", batch.stop, len(pieces))
    return joined.samples().with_order(model.graph.variables.is_ordered)


@dataclass(frozen=True, eq=False)
class _Piece:
    """Variables, ascending, and the edges among them, as rows of the graph's."""

    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]


def _pieces(graph: Graph) -> Iterator[_Piece]:
    """Cut a graph into connected components, and put small ones of a kind together."""
    from scipy.sparse.csgraph import connected_components

    n_components, labels = connected_components(graph.adjacency(), directed=False)
    sizes = np.bincount(labels, minlength=n_components)
    n_edges = np.bincount(labels[graph.edges[:, 0]], minlength=n_components)
    is_tree = (n_edges < sizes).tolist()
    owner, n_pieces = [0] * n_components, 0
    filling: dict[bool, tuple[int, int]] = {}  # the piece being filled, and its variables, by kind
    for component, size in enumerate(sizes.tolist()):
        piece, filled = filling.get(is_tree[component], (n_pieces, 0))
        n_pieces += filled == 0
        owner[component] = piece
        filled += size
        if filled < _PIECE:
            filling[is_tree[component]] = piece, filled
        else:
            filling.pop(is_tree[component], None)
    of_node = np.array(owner)[labels]
    nodes = _grouped(of_node, n_pieces)
    edges = _grouped(of_node[graph.edges[:, 0]], n_pieces)
    return map(_Piece, nodes, edges)


def _grouped(group: NDArray[np.int64], n_groups: int) -> list[NDArray[np.int64]]:
    """Return the indices that belong to each group, ascending."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group, minlength=n_groups))[:-1])


def _sample(
    model: IsingModel | PottsModel,
    n_samples: int,
    settings: dict[str, Any],
    tile: tuple[_Piece, np.random.SeedSequence],
) -> Samples:
    piece, seed = tile
    nodes = piece.nodes.tolist()
    names = [model.graph.nodes[i] for i in nodes]
    graph = Graph(names, np.searchsorted(piece.nodes, model.graph.edges[piece.edges]))
    part: IsingModel | PottsModel
    if isinstance(model, IsingModel):
        part = IsingModel(graph, model.couplings[piece.edges], model.fields[piece.nodes])
    else:
        tables = [model.tables[e] for e in piece.edges.tolist()]
        part = PottsModel(graph, tables, [model.fields[i] for i in nodes])
    return part.sample_packed(n_samples, seed, **settings)


class _Joined:
    """Rows of all variables, each in its place; a variable may come to have fewer than expected."""

    def __init__(self, names: tuple[str, ...], n_samples: int, rows: NDArray[np.int64]) -> None:
        self._names, self._n_samples = names, n_samples
        self._starts = np.cumsum(rows) - rows
        n_rows = int(rows.sum())
        require_memory(n_rows, n_samples)
        self._words = np.zeros((n_rows, words_per_row(n_samples)), np.uint64)
        self._is_used = np.zeros(n_rows, np.bool_)
        self._levels: list[tuple[int, ...]] = [()] * len(names)

    def add(self, nodes: NDArray[np.int64], part: Samples) -> None:
        lengths = np.diff(part.starts)
        within = np.arange(len(part.words)) - np.repeat(part.starts[:-1], lengths)
        at = np.repeat(self._starts[nodes], lengths) + within
        self._words[at] = part.words
        self._is_used[at] = True
        for node, levels in zip(nodes.tolist(), part.levels, strict=True):
            self._levels[node] = levels

    def samples(self) -> Samples:
        words = self._words if self._is_used.all() else self._words[self._is_used]
        return Samples(words, self._n_samples, Variables(self._names, tuple(self._levels)))


def _as_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return a sequence of its own: spawning from the caller's would change what the next call draws."""
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(int(seed.integers(1 << 63)))
    return np.random.SeedSequence(seed)
