"""From data to a graph: the layer that `learn()`, the command line and the estimators share."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import Any

from markhood.data.encode import encode
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.execution.checkpoint import Checkpoint
from markhood.execution.executors import executor_named
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
    executor: Any = None,
    scheduler: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Graph:
    """Learn the graph of a pairwise Markov network from data.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables)
        Every column has two distinct values, whatever they are.
    method : {"plrhc", "hc", "l1lr", "mpl", "bjp", "pairwise", "chow-liu"}, default="plrhc"
        See `markhood.methods`.
    n_jobs : int, optional
        Threads; -1 for all.
    kernels : {"native", "cuda"}, default="native"
        Where pairs are screened: on the processor, or on an NVIDIA GPU.
    executor : {"threads", "dask", "ray"} or distributed.Client, optional
        What runs the tiles of the work: by default threads here, unless
        ``joblib.parallel_config`` says otherwise. The graph is the same.
    scheduler : str, optional
        Address of the cluster, for "dask" and "ray".
    checkpoint : path-like, optional
        Folder where finished tiles are saved; a run that was killed goes on from there.
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
    backend = kernels_named(kernels)
    with executor_named(executor, scheduler, n_jobs, int(kernels == "cuda")) as where:
        runner = Runner(n_jobs, executor=where)
        return learn_from(encode(data), chosen, backend, runner, checkpoint).graph


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
    checkpoint: str | os.PathLike[str] | None = None,
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
    checkpoint : path-like, optional
        Folder of finished tiles, to which the runner adds.
    """
    runner = runner or Runner()
    if checkpoint is not None:
        runner = replace(runner, checkpoint=Checkpoint(checkpoint, _run(samples, method)))
    learned = method.learn(samples, kernels or NativeKernels(), runner)
    provenance = _provenance(samples, method, learned)
    screened = learned.screened_graph
    return replace(
        learned,
        graph=learned.graph.with_provenance(provenance),
        or_graph=learned.or_graph.with_provenance(provenance),
        screened_graph=screened and screened.with_provenance(provenance),
    )


def _run(samples: Samples, method: Method) -> dict[str, str]:
    """Name all that the results of a tile depend on."""
    # The address in the plain repr of an object is another in every process.
    options = {
        name: re.sub(r" at 0x[0-9a-f]+", "", str(_as_json(getattr(method, name))))
        for name in options_of(method)
    }
    return {
        "version": version(),
        "data": samples.fingerprint,
        "method": method.name,
        **options,
    }


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
        return [v if isinstance(v, (bool, int, float, str)) else str(v) for v in levels]

    different = {levels for levels in samples.levels if len(levels) > 1}
    if len(different) == 1 and not samples.is_constant.any():
        return plain(different.pop())
    return {name: plain(ls) for name, ls in zip(samples.names, samples.levels, strict=True)}


@cache
def version() -> str:
    """Return the installed version of markhood."""
    from importlib.metadata import version as installed

    return installed("markhood")
