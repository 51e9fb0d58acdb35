"""`blanket()`: find the Markov blanket of one column."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.coding.names import suggest_names
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.learning.imputation.learn_imputed import completed_search
from markhood.learning.request import Request
from markhood.search.blankets import OneBlanket, blanket_of


class Blanket(NamedTuple):
    """The Markov blanket of a column.

    Attributes
    ----------
    names : tuple of str
        Members of the blanket, in column order.
    numbers : ndarray of int
        Column numbers of the members.
    evidence : ndarray of float
        Gain in the score of the target's regression from including each member.
    candidates : ndarray of int
        The columns that passed the screen.
    copies : mapping of str to tuple of str
        Exact copies of the target or of a member, by its name; empty where copies are not
        grouped.
    """

    names: tuple[str, ...]
    numbers: Ints
    evidence: Floats
    candidates: Ints
    copies: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def blanket(
    data: Any,
    target: str | int,
    *,
    gamma: float = 0.5,
    depth: int = 1,
    **options: Any,
) -> Blanket:
    """Find the Markov blanket of one column: the columns it depends on given all others.

    One column is screened against all others, so the cost is linear in the number of columns.
    Copies are grouped as in `learn` (``identical``): one of each set is a candidate, and copies of
    the target are not candidates.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables), or path
        As for `learn`.
    target : str or int
        Name or number of the column.
    gamma : float, default=0.5
        Weight of the model-space penalty in BIC_gamma; larger values give fewer members.
    depth : int, default=1
        Search among the columns within this many steps of the screened graph.
    **options
        Options for reading data and running the work, as for `learn`: ``missing``, ``weights``,
        ``bins``, ``n_jobs``, ...

    Returns
    -------
    Blanket

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 4))
    >>> coins[:, 3] = coins[:, 0] | coins[:, 2]
    >>> blanket(coins, "x3").names
    ('x0', 'x2')
    """
    request = Request.from_call("plrhc", {"gamma": gamma, "depth": depth, **options})
    samples = request.read(data)
    name = samples.names[_number(target, samples)]
    grouped = request.prepared(samples)
    request.copies(grouped).warn()
    everything = grouped.variables.unfolded()
    node = everything.node[everything.variables.names.index(name)]
    found = blanket_in(request, grouped, node, gamma, depth)
    column = {own: j for j, own in enumerate(samples.names)}
    return found._replace(
        numbers=np.array([column[own] for own in found.names], np.int64),
        candidates=np.array(
            [column[grouped.names[j]] for j in found.candidates.tolist()], np.int64
        ),
        copies=_copies(grouped, [node, *found.numbers.tolist()]),
    )


def blanket_in(
    request: Request, samples: Samples, target: int, gamma: float, depth: int
) -> Blanket:
    """Find the blanket of one variable in samples.

    Missing values are imputed on the graph of all variables. The blanket then has the members that
    it has in most imputed data sets, with the mean of their evidence.
    """
    with request.job(samples) as job:
        rng = np.random.default_rng(request.seed)
        jobs = [job]
        if samples.missing:
            jobs = completed_search(job, request.method, rng, request.run.imputations)[1]
        found = [blanket_of(one, target, gamma, depth) for one in jobs]
    members, times = np.unique(np.concatenate([one.members for one in found]), return_counts=True)
    members = members[2 * times > len(found)]
    evidence = np.mean([_evidence_of(one, members, samples.n_variables) for one in found], axis=0)
    candidates = np.unique(np.concatenate([one.candidates for one in found]))
    return Blanket(tuple(samples.names[j] for j in members.tolist()), members, evidence, candidates)


def _evidence_of(found: OneBlanket, members: Ints, n_variables: int) -> Floats:
    """Return the evidence of some variables, 0 for those that are not members."""
    evidence = np.zeros(n_variables)
    evidence[found.members] = found.evidence
    return evidence[members]


def _copies(samples: Samples, nodes: list[int]) -> dict[str, tuple[str, ...]]:
    """Return the copies that some grouped variables represent, by variable name."""
    members = samples.variables.members or ((),) * samples.n_variables
    return {samples.names[j]: tuple(m.name for m in members[j]) for j in nodes if members[j]}


def _number(target: str | int, samples: Samples) -> int:
    if isinstance(target, str):
        if target not in samples.names:
            raise InputError(
                "unknown-column",
                target,
                f"The data have no column {target!r}: {suggest_names(target, samples.names)}.",
            )
        return samples.names.index(target)
    if not 0 <= target < samples.n_variables:
        raise InputError(
            "unknown-column",
            str(target),
            f"There is no column number {target}: the data have {samples.n_variables} columns.",
        )
    return int(target)
