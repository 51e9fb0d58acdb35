"""What the command line does with a terminal: one sentence for an error, a bar, a summary.

Here too are the options that say where work runs, which several commands share.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

from markhood.data.coding.findings import listed
from markhood.errors import DataWarning, InputError, on_command_line, written_by

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from markhood.data.samples import Samples
    from markhood.execution.runner import Runner
    from markhood.graph.graph import Graph
    from markhood.kernels.protocol import Kernels
    from markhood.learning.methods import Method

A_MOMENT = 0.7  # seconds; shorter work shows no progress bar
STRONGEST_SHOWN = 8
LEVELS_SHOWN = 8
COLUMNS_SHOWN = 6


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn unusable input into one sentence and exit code 2, and Ctrl-C into 130."""

    @wraps(command)
    def with_guard(*args: Any, **kwargs: Any) -> None:
        try:
            with written_by(on_command_line), warnings.catch_warnings():
                warnings.showwarning = _print_warning
                warnings.simplefilter("always", DataWarning)
                command(*args, **kwargs)
        except InputError as error:
            typer.echo(f"markhood: {error}", err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo("markhood: stopped.", err=True)
            raise typer.Exit(130) from None

    return with_guard


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"markhood: note: {message}", err=True)


def console_for(outputs: list[str]) -> Console:
    """Print to standard error where standard output is for the graph."""
    from rich.console import Console

    return Console(stderr="-" in outputs, soft_wrap=True)


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
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
        if tasks:  # stopping what was never shown would still print a line
            bars.stop()


@contextmanager
def runner_on(
    executor: str | None = None,
    scheduler: str | None = None,
    jobs: int = -1,
    kernels: str = "native",
) -> Iterator[Runner]:
    """Open the executor that the options name, with a bar that shows its progress."""
    from markhood.execution.executors import executor_named
    from markhood.execution.runner import Runner

    cards = int(kernels == "cuda")
    with (
        executor_named(executor, scheduler, jobs, cards) as where,
        progress_bar() as progress,
    ):
        yield Runner(jobs, progress, where)


def print_forecast(samples: Samples, method: Method, kernels: Kernels, jobs: int) -> None:
    """Say how long learning will take and how much memory, as far as a second or two can tell."""
    from markhood.data.storage.memory import available_memory, readable
    from markhood.learning.forecast import forecast

    said = forecast(samples, method, kernels, jobs)
    available = available_memory()
    of = "" if available is None else f" of {readable(available)} available"
    phases = ", ".join(f"{phase} {s:.2g}" for phase, s in said.seconds.items())
    typer.echo(f"{samples.n_samples} samples, {samples.n_variables} variables: a forecast")
    typer.echo(f"seconds   about {sum(said.seconds.values()):.2g} ({phases})")
    typer.echo(f"memory    about {readable(said.memory)}{of}")
    if said.pairs:
        typer.echo(f"pairs     about {said.pairs:.2g} pass the screen")
    typer.echo(f"search    among {said.candidates:.2g} others for a variable, on average")


def print_summary(graph: Graph, console: Console) -> None:
    """Say what was learned, from what, and how long it took."""
    from rich.markup import escape

    about = graph.provenance
    data, seconds = about["data"], about["seconds"]
    degree = graph.degree
    options = ", ".join(f"{name} {value}" for name, value in about["parameters"].items())
    phases = ", ".join(f"{phase} {s:.3g}" for phase, s in seconds.items())
    weight = f" of weight {data['weight']:.6g}" if "weight" in data else ""
    console.print(f"[bold]{data['samples']} samples{weight}, {data['variables']} variables[/bold]")
    for line in understood_lines(data):
        console.print(escape(line))
    console.print(f"method    {about['method']} ({escape(options)})")
    if known := about.get("known"):
        facts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known.items())
        console.print(f"known     {facts}")
    if imputed := about.get("imputation"):
        sets = f"{imputed['sets']} completed data sets, seed {imputed['seed']}"
        console.print(f"imputed   {imputed['missing']} missing values in {sets}")
    console.print(
        f"edges     {graph.n_edges}; degree {degree.mean():.2f} on average, "
        f"{degree.max()} at most, {(degree == 0).sum()} variables without an edge"
    )
    console.print(f"seconds   {sum(seconds.values()):.3g} ({phases})")
    if graph.n_edges:
        console.print()
        console.print(_strongest(graph))


def understood_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """Say how the data were understood, from what a graph's provenance has of them."""
    about = data["understood"]
    read = [f"{about['rows']} rows"] if about["rows"] != data["samples"] else []
    if about["left_out"]:
        columns = [f"{name} ({reason})" for name, reason in about["left_out"].items()]
        read.append(f"left out {listed(columns)}")
    if about["missing"]:
        read.append(f"{about['missing']} missing values")
    if read:
        yield f"read      {'; '.join(read)}"
    if isinstance(data["levels"], list):
        levels = [f"{k} is {level}" for k, level in enumerate(data["levels"])]
        yield f"values    {_first_few(levels, LEVELS_SHOWN)}"
        return
    kinds = (
        f"{number} {'' if kind in ('binary', 'constant') else 'of '}{kind}"
        for kind, number in about["kinds"].items()
    )
    yield f"columns   {', '.join(kinds)}"
    for name, own in list(data["levels"].items())[:COLUMNS_SHOWN]:
        more = f" ({len(own)})" if len(own) > LEVELS_SHOWN else ""
        yield f"          {name}: {_first_few([str(level) for level in own], LEVELS_SHOWN)}{more}"
    if len(data["levels"]) > COLUMNS_SHOWN:
        yield f"          and {len(data['levels']) - COLUMNS_SHOWN} more"


def _first_few(items: list[str], shown: int) -> str:
    return ", ".join(items[:shown] + (["..."] if len(items) > shown else []))


def _strongest(graph: Graph) -> Table:
    """Return the table of the edges with the most evidence."""
    from rich.markup import escape
    from rich.table import Table

    from markhood.graph.edge_table import has_sign

    table = Table(title="Strongest edges", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("source", "target"):
        table.add_column(heading)
    for heading in ("evidence", "coupling", *graph.annotations):
        table.add_column(heading.replace("_", " "), justify="right")
    names, signed = graph.edge_names(), has_sign(graph)
    for k in graph.strongest(STRONGEST_SHOWN):
        table.add_row(
            *map(escape, names[k]),
            f"{graph.evidence[k]:.2f}",
            format(graph.coupling[k], "+.2f" if signed[k] else ".2f"),
            *(f"{numbers[k]:.3g}" for numbers in graph.annotations.values()),
        )
    return table


def words(text: str) -> list[str]:
    """Return the words of a list with commas."""
    return [word for word in text.split(",") if word]


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the numbers of a list with commas."""
    try:
        return [int(number) for number in words(text)]
    except ValueError:
        raise InputError(f"{option} must be whole numbers with commas, not {text!r}.") from None


def check_outputs(outputs: list[str], report: Path | None = None) -> None:
    """Refuse what could not be written, before the work rather than after it."""
    if report is not None:
        from markhood.output.report.page import check_report_writable

        check_report_writable(report)
    from markhood.output.graphs.files import check_writable

    for output in outputs:
        if output != "-":
            check_writable(output)


def write_graphs(graph: Graph, outputs: list[str]) -> None:
    """Write a graph to files, and to standard output for a dash."""
    from markhood.output.graphs.files import write_csv, write_graph

    for output in outputs:
        if output == "-":
            write_csv(graph, sys.stdout)
        else:
            write_graph(graph, output)
            typer.echo(f"Wrote {output}", err="-" in outputs)
