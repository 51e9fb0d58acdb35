"""`markhood rerun`: repeat the analysis that led to a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import EscapeFormulas, Outputs
from markhood.commandline.summary import print_summary
from markhood.commandline.terminal import check_outputs, console_for, progress_bar, write_graphs


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
    from markhood.learning.again import repeated, warn_of_other_data
    from markhood.output.graphs.files import read_graph

    outputs = output or []
    check_outputs(outputs, inputs=[graph, data])
    before = read_graph(graph)
    with progress_bar() as progress, repeated(before, {"progress": progress}) as request:
        again = request.learn(request.read(data)).graph
    warn_of_other_data(before, again)
    write_graphs(again, outputs, escape_formulas)
    print_summary(again, console_for(outputs))
