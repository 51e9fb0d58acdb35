"""`markhood compare-groups`: whether two groups have the same network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.bootstrap import write_rows
from markhood.commandline.options import Ask
from markhood.commandline.terminal import check_outputs, console_for, progress_bar, say
from markhood.errors import InputError, printable

if TYPE_CHECKING:
    from rich.console import Console

    from markhood.stability.groups import GroupComparison

SHOWN = 10


def compare_groups(
    a: Annotated[Path, typer.Argument(metavar="A", help="Data of one group, or of both.")],
    ask: Ask,
    b: Annotated[
        Path | None, typer.Argument(metavar="[B]", help="Data of the other group.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column that tells the groups, of one table."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the test of every edge: .csv.")
    ] = None,
    fields: Annotated[
        Path | None, typer.Option(help="Write the test of every variable's field: .csv.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw both networks side by side: .png, .svg or .pdf."),
    ] = None,
    permutations: Annotated[int, typer.Option(help="How often labels are shuffled.")] = 1000,
    relearn: Annotated[
        bool,
        typer.Option(
            help="Learn both graphs anew each time; else one graph of both groups together is kept."
        ),
    ] = True,
) -> None:
    """Test whether two groups have the same network: structure, strength, every edge and field.

    [bold]Examples[/bold]

      markhood compare-groups women.csv men.csv -o edges.csv --plot two.png

      markhood compare-groups survey.csv --by sex --columns 'Q*' --fields fields.csv

      markhood compare-groups survey.csv --by country --no-relearn
    """
    from markhood.output.tables import check_table_writable, write_table
    from markhood.stability.groups import Groups, compare
    from markhood.stability.labels import read_with_labels

    if (b is None) == (by is None):
        raise InputError("Two groups are two files, or one with --by: give one of the two.")
    for path in (output, fields):
        if path is not None:
            check_table_writable(path)
    if plot is not None:
        from markhood.output.pictures.figures import check_figure_writable

        check_figure_writable(plot)
    check_outputs(
        [],
        inputs=[a, b, *ask.files()],
        others=[path for path in (output, fields, plot) if path is not None],
    )
    with progress_bar() as progress:
        request = ask(progress)
        if b is not None:
            groups = Groups.of(request.read(a), request.read(b), (a.stem, b.stem))
        else:
            samples, labels = read_with_labels(request, a, {"by": by})
            groups = Groups.by(samples, labels["by"] or [])
        found = compare(request, groups, permutations, relearn)
    for place, rows in ((output, found.edge_rows), (fields, found.field_rows)):
        if place is not None:
            write_rows(rows(), place, write_table)
    if plot is not None:
        from markhood.output.pictures.figures import write_figure
        from markhood.output.pictures.groups import group_networks

        write_figure(group_networks(found)[0], plot)
        say(f"Wrote {plot}")
    _print(found, console_for([]))


def _print(found: GroupComparison, console: Console) -> None:
    """Say what differs."""
    (one, other), (first, second) = found.names, found.graphs
    console.print(
        printable(f"{one}: {found.sizes[0]} samples, {first.n_edges} edges; "
                  f"{other}: {found.sizes[1]} samples, {second.n_edges} edges"),
        style="bold",
    )  # fmt: skip
    console.print(
        f"structure largest difference of a coupling {found.structure:.3g}, p = {found.p_structure:.3g}"
    )
    console.print(
        f"strength  difference of the sums of couplings {found.strength:+.3g}, p = {found.p_strength:.3g}"
    )
    rows = [row for row in found.edge_rows() if row["p_value"] < 0.05][:SHOWN]
    fields = sum(row["p_adjusted"] < 0.05 for row in found.field_rows())
    console.print(f"fields    {fields} differ (adjusted p < 0.05)")
    if rows:
        console.print()
        console.print(_moderated(rows))


def _moderated(rows: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    title = "Edges that differ (p < 0.05; adjusted for their number in the last column)"
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for k, heading in enumerate(rows[0]):
        table.add_column(printable(heading.replace("_", " ")), justify="left" if k < 2 else "right")
    for row in rows:
        values = list(row.values())
        table.add_row(*map(printable, values[:2]), *(f"{value:.3g}" for value in values[2:]))
    return table
