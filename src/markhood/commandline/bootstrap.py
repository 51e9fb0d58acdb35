"""`markhood bootstrap`: which edges would come out again, and between which bounds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.options import Ask
from markhood.commandline.terminal import check_outputs, console_for, progress_bar, say
from markhood.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from markhood.stability.bootstrap import Bootstrap

SHOWN = 12


def bootstrap(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write all edges, with frequencies and intervals: .csv."
        ),
    ] = None,
    centrality: Annotated[
        Path | None, typer.Option(help="Write the centrality of every variable: .csv.")
    ] = None,
    differences: Annotated[
        Path | None, typer.Option(help="Write whether every two edges differ: .csv.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the edges with their intervals: .png, .svg or .pdf."),
    ] = None,
    replicates: Annotated[int, typer.Option(help="How many data sets are drawn.")] = 1000,
    resample: Annotated[
        str,
        typer.Option(
            help="rows (with replacement), halves (a bound on false edges), cases (stability of "
            "centralities) or model (samples of the learned one)."
        ),
    ] = "rows",
    clusters: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Draw rows of one value together.")
    ] = None,
    strata: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Draw within the rows of each value.")
    ] = None,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
) -> None:
    """Learn from many data sets drawn from a table, to see which edges would come out again.

    Couplings in the tables are under a weak prior, and finite. With --checkpoint a run that was stopped goes on
    where it was. The results are the same on any number of threads.

    [bold]Examples[/bold]

      markhood bootstrap symptoms.csv --replicates 1000 --output edges.csv

      markhood bootstrap symptoms.csv --resample halves --output stable.csv

      markhood bootstrap symptoms.csv --resample cases --centrality centrality.csv

      markhood bootstrap pupils.csv --clusters school --checkpoint saved
    """
    from markhood.output.tables import check_table_writable, write_table
    from markhood.stability.bootstrap import bootstrap_data

    tables = [path for path in (output, centrality, differences) if path is not None]
    for path in tables:
        check_table_writable(path)
    if plot is not None:
        from markhood.output.pictures.figures import check_figure_writable

        check_figure_writable(plot)
    check_outputs(
        [],
        inputs=[data, *ask.files()],
        others=[*tables, *([plot] if plot else [])],
    )
    with progress_bar() as progress:
        labels = {"clusters": clusters, "strata": strata}
        found = bootstrap_data(ask(progress), data, replicates, resample, labels, level=level)
    edges = found.edges()
    for place, rows in ((centrality, found.centrality), (differences, found.differences)):
        if place is not None:
            write_rows(rows(), place, write_table)
    if output is not None:
        write_rows(edges, output, write_table)
    if plot is not None:
        from markhood.output.pictures.figures import write_figure
        from markhood.output.pictures.stability import edge_intervals

        write_figure(edge_intervals(found), plot)
        say(f"Wrote {plot}")
    _print(found, edges, console_for([]))


def write_rows(rows: Sequence[dict[str, Any]], path: Path, write: Any) -> None:
    """Write a table and say so; one without rows is told of instead."""
    if not rows:
        say(f"There is nothing to write to {path}: the table would have no rows.", err=True)
        return
    write(rows, path)
    say(f"Wrote {path}")


def _print(found: Bootstrap, edges: list[dict[str, Any]], console: Console) -> None:
    """Say what came out how often."""
    graph, n = found.graph, found.replicates.n_replicates
    console.print(f"{n} replicates ({found.resample})", style="bold")
    mean = float(found.replicates.shares.sum())
    console.print(f"edges     {graph.n_edges} in the graph, {mean:.1f} in a replicate on average")
    often = int((found.frequency >= 0.9).sum())
    console.print(f"stable    {often} of the graph's edges are in nine of ten replicates")
    if found.resample == "halves":
        console.print(
            f"bound     at most {found.expected_false(0.9):.2g} edges are expected to be so by "
            "chance (Shah and Samworth)"
        )
    if found.resample == "cases":
        for row in found.stability():
            console.print(f"CS        {row['cs']:.2f}  {row['measure'].replace('_', ' ')}")
        return
    if graph.n_edges:
        console.print()
        console.print(_strongest([row for row in edges if row["in_graph"]]))


def _strongest(rows: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    table = Table(title="Strongest edges", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("source", "target"):
        table.add_column(heading)
    for heading in ("frequency", "coupling", "low", "high"):
        table.add_column(heading, justify="right")
    for row in sorted(rows, key=lambda row: -abs(row["coupling"]))[:SHOWN]:
        numbers = (f"{row[name]:+.2f}" for name in ("coupling", "low", "high"))
        ends = (printable(row["source"]), printable(row["target"]))
        table.add_row(*ends, f"{row['frequency']:.2f}", *numbers)
    return table
