"""CSV edge lists: one line per edge, with a JSON file for everything else.

    source,target,evidence,coupling,evidence_source,evidence_target,coupling_source,coupling_target

followed by the annotations, and by the distance of the ends where variables have positions along a
genome. A coupling table is stored in the JSON file, and its size in the line. An unknown number is
an empty field; an infinite one is inf or -inf. Fields are not quoted by the csv module, because
before Python 3.13 it leaves a carriage return unquoted where lines end in a newline, and then
cannot read its own file.

A spreadsheet runs a field that begins with = + - or @ as a formula, quoted or not, and a formula
can send data. Names are written unchanged by default. ``escape_formulas`` puts an apostrophe before
such names; the JSON file records this, and reading removes the apostrophe.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO, TextIO

from markhood.errors import InputError
from markhood.graph.columns import COLUMNS, END_COLUMNS, TABLE, annotation_columns
from markhood.graph.edge_table import about_graph, edge_columns, graph_from_columns, table_column
from markhood.graph.graph import Graph

_TO_QUOTE = re.compile(r'[,"\r\n]|^\s|\s$|^$')
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NOT_UTF8 = re.compile(r"[\ud800-\udfff]")


def require_names_without(
    impossible: re.Pattern[str], graph: Graph, form: str, instead: str
) -> None:
    r"""Raise `InputError` for the first name that matches `impossible`.

    Examples
    --------
    >>> require_names_without(re.compile(r"\x00"), Graph(["a\0"], []), "XML", ".json")
    Traceback (most recent call last):
    markhood.errors.InputError: XML cannot store the node name 'a\x00': write .json instead.
    """
    for name in (*graph.nodes, *chain.from_iterable(graph.members.values())):
        if impossible.search(name):
            raise InputError(
                "not-supported",
                name,
                f"{form} cannot store the node name {name!r}: write {instead} instead.",
            )


def write_csv(graph: Graph, stream: TextIO, escape_formulas: bool = False) -> None:
    """Write the edge list of a graph to a text stream, such as standard output.

    A coupling table is represented by its size. ``escape_formulas`` puts an apostrophe before names
    that a spreadsheet would run as formulas.

    Examples
    --------
    >>> import sys
    >>> write_csv(Graph(["a", "b, c"], [(0, 1)], evidence_ends=[(1, 2)]), sys.stdout)
    source,target,evidence,coupling,evidence_source,evidence_target,coupling_source,coupling_target
    a,"b, c",3.0,,1.0,2.0,,
    """
    require_names_without(_NOT_UTF8, graph, "CSV", ".json")
    stream.writelines(_lines(graph, escape_formulas))


def to_bytes(graph: Graph, escape_formulas: bool = False) -> bytes:
    """Return the edge list in UTF-8.

    Examples
    --------
    >>> to_bytes(Graph("ab", [(0, 1)])).splitlines()[1]
    b'a,b,,,,,,'
    """
    stream = io.StringIO(newline="")
    write_csv(graph, stream, escape_formulas)
    return stream.getvalue().encode("utf-8")


def about_to_bytes(graph: Graph, escape_formulas: bool = False) -> bytes:
    """Return the rest of the graph as JSON: nodes, provenance and coupling tables.

    Examples
    --------
    >>> json.loads(about_to_bytes(Graph("ab", [])))
    {'nodes': ['a', 'b'], 'provenance': {}}
    """
    about: dict[str, Any] = {"nodes": graph.nodes, **about_graph(graph)}
    if escape_formulas:
        about["escaped_formulas"] = True
    if graph.coupling_tables:
        # With the names of the ends, because users sort and filter edge lists.
        ends_and_tables = zip(graph.edge_names(), table_column(graph), strict=True)
        about["tables"] = [
            {"source": a, "target": b, TABLE: table}
            for (a, b), table in ends_and_tables
            if table is not None
        ]
    return json.dumps(about, indent=1).encode("ascii")


def from_bytes(content: bytes, about: bytes | None = None) -> Graph:
    r"""Return the graph of an edge list, and of its JSON file if there is one.

    Examples
    --------
    >>> from_bytes(b"source,target\nb,a\n").nodes
    ('b', 'a')
    """
    text = content.decode("utf-8-sig")
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(rows, [])
    for name in COLUMNS[:2]:
        if header.count(name) != 1:
            raise InputError(
                "file-damaged",
                name,
                f"an edge list needs one column {name!r}; the header is {header}.",
            )
    columns: dict[str, list[Any]] = {name: [] for name in header}
    for row in rows:
        if not row:
            continue
        if len(row) != len(header):
            raise InputError(
                "file-damaged",
                f"line {rows.line_num}",
                f"line {rows.line_num} has {len(row)} fields and the header has {len(header)}.",
            )
        for name, field in zip(header, row, strict=True):
            columns[name].append(field)
    further = [name for name in annotation_columns(header) if _are_numbers(columns[name])]
    for name in (*END_COLUMNS, *further):
        if name in columns:
            columns[name] = [field or None for field in columns[name]]
    known: dict[str, Any] = {} if about is None else json.loads(about)
    if known.get("escaped_formulas") is True:
        for end in COLUMNS[:2]:
            columns[end] = [_without_apostrophe(name) for name in columns[end]]
    found = {(edge["source"], edge["target"]): edge[TABLE] for edge in known.get("tables", ())}
    tables = [found.get(ends) for ends in zip(columns["source"], columns["target"], strict=True)]
    return graph_from_columns(columns, known.get("nodes"), known, further, tables)


def is_ours(stream: BinaryIO) -> bool:
    r"""Return whether a file is an edge list with the columns that `to_bytes` writes.

    Examples
    --------
    >>> is_ours(io.BytesIO(to_bytes(Graph("ab", [])))), is_ours(io.BytesIO(b"source,target\n"))
    (True, False)
    """
    header = ",".join(COLUMNS).encode()
    first = stream.read(len(codecs.BOM_UTF8) + len(header) + 1).removeprefix(codecs.BOM_UTF8)
    return first.startswith(tuple(header + end for end in (b"\n", b"\r", b",")))


def _are_numbers(fields: list[str]) -> bool:
    try:
        return all(field == "" or isinstance(float(field), float) for field in fields)
    except ValueError:
        return False


def _lines(graph: Graph, escape_formulas: bool) -> Iterator[str]:
    columns = edge_columns(graph)
    yield ",".join(columns) + "\n"
    for source, target, *numbers in zip(*columns.values(), strict=True):
        ends = map(_with_apostrophe, (source, target)) if escape_formulas else (source, target)
        fields = ["" if math.isnan(number) else repr(number) for number in numbers]
        yield ",".join((*map(_quoted, ends), *fields)) + "\n"


def _with_apostrophe(name: str) -> str:
    # A name with an apostrophe gets another one, so that removing one is always correct.
    return f"'{name}" if _FORMULA.match(name) else name


def _without_apostrophe(name: str) -> str:
    return name[1:] if name.startswith("'") and _FORMULA.match(name) else name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if _TO_QUOTE.search(name) else name
