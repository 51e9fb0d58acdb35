"""Rows of cells to samples: what text files and sheets have in common.

Three things about such a table are not written down in it: whether the first row has names,
whether the first column only numbers or names the rows, and whether lines end in a delimiter after
which nothing comes. All are guessed from the first rows. A header is one where no cell of the first
row occurs again in its column, or where the row can be nothing else: numbers counted from zero, as
pandas writes columns that have no names, many counted from one or after a name, a row that is one cell shorter than the others, or an empty
cell above the names of rows. An index is a nameless first column in which no value occurs twice. Both are checked against the whole table
at the end; only where a guess was wrong is the table read twice. What is not obvious is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any, Protocol

from markhood.data.coding.cells import means_missing
from markhood.data.coding.encoder import Encoder, chunk_rows
from markhood.data.coding.findings import listed
from markhood.data.coding.names import chosen_columns
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.variables import default_names
from markhood.data.weights import find_weights
from markhood.errors import InputError, option

ROWS_LOOKED_AT = 200
ROWS_TO_COMPARE = 20  # with the first at least, to see that it is unlike them
FEWEST_COUNTED = 3  # names: a first row 0, 1 is as likely data
MANY_COUNTED = 6  # names from 1 on, or after another: a first row T, 1, 2 or 1, 2, 3, 4 may be data
NAMES_OF_INDEXES = ("", "Unnamed: 0", "...1", "rownames")  # csv, pandas, readr and Rdatasets
ROWS_REMEMBERED = 1_000_000  # to see whether a name of a row occurs twice


class Source(Protocol):
    """A table of cells that can be read more than once."""

    @property
    def label(self) -> str:
        """What sentences call it."""

    @property
    def likely_rows(self) -> int:
        """How many rows it has at least, as far as its size tells."""

    @property
    def parse(self) -> Callable[[str], Any]:
        """What makes a value of a cell."""

    def rows(self) -> Iterator[Sequence[str]]:
        """Yield the cells of each row that is not blank."""

    def place(self, row: int) -> str:
        """Say where a row is, once it has been read."""


@dataclass
class Transposed:
    """A table whose rows are the columns of another, which is held in memory."""

    of: Source
    _columns: list[Sequence[str]] = field(default_factory=list)

    @property
    def label(self) -> str:
        """What sentences call it."""
        return self.of.label

    @property
    def likely_rows(self) -> int:
        """Not known before it is read."""
        return 0

    @property
    def parse(self) -> Callable[[str], Any]:
        """What makes a value of a cell."""
        return self.of.parse

    def rows(self) -> Iterator[Sequence[str]]:
        """Yield the columns of the other table."""
        if not self._columns:
            rows = list(self.of.rows())
            if len(rows) > 1:
                rows[0] = _aligned(rows[0], rows[1:], self.parse)
            self._columns = list(_by_column(self.of, rows, 0))
        return iter(self._columns)

    def place(self, row: int) -> str:
        """Say which column a row was."""
        return f"column {row + 1}"


def read_rows(source: Source, reading: Reading) -> Samples:
    """Read a table of cells."""
    looked_at = list(islice(source.rows(), ROWS_LOOKED_AT))
    if not looked_at:
        raise InputError(f"{source.label} is empty: give a table with one row a sample.")
    better: _Guess | None = _guess(source, looked_at, reading)
    while better is not None:
        guess = better
        encoder, better = _encode(source, guess, reading)
    if guess.index:
        reading.notes.leave_out(guess.first[0].strip() or "the first column", "the index")
    for sentence in _decisions(guess, source.parse):
        reading.notes.say(sentence)
    return encoder.finish()


@dataclass(frozen=True)
class _Guess:
    """How a table is laid out, as far as its first rows tell."""

    first: Sequence[str]  # cells of the first row, as many as others have
    header: bool
    is_given: bool  # whether the user said so
    is_certain: bool  # of the header: given, or it can be nothing else
    index: bool
    ends_in_delimiter: bool
    again: str | None = None  # a cell of the first row that occurs again in its column
    is_unlike: bool = False  # whether its cells all differ, and half or more occur in no other row

    @property
    def names(self) -> list[str]:
        if not self.header:
            return default_names(len(self.first))
        return [cell.strip() or f"x{j}" for j, cell in enumerate(self.first)]


def _guess(source: Source, looked_at: Sequence[Sequence[str]], reading: Reading) -> _Guess:
    others, header = looked_at[1:], reading.header
    first = looked_at[0] if header is False else _aligned(looked_at[0], others, source.parse)
    is_shorter = len(first) > len(looked_at[0])
    columns = _by_column(source, [first, *others], 0)
    ends_in_delimiter = len(columns) > 1 and not any(cell.strip() for cell in columns[-1])
    if ends_in_delimiter:
        columns = columns[:-1]
    again = next((c[0] for c in columns if c[0].strip() and c[0] in c[1:]), None)
    counted = _counts(first[: len(columns)])
    if header is not None:
        is_header, is_certain = header, True
    elif is_shorter or counted or _heads_an_index(columns) or _are_asked_for(first, reading):
        is_header, is_certain = True, True
    else:
        is_header, is_certain = again is None and not _has_decimals(source, columns), False
    index = (
        is_header
        and reading.columns is None
        and not _are_asked_for(first[:1], reading)
        and _names_rows(columns[0], isinstance(source, Transposed))
    )
    is_given = header is not None
    is_unlike = len(others) >= ROWS_TO_COMPARE and _is_unlike_others(columns)
    return _Guess(
        first, is_header, is_given, is_certain, index, ends_in_delimiter, again, is_unlike
    )


def _is_unlike_others(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the first cells all differ, and half of them or more are nowhere below."""
    firsts = [column[0].strip() for column in columns]
    alone = sum(column[0] not in column[1:] for column in columns)
    return len(set(firsts)) == len(firsts) >= FEWEST_COUNTED and 2 * alone >= len(firsts)


