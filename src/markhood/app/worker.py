"""Process of one piece of work: it reads a task from standard input, and answers in lines of JSON.

The server starts a worker before there is work, so that its imports are done when a task arrives.
A worker that hangs or crashes does not harm the server, and can be killed at any time. It ends with
the server: standard input is then closed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from markhood.app.questions import QUESTIONS, Analysis, forecast
from markhood.app.results import Result
from markhood.data.describe import codebook_and_samples
from markhood.errors import ConvergenceWarning, DataWarning, InputError, written_by
from markhood.output.graphs.files import read_graph
from markhood.output.report.page import write_report
from markhood.output.report.shares import level_counts

COLUMNS_SHOWN = 1000
BETWEEN_REPORTS = 0.1  # seconds


def in_app(name: str, *value: Any) -> str:
    """Write an option as the page shows it.

    Examples
    --------
    >>> in_app("missing_values"), in_app("missing", "drop")
    ('“missing values”', '“missing: drop”')
    """
    label = name.replace("_", " ")
    given = [one for one in value if isinstance(one, (str, int, float, list, tuple, dict))]
    if not given:
        return f"“{label}”"
    if isinstance(given[0], dict):
        given = [f"{key}={own}" for key, own in given[0].items()]
    return f"“{label}: {', '.join(map(str, given))}”"


def analysis_of(task: dict[str, Any]) -> Analysis:
    """Return the analysis that a task describes."""
    table = task.get("table")
    return Analysis(
        task["question"],
        None if table is None else Path(table),
        task["method"],
        task["settings"],
        task["codebook"],
    )


def describe(task: dict[str, Any], emit: Callable[..., None]) -> dict[str, Any]:
    """Describe every column of a table: role, kind, levels and how often they occur."""
    analysis = analysis_of(task)
    book, samples = codebook_and_samples(analysis.table, analysis.request().reading)
    account = samples.account
    shown = samples.pick(np.arange(min(len(samples.names), COLUMNS_SHOWN)))
    counts = dict(zip(shown.names, level_counts(shown), strict=True))
    rows = []
    for entry in book.entries[:COLUMNS_SHOWN]:
        own = counts.get(entry.column, np.empty(0))
        shares = (own / (own.sum() or 1)).round(4).tolist()
        rows.append(entry.row() | {"levels": list(map(str, entry.levels)), "shares": shares})
    findings = account.findings if account else ()
    return {
        "rows": account.n_rows if account else samples.n_samples,
        "columns": len(book) or len(samples.names),
        "variables": len(samples.names),
        "codebook": rows,
        "findings": [{"severity": one.severity, "text": one.text} for one in findings],
    }


def answer(task: dict[str, Any], emit: Callable[..., None]) -> dict[str, Any] | None:
    """Run an analysis; the result is emitted as it grows."""
    analysis, last = analysis_of(task), [0.0]

    def progress(phase: str, done: int, total: int) -> None:
        if monotonic() - last[0] > BETWEEN_REPORTS or done == total:
            last[0] = monotonic()
            emit(progress={"phase": phase, "done": done, "total": total})

    result = Result(Path(task["folder"]), task["title"], lambda found: emit(result=found))
    if analysis.codebook:
        result.codebook(analysis.codebook)
    QUESTIONS[analysis.question].answer(analysis, analysis.request(progress), result)
    result.send()
    return None


def compare(task: dict[str, Any], emit: Callable[..., None]) -> dict[str, Any]:
    """Write a page that compares the graphs of two results."""
    graphs = {name: read_graph(path) for name, path in task["graphs"].items()}
    write_report(graphs, Path(task["folder"]) / "comparison.html", title="Both results")
    return {"reports": [{"file": "comparison.html", "title": "Both results"}]}


TASKS: dict[str, Callable[[dict[str, Any], Callable[..., None]], dict[str, Any] | None]] = {
    "describe": describe,
    "forecast": lambda task, emit: forecast(analysis_of(task)),
    "answer": answer,
    "compare": compare,
}


def main() -> None:
    """Do the task that arrives, and exit."""
    task = json.loads(sys.stdin.readline() or "null")
    if task is None:
        return
    threading.Thread(target=_end_with_server, daemon=True).start()
    os.chdir(task["files"])  # so that messages name files without folders
    lines, lock = sys.stdout, threading.Lock()
    sys.stdout = sys.stderr  # what a library prints is not an answer

    def emit(**message: Any) -> None:
        with lock:
            print(json.dumps(message), file=lines, flush=True)

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if isinstance(message, (DataWarning, ConvergenceWarning)):
            emit(warning=str(message))

    with warnings.catch_warnings(), written_by(in_app):
        warnings.showwarning = show
        for kind in (DataWarning, ConvergenceWarning):
            warnings.simplefilter("always", kind)
        try:
            found = TASKS[task["task"]](task, emit)
            emit(**({} if found is None else {"result": found}), done=True)
        except InputError as error:
            emit(error=str(error))
        except MemoryError:
            emit(error="There is not enough memory: use fewer columns or rows.")
        except Exception as error:  # noqa: BLE001 - the page must have an answer
            traceback.print_exc()
            emit(
                error=f"This is an error in markhood, not in your data ({type(error).__name__}). "
                "Please report it with the lines that the terminal shows."
            )


def _end_with_server() -> None:
    """Wait until the server closes standard input, then end with all processes started here."""
    sys.stdin.read()
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
