"""What all commands share: error messages, progress bar, checks of outputs, and writing graphs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.options import HELP_ALL
from markhood.errors import (
    ConvergenceWarning,
    DataWarning,
    InputError,
    filter_findings,
    on_command_line,
    printable,
    written_by,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from markhood.execution.runner import Runner
    from markhood.graph.graph import Graph

_FILTERS = {
    "ignore": typer.Option(
        help="Codes of warnings to silence, separated by commas.",
        metavar="CODES",
        rich_help_panel="Messages",
    ),
    "fail_on": typer.Option(
        help="Codes of warnings to treat as errors, separated by commas.",
        metavar="CODES",
        rich_help_panel="Messages",
    ),
}
PROGRESS_DELAY = 0.7  # seconds
UNLIMITED = ("seed", "genome_length")  # whole numbers with a limit of their own
_announced: list[tuple[str, bool]] = []  # lines to print when the outputs have been written
_noted: set[str] = set()  # warnings that were printed: a command may learn several times
PLINK = (".bim", ".fam")  # read together with a .bed
NAMES = ("source", "target", "first", "second", "method", "graph")  # columns of text
_NAME_WIDTH = 24
_AS_WIDE_AS_NEEDED = 10_000


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn an `InputError` into a message and exit code 2.

    Signals and errors of the system are handled by `start`.
    """

    @wraps(command)
    def with_guard(*, ignore: str = "", fail_on: str = "", help_all: bool, **given: Any) -> None:
        from markhood.options import check_value
        from markhood.output.file_writing import together

        _announced.clear()
        _noted.clear()
        try:
            with (
                warnings.catch_warnings(),
                written_by(on_command_line),
                filter_findings(ignore=words(ignore), error=words(fail_on)),
            ):
                warnings.showwarning = _print_warning
                for kind in (DataWarning, ConvergenceWarning):
                    warnings.simplefilter("always", kind)
                for name, value in given.items():
                    if type(value) is int and name not in UNLIMITED:
                        check_value(name, value, int)
                with together():
                    command(**given)
                for text, err in _announced:
                    say(text, err)
        except InputError as error:
            say(f"markhood: {error} [{error.code}]", err=True)
            raise typer.Exit(2) from None
        except MemoryError:
            say(
                "markhood: There is not enough memory: use fewer columns or rows. [memory]",
                err=True,
            )
            raise typer.Exit(2) from None

    own = signature(command, eval_str=True).parameters.values()
    shown = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in own]
    shown += [
        Parameter(name, Parameter.KEYWORD_ONLY, default="", annotation=Annotated[str, option])
        for name, option in _FILTERS.items()
    ]
    shown.append(HELP_ALL)
    with_guard.__signature__ = signature(command).replace(parameters=shown)  # type: ignore[attr-defined]
    with_guard.__annotations__ = {p.name: p.annotation for p in shown}
    return with_guard


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    code = getattr(message, "code", None)
    if str(message) in _noted:
        return
    _noted.add(str(message))
    say(f"markhood: note: {message}{f' [{code}]' if code else ''}", err=True)


def announce(text: str, err: bool = False) -> None:
    """Print a line after the outputs of the command have been written."""
    _announced.append((text, err))


def say(text: str, err: bool = False) -> None:
    """Print a line with its control characters escaped."""
    typer.echo(printable(text), err=err)


def console_for(outputs: list[str]) -> Console:
    """Return a console on standard output, or on standard error if the graph is written there.

    Markup is switched off: `[red]` and `:cow:` may be names of variables.
    """
    from rich.console import Console

    return Console(stderr="-" in outputs, soft_wrap=True, markup=False, emoji=False)


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar on a terminal, after a short delay."""
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
        if not bars.console.is_terminal or monotonic() - start < PROGRESS_DELAY:
            return
        bars.start()
        if phase not in tasks:
            tasks[phase] = bars.add_task(phase, total=total)
        bars.update(tasks[phase], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:  # stop() would print an empty line otherwise
            bars.stop()


@contextmanager
def runner_on(
    executor: str | None = None,
    scheduler: str | None = None,
    n_jobs: int = -1,
    kernels: str = "native",
) -> Iterator[Runner]:
    """Open the named executor, with a progress bar."""
    from markhood.execution.executors import executor_named
    from markhood.execution.runner import Runner

    n_gpus = int(kernels == "cuda")
    with (
        executor_named(executor, scheduler, n_jobs, n_gpus) as opened,
        progress_bar() as progress,
    ):
        yield Runner(n_jobs, progress, opened)


def words(text: str) -> list[str]:
    """Split a list at its commas."""
    return [word for word in text.split(",") if word]


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the numbers of a list that is separated by commas."""
    try:
        return [int(number) for number in words(text)]
    except ValueError:
        raise InputError(
            "option-value",
            option.removeprefix("--"),
            f"{option} must be whole numbers separated by commas, not {text!r}.",
        ) from None


