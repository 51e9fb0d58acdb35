"""What would help where search spaces are dense, as they are in genomes: said before anything is run, or when nothing is left.

A search among all that is near takes time in proportion to how many that are. Copies and near copies are the
usual reason for many, and they can be grouped or give way to each other; near pairs can be left out of the answer.

Who looks for far pairs along a genome should look at pairs alone first: what linkage tells of both ends no blanket needs from
the other, so that a search among all explains such pairs away (`benchmarks/planted_pairs.py`: 0 of 5 found, and 5 by the screen without indirect ones).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markhood.data.samples import Samples
from markhood.errors import option, warn
from markhood.learning.checks.copies import Copies
from markhood.learning.forecast.forecast import Forecast
from markhood.search.values.knowledge import Knowledge

if TYPE_CHECKING:
    from markhood.learning.request import Request

DENSE = 200  # variables near to one, on average


def advice(request: Request, samples: Samples, said: Forecast) -> list[str]:
    """Return a sentence that says spaces are dense, and one for all that would help; else none.

    Parameters
    ----------
    request : Request
    samples : Samples
        As `Request.prepared` has them.
    said : Forecast
        Of these.
    """
    if said.candidates is None or said.candidates < DENSE:
        return []
    how, helps = request.reading.identical, []
    copies = Copies.of(samples, how, request.labels(samples))
    if copies.n_left:
        helps.append(f"{option('identical', 'group')} (for {copies.n_left} copies)")
    elif how in ("auto", "group"):
        helps.append(f"{option('identical', 0.9)} (for near copies)")
    helps += [option(name, value) for name, value in request.method.narrower.items()]
    if samples.variables.loci is not None and request.reading.min_distance is None:
        helps.append(f"{option('min_distance', 10000)} (to see less of what is near)")
    sentences = [
        f"Search spaces are dense: {said.candidates:.2g} variables are near to one on average."
    ]
    if helps:
        sentences.append(f"What would help: {', '.join(helps)}.")
    if samples.variables.loci is not None and request.method.is_conditional:
        apart = option("min_distance", request.reading.min_distance or 10000)
        sentences.append(
            "For pairs that are far apart along a genome, first look at pairs alone: "
            f"{', '.join((*_pairs_alone(), apart))}."
        )
    return sentences


def warn_of_linkage(knowledge: Knowledge, n_found: int, n_left: int) -> None:
    """Warn where every edge that was found is near and left out: linkage may explain the others away."""
    if knowledge.near is None or n_left or not n_found:
        return
    warn(
        "linkage",
        "min_distance",
        f"All {n_found} edges join variables that are nearer than {knowledge.near.min_distance:g}. Linkage on "
        f"both sides explains far pairs away, so look at pairs alone too: {', '.join(_pairs_alone())}.",
    )


def _pairs_alone() -> tuple[str, ...]:
    return option("method", "pairwise"), option("gamma", 1.5), option("remove_indirect", True)
