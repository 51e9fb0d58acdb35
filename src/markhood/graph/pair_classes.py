"""Pairs in three classes by their inclusion Bayes factors: present, absent and undecided.

The inclusion Bayes factor of a pair is its posterior odds of being an edge divided by its prior
odds. With P the posterior probability and d the prior probability of the pair (its own, or the
density of edges: given, or its posterior mean):

    BF = (P / (1 - P)) / (d / (1 - d)),

above 10 for evidence of presence, below 1/10 for evidence of absence, and undecided between, as
easybgm and JASP draw them. A change of the edge prior changes the posterior odds by the same factor
as the prior odds, if all else stays as it is, so the number of edges with other edge priors follows
from the Bayes factors. It is an approximation: no further chains are run.

Learning stores the classes in the provenance of the graph, so that a report of a saved graph shows
them. Only undecided pairs without an edge are listed: edges are in the graph, and all other pairs
are absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.graph.numbering import pair_numbers

if TYPE_CHECKING:
    from markhood.graph.graph import Graph

BAYES_FACTOR = 10.0  # above it, or below its inverse, evidence for or against an edge is strong
MAX_PAIRS = 1000  # undecided pairs that are listed, the most probable ones first
COUNTS = ("present", "undecided", "absent", "undecided_without_edge")


def pair_classes(
    names: Sequence[str],
    graph: Graph,
    pairs: Ints,
    probabilities: Floats,
    factors: Floats,
    density: float,
    sensitivity: Sequence[tuple[float, int, int]],
) -> dict[str, Any]:
    """Return the number of pairs in each class, undecided pairs by name, and the sensitivity.

    Parameters
    ----------
    names : sequence of str
        Of the variables that the pairs number.
    graph : Graph
    pairs : ndarray of shape (n_pairs, 2)
        Candidates; all other pairs are absent.
    probabilities, factors : ndarray of shape (n_pairs,)
        Posterior probabilities and inclusion Bayes factors.
    density : float
    sensitivity : sequence of tuple
        Edge priors, and the numbers of pairs above 1/2 and above 0.9 with each.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> pairs, p = np.array([[0, 1], [0, 2]]), np.array([0.99, 0.4])
    >>> found = pair_classes("abc", Graph("abc", [(0, 1)]), pairs, p, 9 * p / (1 - p), 0.1, [])
    >>> [found[name] for name in COUNTS], found["pairs"]
    ([1, 1, 1, 1], [('a', 'c')])
    """
    number = {name: k for k, name in enumerate(names)}
    own = np.array([number[name] for name in graph.nodes], np.int64)
    is_edge = np.isin(pair_numbers(pairs), pair_numbers(own[graph.edges].reshape(-1, 2)))
    is_undecided = (factors <= BAYES_FACTOR) & (factors >= 1 / BAYES_FACTOR)
    n_present = int((factors > BAYES_FACTOR).sum())
    listed = np.flatnonzero(is_undecided & ~is_edge)
    order = listed[np.argsort(-factors[listed], kind="stable")][:MAX_PAIRS]
    return {
        "limit": BAYES_FACTOR,
        "density": density,
        "present": n_present,
        "undecided": int(is_undecided.sum()),
        "absent": graph.n_nodes * (graph.n_nodes - 1) // 2 - n_present - int(is_undecided.sum()),
        "undecided_without_edge": len(listed),
        "pairs": [(names[i], names[j]) for i, j in pairs[order].tolist()],
        "probability": probabilities[order].round(4).tolist(),
        "bayes_factor": [float(f"{x:.3g}") for x in factors[order].tolist()],
        "sensitivity": list(sensitivity),
    }


def stored_classes(graph: Graph) -> dict[str, Any] | None:
    """Return the classes in the provenance of a graph; None if there are none, or malformed ones.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> stored_classes(Graph("ab", [], provenance={"classes": {"present": "many"}})) is None
    True
    """
    found = graph.provenance.get("classes")
    if not isinstance(found, Mapping):
        return None
    try:
        known: dict[str, Any] = {
            **{name: float(found[name]) for name in ("limit", "density")},
            **{name: int(found[name]) for name in COUNTS},
            "pairs": [(str(a), str(b)) for a, b in found["pairs"]],
            **{name: [float(x) for x in found[name]] for name in ("probability", "bayes_factor")},
            "sensitivity": [(float(p), int(a), int(b)) for p, a, b in found["sensitivity"]],
        }
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    numbers = [known["limit"], known["density"], *known["probability"], *known["bayes_factor"]]
    numbers += [row[0] for row in known["sensitivity"]]
    lengths = {len(known[name]) for name in ("pairs", "probability", "bayes_factor")}
    is_whole = len(lengths) == 1 and known["sensitivity"] and bool(np.isfinite(numbers).all())
    return known if is_whole else None
