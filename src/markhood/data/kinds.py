"""Of which columns the levels are steps: decided when all values are known, as the owner says or by these rules.

Numbers of three values or more are steps, and so are categories whose order somebody chose (ordered
categories, enums), and bins. Text has no order but the alphabet's, and unordered categories and the
letters of sequences none at all: those are nominal. Two values are both kinds. Where missing
values are a level of their own, that level has no place among steps, so the column is nominal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

from markhood.data.variables import Variables
from markhood.errors import InputError, option

CHOICES = ("auto", "nominal", "ordinal")
NAMES_SHOWN = 3

Kinds = str | Mapping[str, str]


def checked_kinds(kinds: Any) -> Kinds:
    """Return a choice of kinds, or raise.

    Examples
    --------
    >>> checked_kinds({"age": "ordinal"})
    {'age': 'ordinal'}
    >>> checked_kinds("ordered")
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown kinds 'ordered': choose auto, nominal or ordinal, or a kind for each column.
    """
    chosen = dict(kinds) if isinstance(kinds, Mapping) else kinds
    for kind in chosen.values() if isinstance(chosen, dict) else [chosen]:
        if not isinstance(kind, str) or kind not in CHOICES:
            raise InputError(
                f"Unknown {option('kinds')} {kind!r}: choose {', '.join(CHOICES[:-1])} or "
                f"{CHOICES[-1]}, or a kind for each column."
            )
    return chosen


def with_kinds(
    variables: Variables, kinds: Kinds, chosen_order: Collection[int] = ()
) -> tuple[Variables, list[str]]:
    """Return variables with their kinds, and sentences about what was decided.

    Parameters
    ----------
    variables : Variables
        With their levels.
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str
        For all variables, or for some by name.
    chosen_order : collection of int
        The variables whose levels are in an order that somebody chose.

    Examples
    --------
    >>> variables = Variables(("mood", "eyes"), ((1, 2, 3), ("blue", "brown", "green")))
    >>> found, said = with_kinds(variables, "auto")
    >>> found.kinds, said
    (('ordinal', 'nominal'), ["1 column of 3 numbers is taken as ordered (kinds='nominal' for categories)."])
    """
    if isinstance(kinds, Mapping):
        _require_names(kinds, variables.names)
    levels = variables.levels or ()
    wanted = [
        kinds.get(name, "auto") if isinstance(kinds, Mapping) else kinds for name in variables.names
    ]
    known: dict[tuple[Any, ...], bool] = {}  # most columns have the levels of others
    ordered, by_rule, by_alphabet = [], [], []
    for j, (own, kind) in enumerate(zip(levels, wanted, strict=True)):
        is_number = known.get(own)
        if is_number is None:
            is_number = known[own] = all(isinstance(level, Real) for level in own)
        if kind == "ordinal" and None in own and len(own) > 2:
            _refuse_missing_level(variables.names[j], is_named=isinstance(kinds, Mapping))
        by_itself = (is_number or j in chosen_order) and None not in own
        is_ordered = len(own) > 2 and (kind == "ordinal" or (kind == "auto" and by_itself))
        ordered.append(is_ordered)
        if is_ordered and kind == "auto" and is_number:
            by_rule.append(j)
        if is_ordered and not by_itself:
            by_alphabet.append(j)
    said = [*_of_numbers(levels, by_rule), *_of_texts(variables.names, levels, by_alphabet)]
    return replace(variables, ordered=tuple(ordered)), said


def _require_names(kinds: Iterable[str], names: Sequence[str]) -> None:
    for name in kinds:
        if name not in names:
            raise InputError(
                f"{option('kinds')} names a column {name!r} that is not there: check the spelling."
            )


def _refuse_missing_level(name: str, *, is_named: bool) -> None:
    advice = (
        f"choose another {option('missing')}"
        if is_named
        else f"choose another {option('missing')}, or name the columns that are ordered"
    )
    raise InputError(
        f"Column {name!r} cannot be ordered while missing is one of its levels, which has no place "
        f"among steps: {advice}."
    )


def _of_numbers(levels: Sequence[tuple[Any, ...]], columns: Sequence[int]) -> list[str]:
    """Say which columns of numbers were taken as ordered."""
    if not columns:
        return []
    fewest, most = (pick(len(levels[j]) for j in columns) for pick in (min, max))
    several = f"{fewest} to {most}" if fewest < most else f"{fewest}"
    many = len(columns) > 1
    sentence = (
        f"{len(columns)} column{'s'[:many]} of {several} numbers {'are' if many else 'is'} taken "
        f"as ordered ({option('kinds', 'nominal')} for categories)."
    )
    return [sentence]


def _of_texts(
    names: Sequence[str], levels: Sequence[tuple[Any, ...]], columns: Sequence[int]
) -> list[str]:
    """Say in which order texts were taken that somebody called ordered."""
    if not columns:
        return []
    shown = [f"{names[j]!r} ({' < '.join(map(str, levels[j]))})" for j in columns[:NAMES_SHOWN]]
    more = f" and {len(columns) - NAMES_SHOWN} more" if len(columns) > NAMES_SHOWN else ""
    sentence = (
        f"Texts are taken in the order of the alphabet: {', '.join(shown)}{more}; make ordered "
        "categories of them if that is not theirs."
    )
    return [sentence]
