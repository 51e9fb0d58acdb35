"""What the command line does with a terminal: one sentence for an error, a bar, a summary.

Here too are the options that say where work runs, which several commands share.
"""

from __future__ import annotations

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

    from markhood.data.samples import Samples
    from markhood.execution.runner import Runner
    from markhood.graph.graph import Graph
    from markhood.kernels.protocol import Kernels
    from markhood.methods import Method

A_MOMENT = 0.7  # seconds; shorter work shows no progress bar
STRONGEST_SHOWN = 8
LEVELS_SHOWN = 8

Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all.")]
KernelsName = Annotated[
    str,
    typer.Option("--kernels", help="Where pairs are screened: native, or cuda for an NVIDIA GPU."),
]
ExecutorName = Annotated[
    str | None,
    typer.Option("--executor", help="What runs the work: threads, or a cluster of dask or ray."),
]
SchedulerAddress = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Of the cluster: tcp://host:8786, say."),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Save finished work there; after a kill the same command goes on from it.",
    ),
]

DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only say how long it will take, and how much memory."),
]


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn unusable input into one sentence and exit code 2, and Ctrl-C into 130."""

    @wraps(command)
    def with_guard(*args: Any, **kwargs: Any) -> None:
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
    from markhood.data.memory import available_memory, readable
    from markhood.forecast import forecast

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
    from rich.table import Table

    about = graph.provenance
    data, seconds = about["data"], about["seconds"]
    degree = graph.degree
    options = ", ".join(f"{name} {value}" for name, value in about["parameters"].items())
    phases = ", ".join(f"{phase} {s:.3g}" for phase, s in seconds.items())
    console.print(f"[bold]{data['samples']} samples, {data['variables']} variables[/bold]")
    if isinstance(data["levels"], list):
        levels = [f"{k} is {escape(str(level))}" for k, level in enumerate(data["levels"])]
        more = ["..."] if len(levels) > LEVELS_SHOWN else []
        console.print(f"values    {', '.join(levels[:LEVELS_SHOWN] + more)}")
    console.print(f"method    {about['method']} ({escape(options)})")
    if known := about.get("known"):
        facts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known.items())
        console.print(f"known     {facts}")
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
