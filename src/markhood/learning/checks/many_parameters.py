"""Whether there are samples enough for what an edge costs.

An edge has f_i f_j parameters, f being 1 for two levels and for steps and r - 1 for r categories. Two questions of
six categories have 25, and BIC asks for more than 25 log(N)/2 of the likelihood before it joins them: of weaker
edges nothing is heard, and nothing else says why. So that is said, of the columns with more levels of each pair.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from markhood.data.genome.alphabets import alphabet_of
from markhood.data.samples import Samples
from markhood.errors import listed, option, warn

SAMPLES_PER_PARAMETER = 5
MOST_COUPLINGS = 20 * 20  # of 20 amino acids and a gap, each but for one


def costly_columns(samples: Samples) -> list[int]:
    """Return the columns that have an edge to one of no more levels whose parameters are too many.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> answers = np.random.default_rng(0).integers(6, size=(100, 3))
    >>> costly_columns(encode(answers)), costly_columns(encode(answers, kinds="nominal"))
    ([], [0, 1, 2])
    """
    scores = samples.bits.n_scores
    order = np.argsort(scores, kind="stable")
    rising = scores[order]
    before, after = np.roll(rising, 1), np.roll(rising, -1)
    before[0] = after[-1] = 0
    partner = np.where(after == rising, rising, before)  # the most that another has of no more
    costly = (rising > 1) & (SAMPLES_PER_PARAMETER * rising * partner > samples.total_weight)
    return sorted(order[costly].tolist())


def warn_of_letters(samples: Samples, n_edges: int) -> None:
    """Say so where proteins have no edges: their letters are too many for a likelihood ratio to pay."""
    if n_edges or alphabet_of(samples.variables) != "protein" or costly_columns(samples):
        return  # of costly columns it was said before
    warn(
        "many-parameters",
        "",
        f"A coupling of two positions of a protein has up to {MOST_COUPLINGS} numbers, and no pair is strong enough to "
        f"pay for them: {_for_proteins()}.",
    )


def _for_proteins() -> str:
    return (
        f"rank pairs with {option('method', 'plm')}, test them with {option('method', 'mpl')}, or merge "
        f"letters into classes with {option('letters', 'reduced')}"
    )


def warn_of_parameters(samples: Samples, *, heeds_order: bool) -> None:
    """Say so where an edge would cost more parameters than the samples can carry.

    That levels are steps is no help where the method does not heed it.
    """
    columns = costly_columns(samples)
    if not columns:
        return
    n = samples.total_weight
    named = [f"{samples.names[j]!r} ({len(samples.levels[j])} levels)" for j in columns]
    # So many samples a level leave so few levels that no edge is too dear any more.
    enough = ceil(n / (int((n / SAMPLES_PER_PARAMETER) ** 0.5) + 1))
    many, steps = len(columns) > 1, option("kinds", "ordinal")
    instead = (
        f"{f'choose {steps} if they are steps, or ' if heeds_order else ''}"
        f"merge rare ones with {option('merge_rare', enough)}"
    )
    if alphabet_of(samples.variables) == "protein":
        instead = _for_proteins()
    warn(
        "many-parameters",
        samples.names[columns[0]],
        f"{len(columns)} column{'s have' if many else ' has'} so many levels that an edge would cost a "
        f"parameter for fewer than {SAMPLES_PER_PARAMETER} of the {n:.6g} samples, and only a strong one "
        f"is found: {listed(named)}; {instead}.",
    )
