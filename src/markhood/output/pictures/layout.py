"""Coordinates of the nodes of a graph by their edges, for plots and report.

Every connected component is laid out separately, and the components are packed in rows, the largest
first; isolated nodes are in a strip below. A component of up to a few hundred nodes minimises the
stress between the distances on the plane and the shortest-path lengths s_ij:

    minimise  sum_ij (|p_i - p_j| - s_ij)^2 / s_ij^2       (by majorisation)

Edges with more evidence are shorter, by the rank of the evidence, so that a few strong edges do not
dominate.

A larger component starts from pivot scaling and then follows forces: an edge attracts with its
length d, and any two nodes repel with 1/d^2 (with 1/d, nodes collect at a rim). The repulsion is
the gradient of a potential that is computed on a grid by one convolution. igraph and networkx have
layouts too, but igraph is optional, networkx is slower, and neither packs components.
"""

from __future__ import annotations

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.graph.graph import Graph

Coordinates = Floats
Edges = Ints

_MAX_STRESS_NODES = 600  # larger components use forces
_STRESS_STEPS = 80
_PIVOTS = 40
_FORCE_STEPS = 150
_REPULSION = 5.0  # relative to the attraction of an edge
_GAP = 1.0  # between components
_STRIP = 0.5  # between isolated nodes
# A component that is longer than this, and this many times as long as high, becomes a spiral.
_LONG, _THIN, _APART = 40.0, 5.0, 1.5
_SHORTEST, _LONGEST = 0.4, 1.6  # edges with the most and the least evidence


def positions(graph: Graph, seed: int = 0) -> Coordinates:
    """Return the coordinates of every node.

    Parameters
    ----------
    graph : Graph
    seed : int, default=0
        Random seed, which separates nodes that would coincide.

    Returns
    -------
    ndarray of shape (n_nodes, 2)
        Edges have a length of about one, and are shorter with more evidence; y points up.

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


def _components(graph: Graph) -> list[Ints]:
    """Return the node numbers of the components, the largest first."""
    if not graph.n_nodes:
        return []
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(graph.adjacency(), directed=False)
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    return sorted(np.split(order, cuts), key=len, reverse=True)


def _lengths(graph: Graph) -> Floats:
    """Return the desired length of every edge, by the rank of its evidence if known."""
    from scipy.stats import rankdata

    lengths = np.ones(graph.n_edges)
    known = ~np.isnan(graph.evidence)
    if known.sum() > 1:
        rank = (rankdata(graph.evidence[known]) - 1) / (known.sum() - 1)
        lengths[known] = _LONGEST - (_LONGEST - _SHORTEST) * rank
    return lengths


def _component(graph: Graph, lengths: Floats, nodes: Ints, rng: np.random.Generator) -> Coordinates:
    number = np.full(graph.n_nodes, -1)
    number[nodes] = np.arange(len(nodes))
    inside = number[graph.edges[:, 0]] >= 0
    edges = number[graph.edges[inside]]
    start = _pivot_coordinates(edges, len(nodes), rng)
    if len(nodes) <= _MAX_STRESS_NODES:
        coordinates, least = (
            _least_stress(_path_lengths(edges, lengths[inside], len(nodes)), start),
            1.0,
        )
    else:
        coordinates, least = _settled(start, edges), 0.0
    turned = _rolled_up(_along_longest(coordinates))
    # Enlarge a dense component, so that nodes have the spacing of isolated nodes.
    room = float(np.sqrt(len(nodes)) / np.ptp(turned, axis=0).max())
    return turned * max(room, least)


def _steps(edges: Edges, n: int, sources: Ints | None = None) -> Coordinates:
    """Return the number of edges on the shortest paths from the sources (by default all nodes)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    matrix = coo_array((np.ones(len(edges)), edges.T), shape=(n, n)).tocsr()
    found: Coordinates = dijkstra(matrix, directed=False, unweighted=True, indices=sources)
    return found


