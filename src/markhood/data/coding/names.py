"""Names of variables: made up, checked, and picked out of a file by the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from markhood.data.coding.findings import listed
from markhood.errors import InputError

if TYPE_CHECKING:
    from markhood.data.reading import Reading


def check_names(names: Sequence[str], advice: str = "rename them") -> None:
    """Raise where two variables have one name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"Column names must differ, but {listed([repr(name) for name in twice])} "
            f"{'occurs' if len(twice) == 1 else 'occur'} more than once: {advice}"
        )


def pick_columns(
    names: Sequence[str],
    wanted: Sequence[str] | None = None,
    advice: str = "rename them",
    exclude: Sequence[str] = (),
) -> list[int]:
    """Return where the wanted columns are, in the order wanted; all of them for None.

    What is wanted or excluded are names, or patterns such as "Q*". Names that occur twice matter
    only where they are wanted.

    Examples
    --------
    >>> pick_columns(["id", "Q1", "Q2", "note"], ["Q*", "id"], exclude=["Q2"])
    [1, 0]
    """
    excluded = {j for name in exclude for j in _matching(name, names)}
    if wanted is None:
        picked = list(range(len(names)))
    else:
        check_names(wanted, "ask for each column once")
        found = [j for name in wanted for j in _matching(name, names)]
        picked = list(dict.fromkeys(found))
    picked = [j for j in picked if j not in excluded]
    check_names([names[j] for j in picked], advice)
    return picked


def chosen_columns(
    names: Sequence[str], reading: Reading, advice: str = "rename them"
) -> list[int]:
    """Return where the columns are that a reading wants, and note those that it excludes."""
    outside = [*reading.exclude, *([] if reading.index is None else [reading.index])]
    for pattern in outside:
        for j in _matching(pattern, names):
            reason = "the index" if pattern == reading.index else "excluded"
            reading.notes.leave_out(names[j], reason)
    wanted = reading.columns
    if wanted is not None:  # covariates are read too
        covariates = [names[j] for j in covariates_among(names, reading.adjust_for)]
        wanted = (*wanted, *(name for name in covariates if name not in wanted))
    return pick_columns(names, wanted, advice, outside)


def covariates_among(names: Sequence[str], adjust_for: Sequence[str]) -> list[int]:
    """Return where the covariates are that are among some names; those that are not may be real columns.

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
    """Return the columns that a name or a pattern means; an exact name means itself only."""
    found = _found(pattern, names)
    if not found:
        raise InputError(f"There is no column {pattern!r}: {near(pattern, names)}.")
    return found


def near(name: str, names: Sequence[str]) -> str:
    """Say which names there are that are like one that is not there."""
    folded = {other.casefold(): other for other in names}
    close = [repr(folded[c]) for c in get_close_matches(name.casefold(), folded, n=3)]
    known = [repr(other) for other in names]
    return f"near it are {listed(close)}" if close else f"there are {listed(known)}"
