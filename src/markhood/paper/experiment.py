"""The common parts of the experiments: cells, replicates, data sets, and a resumable run.

An experiment is a list of cells (a network, its size, a number of samples) and a function that
measures one data set. Every replicate draws new potentials with a seed that depends on its cell and
number only, so the results do not depend on other cells, the order or the number of threads.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from markhood.arrays import Ints
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.learning.methods import Method
from markhood.paper.results import Results
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult
from markhood.simulate.networks import grid, hub
from markhood.simulate.potentials import ising

NETWORKS = {"grid": grid, "hub": hub}


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
