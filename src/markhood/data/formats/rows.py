"""Read tables of text cells: text files and sheets.

Such a table does not state whether the first row has column names, whether the first column has row
labels, and whether lines end in an empty field. The reader guesses all three from the first rows.
The first row is a header if none of its cells occurs again in its column, or few of many
(`headings`), or if it cannot be data: numbers counted from 0 (as pandas writes columns without
names), many numbers counted from 1 or after a name, one cell fewer than the other rows, or an empty
cell above row labels. The first column has row labels if it has no name and its values are unique.
Both guesses are checked against the whole table, which is read again only if a guess was wrong.
Decisions that are not obvious are warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from markhood.data.coding.cells import means_missing
from markhood.data.coding.encoder import Column, Encoder, chunk_rows
from markhood.data.formats.fast_cells import NotPlainError
from markhood.data.formats.headings import (
    ROWS_TO_COMPARE,
    Changed,
    FastSource,
    Source,
    evidence_of_names,
    trimmed,
)
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.variables import default_names
from markhood.data.weights import Wanted, wanted_columns
from markhood.errors import InputError, counted, file_error, listed, option
from markhood.findings import FindingLog

ROWS_LOOKED_AT = 200
CLEAR = 5.0  # log-likelihood ratio from which a first row has names though a cell occurs again,
CERTAIN = 10.0  # and from which one more cell that occurs again would not change this
FEWEST_COUNTED = 3  # numbers from 0: a first row 0, 1 may be data
MANY_COUNTED = 6  # numbers from 1, or after a name: a first row T, 1, 2 or 1, 2, 3, 4 may be data
NAMES_OF_INDEXES = ("", "Unnamed: 0", "...1", "rownames")  # csv, pandas, readr and Rdatasets
ROWS_REMEMBERED = 1_000_000  # to detect duplicate row labels


@dataclass
class Transposed(Changed):
    """The transpose of a table, which is held in memory."""

    _columns: list[Sequence[str]] = field(default_factory=list)

    @property
    def likely_rows(self) -> int:
        """Zero, because the number is not known before the table is read."""
        return 0

    def rows(self) -> Iterator[Sequence[str]]:
        """Yield the columns of the other table."""
        if not self._columns:
            rows = list(self.of.rows())
            if len(rows) > 1:
                rows[0] = _aligned(rows[0], rows[1:], self.parse)
            self._columns = list(_by_column(self.of, rows, 0))
        return iter(self._columns)

    def locate(self, row: int) -> str:
        """Name a row by the column that it was."""
        return f"column {row + 1}"


def read_rows(source: Source, reading: Reading) -> Samples:
    """Read a table of cells."""
    looked_at = list(islice(source.rows(), ROWS_LOOKED_AT))
    if not looked_at:
        raise file_error(
            source.path, "is empty: pass a table with one row per sample.", "too-few-rows"
        )
    if not isinstance(source, Transposed):
        source = trimmed(source, looked_at, reading)
        looked_at = list(islice(source.rows(), ROWS_LOOKED_AT))
        if not looked_at:
            raise file_error(
                source.path,
                f"has no row after {option('skip_rows', reading.skip_rows)}.",
                "too-few-rows",
            )
    better: _Guess | None = _guess(source, looked_at, reading)
    while better is not None:
        guess = better
        encoder, better = _encode(source, guess, reading)
    if guess.index:
        reading.log.leave_out(guess.first[0].strip() or "the first column", "the index")
    _warn_about_decisions(guess, source, reading.log)
    return encoder.finish()


@dataclass(frozen=True)
class _Guess:
    """Layout of a table, as guessed from its first rows."""

    first: Sequence[str]  # cells of the first row, aligned with the other rows
    header: bool
    is_given: bool  # whether the user passed header=
    is_certain: bool  # whether header is given, or the row cannot be data
    index: bool
    ends_in_delimiter: bool
    again: str | None = None  # a cell of the first row that occurs again in its column
    is_unlike: bool = False  # whether its cells are unique, and half of them occur in no other row

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
        evidence = evidence_of_names(columns, source.parse)
        is_header = again is None and not _has_decimals(source, columns)
        is_header, is_certain = is_header or evidence > CLEAR, evidence > CERTAIN
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
    """Return whether the first cells are unique, and at least half of them do not occur below."""
    firsts = [column[0].strip() for column in columns]
    alone = sum(column[0] not in column[1:] for column in columns)
    return len(set(firsts)) == len(firsts) >= FEWEST_COUNTED and 2 * alone >= len(firsts)


def _are_asked_for(cells: Sequence[str], reading: Reading) -> bool:
    """Return whether an option of the user names one of these cells."""
    asked_for = [*(reading.columns or ()), *reading.exclude, reading.index, reading.weights]
    names = [cell.strip() for cell in cells]
    patterns = [name for name in asked_for if isinstance(name, str) and name.strip("*?")]
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names if name)


def _aligned(
    first: Sequence[str], others: Sequence[Sequence[str]], parse: Callable[[str], Any]
) -> Sequence[str]:
    """Return the first row with as many cells as the others, if it is a header with another number.

    Lines may end in a delimiter and the header not, or vice versa; and R does not write a name for
    the column of row labels.
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
    """Return whether cells are 0, 1, 2, ..., possibly after an empty cell.

    Many cells may also begin at 1, or after a name.
    """
    first, *others = (cell.strip() for cell in cells)
    numbers = [first, *others] if first.isdecimal() else others
    for start in (0, 1):
        is_usual = start == 0 and (first == "0" or not first)
        if numbers == [str(start + k) for k in range(len(numbers))]:
            return len(numbers) >= (FEWEST_COUNTED if is_usual else MANY_COUNTED)
    return False


