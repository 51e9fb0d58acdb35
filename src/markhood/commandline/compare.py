"""`markhood compare`: compare learned graphs with the true graph, or with each other.

A graph whose provenance names a method was learned. Where the first graph was learned, there is no
truth: edges are counted as shared, or only in one of the two.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.terminal import check_outputs, console_for, say, write_tables
from markhood.commandline.text_tables import as_table, fits
from markhood.errors import printable


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
    from markhood.data.genome.sequences import is_stockholm
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
    from markhood.data.genome.sequences import read_structure
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