def _path_lengths(edges: Edges, lengths: Floats, n: int) -> Coordinates:
    """Return the lengths of the shortest paths between all nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    matrix = coo_array((lengths, edges.T), shape=(n, n)).tocsr()
    found: Coordinates = dijkstra(matrix, directed=False)
    return found


def _pivot_coordinates(edges: Edges, n: int, rng: np.random.Generator) -> Coordinates:
    """Scale the distances to a few pivots, each far from the previous ones."""
    pivots = [int(np.bincount(edges.ravel(), minlength=n).argmax())]
    rows = [_steps(edges, n, np.array(pivots))[0]]
    while len(pivots) < min(_PIVOTS, n):
        pivots.append(int(np.min(rows, axis=0).argmax()))
        rows.append(_steps(edges, n, np.array(pivots[-1:]))[0])
    squares = np.array(rows).T ** 2
    centred = squares - squares.mean(0) - squares.mean(1, keepdims=True) + squares.mean()
    values, vectors = np.linalg.eigh(centred.T @ centred)
    # The sign of an eigenvector is arbitrary: make its largest entry positive.
    axes = vectors[:, -2:][:, ::-1]
    if axes.shape[1] < 2:
        axes = np.column_stack([axes, np.zeros(len(axes))])
    axes = axes * np.where(axes[np.abs(axes).argmax(0), [0, 1]] < 0, -1, 1)
    coordinates = centred @ axes / np.sqrt(max(values[-1], 1e-12)) ** 0.5
    scale = np.abs(coordinates).max() or 1.0
    noise = rng.normal(scale=0.02, size=(n, 2))
    return np.asarray(coordinates / scale * max(rows[0].max(), 1.0) + noise)


def _least_stress(lengths: Coordinates, coordinates: Coordinates) -> Coordinates:
    """Minimise the stress by majorisation."""
    n = len(lengths)
    away = lengths + np.eye(n)
    weight = 1 / away**2
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(1)) - weight
    inverse = np.linalg.inv(laplacian[1:, 1:])  # the first node stays at the origin
    for _ in range(_STRESS_STEPS):
        apart = np.linalg.norm(coordinates[:, None] - coordinates[None], axis=2)
        pull = np.divide(weight * lengths, apart, out=np.zeros_like(apart), where=apart > 1e-9)
        target = pull.sum(1)[:, None] * coordinates - pull @ coordinates
        moved = np.zeros_like(coordinates)
        moved[1:] = inverse @ (target - target.mean(0))[1:]
        done = np.abs((moved - moved.mean(0)) - (coordinates - coordinates.mean(0))).max() < 1e-3
        coordinates = moved
        if done:
            break
    return coordinates


def _settled(coordinates: Coordinates, edges: Edges) -> Coordinates:
    """Move nodes along the forces, with decreasing steps."""
    n = len(coordinates)
    # Hubs repel more, because every neighbour attracts them.
    mass = np.sqrt(np.bincount(edges.ravel(), minlength=n))
    repulsion = _Repulsion(n)
    size = np.sqrt(n)
    coordinates = (coordinates - coordinates.mean(0)) / (np.abs(coordinates).max() or 1.0) * size
    for step in np.linspace(1, 0, _FORCE_STEPS, endpoint=False):
        along = coordinates[edges[:, 1]] - coordinates[edges[:, 0]]
        force = _REPULSION * repulsion(coordinates, mass)
        for axis in (0, 1):
            pull = along[:, axis]
            force[:, axis] += np.bincount(edges[:, 0], pull, n) - np.bincount(edges[:, 1], pull, n)
        length = np.linalg.norm(force, axis=1, keepdims=True) + 1e-12
        coordinates = coordinates + force / length * np.minimum(length, 0.1 * size * step**1.5)
    return np.asarray(coordinates)


class _Repulsion:
    """Repulsion between all nodes: the gradient of a potential on a grid."""

    def __init__(self, n: int) -> None:
        self._cells = cells = int(np.clip(3 * np.sqrt(n), 64, 512))
        # Padded to twice the grid, so that opposite borders do not interact.
        offset = np.minimum(np.arange(2 * cells), 2 * cells - np.arange(2 * cells))
        squared = offset[:, None] ** 2 + offset[None] ** 2
        self._kernel = np.fft.rfft2(1 / np.sqrt(squared + 1.0))

    def __call__(self, coordinates: Coordinates, mass: Floats) -> Coordinates:
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
    """Rotate the longest extent to the horizontal."""
    centred = coordinates - coordinates.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes * np.where(axes[np.arange(2), np.abs(axes).argmax(1)] < 0, -1, 1)[:, None]
    return np.asarray(centred @ axes.T)


def _rolled_up(coordinates: Coordinates) -> Coordinates:
    """Wind a long and thin component into a spiral, which fits a figure better."""
    low, high = coordinates.min(0), coordinates.max(0)
    length, height = high - low
    turn = height + _APART  # distance between turns
    if length < _LONG or length < _THIN * turn:
        return coordinates
    x, y = (coordinates - [low[0], (low[1] + high[1]) / 2]).T
    inner, growth = 0.7 * turn, turn / (2 * np.pi)
    # Angle at which the arc length along r = inner + growth * angle is x.
    angle = (np.sqrt(inner**2 + 2 * growth * x) - inner) / growth
    radius = inner + growth * angle + y
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _packed(blocks: list[Coordinates]) -> list[Coordinates]:
    """Pack blocks in rows from the top left, with a balanced aspect ratio."""
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
    """Arrange isolated nodes in rows below the others, with the same width."""
    if not count:
        return np.zeros((0, 2))
    square = int(np.ceil(np.sqrt(1.6 * count)))
    if not len(others):
        return grid_positions(count, square) * _STRIP
    low, high = others.min(0), others.max(0)
    columns = max(int((high[0] - low[0]) / _STRIP) + 1, square)
    return np.asarray(grid_positions(count, columns) * _STRIP + low - [0.0, _GAP])
