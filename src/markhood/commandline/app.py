"""The commands, put together.

Each is a function that parses, calls and prints. The options are declared by the methods
and by the readers of data, which take a while to import: so a command is built when it is first
needed, and `markhood --help` builds none. Exit codes: 0; 2 for input that cannot be used; those of
signals are in `start`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from inspect import getdoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from markhood.commandline.bootstrap import bootstrap
from markhood.commandline.comparisons import compare, compare_groups
from markhood.commandline.datasets import datasets, demo
from markhood.commandline.learn import learn
from markhood.commandline.models import check, fit, predict
from markhood.commandline.options import Command, with_declared_options
from markhood.commandline.pages import app as open_app
from markhood.commandline.pages import report
from markhood.commandline.provenance import checklist, reproduction, rerun
from markhood.commandline.simulate import paper, simulate
from markhood.commandline.start import main
from markhood.commandline.studies import choose_gamma, plan, robustness
from markhood.commandline.tables import describe, pack
from markhood.commandline.terminal import guarded

__all__ = ["app", "main"]

ABOUT = """
Learn the graph of a pairwise Markov network (Ising, Potts, ordinal) from a table of data.

[bold]Examples[/bold]

  markhood demo

  markhood learn symptoms.csv -o symptoms.graphml --report symptoms.html

  markhood bootstrap symptoms.csv --output edges.csv

  markhood compare symptoms.graphml follow-up.graphml
"""

EPILOG = (
    "markhood COMMAND --help describes a command, with examples. "
    "Exit codes: 0 success, 2 input that cannot be used, 130 stopped with Ctrl-C, 141 standard "
    "output closed by its reader, 143 stopped by SIGTERM."
)
COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__.replace("_", "-"): command
    for command in (
        learn,
        open_app,
        bootstrap,
        choose_gamma,
        compare_groups,
        describe,
        plan,
        robustness,
        rerun,
        reproduction,
        checklist,
        fit,
        check,
        pack,
        report,
        predict,
        demo,
        datasets,
        simulate,
        compare,
        paper,
    )
}


@cache
def _command(name: str) -> TyperCommand:
    """Build a command with all of its options."""
    alone = typer.Typer(
        rich_markup_mode="rich", add_completion=False, pretty_exceptions_enable=False
    )
    alone.command(name, cls=Command)(guarded(with_declared_options(COMMANDS[name])))
    built = typer.main.get_command(alone)
    assert isinstance(built, TyperCommand)
    return built


class LazyCommands(Mapping[str, TyperCommand]):
    """The commands by name, each built when it is first looked up."""

    def __getitem__(self, name: str) -> TyperCommand:
        """Return a command."""
        if name not in COMMANDS:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(COMMANDS)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(COMMANDS)


class LazyGroup(TyperGroup):
    """The group of all commands; its own help needs their summaries only."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": LazyCommands()})

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names in the order of the help."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help without building the commands."""
        summarised = copy(self)
        summarised.commands = {
            name: TyperCommand(name, help=getdoc(command)) for name, command in COMMANDS.items()
        }
        super(LazyGroup, summarised).format_help(ctx, formatter)


app = typer.Typer(
    name="markhood",
    cls=LazyGroup,
    help=ABOUT,
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from markhood import __version__

        typer.echo(f"markhood {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass
