"""Run one tool on one data set in its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
from peer import Peer, Table

from markhood.errors import InputError
from markhood.evaluate.measures import compare
from markhood.graph.graph import Graph

HERE = Path(__file__).parent
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
PATIENCE = 20  # seconds on the wall for each of CPU, before a tool is taken for hanging


@dataclass(frozen=True)
class Outcome:
    """Result of one run; unknown numbers are None.

    Attributes
    ----------
    network, tool : str
    status : {"done", "absent", "failed", "out of time"}
    false_positives, false_negatives, hamming_distance : int
    learning_seconds : float
        CPU time of learning, from an array in memory to edges.
    process_seconds : float
        CPU time of the whole process: start, imports, reading, learning.
    peak_megabytes : float
        Of the whole process, or of its largest child.
    why : str
        Reason why the tool is absent, failed or was stopped.
    """

    network: str
    tool: str
    status: str
    false_positives: int | None = None
    false_negatives: int | None = None
    hamming_distance: int | None = None
    learning_seconds: float | None = None
    process_seconds: float | None = None
    peak_megabytes: float | None = None
    why: str = ""


def peers_of(families: tuple[str, ...]) -> dict[str, tuple[str, Peer]]:
    """Return all tools by name, each with its family."""
    return {peer.name: (f, peer) for f in families for peer in import_module(f).PEERS}


def try_tool(
    family: str, peer: Peer, network: str, table: Table, truth: Graph, timeout: int
) -> Outcome:
    """Run a tool, measure it, and compare what it learned with the truth.

    Parameters
    ----------
    family : str
        Module of the tool.
    peer : Peer
    network : str
        Name of the data set.
    table : ndarray of shape (n_samples, n_variables), dtype uint8
    truth : Graph
    timeout : int
        CPU seconds.
    """
    missing = peer.why_absent()
    if missing:
        return Outcome(network, peer.name, "absent", why=missing)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "table.npy", table)
        used = _run(folder, [family, peer.name], timeout)
        outcome = Outcome(
            network,
            peer.name,
            "done",
            process_seconds=used.seconds,
            peak_megabytes=used.megabytes,
        )
        if used.status is None:
            why = f"stopped after {PATIENCE * timeout} s on the wall"
            return replace(outcome, status="out of time", why=why)
        if used.is_out_of_time:
            why = f"stopped after {timeout} s of CPU time"
            return replace(outcome, status="out of time", why=why)
        if used.status:
            why = _last_line(folder / "said.txt") or f"ended with status {used.status}"
            return replace(outcome, status="failed", why=why)
        return _compared(outcome, truth, folder / "learned.npz")


def _compared(outcome: Outcome, truth: Graph, path: Path) -> Outcome:
    with np.load(path) as learned:
        edges, seconds = learned["edges"], float(learned["seconds"])
    try:
        found = compare(truth, Graph(truth.nodes, edges))
    except InputError as error:
        return replace(outcome, status="failed", why=f"what it learned is no graph: {error}")
    return replace(
        outcome,
        false_positives=found.false_positives,
        false_negatives=found.false_negatives,
        hamming_distance=found.hamming_distance,
        learning_seconds=seconds,
    )


class _Used(NamedTuple):
    """Resources and exit status of a process; all None if it was stopped as hanging."""

    seconds: float | None = None
    megabytes: float | None = None
    status: int | None = None

    @property
    def is_out_of_time(self) -> bool:
        """Whether the limit of CPU seconds ended the process."""
        return os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGXCPU


def _run(folder: Path, tool: list[str], timeout: int) -> _Used:
    python = [sys.executable, "-I", "-S", str(HERE / "stopwatch.py")]
    watched = [sys.executable, str(HERE / "worker.py"), *tool]
    files = [str(folder / file) for file in ("table.npy", "learned.npz")]
    # The worker can import the same modules as this process, including tools defined by tests.
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with (folder / "said.txt").open("w") as said:
        process = subprocess.Popen(
            [*python, str(folder / "used.txt"), str(timeout), *watched, *files],
            stdout=said,
            stderr=said,
            env=environment,
            start_new_session=True,
        )
        try:
            process.wait(PATIENCE * timeout)
        except subprocess.TimeoutExpired:
            return _Used()
        finally:
            _end_group(process.pid)
            process.wait()
    seconds, peak, status = (folder / "used.txt").read_text().split()
    to_megabytes = 1e-6 if sys.platform == "darwin" else 1024e-6
    return _Used(float(seconds), float(peak) * to_megabytes, int(status))


def _end_group(group: int) -> None:
    """End the remaining processes of a tool, after a hang or Ctrl-C."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _last_line(path: Path) -> str:
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")
