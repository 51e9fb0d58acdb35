"""Check the names of columns, and select columns by name or pattern."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from markhood.errors import InputError, listed

if TYPE_CHECKING:
    from markhood.data.reading import Reading


def check_names(names: Sequence[str], advice: str = "rename them") -> None:
    """Raise if two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            "duplicate-column",
            twice[0],
            f"Column names must be unique, but {listed([repr(name) for name in twice])} "
            f"{'occurs' if len(twice) == 1 else 'occur'} more than once: {advice}.",
        )


def pick_columns(
    names: Sequence[str],
    wanted: Sequence[str] | None = None,
    advice: str = "rename them",
    exclude: Sequence[str] = (),
) -> list[int]:
    """Return the indices of the wanted columns, in the order wanted; all columns for None.

    `wanted` and `exclude` have names, or patterns such as "Q*". Duplicate names are an error only
    among the wanted columns.

    Examples
    --------
    >>> pick_columns(["id", "Q1", "Q2", "note"], ["Q*", "id"], exclude=["Q2"])
    [1, 0]
    """
    excluded = {j for name in exclude for j in _matching(name, names)}
    if wanted is None:
        picked = list(range(len(names)))
    else:
        check_names(wanted, "name each column once")
        found = [j for name in wanted for j in _matching(name, names)]
        picked = list(dict.fromkeys(found))
    picked = [j for j in picked if j not in excluded]
    check_names([names[j] for j in picked], advice)
    return picked


def chosen_columns(
    names: Sequence[str], reading: Reading, advice: str = "rename them"
) -> list[int]:
    """Return the indices of the columns that a reading selects, and record those it excludes."""
    outside = [*reading.exclude, *([] if reading.index is None else [reading.index])]
    for pattern in outside:
        for j in _matching(pattern, names):
            reason = "the index" if pattern == reading.index else "excluded"
            reading.log.leave_out(names[j], reason)
    wanted = reading.columns
    if wanted is not None:  # covariates are also read
        covariates = [names[j] for j in covariates_among(names, reading.adjust_for)]
        wanted = (*wanted, *(name for name in covariates if name not in wanted))
    return pick_columns(names, wanted, advice, outside)


def covariates_among(names: Sequence[str], adjust_for: Sequence[str]) -> list[int]:
    """Return the indices of covariates among names; other covariates may be real columns.

    Examples
    --------
    >>> covariates_among(["a", "pc1", "pc2"], ["age", "pc*"])
    [1, 2]
    """
    found = [j for pattern in adjust_for for j in _found(pattern, names)]
    return list(dict.fromkeys(found))


def _found(pattern: str, names: Sequence[str]) -> list[int]:
    found = [j for j, name in enumerate(names) if name == pattern]
    if not found and any(sign in pattern for sign in "*?["):
        found = [j for j, name in enumerate(names) if fnmatchcase(name, pattern)]
    return found


def _matching(pattern: str, names: Sequence[str]) -> list[int]:
    """Return the columns that match a name or a pattern; raise if there are none."""
    found = _found(pattern, names)
    if not found:
        raise InputError(
            "unknown-column",
            pattern,
            f"There is no column {pattern!r}: {suggest_names(pattern, names)}.",
        )
    return found


def suggest_names(name: str, names: Sequence[str]) -> str:
    """Suggest names that are similar to one that does not exist, else list the names."""
    folded = {other.casefold(): other for other in names}
    close = [repr(folded[c]) for c in get_close_matches(name.casefold(), folded, n=3)]
    known = [repr(other) for other in names]
    return f"similar names are {listed(close)}" if close else f"the names are {listed(known)}"
