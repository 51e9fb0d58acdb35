"""`Variables`: names, levels and kinds of the columns of a table.

Samples, graphs and models share this value, so that an edge can be read in the words of the data
without the data. In a file it is a JSON document in which equal lists of levels are written once.

A variable can represent other variables that are exact copies or complements of it: its members.
These keep their names, levels and column numbers, so that the graph can be unfolded again.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from markhood.data.genome.loci import MOST_POSITION, Loci, Locus

Kind = Literal["binary", "nominal", "ordinal"]
Levels = tuple[tuple[Any, ...], ...]
UNKNOWN = 2**16 - 1  # level number of a missing value


class Member(NamedTuple):
    """A variable that is represented by another one.

    Attributes
    ----------
    name : str
    column : int
        Its index among all variables, including members.
    levels : tuple, or None
        Its sorted levels; None if not known.
    opposite : bool
        Whether its levels are reversed: its first level corresponds to the other's last.
    locus : Locus, or None
        Its position along a genome or an alignment.
    """

    name: str
    column: int
    levels: tuple[Any, ...] | None = None
    opposite: bool = False
    locus: Locus | None = None


class Unfolded(NamedTuple):
    """All variables including members, and the variable that represents each.

    Attributes
    ----------
    variables : Variables
        In the order of their columns.
    node : tuple of int
        Index of the variable that represents each.
    opposite : tuple of bool
        Whether the levels of each are reversed.
    """

    variables: Variables
    node: tuple[int, ...]
    opposite: tuple[bool, ...]


@dataclass(frozen=True)
class Variables:
    """The variables of a data set or a graph, in order.

    Attributes
    ----------
    names : tuple of str
    levels : tuple of tuple, or None
        The sorted values of each variable; a constant variable has one. None if not known.
    ordered : tuple of bool, or None
        Which variables have ordered levels, so that an edge is one parameter per step. Variables
        with two levels are never marked; None if no variable is ordered.
    loci : tuple of Locus or None, or None
        Position of each variable along a genome or an alignment, None for a variable without one;
        None if no positions are known.
    members : tuple of tuple of Member, or None
        The other variables that each represents; None if there are none.
    genome_length : int or None
        Length of a circular genome with all loci; None if it is not circular.
    columns : mapping of str to tuple of str
        Descriptions from a codebook or a file, one text per variable: "text", what was asked or
        measured, and "group", the scale that the variable belongs to. They are not compared.

    Examples
    --------
    >>> levels = (("no", "yes"), ("low", "even", "high"))
    >>> Variables(("smokes", "mood"), levels).kinds
    ('binary', 'nominal')
    >>> Variables(("smokes", "mood"), levels, ordered=(True, True)).kinds
    ('binary', 'ordinal')
    """

    names: tuple[str, ...]
    levels: Levels | None = None
    ordered: tuple[bool, ...] | None = None
    loci: Loci | None = None
    members: tuple[tuple[Member, ...], ...] | None = None
    genome_length: int | None = None
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Normalise `ordered` and `members`, so that equal variables compare as equal."""
        marked: tuple[bool, ...] = ()
        if self.ordered is not None and self.levels is not None:
            both = zip(self.ordered, self.levels, strict=True)
            marked = tuple(bool(is_ordered) and len(levels) > 2 for is_ordered, levels in both)
        object.__setattr__(self, "ordered", marked if any(marked) else None)
        if self.members is not None and not any(self.members):
            object.__setattr__(self, "members", None)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def kinds(self) -> tuple[Kind, ...] | None:
        """The kind of each variable; None if the levels are not known."""
        if self.levels is None:
            return None
        several: tuple[Kind, Kind] = ("nominal", "ordinal")
        return tuple(
            "binary" if len(values) <= 2 else several[is_ordered]
            for values, is_ordered in zip(self.levels, self.is_ordered, strict=True)
        )

    @property
    def is_ordered(self) -> tuple[bool, ...]:
        """Whether each variable has more than two levels that are ordered."""
        return self.ordered or (False,) * len(self)

    def pick(self, numbers: Iterable[int]) -> Variables:
        """Return some of the variables, in this order.

        Examples
        --------
        >>> Variables(("a", "b", "c")).pick([2, 0]).names
        ('c', 'a')
        """
        picked = list(numbers)
        if len(picked) == len(self) and picked == list(range(len(self))):
            return self
        lists = (self.names, self.levels, self.ordered, self.loci, self.members)
        own: list[Any] = [one and tuple(map(one.__getitem__, picked)) for one in lists]
        columns = {name: tuple(map(one.__getitem__, picked)) for name, one in self.columns.items()}
        return replace(Variables(*own), genome_length=self.genome_length, columns=columns)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The index of each variable by name; cached for graphs that share the variables."""
        return dict(zip(self.names, range(len(self)), strict=True))

    @property
    def n_members(self) -> int:
        """Number of variables that are represented by others."""
        return sum(map(len, self.members or ()))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names with the number of other variables that each represents.

        Examples
        --------
        >>> Variables(("a", "b"), members=((), (Member("c", 2), Member("d", 3)))).labels
        ('a', 'b (+2)')
        """
        if self.members is None:
            return self.names
        both = zip(self.names, self.members, strict=True)
        return tuple(f"{name} (+{len(own)})" if own else name for name, own in both)

    def unfolded(self) -> Unfolded:
        """Return all variables, including those that are represented by others.

        Examples
        --------
        >>> found = Variables(("a", "c"), members=((Member("b", 1, None, True),), ())).unfolded()
        >>> found.variables.names, found.node, found.opposite
        (('a', 'b', 'c'), (0, 0, 1), (False, True, False))
        """
        nodes = tuple(range(len(self)))
        if self.members is None:
            return Unfolded(self, nodes, (False,) * len(self))
        placed = {m.column: (j, m) for j, own in enumerate(self.members) for m in own}
        n_all = len(self) + self.n_members
        if len(placed) < self.n_members or not all(0 <= column < n_all for column in placed):
            # A selection of variables: each is followed by its members.
            found = [(j, m) for j in nodes for m in (None, *self.members[j])]
        else:
            own = iter(nodes)
            found = [placed.get(column) or (next(own), None) for column in range(n_all)]
        levels = self.levels and tuple(
            self.levels[j] if m is None or m.levels is None else m.levels for j, m in found
        )
        return Unfolded(
            Variables(
                tuple(self.names[j] if m is None else m.name for j, m in found),
                levels,
                None if self.ordered is None else tuple(self.ordered[j] for j, _ in found),
                self.loci and tuple(self.loci[j] if m is None else m.locus for j, m in found),
                genome_length=self.genome_length,
                columns={
                    name: tuple("" if m else own[j] for j, m in found)
                    for name, own in self.columns.items()
                },
            ),
            tuple(j for j, _ in found),
            tuple(m is not None and m.opposite for _, m in found),
        )

    def described(self) -> dict[str, Any]:
        """Return everything except the names as JSON.

        Examples
        --------
        >>> Variables(("a", "b"), ((0, 1), (0, 1))).described()
        {'levels': [[0, 1]]}
        >>> Variables(("a", "b", "c"), ((0, 1), (0, 1, 2), (0, 1))).described()
        {'levels': [[0, 1], [0, 1, 2]], 'levels_of': [0, 1, 0]}
        >>> Variables(("a", "b"), ((0, 1, 2), (0, 1, 2)), (False, True)).described()
        {'levels': [[0, 1, 2]], 'ordered': [1]}
        >>> Variables(("a", "b"), loci=(Locus("1", 5), None)).described()
        {'chromosomes': ['1', None], 'positions': [5, None]}
        """
        lists = _Numbered()
        which = [lists.number(levels) for levels in self.levels or ()]
        members = [
            [
                *(j, m.name, m.column, None if m.levels is None else lists.number(m.levels)),
                *(m.opposite, *(m.locus or ())),
            ]
            for j, own in enumerate(self.members or ())
            for m in own
        ]
        listed: dict[str, Any] = {}
        if self.levels is not None:
            listed["levels"] = [json.loads(text) for text in lists.texts]
            if len(lists.texts) > 1:
                listed["levels_of"] = which
        if self.ordered is not None:
            listed["ordered"] = [j for j, is_ordered in enumerate(self.ordered) if is_ordered]
        if self.loci is not None:
            listed["chromosomes"] = [locus and locus.chromosome for locus in self.loci]
            listed["positions"] = [locus and locus.position for locus in self.loci]
        if self.genome_length is not None:
            listed["genome_length"] = self.genome_length
        if self.columns:
            listed["columns"] = {name: list(own) for name, own in self.columns.items()}
        return {**listed, "members": members} if members else listed


