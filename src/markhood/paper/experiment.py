"""The common parts of the experiments: cells, replicates, data sets, and a resumable run.

An experiment is a list of cells (a network, its size, a number of samples) and a function that
measures one data set. Every replicate draws new potentials with a seed that depends on its cell and
number only, so the results do not depend on other cells, the order or the number of threads.

Results of replicates in a CSV file that is appended line by line. Every line is flushed to the
disk. If a run is killed in the middle of a line, the line is removed and the replicate is run
again.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np

from markhood.arrays import Ints
from markhood.data.samples import Samples
from markhood.drafts import reason
from markhood.errors import InputError, option
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.learning.methods import Method
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult
from markhood.simulate.networks import grid, hub
from markhood.simulate.potentials import ising

Key = tuple[Any, ...]
NETWORKS = {"grid": grid, "hub": hub}


class Results:
    """Measured numbers by key (a cell and a replicate), stored in a file.

    Parameters
    ----------
    settings : str
        First line of the file, after a ``#``; two runs with different settings cannot share a file.
    """

    def __init__(
        self, path: Path, settings: str, keys: Sequence[str], measures: Sequence[str]
    ) -> None:
        self.measures = list(measures)
        self._path = path
        self._head = f"# {settings}\n{','.join([*keys, *measures])}\n"
        self._n_keys = len(keys)
        self._rows: dict[Key, list[float]] = {}
        self._lock = Lock()
        self._load()

    def __contains__(self, key: Key) -> bool:
        return key in self._rows

    def append(self, key: Key, measured: Mapping[str, float]) -> None:
        """Append the result of one replicate."""
        values = [float(measured[name]) for name in self.measures]
        line = ",".join(map(str, [*key, *(repr(v) for v in values)])) + "\n"
        with self._lock:
            with _as_input_error(self._path), self._path.open("a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            self._rows[key] = values

    def of(self, cell: Key, measure: str, replicates: int) -> list[float]:
        """Return one measure of the first replicates of a cell."""
        at = self.measures.index(measure)
        found = (self._rows.get((*cell, replicate)) for replicate in range(replicates))
        return [row[at] for row in found if row is not None]

    def _load(self) -> None:
        with _as_input_error(self._path):
            if not os.path.lexists(self._path):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.write_text(self._head, encoding="utf-8")
                return
            if not self._path.is_file():
                raise InputError(
                    "file-unreadable",
                    str(self._path),
                    f"{self._path} is not a regular file: choose another folder.",
                )
            content = self._path.read_bytes()
            if not content.startswith(self._head.encode()):
                raise InputError(
                    "file-exists",
                    str(self._path),
                    f"{self._path} has results of other settings: choose another folder with "
                    f"{option('output')}, or move that file away.",
                )
            whole, _, cut_off = content.rpartition(b"\n")
            if cut_off:
                os.truncate(self._path, len(whole) + 1)
        lines = whole.decode("utf-8", "replace").split("\n")
        for number, line in enumerate(lines[2:], start=3):
            key, values = self._parsed(line, number)
            self._rows[key] = values

    def _parsed(self, line: str, number: int) -> tuple[Key, list[float]]:
        fields = line.split(",")
        network, *numbers = fields[: self._n_keys]
        try:
            values = [float(field) for field in fields[self._n_keys :]]
            key = (network, *map(int, numbers))
        except ValueError:
            values, key = [], ()
        if len(key) != self._n_keys or len(values) != len(self.measures):
            raise InputError(
                "file-damaged",
                str(self._path),
                f"Line {number} of {self._path} is damaged: remove it, and the replicate is run "
                "again.",
            )
        return key, values


@contextmanager
def _as_input_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            "file-not-writable",
            str(path),
            f"Results cannot be stored in {path} ({reason(error)}): choose another folder.",
        ) from None


class Cell(NamedTuple):
    """One setting of an experiment."""

    network: str
    variables: int
    samples: int


class Figure(NamedTuple):
    """A published figure, with its cell and measure."""

    cell: Cell
    measure: str
    value: float


@dataclass(frozen=True)
class Sampling:
    """Sweeps of the Gibbs sampler, and the kernels that screen pairs.

    Trees are sampled exactly, without sweeps.
    """

    burn_in: int = 100_000
    thinning: int = 100
    kernels: Kernels = field(default_factory=NativeKernels)


@dataclass(frozen=True)
class Search:
    """A data set in which methods search on one thread, without describing the edges."""

    samples: Samples
    kernels: Kernels = field(default_factory=NativeKernels)

    def job(self, method: Method) -> Job:
        """Return the job of a method."""
        scorer = scorer_for(self.samples, method.scored_by, self.kernels)
        return Job(self.samples, scorer, Runner(1))

    def by(self, method: Method) -> SearchResult:
        """Run a method."""
        return method.search(self.job(method))

    def graph(self, edges: Ints) -> Graph:
        """Return edges as a graph on the variables of the data."""
        return Graph(self.samples.variables, edges)


class Experiment(Protocol):
    """One of the paper's experiments."""

    @property
    def name(self) -> str:
        """Name on the command line."""

    @property
    def cells(self) -> Sequence[Cell]:
        """All settings of the paper."""

    @property
    def measures(self) -> Sequence[str]:
        """Names of the measures, in the order of the table in the paper."""

    def measure(self, search: Search, truth: Graph) -> Mapping[str, float]:
        """Run the methods on one data set, and measure their results."""

    def figures(self) -> Sequence[Figure]:
        """List the published figures."""


