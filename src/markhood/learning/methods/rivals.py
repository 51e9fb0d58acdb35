"""What the paper compares PLRHC with, besides climbing: L1LR-BIC and BJP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markhood.learning.methods.method import (
    Method,
    require_gamma,
    require_one_of,
)
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.ibmap import blankets_joint_posterior
from markhood.search.l1_paths import l1_search
from markhood.search.values.found import Found
from markhood.search.values.job import Job


@dataclass(frozen=True)
class L1Logistic(Method):
    """Blankets from the paths of L1-penalised logistic regressions (L1LR-BIC).

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in BIC_gamma, which chooses on the path.
    rule : {"or", "and"}, default="or"
        How blankets become a graph.
    standardize : bool, default=False
        Whether slopes are penalised in proportion to their variables' standard deviations.
    refit : bool, default=True
        Whether supports are scored at their own maximum of the likelihood. IsingFit's variant is
        ``refit=False, standardize=True, gamma=0.25, rule="and"``.
    """

    name: ClassVar[str] = "l1lr"

    gamma: float = 0.5
    rule: str = "or"
    standardize: bool = False
    refit: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        require_gamma(self.gamma)
        require_one_of("rule", self.rule, ["or", "and"])
        require_one_of("standardize", self.standardize, [True, False])
        require_one_of("refit", self.refit, [True, False])

    @property
    def scored_by(self) -> Criterion:
        """What scores supports."""
        return Bic(self.gamma)

    @property
    def heeds_order(self) -> bool:
        """Whether ordered levels are steps to it: its paths are of indicators, without order."""
        return False

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        return l1_search(
            job,
            gamma=float(self.gamma),
            rule=self.rule,
            standardize=self.standardize,
            refit=self.refit,
        )


@dataclass(frozen=True)
class BlanketsJointPosterior(Method):
    """The graph whose independence assertions are most probable together (BJP).

    Parameters
    ----------
    gamma : float, default=0.5
        Of BIC_gamma, which scores the edges of the finished graph; the search has no options.
    """

    name: ClassVar[str] = "bjp"

    gamma: float = 0.5

    def __post_init__(self) -> None:
        """Check the options."""
        require_gamma(self.gamma)

    @property
    def scored_by(self) -> Criterion:
        """What scores the edges of the finished graph."""
        return Bic(self.gamma)

    @property
    def heeds_order(self) -> bool:
        """Whether ordered levels are steps to it: its tests are of tables, without order."""
        return False

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        return blankets_joint_posterior(job)
