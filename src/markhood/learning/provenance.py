"""Where a graph came from: written into it, and compared before saved work is used again."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

import markhood
from markhood.data.samples import Samples
from markhood.data.understood import understood
from markhood.errors import InputError, option
from markhood.learning.describe import Learned
from markhood.learning.methods import Method, options_of
from markhood.search.values.job import Job
from markhood.search.values.knowledge import Knowledge

if TYPE_CHECKING:
    from markhood.learning.imputation.learn_imputed import Imputation


def with_provenance(
    learned: Learned,
    job: Job,
    method: Method,
    imputation: Imputation | None = None,
    by_chance: Sequence[int] = (),
    further: Mapping[str, Any] | None = None,
) -> Learned:
    """Write into all graphs where they came from."""
    samples = job.samples
    provenance: dict[str, Any] = {
        "version": version(),
        "method": method.name,
        **method.description,
        "parameters": {
            name: _as_json(getattr(method, name))
            for name in options_of(method)
            if getattr(method, name) is not None
        },
        "data": {
            "samples": samples.n_samples,
            "variables": samples.n_variables - len(job.knowledge.covariates),
            **({} if samples.weights is None else {"weight": samples.total_weight}),
            "fingerprint": samples.fingerprint,
            "understood": understood(samples).as_json(),
        },
        "seconds": {phase: round(seconds, 6) for phase, seconds in learned.seconds.items()},
        "evaluations": {phase: n.tolist() for phase, n in learned.evaluations.items()},
    }
    if imputation is not None:
        provenance["imputation"] = {
            "missing": sum(int(np.bitwise_count(m).sum()) for m in samples.missing.values()),
            "sets": int(imputation.sets),
            "seed": imputation.seed if imputation.seed is None else int(imputation.seed),
        }
    if learned.probabilities is not None:
        found = learned.probabilities
        provenance["chains"] = {
            "candidates": len(found.pairs),
            "edge_density": found.density,
            "coupling_scale": found.scale,
            "largest_disagreement": found.disagreement,
            **({} if found.sweeps is None else {"sweeps": found.sweeps, "seed": job.seed}),
        }
    provenance |= further or {}
    if by_chance:
        provenance["edges_by_chance"] = list(by_chance)
    if learned.n_cut:
        provenance["cut_search_spaces"] = learned.n_cut
    if job.knowledge.near is not None:
        provenance["min_distance"] = job.knowledge.near.min_distance
        provenance["near_edges_left_out"] = len(learned.found_edges) - learned.graph.n_edges
    if adjusted := job.knowledge.covariates.tolist():
        provenance["adjusted_for"] = [samples.names[j] for j in adjusted]
    if known := job.knowledge.summary():
        provenance["known"] = known
    screened = learned.screened_graph
    if learned.n_screened is not None:
        provenance["screened_pairs"] = learned.n_screened
    if learned.largest_blanket is not None:
        provenance["largest_blanket"] = learned.largest_blanket
    return replace(
        learned,
        graph=learned.graph.with_provenance(provenance),
        or_graph=learned.or_graph.with_provenance(provenance),
        screened_graph=screened and screened.with_provenance(provenance),
    )


def identity(
    samples: Samples, method: Method, knowledge: Knowledge, seed: int | None
) -> dict[str, str]:
    """Name all that the results of a tile depend on.

    Raises
    ------
    InputError
        If the method has an option of which it cannot be told whether it is the same again.
    """
    return {
        "version": version(),
        "data": samples.fingerprint,
        "method": method.name,
        **{name: _fingerprint(getattr(method, name)) for name in options_of(method)},
        **({"seed": str(seed)} if method.is_random else {}),
        **({"known": knowledge.fingerprint} if knowledge else {}),
    }


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else repr(value)


def _fingerprint(value: Any) -> str:
    """Write an option so that it is the same text exactly where it means the same.

    A criterion of the user's own is its class, the code of it, and what the object holds.
    """
    if value is None or isinstance(value, (bool, str, Real)):
        return str(_as_json(value))
    kind = type(value)
    digest = hashlib.blake2b(_source(kind).encode(), digest_size=16)
    for part in _parts(_held(value)):
        digest.update(part)
    return f"{kind.__module__}.{kind.__qualname__} {digest.hexdigest()}"


def _held(value: Any) -> dict[str, Any]:
    """Return all attributes of an object, those in slots too."""
    slots = [name for base in type(value).__mro__ for name in getattr(base, "__slots__", ())]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return held | getattr(value, "__dict__", {})


def _parts(value: Any) -> list[bytes]:
    """Return the bytes that a value is made of; each part says what it is and how long."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return [_told(type(value).__name__, repr(value).encode())]
    if isinstance(value, np.generic):
        return _parts(np.asarray(value))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return [_told(f"{value.dtype.str}{value.shape}", np.ascontiguousarray(value).tobytes())]
    if isinstance(value, (list, tuple)):
        inner = [part for element in value for part in _parts(element)]
        return [_told(type(value).__name__, b"".join(inner))]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        inner = [part for key in sorted(value) for part in (*_parts(key), *_parts(value[key]))]
        return [_told("mapping", b"".join(inner))]
    raise InputError(
        f"A criterion that holds a {type(value).__name__} cannot be told from another one, so that "
        f"its tiles cannot be saved: let it hold numbers, texts and arrays only, or leave "
        f"{option('checkpoint')} out."
    )


def _told(kind: str, content: bytes) -> bytes:
    return f"{kind} {len(content)} ".encode() + content


def _source(kind: type) -> str:
    """Return the text of a class; its name where it was typed at a prompt."""
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        return kind.__qualname__


@cache
def version() -> str:
    """Return the installed version of markhood, looked up once."""
    return str(markhood.__version__)
