"""Start the server on this machine, and open its page in the browser.

The server listens on the loopback address only. Its files are in a temporary folder that is locked
while it runs (`drafts`), so that the next start removes the folder of a server that was killed.
"""

from __future__ import annotations

import secrets
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from markhood.drafts import draft_beside
from markhood.errors import InputError

HOST = "127.0.0.1"
PORT = 8765  # and the next ones, where it is in use
PORTS_TRIED = 20
SECONDS_TO_END = 2


def serve(
    port: int | None = None,
    browser: bool = True,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the page until the process is interrupted, or the user ends it from the page.

    Parameters
    ----------
    port : int, optional
        0 for any free port. By default 8765 or one of the next ports.

    Raises
    ------
    InputError
        If the port is in use, or the server is not installed.
    """
    try:
        import uvicorn

        from markhood.app.jobs import Workspace
        from markhood.app.server import create_app
    except ImportError as error:
        raise InputError(
            "library-missing",
            "starlette",
            f"markhood app needs {error.name}: pip install 'markhood[app]'.",
        ) from error

    with (
        bound(port) as listening,
        draft_beside(Path(tempfile.gettempdir()) / "app", folder=True) as own,
    ):
        own.chmod(0o700)
        number, token = listening.getsockname()[1], secrets.token_urlsafe(24)
        hosts = (f"{HOST}:{number}", f"localhost:{number}")

        def end() -> None:
            server.should_exit = True

        app = create_app(Workspace(own), token, hosts, on_quit=end)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=SECONDS_TO_END,
        )
        server = uvicorn.Server(config)
        address = f"http://{HOST}:{number}/{token}/"
        # From here on a signal ends the server. Raised as KeyboardInterrupt while asyncio makes its
        # loop, it would leave half of one.
        with server.capture_signals():
            announce(f"markhood runs in your browser at {address}")
            announce("Your data stay on this computer. Press Ctrl-C here to end.")
            sys.stdout.flush()
            if browser:
                threading.Timer(0.2, webbrowser.open, [address]).start()
            server.run(sockets=[listening])


def bound(port: int | None) -> socket.socket:
    """Return a socket that listens on a port of the loopback address."""
    tried = [port] if port is not None else [*range(PORT, PORT + PORTS_TRIED), 0]
    for number in tried:
        listening = socket.socket()
        if sys.platform != "win32":  # where this would share the port of another process
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, number))
            listening.listen(128)
        except (OSError, OverflowError):
            listening.close()
            continue
        return listening
    raise InputError(
        "option-value",
        "port",
        f"Port {port} cannot be used: it is in use or not allowed. Choose another --port, or leave "
        "it out.",
    )
