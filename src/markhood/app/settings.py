"""Settings of the page, read from the declarations of the request and of the studies.

A value that the user enters is the text that one would type on the command line, so that the same
declaration parses it, and the equivalent command can be written without a conversion. Nothing here
lists options by name, except those that a browser must not set (`NOT_HERE`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass
from types import NoneType
from typing import Any

from markhood.app.files import checked_name
from markhood.data.reading import Reading
from markhood.errors import InputError, option
from markhood.learning.knowledge import Knowledge
from markhood.learning.methods import METHODS
from markhood.learning.request import GROUPS, Request, method_class
from markhood.learning.run import Execution
from markhood.options import Declaration, Options, choices_of, declaration_of, parts_of

# Set by the table of columns (codebook), or able to send data to another machine or folder.
NOT_HERE = ("codebook", "executor", "scheduler", "checkpoint")


@dataclass(frozen=True)
class Setting:
    """One option, with its type, default and declaration."""

    name: str
    group: str
    hint: Any
    default: Any
    declared: Declaration

    @property
    def kind(self) -> str:
        """How the page asks for it: flag, choice, number, column, file or text."""
        parts, metavar = self._parts, self.declared.metavar or ""
        if parts == [bool]:
            return "flag"
        if metavar == "FILE":
            return "file"
        if self.declared.parse is None and choices_of(self.hint):
            return "choice"
        if len(parts) == 1 and parts[0] in (int, float):
            return "number"
        return "column" if metavar.startswith("COLUMN") else "text"

    @property
    def _parts(self) -> list[Any]:
        return [part for part in parts_of(self.hint) if part is not NoneType]

    def as_json(self) -> dict[str, Any]:
        """Return what the page needs to ask for it."""
        default = self.default
        if isinstance(default, tuple | list):
            default = ",".join(map(str, default))
        return {
            "name": self.name,
            "group": self.group,
            "label": self.name.replace("_", " "),
            "help": self.declared.help,
            "kind": self.kind,
            "choices": choices_of(self.hint),
            "default": default,
            "low": self.declared.low,
            "high": self.declared.high,
            "whole": self._parts == [int],
        }

    def value(self, text: Any) -> Any:
        """Return the value of a text; files are named without folders."""
        if self.kind == "flag":
            return text
        if not isinstance(text, str):
            raise self._refused(text)
        if self.kind == "file":
            return checked_name(text)
        if "FILE" in (self.declared.metavar or "") and re.search(r"[/\\]", text):
            raise self._refused(text)
        convert = self.declared.parse or (
            (int if self._parts == [int] else float) if self.kind == "number" else str
        )
        try:
            return convert(text)
        except ValueError:
            raise self._refused(text) from None

    def _refused(self, text: Any) -> InputError:
        message = f"{option(self.name)} cannot be {text!r}: {self.declared.help}"
        return InputError("option-value", self.name, message)


def request_settings(method: str) -> list[Setting]:
    """List the settings of a request: those of the method first."""
    kinds: list[type[Options]] = [method_class(method), Reading, Knowledge, Execution]
    found: dict[str, Setting] = {}
    for kind in kinds:
        for one in kind.declared():
            if one.name not in NOT_HERE:
                found.setdefault(one.name, _of_field(one, kind))
    return list(found.values())


def _of_field(one: Field[Any], kind: type[Options]) -> Setting:
    owners = {"method": METHODS.values(), "run": [Execution]}
    group = next((name for name, kinds in owners.items() if kind in kinds), "columns")
    group = next((name for name, own in GROUPS.items() if one.name in own.names()), group)
    default = None if one.default is MISSING else one.default
    return Setting(one.name, group, kind.hints()[one.name], default, declaration_of(one))


def study_settings(kind: type[Options]) -> list[Setting]:
    """List the settings of a study."""
    return [
        Setting(one.name, "study", kind.hints()[one.name], one.default, declaration_of(one))
        for one in kind.declared()
    ]


def values_of(settings: Iterable[Setting], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the settings that the user changed."""
    return {one.name: one.value(texts[one.name]) for one in settings if one.name in texts}


def request_of(
    method: str, texts: Mapping[str, Any], codebook: list[dict[str, Any]], **run: Any
) -> Request:
    """Build the request of an analysis: the method, changed settings and codebook."""
    values = values_of(request_settings(method), texts)
    own = {"codebook": codebook} if codebook else {}
    return Request.of(method, run | values | own)
