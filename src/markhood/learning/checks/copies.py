"""Find columns that are exact or near copies of others: the option `identical`.

`markhood.data.genome.identical` finds exact copies. Near copies are searched among the pairs that
pass the screen, and measured by Cohen's kappa, the agreement beyond chance

    kappa = (share of samples that agree - share expected by chance) / (1 - that share):

Two rare variants agree in nearly every sample because nearly every sample has neither, and kappa
corrects for that. For binary columns the complement is tried too. Similarity is not transitive:
every member of a group must be that similar to the group's representative. Columns with the most
near copies are chosen as representatives first.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.genome.identical import Duplicates, find_duplicates, group_duplicates
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import option, warn
from markhood.execution.runner import Runner
from markhood.kernels.words import packed
from markhood.scores.scorer import Pairs, Scorer, Tile
from markhood.search.representatives import representatives

SCREEN_GAMMA = 0.5
PAIRS_PER_BLOCK = 1 << 16
FEWEST = 10  # minimum number of copies for a warning


def is_to_group(samples: Samples, how: Any) -> bool:
    """Return whether copies must be grouped and are not grouped yet."""
    if how == "keep" or samples.variables.members is not None:
        return False
    return how != "auto" or samples.are_sites


@dataclass(frozen=True)
class Copies:
    """The groups of copies, or the number of copies if the caller did not set an option."""

    variables: Variables
    how: Any
    n_left: int

    @classmethod
    def of(cls, samples: Samples, how: Any, labels: NDArray[np.int64]) -> Copies:
        """Count the copies in prepared samples; columns with different labels are not copies."""
        is_open = how == "auto" and not samples.are_sites
        return cls(samples.variables, how, find_duplicates(samples, labels).n_copies * is_open)

    def warn(self) -> None:
        """Warn about many copies if the caller did not decide how to treat them."""
        if self.n_left >= FEWEST:
            warn(
                "identical-columns",
                "identical",
                f"{self.n_left} columns are exact copies or complements of others. Use "
                f"{option('identical', 'group')} to group each set into one node, or "
                f"{option('identical', 'keep')} to keep them separate.",
            )

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


def with_nearly_alike_grouped(
    samples: Samples, scorer: Scorer, runner: Runner, least: float, labels: NDArray[np.int64]
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


def agreement(samples: Samples, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Cohen's kappa of pairs of variables; negative for near complements.

    Samples are weighted, and those with a missing value of the pair are left out.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1]])
    >>> agreement(samples, np.array([[0, 1], [0, 2]])).tolist()
    [-1.0, 0.0]
    """
    n_rows = np.diff(samples.starts)
    found = np.zeros(len(pairs))
    comparable = n_rows[pairs[:, 0]] == n_rows[pairs[:, 1]]
    for r in np.unique(n_rows[pairs[comparable]]).tolist():
        at = np.flatnonzero(comparable & (n_rows[pairs[:, 0]] == r))
        rows = samples.starts[pairs[at]][:, :, None] + np.arange(r)
        differ = np.zeros((len(at), samples.words.shape[1]), np.uint64)
        for k in range(r):
            differ |= samples.words[rows[:, 0, k]] ^ samples.words[rows[:, 1, k]]
        differing, shares, total = _counted(samples, pairs[at], rows, differ)
        agree = 1 - differing / total
        shares = shares / total[:, None, None]
        shares = np.concatenate([1 - shares.sum(axis=2, keepdims=True), shares], axis=2)
        by_chance = (shares[:, 0] * shares[:, 1]).sum(axis=1)
        with np.errstate(invalid="ignore"):  # neither varies in the samples where both are observed
            found[at] = (agree - by_chance) / (1 - by_chance)
            if r == 1:  # compare with the complement
                opposite = (by_chance - agree) / by_chance
                found[at] = np.where(opposite > found[at], -opposite, found[at])
    return np.nan_to_num(found)


def _counted(
    samples: Samples,
    pairs: NDArray[np.int64],
    rows: NDArray[np.int64],
    differ: NDArray[np.uint64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of differing samples, of each level but the first, and of all."""
    if not samples.missing:
        used, at = np.unique(rows, return_inverse=True)
        of_rows = samples.weight_of(samples.words[used])[at].reshape(rows.shape)
        return samples.weight_of(differ), of_rows, np.full(len(pairs), samples.total_weight)
    everywhere = packed(np.ones(samples.n_samples), samples.words.shape[1])
    none = np.zeros_like(everywhere)
    masks = np.array([[samples.missing.get(v, none) for v in pair] for pair in pairs.tolist()])
    known = everywhere & ~(masks[:, 0] | masks[:, 1])
    ones = [
        [samples.weight_of(samples.words[row] & known) for row in own]
        for own in rows.transpose(1, 2, 0)
    ]
    total = np.maximum(samples.weight_of(known), samples.weights.unit if samples.weights else 1)
    return samples.weight_of(differ & known), np.array(ones).transpose(2, 0, 1), total