def _are_asked_for(cells: Sequence[str], reading: Reading) -> bool:
    """Return whether the user speaks of columns by these names."""
    asked_for = [*(reading.columns or ()), *reading.exclude, reading.index, reading.weights]
    names = [cell.strip() for cell in cells]
    patterns = [name for name in asked_for if isinstance(name, str) and name.strip("*?")]
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names if name)


def _aligned(
    first: Sequence[str], others: Sequence[Sequence[str]], parse: Callable[[str], Any]
) -> Sequence[str]:
    """Return a first row with as many cells as the others have, where it is a header that has not.

    Lines may end in a delimiter and the header not, or the other way round; and R writes no name for
    the column of the names of rows.
    """
    width = len(others[0]) if others else len(first)
    are_names = _counts(first) or all(isinstance(parse(cell), str) for cell in first)
    if len(first) == width - 1 and are_names:
        if not any(row[-1].strip() for row in others):
            return [*first, ""]
        return ["", *first]
    if len(first) == width + 1 and not first[-1].strip():
        return first[:-1]
    return first


def _counts(cells: Sequence[str]) -> bool:
    """Return whether cells are 0, 1, 2, ..., the first perhaps left empty.

    Where they are many they may also begin at 1, or after a name.
    """
    first, *others = (cell.strip() for cell in cells)
    numbers = [first, *others] if first.isdecimal() else others
    for start in (0, 1):
        is_usual = start == 0 and (first == "0" or not first)
        if numbers == [str(start + k) for k in range(len(numbers))]:
            return len(numbers) >= (FEWEST_COUNTED if is_usual else MANY_COUNTED)
    return False


