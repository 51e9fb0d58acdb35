"""Names of variables: made up, checked, and picked out of a file by the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from markhood.data.coding.findings import listed
from markhood.errors import InputError


def check_names(names: Sequence[str], advice: str = "rename them") -> None:
    """Raise where two variables have one name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"Column names must differ, but {listed([repr(name) for name in twice])} "
            f"{'occurs' if len(twice) == 1 else 'occur'} more than once: {advice}"
        )


def pick_columns(
    names: Sequence[str], wanted: Sequence[str] | None, advice: str = "rename them"
) -> list[int]:
    """Return where the wanted columns are, in the order wanted; all of them for None.

    Names that occur twice matter only where they are wanted.
    """
    if wanted is None:
        check_names(names, advice)
        return list(range(len(names)))
    position = {name: j for j, name in enumerate(names)}
    for name in wanted:
        if name not in position:
            raise InputError(f"There is no column {name!r}: {near(name, names)}")
    check_names([name for name in names if name in set(wanted)], advice)
    check_names(wanted, "ask for each column once")
    return [position[name] for name in wanted]


def near(name: str, names: Sequence[str]) -> str:
    """Say which names there are that are like one that is not there."""
    folded = {other.casefold(): other for other in names}
    close = [repr(folded[c]) for c in get_close_matches(name.casefold(), folded, n=3)]
    known = [repr(other) for other in names]
    return f"near it are {listed(close)}" if close else f"there are {listed(known)}"
