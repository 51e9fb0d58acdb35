"""`markhood checklist`: what to report about a network, filled in from a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.terminal import announce, check_outputs, console_for


def checklist(
    graph: Annotated[Path, typer.Argument(help="A graph that markhood learned.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the checklist: .md, or .csv for a table."),
    ] = None,
) -> None:
    """List what to report about a network: known facts, and what the author must write.

    The items follow the reporting standards for psychological networks (Burger et al., 2023).

    [bold]Examples[/bold]

      markhood checklist symptoms.json

      markhood checklist symptoms.json -o checklist.md
    """
    from markhood.output.checklist import as_markdown
    from markhood.output.csv_tables import write_table
    from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all
    from markhood.output.graphs.files import read_graph

    if output is not None:
        checked_suffix(output, [".md", ".csv"])
        check_writable_file(output)
    check_outputs([], inputs=[graph], others=[output])
    items = read_graph(graph).checklist()
    if output is None:
        console_for([]).print(as_markdown(items))
    elif output.suffix.lower() == ".csv":
        write_table([item._asdict() for item in items], output)
    else:
        replace_all({output: as_markdown(items).encode()})
    if output is not None:
        announce(f"Wrote {output}")