def _has_decimals(source: Source, columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row has numbers with decimals, which are not names."""
    values = [source.parse(column[0]) for column in columns]
    return all(isinstance(value, (int, float)) for value in values) and any(
        isinstance(value, float) and not value.is_integer() for value in values
    )


def _heads_an_index(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row has unique names after an empty cell above row labels."""
    names = [column[0].strip() for column in columns]
    return (
        not names[0]
        and all(names[1:])
        and len(set(names)) == len(names)
        and _names_rows(columns[0], False)
    )


def _names_rows(column: Sequence[str], is_transposed: bool) -> bool:
    """Return whether a first column, including its header, looks like row labels."""
    is_nameless = column[0].strip() in NAMES_OF_INDEXES
    values = [cell.strip() for cell in column[1:]]
    return (
        (is_nameless or is_transposed)
        and len(values) > 1
        and len(set(values)) == len(values)
        and not any(map(means_missing, values))
    )


def _encode(source: Source, guess: _Guess, reading: Reading) -> tuple[Encoder, _Guess | None]:
    """Encode the rows; return the encoder, and a better guess if this one was wrong.

    A file that the fast reader does not read, or that has problems, is read by the definition.
    """
    if isinstance(source, FastSource):
        with suppress(NotPlainError):
            found = _encode_chunks(source, guess, reading, _fast_chunks(source, guess))
            if not found[0].has_problems:
                return found
    return _encode_chunks(source, guess, reading, _chunks(source, guess))


def _fast_chunks(source: FastSource, guess: _Guess) -> Iterator[Sequence[Column]]:
    width = len(guess.first)
    for columns in source.coded_columns(int(guess.header), width, chunk_rows(width * 8)):
        if guess.ends_in_delimiter and any(text.strip() for text in columns[-1].texts):
            raise NotPlainError
        yield columns


def _chunks(source: Source, guess: _Guess) -> Iterator[Sequence[Column]]:
    """Yield the columns of blocks of rows."""
    rows, width, n_rows = source.rows(), len(guess.first), int(guess.header)
    if guess.header:
        next(rows)
    while chunk := list(islice(rows, chunk_rows(width * 8))):
        by_column = _by_column(source, chunk, n_rows, width)
        if guess.ends_in_delimiter:
            _check_nothing_follows(source, by_column[-1], n_rows)
        yield by_column
        n_rows += len(chunk)


def _encode_chunks(
    source: Source,
    guess: _Guess,
    reading: Reading,
    chunks: Iterator[Sequence[Column]],
) -> tuple[Encoder, _Guess | None]:
    picked, wanted_names, weights, reading = _pick(guess, reading)
    names = guess.names
    reading.storage.require(len(picked), source.likely_rows)
    skipped = int(guess.header)
    encoder = Encoder(
        wanted_names,
        parse=source.parse,
        locate=lambda row: source.locate(row + skipped),
        reading=reading,
        is_table=True,
    )
    seen: set[str] = set()
    for by_column in chunks:
        if guess.index and len(seen) < ROWS_REMEMBERED:
            n_seen = len(seen)
            seen.update(by_column[0])
            if len(seen) < n_seen + len(by_column[0]):
                return encoder, replace(guess, index=False)
        encoder.add([by_column[j] for j in picked])
        if weights is not None:
            encoder.weigh(list(by_column[weights]))
    if guess.header and not guess.is_certain:
        cells = dict(zip(names, guess.first, strict=True))
        again = encoder.seen_among({names[j]: cells[names[j]] for j in picked})
        if again is not None:
            return encoder, replace(guess, header=False, index=False, again=again)
    return encoder, None


def _pick(guess: _Guess, reading: Reading) -> Wanted:
    """Return the columns to read."""
    names = guess.names[:-1] if guess.ends_in_delimiter else guess.names
    advice = f"rename them, or use {option('header', False)} if the first row is data"
    return wanted_columns(names, reading, advice, first=int(guess.index))


def _by_column(
    source: Source, rows: Sequence[Sequence[str]], n_before: int, width: int | None = None
) -> list[Sequence[str]]:
    """Return rows as columns; raise for the first row with another number of fields."""
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
        "file-damaged",
        source.path.name,
        f"{source.locate(n_before + at).capitalize()} of {source.path} has "
        f"{counted(found, 'field')} instead of {width}: use the same number in all lines.",
    )


