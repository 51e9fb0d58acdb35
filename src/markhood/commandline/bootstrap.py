"""`markhood bootstrap`: the stability of edges, with intervals of their couplings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.options import Ask, Study
from markhood.commandline.pages import Labels, ReportFile, Title, write_report_page
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    print_table,
    progress_bar,
    write_plot,
    write_tables,
)

if TYPE_CHECKING:
    from rich.console import Console

    from markhood.stability.bootstrap import Bootstrap

EDGES_SHOWN = 12


def bootstrap(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    study: Annotated[Any, Study("BootstrapOptions")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write all edges, with frequencies and intervals: .csv."
        ),
    ] = None,
    centrality: Annotated[
        Path | None, typer.Option(help="Write the centralities of every variable: .csv.")
    ] = None,
    differences: Annotated[
        Path | None,
        typer.Option(help="Write the test of every pair of edges for a difference: .csv."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the edges with their intervals: .png, .svg or .pdf."),
    ] = None,
    report: ReportFile = None,
    title: Title = None,
    labels: Labels = None,
) -> None:
    """Learn from many resampled data sets, to see which edges are stable.

    Couplings in the tables are estimated with a weak prior and are finite. With --checkpoint, a run
    that was stopped continues. The results do not depend on the number of threads.

    [bold]Examples[/bold]

      markhood bootstrap symptoms.csv --replicates 1000 --output edges.csv

      markhood bootstrap symptoms.csv --resample halves --output stable.csv

      markhood bootstrap symptoms.csv --resample cases --centrality centrality.csv

      markhood bootstrap pupils.csv --clusters school --checkpoint saved
    """
    from markhood.stability.bootstrap import bootstrap_data

    inputs, tables = [data, labels, *ask.files()], (output, centrality, differences)
    check_outputs([], report, inputs, tables=tables, plot=plot)
    with progress_bar() as progress:
        request = ask(progress)
        found = bootstrap_data(request, data, study)
    edges = found.edges()
    made = (lambda: edges, found.centrality, found.differences)
    write_tables(*zip(tables, made, strict=True))
    if plot is not None:
        from markhood.output.pictures.stability import edge_intervals

        write_plot(edge_intervals(found), plot)
    if report is not None:
        samples = request.read(data)
        name = title or data.name
        write_report_page(found.graph, report, samples, name, bootstrap=found, labels=labels)
    _print(found, edges, console_for([]))


def _print(found: Bootstrap, edges: list[dict[str, Any]], console: Console) -> None:
    """Print how often the edges of the graph are in the replicates."""
    graph, n = found.graph, found.replicates.n_replicates
    console.print(f"{n} replicates ({found.resample})", style="bold")
    mean = float(found.replicates.shares.sum())
    console.print(f"edges     {graph.n_edges} in the graph, {mean:.1f} in a replicate on average")
    often = int((found.frequency >= 0.9).sum())
    console.print(f"stable    {often} of the graph's edges are in at least 90 % of the replicates")
    if found.resample == "halves":
        console.print(
            f"bound     at most {found.expected_false(0.9):.2g} edges are expected to be in 90 % "
            "by chance (Shah and Samworth)"
        )
    if found.resample == "cases":
        for row in found.stability():
            console.print(f"CS        {row['cs']:.2f}  {row['measure'].replace('_', ' ')}")
        return
    if graph.n_edges:
        console.print()
        strongest = sorted(edges, key=lambda row: -abs(row["coupling"]))
        rows = [_as_text(row) for row in strongest if row["in_graph"]][:EDGES_SHOWN]
        print_table(rows, console, "Strongest edges")


def _as_text(row: dict[str, Any]) -> dict[str, str]:
    numbers = {name: f"{row[name]:+.2f}" for name in ("coupling", "low", "high")}
    ends = {"source": row["source"], "target": row["target"]}
    return {**ends, "frequency": f"{row['frequency']:.2f}", **numbers}
