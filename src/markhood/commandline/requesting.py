"""The options that say how to learn, for the commands that learn more than once.

They are those of `markhood learn`, taken from its signature, so that an option that is added there is at
every such command. A command is decorated, and gets them all as one function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from markhood.commandline.borrowing import Command, borrowing, parameters
from markhood.commandline.learn import learn
from markhood.commandline.terminal import words

Ask = partial[Any]


def request_of(progress: Callable[[str, int, int], None], **given: Any) -> Any:
    """Put the options that were given into a request."""
    from dataclasses import fields

    from markhood.learning.methods import method_named
    from markhood.learning.request import Options, Request

    names = {field.name for field in fields(Options)}
    shared = {name: value for name, value in given.items() if name in names}
    shared["adjust_for"] = words(shared["adjust_for"] or "")
    of_method = {
        name: value
        for name, value in given.items()
        if name not in names and name != "method" and value is not None
    }
    return Request(method_named(given["method"], of_method), Options(**shared), progress)


def asks(*without: str) -> Callable[[Command], Command]:
    """Give a command the options of `learn`, but for some; its argument `ask` makes a request."""
    kept = ("data", "read", "output", "escape_formulas", "report", "dry_run", *without)

    def decorate(command: Command) -> Command:
        options = [p for p in parameters(learn) if p.name not in kept]
        return borrowing(command, "ask", request_of, options)

    return decorate
