"""`markhood compare`: learned graphs against the true one, or against each other.

A graph that says how it was learned is no truth. Where the first is one, edges are not right or wrong but
shared, or only in one of the two.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.terminal import check_outputs, console_for, say
from markhood.errors import printable

if TYPE_CHECKING:
    from rich.table import Table


def compare(
    truth: Annotated[
        Path, typer.Argument(help="The true graph; or a learned one, which is then no truth.")
    ],
    learned: Annotated[list[Path], typer.Argument(help="Learned graphs.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table as CSV.")
    ] = None,
) -> None:
    """Compare learned graphs with the true one: wrong edges, Hamming distance, precision, recall.

    Where the first graph was itself learned nothing is right or wrong: what is said is how many edges are shared, only
    in the first, or only in the other. Graphs are matched by the names of their nodes. Any format that
    markhood writes will do. A Stockholm file, wherever it stands, is the truth by its consensus structure: graphs of its alignment are
    compared with its base pairs, as far as both columns are nodes.

    [bold]Examples[/bold]

      markhood compare truth.graphml learned.graphml

      markhood compare truth.csv plrhc.csv hc.csv -o comparison.csv

      markhood compare graph.json family.sto
    """
    from markhood.data.genome.sequences import is_stockholm
    from markhood.evaluate.measures import comparison_table, overlap_table
    from markhood.output.graphs.files import read_graph
    from markhood.output.tables import check_table_writable

    if output is not None:
        check_table_writable(output)
        check_outputs([], inputs=[truth, *learned], others=[output])
    if structures := [path for path in (truth, *learned) if is_stockholm(path)]:
        rows = _with_structure(structures, [p for p in (truth, *learned) if p not in structures])
        _show(rows, output)
        return
    graphs = {str(path): read_graph(path) for path in learned}
    first = read_graph(truth)
    is_learned = "method" in first.provenance
    rows = overlap_table(first, graphs) if is_learned else comparison_table(first, graphs)
    if is_learned:
        say(f"{truth} was learned itself, so edges are shared or only in one of two graphs.")
    _show(rows, output)


def _with_structure(structures: list[Path], learned: list[Path]) -> list[dict[str, Any]]:
    """Compare learned graphs of an alignment with the base pairs of its consensus structure."""
    from markhood.data.genome.sequences import read_structure
    from markhood.errors import InputError
    from markhood.evaluate.measures import comparison_table
    from markhood.evaluate.structures import base_pairs_among
    from markhood.output.graphs.files import read_graph

    if len(structures) > 1 or not learned:
        raise InputError(
            "A structure is compared with graphs: give one Stockholm file, and graphs of its alignment."
        )
    structure, rows = read_structure(structures[0]), []
    for path in learned:
        graph = read_graph(path)
        truth = base_pairs_among(structure.pairs, graph.nodes)
        rows += comparison_table(truth, {str(path): graph})
        say(
            f"Of the {len(structure.pairs)} base pairs of {structures[0]}, {truth.n_edges} have both columns "
            f"among the {len(graph.nodes)} nodes of {path}."
        )
    return rows


def _show(rows: list[dict[str, Any]], output: Path | None) -> None:
    """Print a comparison, and write it where asked."""
    from markhood.output.tables import write_table

    console = console_for([])
    table = _as_table(rows)
    as_wide_as_it_likes = console.options.update_width(10_000)
    fits = console.measure(table, options=as_wide_as_it_likes).maximum <= console.width
    console.print(table if fits else _as_lists(rows), soft_wrap=True)
    if output is not None:
        write_table(rows, output)
        say(f"Wrote {output}")


def _as_table(rows: list[dict[str, Any]]) -> Table:
    """Return a table with a row for each graph."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in rows[0]:
        table.add_column(
            heading.replace("_", "\n"),
            justify="left" if heading in ("method", "graph") else "right",
            no_wrap=True,
        )
    for row in rows:
        table.add_row(*map(_shown, row.values()))
    return table


def _as_lists(rows: list[dict[str, Any]]) -> str:
    """Return the same one below the other, for a terminal that the table is too wide for."""
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
