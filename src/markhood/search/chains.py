"""Run one Markov chain over graphs in parts, and join the parts.

A chain is averaged part by part: the means of the parts give R-hat and the effective sample size
(`values/probabilities.py`). `graph_sampler.py` decides how long chains are, and runs several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.kernels.protocol import GraphChain, GraphSums, PairPrior
from markhood.scores.scorer import Scorer
from markhood.search.values.probabilities import PARTS

PART = 10  # fewest sweeps over which a long chain is averaged, for its diagnostics


@dataclass(frozen=True)
class Sweeps:
    """Number and length of the chains.

    Attributes
    ----------
    n_chains : int
    n_settling : int
        Burn-in sweeps of each chain.
    n_averaged : int
        Sweeps of each chain after burn-in.
    n_most : int
        Chains that have not converged are doubled in length up to this number of sweeps.
    keep_draws : bool
        Whether to keep the graph of each sweep after burn-in.
    """

    n_chains: int = 4
    n_settling: int = 5
    n_averaged: int = 20
    n_most: int = 160
    keep_draws: bool = False

    def parts(self, n: int, n_before: int = 0) -> list[int]:
        """Return the lengths of the parts of n sweeps over which a chain is averaged.

        Examples
        --------
        >>> Sweeps().parts(80), Sweeps().parts(15), Sweeps().parts(80, n_before=80)
        ([20, 20, 20, 20], [8, 7], [40, 40])
        """
        n_parts = min(n, PARTS if n >= PARTS * PART and not n_before else 2)
        n_parts = n if self.keep_draws else n_parts
        return [len(part) for part in np.array_split(np.empty(n), n_parts)]


class ChainRun(NamedTuple):
    """A chain so far: its sums, and after each part the mean of every pair and the graph."""

    sums: GraphSums
    means: Floats
    present: NDArray[np.uint8]
    generator: NDArray[np.uint32]


Ran = tuple[ChainRun, Ints | None]  # a chain, and the fits that others can reuse


def run_chain(
    scorer: Scorer,
    pairs: Ints,
    prior: PairPrior,
    chain: GraphChain,
    n_settling: int,
    parts: Sequence[int],
) -> Ran:
    """Run the burn-in of a chain, then average it part by part; return also its fits."""
    sums, present = list[GraphSums](), []
    for length in parts:
        of_part, chain = scorer.swept(pairs, prior, chain, n_settling, length)
        sums.append(of_part)
        present.append(chain.present)
        prior, n_settling = prior._replace(density=float(of_part.densities[-1])), 0
    means = [own.probabilities / n for own, n in zip(sums, parts, strict=True)]
    run = ChainRun(added_up(sums), np.array(means), np.array(present), chain.generator)
    return run, chain.fits


def continued(begun: ChainRun, further: ChainRun) -> ChainRun:
    """Join a chain and its continuation; parts are joined in pairs if those to come are longer."""
    means, present = begun.means, begun.present
    if len(means) > len(further.means):
        means, present = (means[::2] + means[1::2]) / 2, present[1::2]
    return ChainRun(
        added_up([begun.sums, further.sums]),
        np.concatenate([means, further.means]),
        np.concatenate([present, further.present]),
        further.generator,
    )


def added_up(sums: Sequence[GraphSums]) -> GraphSums:
    """Add up the parts of a chain."""
    return GraphSums(
        np.concatenate([own.densities for own in sums]),
        np.asarray(sum(own.probabilities for own in sums)),
        np.asarray(sum(own.couplings for own in sums)),
        np.asarray(sum(own.squares for own in sums)),
        sum(own.n_fits for own in sums),
    )


def generator_of(seed: np.random.SeedSequence) -> NDArray[np.uint32]:
    """Return the state of a kernel's generator."""
    return seed.generate_state(4, np.uint32).astype(np.uint32)
