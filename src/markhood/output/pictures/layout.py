"""Where to draw the nodes of a graph: the same coordinates for the plots and for the report.

Every connected component is laid out by itself and the components are packed in rows, the largest
first, because a force between components only drives them apart; isolated nodes, of which there is
nothing to see, are a close strip below. A component of a few hundred nodes gets the coordinates whose
distances come nearest to the lengths of the shortest ways between its nodes:

    minimise  sum_ij (|p_i - p_j| - s_ij)^2 / s_ij^2       (stress, by majorisation)

An edge is the shorter the more evidence it has, by its rank: nodes that surely belong together stand
together, and a few strong edges do not decide all.

A larger one starts from the same idea with a few pivots only, and then settles under forces:
an edge pulls with its length d, any two nodes push with 1/d^2 (with 1/d all would flee to a rim).
The push is read off a grid on which the potential of all nodes is one convolution, so that 2000
nodes and 10 000 edges take a second or two, and ten times as many some ten. igraph and networkx have
layouts too, but the first is optional, the second takes ten times as long, and neither packs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.graph.graph import Graph

Coordinates = NDArray[np.float64]
Edges = NDArray[np.int64]

_STRESS_MOST = 600  # nodes of a component that is laid out by stress
_STRESS_STEPS = 80
_PIVOTS = 40
_FORCE_STEPS = 150
_PUSH = 5.0  # against the pull of an edge
_GAP = 1.0  # between components
_STRIP = 0.5  # between isolated nodes
_LONG, _THIN, _APART = (
    40.0,
    5.0,
    1.5,
)  # what is rolled up: longer, and so many times as long as high
_SHORTEST, _LONGEST = 0.4, 1.6  # edges with the most and the least evidence


def positions(graph: Graph, seed: int = 0) -> Coordinates:
    """Return a place for every node.

    Parameters
    ----------
    graph : Graph
    seed : int, default=0
        Same seed, same coordinates; nodes that would coincide are moved apart at random.

    Returns
    -------
    ndarray of shape (n_nodes, 2)
        Edges are about one long, those with more evidence shorter; y points up.

    Examples
    --------
    >>> line = positions(Graph("abc", [(0, 1), (1, 2)]))
    >>> float(np.linalg.norm(line[2] - line[0]).round(3))
    2.0
    """
    rng = np.random.default_rng(seed)
    lengths = _lengths(graph)
    members = [nodes for nodes in _components(graph) if len(nodes) > 1]
    blocks = [_component(graph, lengths, nodes, rng) for nodes in members]
    alone = np.flatnonzero(graph.degree == 0)
    coordinates = np.zeros((graph.n_nodes, 2))
    for nodes, block in zip(members, _packed(blocks), strict=True):
        coordinates[nodes] = block
    coordinates[alone] = _strip(len(alone), coordinates[graph.degree > 0])
    return coordinates


def grid_positions(n_nodes: int, columns: int) -> Coordinates:
    """Return the cells of a grid, row by row from the top left.

    Examples
    --------
    >>> grid_positions(3, 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]]
    """
    rows, column = np.divmod(np.arange(n_nodes), columns)
    return np.column_stack([column, 0 - rows]).astype(np.float64)


def _components(graph: Graph) -> list[NDArray[np.int64]]:
    """Node numbers of the components, the largest first."""
    if not graph.n_nodes:
        return []
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(graph.adjacency(), directed=False)
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    return sorted(np.split(order, cuts), key=len, reverse=True)


def _lengths(graph: Graph) -> NDArray[np.float64]:
    """How long every edge should be: by the rank of its evidence, where that is known."""
    from scipy.stats import rankdata

    lengths = np.ones(graph.n_edges)
    known = ~np.isnan(graph.evidence)
    if known.sum() > 1:
        rank = (rankdata(graph.evidence[known]) - 1) / (known.sum() - 1)
        lengths[known] = _LONGEST - (_LONGEST - _SHORTEST) * rank
    return lengths


def _component(
    graph: Graph,
    lengths: NDArray[np.float64],
    nodes: NDArray[np.int64],
    rng: np.random.Generator,
) -> Coordinates:
    number = np.full(graph.n_nodes, -1)
    number[nodes] = np.arange(len(nodes))
    inside = number[graph.edges[:, 0]] >= 0
    edges = number[graph.edges[inside]]
    start = _pivot_coordinates(edges, len(nodes), rng)
    if len(nodes) <= _STRESS_MOST:
        coordinates, least = _least_stress(_ways(edges, lengths[inside], len(nodes)), start), 1.0
    else:
        coordinates, least = _settled(start, edges), 0.0
    turned = _rolled_up(_along_longest(coordinates))
    # A dense component would be small; every node gets the room that an isolated one has.
    room = float(np.sqrt(len(nodes)) / np.ptp(turned, axis=0).max())
    return turned * max(room, least)


def _steps(edges: Edges, n: int, sources: NDArray[np.int64] | None = None) -> Coordinates:
    """Count the steps from the sources (by default all nodes) to all nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    matrix = coo_array((np.ones(len(edges)), edges.T), shape=(n, n)).tocsr()
    found: Coordinates = dijkstra(matrix, directed=False, unweighted=True, indices=sources)
    return found


