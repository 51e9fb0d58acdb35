"""Find columns that are exact or near copies of others: the option `identical`.

`markhood.data.genome.identical` finds exact copies. Near copies are searched among the pairs that
pass the screen, and measured by Cohen's kappa (`data.agreement`). Similarity is not transitive:
every member of a group must be that similar to the group's representative. Columns with the most
near copies are chosen as representatives first.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from markhood.arrays import Ints
from markhood.data.genome.identical import (
    NEARLY,
    Duplicates,
    agreement,
    find_duplicates,
    group_duplicates,
    near_copies,
    warn_of_copies,
)
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import option
from markhood.execution.runner import Runner
from markhood.scores.scorer import Pairs, Scorer, Tile
from markhood.search.screen import representatives

SCREEN_GAMMA = 0.5
PAIRS_PER_BLOCK = 1 << 16


def is_to_group(samples: Samples, how: Any) -> bool:
    """Return whether copies must be grouped and are not grouped yet."""
    if how == "keep" or samples.variables.members is not None:
        return False
    return how != "auto" or samples.are_sites


@dataclass(frozen=True)
class Copies:
    """The groups of copies, or the copies that are left if the caller did not set an option.

    Attributes
    ----------
    variables : Variables
        With the members of each group.
    how : object
        The option `identical`.
    left : tuple of tuple of str
        Pairs of a variable and its copy that are both nodes.
    """

    variables: Variables
    how: Any
    left: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, samples: Samples, how: Any, labels: Ints) -> Copies:
        """Count the copies in prepared samples; columns with different labels are not copies."""
        if how != "auto" or samples.are_sites:
            return cls(samples.variables, how)
        node = find_duplicates(samples, labels).node
        names, copies = samples.names, np.flatnonzero(node != np.arange(len(node)))
        return cls(samples.variables, how, tuple((names[node[j]], names[j]) for j in copies))

    @property
    def n_left(self) -> int:
        """Number of copies that are nodes of their own."""
        return len(self.left)

    def warn(self) -> None:
        """Warn about copies if the caller did not decide how to treat them."""
        warn_of_copies(self.left, "exact", _advice("group"))

    def warn_of_near(self, samples: Samples, edges: Ints) -> None:
        """Warn about edges between near copies, under the same condition."""
        if self.how == "auto" and not samples.are_sites:
            warn_of_copies(near_copies(samples, edges), "near", _advice(NEARLY))

    def as_json(self) -> dict[str, Any]:
        """Return the entry of the provenance."""
        if self.variables.members is None:
            return {"copies": self.n_left} if self.n_left else {}
        sizes = [1 + len(own) for own in self.variables.members]
        return {
            "identical": {
                "how": float(self.how) if isinstance(self.how, Real) else "group",
                "columns": sum(sizes),
                "nodes": len(sizes),
                "largest_group": max(sizes),
            }
        }


def _advice(how: str | float) -> str:
    return (
        f", make each set one node with {option('identical', how)}, or keep them with "
        f"{option('identical', 'keep')}"
    )


def with_nearly_alike_grouped(
    samples: Samples, scorer: Scorer, runner: Runner, least: float, labels: Ints
) -> Samples:
    """Return samples in which near copies are grouped with their representative."""

    def nearly_alike(tile: Tile) -> Pairs:
        edges = scorer.pairs(tile, SCREEN_GAMMA).edges
        kappas = [
            agreement(samples, edges[k : k + PAIRS_PER_BLOCK])
            for k in range(0, len(edges), PAIRS_PER_BLOCK)
        ]
        kappa = np.concatenate([np.empty(0), *kappas])
        kept = np.abs(kappa) >= least
        return Pairs(edges[kept], kappa[kept])

    tiles = list(runner.map("identical", nearly_alike, scorer.tiles()))
    edges = np.concatenate([np.empty((0, 2), np.int64), *(found.edges for found in tiles)])
    kappa = np.concatenate([np.empty(0), *(found.gains for found in tiles)])
    same = labels[edges[:, 0]] == labels[edges[:, 1]]
    edges, opposite = edges[same], kappa[same] < 0
    node = representatives(edges, samples.n_variables)
    alike = Duplicates(node, np.zeros(samples.n_variables, np.bool_))
    for first, second in ((0, 1), (1, 0)):
        led = node[edges[:, first]] == edges[:, second]
        alike.opposite[edges[led, first]] = opposite[led]
    return group_duplicates(samples, alike)
