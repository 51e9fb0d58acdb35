"""`markhood describe`: the role, kind and levels of every column of a table."""

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