def check_outputs(
    outputs: list[str],
    report: Path | None = None,
    inputs: Iterable[str | Path | None] = (),
    others: Iterable[Path | None] = (),
    tables: Iterable[Path | None] = (),
    plot: Path | None = None,
) -> None:
    """Raise `InputError` for an output that cannot be written, or that would replace an input.

    None is skipped everywhere.

    Parameters
    ----------
    outputs : list of str
        Graph files; a dash for standard output.
    inputs : iterable of path
        Files and folders that are read.
    others : iterable of Path
        Further outputs, which were checked to be writable.
    tables, plot
        CSV tables and a figure to write.
    """
    for table in (listed := [table for table in tables if table is not None]):
        from markhood.output.csv_tables import check_table_writable

        check_table_writable(table)
    if plot is not None:
        from markhood.output.pictures.figures import check_figure_writable

        check_figure_writable(plot)
    if report is not None:
        from markhood.output.report.page import check_report_writable

        check_report_writable(report)
    from markhood.output.file_writing import check_distinct
    from markhood.output.graphs.files import check_writable, files_of

    files = [output for output in outputs if output != "-"]
    for output in files:
        check_writable(output)
    written = [*chain.from_iterable(map(files_of, files)), report, *others, *listed, plot]
    check_distinct(
        [path for path in written if path is not None],
        chain.from_iterable(_files_read(Path(p)) for p in inputs if p is not None),
    )


def _files_read(path: Path) -> list[Path]:
    """List the files that are read together with a file, or that a folder contains."""
    siblings = [
        path.parent / f"{path.name}.json",
        *(path.parent / f"{path.stem}{e}" for e in PLINK),
    ]
    try:
        return [path, *siblings, *(path.iterdir() if path.is_dir() else ())]
    except OSError:
        return [path]


def write_tables(*tables: tuple[Path | None, Callable[[], Sequence[Mapping[str, Any]]]]) -> None:
    """Write the rows of each table that has a path; print a note instead where there are none."""
    from markhood.output.csv_tables import write_table

    for path, rows in tables:
        if path is None:
            continue
        if made := rows():
            write_table(made, path)
            announce(f"Wrote {path}")
        else:
            say(f"{path} was not written: the table has no rows.", err=True)


def write_plot(figure: Any, path: Path) -> None:
    """Write a figure, and print its name."""
    from markhood.output.pictures.figures import write_figure

    write_figure(figure, path)
    announce(f"Wrote {path}")


def write_graphs(graph: Graph, outputs: list[str], escape_formulas: bool = False) -> None:
    """Write a graph to files, or to standard output for a dash."""
    from markhood.output.graphs.files import write_csv, write_graph

    for output in outputs:
        if output == "-":
            write_csv(graph, sys.stdout, escape_formulas)
        else:
            write_graph(graph, output, escape_formulas=escape_formulas)
            announce(f"Wrote {output}", err="-" in outputs)


def texts_of(
    rows: Iterable[Mapping[str, Any]], hidden: Collection[str] = ()
) -> list[dict[str, str]]:
    """Return rows as texts, with some columns left out."""
    return [
        {
            name.replace("_", " "): f"{value:.3g}" if isinstance(value, float) else str(value)
            for name, value in row.items()
            if name not in hidden
        }
        for row in rows
    ]


def print_table(rows: Sequence[Mapping[str, str]], console: Console, title: str = "") -> None:
    """Print rows with the same headings; the last columns are left out where they do not fit.

    Long names are shortened. Nothing is printed for no rows.
    """
    for shown in range(len(rows[0]) if rows else 0, 0, -1):
        part = [dict(list(row.items())[:shown]) for row in rows]
        table = as_table(part, title, name_width=_NAME_WIDTH)
        if shown == 1 or fits(table, console):
            console.print(table)
            return


def as_table(
    rows: Sequence[Mapping[str, str]], title: str = "", name_width: int | None = None
) -> Table:
    """Return rows with the same headings as a table; headings may have several lines."""
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in rows[0]:
        if heading in NAMES:
            table.add_column(heading, no_wrap=True, max_width=name_width)
        else:
            lines = "\n".join(map(printable, heading.split("\n")))
            table.add_column(lines, no_wrap=True, justify="right")
    for row in rows:
        table.add_row(*map(printable, row.values()))
    return table


def fits(table: Table, console: Console) -> bool:
    """Return whether a table is not wider than the terminal."""
    unlimited = console.options.update_width(_AS_WIDE_AS_NEEDED)
    return console.measure(table, options=unlimited).maximum <= console.width
