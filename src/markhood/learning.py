"""From data to a graph: the layer that `learn()`, the command line and the estimators share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import Any

from markhood.data.encode import encode
from markhood.data.samples import Samples, level_text
from markhood.errors import InputError
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.methods import Method, method_named, options_of
from markhood.search.learned import Learned


def learn(
    data: Any,
    method: str = "plrhc",
    *,
    n_jobs: int | None = None,
    kernels: str = "native",
    missing: str = "error",
    missing_values: Iterable[Any] = (),
    max_levels: int = 64,
    weights: Any = None,
    normalize_weights: bool = True,
    **options: Any,
) -> Graph:
    """Learn the graph of a pairwise Markov network from data.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables)
        Every column has at most `max_levels` distinct values, whatever they are.
    method : {"plrhc", "hc", "l1lr", "mpl", "bjp", "pairwise", "chow-liu"}, default="plrhc"
        See `markhood.methods`.
    n_jobs : int, optional
        Threads; -1 for all.
    kernels : {"native", "cuda"}, default="native"
        Where pairs are screened: on the processor, or on an NVIDIA GPU.
    missing : {"error", "drop", "level", "impute"}, default="error"
        What to do about missing values, see `encode`; so are the following.
    missing_values : iterable, default=()
        Further values that mean missing, such as -9 or "?".
    max_levels : int, default=64
        How many distinct values a column may have.
    weights : array-like of shape (n_samples,) or "similarity", optional
        How often each sample counts.
    normalize_weights : bool, default=True
        Whether weights that are not whole numbers are scaled to mean 1.
    **options
        Of the method; for "plrhc" ``gamma=0.5``, ``depth=3``, ``rule="global"``,
        ``criterion="bic"``, ``start="or"``.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> learn(coins).edges.tolist()
    [[0, 2]]
    """
    chosen = method_named(method, options)
    samples = encode(
        data,
        missing=missing,
        missing_values=missing_values,
        max_levels=max_levels,
        weights=weights,
        normalize_weights=normalize_weights,
    )
    return learn_from(samples, chosen, kernels_named(kernels), Runner(n_jobs)).graph


def kernels_named(name: str) -> Kernels:
    """Return the compute backend of that name.

    Raises
    ------
    InputError
        If there is no such backend, or not what it needs.
    """
    if name == "native":
        return NativeKernels()
    if name == "cuda":
        from markhood.kernels.cuda.backend import CudaKernels

        return CudaKernels()
    raise InputError(f"Unknown kernels {name!r}: choose native or cuda.")


def learn_from(
    samples: Samples,
    method: Method,
    kernels: Kernels | None = None,
    runner: Runner | None = None,
) -> Learned:
    """Learn from samples, and write down where the graphs came from.

    Parameters
    ----------
    samples : Samples
    method : Method
    kernels : Kernels, optional
        Compute backend; by default the compiled one.
    runner : Runner, optional
        By default one thread.
    """
    learned = method.learn(samples, kernels or NativeKernels(), runner or Runner())
    provenance = _provenance(samples, method, learned)
    screened = learned.screened_graph
    return replace(
        learned,
        graph=learned.graph.with_provenance(provenance),
        or_graph=learned.or_graph.with_provenance(provenance),
        screened_graph=screened and screened.with_provenance(provenance),
    )


def _provenance(samples: Samples, method: Method, learned: Learned) -> dict[str, Any]:
    return {
        "version": version(),
        "method": method.name,
        "parameters": {name: _as_json(getattr(method, name)) for name in options_of(method)},
        "data": {
            "samples": samples.n_samples,
            "variables": samples.n_variables,
            "fingerprint": samples.fingerprint,
            "levels": _levels(samples),
        },
        "seconds": {phase: round(seconds, 6) for phase, seconds in learned.seconds.items()},
        "evaluations": {phase: n.tolist() for phase, n in learned.evaluations.items()},
    }


def _as_json(option: Any) -> Any:
    if isinstance(option, (bool, str)):
        return option
    if isinstance(option, Integral):
        return int(option)
    return float(option) if isinstance(option, Real) else repr(option)


def _levels(samples: Samples) -> Any:
    """Return what the data's values mean: one list where all variables agree, else one each."""

    def plain(levels: tuple[Any, ...]) -> list[Any]:
        return [v if isinstance(v, (bool, int, float, str)) else level_text(v) for v in levels]

    different = {levels for levels in samples.levels if len(levels) > 1}
    if len(different) == 1 and not samples.is_constant.any():
        return plain(different.pop())
    return {name: plain(ls) for name, ls in zip(samples.names, samples.levels, strict=True)}


@cache
def version() -> str:
    """Return the installed version of markhood."""
    from importlib.metadata import version as installed

    return installed("markhood")
