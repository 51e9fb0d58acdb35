"""`markhood compare-groups`: test whether groups have the same network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.options import Ask, Study
from markhood.commandline.pages import Labels, ReportFile, Title, write_report_page
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    progress_bar,
    write_plot,
    write_tables,
)
from markhood.commandline.text_tables import NAMES, print_table
from markhood.errors import printable

if TYPE_CHECKING:
    from rich.console import Console

    from markhood.stability.comparison import GroupComparison

LEVEL = 0.05
EDGES_SHOWN = 10


def compare_groups(
    tables: Annotated[
        list[Path], typer.Argument(help="A data file for each group, or one for all groups.")
    ],
    ask: Ask,
    study: Annotated[Any, Study("GroupOptions")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the test of every coupling: .csv.")
    ] = None,
    fields: Annotated[
        Path | None, typer.Option(help="Write the test of every variable's field: .csv.")
    ] = None,
    centrality: Annotated[
        Path | None, typer.Option(help="Write the test of every variable's centralities: .csv.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw all networks side by side: .png, .svg or .pdf."),
    ] = None,
    report: ReportFile = None,
    title: Title = None,
    labels: Labels = None,
) -> None:
    """Test whether groups have the same network: structure, strength, edges, fields, centralities.

    [bold]Examples[/bold]

      markhood compare-groups women.csv men.csv -o edges.csv --plot two.png

      markhood compare-groups survey.csv --by country --columns 'Q*' -o edges.csv

      markhood compare-groups visits.csv --by visit --pairs person
    """
    from markhood.stability.grouped import read_groups
    from markhood.stability.groups import compare

    inputs = [*tables, labels, *ask.files()]
    check_outputs([], report, inputs, tables=(output, fields, centrality), plot=plot)
    with progress_bar() as progress:
        request = ask(progress)
        stems = [path.stem for path in tables]
        names = stems if len(set(stems)) == len(stems) else list(map(str, tables))
        both = [(request, path) for path in tables]
        found = compare(request, read_groups(both, names, study.by, study.pairs), study)
    write_tables(
        (output, found.edge_rows),
        (fields, found.field_rows),
        (centrality, found.centrality_rows),
    )
    if plot is not None:
        from markhood.output.pictures.groups import group_networks

        write_plot(group_networks(found)[0], plot)
    if report is not None:
        if study.by is not None and all(name.isdecimal() for name in found.names):
            labelled = tuple(f"{study.by} {name}" for name in found.names)
            found = replace(found, names=labelled)
        groups = request.knowledge.groups
        write_report_page(found, report, None, title, labels=labels, groups=groups)
    _print(found, console_for([]))


def _print(found: GroupComparison, console: Console) -> None:
    """Print which groups differ, and where."""
    groups = zip(found.names, found.sizes, found.graphs, strict=True)
    console.print(
        printable("; ".join(f"{g}: {n} samples, {graph.n_edges} edges" for g, n, graph in groups)),
        style="bold",
    )
    console.print(
        f"structure largest difference between couplings {found.structure:.3g}, "
        f"p = {found.p_structure:.3g}"
    )
    console.print(
        f"strength  difference between the sums of couplings {found.strength:+.3g}, "
        f"p = {found.p_strength:.3g}"
    )
    for name, rows in (("fields", found.field_rows()), ("centrality", found.centrality_rows())):
        n = sum(row["p_adjusted"] < LEVEL for row in rows)
        console.print(f"{name:<9} {n} of {len(rows)} differ (adjusted p < {LEVEL})")
    if len(found.names) > 2:
        console.print()
        print_table(_as_text(found.pair_rows()), console, "Pairs of groups")
    differing = [row for row in found.edge_rows() if row["p_adjusted"] < LEVEL]
    title = f"Couplings that differ (adjusted p < {LEVEL})"
    console.print()
    print_table(_as_text(differing[:EDGES_SHOWN]), console, title)
    if not differing:
        console.print(f"{title}: none")
    if len(differing) > EDGES_SHOWN:
        console.print(f"and {len(differing) - EDGES_SHOWN} more")


def _as_text(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return rows as text, with the couplings of the groups last, because they may not fit."""
    texts = []
    for row in rows:
        text = {
            printable(name.replace("_", " ")): str(value) if name in NAMES else f"{value:.3g}"
            for name, value in row.items()
        }
        texts.append(dict(sorted(text.items(), key=lambda item: item[0].startswith("coupling "))))
    return texts
