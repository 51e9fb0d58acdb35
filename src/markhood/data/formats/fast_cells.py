"""Read the cells of plain text files fast: as numbers of distinct texts, column by column.

The reader with Python's csv module (`delimited`) is the definition. The readers here return the
same cells for files in which both agree: UTF-8, lines that end in a line feed, no blank lines,
and quotes, if any, around whole cells. For any other file they raise `NotPlainError`, and the file
is read again by the definition. If every cell is one character, a block of lines is a matrix of
bytes; other files are parsed by pyarrow, if it is installed.
"""

from __future__ import annotations

import mmap
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.cells import CodedCells

BLOCK_BYTES = 1 << 24
QUOTE, LINE_FEED, RETURN, SPACE = b'"'[0], b"\n"[0], b"\r"[0], b" "[0]


class NotPlainError(Exception):
    """The file may be read differently here and by the definition."""


def coded_columns(
    path: Path, delimiter: str, n_skipped: int, width: int, step: int
) -> Iterator[list[CodedCells]]:
    """Yield the columns of blocks of rows.

    Parameters
    ----------
    delimiter : str
        One ASCII character.
    n_skipped : int
        Number of lines that are not data, at the beginning.
    step : int
        Number of rows per block; a multiple of 64.

    Raises
    ------
    NotPlainError
        At any time, if the file needs the general reader.
    """
    with path.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as text:
        start = 0
        for _ in range(n_skipped):
            start = text.find(b"\n", start) + 1
            if start == 0:
                raise NotPlainError
        if _is_matrix(text, start, width):
            yield from _of_matrix(text, start, ord(delimiter), width, step)
        elif find_spec("pyarrow") is None:
            raise NotPlainError
        else:
            _check_plain(text, start, ord(delimiter))
            yield from _of_arrow(path, start, delimiter, width, step)


def _is_matrix(text: mmap.mmap, start: int, width: int) -> bool:
    """Return whether the first line has one character per cell, and the size fits such lines."""
    n_bytes, length = len(text) - start, 2 * width
    is_whole = n_bytes % length in (0, length - 1)
    return n_bytes >= length and is_whole and text.find(b"\n", start) == start + length - 1


def _of_matrix(
    text: mmap.mmap, start: int, delimiter: int, width: int, step: int
) -> Iterator[list[CodedCells]]:
    length = 2 * width
    refused = np.zeros(256, np.bool_)
    refused[[QUOTE, LINE_FEED, RETURN, SPACE, delimiter, 0]] = True
    refused[128:] = True
    n_rows = -(-(len(text) - start) // length)
    for row in range(0, n_rows, step):
        part = text[start + row * length : start + min(n_rows, row + step) * length]
        if len(part) % length:
            part += b"\n"  # the last line may end without one
        lines = np.frombuffer(part, np.uint8).reshape(-1, length)
        if (lines[:, 1:-1:2] != delimiter).any() or (lines[:, -1] != LINE_FEED).any():
            raise NotPlainError
        cells = np.ascontiguousarray(lines[:, ::2].T)
        if refused[np.flatnonzero(np.bincount(cells.ravel(), minlength=256))].any():
            raise NotPlainError
        yield [_coded_bytes(column) for column in cells]


def _coded_bytes(column: NDArray[np.uint8]) -> CodedCells:
    present = np.flatnonzero(np.bincount(column, minlength=256))
    by_appearance = sorted(present.tolist(), key=lambda byte: int((column == byte).argmax()))
    number = np.zeros(256, np.uint8)
    number[by_appearance] = np.arange(len(present))
    return CodedCells(number[column], [chr(byte) for byte in by_appearance])


def _check_plain(text: mmap.mmap, start: int, delimiter: int) -> None:
    """Raise for bytes that Python's and Arrow's parsers may read differently."""
    if start == len(text) or text[-1] == RETURN:
        raise NotPlainError
    if text[start : start + 3] == BOM_UTF8:  # Arrow removes it
        raise NotPlainError
    n_before = 0  # quotes
    for at in range(start, len(text), BLOCK_BYTES):
        # With one byte before and after the block.
        block = text[max(at - 1, 0) : at + BLOCK_BYTES + 1]
        if b"\n\n" in block or b"\n\r" in block or b"\0" in block:
            raise NotPlainError
        if b'"' not in block and b"\r" not in block and not n_before % 2:
            continue
        before = b"\n" if at == 0 else b""
        after = b"\n" if at + BLOCK_BYTES >= len(text) else b""
        part = np.frombuffer(before + block + after, np.uint8)
        own = part[1:-1]
        returns = np.flatnonzero(own == RETURN)
        if (part[returns + 2] != LINE_FEED).any():
            raise NotPlainError
        quotes = np.flatnonzero(own == QUOTE)
        _check_quotes(part, quotes, n_before, delimiter)
        n_before += len(quotes)
    if n_before % 2:
        raise NotPlainError


def _check_quotes(
    part: NDArray[np.uint8], quotes: NDArray[np.intp], n_before: int, delimiter: int
) -> None:
    """Raise unless quotes enclose whole cells of one line, without quotes inside."""
    is_opening = (np.arange(len(quotes)) + n_before) % 2 == 0
    ends_cell = np.zeros(256, np.bool_)
    ends_cell[[delimiter, LINE_FEED, RETURN]] = True
    before, after = part[quotes[is_opening]], part[quotes[~is_opening] + 2]
    if not ends_cell[before].all() or not ends_cell[after].all():
        raise NotPlainError
    ends = np.flatnonzero(part[1:-1] == LINE_FEED)
    if ((np.searchsorted(quotes, ends) + n_before) % 2).any():
        raise NotPlainError


def _of_arrow(
    path: Path, start: int, delimiter: str, width: int, step: int
) -> Iterator[list[CodedCells]]:
    import pyarrow
    from pyarrow import csv

    from markhood.data.formats.arrow import whole_words

    names = [str(j) for j in range(width)]
    texts = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    try:
        with pyarrow.memory_map(str(path)) as source:
            source.seek(start)
            reader = csv.open_csv(
                source,
                csv.ReadOptions(column_names=names, block_size=BLOCK_BYTES),
                csv.ParseOptions(delimiter=delimiter, double_quote=False, ignore_empty_lines=False),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(names, texts),
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
            for table in whole_words(pyarrow, reader, reader.schema, step):
                if table.num_rows:
                    yield [_coded_texts(column.chunks) for column in table.columns]
    except pyarrow.ArrowException as error:
        raise NotPlainError from error


def _coded_texts(chunks: Sequence[Any]) -> CodedCells:
    numbers: list[NDArray[Any]] = []
    texts: list[str] = []
    for chunk in chunks:
        # Not `to_numpy`, which imports pandas.
        own = np.frombuffer(chunk.indices.buffers()[1], np.int32)
        numbers.append(own[chunk.offset : chunk.offset + len(chunk)] + len(texts))
        # A space after a delimiter does not belong to the cell.
        texts += [text.lstrip(" ") for text in chunk.dictionary.to_pylist()]
    return CodedCells(np.concatenate(numbers), texts)