def _check_nothing_follows(source: Source, cells: Sequence[str], n_before: int) -> None:
    for row, cell in enumerate(cells, start=n_before):
        if cell.strip():
            raise InputError(
                "file-damaged",
                source.path.name,
                f"{source.locate(row).capitalize()} of {source.path} has {cell!r} after the last "
                "delimiter, where the first lines are empty: name its column, or remove it.",
            )


def _warn_about_decisions(guess: _Guess, source: Source, log: FindingLog) -> None:
    """Warn about every decision that is not obvious."""
    where, parse = source.path.name, source.parse
    shown = [repr(cell) for cell in guess.first if cell.strip()]
    names = [cell.strip() for cell in guess.first[: len(guess.first) - guess.ends_in_delimiter]]
    numbers = [name for name in names if isinstance(parse(name), (int, float))]
    if guess.header and not guess.is_given and (guess.again is not None or numbers):
        log.add_warning(
            "file-header",
            where,
            f"The first row was read as names ({listed(shown)}). If it is data, use "
            f"{option('header', False)}.",
        )
    elif (
        not guess.header
        and not guess.is_given
        and (guess.is_unlike or _could_be_names(names, parse))
    ):
        because = "" if guess.again is None else f", because {guess.again!r} occurs again below it"
        log.add_warning(
            "file-header",
            where,
            f"The first row ({listed(shown)}) was read as data{because}. If it has names, use "
            f"{option('header', True)}.",
        )
    if guess.index:
        called = f" ({guess.first[0].strip()})" if guess.first[0].strip() else ""
        log.add_warning(
            "index-column",
            where,
            f"The first column{called} has row labels and was left out. If it is a variable, "
            "rename it.",
        )
    nameless = [
        f"x{j}" for j, name in enumerate(names) if not name and not (guess.index and j == 0)
    ]
    if guess.header and nameless:
        many = len(nameless) > 1
        log.add_warning(
            "file-header",
            where,
            f"{len(nameless)} column{'s have' if many else ' has'} no name and "
            f"{'are' if many else 'is'} called {listed(nameless)}.",
        )


def _could_be_names(cells: Sequence[str], parse: Callable[[str], Any]) -> bool:
    """Return whether a first row that was read as data might have names."""
    if [cell for cell in cells if cell] in (
        [str(k) for k in range(len(cells))],
        [str(k + 1) for k in range(len(cells))],
    ):
        return True
    texts = [parse(cell) for cell in cells]
    return len(set(texts)) == len(texts) and all(isinstance(text, str) for text in texts)
