"""The commands, put together.

Each is a file: it parses, calls and prints. Heavy modules are imported by the command that needs them,
so that `markhood --help` answers at once. Exit codes: 0; 2 for input that cannot be used; those of signals are in
`start`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from markhood.commandline.bootstrap import bootstrap
from markhood.commandline.choose_gamma import choose_gamma
from markhood.commandline.compare import compare
from markhood.commandline.compare_groups import compare_groups
from markhood.commandline.datasets import datasets
from markhood.commandline.demo import demo
from markhood.commandline.fit import fit
from markhood.commandline.learn import learn
from markhood.commandline.options import with_declared_options
from markhood.commandline.pack import pack
from markhood.commandline.paper import paper
from markhood.commandline.predict import predict
from markhood.commandline.report import report
from markhood.commandline.rerun import rerun
from markhood.commandline.simulate import simulate
from markhood.commandline.start import main
from markhood.commandline.terminal import guarded

__all__ = ["app", "main"]

ABOUT = """
Learn the graph of a pairwise Markov network (Ising, Potts) from data.

[bold]Examples[/bold]

  markhood demo

  markhood learn symptoms.csv -o symptoms.graphml --report symptoms.html

  markhood fit symptoms.graphml symptoms.csv --output model.json

  markhood bootstrap symptoms.csv --output edges.csv

  markhood simulate hub --variables 64 -o data.csv --truth truth.csv

  markhood compare truth.csv learned.csv

  markhood paper screening --replicates 10
"""

EPILOG = (
    "markhood COMMAND --help says more, with examples. "
    "Exit codes: 0 done, 2 input that cannot be used, 130 stopped with Ctrl-C, 141 nobody read the "
    "output, 143 stopped by SIGTERM."
)

app = typer.Typer(
    name="markhood",
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


COMMANDS = (
    learn,
    bootstrap,
    choose_gamma,
    compare_groups,
    rerun,
    fit,
    pack,
    report,
    predict,
    demo,
    datasets,
    simulate,
    compare,
    paper,
)

for command in COMMANDS:
    app.command()(guarded(with_declared_options(command)))
