"""The command line: parse, call, print.

Numbers are made elsewhere; heavy modules are imported by the command that needs them, so that
`markhood --help` answers at once. Exit codes: 0; 2 for input that cannot be used; 130 on Ctrl-C.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.errors import DataWarning, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from markhood.graph.graph import Graph

A_MOMENT = 0.7  # seconds; shorter work shows no progress bar
STRONGEST_SHOWN = 8

ABOUT = """
Learn the graph of a pairwise Markov network (Ising model) from data.

[bold]Examples[/bold]

  markhood demo

  markhood learn symptoms.csv --output symptoms.graphml

  markhood learn --help
"""

app = typer.Typer(
    name="markhood",
    help=ABOUT,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line."""
    app()


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn unusable input into one sentence and exit code 2, and Ctrl-C into 130."""

    @wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _print_warning
                warnings.simplefilter("always", DataWarning)
                command(*args, **kwargs)
        except InputError as error:
            typer.echo(f"markhood: {error}", err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo("markhood: stopped.", err=True)
            raise typer.Exit(130) from None

    return guarded


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"markhood: note: {message}", err=True)


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


LEARN_EXAMPLES = """
Learn the graph of a table of binary observations.

[bold]Examples[/bold]

  markhood learn symptoms.csv

  markhood learn votes.parquet --output votes.graphml --output votes.csv

  markhood learn spins.npy --method hc --rule and --gamma 0.25 --jobs 4

  markhood learn survey.tsv --columns sad,tired,anxious --output - > edges.csv
"""


@app.command(help=LEARN_EXAMPLES)
@_guarded
def learn(
    data: Annotated[
        Path, typer.Argument(help="CSV, TSV, Parquet, Arrow, Feather, NPY or NPZ file.")
    ],
    method: Annotated[str, typer.Option(help="plrhc (with a screen) or hc (without).")] = "plrhc",
    rule: Annotated[
        str | None, typer.Option(help="global, or, and: how blankets become a graph.")
    ] = None,
    gamma: Annotated[
        float | None, typer.Option(help="Weight of the number of possible blankets.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Steps of the screened graph to search in.")
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Use these columns only: a,b,c.")] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the graph: .csv, .json, .graphml, .gexf, .npz, or - for CSV on standard "
            "output. May be repeated.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all.")] = -1,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first row of a CSV has names."),
    ] = None,
    array: Annotated[str | None, typer.Option(help="Which array of an NPZ file.")] = None,
) -> None:
    """Learn the graph of a table of binary observations."""
    from markhood.data.files import read_samples
    from markhood.execution.runner import Runner
    from markhood.learning import learn_from, method_named

    given = {"rule": rule, "gamma": gamma, "depth": depth}
    chosen = method_named(method, {k: v for k, v in given.items() if v is not None})
    outputs = output or []
    _check_outputs(outputs)
    samples = read_samples(
        data,
        columns=None if columns is None else columns.split(","),
        header=header,
        array=array,
    )
    with _progress() as progress:
        learned = learn_from(samples, chosen, runner=Runner(jobs, progress))
    _print_summary(learned.graph, _console(outputs))
    _write(learned.graph, outputs)


@app.command()
@_guarded
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the graph.")
    ] = Path("digits.graphml"),
) -> None:
    """Learn which pixels of handwritten digits depend on each other, and draw the answer."""
    from markhood.data.digits import SIDE, digits
    from markhood.execution.runner import Runner
    from markhood.learning import learn_from, method_named
    from markhood.output.text_pictures import draw_grid

    _check_outputs([str(output)])
    console = _console([])
    with _progress() as progress:
        learned = learn_from(digits(), method_named("plrhc", {}), runner=Runner(-1, progress))
    _print_summary(learned.graph, console)
    rows, columns = learned.graph.edges // SIDE, learned.graph.edges % SIDE
    apart = abs(rows[:, 0] - rows[:, 1]).clip(abs(columns[:, 0] - columns[:, 1]))
    touching = int((apart == 1).sum())
    console.print(
        f"\nThe 8 x 8 pixels, with the {touching} of {learned.graph.n_edges} edges that join "
        "pixels that touch:\n"
    )
    console.print(draw_grid(learned.graph, SIDE), highlight=False)
    _write(learned.graph, [str(output)])


def _check_outputs(outputs: list[str]) -> None:
    """Refuse what could not be written, before the work rather than after it."""
    from markhood.output.graph_files import check_writable

    for output in outputs:
        if output != "-":
            check_writable(output)


def _write(graph: Graph, outputs: list[str]) -> None:
    from markhood.output.graph_files import write_csv, write_graph

    for output in outputs:
        if output == "-":
            write_csv(graph, sys.stdout)
        else:
            write_graph(graph, output)
            typer.echo(f"Wrote {output}", err="-" in outputs)


def _console(outputs: list[str]) -> Console:
    """Print to standard error where standard output is for the graph."""
    from rich.console import Console

    return Console(stderr="-" in outputs, soft_wrap=True)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar on a terminal, once the work has taken more than a moment."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bars = Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    start = monotonic()
    tasks: dict[str, Any] = {}

    def show(phase: str, done: int, total: int) -> None:
        if not bars.console.is_terminal or monotonic() - start < A_MOMENT:
            return
        bars.start()
        if phase not in tasks:
            tasks[phase] = bars.add_task(phase, total=total)
        bars.update(tasks[phase], completed=done)

    try:
        yield show
    finally:
        bars.stop()


def _print_summary(graph: Graph, console: Console) -> None:
    """Say what was learned, from what, and how long it took."""
    from rich.markup import escape
    from rich.table import Table

    about = graph.provenance
    data, seconds = about["data"], about["seconds"]
    degree = graph.degree
    options = ", ".join(f"{name} {value}" for name, value in about["parameters"].items())
    phases = ", ".join(f"{phase} {s:.3g}" for phase, s in seconds.items())
    console.print(f"[bold]{data['samples']} samples, {data['variables']} variables[/bold]")
    if isinstance(data["levels"], list):
        low, high = data["levels"]
        console.print(f"values    0 is {escape(str(low))}, 1 is {escape(str(high))}")
    console.print(f"method    {about['method']} ({escape(options)})")
    console.print(
        f"edges     {graph.n_edges}; degree {degree.mean():.2f} on average, "
        f"{degree.max()} at most, {(degree == 0).sum()} variables without an edge"
    )
    console.print(f"seconds   {sum(seconds.values()):.3g} ({phases})")
    if not graph.n_edges:
        return
    table = Table(title="Strongest edges", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("source", "target", "evidence", "coupling"):
        table.add_column(heading, justify="right" if heading[0] in "ec" else "left")
    names = graph.edge_names()
    for k in graph.strongest(STRONGEST_SHOWN):
        source, target = map(escape, names[k])
        table.add_row(source, target, f"{graph.evidence[k]:.2f}", f"{graph.coupling[k]:+.2f}")
    console.print()
    console.print(table)
