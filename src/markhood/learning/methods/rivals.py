"""Methods that the paper compares PLRHC with, apart from climbing: L1LR-BIC and BJP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from markhood.learning.methods.method import GammaOptions, Method
from markhood.options import declare
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.ibmap import blankets_joint_posterior
from markhood.search.l1_paths import l1_search
from markhood.search.values.found import Found
from markhood.search.values.job import Job


@dataclass(kw_only=True)
class L1LogisticOptions(GammaOptions):
    """Options of L1LR-BIC."""

    rule: Literal["or", "and"] = declare(
        "or", "How blankets become a graph: by their union (or) or by their intersection (and)."
    )
    standardize: bool = declare(
        False, "Penalise slopes in proportion to the standard deviations of their variables."
    )
    refit: bool = declare(
        True,
        "Score supports at their own maximum of the likelihood. IsingFit's variant is refit=False, "
        "standardize=True, gamma=0.25, rule='and'.",
    )


@dataclass(kw_only=True)
class L1Logistic(L1LogisticOptions, Method):
    """Blankets from the paths of L1-penalised logistic regressions (L1LR-BIC)."""

    name: ClassVar[str] = "l1lr"

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


@dataclass(kw_only=True)
class BlanketsJointPosteriorOptions(GammaOptions):
    """Options of BJP: gamma of BIC_gamma, which scores the edges of the finished graph."""


@dataclass(kw_only=True)
class BlanketsJointPosterior(BlanketsJointPosteriorOptions, Method):
    """The graph whose independence assertions are most probable together (BJP)."""

    name: ClassVar[str] = "bjp"

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
