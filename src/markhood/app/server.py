"""The server of the page: it accepts requests of this page only, and starts jobs.

Every address begins with a random token, so that only the browser that was given the address can
use it, and no cookie is needed. `Guard` refuses other hosts (DNS rebinding), other origins and
other tokens before anything is read. Reports and pictures are sent with a policy that puts them in
a sandbox: they cannot send requests, not even to this server.
"""

from __future__ import annotations

import gzip
import json
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from markhood.app.files import GRAPH, TYPES, checked_name, files_of
from markhood.app.jobs import Job, Workspace
from markhood.app.saved import ENDING, as_archive, read_archive
from markhood.errors import InputError

MOST_BYTES = 8_000_000_000  # of an uploaded file
MOST_JSON = 4_000_000
PLANNED = "Planned study"  # title of an analysis without a table
TASKS = ("describe", "forecast", "answer")
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# For reports, which contain their own script and style, and may come from a saved analysis.
RESULT_POLICY = (
    "sandbox allow-scripts allow-downloads allow-modals; default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
HEADERS = {
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
}
PAGE_TYPES = {**TYPES, ".js": "text/javascript", ".css": "text/css"}

Handler = Callable[[Request], Awaitable[Response]]


class Guard:
    """Refuse requests with another host, origin or token, and add headers to all responses."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], token: str) -> None:
        self.app, self.hosts, self.token = app, hosts, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request before it is handled."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS.items()]
            await send(message)

        if (refused := self._refused(scope)) is not None:
            await PlainTextResponse(refused, 403)(scope, receive, with_headers)
            return
        await self.app(scope, receive, with_headers)

    def _refused(self, scope: Scope) -> str | None:
        """Return why a request is refused, or None."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value)
        hosts = [host.encode() for host in self.hosts]
        if len(headers.get(b"host", [])) != 1 or headers[b"host"][0] not in hosts:
            return "This address belongs to another server.\n"
        origins = [b"http://" + host for host in hosts]
        if any(origin not in origins for origin in headers.get(b"origin", [])):
            return "Only the page of markhood itself may send requests.\n"
        first = scope["path"].split("/")[1].encode("utf-8", "replace")
        if not secrets.compare_digest(first, self.token):
            return "Open the complete address that markhood app printed, with its token.\n"
        return None


@cache
def catalogue() -> dict[str, Any]:
    """Describe questions, methods, formats and examples; the first call imports the library."""
    from markhood import __version__
    from markhood.app.questions import QUESTIONS
    from markhood.data.codebook import KINDS, ROLES
    from markhood.data.formats.files import FORMATS
    from markhood.datasets.catalogue import DATASETS
    from markhood.learning.methods import METHODS

    examples = files("markhood.datasets").joinpath("files")
    return {
        "version": __version__,
        "questions": [
            {"name": q.name, "title": q.title, "text": q.text, "needs_table": q.needs_table}
            for q in QUESTIONS.values()
        ],
        "methods": [
            {"name": name, "text": (kind.__doc__ or "").splitlines()[0]}
            for name, kind in METHODS.items()
        ],
        "roles": ROLES,
        "kinds": KINDS,
        "endings": [
            ending + more
            for one in FORMATS
            for ending in one.endings
            for more in ("", *one.compressed)
        ],
        "examples": [
            {"name": one.name, "title": one.title, "rows": one.n_samples}
            for one in DATASETS
            if examples.joinpath(f"{one.name}.csv.gz").is_file()
        ],
    }


def create_app(
    workspace: Workspace,
    token: str,
    hosts: tuple[str, ...],
    limit: int = MOST_BYTES,
    on_quit: Callable[[], None] = lambda: None,
) -> ASGIApp:
    """Return the server as an ASGI application.

    Parameters
    ----------
    token : str
        First part of every path.
    hosts : tuple of str
        Values of the header Host that are accepted, with the port.
    limit : int
        Largest number of bytes of a file.
    """
    api = _Api(workspace, limit, on_quit)

    def at(path: str, handler: Handler, method: str = "GET") -> Route:
        return Route(path, _with_messages(handler), methods=[method])

    routes = [
        at("/", api.page),
        at("/static/{name}", api.static),
        at("/api/state", api.state),
        at("/api/settings", api.settings),
        at("/api/tables", api.upload, "POST"),
        at("/api/tables/{table}", api.remove_table, "DELETE"),
        at("/api/tables/{table}/files", api.upload_part, "POST"),
        at("/api/examples/{name}", api.example, "POST"),
        at("/api/jobs", api.start, "POST"),
        at("/api/jobs/{job}/with/{other}", api.compare, "POST"),
        at("/api/jobs/{job}", api.job),
        at("/api/jobs/{job}", api.cancel, "DELETE"),
        at("/api/jobs/{job}/cancel", api.cancel, "POST"),
        at("/api/jobs/{job}/recipe", api.recipe),
        at("/api/jobs/{job}/saved", api.save),
        at("/api/jobs/{job}/files/{name}", api.file),
        at("/api/saved", api.open, "POST"),
        at("/api/quit", api.quit, "POST"),
    ]

    @asynccontextmanager
    async def alive(_: Starlette) -> AsyncIterator[None]:
        await workspace.prepare()
        yield
        await workspace.close()

    served = Starlette(routes=[Mount(f"/{token}", routes=routes)], lifespan=alive)
    return Guard(served, hosts, token)


def _with_messages(handler: Handler) -> Handler:
    """Answer with a message where a handler refuses its input."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except InputError as error:
            status = {"memory": 429, "file-not-found": 404}.get(error.code, 400)
            return JSONResponse({"error": str(error)}, status)
        except HTTPException as error:
            return JSONResponse({"error": error.detail}, error.status_code)

    return handle


class _Api:
    """The handlers of requests."""

    def __init__(self, workspace: Workspace, limit: int, on_quit: Callable[[], None]) -> None:
        self.workspace, self.limit, self.on_quit = workspace, limit, on_quit

    async def page(self, request: Request) -> Response:
        return _static("index.html")

    async def static(self, request: Request) -> Response:
        return _static(request.path_params["name"])

    async def state(self, request: Request) -> Response:
        known = await run_in_threadpool(catalogue)
        analyses = [
            {
                **{name: job.task.get(name) for name in ("question", "title")},
                "id": job.id,
                "status": job.status,
                "headline": (job.result or {}).get("headline", ""),
                "has_graph": GRAPH in files_of(job.result or {}),
            }
            for job in self.workspace.jobs.values()
            if job.is_analysis
        ]
        tables = [{"id": n, "name": path.name} for n, path in self.workspace.tables.items()]
        return JSONResponse({**known, "limit": self.limit, "tables": tables, "analyses": analyses})

    async def settings(self, request: Request) -> Response:
        await run_in_threadpool(catalogue)
        from markhood.app.questions import QUESTIONS

        name = request.query_params.get("question")
        if name not in QUESTIONS:
            raise InputError("option-unknown", "question", f"There is no question {name!r}.")
        question = QUESTIONS[name]
        listed = [
            one.as_json() for one in question.settings(request.query_params.get("method", "plrhc"))
        ]
        return JSONResponse({"settings": listed, "asked": dict(question.asked)})

    async def upload(self, request: Request) -> Response:
        number, path = self.workspace.new_table(request.query_params.get("name", ""))
        await self._received(request, path)
        self.workspace.tables[number] = path
        return JSONResponse({"table": number, "name": path.name})

    async def upload_part(self, request: Request) -> Response:
        table = self.workspace.table(request.path_params["table"])
        path = table.parent / checked_name(request.query_params.get("name", ""))
        if path == table:
            raise InputError("file-exists", path.name, "This is the name of the table itself.")
        await self._received(request, path)
        return JSONResponse({"name": path.name})

    async def remove_table(self, request: Request) -> Response:
        self.workspace.remove_table(request.path_params["table"])
        return JSONResponse({})

    async def _received(self, request: Request, path: Path) -> None:
        """Write the body of a request to a file, as it arrives."""
        most = min(self.limit, shutil.disk_usage(self.workspace.folder).free - (1 << 28))
        size, draft = 0, path.with_name(f".{path.name}.part")
        claimed = request.headers.get("content-length", "0")
        try:
            if claimed.isdecimal() and int(claimed) > most:
                raise _too_large(most)
            with draft.open("xb") as file:
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > most:
                        raise _too_large(most)
                    file.write(chunk)
            draft.replace(path)
        except ClientDisconnect:
            raise InputError("file-damaged", path.name, "The upload was interrupted.") from None
        except FileExistsError:
            raise InputError("file-exists", path.name, "This file is being uploaded.") from None
        finally:
            draft.unlink(missing_ok=True)

    async def example(self, request: Request) -> Response:
        name = request.path_params["name"]
        known = await run_in_threadpool(catalogue)
        if name not in [one["name"] for one in known["examples"]]:
            raise InputError("file-not-found", name, f"There is no example {name!r}.")
        number, path = self.workspace.new_table(f"{name}.csv")
        content = files("markhood.datasets").joinpath("files", f"{name}.csv.gz").read_bytes()
        path.write_bytes(gzip.decompress(content))
        self.workspace.tables[number] = path
        return JSONResponse({"table": number, "name": path.name})

    async def start(self, request: Request) -> Response:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_JSON:
                raise _too_large(MOST_JSON)
        return JSONResponse((await self._started(bytes(body))).as_json())

    async def _started(self, body: bytes) -> Job:
        given = await run_in_threadpool(_checked_task, body)
        table = given.pop("table", None)
        name = None if table is None else self.workspace.table(table).name
        return await self.workspace.start({**given, "title": name or PLANNED}, table)

    async def compare(self, request: Request) -> Response:
        jobs = self._job(request), self.workspace.job(request.path_params["other"])
        if not all(GRAPH in files_of(job.result or {}) for job in jobs):
            raise InputError("not-supported", "", "Only results with a network can be compared.")
        paths = [str(self.workspace.folder_of(job) / GRAPH) for job in jobs]
        graphs = dict(zip(("first", "second"), paths, strict=True))
        started = await self.workspace.start({"task": "compare", "graphs": graphs}, None)
        return JSONResponse(started.as_json())

    async def job(self, request: Request) -> Response:
        return JSONResponse(self._job(request).as_json())

    async def cancel(self, request: Request) -> Response:
        job = self._job(request)
        if request.method == "DELETE":
            self.workspace.remove(job)
        else:
            self.workspace.cancel(job)
        return JSONResponse(job.as_json())

    async def recipe(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(_recipe, self._job(request)))

    async def file(self, request: Request) -> Response:
        job, name = self._job(request), request.path_params["name"]
        if job.result is None or name not in files_of(job.result):
            raise InputError("file-not-found", name, f"This result has no file {name!r}.")
        path = self.workspace.folder_of(job) / name
        headers = {"content-security-policy": RESULT_POLICY}
        if "download" in request.query_params:
            stem = Path(job.task["title"]).name.split(".")[0]
            headers["content-disposition"] = _attachment(f"{stem}-{name}")
        return FileResponse(path, media_type=TYPES[path.suffix], headers=headers)

    async def save(self, request: Request) -> Response:
        job = self._job(request)
        if job.status != "done":
            raise InputError("file-not-found", "", "Only a finished analysis can be saved.")
        version = catalogue()["version"]
        content = await run_in_threadpool(as_archive, job, self.workspace.folder_of(job), version)
        name = Path(job.task["title"]).name.split(".")[0] + ENDING
        headers = {"content-disposition": _attachment(name)}
        return Response(content, media_type="application/zip", headers=headers)

    async def open(self, request: Request) -> Response:
        await run_in_threadpool(catalogue)
        number, path = self.workspace.new_table(request.query_params.get("name", ""))
        folder = self.workspace.folder / "jobs" / number
        try:
            await self._received(request, path)
            folder.mkdir(parents=True)
            job = await run_in_threadpool(read_archive, path, number, folder)
            await run_in_threadpool(_recipe, job)
        except InputError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(path.parent, ignore_errors=True)
        self.workspace.add(job)
        return JSONResponse(job.as_json())

    async def quit(self, request: Request) -> Response:
        self.on_quit()
        return JSONResponse({})

    def _job(self, request: Request) -> Job:
        return self.workspace.job(request.path_params["job"])


def _checked_task(body: bytes) -> dict[str, Any]:
    """Return the task of a request whose types are as expected."""
    from markhood.app.questions import QUESTIONS
    from markhood.learning.request import method_class

    types = {"task": str, "question": str, "method": str, "settings": dict, "codebook": list}
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not all(
        isinstance(given.get(name), kind) for name, kind in types.items()
    ):
        raise InputError("option-value", "", "The request of the page was not understood.")
    if given["task"] not in TASKS or given["question"] not in QUESTIONS:
        raise InputError("option-unknown", "question", "There is no such question.")
    method_class(given["method"])
    if given.get("table") is None and (
        QUESTIONS[given["question"]].needs_table or given["task"] == "describe"
    ):
        raise InputError("option-needed", "table", "Open a table first.")
    return {name: given.get(name) for name in (*types, "table")}


def _recipe(job: Job) -> dict[str, str]:
    """Return an analysis as a command and as Python code."""
    from markhood.app.questions import QUESTIONS
    from markhood.app.recipes import Recipe
    from markhood.learning.request import method_class

    task = job.task
    if task["question"] not in QUESTIONS:
        raise InputError("option-unknown", "question", "This analysis is not known here.")
    method_class(task["method"])
    table = None if task["title"] == PLANNED else task["title"]
    one = Recipe(task["question"], table, task["method"], task["settings"], bool(task["codebook"]))
    return {"command": one.command(), "python": one.python()}


def _static(name: str) -> Response:
    """Return a file of the page, or the style of reports, which the page shares."""
    is_shared = name == "style.css"
    folder = files("markhood.output.report" if is_shared else "markhood.app")
    folder = folder if is_shared else folder.joinpath("page")
    ending = Path(name).suffix
    if ending not in PAGE_TYPES or name not in {one.name for one in folder.iterdir()}:
        raise InputError("file-not-found", name, "There is no such file.")
    content = folder.joinpath(name).read_bytes()
    headers = {"content-security-policy": PAGE_POLICY}
    return Response(content, media_type=PAGE_TYPES[ending], headers=headers)


def _attachment(name: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in name)
    return f'attachment; filename="{plain}"'


def _too_large(most: int) -> HTTPException:
    return HTTPException(
        413,
        f"The file is too large for the browser (limit {max(most, 0) / 1e9:.3g} GB): use markhood "
        "learn in a terminal.",
    )