class _Numbered:
    """Distinct lists of levels, with the index of each."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self._text_of: dict[Any, str] = {}

    def number(self, levels: tuple[Any, ...]) -> int:
        key = (levels, tuple(map(type, levels)))  # because 1, 1.0 and True are equal
        if key not in self._text_of:
            self._text_of[key] = json.dumps([_plain(level) for level in levels])
        return self.texts.setdefault(self._text_of[key], len(self.texts))


def described_variables(names: Iterable[str], document: Mapping[str, Any]) -> Variables:
    """Return variables with these names from the JSON of `Variables.described`.

    Raises
    ------
    KeyError, IndexError, TypeError or ValueError
        If the document is not valid.

    Examples
    --------
    >>> described_variables("ab", {"levels": [[0, 1]]}).levels
    ((0, 1), (0, 1))
    """
    names = tuple(names)
    loci = described_loci(document, len(names))
    if not document:
        return Variables(names)
    known = "levels" in document or not {"members", "columns", "positions"} & {*document}
    lists = [tuple(levels) for levels in document["levels"]] if known else []
    which = document.get("levels_of", [0] * len(names))
    if len(which) != len(names):
        raise ValueError("each variable needs a list of levels")
    marked = {operator.index(j) for j in document.get("ordered", ())}
    if not marked <= set(range(len(names))):
        raise ValueError("an ordered variable does not exist")
    levels = tuple(lists[k] for k in which) if known else None
    members = described_members(document.get("members", ()), names, lists)
    length = None if loci is None else described_length(document)
    ordered = tuple(j in marked for j in range(len(names)))
    columns = described_columns(document.get("columns", {}), len(names))
    return Variables(names, levels, ordered, loci, members, length, columns)


def described_columns(document: Mapping[str, Any], n_variables: int) -> dict[str, tuple[str, ...]]:
    """Return the descriptions in the JSON of `Variables.described`."""
    columns = {str(name): tuple(map(_text, own)) for name, own in document.items()}
    if any(len(own) != n_variables for own in columns.values()):
        raise ValueError("each variable needs a description")
    return columns


def described_members(
    listed: Iterable[Any], names: tuple[str, ...], lists: list[tuple[Any, ...]]
) -> tuple[tuple[Member, ...], ...] | None:
    """Return the members in the JSON of `Variables.described`, by the variables of these names.

    Raises
    ------
    IndexError, TypeError or ValueError
        If the list is not valid.
    """
    members: list[list[Member]] = [[] for _ in names]
    for j, name, column, levels, opposite, *place in listed:
        if not isinstance(name, str) or type(opposite) is not bool or operator.index(j) < 0:
            raise ValueError("a member needs a name and a variable")
        if levels is not None and operator.index(levels) < 0:
            raise ValueError("a list of levels has a negative index")
        own = None if levels is None else lists[levels]
        locus = Locus(_text(place[0]), operator.index(place[1])) if place else None
        members[j].append(Member(name, operator.index(column), own, opposite, locus))
    if not any(members):
        return None
    called = [*names, *(m.name for own in members for m in own)]
    if len(set(called)) < len(called):
        raise ValueError("names of members are not unique")
    return tuple(map(tuple, members))


def described_loci(document: Mapping[str, Any], n_variables: int) -> Loci | None:
    """Return the loci in the JSON of `Variables.described`, None without any."""
    if "positions" not in document:
        return None
    chromosomes, positions = document["chromosomes"], document["positions"]
    if not len(chromosomes) == len(positions) == n_variables:
        raise ValueError("each variable needs a position or null")
    return tuple(
        None if position is None else Locus(_text(chromosome), operator.index(position))
        for chromosome, position in zip(chromosomes, positions, strict=True)
    )


def described_length(document: Mapping[str, Any]) -> int | None:
    """Return the length of a circular genome in the JSON of `Variables.described`, None without."""
    length = document.get("genome_length")
    if length is None:
        return None
    if not 1 <= operator.index(length) <= MOST_POSITION:
        raise ValueError("the length of the genome is out of range")
    return operator.index(length)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def default_names(n_variables: int) -> list[str]:
    """Return the names of columns without names: x0, x1, ..."""
    return [f"x{j}" for j in range(n_variables)]


def level_text(level: Any) -> str:
    """Return a level as text; 1, 1.0 and True have the same text, and None is "missing"."""
    if level is None:
        return "missing"
    is_whole = isinstance(level, (bool, int, float)) and level == int(level)
    return str(int(level)) if is_whole else str(level)


def _plain(level: Any) -> Any:
    is_plain = level is None or isinstance(level, (bool, int, float, str))
    return level if is_plain else level_text(level)
