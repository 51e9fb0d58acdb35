"""`Variables`: what the columns of a table are called, which values each can have, and its kind.

Samples, graphs and models are all about the same variables, and share this value, so that an edge
can be read in the words of the data long after these are gone. In a file it is a small JSON
document, in which equal lists of levels are written once.

A variable can stand for others that no data tell apart from it: its members. They keep their names, their
levels and the place of their column, so that all of it can be unfolded again.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from markhood.data.genome.loci import MOST_POSITION, Loci, Locus

Kind = Literal["binary", "nominal", "ordinal"]
Levels = tuple[tuple[Any, ...], ...]
UNKNOWN = 2**16 - 1  # the level number of a value that is missing


class Member(NamedTuple):
    """A variable that another one stands for.

    Attributes
    ----------
    name : str
    column : int
        Its number among all variables, members included.
    levels : tuple, or None
        Its own levels, in order; None where nobody knows.
    opposite : bool
        Whether its levels run the other way: its first one is where the other has its last.
    locus : Locus, or None
        Where it lies along a genome or an alignment.
    """

    name: str
    column: int
    levels: tuple[Any, ...] | None = None
    opposite: bool = False
    locus: Locus | None = None


class Unfolded(NamedTuple):
    """Variables with their members among them, the variable that each is or belongs to, and how.

    Attributes
    ----------
    variables : Variables
        All, in the order of their columns.
    node : tuple of int
        Number of the variable that stands for each.
    opposite : tuple of bool
        Whether the levels of each run the other way.
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
        The values of each variable, in order; a constant one has one. None where nobody knows.
    ordered : tuple of bool, or None
        Of which variables the levels are steps, so that an edge is one number: what a step up
        does. Two levels are steps in any case, and never marked; None where none is.
    loci : tuple of Locus or None, or None
        Where each variable lies along a genome or an alignment, None for one that lies nowhere;
        None where nothing is known of places.
    members : tuple of tuple of Member, or None
        The further variables that each stands for; None where each is but itself.
    genome_length : int or None
        How long the circle is on which all loci lie; None where they lie along lines.

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

    def __post_init__(self) -> None:
        """Write equal kinds alike."""
        marked: tuple[bool, ...] = ()
        if self.ordered is not None and self.levels is not None:
            both = zip(self.ordered, self.levels, strict=True)
            marked = tuple(bool(steps) and len(levels) > 2 for steps, levels in both)
        object.__setattr__(self, "ordered", marked if any(marked) else None)
        if self.members is not None and not any(self.members):
            object.__setattr__(self, "members", None)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def kinds(self) -> tuple[Kind, ...] | None:
        """What sort of variable each is; None where the levels are not known."""
        if self.levels is None:
            return None
        several: tuple[Kind, Kind] = ("nominal", "ordinal")
        return tuple(
            "binary" if len(values) <= 2 else several[steps]
            for values, steps in zip(self.levels, self.is_ordered, strict=True)
        )

    @property
    def is_ordered(self) -> tuple[bool, ...]:
        """Whether the levels of each variable, of which there are more than two, are steps."""
        return self.ordered or (False,) * len(self)

    def pick(self, numbers: Iterable[int]) -> Variables:
        """Return some of the variables only, in this order.

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
        return replace(Variables(*own), genome_length=self.genome_length)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of the variable of each name; made once, for the graphs that share the variables."""
        return dict(zip(self.names, range(len(self)), strict=True))

    @property
    def n_members(self) -> int:
        """How many further variables these stand for."""
        return sum(map(len, self.members or ()))

    @property
    def labels(self) -> tuple[str, ...]:
        """Their names, with how many others each stands for.

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
        """Return all variables, those that others stand for among them.

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
            # Of some variables only: each is followed by its members.
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
            ),
            tuple(j for j, _ in found),
            tuple(m is not None and m.opposite for _, m in found),
        )

    def described(self) -> dict[str, Any]:
        """Return what is known besides the names, as JSON holds it.

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
            listed["ordered"] = [j for j, steps in enumerate(self.ordered) if steps]
        if self.loci is not None:
            listed["chromosomes"] = [locus and locus.chromosome for locus in self.loci]
            listed["positions"] = [locus and locus.position for locus in self.loci]
        if self.genome_length is not None:
            listed["genome_length"] = self.genome_length
        return {**listed, "members": members} if members else listed


class _Numbered:
    """Lists of levels, each once, and the number of each."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self._text_of: dict[Any, str] = {}

    def number(self, levels: tuple[Any, ...]) -> int:
        key = (levels, tuple(map(type, levels)))  # because 1, 1.0 and True are equal
        if key not in self._text_of:
            self._text_of[key] = json.dumps([_plain(level) for level in levels])
        return self.texts.setdefault(self._text_of[key], len(self.texts))


