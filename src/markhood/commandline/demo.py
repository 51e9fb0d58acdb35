"""`markhood demo`: the pixel network of handwritten digits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.summary import print_summary
from markhood.commandline.terminal import check_outputs, console_for, progress_bar, write_graphs


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the graph.")
    ] = Path("digits.graphml"),
) -> None:
    """Learn which pixels of handwritten digits depend on each other, and draw the answer.

    [bold]Examples[/bold]

      markhood demo

      markhood demo --output digits.json
    """
    from markhood.data.formats.digits import SIDE, digits
    from markhood.learning.methods import Plrhc
    from markhood.learning.request import Request
    from markhood.output.pictures.text_pictures import draw_grid

    check_outputs([str(output)])
    console = console_for([])
    with progress_bar() as progress:
        graph = Request(Plrhc(), progress=progress).learn(digits()).graph
    write_graphs(graph, [str(output)])
    print_summary(graph, console)
    rows, columns = graph.edges // SIDE, graph.edges % SIDE
    apart = abs(rows[:, 0] - rows[:, 1]).clip(abs(columns[:, 0] - columns[:, 1]))
    touching = int((apart == 1).sum())
    console.print(
        f"\nThe 8 x 8 pixels, with the {touching} of {graph.n_edges} edges that join "
        "pixels that touch:\n"
    )
    console.print(draw_grid(graph, SIDE), highlight=False)
