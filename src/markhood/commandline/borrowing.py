"""Options that a command borrows from a function: its own to the user, one argument to the command.

So what an option is called, what it means and what it defaults to is written once, however many commands
have it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from inspect import Parameter, signature
from itertools import chain
from typing import Any

Command = Callable[..., None]


def parameters(function: Callable[..., Any]) -> list[Parameter]:
    """List the parameters of a function, their annotations as objects."""
    return list(signature(function, eval_str=True).parameters.values())


def borrowing(
    command: Command, argument: str, function: Callable[..., Any], options: Sequence[Parameter]
) -> Command:
    """Give a command options in the place of an argument: the function, which has got their values."""
    own_or_borrowed = ((p,) if p.name != argument else options for p in parameters(command))
    shown = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in chain.from_iterable(own_or_borrowed)]

    @wraps(command)
    def with_options(**given: Any) -> None:
        chosen = {option.name: given.pop(option.name) for option in options}
        command(**given, **{argument: partial(function, **chosen)})

    # What typer looks at to find the options.
    with_options.__signature__ = signature(command).replace(parameters=shown)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in shown}
    return with_options
