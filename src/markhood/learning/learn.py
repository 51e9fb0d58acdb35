"""`learn()`: learn a graph from data in one call; and the request of a graph, to learn it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from markhood.data.coding.bins import Bins
from markhood.data.kinds import Kinds
from markhood.data.reading import Genome, Missing, TableFormat
from markhood.errors import InputError, warn
from markhood.execution.runner import Progress, no_progress
from markhood.graph.graph import Graph
from markhood.learning.knowledge import Knowledge
from markhood.learning.methods import METHODS, Method
from markhood.learning.request import Request, SharedOptions, flattened
from markhood.learning.run import Run
from markhood.options import declaration_of, documented


def repeated(graph: Graph, changes: Mapping[str, Any] | None = None) -> Request:
    """Return the request that a graph was learned with, with some options changed.

    The checkpoint is dropped unless it is passed again: its folder holds the tiles of one run.

    Raises
    ------
    InputError
        If the graph has no such provenance, or an option was stored by its hash only and is not
        passed again.
    """
    stored = graph.provenance
    if "method" not in stored or "reading" not in stored:
        raise InputError(
            "no-provenance",
            "",
            "The graph has no record of how it was learned: call markhood.bootstrap(data, method, "
            "...) with its options.",
        )
    return Request.from_json(stored, **{"checkpoint": None} | flattened(changes or {}))


def warn_of_other_data(graph: Graph, again: Graph) -> None:
    """Warn where two graphs were not learned from the same data."""
    before, now = (one.provenance.get("data", {}).get("fingerprint") for one in (graph, again))
    if before is not None and before != now:
        warn(
            "data-changed",
            "",
            "The data differ from those that the graph was learned from (their fingerprints "
            "differ). The results are for the data passed now.",
        )


MethodName = Literal["plrhc", "hc", "bayes", "l1lr", "mpl", "bjp", "pairwise", "chow-liu", "plm"]


class Estimator(Protocol):
    """An estimator of markhood, which knows its method and options."""

    def flat_options(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the method, and all options."""


def _method_notes() -> str:
    """List the options of every method."""
    lines = []
    for name, method in METHODS.items():
        summary = (method.__doc__ or "").splitlines()[0].rstrip(".")
        lines += [f'"{name}" : {summary}']
        lines += [
            f"    ``{one.name}={one.default!r}``: {declaration_of(one).help}"
            for one in method.declared()
        ]
    return "\n    ".join(lines)


@documented(SharedOptions)
def learn(
    data: Any,
    method: MethodName | Method | Estimator = "plrhc",
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    adjust_for: Sequence[str] = (),
    kinds: Kinds = "auto",
    bins: Bins | None = "auto",
    missing: Missing = "auto",
    missing_values: Iterable[Any] = "auto",
    weights: Any = None,
    table: TableFormat | None = None,
    genome: Genome | None = None,
    knowledge: Knowledge | None = None,
    seed: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    run: Run | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Graph:
    """Learn the graph of a pairwise Markov network from data.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables), or path
        A path names a file or folder, as for `read_samples`; a file written by `pack` is
        memory-mapped.
    method : str, Method or estimator, default="plrhc"
        The search method; the notes below describe each method and its options.
    {parameters}
    weights : array-like of shape (n_samples,) or str, optional
        Sample weights: numbers, the name of a column, or "similarity" for sequences.
    progress : callable, optional
        Called with the phase, the number of finished tiles and the total number of tiles. The same
        information goes to the logger "markhood" at level INFO.
    **options
        Options of the method, and ``clusters`` or ``time`` for rows that depend on each other:
        the name of a column, or one label per row. The effective sample size then replaces N.

    Returns
    -------
    Graph
        The nodes are the variables. For every pair in ``edges`` the graph has ``evidence`` (the
        gain in score from including the edge), ``coupling`` (log odds ratios), ``coupling_tables``
        for more than two levels, ``probability`` (method "bayes") and ``annotations`` (imputed
        data: ``share`` and ``evidence_variance``; ranked pairs: ``mi`` or ``mi_apc``).
        ``provenance`` records the request, a fingerprint of the data and the duration of each
        phase.

    Raises
    ------
    InputError
        If the data or an option cannot be used; the message says what to do.

    Notes
    -----
    The methods and their options:

    {methods}

    Examples
    --------
    >>> import numpy as np
    >>> import markhood
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[20:, 2] = coins[20:, 0]
    >>> learn(coins).edges.tolist()
    [[0, 2]]
    >>> known = markhood.Knowledge(required_edges=[("x0", "x1")], forbidden_edges=[(0, 2)])
    >>> learn(coins, knowledge=known).edges.tolist()
    [[0, 1]]
    """
    shared = {
        "columns": columns,
        "exclude": exclude,
        "adjust_for": adjust_for,
        "kinds": kinds,
        "bins": bins,
        "missing": missing,
        "missing_values": missing_values,
        "weights": weights,
        "table": table,
        "genome": genome,
        "knowledge": knowledge,
        "seed": seed,
        "n_jobs": n_jobs,
        "run": run,
    }
    with Request.from_call(method, shared | options, progress) as request:
        return request.learn(request.read(data)).graph


if learn.__doc__ is not None:  # python -OO removes docstrings
    learn.__doc__ = learn.__doc__.replace("{methods}", _method_notes())
