"""`markhood app`: analyse a table in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from markhood.commandline.terminal import say


def app(
    port: Annotated[
        int | None,
        typer.Option(
            help="Port of the address on this machine; 0 for any.", show_default="8765 or the next"
        ),
    ] = None,
    browser: Annotated[
        bool,
        typer.Option(" /--no-browser", help="Only print the address, without opening the browser."),
    ] = True,
) -> None:
    """Analyse a table in your browser, without programming.

    The page is served by this machine for this machine only; no data are sent anywhere. Ctrl-C ends
    it and removes the uploaded files.

    [bold]Examples[/bold]

      markhood app

      markhood app --no-browser --port 9000
    """
    from markhood.app.start import serve

    serve(port, browser, say)
