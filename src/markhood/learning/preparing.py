"""Samples and what is known of them, made ready for a search: covariates last, kinds, groups of copies.

A search sees one variable for each group of copies. What the user knows is told of columns, by name or number, so
it is looked up among all columns, and then is what is known of the groups that they are in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.names import pick_columns
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError, option, warn
from markhood.learning.known import known_groups, known_pairs, known_priors
from markhood.learning.methods import Method
from markhood.search.values.knowledge import Knowledge, Near

if TYPE_CHECKING:
    from markhood.learning.request import Options


def covariates_last(samples: Samples, covariates: Sequence[str]) -> Samples:
    """Return samples with the variables last that are adjusted for."""
    if not covariates:
        return samples
    last = pick_columns(samples.names, covariates)
    nodes = [j for j in range(samples.n_variables) if j not in last]
    if len(nodes) < 2:
        raise InputError(
            f"Of {samples.n_variables} columns {len(last)} are adjusted for, and a graph needs two "
            f"or more others: take some out of {option('adjust_for')}."
        )
    if nodes + last == list(range(samples.n_variables)):
        return samples
    return samples.pick(np.array(nodes + last))


def of_its_kinds(samples: Samples, method: Method) -> Samples:
    """Return samples as the method takes them: as categories where it knows no order."""
    n_ordered = sum(samples.variables.is_ordered)
    if not n_ordered or method.heeds_order:
        return samples
    warn(
        f"The ordered levels of {n_ordered} column{'s'[: n_ordered > 1]} are categories to "
        f"{method.name}, whose scores know no order: choose {option('kinds', 'nominal')} to "
        "say so, or another method."
    )
    return samples.with_order([False] * samples.n_variables)


def labels_of(samples: Samples, groups: Any, covariates: Sequence[str]) -> NDArray[np.int64]:
    """Return numbers that differ between variables which must not become one: groups, covariates."""
    all_of = samples.variables.unfolded()
    n_covariates = _count(samples.names, covariates)
    n_nodes = len(all_of.node) - n_covariates
    labels = np.zeros(len(all_of.node), np.int64)
    labels[n_nodes:] = -1 - np.arange(n_covariates)
    if groups is not None:
        labels[:n_nodes] = known_groups(groups, all_of.variables.names[:n_nodes])
    return labels[_firsts(all_of.node)]


def knowledge_of(
    variables: Variables, options: Options, covariates: Sequence[str], near: Near | None
) -> Knowledge:
    """Return what is known beforehand of the graph of these variables, covariates being the last."""
    n_covariates = _count(variables.names, covariates)
    n_nodes, all_of = len(variables) - n_covariates, variables.unfolded()
    columns = all_of.variables.names[: len(all_of.node) - n_covariates]
    node, groups = np.array(all_of.node), None
    if options.groups is not None:
        labels = known_groups(options.groups, columns)[_firsts(all_of.node[: len(columns)])]
        groups = np.append(labels, np.full(n_covariates, -1))
    required = known_pairs(options.required_edges, columns, "required_edges")
    forbidden = known_pairs(options.forbidden_edges, columns, "forbidden_edges")
    pairs, priors = known_priors(options.pair_priors, columns)
    if variables.members is not None:
        _require_two_groups(required, node, columns)
        required, _ = pairs_of_groups(required, node)
        forbidden, _ = pairs_of_groups(forbidden, node)
        pairs, kept = pairs_of_groups(pairs, node)
        priors = priors[kept]
    known = Knowledge(
        required,
        forbidden,
        groups,
        options.group_rule,  # type: ignore[arg-type]
        pairs,
        priors,
        np.arange(n_nodes, len(variables)),
        near,
    )
    known.check(variables.names)
    return known


def pairs_of_groups(
    pairs: NDArray[np.int64], node: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return pairs of columns as pairs of the nodes that stand for them, each once, and which they were.

    Examples
    --------
    >>> pairs_of_groups(np.array([[0, 1], [1, 2], [0, 2]]), np.array([0, 0, 1]))
    (array([[0, 1]]), array([1]))
    """
    ends = np.sort(node[pairs], axis=1)
    two = np.flatnonzero(ends[:, 0] != ends[:, 1])
    found, first = np.unique(ends[two], axis=0, return_index=True)
    return found, two[first]


def _require_two_groups(
    pairs: NDArray[np.int64], node: NDArray[np.int64], columns: Sequence[str]
) -> None:
    """Raise where two columns that are to be joined are one node."""
    for i, j in pairs[node[pairs[:, 0]] == node[pairs[:, 1]]].tolist():
        raise InputError(
            f"{columns[i]!r} and {columns[j]!r} are copies and become one node, which cannot be joined to "
            f"itself: take the pair out of {option('required_edges')}, or give {option('identical', 'keep')}."
        )


def _count(names: Sequence[str], covariates: Sequence[str]) -> int:
    return len(pick_columns(names, covariates)) if covariates else 0


def _firsts(node: Sequence[int]) -> NDArray[np.intp]:
    """Return the first column of every node."""
    return np.unique(np.array(node, np.int64), return_index=True)[1]
