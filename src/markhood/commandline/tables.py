"""Commands on a table: `markhood describe` and `markhood pack`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import AskReading
from markhood.commandline.terminal import check_outputs, say


def describe(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: AskReading,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the codebook: .csv, to be edited."),
    ] = None,
) -> None:
    """Show how a table is read: the role, kind and levels of every column, and why.

    [bold]Examples[/bold]

      markhood describe survey.csv

      markhood describe survey.csv -o codebook.csv

      markhood learn survey.csv --codebook codebook.csv
    """
    from markhood.data.describe import codebook_and_samples

    check_outputs([], inputs=[data, *ask.files()], tables=[output])
    book, samples = codebook_and_samples(data, ask.reading())
    for line in str(book).splitlines():
        say(line)
    for finding in samples.account.findings if samples.account else ():
        if finding.severity == "note":
            say(finding.text)
    if output is not None:
        book.write(output)
        say(f"Wrote {output}: edit it and pass it with --codebook {output}")


def pack(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder of Parquet files.")],
    ask: AskReading,
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder.")],
) -> None:
    """Pack data into a folder with one bit per binary value, which opens without being read.

    The file is read in chunks, so it may be larger than the memory. Commands that read data accept
    the folder instead of a file.

    [bold]Examples[/bold]

      markhood pack variants.parquet --output variants

      markhood learn variants --output variants.graphml
    """
    from markhood.data.storage.packing import pack_file

    samples = pack_file(data, output, ask.reading())
    for finding in samples.account.findings if samples.account else ():
        if finding.code == "file-content":
            say(finding.text)
    size = sum(file.stat().st_size for file in output.iterdir())
    say(
        f"Wrote {output}: {samples.n_samples} samples of {samples.n_variables} variables in "
        f"{size / 1e6:.3g} MB"
    )