def draw(cell: Cell, replicate: int, sampling: Sampling) -> tuple[Samples, Graph]:
    """Draw one data set, and return it with its true graph."""
    truth = NETWORKS[cell.network](cell.variables)
    name = zlib.crc32(cell.network.encode())
    seed = np.random.SeedSequence([name, cell.variables, cell.samples, replicate])
    for_potentials, for_samples = seed.spawn(2)
    model = ising(truth, seed=for_potentials)
    samples = model.sample_packed(
        cell.samples, for_samples, burn_in=sampling.burn_in, thinning=sampling.thinning
    )
    return samples, truth


def choose_cells(
    experiment: Experiment,
    networks: Sequence[str] = (),
    variables: Sequence[int] = (),
    samples: Sequence[int] = (),
) -> list[Cell]:
    """Return the requested cells; by default all."""
    wanted = {"network": networks, "variables": variables, "samples": samples}
    for part, values in wanted.items():
        known = sorted({getattr(cell, part) for cell in experiment.cells})
        for value in values:
            if value not in known:
                raise InputError(
                    "option-value",
                    part,
                    f"The {experiment.name} experiment has no cell with {part} {value}: choose "
                    f"among {', '.join(map(str, known))}.",
                )
    chosen = [
        cell
        for cell in experiment.cells
        if all(not values or getattr(cell, part) in values for part, values in wanted.items())
    ]
    if not chosen:
        raise InputError(
            "option-conflict",
            experiment.name,
            f"The {experiment.name} experiment has no cell with all of these values.",
        )
    return chosen


def run(
    experiment: Experiment,
    cells: Sequence[Cell],
    replicates: int,
    path: Path,
    runner: Runner,
    sampling: Sampling,
) -> Results:
    """Run the replicates that the file does not have yet, and return all results.

    Parameters
    ----------
    path : Path
        CSV file to which every replicate is appended; replicates in it are not run again.
    """
    if replicates < 1:
        raise InputError(
            "option-value", "replicates", f"replicates must be 1 or more, not {replicates}."
        )
    settings = f"{experiment.name}, burn-in {sampling.burn_in}, thinning {sampling.thinning}"
    results = Results(path, settings, [*Cell._fields, "replicate"], experiment.measures)
    # One replicate of every cell before the next, so that a stopped run is a smaller run.
    todo = [(c, r) for r, c in product(range(replicates), cells) if (*c, r) not in results]

    def measure_one(task: tuple[Cell, int]) -> Mapping[str, float]:
        samples, truth = draw(*task, sampling)
        return experiment.measure(Search(samples, sampling.kernels), truth)

    for (cell, replicate), measured in runner.map_unordered("replicates", measure_one, todo):
        results.append((*cell, replicate), measured)
    return results
