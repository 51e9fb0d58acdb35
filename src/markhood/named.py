"""Find the classes of a package that have a `name`, such as methods and criteria.

A new class is listed without registration: all modules of the package are imported.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def classes_named(package: str, having: str) -> dict[str, type[Any]]:
    """Return the classes with a `name` and this attribute, sorted by name.

    Examples
    --------
    >>> sorted(classes_named("markhood.scores", having="score"))
    ['bic', 'mpl']
    """
    found: dict[str, type[Any]] = {}
    for info in iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{info.name}")
        for value in vars(module).values():
            is_own = isinstance(value, type) and value.__module__ == module.__name__
            if is_own and isinstance(vars(value).get("name"), str) and hasattr(value, having):
                found[value.name] = value
    return dict(sorted(found.items()))
