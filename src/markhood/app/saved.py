"""Save an analysis as a file, and open it again: a zip archive with `analysis.json` and its files.

The archive has the question, settings and codebook, and all files of the result, but not the
data. It may come from someone else: only the listed files with known endings are read, up to a
size, and everything that is shown is inserted as text. Reports run in a sandbox (`server`).
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

from markhood.app.files import KINDS, TYPES, checked_name, files_of
from markhood.app.jobs import KEPT, Job
from markhood.errors import InputError

ENDING = ".markhood"
ABOUT = "analysis.json"
FORMAT = 1
MOST_BYTES = 500_000_000  # of all files of an archive together
MOST_ABOUT = 20_000_000


def as_archive(job: Job, folder: Path, version: str) -> bytes:
    """Return an analysis as an archive."""
    about = {
        "format": FORMAT,
        "markhood": version,
        **{name: job.task.get(name) for name in KEPT},
        "seconds": job.seconds,
        "warnings": job.warnings,
        "result": job.result,
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(ABOUT, json.dumps(about, indent=1))
        for name in files_of(job.result or {}):
            archive.write(folder / name, name)
    return content.getvalue()


def read_archive(path: Path, job_id: str, folder: Path) -> Job:
    """Write the files of an archive to a folder, and return its analysis as a finished job."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(_read(archive, ABOUT, MOST_ABOUT))
            job = _checked(about, job_id)
            left = MOST_BYTES
            for name in files_of(job.result or {}):
                content = _read(archive, checked_name(name), left)
                left -= len(content)
                if Path(name).suffix not in TYPES:
                    raise ValueError(f"it has a file {name!r}")
                (folder / name).write_bytes(content)
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        NotImplementedError,
        RuntimeError,
        RecursionError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise InputError(
            "file-damaged",
            path.name,
            f"{path.name} is not an analysis that markhood saved, or is damaged: save it again.",
        ) from error
    return job


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a member, which may claim any size, if it has at most this many bytes."""
    with archive.open(name) as member:
        content = member.read(most + 1)
    if len(content) > most:
        raise ValueError("it is too large")
    return content


def _checked(about: Any, job_id: str) -> Job:
    """Return the job of a description whose types are as expected."""
    if about["format"] != FORMAT:
        raise ValueError("it is from another version")
    types = {"question": str, "method": str, "settings": dict, "codebook": list, "title": str}
    for name, kind in types.items():
        if not isinstance(about[name], kind):
            raise TypeError(name)
    task = {name: about[name] for name in KEPT} | {"task": "answer"}
    warnings = [str(text) for text in about["warnings"]]
    job = Job(job_id, task, None, "done", None, warnings, about["result"])
    job.seconds = float(about["seconds"])
    shown = {"headline": str, "paragraph": str, "sentences": list} | dict.fromkeys(KINDS, list)
    if not all(isinstance(about["result"][name], kind) for name, kind in shown.items()):
        raise TypeError("result")
    if not all(isinstance(name, str) for name in files_of(about["result"])):
        raise TypeError("file")
    return job