def _ways(edges: Edges, lengths: NDArray[np.float64], n: int) -> Coordinates:
    """Return the lengths of the shortest ways between all nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    matrix = coo_array((lengths, edges.T), shape=(n, n)).tocsr()
    found: Coordinates = dijkstra(matrix, directed=False)
    return found


def _pivot_coordinates(edges: Edges, n: int, rng: np.random.Generator) -> Coordinates:
    """Classical scaling of the distances to a few pivots, each far from those before it."""
    pivots = [int(np.bincount(edges.ravel(), minlength=n).argmax())]
    rows = [_steps(edges, n, np.array(pivots))[0]]
    while len(pivots) < min(_PIVOTS, n):
        pivots.append(int(np.min(rows, axis=0).argmax()))
        rows.append(_steps(edges, n, np.array(pivots[-1:]))[0])
    squares = np.array(rows).T ** 2
    centred = squares - squares.mean(0) - squares.mean(1, keepdims=True) + squares.mean()
    values, vectors = np.linalg.eigh(centred.T @ centred)
    # The sign of an eigenvector is anybody's choice; ours makes its largest entry positive.
    axes = vectors[:, -2:][:, ::-1]
    if axes.shape[1] < 2:
        axes = np.column_stack([axes, np.zeros(len(axes))])
    axes = axes * np.where(axes[np.abs(axes).argmax(0), [0, 1]] < 0, -1, 1)
    coordinates = centred @ axes / np.sqrt(max(values[-1], 1e-12)) ** 0.5
    scale = np.abs(coordinates).max() or 1.0
    noise = rng.normal(scale=0.02, size=(n, 2))
    return np.asarray(coordinates / scale * max(rows[0].max(), 1.0) + noise)


def _least_stress(ways: Coordinates, coordinates: Coordinates) -> Coordinates:
    """Majorise the stress: each step solves for the coordinates that the distances point to."""
    n = len(ways)
    away = ways + np.eye(n)
    weight = 1 / away**2
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(1)) - weight
    inverse = np.linalg.inv(laplacian[1:, 1:])  # the first node stays at the origin
    for _ in range(_STRESS_STEPS):
        apart = np.linalg.norm(coordinates[:, None] - coordinates[None], axis=2)
        pull = np.divide(weight * ways, apart, out=np.zeros_like(apart), where=apart > 1e-9)
        target = pull.sum(1)[:, None] * coordinates - pull @ coordinates
        moved = np.zeros_like(coordinates)
        moved[1:] = inverse @ (target - target.mean(0))[1:]
        done = np.abs((moved - moved.mean(0)) - (coordinates - coordinates.mean(0))).max() < 1e-3
        coordinates = moved
        if done:
            break
    return coordinates


def _settled(coordinates: Coordinates, edges: Edges) -> Coordinates:
    """Let edges pull and all nodes push, with steps that grow shorter."""
    n = len(coordinates)
    # A hub of k neighbours pulls k times; heavier, it is not pulled on top of them.
    mass = np.sqrt(np.bincount(edges.ravel(), minlength=n))
    push = _Push(n)
    size = np.sqrt(n)
    coordinates = (coordinates - coordinates.mean(0)) / (np.abs(coordinates).max() or 1.0) * size
    for step in np.linspace(1, 0, _FORCE_STEPS, endpoint=False):
        along = coordinates[edges[:, 1]] - coordinates[edges[:, 0]]
        force = _PUSH * push(coordinates, mass)
        for axis in (0, 1):
            pull = along[:, axis]
            force[:, axis] += np.bincount(edges[:, 0], pull, n) - np.bincount(edges[:, 1], pull, n)
        length = np.linalg.norm(force, axis=1, keepdims=True) + 1e-12
        coordinates = coordinates + force / length * np.minimum(length, 0.1 * size * step**1.5)
    return np.asarray(coordinates)


class _Push:
    """The push of all nodes on each other: the gradient of a potential on a grid."""

    def __init__(self, n: int) -> None:
        self._cells = cells = int(np.clip(3 * np.sqrt(n), 64, 512))
        # Padded to twice the grid, so that opposite borders do not feel each other.
        offset = np.minimum(np.arange(2 * cells), 2 * cells - np.arange(2 * cells))
        squared = offset[:, None] ** 2 + offset[None] ** 2
        self._kernel = np.fft.rfft2(1 / np.sqrt(squared + 1.0))

    def __call__(self, coordinates: Coordinates, mass: NDArray[np.float64]) -> Coordinates:
        low = coordinates.min(0)
        cell = float((coordinates.max(0) - low).max()) / (self._cells - 4) or 1.0
        where = (coordinates - low) / cell + 1.0
        corner = where.astype(np.int64)
        part = where - corner
        density = np.zeros((2 * self._cells, 2 * self._cells))
        shares = []
        for dx, dy in ((0, 0), (0, 1), (1, 0), (1, 1)):
            share = np.abs(1 - dx - part[:, 0]) * np.abs(1 - dy - part[:, 1])
            at = (corner[:, 0] + dx, corner[:, 1] + dy)
            np.add.at(density, at, mass * share)
            shares.append((at, share))
        potential = np.fft.irfft2(np.fft.rfft2(density) * self._kernel)
        force = np.zeros_like(coordinates)
        for axis, slope in enumerate(np.gradient(potential)):
            for at, share in shares:
                force[:, axis] -= slope[at] * share
        return force * (mass / cell**2)[:, None]


def _along_longest(coordinates: Coordinates) -> Coordinates:
    """Turn the longest extent to the horizontal."""
    centred = coordinates - coordinates.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes * np.where(axes[np.arange(2), np.abs(axes).argmax(1)] < 0, -1, 1)[:, None]
    return np.asarray(centred @ axes.T)


def _rolled_up(coordinates: Coordinates) -> Coordinates:
    """Wind what is long and thin around a spiral: as a band, it would be too small to be seen."""
    low, high = coordinates.min(0), coordinates.max(0)
    length, height = high - low
    turn = height + _APART  # how much further out every turn is
    if length < _LONG or length < _THIN * turn:
        return coordinates
    x, y = (coordinates - [low[0], (low[1] + high[1]) / 2]).T
    inner, growth = 0.7 * turn, turn / (2 * np.pi)
    # So much of a turn gives a way of this length along r = inner + growth * angle.
    angle = (np.sqrt(inner**2 + 2 * growth * x) - inner) / growth
    radius = inner + growth * angle + y
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _packed(blocks: list[Coordinates]) -> list[Coordinates]:
    """Set blocks in rows from the top left, the rows about as wide as all is high."""
    sizes = [np.ptp(block, axis=0) + _GAP for block in blocks]
    area = sum(float(size.prod()) for size in sizes)
    width = max([float(np.sqrt(1.6 * area)), *(float(size[0]) for size in sizes)], default=0.0)
    packed, x, y, height = [], 0.0, 0.0, 0.0
    for block, size in zip(blocks, sizes, strict=True):
        if x > 0 and x + size[0] > width + 1e-9:
            x, y, height = 0.0, y - height, 0.0
        corner = np.array([block[:, 0].min(), block[:, 1].max()])
        packed.append(block - corner + [x, y])
        x += float(size[0])
        height = max(height, float(size[1]))
    return packed


def _strip(count: int, others: Coordinates) -> Coordinates:
    """Set isolated nodes in close rows below the others, as wide as these."""
    if not count:
        return np.zeros((0, 2))
    square = int(np.ceil(np.sqrt(1.6 * count)))
    if not len(others):
        return grid_positions(count, square) * _STRIP
    low, high = others.min(0), others.max(0)
    columns = max(int((high[0] - low[0]) / _STRIP) + 1, square)
    return np.asarray(grid_positions(count, columns) * _STRIP + low - [0.0, _GAP])
