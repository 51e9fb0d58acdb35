"""`markhood datasets`: small data sets to try markhood on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.terminal import announce
from markhood.errors import InputError


def datasets(
    name: Annotated[
        str | None, typer.Argument(help="Data set to describe; all of them without a name.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the data set to this .csv file.")
    ] = None,
) -> None:
    """List the data sets that come with markhood, or write one to a file.

    [bold]Examples[/bold]

      markhood datasets

      markhood datasets votes -o votes.csv

      markhood learn votes.csv --missing impute
    """
    from markhood.datasets.catalogue import available, csv_text, describe
    from markhood.output.csv_tables import check_table_writable
    from markhood.output.file_writing import replace_all

    if output is None:
        for dataset in [describe(name)] if name else available():
            typer.echo(
                f"{dataset.name}: {dataset.title}\n"
                f"  {dataset.n_samples} samples, {dataset.n_variables} variables\n"
                f"  good for   {dataset.purpose}\n"
                f"  source     {dataset.source}\n"
                f"  licence    {dataset.licence}"
            )
        return
    if not name:
        text = "Name the data set to write, for example: markhood datasets votes -o votes.csv."
        raise InputError("option-needed", "name", text)
    dataset = describe(name)
    check_table_writable(output)
    replace_all({output: csv_text(dataset).encode()})
    announce(f"Wrote {output}: {dataset.n_samples} samples of {dataset.n_variables} variables")
