"""`markhood check`: whether a pairwise network fits the data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.options import AskReading
from markhood.commandline.terminal import check_outputs, console_for, write_tables
from markhood.commandline.text_tables import print_table, texts_of

ROWS_SHOWN = 5
HIDDEN = ("triangle", "error", "p_value")  # in the tables on the terminal


def check(
    model: Annotated[Path, typer.Argument(help="A graph or a model that markhood wrote.")],
    data: Annotated[Path, typer.Argument(help="The data file that it was learned from.")],
    ask: AskReading,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the test of every triple of variables: .csv."),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="Write observed and expected covariances of all pairs: .csv."),
    ] = None,
    triples: Annotated[
        Path | None,
        typer.Option(help="Write observed and expected third moments: .csv."),
    ] = None,
    sum_scores: Annotated[
        Path | None,
        typer.Option(help="Write the observed and expected distribution of the sum score: .csv."),
    ] = None,
    replicates: Annotated[
        int, typer.Option(help="Number of samples of the model to compare the data with.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Check whether a pairwise network fits the data, and find interactions of three variables.

    [bold]Examples[/bold]

      markhood check symptoms.json symptoms.csv

      markhood check model.json symptoms.csv -o third-order.csv --pairs pairs.csv
    """
    from markhood.data.given import as_samples
    from markhood.model.checking.check import check_model
    from markhood.output.graphs.files import read_graph
    from markhood.output.model_files import holds_model, read_model

    tables = (output, pairs, triples, sum_scores)
    check_outputs([], inputs=[model, data, *ask.files()], tables=tables)
    read: Any = read_model(model) if holds_model(model) else read_graph(model)
    names = read.variables.names
    samples = as_samples(data, ask.reading(columns=names)) if ask.given else data
    found = check_model(read, samples, replicates=replicates, seed=seed)
    made = (found.third_order_rows, found.pair_rows, found.triple_rows, found.sum_score_rows)
    write_tables(*zip(tables, made, strict=True))
    console = console_for([])
    for text in found.findings():
        console.print(text)
    for title, listed in (
        ("Third-order interactions", found.third_order_rows()),
        ("Pairs that deviate most", found.pair_rows()),
    ):
        if listed:
            print_table(texts_of(listed[:ROWS_SHOWN], HIDDEN), console, title)
