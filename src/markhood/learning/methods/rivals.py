"""The other methods of the paper's comparison: L1LR-BIC and BJP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from markhood.learning.factors import FactorOptions
from markhood.learning.methods.climbing import RULES
from markhood.learning.methods.method import GammaOptions, Method
from markhood.options import declare
from markhood.output.citation import Reference
from markhood.search.ibmap import blankets_joint_posterior
from markhood.search.l1_paths import l1_search
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult


@dataclass(kw_only=True)
class L1LogisticOptions(FactorOptions, GammaOptions):
    """Options of L1LR-BIC."""

    rule: Literal["or", "and"] = declare(
        "or", "How blankets are combined into a graph: union (or) or intersection (and)."
    )
    standardize: bool = declare(
        False, "Penalise slopes in proportion to the standard deviations of their variables."
    )
    refit: bool = declare(
        True,
        "Score supports at their maximum likelihood. IsingFit's variant is refit=False, "
        "standardize=True, gamma=0.25, rule='and'.",
    )


@dataclass(kw_only=True)
class L1Logistic(L1LogisticOptions, Method):
    """Blankets from the paths of L1-penalised logistic regressions (L1LR-BIC)."""

    name: ClassVar[str] = "l1lr"
    uses_order: ClassVar[bool] = False  # its paths are over indicators

    def search(self, job: Job) -> SearchResult:
        return l1_search(
            job,
            gamma=float(self.gamma),
            rule=self.rule,
            standardize=self.standardize,
            refit=self.refit,
        )

    citations: ClassVar[tuple[Reference, ...]] = (
        Reference(
            "Ravikumar, Wainwright and Lafferty, 2010",
            "P. Ravikumar, M. J. Wainwright and J. D. Lafferty (2010). High-dimensional Ising "
            "model selection using l1-regularized logistic regression. The Annals of "
            "Statistics 38(3), 1287-1319. https://doi.org/10.1214/09-AOS691.",
        ),
        Reference(
            "Barber and Drton, 2015",
            "R. F. Barber and M. Drton (2015). High-dimensional Ising model selection with "
            "Bayesian information criteria. Electronic Journal of Statistics 9(1), 567-607. "
            "https://doi.org/10.1214/15-EJS1012.",
        ),
    )

    def sentences(self) -> Iterator[str]:
        scaled = " on standardised variables" if self.standardize else ""
        refit = "after a refit without the penalty" if self.refit else "without a refit"
        yield (
            "Neighbourhoods were chosen on the path of each variable's L1-penalised logistic "
            f"regression{scaled} by the extended Bayesian information criterion (gamma = "
            f"{self.gamma:g}), {refit}; {RULES[self.rule]}."
        )


@dataclass(kw_only=True)
class BlanketsJointPosteriorOptions(GammaOptions):
    """Options of BJP: gamma of BIC_gamma, which scores the edges of the finished graph."""


@dataclass(kw_only=True)
class BlanketsJointPosterior(BlanketsJointPosteriorOptions, Method):
    """The graph with the highest joint posterior of its independence assertions (BJP)."""

    name: ClassVar[str] = "bjp"
    uses_order: ClassVar[bool] = False  # its tests are on tables
    takes_reals: ClassVar[bool] = False
    tested_gamma: ClassVar[None] = None  # gamma scores the finished graph only

    def search(self, job: Job) -> SearchResult:
        return blankets_joint_posterior(job)

    citations: ClassVar[tuple[Reference, ...]] = (
        Reference(
            "Schlüter et al., 2018",
            "F. Schlüter, Y. Strappa, D. H. Milone and F. Bromberg (2018). Blankets Joint "
            "Posterior score for learning Markov network structures. International Journal of "
            "Approximate Reasoning 92, 295-320. https://arxiv.org/abs/1608.02315.",
        ),
    )

    def sentences(self) -> Iterator[str]:
        yield (
            "Hill climbing (IBMAP-HC) searched for the graph whose independence assertions have "
            "the highest joint posterior probability."
        )
