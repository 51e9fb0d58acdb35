"""Record how a graph was learned, and identify the saved work that belongs to a request.

The provenance of a graph is its request (`Request.as_json`) with the version, a fingerprint of the
data, and facts observed during learning. Options of the method are written with their defaults, so
that the record is complete.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

import markhood
from markhood.content import as_json, content_hash
from markhood.data.codebook import table_summary
from markhood.data.samples import Samples
from markhood.graph.pair_classes import pair_classes
from markhood.learning.checks.convergence import fits_not_converged
from markhood.learning.describe import LearnedGraph
from markhood.learning.factors import described_factors
from markhood.learning.methods import Method
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import Job

if TYPE_CHECKING:
    from markhood.learning.request import Request


def with_provenance(
    learned: LearnedGraph,
    job: Job,
    request: Request,
    by_chance: Sequence[int] = (),
    further: Mapping[str, Any] | None = None,
) -> LearnedGraph:
    """Add the provenance to the graph."""
    samples, method = job.samples, request.method
    asked = request.as_json()
    n_missing = sum(int(np.bitwise_count(mask).sum()) for mask in samples.missing.values())
    provenance: dict[str, Any] = {
        "version": version(),
        "software": software(),
        **asked,
        **method.description,
        "parameters": {
            name: as_json(getattr(method, name))
            for name in method.names()
            if getattr(method, name) is not None
        }
        | asked["parameters"],
        "data": {
            "samples": samples.n_samples,
            "variables": samples.n_variables - len(job.constraints.covariates),
            **({} if samples.weights is None else {"weight": samples.total_weight}),
            "fingerprint": samples.fingerprint,
            **({} if samples.source is None else {"source": samples.source}),
            **({} if samples.library is None else {"library": samples.library}),
            "understood": table_summary(samples).as_json(),
        },
        "seconds": {phase: round(seconds, 6) for phase, seconds in learned.seconds.items()},
        "evaluations": {phase: n.tolist() for phase, n in learned.evaluations.items()},
    }
    if n_missing:
        share = n_missing / (samples.n_samples * samples.n_variables)
        text = f"{n_missing} missing values ({100 * share:.2g} %)"
        provenance["sentence_on_missing"] = method.sentence_on_missing(
            text, request.run.imputations
        )
    if samples.missing and not method.takes_missing:
        provenance["imputation"] = {
            "missing": n_missing,
            "sets": request.run.imputations,
            "seed": request.seed,
        }
    if learned.probabilities is not None:
        found = learned.probabilities
        provenance["chains"] = {
            "candidates": len(found.pairs),
            "edge_density": found.density,
            "coupling_scale": found.scale,
            "coupling_shape": found.shape,
            "background": found.background,
            **({"mediated": found.mediated} if found.mediated else {}),
            "largest_disagreement": found.disagreement,
            **({} if found.sweeps is None else {"sweeps": found.sweeps, "seed": job.seed}),
        }
        provenance["classes"] = pair_classes(
            samples.names,
            learned.graph,
            found.pairs,
            found.probabilities,
            found.bayes_factors,
            found.density,
            found.sensitivity,
        )
    provenance |= further or {}
    if by_chance:
        provenance["edges_by_chance"] = list(by_chance)
    if learned.n_cut:
        provenance["cut_search_spaces"] = learned.n_cut
    if stopped := fits_not_converged(samples.names, learned.not_converged):
        provenance["fits_not_converged"] = stopped
    if job.constraints.distance_limit is not None:
        provenance["min_distance"] = job.constraints.distance_limit.min_distance
        provenance["near_edges_left_out"] = len(learned.edges) - learned.graph.n_edges
    if adjusted := [samples.names[j] for j in job.constraints.covariates.tolist()] + [
        *samples.reals
    ]:
        provenance["adjusted_for"] = adjusted
    if samples.reals:  # the units of their coefficients
        provenance["real_covariates"] = {
            name: {"mean": own.mean, "sd": own.deviation} for name, own in samples.reals.items()
        }
    provenance |= described_factors(samples)
    given = request.constraints(samples.variables)
    if known := given.summary():
        provenance["known"] = known
    if samples.clusters is not None:
        provenance["clusters"] = {
            "clusters": len(np.unique(samples.clusters)),
            "undecided_pairs": len(job.constraints.forbidden) - len(given.forbidden),
        }
    if learned.n_screened is not None:
        provenance["screened_pairs"] = learned.n_screened
    if learned.largest_blanket is not None:
        provenance["largest_blanket"] = learned.largest_blanket
    return replace(learned, graph=learned.graph.with_provenance(provenance))


def with_warnings(learned: LearnedGraph, warnings: Sequence[Mapping[str, str]]) -> LearnedGraph:
    """Add the warnings of learning to the provenance."""
    if not warnings:
        return learned
    about = {**learned.graph.provenance, "warnings": list(map(dict, warnings))}
    return replace(learned, graph=learned.graph.with_provenance(about))


def identity(
    samples: Samples,
    method: Method,
    known: Constraints,
    seed: int | None,
    study: Mapping[str, Any],
) -> dict[str, str]:
    """Return everything that the results of a tile depend on, by content."""
    return {
        "version": version(),
        "data": samples.fingerprint,
        "method": method.name,
        **{name: _text(getattr(method, name)) for name in method.names()},
        **({"seed": str(seed)} if method.is_random or study else {}),
        **({"known": known.fingerprint} if known else {}),
        **{name: _text(value) for name, value in study.items()},
    }


def _text(value: Any) -> str:
    """Write a value as text that is equal exactly where the meaning is equal."""
    is_plain = value is None or isinstance(value, (bool, str, int, float))
    return str(value) if is_plain else f"{type(value).__qualname__} {content_hash(value)}"


@cache
def software() -> dict[str, str]:
    """Return the versions of Python and of the libraries that compute (cached)."""
    libraries = {name: metadata.version(name) for name in ("numpy", "scipy")}
    return {"python": platform.python_version(), **libraries}


@cache
def version() -> str:
    """Return the installed version of markhood (cached)."""
    return str(markhood.__version__)
