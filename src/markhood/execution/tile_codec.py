"""Encode results of tiles as bytes and decode them: plain data only, so that no file can run code.

A result consists of plain values, arrays of numbers, and records (named tuples and dataclasses) of
these. Its structure is written as JSON, in which everything that JSON lacks is an object with one
key,

    {"tuple": [...]}  {"dict": [[key, value], ...]}  {"record": [name, [fields]]}
    {"array": [dtype, shape]}  {"scalar": [dtype, shape]}

followed by the numbers of the arrays in order. The reader decides what names mean: records are
looked up among the types that it passes, dtypes among numeric ones.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

LENGTH = struct.Struct("<Q")  # of the JSON
_NUMBERS = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[48]")


class DamagedError(ValueError):
    """Bytes that are not an encoded result."""


def encode_result(result: Any, records: Iterable[type]) -> bytes:
    """Return a result as bytes; ``TypeError`` for values that cannot be decoded.

    Examples
    --------
    >>> decode_result(encode_result((1.5, np.arange(3)), ()), ())
    (1.5, array([0, 1, 2]))
    """
    parts: list[bytes] = []
    known = frozenset(records)

    def structure(value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) in known:
            return {"record": [type(value).__name__, [structure(v) for v in _values(value)]]}
        if isinstance(value, (np.ndarray, np.generic)):
            return _array(value, parts)
        if type(value) is list:
            return [structure(v) for v in value]
        if type(value) is tuple:
            return {"tuple": [structure(v) for v in value]}
        if type(value) is dict:
            return {"dict": [[structure(k), structure(v)] for k, v in value.items()]}
        raise TypeError(f"{type(value).__name__} is not among the records that can be saved")

    text = json.dumps(structure(result)).encode("ascii")
    return b"".join([LENGTH.pack(len(text)), text, *parts])


def decode_result(content: bytes, records: Iterable[type]) -> Any:
    """Return the encoded result; `DamagedError` if it cannot be decoded.

    Examples
    --------
    >>> decode_result(b"any", ())
    Traceback (most recent call last):
    markhood.execution.tile_codec.DamagedError: no result
    """
    try:
        (length,) = LENGTH.unpack_from(content)
        end = LENGTH.size + length
        reader = _Reader(content, end, {record.__name__: record for record in records})
        result = reader.value(json.loads(content[LENGTH.size : end]))
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError, struct.error) as error:
        raise DamagedError("no result") from error
    if reader.at != len(content):
        raise DamagedError("more than a result")
    return result


def _values(record: Any) -> list[Any]:
    if is_dataclass(record):
        return [getattr(record, field.name) for field in fields(record)]
    return list(record)


def _array(value: Any, parts: list[bytes]) -> dict[str, Any]:
    array = np.asarray(value)
    little = array.dtype.newbyteorder("<")
    if not _NUMBERS.fullmatch(little.str):
        raise TypeError(f"an array of {array.dtype} cannot be saved")
    parts.append(np.ascontiguousarray(array, little).tobytes())
    kind = "array" if isinstance(value, np.ndarray) else "scalar"
    return {kind: [little.str, list(array.shape)]}


class _Reader:
    """Rebuilds values, and tracks the bytes of arrays that are used up."""

    def __init__(self, content: bytes, at: int, records: Mapping[str, type]) -> None:
        self._content, self.at, self._records = content, at, records

    def value(self, structure: Any) -> Any:
        if isinstance(structure, list):
            return [self.value(v) for v in structure]
        if not isinstance(structure, dict):
            return structure
        ((kind, held),) = structure.items()
        if kind == "tuple":
            return tuple(self.value(v) for v in held)
        if kind == "dict":
            return {self.value(k): self.value(v) for k, v in held}
        if kind == "record":
            name, values = held
            return self._records[name](*(self.value(v) for v in values))
        array = self._array(*held)
        if kind == "scalar" and array.shape == ():
            return array[()]
        if kind == "array":
            return array
        raise DamagedError(kind)

    def _array(self, dtype: str, shape: list[int]) -> Any:
        if not _NUMBERS.fullmatch(dtype) or not all(type(n) is int and n >= 0 for n in shape):
            raise DamagedError("no array of numbers")
        count = math.prod(shape)
        size = count * np.dtype(dtype).itemsize
        if size > len(self._content) - self.at:
            raise DamagedError("an array that is cut off")
        values = np.frombuffer(self._content, dtype, count, self.at).reshape(shape)
        self.at += size
        return values.astype(values.dtype.newbyteorder("="))  # a writable copy
