"""`Job`: the samples, scorer, runner, constraints and seed of a search.

Every search takes a job, so that its inputs are passed on as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from markhood.data.samples import Samples
from markhood.execution.runner import FEWEST_TILES, Runner, shared_out
from markhood.scores.scorer import Pairs, Scorer
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints

SMALL = 1 << 12  # words; binary samples of this size are searched in a few milliseconds
FEWEST_OF_SMALL = 4  # tiles; starting more threads would take longer than their work


@dataclass(frozen=True)
class EarlierScreen:
    """What a screen of the same samples has found, so that another one need not repeat it.

    Attributes
    ----------
    gamma : float
        The gamma of that screen.
    found : tuple of Pairs
        The passing pairs of the scorer's first tiles, one element for each tile.
    seconds : float
        Time that it took.
    """

    gamma: float
    found: tuple[Pairs, ...]
    seconds: float


@dataclass(frozen=True)
class Job:
    """The inputs of a search.

    Attributes
    ----------
    samples : Samples
        The data.
    scorer : Scorer
        Scores these samples.
    runner : Runner
        Runs tiles of work; by default on one thread.
    constraints : Constraints
        Required and forbidden edges, groups, priors and covariates; by default none.
    seed : int or None
        Random seed. None draws a different one on every call.
    earlier : EarlierScreen, optional
        A screen of these samples with this scorer and a gamma that is no larger.
    """

    samples: Samples
    scorer: Scorer
    runner: Runner = field(default_factory=Runner)
    constraints: Constraints = NO_CONSTRAINTS
    seed: int | None = 0
    earlier: EarlierScreen | None = None

    def __post_init__(self) -> None:
        """Let the scorer condition pairs on the covariates."""
        if n_covariates := len(self.constraints.covariates):
            object.__setattr__(self, "scorer", self.scorer.given(n_covariates))

    @property
    def n_nodes(self) -> int:
        """Number of variables that are not covariates; nodes come first."""
        return self.n_variables - len(self.constraints.covariates)

    @property
    def n_variables(self) -> int:
        """Number of variables, including constant ones."""
        return self.samples.n_variables

    @property
    def fewest_tiles(self) -> int:
        """The number of tiles into which any work is divided at least."""
        samples = self.samples
        is_small = samples.is_binary and not samples.reals and samples.words.size < SMALL
        return FEWEST_OF_SMALL if is_small else FEWEST_TILES

    def tiles(self, n: int, largest: int) -> list[range]:
        """Cut ``range(n)`` into tiles, of ``largest`` if possible."""
        return shared_out(n, largest, self.fewest_tiles)

    def on(self, samples: Samples) -> Self:
        """Return the same job on other samples of these variables, with their own saved tiles."""
        runner = self.runner
        if runner.checkpoint is not None:
            runner = replace(runner, data=samples.fingerprint)
        scorer = self.scorer.on(samples)
        return replace(self, samples=samples, scorer=scorer, runner=runner, earlier=None)
