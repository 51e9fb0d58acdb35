"""The option `kinds`: which variables have ordered levels, and in which order.

Without it, declared categories keep their kind, and other columns get the kind that their values
suggest (`markhood.data.coding.understanding`). For two values the kinds coincide. A column in which
missing is a level is nominal, because missing has no position in the order.
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
STEP = "<"  # separates ordered levels on the command line

Kinds = str | Mapping[str, str | Sequence[Any]]


class Category(NamedTuple):
    """Declaration of a categorical column."""

    order: Sequence[Any] = ()  # the categories in order; empty for the sort order
    is_ordered: bool = False  # whether the categories are ordinal


def checked_kinds(kinds: Any) -> Kinds:
    """Check the option `kinds`.

    Examples
    --------
    >>> checked_kinds({"age": "ordinal", "mood": ["low", "mid", "high"]})
    {'age': 'ordinal', 'mood': ('low', 'mid', 'high')}
    >>> checked_kinds("ordered")
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown kinds 'ordered': choose auto, nominal or ordinal.
    """
    if not isinstance(kinds, Mapping):
        return _checked_kind(kinds)
    found: dict[str, str | Sequence[Any]] = {}
    for name, kind in kinds.items():
        if isinstance(kind, (list, tuple)):
            levels = tuple(kind)
            if len(set(levels)) < max(2, len(levels)):
                raise InputError(
                    "option-value",
                    name,
                    f"{option('kinds')} lists the levels {levels!r} for column {name!r}: list two "
                    "or more, each once.",
                )
            found[name] = levels
        else:
            found[name] = _checked_kind(kind)
    return found


def _checked_kind(kind: Any) -> str:
    if not isinstance(kind, str) or kind not in CHOICES:
        raise InputError(
            "option-value",
            "kinds",
            f"Unknown {option('kinds')} {kind!r}: choose auto, nominal or ordinal.",
        )
    return kind


def with_kinds(
    variables: Variables, kinds: Kinds, declared: Mapping[int, Category] = MappingProxyType({})
) -> Variables:
    """Return variables with their kinds.

    Parameters
    ----------
    kinds : {"auto", "nominal", "ordinal"} or mapping
        For all variables, or for some by name: a kind, or levels in their order.
    declared : mapping of int to Category
        The kinds that variables have by themselves; by default numbers are ordinal.

    Examples
    --------
    >>> variables = Variables(("mood", "eyes"), ((1, 2, 3), ("blue", "brown", "green")))
    >>> with_kinds(variables, "auto").kinds
    ('ordinal', 'nominal')
    """
    if isinstance(kinds, Mapping):
        _require_names(kinds, variables.names)
    ordered = []
    known: dict[tuple[Any, ...], bool] = {}  # many columns share their levels
    for j, (name, own) in enumerate(zip(variables.names, variables.levels or (), strict=True)):
        if len(own) <= 2:
            ordered.append(False)
            continue
        kind = kinds.get(name, "auto") if isinstance(kinds, Mapping) else kinds
        if not isinstance(kind, str):
            kind = "ordinal"
        if kind == "ordinal" and None in own:
            _refuse_missing_level(name, is_named=isinstance(kinds, Mapping))
        if j in declared:
            by_itself = declared[j].is_ordered
        else:
            if own not in known:
                known[own] = all(isinstance(level, Real) for level in own)
            by_itself = known[own]
        by_itself = by_itself and None not in own
        ordered.append(kind == "ordinal" or (kind == "auto" and by_itself))
    return replace(variables, ordered=tuple(ordered))


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
    advice = f"choose another {option('missing')}"
    advice += "" if is_named else ", or name the columns that are ordered"
    raise InputError(
        "option-conflict",
        name,
        f"Column {name!r} cannot be ordered while missing is one of its levels: {advice}.",
    )
