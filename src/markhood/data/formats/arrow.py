"""Read Parquet and Arrow files in batches with pyarrow, which is imported only here.

The batches of a file are concatenated and divided again, without copying, so that chunks begin on
word boundaries.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markhood.data.coding.encoder import Encoder, chunk_rows
from markhood.data.coding.frames import (
    add_frame,
    as_frame,
    declared_categories,
)
from markhood.data.coding.problems import check_shape
from markhood.data.kinds import Category
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.weights import wanted_columns
from markhood.errors import InputError, file_error, installed, listed

PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(paths: Sequence[Path], reading: Reading) -> Samples:
    """Read and concatenate the selected columns of Parquet files."""
    pyarrow, parquet = _import("pyarrow", paths[0]), _import("pyarrow.parquet", paths[0])
    heads, written = [], []
    for path in paths:
        try:
            heads.append(parquet.read_metadata(path))
            written.append(_written_schema(pyarrow, heads[-1]))
        except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
            raise _damaged(path, "Parquet", error) from error
    schemas = [head.schema.to_arrow_schema() for head in heads]
    wanted = _wanted(schemas[0].names, reading)
    for path, schema in zip(paths, schemas, strict=True):
        _check_columns(schema, schemas[0], wanted.all_names, path, paths[0])

    def batches() -> Iterator[Any]:
        rows = chunk_rows(len(wanted.names) * 8)
        for path in paths:
            try:
                with parquet.ParquetFile(path) as file:
                    yield from file.iter_batches(batch_size=rows, columns=wanted.all_names)
            except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
                raise _damaged(path, "Parquet", error) from error

    n_samples = sum(head.num_rows for head in heads)
    try:
        return _encode_batches(pyarrow, batches(), written[0], wanted, n_samples)
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise _damaged(paths[0], "Parquet", error) from error


def _written_schema(pyarrow: Any, head: Any) -> Any:
    """Return the Arrow types of the table, because Parquet has no dictionaries of numbers."""
    own, written = head.schema.to_arrow_schema(), (head.metadata or {}).get(b"ARROW:schema")
    if written is None:
        return own
    schema = pyarrow.ipc.read_schema(pyarrow.BufferReader(base64.b64decode(written)))
    return schema if schema.names == own.names else own


def _check_columns(schema: Any, first: Any, names: Sequence[str], path: Path, other: Path) -> None:
    """Raise if the columns of a file differ from those of the first file of its folder."""
    for name in names:
        found = schema.field(name).type if name in schema.names else "missing"
        if found != first.field(name).type:
            raise InputError(
                "columns-differ",
                name,
                f"Column {name!r} is {found} in {path} and {first.field(name).type} in "
                f"{other.name}: use files with the same columns.",
            )


def read_arrow(path: Path, reading: Reading) -> Samples:
    """Read an Arrow (Feather) file, or a file with a stream of Arrow batches."""
    pyarrow = _import("pyarrow", path)
    try:
        with pyarrow.memory_map(str(path)) as source:
            if source.read(6) == b"ARROW1":
                reader = pyarrow.ipc.open_file(source)
                batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
            else:
                source.seek(0)
                reader = pyarrow.ipc.open_stream(source)
                batches = iter(reader)
            schema = reader.schema
            wanted = _wanted(schema.names, reading)
            return _encode_batches(pyarrow, batches, schema, wanted, None)
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise _damaged(path, "Arrow", error) from error


class _Wanted(NamedTuple):
    """Columns to read: names of the variables, column of the weights, and the reading."""

    names: list[str]
    weights: str | None
    reading: Reading

    @property
    def all_names(self) -> list[str]:
        return self.names if self.weights is None else [*self.names, self.weights]


def _wanted(names: Sequence[str], reading: Reading) -> _Wanted:
    """Return the columns to read, without the index of pandas."""
    indexes = [name for name in names if PANDAS_INDEX.fullmatch(name)]
    if indexes and reading.columns is None:
        names = [name for name in names if name not in indexes]
        for name in indexes:
            reading.log.leave_out(name, "the index")
        reading.log.add_warning(
            "index-column", indexes[0], f"The pandas index ({listed(indexes)}) was left out."
        )
    _, picked, weights, reading = wanted_columns(names, reading)
    return _Wanted(picked, None if weights is None else names[weights], reading)


def _encode_batches(
    pyarrow: Any, batches: Iterable[Any], schema: Any, wanted: _Wanted, n_samples: int | None
) -> Samples:
    names, weights, reading = wanted
    types = {field.name: field.type for field in schema}
    has_values = any(not pyarrow.types.is_null(types[name]) for name in names if name in types)
    declared = {
        j: Category((), types[name].ordered)
        for j, name in enumerate(names)
        if name in types and pyarrow.types.is_dictionary(types[name])
    }
    encoder = None
    for table in whole_words(pyarrow, batches, schema, chunk_rows(len(names) * 8)):
        if not has_values and len(table):
            # Columns without buffers have as many rows as the file claims: 10^14 in a kilobyte.
            check_shape(len(table), 0, min_columns=reading.min_columns)
        frame = as_frame(table.select(names))
        assert frame is not None
        if encoder is None:
            encoder = Encoder(
                names,
                n_samples,
                categories=declared | declared_categories(frame),
                reading=reading,
                is_table=True,
            )
        add_frame(encoder, frame)
        if weights is not None:
            encoder.weigh(table[weights].to_pylist())
    assert encoder is not None
    return encoder.finish()


def whole_words(pyarrow: Any, batches: Iterable[Any], schema: Any, rows: int) -> Iterator[Any]:
    """Yield the same rows as tables with a multiple of `rows` rows, the last with the rest."""
    held: list[Any] = []
    n_held = 0
    for batch in batches:
        batch.validate(full=True)  # offsets outside a damaged file would crash the process
        schema = batch.schema
        held.append(batch)
        n_held += batch.num_rows
        if n_held >= rows:
            table = pyarrow.Table.from_batches(held)
            whole = n_held // rows * rows
            yield table.slice(0, whole)
            held, n_held = table.slice(whole).to_batches(), n_held - whole
    yield pyarrow.Table.from_batches(held, schema)


def _import(module: str, path: Path) -> Any:
    return installed(module, f"Reading {path}", "arrow")


def _damaged(path: Path, kind: str, error: BaseException) -> InputError:
    reason = (str(error).splitlines() or ["damaged"])[0].rstrip(".")
    return file_error(path, f"cannot be read as {kind} ({reason}): write it again.")
