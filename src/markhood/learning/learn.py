"""From data to a graph: the layer that `learn()`, the command line and the estimators share."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np

from markhood.data.formats.files import as_samples
from markhood.data.known import known_groups, known_pairs
from markhood.data.samples import Samples, level_text
from markhood.data.understood import understood
from markhood.errors import DataWarning, InputError
from markhood.execution.checkpoint import Checkpoint
from markhood.execution.executors import executor_named
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.learning.forecast import require_room
from markhood.learning.imputation import Imputation, learn_imputed
from markhood.learning.learned import Learned
from markhood.learning.methods import Method, method_named, options_of
from markhood.search.knowledge import NOTHING, Knowledge


def learn(
    data: Any,
    method: str = "plrhc",
    *,
    n_jobs: int | None = None,
    kernels: str = "native",
    executor: Any = None,
    scheduler: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    missing: str = "error",
    missing_values: Iterable[Any] = (),
    max_levels: int = 64,
    weights: Any = None,
    normalize_weights: bool = True,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    imputations: int = 10,
    seed: int = 0,
    required_edges: Any = None,
    forbidden_edges: Any = None,
    groups: Any = None,
    group_rule: str = "between",
    **options: Any,
) -> Graph:
    """Learn the graph of a pairwise Markov network from data.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables), or path
        Every column has at most `max_levels` distinct values, whatever they are. A path is that of a
        file or folder, as for `read_samples`; one that `pack` made is mapped into memory.
    method : {"plrhc", "hc", "l1lr", "mpl", "bjp", "pairwise", "chow-liu"}, default="plrhc"
        See `markhood.learning.methods`.
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
    columns : sequence of str, optional
        The columns that are variables; by default all. Names, or patterns such as "Q*".
    exclude : sequence of str, default=()
        Columns that are no variables: names or patterns.
    imputations : int, default=10
        How many completed data sets there are with ``missing="impute"``.
    seed : int, default=0
        What their random numbers start from.
    required_edges : sequence of pairs, array of shape (n_edges, 2), or path, optional
        Edges that the graph has whatever the data say, by names or column numbers; or a file with
        a pair on every line. Their evidence may be negative.
    forbidden_edges : sequence of pairs, array of shape (n_edges, 2), or path, optional
        Edges that the graph does not have. The screen still measures them.
    groups : mapping, sequence of n_variables labels, or path, optional
        The group of every variable: by name, in order, or in a file with a name and a label on
        every line.
    group_rule : {"between", "within"}, default="between"
        Which edges may be learned where there are groups: those between two, or within one.
    **options
        Of the method; for "plrhc" ``gamma=0.5``, ``depth=3``, ``max_candidates=None``, ``rule="global"``,
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
    >>> learn(coins, required_edges=[("x0", "x1")], forbidden_edges=[(0, 2)]).edges.tolist()
    [[0, 1]]
    """
    chosen = method_named(method, options)
    backend = kernels_named(kernels)
    samples = as_samples(
        data,
        missing=missing,
        missing_values=missing_values,
        max_levels=max_levels,
        weights=weights,
        normalize_weights=normalize_weights,
        columns=columns,
        exclude=exclude,
    )
    known = known_beforehand(samples.names, required_edges, forbidden_edges, groups, group_rule)
    imputation = Imputation(imputations, seed)
    with executor_named(executor, scheduler, n_jobs, int(kernels == "cuda")) as where:
        runner = Runner(n_jobs, executor=where)
        return learn_from(samples, chosen, backend, runner, known, imputation, checkpoint).graph


def known_beforehand(
    names: Sequence[str],
    required_edges: Any = None,
    forbidden_edges: Any = None,
    groups: Any = None,
    group_rule: str = "between",
) -> Knowledge:
    """Return what is known of the graph of these variables; the arguments are those of `learn`.

    Raises
    ------
    InputError
        If a variable is unknown or without a group, or no graph can be so.

    Examples
    --------
    >>> known_beforehand(["a", "b", "c"], [("a", "b")], groups=[1, 2, 2]).summary()
    {'required_edges': 1, 'forbidden_edges': 0, 'groups': 2, 'group_rule': 'between'}
    """
    if group_rule not in ("between", "within"):
        raise InputError(f"Unknown group_rule {group_rule!r}: choose one of between, within.")
    if groups is None and group_rule != "between":
        raise InputError(f"The group rule {group_rule!r} needs groups: give them, or leave it out.")
    known = Knowledge(
        known_pairs(required_edges, names, "required_edges"),
        known_pairs(forbidden_edges, names, "forbidden_edges"),
        None if groups is None else known_groups(groups, names),
        group_rule,  # type: ignore[arg-type]
    )
    known.check(names)
    return known


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
    knowledge: Knowledge = NOTHING,
    imputation: Imputation | None = None,
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
    knowledge : Knowledge, optional
        Edges that the graph has or cannot have.
    imputation : Imputation, optional
        How to complete the samples, where they have missing values.
    checkpoint : path-like, optional
        Folder of finished tiles, to which the runner adds.
    """
    backend, runner = kernels or NativeKernels(), runner or Runner()
    imputation = imputation or Imputation()
    require_room(samples, method, runner.n_jobs)
    if checkpoint is not None:
        if samples.missing:
            raise InputError(
                "A checkpoint is of one learning, and imputation is many: leave one of the two out."
            )
        run = _run(samples, method, knowledge)
        runner = replace(runner, checkpoint=Checkpoint(checkpoint, run))
    if samples.missing:
        learned = learn_imputed(samples, method, backend, runner, knowledge, imputation)
    else:
        learned = method.learn(samples, backend, runner, knowledge)
    provenance = _provenance(samples, method, learned)
    if samples.missing:
        provenance["imputation"] = {
            "missing": sum(int(np.bitwise_count(m).sum()) for m in samples.missing.values()),
            "sets": int(imputation.sets),
            "seed": int(imputation.seed),
        }
    if learned.n_cut:
        provenance["cut_search_spaces"] = learned.n_cut
        many = learned.n_cut > 1
        warnings.warn(
            f"The search space{'s' if many else ''} of {learned.n_cut} variable"
            f"{'s were' if many else ' was'} cut to the strongest candidates (max_candidates)",
            DataWarning,
            stacklevel=2,
        )
    if knowledge:
        provenance["known"] = knowledge.summary()
    screened = learned.screened_graph
    return replace(
        learned,
        graph=learned.graph.with_provenance(provenance),
        or_graph=learned.or_graph.with_provenance(provenance),
        screened_graph=screened and screened.with_provenance(provenance),
    )


def _run(samples: Samples, method: Method, knowledge: Knowledge) -> dict[str, str]:
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
        **({"known": knowledge.fingerprint} if knowledge else {}),
    }


def _provenance(samples: Samples, method: Method, learned: Learned) -> dict[str, Any]:
    return {
        "version": version(),
        "method": method.name,
        "parameters": {
            name: _as_json(getattr(method, name))
            for name in options_of(method)
            if getattr(method, name) is not None
        },
        "data": {
            "samples": samples.n_samples,
            "variables": samples.n_variables,
            **({} if samples.weights is None else {"weight": samples.total_weight}),
            "fingerprint": samples.fingerprint,
            "levels": _levels(samples),
            "understood": understood(samples).as_json(),
        },
        "seconds": {phase: round(seconds, 6) for phase, seconds in learned.seconds.items()},
        "evaluations": {phase: n.tolist() for phase, n in learned.evaluations.items()},
    }


def _as_json(option: Any) -> Any:
    if option is None or isinstance(option, (bool, str)):
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
