"""Graphs for simulations: the two of the paper, and common random graphs.

Every function returns a `Graph` with nodes x0, x1, ...; random graphs take a seed. The paper's
`hub` is a tree: a chain of d/8 hubs with their neighbours, in which the last neighbour of a hub is
joined to the next hub. To use any other graph, convert it with `markhood.graph.convert`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.sampling.gibbs import Seed
from markhood.options import check_value, checked

_HUB_SIZE = 8


@checked
def grid(n_variables: int) -> Graph:
    """Make a square grid in which each inner variable has four neighbours, numbered row by row.

    Examples
    --------
    >>> grid(9).neighbours("x4")
    ('x1', 'x3', 'x5', 'x7')
    """
    _require_variables(n_variables)
    side = math.isqrt(n_variables)
    if side * side != n_variables:
        raise InputError(
            "option-value",
            "n_variables",
            f"The number of variables of a grid must be a square, not {n_variables}. Use {side**2} "
            f"or {(side + 1) ** 2}.",
        )
    at = np.arange(n_variables).reshape(side, side)
    across = np.stack((at[:, :-1], at[:, 1:]), axis=-1).reshape(-1, 2)
    down = np.stack((at[:-1], at[1:]), axis=-1).reshape(-1, 2)
    return _named(n_variables, np.concatenate((across, down)))


@checked
def hub(n_variables: int) -> Graph:
    """Make the paper's hub network: x0, x8, ... are hubs, and x7, x15, ... join two of them.

    The first hub has 7 neighbours and every other 8; there are ``n_variables - 1`` edges.

    Examples
    --------
    >>> graph = hub(24)
    >>> graph.neighbours("x8")
    ('x7', 'x9', 'x10', 'x11', 'x12', 'x13', 'x14', 'x15')
    >>> graph.n_edges
    23
    """
    _require_variables(n_variables)
    if n_variables % _HUB_SIZE:
        lower = n_variables // _HUB_SIZE * _HUB_SIZE
        sizes = f"{lower} or {lower + _HUB_SIZE}" if lower else f"{_HUB_SIZE}"
        raise InputError(
            "option-value",
            "n_variables",
            f"The number of variables of a hub network must be a multiple of {_HUB_SIZE}, not "
            f"{n_variables}. Use {sizes}.",
        )
    variables = np.arange(n_variables)
    hubs = variables - variables % _HUB_SIZE
    own = np.stack((hubs, variables), axis=1)[variables != hubs]
    later = np.arange(_HUB_SIZE, n_variables, _HUB_SIZE)
    return _named(n_variables, np.concatenate((own, np.stack((later - 1, later), axis=1))))


@checked
def chain(n_variables: int) -> Graph:
    """Make a chain: each variable is joined to the next.

    Examples
    --------
    >>> chain(3).edge_names()
    [('x0', 'x1'), ('x1', 'x2')]
    """
    _require_variables(n_variables)
    return _named(n_variables, [(i, i + 1) for i in range(n_variables - 1)])


@checked
def cycle(n_variables: int) -> Graph:
    """Make a cycle: a chain whose ends are joined.

    Examples
    --------
    >>> cycle(4).n_edges
    4
    """
    _require_variables(n_variables, least=3)
    return _named(n_variables, [(i, (i + 1) % n_variables) for i in range(n_variables)])


@checked
def tree(n_variables: int, seed: Seed = None) -> Graph:
    """Make a random tree; all labelled trees are equally likely.

    Examples
    --------
    >>> tree(50, seed=1).n_edges
    49
    """
    _require_variables(n_variables)
    return _generated("random_labeled_tree", n_variables, seed=_number(seed))


@checked
def erdos_renyi(n_variables: int, probability: float, seed: Seed = None) -> Graph:
    """Make a graph in which each pair is an edge with the same probability.

    Examples
    --------
    >>> erdos_renyi(10, 1.0).n_edges
    45
    """
    _require_variables(n_variables)
    _require_probabilities(probability=probability)
    return _generated("fast_gnp_random_graph", n_variables, probability, seed=_number(seed))


@checked
def barabasi_albert(n_variables: int, attachments: int = 2, seed: Seed = None) -> Graph:
    """Make a graph by preferential attachment, with ``attachments`` edges per new variable.

    Examples
    --------
    >>> barabasi_albert(100, 2, seed=1).n_edges
    196
    """
    _require_variables(n_variables, least=2)
    if not 1 <= attachments < n_variables:
        raise InputError(
            "option-value",
            "attachments",
            f"With {n_variables} variables, attachments must be between 1 and {n_variables - 1}, "
            f"not {attachments}.",
        )
    return _generated("barabasi_albert_graph", n_variables, attachments, seed=_number(seed))


@checked
def watts_strogatz(
    n_variables: int, neighbours: int = 4, rewiring: float = 0.1, seed: Seed = None
) -> Graph:
    """Make a small world: a ring with ``neighbours`` per variable, and edges rewired at random.

    Examples
    --------
    >>> watts_strogatz(100, 4, 0.1, seed=1).n_edges
    200
    """
    _require_variables(n_variables, least=3)
    _require_probabilities(rewiring=rewiring)
    if neighbours % 2 or not 2 <= neighbours < n_variables:
        raise InputError(
            "option-value",
            "neighbours",
            f"With {n_variables} variables, neighbours must be an even number from 2 to "
            f"{(n_variables - 1) // 2 * 2}, not {neighbours}.",
        )
    settings = (n_variables, neighbours, rewiring)
    return _generated("watts_strogatz_graph", *settings, seed=_number(seed))


@checked
def stochastic_block(
    sizes: Sequence[int], within: float, between: float, seed: Seed = None
) -> Graph:
    """Make a graph whose edge probabilities differ within and between groups.

    Parameters
    ----------
    sizes : sequence of int
        Number of variables in each group; x0, x1, ... are numbered group by group.
    within, between : float
        Probability of an edge within a group, and between two groups.
    seed : int, SeedSequence or Generator, optional

    Examples
    --------
    >>> stochastic_block([3, 2], within=1.0, between=0.0).edge_names()
    [('x0', 'x1'), ('x0', 'x2'), ('x1', 'x2'), ('x3', 'x4')]
    """
    if not sizes:
        raise InputError(
            "option-value", "sizes", "sizes is empty: give the size of at least one group."
        )
    for size in sizes:
        check_value("sizes", size, int, low=1)
    _require_probabilities(within=within, between=between)
    n = len(sizes)
    table = [[within if a == b else between for b in range(n)] for a in range(n)]
    return _generated("stochastic_block_model", list(sizes), table, seed=_number(seed))


def disjoint(networks: Sequence[Graph]) -> Graph:
    """Return the disjoint union of networks, with variables numbered consecutively.

    Examples
    --------
    >>> disjoint([chain(2), chain(3)]).edge_names()
    [('x0', 'x1'), ('x2', 'x3'), ('x3', 'x4')]
    """
    if not networks:
        raise InputError("option-value", "networks", "networks is empty: give at least one.")
    sizes = np.array([network.n_nodes for network in networks])
    firsts = np.cumsum(sizes) - sizes
    parts = [network.edges + first for network, first in zip(networks, firsts, strict=True)]
    return _named(int(sizes.sum()), np.concatenate(parts))


def network_named(name: str, n_variables: int, seed: Seed = None) -> Graph:
    """Make a network of a named kind, random ones with three or four neighbours per variable.

    Parameters
    ----------
    name : str
        "grid", "hub", "chain", "cycle", "tree", "erdos-renyi", "barabasi-albert",
        "watts-strogatz" or "stochastic-block" (four groups).
    n_variables : int
    seed : int, SeedSequence or Generator, optional

    Examples
    --------
    >>> network_named("hub", 64).n_edges
    63
    """
    if name not in _BY_NAME:
        raise InputError(
            "option-unknown",
            "network",
            f"Unknown network {name!r}: choose one of {', '.join(_BY_NAME)}.",
        )
    return _BY_NAME[name](n_variables, seed)


@checked
def networks_in_turn(
    names: Sequence[str], n_variables: int, n_networks: int, seed: Seed = None
) -> Graph:
    """Return the disjoint union of named networks, cycling through the names.

    Examples
    --------
    >>> networks_in_turn(["chain", "cycle"], n_variables=3, n_networks=3).edges.tolist()
    [[0, 1], [1, 2], [3, 4], [3, 5], [4, 5], [6, 7], [7, 8]]
    """
    if not names:
        raise InputError(
            "option-value", "network", "No network is named: give some, such as grid,hub."
        )
    rng = np.random.default_rng(seed)
    return disjoint(
        [network_named(names[k % len(names)], n_variables, rng) for k in range(n_networks)]
    )


def _four_groups(n_variables: int, seed: Seed) -> Graph:
    _require_variables(n_variables, least=8)
    sizes = [n_variables // 4 + (k < n_variables % 4) for k in range(4)]
    return stochastic_block(sizes, min(1.0, 12 / n_variables), min(1.0, 1 / n_variables), seed)


_BY_NAME: dict[str, Callable[[int, Seed], Graph]] = {
    "grid": lambda n, _: grid(n),
    "hub": lambda n, _: hub(n),
    "chain": lambda n, _: chain(n),
    "cycle": lambda n, _: cycle(n),
    "tree": tree,
    "erdos-renyi": lambda n, seed: erdos_renyi(n, min(1.0, 3 / max(n - 1, 1)), seed),
    "barabasi-albert": lambda n, seed: barabasi_albert(n, seed=seed),
    "watts-strogatz": lambda n, seed: watts_strogatz(n, seed=seed),
    "stochastic-block": _four_groups,
}


def _generated(generator: str, *arguments: Any, seed: int) -> Graph:
    """Call a generator of networkx, whose nodes are 0, 1, ..."""
    import networkx  # type: ignore[import-untyped]

    made = getattr(networkx, generator)(*arguments, seed=seed)
    return _named(made.number_of_nodes(), list(made.edges()))


def _named(n_variables: int, edges: ArrayLike) -> Graph:
    return Graph([f"x{i}" for i in range(n_variables)], edges)


def _number(seed: Seed) -> int:
    """Return an integer seed for networkx."""
    return int(np.random.default_rng(seed).integers(1 << 63))


def _require_variables(n_variables: int, least: int = 1) -> None:
    if n_variables < least:
        raise InputError(
            "option-value",
            "n_variables",
            f"The number of variables of this network must be at least {least}, not {n_variables}.",
        )


def _require_probabilities(**probabilities: float) -> None:
    for name, probability in probabilities.items():
        if not 0.0 <= probability <= 1.0:
            raise InputError(
                "option-value", name, f"{name} must be between 0 and 1, not {probability}."
            )
