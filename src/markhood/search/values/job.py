"""`Job`: the samples, scorer, runner, constraints and seed of a search.

Every search takes a job, so that its inputs are passed on as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.scores.scorer import Pairs, Scorer
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints


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

    def on(self, samples: Samples) -> Self:
        """Return the same job on other samples of these variables, with their own saved tiles."""
        runner = self.runner
        if runner.checkpoint is not None:
            runner = replace(runner, data=samples.fingerprint)
        scorer = self.scorer.on(samples)
        return replace(self, samples=samples, scorer=scorer, runner=runner, earlier=None)
