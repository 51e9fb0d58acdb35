"""Convert values to JSON, and to a hash of their content.

Provenance and checkpoints compare values. `repr` is not sufficient for this: NumPy abbreviates long
arrays, and objects without a `__repr__` show an address. Here all of a value is used. Small values
are stored completely, so that an analysis can be repeated from its provenance; of large values and
user-defined objects the hash is stored.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

from markhood.errors import InputError, option

MOST_NUMBERS = 100_000  # of an array or list that is stored: about a megabyte of JSON
_OWN = "markhood."


def as_json(value: Any) -> Any:
    """Return a value as JSON if possible, else its content hash.

    Examples
    --------
    >>> as_json((("a", "b"), np.arange(3)))
    [['a', 'b'], {'array': [0, 1, 2], 'dtype': 'int64'}]
    >>> as_json({("a", "b"): 0.5})
    {'items': [[['a', 'b'], 0.5]]}
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if getattr(value, "size", 0) > MOST_NUMBERS or _length(value) > MOST_NUMBERS:
        return {"hash": content_hash(value), "length": _length(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": value.tolist(), "dtype": value.dtype.name}
    if isinstance(value, (list, tuple, set, frozenset)):
        listed = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return [as_json(one) for one in listed]
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value) and not _MARKS & value.keys():
            return {key: as_json(one) for key, one in value.items()}
        return {"items": [[as_json(key), as_json(one)] for key, one in value.items()]}
    kind = type(value)
    return {"hash": content_hash(value), "object": f"{kind.__module__}.{kind.__qualname__}"}


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (list, tuple, Mapping, np.ndarray)) else 0


_MARKS = {"array", "items", "hash"}


def from_json(stored: Any, name: str) -> Any:
    """Return the value that `as_json` stored; lists become tuples.

    Raises
    ------
    InputError
        If only the hash was stored.
    """
    if isinstance(stored, (list, tuple)):
        return tuple(from_json(one, name) for one in stored)
    if not isinstance(stored, Mapping):
        return stored
    if "hash" in stored:
        raise InputError(
            "option-needed",
            name,
            f"Only the hash of {option(name)} was stored, because it is large or an object: pass "
            "it again.",
        )
    if "array" in stored:
        return np.array(stored["array"], dtype=stored["dtype"])
    if "items" in stored:
        return {from_json(key, name): from_json(one, name) for key, one in stored["items"]}
    return {key: from_json(one, name) for key, one in stored.items()}


def content_hash(value: Any) -> str:
    """Return a hash that is equal for values with the same content.

    The content of a dataclass or an object of markhood is its class and its attributes. For a
    user-defined object the source of its class is included.

    Raises
    ------
    InputError
        If the content of a value cannot be read, as for an open file.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in _parts(value):
        digest.update(part)
    return digest.hexdigest()


def _parts(value: Any) -> Iterable[bytes]:
    """Yield the bytes of a value, each part with its type and length."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        yield _framed(type(value).__name__, repr(value).encode())
    elif isinstance(value, np.generic):
        yield from _parts(np.asarray(value))
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        content = np.ascontiguousarray(value).tobytes()
        yield _framed(f"{value.dtype.str}{value.shape}", content)
    elif isinstance(value, np.ndarray):
        yield _framed(f"objects{value.shape}", _joined(value.ravel().tolist()))
    elif isinstance(value, (list, tuple, range)):
        yield _framed(type(value).__name__, _joined(value))
    elif isinstance(value, (set, frozenset)):
        yield _framed("set", b"".join(sorted(_joined([one]) for one in value)))
    elif isinstance(value, Mapping):
        items = sorted(_joined(item) for item in value.items())
        yield _framed("mapping", b"".join(items))
    elif isinstance(value, os.PathLike):
        yield _framed("path", os.fsencode(value))
    elif isinstance(value, np.random.Generator):
        yield from _parts(value.bit_generator.state)
    elif isinstance(value, np.random.SeedSequence):
        yield from _parts(value.state)
    else:
        yield from _parts_of_object(value)


def _parts_of_object(value: Any) -> Iterable[bytes]:
    kind = type(value)
    if is_dataclass(value) or kind.__module__.startswith(_OWN) or _is_plain_class(kind):
        name = f"{kind.__module__}.{kind.__qualname__}"
        source = b"" if name.startswith(_OWN) else _source(kind).encode()
        yield _framed(name, source + _joined(sorted(_held(value).items())))
        return
    raise InputError(
        "checkpoint",
        kind.__name__,
        f"The content of a {kind.__name__} cannot be compared, so its results cannot be saved: use "
        f"numbers, texts, arrays and plain objects, or leave out {option('checkpoint')}.",
    )


def _is_plain_class(kind: type) -> bool:
    """Return whether a class is written in Python and its objects are defined by attributes."""
    is_written_in_python = bool(kind.__flags__ & (1 << 9))
    return is_written_in_python and "__reduce__" not in vars(kind)


def _held(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, of a dataclass only those that are compared."""
    slots = [name for base in type(value).__mro__ for name in getattr(base, "__slots__", ())]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    held |= {
        name: own
        for name, own in getattr(value, "__dict__", {}).items()
        if not isinstance(getattr(type(value), name, None), cached_property)
    }
    if is_dataclass(value):
        return {
            one.name: held[one.name] for one in fields(value) if one.compare and one.name in held
        }
    return held


def _joined(values: Iterable[Any]) -> bytes:
    return b"".join(part for value in values for part in _parts(value))


def _framed(kind: str, content: bytes) -> bytes:
    return f"{kind} {len(content)} ".encode() + content


def _source(kind: type) -> str:
    """Return the source of a class, or its name if it was defined at a prompt."""
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        return kind.__qualname__
