"""What was understood of a table: gathered while it is read, said once, and kept with the samples.

A reader decides things that the owner of a table may have meant otherwise: that the first row has
names, that a column is an index, that text is in another encoding. Each decision is a sentence in
`Notes`, which the encoder gives out as warnings when all is read (a guess may be taken back
before), and an `Account` of them stays with the samples, for the summary and the provenance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import repeat
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from markhood.errors import DataWarning, warn

if TYPE_CHECKING:
    from markhood.data.samples import Samples
    from markhood.data.variables import Variables


@dataclass
class Notes:
    """Sentences about what was decided, and the columns that were left out, each with its reason.

    What plain rules decided is only ``mentioned``: it is kept without a warning. So is what is ``told``
    of a file, and how values were ``treated`` because the user chose it (bins, codes for missing).
    """

    sentences: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    mentioned: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    treated: list[str] = field(default_factory=list)
    _n_given: int = 0

    def say(self, sentence: str) -> None:
        """Take a sentence, once."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)

    def mention(self, sentence: str) -> None:
        """Take a sentence that is for the account only: a choice by plain rules, no doubt."""
        if sentence not in self.mentioned:
            self.mentioned.append(sentence)

    def tell(self, sentence: str) -> None:
        """Take a sentence about what the file holds."""
        if sentence not in self.told:
            self.told.append(sentence)

    def treat(self, sentence: str) -> None:
        """Take a sentence about what the user chose to do with values."""
        if sentence not in self.treated:
            self.treated.append(sentence)

    def leave_out(self, column: str, reason: str) -> None:
        """Take down that a column is no variable."""
        self.left_out[column] = reason

    def give_out(self) -> None:
        """Warn of everything that has not been said yet."""
        fresh, self._n_given = self.sentences[self._n_given :], len(self.sentences)
        for sentence in fresh:
            warn("unclassified", "", sentence)

    def give_out_before_an_error(self) -> None:
        """Warn, but let the error come that is about to be raised."""
        with suppress(DataWarning):
            self.give_out()


@dataclass(frozen=True)
class Account:
    """What samples no longer show of the table that they came from.

    Attributes
    ----------
    n_rows : int
        Rows of the table, also those that were left out.
    missing : mapping of str to int
        How many values of a column were missing, of the columns that had any.
    left_out : mapping of str to str
        Columns that are no variables, and why.
    notes : tuple of str
        What was decided and may be doubted, a sentence each.
    choices : tuple of str
        What was decided by plain rules, a sentence each.
    file : tuple of str
        What was found in the file, a sentence each.
    rows_left_out : mapping of str to int
        How many rows did not become samples, by reason.
    treatments : tuple of str
        What was done with values because the user chose it, a sentence each.
    """

    n_rows: int
    missing: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    file: tuple[str, ...] = ()
    rows_left_out: Mapping[str, int] = field(default_factory=dict)
    treatments: tuple[str, ...] = ()


class Column(NamedTuple):
    """A variable as it was understood: its name, kind and levels, and how many values were missing."""

    name: str
    kind: str
    levels: tuple[Any, ...]
    n_missing: int


@dataclass(frozen=True)
class Understood:
    """A table as it was understood.

    Attributes
    ----------
    n_rows, n_samples : int
        Rows of the table, and those of them that became samples.
    variables : Variables
        The columns that are variables.
    column_kinds : tuple of str
        The kind of each.
    account : Account
        What samples no longer show.
    """

    n_rows: int
    n_samples: int
    variables: Variables
    column_kinds: tuple[str, ...]
    account: Account

    @property
    def columns(self) -> tuple[Column, ...]:
        """The variables, each with all that is known of it."""
        missing = map(self.account.missing.get, self.variables.names, repeat(0))
        levels = self.variables.levels or repeat(())
        return tuple(map(Column, self.variables.names, self.column_kinds, levels, missing))

    @property
    def left_out(self) -> Mapping[str, str]:
        """Columns that are no variables, and why."""
        return self.account.left_out

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided and may be doubted, a sentence each."""
        return self.account.notes

    @property
    def choices(self) -> tuple[str, ...]:
        """What was decided by plain rules or by the user, a sentence each."""
        return (*self.account.choices, *self.account.treatments)

    @property
    def file(self) -> tuple[str, ...]:
        """What was found in the file, a sentence each."""
        return self.account.file

    @property
    def n_missing(self) -> int:
        """How many values were missing."""
        if not self.account.missing:
            return 0
        return sum(map(self.account.missing.get, self.variables.names, repeat(0)))

    @property
    def kinds(self) -> dict[str, int]:
        """How many columns there are of each kind, most first."""
        return dict(Counter(self.column_kinds).most_common())

    def as_json(self) -> dict[str, Any]:
        """Return what the samples and their levels do not say themselves, for the provenance."""
        return {
            "rows": self.n_rows,
            "kinds": self.kinds,
            "missing": self.n_missing,
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            **({"choices": list(self.choices)} if self.choices else {}),
            **({"file": list(self.file)} if self.file else {}),
            **({"treatments": list(done)} if (done := self.account.treatments) else {}),
            **({"rows_left_out": dict(left)} if (left := self.account.rows_left_out) else {}),
        }


def kind_of(levels: Sequence[Any]) -> str:
    """Name the kind of a variable with these levels, where they are not steps.

    Examples
    --------
    >>> kind_of([0, 1]), kind_of([1, 2, 3]), kind_of(["a", "b", "c"]), kind_of([7])
    ('binary', 'numbers', 'categories', 'constant')
    """
    known = [level for level in levels if level is not None]
    if len(levels) < 2:
        return "constant"
    if len(levels) == 2:
        return "binary"
    return "numbers" if all(isinstance(level, Real) for level in known) else "categories"


def understood(samples: Samples) -> Understood:
    """Return how the table was understood that samples came from.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> found = understood(encode([["a", 1], ["b", None], ["c", 2]], missing="level"))
    >>> found.columns[0], found.n_missing
    (Column(name='x0', kind='categories', levels=('a', 'b', 'c'), n_missing=0), 1)
    """
    account = samples.account or Account(samples.n_samples)
    kinds = {levels: kind_of(levels) for levels in set(samples.levels)}  # most have those of others
    kind = [kinds[levels] for levels in samples.levels]
    if ordered := samples.variables.ordered:
        kind = ["ordered" if steps else other for steps, other in zip(ordered, kind, strict=True)]
    return Understood(account.n_rows, samples.n_samples, samples.variables, tuple(kind), account)
