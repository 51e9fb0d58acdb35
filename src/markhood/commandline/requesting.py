"""The options that say how to learn, for the commands that learn more than once.

They are those of `markhood learn`, taken from its signature, so that an option that is added there is at
every such command. A command is decorated, and gets them all as one function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, signature
from typing import Any

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


def asks(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `learn`, but for some; its argument `ask` makes a request."""
    kept = ("data", "read", "output", "escape_formulas", "report", "dry_run", *without)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        options = [
            p.replace(kind=Parameter.KEYWORD_ONLY)
            for p in signature(learn, eval_str=True).parameters.values()
            if p.name not in kept
        ]
        own = [
            p.replace(kind=Parameter.KEYWORD_ONLY)
            for p in signature(command, eval_str=True).parameters.values()
        ]
        shown = [p for p in own if p.name != "ask"] + options

        @wraps(command)
        def with_options(**given: Any) -> None:
            chosen = {option.name: given.pop(option.name) for option in options}
            command(**given, ask=partial(request_of, **chosen))

        with_options.__signature__ = signature(command).replace(parameters=shown)  # type: ignore[attr-defined]
        with_options.__annotations__ = {p.name: p.annotation for p in shown}
        return with_options

    return decorate