def described_variables(names: Iterable[str], document: Mapping[str, Any]) -> Variables:
    """Return the variables of these names that `Variables.described` told of.

    Raises
    ------
    KeyError, IndexError, TypeError or ValueError
        If it is not such a document.

    Examples
    --------
    >>> described_variables("ab", {"levels": [[0, 1]]}).levels
    ((0, 1), (0, 1))
    """
    names = tuple(names)
    loci = described_loci(document, len(names))
    if not document:
        return Variables(names)
    known = "levels" in document or (loci is None and "members" not in document)
    lists = [tuple(levels) for levels in document["levels"]] if known else []
    which = document.get("levels_of", [0] * len(names))
    if len(which) != len(names):
        raise ValueError("a list of levels for each variable is needed")
    steps = {operator.index(j) for j in document.get("ordered", ())}
    if not steps <= set(range(len(names))):
        raise ValueError("only variables that there are can be ordered")
    levels = tuple(lists[k] for k in which) if known else None
    members = described_members(document.get("members", ()), names, lists)
    length = None if loci is None else described_length(document)
    ordered = tuple(j in steps for j in range(len(names)))
    return Variables(names, levels, ordered, loci, members, length)


def described_members(
    listed: Iterable[Any], names: tuple[str, ...], lists: list[tuple[Any, ...]]
) -> tuple[tuple[Member, ...], ...] | None:
    """Return the members that `Variables.described` listed, each belonging to one of these names.

    Raises
    ------
    IndexError, TypeError or ValueError
        If it is not such a list.
    """
    members: list[list[Member]] = [[] for _ in names]
    for j, name, column, levels, opposite, *place in listed:
        if not isinstance(name, str) or type(opposite) is not bool or operator.index(j) < 0:
            raise ValueError("a member has a name, and belongs to a variable")
        if levels is not None and operator.index(levels) < 0:
            raise ValueError("a list of levels has a number")
        own = None if levels is None else lists[levels]
        locus = Locus(_text(place[0]), operator.index(place[1])) if place else None
        members[j].append(Member(name, operator.index(column), own, opposite, locus))
    if not any(members):
        return None
    called = [*names, *(m.name for own in members for m in own)]
    if len(set(called)) < len(called):
        raise ValueError("members have names of their own")
    return tuple(map(tuple, members))


def described_loci(document: Mapping[str, Any], n_variables: int) -> Loci | None:
    """Return the loci that `Variables.described` told of, None where it told none."""
    if "positions" not in document:
        return None
    chromosomes, positions = document["chromosomes"], document["positions"]
    if not len(chromosomes) == len(positions) == n_variables:
        raise ValueError("a place for each variable is needed")
    return tuple(
        None if position is None else Locus(_text(chromosome), operator.index(position))
        for chromosome, position in zip(chromosomes, positions, strict=True)
    )


def described_length(document: Mapping[str, Any]) -> int | None:
    """Return the length of a circular genome that `Variables.described` told of, None where it told none."""
    length = document.get("genome_length")
    if length is None:
        return None
    if not 1 <= operator.index(length) <= MOST_POSITION:
        raise ValueError("a genome has a length")
    return operator.index(length)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a chromosome is a text")
    return value


def default_names(n_variables: int) -> list[str]:
    """Return x0, x1, ...: the names where data have none."""
    return [f"x{j}" for j in range(n_variables)]


def level_text(level: Any) -> str:
    """Write equal numbers alike, whether they came as 1, 1.0 or True; None is missing."""
    if level is None:
        return "missing"
    is_whole = isinstance(level, (bool, int, float)) and level == int(level)
    return str(int(level)) if is_whole else str(level)


def _plain(level: Any) -> Any:
    is_plain = level is None or isinstance(level, (bool, int, float, str))
    return level if is_plain else level_text(level)
