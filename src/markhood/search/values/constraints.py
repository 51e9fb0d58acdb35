"""Constraints and prior knowledge about a graph: required, forbidden and probable edges.

A required edge is in the blankets of both ends from the start, and no search removes it. A
forbidden edge is not a candidate, and therefore in no blanket and no graph. The screen still
measures every pair: a forbidden pair may pass it, is then in the screened graph, and can be a step
of a search space. Required edges are such steps too.

Prior probabilities of edges affect only searches that estimate probabilities.

Groups of variables forbid blocks of pairs, within a group or between groups. They are stored as one
label per variable, and edges as lists of pairs, so memory is proportional to the number of
variables and known edges, not to the number of pairs.

Nearby pairs along a chromosome are dependent because of joint inheritance. They may be edges and
members of blankets, so that a distant edge is conditional on nearby neighbours, but they are not
reported. If they were forbidden, every distant pair would also absorb its neighbours' dependence.

Covariates are in the blanket of every other variable from the start, every pair is measured
conditional on them (`scores/given.py`), and they are not candidates, nodes or ends of edges. They
come last, so that nodes keep their numbers when covariates are removed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.genome.loci import Coordinates
from markhood.errors import InputError, option
from markhood.graph.numbering import in_order, pair_numbers
from markhood.kernels.lists import Lists

GroupRule = Literal["between", "within"]


def _no_edges() -> Ints:
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class DistanceLimit:
    """The distance along a chromosome below which pairs are not reported."""

    coordinates: Coordinates
    min_distance: float

    def excludes(self, pairs: Ints) -> Bools:
        """Return whether each pair is closer than the limit, on one chromosome."""
        return np.asarray(self.coordinates.distances(pairs) < self.min_distance)


@dataclass(frozen=True, eq=False)
class Constraints:
    """Constraints on edges, by the numbers of their variables; true if there are any.

    Examples
    --------
    >>> known = Constraints(forbidden=np.array([[0, 2]]), groups=np.array([0, 0, 1]))
    >>> known.allows(np.array([0, 0, 2]), np.array([1, 2, 1])).tolist()
    [False, False, True]
    """

    # (n_edges, 2), both: i < j, lexicographic, each edge once.
    required: Ints = field(default_factory=_no_edges)
    forbidden: Ints = field(default_factory=_no_edges)
    groups: Ints | None = None  # (n_variables,): the number of each variable's group
    # Whether edges are allowed between groups only, or within groups only.
    group_rule: GroupRule = "between"
    # (n_pairs, 2): pairs with a prior probability.
    priors: Ints = field(default_factory=_no_edges)
    # (n_pairs,): strictly between 0 and 1.
    prior_probabilities: Floats = field(default_factory=lambda: np.empty(0))
    # (n_covariates,): variables that are adjusted for; they come last.
    covariates: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    distance_limit: DistanceLimit | None = None  # excludes nearby pairs from the reported edges

    def __bool__(self) -> bool:
        """Return whether there are any constraints."""
        parts = (self.required, self.forbidden, self.priors, self.covariates)
        return any(map(len, parts)) or self.groups is not None or self.distance_limit is not None

    @property
    def fingerprint(self) -> str:
        """Hash of all constraints."""
        digest = hashlib.blake2b(self.group_rule.encode(), digest_size=16)
        for array in (
            self.required,
            self.forbidden,
            self.groups,
            self.priors,
            self.prior_probabilities,
            self.covariates,
        ):
            digest.update(
                b"none" if array is None else np.ascontiguousarray(array).tobytes() + b"."
            )
        if len(self.covariates):
            digest.update(b"covariates" + self.covariates.tobytes())
        if self.distance_limit is not None:
            digest.update(f"near {self.distance_limit.min_distance}".encode())
            coordinates = self.distance_limit.coordinates
            digest.update(coordinates.chromosomes.tobytes() + coordinates.positions.tobytes())
            digest.update(
                b"" if coordinates.length is None else f"circle {coordinates.length}".encode()
            )
        return digest.hexdigest()

    def check(self, names: Sequence[str]) -> None:
        """Raise if no graph can satisfy all constraints."""
        if not len(self.required) and not len(self.priors):
            return
        clash = self.required[_are_among(pair_numbers(self.required), self._forbidden_numbers)]
        if len(clash):
            raise InputError(
                "constraints",
                "",
                f"The edge {_named(clash[0], names)} is both required and forbidden: remove it "
                "from one of the two.",
            )
        clash = self.required[~self._groups_allow(*self.required.T)]
        if len(clash):
            is_within = "two groups" if self.group_rule == "within" else "one group"
            raise InputError(
                "constraints",
                "",
                f"The required edge {_named(clash[0], names)} joins variables of {is_within}, but "
                f"the group rule is {self.group_rule!r}: remove the edge, or change the groups or "
                "the rule.",
            )

        clash = self.required[~self.reports(self.required)]
        if len(clash):
            raise InputError(
                "constraints",
                "",
                f"The required edge {_named(clash[0], names)} joins variables closer than "
                f"{option('min_distance')}: remove the edge, or lower {option('min_distance')}.",
            )
        certain = self.requires(self.priors) | ~self.allows(*self.priors.T)
        if certain.any():
            raise InputError(
                "constraints",
                "",
                f"The edge {_named(self.priors[certain][0], names)} has a prior probability, but "
                "is required or not allowed: remove it from one of the two.",
            )

    def allows(self, i: Ints, j: Ints) -> Bools:
        """Return whether each pair may be an edge."""
        allowed = self._groups_allow(i, j)
        if len(self.forbidden):
            numbers = pair_numbers(np.column_stack([i, j]))
            allowed &= ~_are_among(numbers, self._forbidden_numbers)
        if len(self.covariates):
            allowed &= (i < self.covariates[0]) & (j < self.covariates[0])
        return allowed

    def n_allowed(self, n_nodes: int) -> int:
        """Return the number of pairs of nodes that may be edges.

        Examples
        --------
        >>> known = Constraints(forbidden=np.array([[0, 2]]), groups=np.array([0, 0, 1]))
        >>> known.n_allowed(3)
        1
        """
        total = n_nodes * (n_nodes - 1) // 2
        if self.groups is not None:
            sizes = np.bincount(self.groups[:n_nodes])
            within = int((sizes * (sizes - 1) // 2).sum())
            total = within if self.group_rule == "within" else total - within
        forbidden = self.forbidden[(self.forbidden < n_nodes).all(axis=1)]
        return total - int(self._groups_allow(*forbidden.T).sum())

    def reports(self, edges: Ints) -> Bools:
        """Return whether each of these pairs would be reported as an edge.

        Examples
        --------
        >>> near = DistanceLimit(Coordinates(np.array([0, 0, 0]), np.array([5, 7, 90])), 10)
        >>> Constraints(distance_limit=near).reports(np.array([[0, 1], [0, 2]])).tolist()
        [False, True]
        """
        if self.distance_limit is None:
            return np.ones(len(edges), dtype=np.bool_)
        return ~self.distance_limit.excludes(edges)

    def allowed(self, targets: Ints, candidates: Lists) -> Lists:
        """Remove candidates that must not be joined to their target."""
        if not len(self.forbidden) and self.groups is None and not len(self.covariates):
            return candidates
        lengths = candidates.lengths
        stay = self.allows(np.repeat(targets, lengths), candidates.values)
        return candidates.where(stay)

    def required_of(self, targets: Ints) -> Lists:
        """List the required members of each target's blanket, ascending, with covariates."""
        if not len(self.required):
            return self.adjusted(targets, Lists.empty(len(targets)))
        ends, neighbours = self._required_both_ways
        first, last = (np.searchsorted(ends, targets, side) for side in ("left", "right"))
        lists = Lists.of([neighbours[a:b] for a, b in zip(first, last, strict=True)])
        return self.adjusted(targets, lists)

    def adjusted(self, targets: Ints, blankets: Lists) -> Lists:
        """Add the covariates to each target's blanket, except those of covariates.

        Examples
        --------
        >>> known = Constraints(covariates=np.array([2]))
        >>> [b.tolist() for b in known.adjusted(np.arange(3), Lists.of([[1], [0], []]))]
        [[1, 2], [0, 2], []]
        """
        if not len(self.covariates):
            return blankets
        own, none = self.covariates, self.covariates[:0]
        is_node = targets < own[0]
        return Lists.of(
            [np.append(b, own if node else none) for b, node in zip(blankets, is_node, strict=True)]
        )

    def nodes_of(self, blankets: Lists) -> Lists:
        """Remove the covariates from blankets."""
        if not len(self.covariates):
            return blankets
        return blankets.where(blankets.values < self.covariates[0])

    def requires(self, edges: Ints) -> Bools:
        """Return whether each of these edges is required."""
        return _are_among(pair_numbers(edges), pair_numbers(self.required))

    def applied_to(self, edges: Ints) -> Ints:
        """Remove forbidden edges (i < j) and add required ones; lexicographic.

        Examples
        --------
        >>> known = Constraints(required=np.array([[0, 1]]), forbidden=np.array([[1, 2]]))
        >>> known.applied_to(np.array([[0, 2], [1, 2]])).tolist()
        [[0, 1], [0, 2]]
        """
        if not self:
            return edges
        kept = edges[self.allows(*edges.T) & ~self.requires(edges)]
        both = np.concatenate([kept, self.required])
        return both[in_order(both)]

    def summary(self) -> dict[str, Any]:
        """Return the numbers of constraints by kind; empty if there are none."""
        counts: dict[str, Any] = {
            "required_edges": len(self.required),
            "forbidden_edges": len(self.forbidden),
        }
        if self.groups is not None:
            counts |= {"groups": len(np.unique(self.groups)), "group_rule": self.group_rule}
        if len(self.priors):
            counts |= {"pair_priors": len(self.priors)}
        return counts if any(counts.values()) else {}

    @cached_property
    def _required_both_ways(self) -> tuple[Ints, Ints]:
        both = np.concatenate([self.required, self.required[:, ::-1]])
        ends, neighbours = both[np.lexsort((both[:, 1], both[:, 0]))].T
        return np.ascontiguousarray(ends), np.ascontiguousarray(neighbours)

    @cached_property
    def _forbidden_numbers(self) -> Ints:
        return pair_numbers(self.forbidden)

    def _groups_allow(self, i: Ints, j: Ints) -> Bools:
        if self.groups is None:
            return np.ones(len(i), dtype=np.bool_)
        same = self.groups[i] == self.groups[j]
        return np.asarray(same if self.group_rule == "within" else ~same)


NO_CONSTRAINTS = Constraints()


def _are_among(asked: Ints, numbers: Ints) -> Bools:
    """Return whether each number is in an ascending array."""
    if not len(numbers):
        return np.zeros(len(asked), dtype=np.bool_)
    at = np.minimum(np.searchsorted(numbers, asked), len(numbers) - 1)
    return np.asarray(numbers[at] == asked)


def _named(edge: Ints, names: Sequence[str]) -> str:
    return f"{names[edge[0]]!r} - {names[edge[1]]!r}"
