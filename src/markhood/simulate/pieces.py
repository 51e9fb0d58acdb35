"""Sampling of large sparse networks by connected components, into packed samples.

Connected components are independent, so each is sampled on its own: trees exactly, other components
by Gibbs sampling. Small components share a piece, because each piece has a fixed cost. A network of
a million variables then needs the memory of its packed bits and of a few pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from markhood.arrays import Ints
from markhood.data.samples import Samples, words_per_row
from markhood.data.storage.memory import require_memory
from markhood.data.variables import Variables
from markhood.execution.runner import Progress, Runner, cut
from markhood.graph.graph import Graph
from markhood.kernels.networks import CHAINS
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel
from markhood.model.sampling.gibbs import Seed, check_settings
from markhood.options import checked

_MIN_PIECE = 64  # variables of a piece, except for the last one of its kind
_BATCH = 256  # pieces whose samples are in memory at one time before they are joined


@checked
def sample_in_pieces(
    model: IsingModel | PottsModel,
    n_samples: int,
    seed: Seed = None,
    *,
    burn_in: int = 2000,
    thinning: int = 10,
    chains: int = CHAINS,
    n_jobs: int | None = None,
    batch: int = _BATCH,
    progress: Progress | None = None,
) -> Samples:
    """Draw packed samples of a network with many connected components.

    Parameters
    ----------
    model : IsingModel or PottsModel
    n_samples : int
    seed : int, SeedSequence or Generator, optional
        The same seed gives the same data for any `n_jobs`, but not the data of
        ``model.sample_packed``.
    burn_in, thinning, chains : int
        Settings of the Gibbs sampler, as in ``model.sample``.
    n_jobs : int, optional
        Number of threads, as in joblib: None is one, -1 all.
    batch : int, default=256
        Pieces whose samples are in memory at one time before they are joined.
    progress : callable, optional
        Called with the name of the phase, the number of pieces done and the number of pieces.

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
    for span in cut(len(pieces), batch):
        tiles = [(pieces[k], seeds[k]) for k in span]
        for (piece, _), part in zip(tiles, runner.map("sample", work, tiles), strict=True):
            joined.add(piece.nodes, part)
        if progress is not None:
            progress("sample", span.stop, len(pieces))
    return joined.samples().with_order(model.graph.variables.is_ordered)


@dataclass(frozen=True, eq=False)
class _Piece:
    """The nodes of a piece, ascending, and the row numbers of its edges in ``graph.edges``."""

    nodes: Ints
    edges: Ints


def _pieces(graph: Graph) -> Iterator[_Piece]:
    """Divide a graph into pieces: connected components, small trees and small others merged."""
    from scipy.sparse.csgraph import connected_components

    n_components, labels = connected_components(graph.adjacency(), directed=False)
    sizes = np.bincount(labels, minlength=n_components)
    n_edges = np.bincount(labels[graph.edges[:, 0]], minlength=n_components)
    is_tree = (n_edges < sizes).tolist()
    owner, n_pieces = [0] * n_components, 0
    filling: dict[bool, tuple[int, int]] = {}  # by is_tree: the piece being filled, and its size
    for component, size in enumerate(sizes.tolist()):
        piece, filled = filling.get(is_tree[component], (n_pieces, 0))
        n_pieces += filled == 0
        owner[component] = piece
        filled += size
        if filled < _MIN_PIECE:
            filling[is_tree[component]] = piece, filled
        else:
            filling.pop(is_tree[component], None)
    of_node = np.array(owner)[labels]
    nodes = _grouped(of_node, n_pieces)
    edges = _grouped(of_node[graph.edges[:, 0]], n_pieces)
    return map(_Piece, nodes, edges)


def _grouped(group: Ints, n_groups: int) -> list[Ints]:
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
    """The packed rows of all pieces; levels that were not drawn have no row in the result."""

    def __init__(self, names: tuple[str, ...], n_samples: int, rows: Ints) -> None:
        self._names, self._n_samples = names, n_samples
        self._starts = np.cumsum(rows) - rows
        n_rows = int(rows.sum())
        require_memory(n_rows, n_samples)
        self._words = np.zeros((n_rows, words_per_row(n_samples)), np.uint64)
        self._is_used = np.zeros(n_rows, np.bool_)
        self._levels: list[tuple[int, ...]] = [()] * len(names)

    def add(self, nodes: Ints, part: Samples) -> None:
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
    """Return a copy: spawning from the caller's sequence would change what the next call draws."""
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(int(seed.integers(1 << 63)))
    return np.random.SeedSequence(seed)
