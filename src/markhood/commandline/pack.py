"""`markhood pack`: convert a data file into a packed folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import AskReading
from markhood.commandline.terminal import say


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