def _has_decimals(source: Source, columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is numbers with decimals, which are no names."""
    values = [source.parse(column[0]) for column in columns]
    return all(isinstance(value, (int, float)) for value in values) and any(
        isinstance(value, float) and not value.is_integer() for value in values
    )


def _heads_an_index(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is different names after an empty cell, above names of rows."""
    names = [column[0].strip() for column in columns]
    return (
        not names[0]
        and all(names[1:])
        and len(set(names)) == len(names)
        and _names_rows(columns[0], False)
    )


def _names_rows(column: Sequence[str], is_transposed: bool) -> bool:
    """Return whether a first column, its header first, looks like an index."""
    is_nameless = column[0].strip() in NAMES_OF_INDEXES
    values = [cell.strip() for cell in column[1:]]
    return (
        (is_nameless or is_transposed)
        and len(values) > 1
        and len(set(values)) == len(values)
        and not any(map(means_missing, values))
    )


def _encode(source: Source, guess: _Guess, reading: Reading) -> tuple[Encoder, _Guess | None]:
    """Feed an encoder the rows; return it, and a better guess where this one was wrong."""
    rows = source.rows()
    if guess.header:
        next(rows)
    picked, weights, reading = _pick(guess, reading)
    names = guess.names
    reading.storage.require(len(picked), source.likely_rows)
    skipped = int(guess.header)
    encoder = Encoder(
        [names[j] for j in picked],
        parse=source.parse,
        locate=lambda row: source.place(row + skipped),
        reading=reading,
    )
    seen: set[str] = set()
    width, n_rows = len(guess.first), skipped
    step = chunk_rows(width * 8)
    while chunk := list(islice(rows, step)):
        by_column = _by_column(source, chunk, n_rows, width)
        if guess.ends_in_delimiter:
            _check_nothing_follows(source, by_column[-1], n_rows)
        if guess.index and len(seen) < ROWS_REMEMBERED:
            n_seen = len(seen)
            seen.update(by_column[0])
            if len(seen) < n_seen + len(chunk):
                return encoder, replace(guess, index=False)
        encoder.add([by_column[j] for j in picked])
        if weights is not None:
            encoder.weigh(by_column[weights])
        n_rows += len(chunk)
    if guess.header and not guess.is_certain:
        cells = dict(zip(names, guess.first, strict=True))
        again = encoder.seen_among({names[j]: cells[names[j]] for j in picked})
        if again is not None:
            return encoder, replace(guess, header=False, index=False, again=again)
    return encoder, None


def _pick(guess: _Guess, reading: Reading) -> tuple[list[int], int | None, Reading]:
    """Return the columns that are variables, that of the weights, and how to read them."""
    names = guess.names
    if guess.ends_in_delimiter:
        names = names[:-1]
    advice = f"rename them, or say {option('header', False)} if the first row is data."
    kept = list(range(int(guess.index), len(names)))
    picked = [kept[k] for k in chosen_columns([names[j] for j in kept], reading, advice)]
    return find_weights(names, picked, reading)


def _by_column(
    source: Source, rows: Sequence[Sequence[str]], n_before: int, width: int | None = None
) -> list[Sequence[str]]:
    """Return rows as columns; raise for the first row that is longer or shorter than the others."""
    width = len(rows[0]) if width is None else width
    try:
        columns: list[Sequence[str]] = list(zip(*rows, strict=True))
    except ValueError:
        columns = []
    if len(columns) == width:
        return columns
    at = next(k for k, row in enumerate(rows) if len(row) != width)
    found = len(rows[at])
    raise InputError(
        f"{source.place(n_before + at).capitalize()} of {source.label} has {found} "
        f"field{'s'[: found > 1]} where {width} were expected: give all lines the same number of "
        "fields."
    )


def _check_nothing_follows(source: Source, cells: Sequence[str], n_before: int) -> None:
    for row, cell in enumerate(cells, start=n_before):
        if cell.strip():
            raise InputError(
                f"{source.place(row).capitalize()} of {source.label} has {cell!r} after the last "
                "delimiter, where the first lines have nothing: name its column, or remove it."
            )


def _decisions(guess: _Guess, parse: Callable[[str], Any]) -> Iterator[str]:
    """Yield a sentence for everything that was decided and is not obvious."""
    shown = [repr(cell) for cell in guess.first if cell.strip()]
    names = [cell.strip() for cell in guess.first[: len(guess.first) - guess.ends_in_delimiter]]
    numbers = [name for name in names if isinstance(parse(name), (int, float))]
    if guess.header and not guess.is_given and (guess.again is not None or numbers):
        yield (
            f"The first row was taken as names ({listed(shown)}): say {option('header', False)} if "
            "it is data."
        )
    elif (
        not guess.header
        and not guess.is_given
        and (guess.is_unlike or _could_be_names(names, parse))
    ):
        because = "" if guess.again is None else f", because {guess.again!r} occurs again below it"
        yield (
            f"The first row ({listed(shown)}) was taken as data{because}: say "
            f"{option('header', True)} if it has names."
        )
    if guess.index:
        called = f" ({guess.first[0].strip()})" if guess.first[0].strip() else ""
        yield (
            f"The first column{called} names the rows and was left out: give it another name "
            "if it is a variable."
        )
    nameless = [
        f"x{j}" for j, name in enumerate(names) if not name and not (guess.index and j == 0)
    ]
    if guess.header and nameless:
        many = len(nameless) > 1
        yield (
            f"{len(nameless)} column{'s have' if many else ' has'} no name and "
            f"{'are' if many else 'is'} called {listed(nameless)}."
        )


def _could_be_names(cells: Sequence[str], parse: Callable[[str], Any]) -> bool:
    """Return whether a first row that was taken as data might have been names."""
    if [cell for cell in cells if cell] in (
        [str(k) for k in range(len(cells))],
        [str(k + 1) for k in range(len(cells))],
    ):
        return True
    texts = [parse(cell) for cell in cells]
    return len(set(texts)) == len(texts) and all(isinstance(text, str) for text in texts)
