"""`Variables`: what the columns of a table are called, and which values each can have.

Samples, graphs and models are all about the same variables, and share this value, so that an edge
can be read in the words of the data long after these are gone. In a file it is a small JSON
document, in which equal lists of levels are written once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["binary", "nominal"]
Levels = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Variables:
    """The variables of a data set or a graph, in order.

    Attributes
    ----------
    names : tuple of str
    levels : tuple of tuple, or None
        The values of each variable, in order; a constant one has one. None where nobody knows.

    Examples
    --------
    >>> variables = Variables(("smokes", "mood"), (("no", "yes"), ("low", "even", "high")))
    >>> variables.kinds
    ('binary', 'nominal')
    """

    names: tuple[str, ...]
    levels: Levels | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def kinds(self) -> tuple[Kind, ...] | None:
        """What sort of variable each is; None where the levels are not known."""
        if self.levels is None:
            return None
        return tuple("binary" if len(values) <= 2 else "nominal" for values in self.levels)

    def pick(self, numbers: Iterable[int]) -> Variables:
        """Return some of the variables only, in this order.

        Examples
        --------
        >>> Variables(("a", "b", "c")).pick([2, 0]).names
        ('c', 'a')
        """
        picked = list(numbers)
        levels = None if self.levels is None else tuple(self.levels[j] for j in picked)
        return Variables(tuple(self.names[j] for j in picked), levels)

    def described(self) -> dict[str, Any]:
        """Return what is known besides the names, as JSON holds it.

        Examples
        --------
        >>> Variables(("a", "b"), ((0, 1), (0, 1))).described()
        {'levels': [[0, 1]]}
        >>> Variables(("a", "b", "c"), ((0, 1), (0, 1, 2), (0, 1))).described()
        {'levels': [[0, 1], [0, 1, 2]], 'levels_of': [0, 1, 0]}
        """
        if self.levels is None:
            return {}
        numbers: dict[str, int] = {}
        texts: dict[Any, str] = {}
        which = []
        for levels in self.levels:
            key = (levels, tuple(map(type, levels)))  # because 1, 1.0 and True are equal
            if key not in texts:
                texts[key] = json.dumps([_plain(level) for level in levels])
            which.append(numbers.setdefault(texts[key], len(numbers)))
        listed = {"levels": [json.loads(text) for text in numbers]}
        return listed if len(numbers) == 1 else listed | {"levels_of": which}


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
    if not document:
        return Variables(names)
    lists = [tuple(levels) for levels in document["levels"]]
    which = document.get("levels_of", [0] * len(names))
    if len(which) != len(names):
        raise ValueError("a list of levels for each variable is needed")
    return Variables(names, tuple(lists[k] for k in which))


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
