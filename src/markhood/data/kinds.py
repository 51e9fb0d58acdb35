"""Decide which variables are ordinal: as requested by the user, else by these rules.

Declared categories keep their kind, whether they are numbers or text: ordered categories, enums and
bins are ordinal, unordered categories are nominal. Other columns are ordinal if they have three or
more values that are all numbers, and nominal if some are text. For two values the kinds coincide.
A column in which missing is a level is nominal, because missing has no position in the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

from markhood.data.variables import Variables
from markhood.errors import InputError, option

CHOICES = ("auto", "nominal", "ordinal")
NAMES_SHOWN = 3

Kinds = str | Mapping[str, str]


class Category(NamedTuple):
    """Declaration of a categorical column.

    Attributes
    ----------
    order : sequence
        The categories in order; empty for the sort order.
    is_ordered : bool
        Whether the categories are ordinal.
    """

    order: Sequence[Any] = ()
    is_ordered: bool = False


def checked_kinds(kinds: Any) -> Kinds:
    """Check the option `kinds`.

    Examples
    --------
    >>> checked_kinds({"age": "ordinal"})
    {'age': 'ordinal'}
    >>> checked_kinds("ordered")
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown kinds 'ordered': choose auto, nominal or ordinal.
    """
    chosen = dict(kinds) if isinstance(kinds, Mapping) else kinds
    for kind in chosen.values() if isinstance(chosen, dict) else [chosen]:
        if not isinstance(kind, str) or kind not in CHOICES:
            raise InputError(
                "option-value",
                "kinds",
                f"Unknown {option('kinds')} {kind!r}: choose auto, nominal or ordinal.",
            )
    return chosen


def with_kinds(
    variables: Variables, kinds: Kinds, declared: Mapping[int, Category] = MappingProxyType({})
) -> tuple[Variables, list[str]]:
    """Return variables with their kinds, and texts that state the decisions.

    Parameters
    ----------
    variables : Variables
        With their levels.
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str
        For all variables, or for some by name.
    declared : mapping of int to Category
        The variables that were declared to be categories.

    Examples
    --------
    >>> variables = Variables(("mood", "eyes"), ((1, 2, 3), ("blue", "brown", "green")))
    >>> found, decisions = with_kinds(variables, "auto")
    >>> found.kinds, decisions
    (('ordinal', 'nominal'), ["1 column of 3 numbers is ordered (kinds='nominal' for categories)."])
    """
    if isinstance(kinds, Mapping):
        _require_names(kinds, variables.names)
    levels = variables.levels or ()
    wanted = [
        kinds.get(name, "auto") if isinstance(kinds, Mapping) else kinds for name in variables.names
    ]
    known: dict[tuple[Any, ...], bool] = {}  # many columns share their levels
    ordered, numbers, texts = [], [], []
    for j, (own, kind) in enumerate(zip(levels, wanted, strict=True)):
        is_number = known.get(own)
        if is_number is None:
            is_number = known[own] = all(isinstance(level, Real) for level in own)
        if kind == "ordinal" and None in own and len(own) > 2:
            _refuse_missing_level(variables.names[j], is_named=isinstance(kinds, Mapping))
        by_itself = declared[j].is_ordered if j in declared else is_number
        by_itself = by_itself and None not in own
        is_ordered = len(own) > 2 and (kind == "ordinal" or (kind == "auto" and by_itself))
        ordered.append(is_ordered)
        if is_ordered and is_number and kind == "auto" and j not in declared:
            numbers.append(j)
        if is_ordered and not is_number and not by_itself:
            texts.append(j)
    decisions = [*_of_numbers(levels, numbers), *_of_texts(variables.names, levels, texts)]
    return replace(variables, ordered=tuple(ordered)), decisions


def _require_names(kinds: Iterable[str], names: Sequence[str]) -> None:
    for name in kinds:
        if name not in names:
            raise InputError(
                "unknown-column",
                name,
                f"{option('kinds')} names the column {name!r}, which does not exist: check the "
                "spelling.",
            )


def _refuse_missing_level(name: str, *, is_named: bool) -> None:
    advice = (
        f"choose another {option('missing')}"
        if is_named
        else f"choose another {option('missing')}, or name the columns that are ordered"
    )
    raise InputError(
        "option-conflict",
        name,
        f"Column {name!r} cannot be ordered while missing is one of its levels: {advice}.",
    )


def _of_numbers(levels: Sequence[tuple[Any, ...]], columns: Sequence[int]) -> list[str]:
    """State how many numeric columns are ordered."""
    if not columns:
        return []
    fewest, most = (pick(len(levels[j]) for j in columns) for pick in (min, max))
    several = f"{fewest} to {most}" if fewest < most else f"{fewest}"
    many = len(columns) > 1
    text = (
        f"{len(columns)} column{'s'[:many]} of {several} numbers {'are' if many else 'is'} ordered "
        f"({option('kinds', 'nominal')} for categories)."
    )
    return [text]


def _of_texts(
    names: Sequence[str], levels: Sequence[tuple[Any, ...]], columns: Sequence[int]
) -> list[str]:
    """State the order of text that the user declared as ordinal."""
    if not columns:
        return []
    shown = [f"{names[j]!r} ({' < '.join(map(str, levels[j]))})" for j in columns[:NAMES_SHOWN]]
    more = f" and {len(columns) - NAMES_SHOWN} more" if len(columns) > NAMES_SHOWN else ""
    order = f"{', '.join(shown)}{more}"
    return [f"Text is ordered as follows: {order}. Use ordered categories for another order."]
