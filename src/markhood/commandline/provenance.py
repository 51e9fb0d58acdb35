"""Commands on a learned graph: `markhood reproduction`, `markhood rerun`, `markhood checklist`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import EscapeFormulas, Outputs
from markhood.commandline.summary import print_summary
from markhood.commandline.terminal import (
    announce,
    check_outputs,
    console_for,
    progress_bar,
    write_graphs,
)


def reproduction(
    graph: Annotated[Path, typer.Argument(help="A graph that markhood learned.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    data: Annotated[
        Path | None,
        typer.Option(help="The data file that the graph was learned from, to be copied."),
    ] = None,
) -> None:
    """Write a folder with a script that learns a graph again and compares every number.

    [bold]Examples[/bold]

      markhood reproduction symptoms.json supplement

      markhood reproduction symptoms.json supplement --data symptoms.csv
    """
    from markhood.output.graphs.files import read_graph

    read_graph(graph).export_reproduction(folder, data)
    announce(f"Wrote {folder}")


def rerun(
    graph: Annotated[Path, typer.Argument(help="A graph that markhood learned.")],
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    output: Outputs = None,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Learn again with the options that a graph was learned with.

    A warning is printed if the data are not those of the graph.

    [bold]Examples[/bold]

      markhood rerun symptoms.json symptoms.csv

      markhood rerun symptoms.json follow-up.csv --output follow-up.json
    """
    from markhood.learning.learn import repeated, warn_of_other_data
    from markhood.output.graphs.files import read_graph

    outputs = output or []
    check_outputs(outputs, inputs=[graph, data])
    before = read_graph(graph)
    with progress_bar() as progress, repeated(before, {"progress": progress}) as request:
        again = request.learn(request.read(data)).graph
    warn_of_other_data(before, again)
    write_graphs(again, outputs, escape_formulas)
    print_summary(again, console_for(outputs))


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
