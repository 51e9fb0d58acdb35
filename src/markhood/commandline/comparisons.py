"""`markhood compare-groups`: test whether groups have the same network.

`markhood compare`: compare learned graphs with the true graph, or with each other. A graph whose
provenance names a method was learned. If the first graph was learned, the truth is unknown: edges
are counted as shared, or only in one of the two.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.options import Ask, Study
from markhood.commandline.pages import Labels, ReportFile, Title, write_report_page
from markhood.commandline.terminal import (
    NAMES,
    as_table,
    check_outputs,
    console_for,
    fits,
    print_table,
    progress_bar,
    say,
    write_plot,
    write_tables,
)
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


def compare(
    truth: Annotated[
        Path, typer.Argument(help="The true graph, or a learned graph to compare others with.")
    ],
    learned: Annotated[list[Path], typer.Argument(help="Learned graphs.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table as CSV.")
    ] = None,
) -> None:
    """Compare learned graphs with the true one: wrong edges, Hamming distance, precision, recall.

    If the first graph was itself learned, the table has the numbers of edges that are shared, only
    in the first, or only in the other. Graphs are matched by the names of their nodes, in any
    format that markhood writes. A Stockholm file, in any position, is the truth: graphs of its
    alignment are compared with the base pairs of its consensus structure whose columns are both
    nodes.

    [bold]Examples[/bold]

      markhood compare truth.graphml learned.graphml

      markhood compare truth.csv plrhc.csv hc.csv -o comparison.csv

      markhood compare graph.json family.sto
    """
    from markhood.data.genome.fasta import is_stockholm
    from markhood.evaluate.measures import comparison_table, overlap_table
    from markhood.output.graphs.files import read_graph

    check_outputs([], inputs=[truth, *learned], tables=[output])
    if structures := [path for path in (truth, *learned) if is_stockholm(path)]:
        rows = _with_structure(structures, [p for p in (truth, *learned) if p not in structures])
        _show(rows, output)
        return
    graphs = {str(path): read_graph(path) for path in learned}
    first = read_graph(truth)
    is_learned = "method" in first.provenance
    rows = overlap_table(first, graphs) if is_learned else comparison_table(first, graphs)
    if is_learned:
        say(f"{truth} was learned, so edges are counted as shared or only in one of two graphs.")
    _show(rows, output)


def _with_structure(structures: list[Path], learned: list[Path]) -> list[dict[str, Any]]:
    """Compare learned graphs of an alignment with the base pairs of its consensus structure."""
    from markhood.data.genome.fasta import read_structure
    from markhood.errors import InputError
    from markhood.evaluate.measures import base_pairs_among, comparison_table
    from markhood.output.graphs.files import read_graph

    if len(structures) > 1 or not learned:
        raise InputError(
            "option-needed",
            str(structures[0]),
            "Pass one Stockholm file, and one or more graphs of its alignment.",
        )
    structure, rows = read_structure(structures[0]), []
    for path in learned:
        graph = read_graph(path)
        truth = base_pairs_among(structure.pairs, graph.nodes)
        rows += comparison_table(truth, {str(path): graph})
        say(
            f"Of the {len(structure.pairs)} base pairs of {structures[0]}, {truth.n_edges} have "
            f"both columns among the {len(graph.nodes)} nodes of {path}."
        )
    return rows


def _show(rows: list[dict[str, Any]], output: Path | None) -> None:
    """Print a comparison, and write it to a file if there is one."""
    console = console_for([])
    table = as_table(
        [{name.replace("_", "\n"): _shown(value) for name, value in row.items()} for row in rows]
    )
    console.print(table if fits(table, console) else _as_lists(rows), soft_wrap=True)
    write_tables((output, lambda: rows))


def _as_lists(rows: list[dict[str, Any]]) -> str:
    """Return the measures below each other, where the table is wider than the terminal."""
    width = max(map(len, rows[0]))
    blocks = []
    for row in rows:
        (_, name), *measures = row.items()
        lines = [
            f"  {what.replace('_', ' '):<{width}}  {_shown(value):>6}" for what, value in measures
        ]
        blocks.append("\n".join([_shown(name), *lines]))
    return "\n".join(blocks)


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else printable(value)
