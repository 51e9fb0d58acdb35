"""`Knowledge`: constraints and prior knowledge about the graph that a caller passes.

Callers name columns. A search sees one variable per group of copies, so `constraints_on` looks
names up among all columns and maps them to the groups that contain them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Ints
from markhood.data.coding.names import covariates_among
from markhood.data.genome.loci import Coordinates
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError, option
from markhood.learning.known import (
    known_groups,
    known_pairs,
    known_priors,
    listed_groups,
    listed_pairs,
)
from markhood.options import Sealed, declare, documented
from markhood.search.values.constraints import Constraints, DistanceLimit

if TYPE_CHECKING:
    from markhood.learning.request import Request


@dataclass(kw_only=True)
class Knowledge(Sealed):
    """Edges that are known to be present or absent before the data are seen.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> Knowledge(forbidden_edges=[("age", "sex")]).forbidden_edges
    [('age', 'sex')]
    """

    required_edges: Any = declare(
        None,
        "Edges that the graph must have: pairs of column names or numbers, or a file with two "
        "names per line.",
        content=listed_pairs,
        metavar="FILE",
    )
    forbidden_edges: Any = declare(
        None,
        "Edges that the graph must not have: pairs of column names or numbers, or a file with two "
        "names per line.",
        content=listed_pairs,
        metavar="FILE",
    )
    groups: Any = declare(
        None,
        "Group of every variable, such as its scale, for colours in figures and reports: by name, "
        "in order, or a file with a name and a label per line.",
        content=listed_groups,
        metavar="FILE",
    )
    group_rule: Literal["any", "between", "within"] = declare(
        "any",
        "Which edges the groups allow: any, only edges between different groups, or only edges "
        "within a group.",
    )

    def check(self) -> None:
        """Check the options and their combination."""
        super().check()
        if self.groups is None and self.group_rule != "any":
            raise InputError(
                "option-needed",
                "groups",
                f"{option('group_rule', self.group_rule)} needs {option('groups')}: pass them, or "
                "omit the rule.",
            )

    @property
    def restricting(self) -> Any:
        """The groups if they restrict the edges, otherwise None."""
        return None if self.group_rule == "any" else self.groups


documented(Knowledge)(Knowledge)


def labels_of(samples: Samples, request: Request) -> Ints:
    """Return labels that differ between variables which must not be grouped as copies."""
    all_of = samples.variables.unfolded()
    n_covariates = len(covariates_among(samples.names, request.reading.adjust_for))
    n_nodes = len(all_of.node) - n_covariates
    labels = np.zeros(len(all_of.node), np.int64)
    labels[n_nodes:] = -1 - np.arange(n_covariates)
    if request.knowledge.restricting is not None:
        groups = known_groups(request.knowledge.restricting, all_of.variables.names[:n_nodes])
        labels[:n_nodes] = groups
    return labels[_firsts(all_of.node)]


def constraints_on(variables: Variables, request: Request) -> Constraints:
    """Return the constraints on the graph of these variables; covariates come last."""
    given = request.knowledge
    n_covariates = len(covariates_among(variables.names, request.reading.adjust_for))
    n_nodes, all_of = len(variables) - n_covariates, variables.unfolded()
    columns = all_of.variables.names[: len(all_of.node) - n_covariates]
    node, groups = np.array(all_of.node), None
    if given.restricting is not None:
        labels = known_groups(given.restricting, columns)[_firsts(all_of.node[: len(columns)])]
        groups = np.append(labels, np.full(n_covariates, -1))
    required = known_pairs(given.required_edges, columns, "required_edges")
    forbidden = known_pairs(given.forbidden_edges, columns, "forbidden_edges")
    pairs, priors = known_priors(getattr(request.method, "pair_priors", None), columns)
    if variables.members is not None:
        _require_two_groups(required, node, columns)
        required, _ = pairs_of_groups(required, node)
        forbidden, _ = pairs_of_groups(forbidden, node)
        pairs, kept = pairs_of_groups(pairs, node)
        priors = priors[kept]
    known = Constraints(
        required,
        forbidden,
        groups,
        "within" if given.group_rule == "within" else "between",
        pairs,
        priors,
        np.arange(n_nodes, len(variables)),
        _distance_limit(variables, request.reading.min_distance),
    )
    known.check(variables.names)
    return known


def pairs_of_groups(pairs: Ints, node: Ints) -> tuple[Ints, NDArray[np.intp]]:
    """Return pairs of columns as unique pairs of nodes, and the index of each.

    Examples
    --------
    >>> pairs_of_groups(np.array([[0, 1], [1, 2], [0, 2]]), np.array([0, 0, 1]))
    (array([[0, 1]]), array([1]))
    """
    ends = np.sort(node[pairs], axis=1)
    two = np.flatnonzero(ends[:, 0] != ends[:, 1])
    found, first = np.unique(ends[two], axis=0, return_index=True)
    return found, two[first]


def _distance_limit(variables: Variables, least: float | None) -> DistanceLimit | None:
    """Return the limit below which pairs along a genome are not reported."""
    if least is None:
        return None
    if variables.loci is None:
        raise InputError(
            "option-needed",
            "positions",
            f"{option('min_distance')} needs positions of the variables: pass "
            f"{option('positions')}, or names such as 'chr1:12345'.",
        )
    return DistanceLimit(Coordinates.of(variables.loci, variables.genome_length), float(least))


def _require_two_groups(pairs: Ints, node: Ints, columns: Sequence[str]) -> None:
    """Raise if a required edge joins two columns that are grouped into one node."""
    for i, j in pairs[node[pairs[:, 0]] == node[pairs[:, 1]]].tolist():
        raise InputError(
            "constraints",
            "required_edges",
            f"{columns[i]!r} and {columns[j]!r} are copies and are grouped into one node: remove "
            f"the pair from {option('required_edges')}, or use {option('identical', 'keep')}.",
        )


def _firsts(node: Sequence[int]) -> NDArray[np.intp]:
    """Return the first column of every node."""
    return np.unique(np.array(node, np.int64), return_index=True)[1]
