"""Check whether there are enough samples for the number of parameters of an edge.

An edge has f_i f_j parameters, where f is 1 for binary and ordered variables and r - 1 for r
nominal levels. Two questions with six nominal levels need 25, and BIC requires a gain above 25
log(N)/2 before it joins them, so weaker edges are missed. The warning names the columns with more
levels.

Give advice where search spaces are dense, as in genomes. The search for a blanket takes time
proportional to the number of nearby variables. Copies and near copies are the usual reason for
many; they can be grouped, or `max_candidates` can bound the search space. Nearby pairs can be left
out of the result.

For pairs that are far apart along a genome, test pairs alone first. Linkage near both ends explains
such pairs away in a conditional search (`benchmarks/planted_pairs.py`).
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from markhood.data.genome.alphabets import alphabet_of
from markhood.data.samples import Samples
from markhood.errors import listed, option, warn
from markhood.learning.forecast.forecast import Forecast
from markhood.search.remaining_pairs import most_slopes
from markhood.search.values.constraints import Constraints

if TYPE_CHECKING:
    from markhood.learning.request import Request

SAMPLES_PER_PARAMETER = 5
MOST_COUPLINGS = 20 * 20  # (21 - 1)^2, for 20 amino acids and a gap
DENSE = 200  # mean number of variables near each


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


def advice(request: Request, samples: Samples, forecast: Forecast) -> list[str]:
    """Return sentences of advice if search spaces are dense; otherwise an empty list.

    Parameters
    ----------
    request : Request
    samples : Samples
        As returned by `Request.prepared`.
    forecast : Forecast
        The forecast for these samples.
    """
    if forecast.candidates is None or forecast.candidates < DENSE:
        return []
    how, helps = request.reading.identical, []
    copies = request.copies(samples)
    if copies.n_left:
        helps.append(f"{option('identical', 'group')} (for {copies.n_left} copies)")
    elif how in ("auto", "group"):
        helps.append(f"{option('identical', 0.9)} (for near copies)")
    helps += [option(name, value) for name, value in request.method.narrower.items()]
    if samples.variables.loci is not None and request.reading.min_distance is None:
        helps.append(f"{option('min_distance', 10000)} (to leave out nearby pairs)")
    sentences = [
        (
            f"Search spaces are dense: each variable has {forecast.candidates:.2g} candidates on "
            "average."
        )
    ]
    if helps:
        sentences.append(f"To reduce them, try {', '.join(helps)}.")
    if samples.variables.loci is not None and request.method.is_conditional:
        apart = option("min_distance", request.reading.min_distance or 10000)
        sentences.append(
            "For pairs that are far apart along a genome, test pairs alone first: "
            f"{', '.join((*_pairs_alone(), apart))}."
        )
    return sentences


def warn_of_linkage(constraints: Constraints, n_found: int, n_left: int) -> None:
    """Warn if every edge joins nearby variables: linkage may hide distant pairs."""
    if constraints.distance_limit is None or n_left or not n_found:
        return
    warn(
        "linkage",
        "min_distance",
        f"All {n_found} edges join variables closer than "
        f"{constraints.distance_limit.min_distance:g}. Linkage near both ends can explain distant "
        f"pairs away, so test pairs alone too: {', '.join(_pairs_alone())}.",
    )


def _pairs_alone() -> tuple[str, ...]:
    return option("method", "pairwise"), option("gamma", 1.5), option("remove_indirect", True)
