"""`Variables`: what the columns of a table are called, which values each can have, and its kind.

Samples, graphs and models are all about the same variables, and share this value, so that an edge
can be read in the words of the data long after these are gone. In a file it is a small JSON
document, in which equal lists of levels are written once.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from markhood.data.loci import Loci, Locus

Kind = Literal["binary", "nominal", "ordinal"]
Levels = tuple[tuple[Any, ...], ...]


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

    def __post_init__(self) -> None:
        """Write equal kinds alike."""
        marked: tuple[bool, ...] = ()
        if self.ordered is not None and self.levels is not None:
            both = zip(self.ordered, self.levels, strict=True)
            marked = tuple(bool(steps) and len(levels) > 2 for steps, levels in both)
        object.__setattr__(self, "ordered", marked if any(marked) else None)

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
        levels = None if self.levels is None else tuple(self.levels[j] for j in picked)
        ordered = None if self.ordered is None else tuple(self.ordered[j] for j in picked)
        loci = None if self.loci is None else tuple(self.loci[j] for j in picked)
        return Variables(tuple(self.names[j] for j in picked), levels, ordered, loci)

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
        told = {} if self.levels is None else self._described_levels(self.levels)
        if self.loci is not None:
            told["chromosomes"] = [locus and locus.chromosome for locus in self.loci]
            told["positions"] = [locus and locus.position for locus in self.loci]
        return told

    def _described_levels(self, levels_of_all: Levels) -> dict[str, Any]:
        numbers: dict[str, int] = {}
        texts: dict[Any, str] = {}
        which = []
        for levels in levels_of_all:
            key = (levels, tuple(map(type, levels)))  # because 1, 1.0 and True are equal
            if key not in texts:
                texts[key] = json.dumps([_plain(level) for level in levels])
            which.append(numbers.setdefault(texts[key], len(numbers)))
        listed: dict[str, Any] = {"levels": [json.loads(text) for text in numbers]}
        if len(numbers) > 1:
            listed["levels_of"] = which
        if self.ordered is not None:
            listed["ordered"] = [j for j, steps in enumerate(self.ordered) if steps]
        return listed


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
    if not document or (loci is not None and "levels" not in document):
        return Variables(names, loci=loci)
    lists = [tuple(levels) for levels in document["levels"]]
    which = document.get("levels_of", [0] * len(names))
    if len(which) != len(names):
        raise ValueError("a list of levels for each variable is needed")
    steps = {operator.index(j) for j in document.get("ordered", ())}
    if not steps <= set(range(len(names))):
        raise ValueError("only variables that there are can be ordered")
    levels = tuple(lists[k] for k in which)
    return Variables(names, levels, tuple(j in steps for j in range(len(names))), loci)


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
