"""What all experiments share: cells, replicates, data sets, and a run that can be resumed.

An experiment is a list of cells (a network, its size, a number of samples) and a function
that measures one data set. Every replicate draws new potentials, from a seed made of its cell
and its number alone; so the results do not depend on what else ran, in what order, or on how many
threads.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

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
    """A published figure: which of our measures of which cell it is about."""

    cell: Cell
    measure: str
    value: float


@dataclass(frozen=True)
class Sampling:
    """How data are drawn and counted: sweeps of the Gibbs sampler, and where pairs are screened.

    Trees are sampled exactly, whatever this says.
    """

    burn_in: int = 100_000
    thinning: int = 100
    kernels: Kernels = field(default_factory=NativeKernels)


@dataclass(frozen=True)
class Search:
    """A data set, in which methods search on one thread; nobody asks what their edges mean."""

    samples: Samples
    kernels: Kernels = field(default_factory=NativeKernels)

    def job(self, method: Method) -> Job:
        """Return what a method is given."""
        scorer = scorer_for(self.samples, method.scored_by, self.kernels)
        return Job(self.samples, scorer, Runner(1))

    def by(self, method: Method) -> SearchResult:
        """Let a method search."""
        return method.search(self.job(method))

    def graph(self, edges: NDArray[np.int64]) -> Graph:
        """Return edges as a graph of the data's variables."""
        return Graph(self.samples.variables, edges)


class Experiment(Protocol):
    """One of the paper's experiments."""

    @property
    def name(self) -> str:
        """What the command line calls it."""

    @property
    def cells(self) -> Sequence[Cell]:
        """All settings of the paper."""

    @property
    def measures(self) -> Sequence[str]:
        """What is measured, in the order of the paper's table."""

    def measure(self, search: Search, truth: Graph) -> Mapping[str, float]:
        """Measure one data set, with what the methods find in it."""

    def figures(self) -> Sequence[Figure]:
        """List the published figures."""


def draw(cell: Cell, replicate: int, sampling: Sampling) -> tuple[Samples, Graph]:
    """Make one data set and return it with the graph it came from."""
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
    """Return the cells that a user asked for; nothing asked for is all of them."""
    wanted = {"network": networks, "variables": variables, "samples": samples}
    for part, values in wanted.items():
        known = sorted({getattr(cell, part) for cell in experiment.cells})
        for value in values:
            if value not in known:
                raise InputError(
                    f"The {experiment.name} experiment has no cell with {part} {value}: choose "
                    f"among {', '.join(map(str, known))}."
                )
    chosen = [
        cell
        for cell in experiment.cells
        if all(not values or getattr(cell, part) in values for part, values in wanted.items())
    ]
    if not chosen:
        raise InputError(f"The {experiment.name} experiment has no cell with all of these.")
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
    experiment : Experiment
    cells : sequence of Cell
    replicates : int
        How many of each cell.
    path : Path
        CSV file to which every replicate is added when it is done; what it has already is not
        run again.
    runner : Runner
    sampling : Sampling
    """
    if replicates < 1:
        raise InputError(f"The number of replicates must be 1 or more, not {replicates}.")
    settings = f"{experiment.name}, burn-in {sampling.burn_in}, thinning {sampling.thinning}"
    results = Results(path, settings, [*Cell._fields, "replicate"], experiment.measures)
    # A replicate of every cell before the next of any: a run that is stopped is a smaller run.
    todo = [(c, r) for r, c in product(range(replicates), cells) if (*c, r) not in results]

    def measure_one(task: tuple[Cell, int]) -> Mapping[str, float]:
        samples, truth = draw(*task, sampling)
        return experiment.measure(Search(samples, sampling.kernels), truth)

    for (cell, replicate), measured in runner.map_unordered("replicates", measure_one, todo):
        results.append((*cell, replicate), measured)
    return results
