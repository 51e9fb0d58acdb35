"""Short help (``--help``) and complete help (``--help-all``) of a command.

The short help describes the options of the command itself and those in the panel `MOST_USED`, and
names the others.
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from inspect import Parameter
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

MOST_USED, HELP = "Most used", "Help"
_DESCRIBED = (None, MOST_USED, HELP)
_ALL = "markhood.help_all"


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        context.meta[_ALL] = True
        typer.echo(context.get_help(), color=context.color)
        raise typer.Exit


HELP_ALL = Parameter(
    "help_all",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option(
            "--help-all",
            help="Describe all options and exit.",
            is_eager=True,
            callback=_show_all,
            rich_help_panel=HELP,
        ),
    ],
)


class Command(TyperCommand):
    """A command with a short and a complete help."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return ``--help``, in a panel below the other options."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.rich_help_panel = HELP
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help: all of it for ``--help-all``, otherwise the short one."""
        short = copy(self)
        if not ctx.meta.get(_ALL):
            short.params = [one for one in self.params if _panel(one) in _DESCRIBED]
            short.epilog = self._further_options()
        super(Command, short).format_help(ctx, formatter)

    def _further_options(self) -> str:
        """Name the options that the short help does not describe, a line for each panel."""
        panels: dict[str, list[str]] = defaultdict(list)
        for one in self.params:
            if (panel := _panel(one)) not in _DESCRIBED:
                panels[panel].append("/".join([*one.opts[:1], *one.secondary_opts]))
        lines = [f"[bold]{panel}:[/bold] {' '.join(names)}" for panel, names in panels.items()]
        return "\n\n".join(["Further options, described by --help-all:", *lines])


def _panel(parameter: Any) -> Any:
    return parameter.rich_help_panel if isinstance(parameter, TyperOption) else None
