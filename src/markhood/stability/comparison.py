"""`GroupComparison`, the result of `compare_groups`.

Permutation tests of many differences with the max-T adjustment. Let T be the test statistic of a
difference in the data and T* the one under permuted labels; larger values are stronger evidence.
The data count as one of the permutations.

    p            share of the permutations with T* >= T
    p adjusted   share of the permutations in which the largest T* of the family is >= T

This is the single-step method of Westfall and Young (1993). It controls the family-wise error and
allows for dependence between the differences. A family is all differences of one kind in all pairs
of groups, whose statistics must be comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.to_frame import frame_of_rows
from markhood.graph.graph import Graph
from markhood.graph.notebook import result_html

TOLERANCE = 1e-9  # statistics that differ by rounding count as equal


class Tally(NamedTuple):
    """Some permutations of a family, compared with the data.

    ``as_large`` of shape (n_pairs, n) is the number of permutations with T* >= T, ``any_as_large``
    of shape (n,) the number in which the largest over the pairs is, and ``largest`` of shape
    (n_permutations,) the largest T* of the family.
    """

    as_large: Ints
    any_as_large: Ints
    largest: Floats

    @classmethod
    def of(cls, observed: Floats, permuted: Floats) -> Tally:
        """Compare statistics of shape (n_permutations, n_pairs, n) with those of the data."""
        least = observed - TOLERANCE
        return cls(
            (permuted >= least).sum(axis=0),
            (permuted.max(axis=1) >= least.max(axis=0)).sum(axis=0),
            permuted.max(axis=(1, 2), initial=-np.inf),
        )


@dataclass(frozen=True, eq=False)
class MaxT:
    """A family of differences with their p-values."""

    signed: Floats  # (n_pairs, n): the differences between the groups of each pair
    p_values: Floats  # (n_pairs, n), as the next
    adjusted: Floats
    # (n,): p-value of the largest statistic over the pairs: whether any two groups differ.
    p_any: Floats

    @classmethod
    def of(cls, signed: Floats, observed: Floats, permutations: Sequence[Tally]) -> MaxT:
        """Compute p-values from the statistics of the data and of all permutations.

        Parameters
        ----------
        signed : ndarray of shape (n_pairs, n)
            The differences to report.
        observed : ndarray of shape (n_pairs, n)
            Their test statistics.

        Examples
        --------
        >>> observed = np.array([[1.0, 0.5]])
        >>> permuted = np.array([[[0.1, 3.0]], [[0.2, 0.1]], [[0.3, 0.7]]])
        >>> tests = MaxT.of(-observed, observed, [Tally.of(observed, permuted)])
        >>> tests.p_values.tolist(), tests.adjusted.tolist()
        ([[0.25, 0.75]], [[0.5, 0.75]])
        """
        largest = np.sort(
            np.concatenate(
                [[observed.max(initial=-np.inf)], *(tally.largest for tally in permutations)]
            )
        )
        n = len(largest)
        first = np.searchsorted(largest, observed - TOLERANCE)
        return cls(
            signed,
            np.asarray(1 + sum(tally.as_large for tally in permutations)) / n,
            (n - first) / n,
            np.asarray(1 + sum(tally.any_as_large for tally in permutations)) / n,
        )


Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class GroupComparison:
    """The networks of groups, and tests of their differences.

    Attributes
    ----------
    names : tuple of str
        Names of the groups.
    sizes : tuple of int
        Number of samples in each group.
    graphs : tuple of Graph
        The learned graph of each group, with couplings under the weak prior.
    edges : ndarray of shape (n_edges, 2)
        The compared pairs: all that may be edges, or those that pass a screen if these are too
        many.
    couplings : ndarray of shape (n_groups, n_edges)
        The couplings of the compared pairs in each group, with all of them in the model: log odds
        ratios, or the norms of tables.
    permutations : int
        Number of permutations of the group labels.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    graphs: tuple[Graph, ...]
    edges: Ints
    couplings: Floats
    permutations: int
    _tests: Mapping[str, MaxT]
    _centralities: tuple[Mapping[str, Floats], ...]

    @property
    def structure(self) -> float:
        """The largest difference between couplings of two groups."""
        return float(self._tests["structure"].signed.max())

    @property
    def strength(self) -> float:
        """The largest difference of the sum of all |coupling|, second group minus first."""
        return float(_largest(self._tests["strength"].signed)[0])

    @property
    def p_structure(self) -> float:
        """The p-value of `structure`, over all pairs of groups."""
        return float(self._tests["structure"].p_any[0])

    @property
    def p_strength(self) -> float:
        """The p-value of `strength`, over all pairs of groups."""
        return float(self._tests["strength"].p_any[0])

    def pair_rows(self) -> list[Row]:
        """Compare the structure and strength of every two groups.

        Returns
        -------
        list of dict
            ``first`` and ``second``, the names of the groups; for ``structure`` and ``strength``
            the difference (second minus first), its p-value, and the p-value adjusted for all pairs
            of groups.
        """
        return [
            {
                "first": self.names[g],
                "second": self.names[h],
                **{
                    key: float(values[k, 0])
                    for name in ("structure", "strength")
                    for key, values in (
                        (name, self._tests[name].signed),
                        (f"p_{name}", self._tests[name].p_values),
                        (f"p_{name}_adjusted", self._tests[name].adjusted),
                    )
                },
            }
            for k, (g, h) in enumerate(self._pairs)
        ]

    def edge_rows(self, *, pairwise: bool = True) -> list[Row]:
        """Compare the couplings of all compared pairs, smallest p-values first.

        Parameters
        ----------
        pairwise : bool, default=True
            Whether to return a row for each coupling and pair of groups. Otherwise return one row
            per coupling with the test of whether any two groups differ.

        Returns
        -------
        list of dict
            ``source``, ``target``, the groups (``first``, ``second``), the ``coupling`` in each
            group (the norm of a table), the ``difference`` (second minus first; for tables, the
            norm of their difference), ``p_value``, and ``p_adjusted`` for all couplings and pairs
            of groups.
        """
        nodes = self.graphs[0].nodes
        heads = [{"source": nodes[i], "target": nodes[j]} for i, j in self.edges.tolist()]
        return self._rows("edges", heads, pairwise, ("coupling", self.couplings))

    def to_frame(self) -> Any:
        """Return `edge_rows` as a pandas or polars data frame."""
        couplings = (f"coupling_{name}" for name in self.names)
        numbers = ("difference", "p_value", "p_adjusted")
        names = ("source", "target", "first", "second", *couplings, *numbers)
        return frame_of_rows(self.edge_rows(), names, self.graphs[0].provenance)

    def field_rows(self, *, pairwise: bool = True) -> list[Row]:
        """Compare the fields of all variables, smallest p-values first.

        Parameters
        ----------
        pairwise : bool, default=True
            As for `edge_rows`.

        Returns
        -------
        list of dict
            ``variable``, ``first``, ``second``, the ``difference`` of its field (its norm, with
            more than two levels), the log odds with all other variables at their means,
            ``p_value``, and ``p_adjusted`` for all variables and pairs of
            groups.
        """
        return self._rows("fields", [{"variable": v} for v in self.graphs[0].nodes], pairwise)

    def centrality_rows(self, *, pairwise: bool = True) -> list[Row]:
        """Compare the centralities of all variables, smallest p-values first.

        Parameters
        ----------
        pairwise : bool, default=True
            As for `edge_rows`.

        Returns
        -------
        list of dict
            ``node``, ``measure`` (strength and expected influence of all compared couplings; with
            ``relearn=True`` also degree, closeness and betweenness in the learned graphs),
            ``first``, ``second``, the ``value`` in each group, the ``difference``, ``p_value``, and
            ``p_adjusted`` for all variables and pairs of groups.
        """
        nodes = self.graphs[0].nodes
        rows = [
            row
            for measure in self._centralities[0]
            for row in self._rows(
                f"centrality_{measure}",
                [{"node": node, "measure": measure} for node in nodes],
                pairwise,
                ("value", np.array([own[measure] for own in self._centralities])),
            )
        ]
        return sorted(rows, key=_by_p_value)

    def describe_methods(self) -> str:
        """Return a paragraph for a methods section: the groups, the tests and their correction."""
        groups = zip(self.names, self.sizes, self.graphs, strict=True)
        listed = ", ".join(f"{name} (N = {n}, {g.n_edges} edges)" for name, n, g in groups)
        about = self.graphs[0].provenance
        steps = " ".join(map(str, about.get("sentences", ())))
        return (
            f"The networks of {len(self.names)} groups, {listed}, were learned with markhood "
            f"{about.get('version')}, method {about.get('method')}. {steps} Their "
            f"{len(self.edges)} couplings and {len(self.graphs[0].nodes)} fields were compared "
            f"by score tests with {self.permutations} permutations of the group labels, and "
            "p-values were adjusted for all couplings and pairs of groups by the largest "
            "statistic of each permutation (family-wise error; Westfall and Young, 1993). "
            f"Couplings differed by at most {self.structure:.3g} (p = {self.p_structure:.3g}), and "
            f"global strength by {self.strength:.3g} (p = {self.p_strength:.3g})."
        )

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.names)), 2))

    def _rows(
        self,
        family: str,
        heads: Sequence[Row],
        pairwise: bool,
        values: tuple[str, Floats] | None = None,
    ) -> list[Row]:
        """Return the tests of a family as rows, sorted by p-values."""
        tests = self._tests[family]
        of_groups: list[Row] = [{} for _ in heads]
        if values is not None:
            name, numbers = values
            of_groups = [
                {f"{name}_{g}": float(x) for g, x in zip(self.names, own, strict=True)}
                for own in numbers.T
            ]
        if pairwise:
            blocks = [
                ({"first": self.names[g], "second": self.names[h]}, *own)
                for (g, h), *own in zip(
                    self._pairs, tests.signed, tests.p_values, tests.adjusted, strict=True
                )
            ]
        else:
            smallest = tests.adjusted.min(axis=0)
            blocks = [({}, _largest(tests.signed), tests.p_any, smallest)]
        rows = [
            {
                **head,
                **between,
                **of_groups[k],
                "difference": float(signed[k]),
                "p_value": float(p_values[k]),
                "p_adjusted": float(adjusted[k]),
            }
            for between, signed, p_values, adjusted in blocks
            for k, head in enumerate(heads)
        ]
        return sorted(rows, key=_by_p_value)

    def __repr__(self) -> str:
        """Describe the groups and the two global tests in a line."""
        groups = zip(self.names, self.sizes, strict=True)
        return (
            f"<GroupComparison: {', '.join(f'{name} ({size})' for name, size in groups)}; "
            f"structure p = {self.p_structure:.3g}, strength p = {self.p_strength:.3g}>"
        )

    def _repr_html_(self) -> str:
        sizes = zip(self.names, self.sizes, self.graphs, strict=True)
        facts = [
            *((name, f"{n} samples, {graph.n_edges} edges") for name, n, graph in sizes),
            ("structure", f"{self.structure:.3g}, p = {self.p_structure:.3g}"),
            ("strength", f"{self.strength:+.3g}, p = {self.p_strength:.3g}"),
        ]
        return result_html("GroupComparison", facts, self.edge_rows())


def _largest(signed: Floats) -> Floats:
    """Return the largest difference over the pairs of groups, with its sign."""
    return np.asarray(np.take_along_axis(signed, np.abs(signed).argmax(axis=0)[None], 0)[0])


def _by_p_value(row: Row) -> tuple[float, float]:
    return row["p_adjusted"], row["p_value"]
