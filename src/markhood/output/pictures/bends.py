"""Curvature of edges: an edge that would run through another node is drawn as an arc.

On a grid or a map, three nodes are often on a line, and a straight edge between the outer two would
look like two edges. If all nodes are on a circle, edges bend towards its centre, away from the
nodes; if all are on a line, edges are arcs above it, higher for longer edges.
"""

from __future__ import annotations

import numpy as np

from markhood.arrays import Bools, Floats
from markhood.output.pictures.layout import Coordinates, Edges

MAX_NODES = 600  # with more, crossings cannot be seen
_BEND = 0.18  # height of the control point over the chord, relative to its length
_INWARDS, _STEEPEST = 0.6, 0.7  # share of the way to the centre of the circle, and its limit
_OVER = 0.6  # for nodes on a line: the arc is then 0.3 times as high as long
_CLOSE = 0.12  # distance to a node, relative to the spacing of the nodes
_BLOCK = 500  # edges at a time


def bends(coordinates: Coordinates, edges: Edges) -> Floats:
    """Return the curvature of every edge: 0 is straight, positive is to the left of its direction.

    The control point of the quadratic curve from a to b is (a + b) / 2 + bend * n, where n is b - a
    rotated by 90 degrees to the left.

    Examples
    --------
    >>> line = np.array([[0.0, 0], [1, 0], [2, 0]])
    >>> bends(line, np.array([[0, 1], [0, 2]])).tolist()
    [0.0, 0.18]
    """
    found = np.zeros(len(edges))
    if not len(edges):
        return found
    starts, along = coordinates[edges[:, 0]], coordinates[edges[:, 1]] - coordinates[edges[:, 0]]
    length = np.linalg.norm(along, axis=1)
    if len(coordinates) > 3 and not np.ptp(coordinates[:, 1]):
        return np.asarray(_OVER * np.sign(along[:, 0]))
    middle = _centre_of_circle(coordinates)
    if middle is not None:
        normal = np.column_stack([-along[:, 1], along[:, 0]])
        inwards = middle - starts - 0.5 * along
        bent = _INWARDS * (inwards * normal).sum(1) / np.maximum(length, 1e-12) ** 2
        return np.asarray(bent.clip(-_STEEPEST, _STEEPEST))
    if len(coordinates) > MAX_NODES:
        return found
    close = _CLOSE * _spacing(coordinates)
    for first in range(0, len(edges), _BLOCK):
        part = slice(first, first + _BLOCK)
        found[part] = _BEND * _runs_through(coordinates, starts[part], along[part], close)
    return found


def _centre_of_circle(coordinates: Coordinates) -> Floats | None:
    """Return the centre of the circle on which all nodes are, or None.

    The circular layout is centred at the origin; a circle from the user is found if the nodes are
    spread evenly.
    """
    for middle in (np.zeros(2), coordinates.mean(0)):
        radius = np.linalg.norm(coordinates - middle, axis=1)
        if len(coordinates) > 3 and np.ptp(radius) < 1e-6 * radius.max():
            return middle
    return None


def _runs_through(
    coordinates: Coordinates, starts: Coordinates, along: Coordinates, close: float
) -> Bools:
    """Return whether a node is close to each line, but not to its ends."""
    squared = np.maximum((along**2).sum(1), 1e-12)
    to = coordinates[None] - starts[:, None]
    share = (to * along[:, None]).sum(2) / squared[:, None]
    away = np.linalg.norm(to - share[:, :, None] * along[:, None], axis=2)
    inside = share * np.sqrt(squared)[:, None]
    between = (inside > 2 * close) & (inside < np.sqrt(squared)[:, None] - 2 * close)
    return np.asarray((between & (away < close)).any(axis=1))


def _spacing(coordinates: Coordinates) -> float:
    """Return the median distance between a node and its nearest neighbour."""
    from scipy.spatial import KDTree

    nearest, _ = KDTree(coordinates).query(coordinates, k=2)
    return float(np.median(np.asarray(nearest)[:, 1]))
