"""`markhood reproduction`: a folder with everything that is needed to learn a graph again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.terminal import announce


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
