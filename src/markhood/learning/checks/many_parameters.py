"""Check whether there are enough samples for the number of parameters of an edge.

An edge has f_i f_j parameters, where f is 1 for binary and ordered variables and r - 1 for r
nominal levels. Two questions with six nominal levels need 25, and BIC requires a gain above 25
log(N)/2 before it joins them, so weaker edges are missed. The warning names the columns with more
levels.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from markhood.data.genome.alphabets import alphabet_of
from markhood.data.samples import Samples
from markhood.errors import listed, option, warn
from markhood.search.remaining_pairs import most_slopes

SAMPLES_PER_PARAMETER = 5
MOST_COUPLINGS = 20 * 20  # (21 - 1)^2, for 20 amino acids and a gap


def costly_columns(samples: Samples) -> list[int]:
    """Return columns whose edge to a column with no more levels has too many parameters.

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
    partner = np.where(after == rising, rising, before)  # largest among columns with no more levels
    costly = (rising > 1) & (SAMPLES_PER_PARAMETER * rising * partner > samples.total_weight)
    return sorted(order[costly].tolist())


def warn_of_tables(samples: Samples) -> None:
    """Warn if couplings have too many parameters for `bayes` to examine their pairs."""
    scores = samples.bits.n_scores
    largest = np.sort(scores)[-2:]
    partner = np.where(scores == scores.max(), largest[0], largest[-1])
    most = most_slopes(samples)
    columns = np.flatnonzero(scores * partner > most)
    if len(scores) > 1 and scores.max() > 1 and len(columns):
        names = [repr(samples.names[j]) for j in columns.tolist()]
        warn(
            "many-parameters",
            samples.names[columns[0]],
            f"Pairs with more than {most:.6g} coupling parameters were not examined, between "
            f"these columns: {listed(names)}.",
        )


def warn_of_letters(samples: Samples, n_edges: int) -> None:
    """Warn if a protein alignment has no edges because couplings have many parameters."""
    if n_edges or alphabet_of(samples.variables) != "protein" or costly_columns(samples):
        return  # `warn_of_parameters` has named the costly columns
    warn(
        "many-parameters",
        "",
        f"A coupling of two positions of a protein has up to {MOST_COUPLINGS} parameters, and no "
        f"pair gains enough to pay for them: {_for_proteins()}.",
    )


def _for_proteins() -> str:
    return (
        f"rank pairs with {option('method', 'plm')}, test them with {option('method', 'mpl')}, or "
        f"merge letters into classes with {option('letters', 'reduced')}"
    )


def warn_of_parameters(samples: Samples, *, uses_order: bool) -> None:
    """Warn if an edge would need more parameters than the samples can support."""
    columns = costly_columns(samples)
    if not columns:
        return
    n = samples.total_weight
    named = [f"{samples.names[j]!r} ({len(samples.levels[j])} levels)" for j in columns]
    # With at least this many samples per level, every edge has few enough parameters.
    enough = ceil(n / (int((n / SAMPLES_PER_PARAMETER) ** 0.5) + 1))
    many, steps = len(columns) > 1, option("kinds", "ordinal")
    instead = (
        f"{f'use {steps} if they are ordered, or ' if uses_order else ''}"
        f"merge rare ones with {option('merge_rare', enough)}"
    )
    if alphabet_of(samples.variables) == "protein":
        instead = _for_proteins()
    warn(
        "many-parameters",
        samples.names[columns[0]],
        f"{len(columns)} column{'s have' if many else ' has'} many levels: an edge has "
        f"fewer than {SAMPLES_PER_PARAMETER} of the {n:.6g} samples per parameter, and only strong "
        f"edges are found: {listed(named)}; {instead}.",
    )
