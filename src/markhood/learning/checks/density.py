"""Give advice where search spaces are dense, as in genomes.

The search for a blanket takes time proportional to the number of nearby variables. Copies and near
copies are the usual reason for many; they can be grouped, or `max_candidates` can bound the search
space. Nearby pairs can be left out of the result.

For pairs that are far apart along a genome, test pairs alone first. Linkage near both ends explains
such pairs away in a conditional search (`benchmarks/planted_pairs.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markhood.data.samples import Samples
from markhood.errors import option, warn
from markhood.learning.forecast.forecast import Forecast
from markhood.search.values.constraints import Constraints

if TYPE_CHECKING:
    from markhood.learning.request import Request

DENSE = 200  # mean number of variables near each


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
