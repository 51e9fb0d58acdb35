"""`Job`: what is to be learned from, by what, on what, and knowing what.

Every search takes one, so that what a search needs is passed on as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.scores.scorer import Scorer
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints


@dataclass(frozen=True)
class Job:
    """What a search is given.

    Attributes
    ----------
    samples : Samples
        What is to be learned from.
    scorer : Scorer
        What scores these samples.
    runner : Runner
        Where tiles of the work are run; by default one thread.
    constraints : Constraints
        Edges that the graph has or cannot have; by default none.
    seed : int or None
        What random numbers start from, where a search draws any; None for others every time.
    """

    samples: Samples
    scorer: Scorer
    runner: Runner = field(default_factory=Runner)
    constraints: Constraints = NO_CONSTRAINTS
    seed: int | None = 0

    def __post_init__(self) -> None:
        """Let the scorer measure pairs given the covariates."""
        if n_covariates := len(self.constraints.covariates):
            object.__setattr__(self, "scorer", self.scorer.given(n_covariates))

    @property
    def n_nodes(self) -> int:
        """Number of variables that are not covariates: the first ones."""
        return self.n_variables - len(self.constraints.covariates)

    @property
    def n_variables(self) -> int:
        """Number of variables, constant ones included."""
        return self.samples.n_variables

    def on(self, samples: Samples) -> Self:
        """Return the same job with other samples of the same variables, by which its saved tiles are known."""
        runner = self.runner
        if runner.checkpoint is not None:
            runner = replace(runner, data=samples.fingerprint)
        return replace(self, samples=samples, scorer=self.scorer.on(samples), runner=runner)
