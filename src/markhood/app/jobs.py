"""Jobs: pieces of work in worker processes, and the temporary folder with their files.

A job describes a table, forecasts an analysis or runs one. It is followed until its process ends,
and can be cancelled at any time by killing that process with the processes that it started. One
spare worker is always being prepared.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any

from markhood.app.files import checked_name
from markhood.errors import InputError

KEPT = ("question", "method", "settings", "codebook", "title")  # that describe an analysis
MOST_RUNNING = 6
MOST_KEPT = 100  # finished descriptions and forecasts
LONGEST_LINE = 1 << 27
KILLED = (
    "The analysis ended unexpectedly, probably because there was not enough memory: use fewer "
    "columns or rows."
)


@dataclass
class Job:
    """A piece of work."""

    id: str
    task: dict[str, Any]  # what the worker received
    table: str | None = None
    status: str = "running"  # "running", "done", "failed", "cancelled"
    progress: dict[str, Any] | None = None  # phase, and number of finished and of all tiles
    warnings: list[str] = field(default_factory=list)
    result: dict[str, Any] | None = None  # grows while the work runs
    error: str | None = None
    started: float = field(default_factory=monotonic)
    phase_started: float = field(default_factory=monotonic)
    seconds: float | None = None
    process: asyncio.subprocess.Process | None = None
    following: asyncio.Task[None] | None = None

    @property
    def is_analysis(self) -> bool:
        """Whether this is an analysis, which is kept until the user removes it."""
        return bool(self.task["task"] == "answer")

    def receive(self, message: dict[str, Any]) -> None:
        """Note a message of the worker."""
        if "progress" in message:
            if self.progress is None or self.progress["phase"] != message["progress"]["phase"]:
                self.phase_started = monotonic()
            self.progress = message["progress"]
        if "warning" in message and message["warning"] not in self.warnings:
            self.warnings.append(message["warning"])
        self.result = message.get("result", self.result)
        if "error" in message:
            self.status, self.error = "failed", message["error"]
        elif "done" in message:
            self.status = "done"

    def as_json(self) -> dict[str, Any]:
        """Describe the job for the page."""
        running = self.status == "running"
        return {
            "id": self.id,
            "table": self.table,
            **{name: self.task.get(name) for name in KEPT},
            "status": self.status,
            "progress": self.progress,
            "seconds": monotonic() - self.started if running else self.seconds,
            "seconds_left": self._seconds_left() if running else None,
            "warnings": self.warnings,
            "result": self.result,
            "error": self.error,
        }

    def _seconds_left(self) -> float | None:
        """Extrapolate the current phase, once a part of it is done."""
        if self.progress is None or not self.progress["done"]:
            return None
        done, total = self.progress["done"], self.progress["total"]
        return float((monotonic() - self.phase_started) * (total - done) / done)


class Workspace:
    """The tables and jobs of one server, with their files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables: dict[str, Path] = {}
        self.jobs: dict[str, Job] = {}
        self._spare: asyncio.subprocess.Process | None = None

    def new_table(self, name: str) -> tuple[str, Path]:
        """Return the id of a new table, and the path of its file in a folder of its own."""
        own = self.folder / "tables" / (number := secrets.token_hex(6))
        path = own / checked_name(name)
        own.mkdir(parents=True)
        return number, path

    def table(self, number: Any) -> Path:
        """Return the file of a table."""
        if number not in self.tables:
            raise InputError("file-not-found", "", "This table has been removed: open it again.")
        return self.tables[number]

    def remove_table(self, number: str) -> None:
        """Remove a table and the work that reads it."""
        path = self.table(number)
        for job in [job for job in self.jobs.values() if job.table == number]:
            if job.status == "running":
                self.cancel(job)
        del self.tables[number]
        rmtree(path.parent, ignore_errors=True)

    def job(self, number: Any) -> Job:
        """Return a job."""
        if number not in self.jobs:
            raise InputError("file-not-found", "", "This result has been removed.")
        return self.jobs[number]

    def folder_of(self, job: Job) -> Path:
        """Return the folder of a job's files."""
        return self.folder / "jobs" / job.id

    def add(self, job: Job) -> None:
        """Keep a job, and forget the oldest ones without a result to keep."""
        self.jobs[job.id] = job
        passing = [one for one in self.jobs.values() if not one.is_analysis]
        for one in passing[:-MOST_KEPT]:
            if one.status != "running":
                self.remove(one)

    async def start(self, task: dict[str, Any], table: str | None) -> Job:
        """Start a worker on a task."""
        if sum(job.status == "running" for job in self.jobs.values()) >= MOST_RUNNING:
            raise InputError(
                "memory", "", f"{MOST_RUNNING} analyses are running: wait for one, or cancel it."
            )
        job = Job(secrets.token_hex(6), task, table)
        folder = self.folder_of(job)
        folder.mkdir(parents=True)
        path = None if table is None else self.table(table)
        task["table"] = None if path is None else path.name
        task["files"] = str(folder if path is None else path.parent)
        task["folder"] = str(folder)
        job.process, self._spare = self._spare or await self._new_worker(), None
        self.add(job)
        job.following = asyncio.create_task(self._follow(job, job.process))
        return job

    async def prepare(self) -> None:
        """Start a spare worker, whose imports are done when it is needed."""
        if self._spare is None:
            self._spare = await self._new_worker()

    async def _new_worker(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "markhood.app.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=self.folder,
            env={**os.environ, "MPLBACKEND": "Agg"},
            limit=LONGEST_LINE,
            start_new_session=True,
        )

    async def _follow(self, job: Job, process: asyncio.subprocess.Process) -> None:
        """Send the task to a worker, and note its messages until it ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(ConnectionError, ValueError):
            process.stdin.write(json.dumps(job.task).encode() + b"\n")
            await process.stdin.drain()
            await self.prepare()
            async for line in process.stdout:
                job.receive(json.loads(line))
                if job.status != "running":
                    break
        if job.status == "running":
            job.status, job.error = "failed", KILLED
        job.seconds = monotonic() - job.started
        _kill(process)
        await process.wait()

    def cancel(self, job: Job) -> None:
        """Kill the worker of a job, and remove what it has written."""
        if job.status == "running":
            job.status, job.seconds, job.result = "cancelled", monotonic() - job.started, None
            if job.process is not None:
                _kill(job.process)
            rmtree(self.folder_of(job), ignore_errors=True)

    def remove(self, job: Job) -> None:
        """Cancel a job and forget it."""
        self.cancel(job)
        self.jobs.pop(job.id, None)
        rmtree(self.folder_of(job), ignore_errors=True)

    async def close(self) -> None:
        """Kill all workers."""
        for job in self.jobs.values():
            self.cancel(job)
        following = [job.following for job in self.jobs.values() if job.following]
        await asyncio.gather(*following, return_exceptions=True)
        if self._spare is not None:
            _kill(self._spare)
            await self._spare.wait()
            self._spare = None


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a worker with the processes that it started."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
