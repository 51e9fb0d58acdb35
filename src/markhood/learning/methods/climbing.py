"""Greedy blankets combined into a graph: PLRHC, HC and MPL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

from markhood.errors import InputError, option, option_error
from markhood.kernels.protocol import FitPenalty
from markhood.learning.factors import FactorOptions
from markhood.learning.forecast.forecast import Climb, Forecast, forecast_climb, require_room
from markhood.learning.methods.method import GammaOptions, Method
from markhood.options import declare
from markhood.output.citation import PAPER, Reference
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.scores.mpl import CRITERIA, Mpl
from markhood.search.hill_climbing import climb_again, hill_climb
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult

PENALTIES = ("l1", "l2")
FEWER_CANDIDATES = 100  # a bound that keeps most edges
RULES = {
    "global": "hill climbing over the union of all neighbourhoods then chose the edges by the "
    "sum of the scores",
    "pair": "hill climbing over the union of all neighbourhoods then chose the edges by the "
    "likelihood of pairs",
    "or": "two variables are joined where either is a neighbour of the other (OR rule)",
    "and": "two variables are joined where each is a neighbour of the other (AND rule)",
}


def _penalty(given: Any) -> tuple[str, float]:
    """Return a penalty as its kind and strength: "l2", "l2:0.5" or ("l2", 0.5)."""
    if isinstance(given, str):
        kind, _, strength = given.partition(":")
        given = (kind, strength or 1.0)
    try:
        kind, strength = given
        number = float(strength)
    except (TypeError, ValueError):
        kind, number = "", 0.0
    if kind not in PENALTIES or not 0 < number < float("inf"):
        raise InputError(
            "option-value",
            "fit_penalty",
            f"Unknown {option('fit_penalty')} {given!r}: choose one of {', '.join(PENALTIES)}, or "
            "add a strength above 0, as in ('l2', 0.5).",
        )
    return str(kind), number


def _criterion(given: Any) -> Any:
    is_known = isinstance(given, str) and given in CRITERIA
    is_class = isinstance(given, type)
    if not is_known and (is_class or not callable(getattr(given, "score", None))):
        raise InputError(
            "option-value",
            "criterion",
            f"Unknown {option('criterion')} {given!r}: choose one of {', '.join(CRITERIA)}, or "
            "pass an object with a method score(table).",
        )
    return given


@dataclass(kw_only=True)
class ClimbingOptions(GammaOptions):
    """Options of hill climbing over edges."""

    rule: Literal["global", "or", "and"] = declare(
        "global",
        "How blankets are combined into a graph: hill climbing over edges (global), union (or) or "
        "intersection (and).",
    )
    start: Literal["or", "empty"] = declare(
        "or", "Start of the climb: the union of all blankets (or) or the empty graph (empty)."
    )


class Climbing(ClimbingOptions, Method):
    """Greedy blankets of all variables, combined into a graph: shared by several methods."""

    citations: ClassVar[tuple[Reference, ...]] = (PAPER,)

    @property
    def near(self) -> dict[str, int | None]:
        """The search space of blankets: all variables."""
        return {"depth": None}

    def search(self, job: Job) -> SearchResult:
        return hill_climb(
            job,
            gamma=self.gamma,
            rule=self.rule,
            start=self.start,
            **self.near,  # type: ignore[arg-type]
        )

    @property
    def climb(self) -> Climb:
        """The options that a forecast needs."""
        return Climb(self.gamma, **self.near, is_global=self.rule == "global")

    def sentences(self) -> Iterator[str]:
        by, criterion = "a criterion of the authors' own", self.scored_by
        if type(criterion) in CRITERIA.values():  # a subclass may score differently
            by = getattr(criterion, "description", "")
        where, near = "among all others", self.near
        if near["depth"] is not None:
            where = (
                f"among those within {near['depth']} steps in the graph of pairs whose penalised "
                "likelihood ratio is positive"
            )
        if near.get("max_candidates") is not None:
            where += f", limited to the {near['max_candidates']} strongest"
        yield f"The neighbours of each variable were searched for greedily by {by}, {where}."
        yield f"{RULES[self.rule][0].upper()}{RULES[self.rule][1:]}."

    def forecast(self, job: Job) -> Forecast:
        """Forecast the screen, the search for blankets and the climb."""
        return forecast_climb(job, self.climb)

    def require_room(self, job: Job) -> None:
        """Raise if the screened pairs will not fit in memory."""
        if self.climb.depth is not None:
            require_room(job, self.gamma, max_candidates=self.climb.max_candidates)


@dataclass(kw_only=True)
class HillClimbingOptions(FactorOptions, ClimbingOptions):
    """Options of HC."""

    rule: Literal["global", "pair", "or", "and"] = declare(  # type: ignore[assignment]
        "global",
        "How blankets are combined into a graph: hill climbing over edges (global), hill climbing "
        "by the likelihood of pairs (pair), union (or) or intersection (and).",
    )
    criterion: Any = declare(
        "bic",
        "Criterion of blankets: bic, mpl, or an object with a method score(table).",
        convert=_criterion,
        parse=str,
        metavar="NAME",
    )
    fit_penalty: Any = declare(
        None,
        "Penalty on the slopes in the fits of bic: l2 or l1 with strength 1, or with a strength "
        "as in ('l2', 0.5). Useful for separated or few data. On the command line l2:0.5.",
        convert=_penalty,
        parse=str,
        metavar="KIND",
    )


@dataclass(kw_only=True)
class HillClimbing(HillClimbingOptions, Climbing):
    """Blankets searched among all variables (HC)."""

    name: ClassVar[str] = "hc"

    def check(self) -> None:
        """Check the options and their combination."""
        super().check()
        if self.rule == "pair" and (self.criterion != "bic" or self.fit_penalty is not None):
            raise InputError(
                "option-conflict",
                "rule",
                f"{option('rule', 'pair')} scores edges by the likelihood of pairs and the BIC "
                f"penalty: use it with {option('criterion', 'bic')} and without "
                f"{option('fit_penalty')}.",
            )
        if self.fit_penalty is not None and self.criterion != "bic":
            raise option_error(
                "fit_penalty",
                "applies to the criterion 'bic' only, which fits regressions: use one of the two.",
                "option-conflict",
            )

    def search_again(self, job: Job, before: SearchResult) -> SearchResult:
        """Search among the neighbours that an earlier search found."""
        return climb_again(job, before, self.rule, self.gamma)

    @property
    def settling(self) -> Method:
        """The method itself, with the rule "global" for "pair", which takes ten times as long."""
        return replace(self, rule="global") if self.rule == "pair" else self

    @property
    def scored_by(self) -> Criterion:
        """The criterion of blankets."""
        if not isinstance(self.criterion, str):
            return cast("Criterion", self.criterion)
        if self.fit_penalty is None:
            return CRITERIA[self.criterion](self.gamma)
        kind, strength = self.fit_penalty
        return Bic(self.gamma, FitPenalty(**{kind: float(strength)}))


@dataclass(kw_only=True)
class PlrhcOptions(HillClimbingOptions):
    """Options of PLRHC."""

    depth: int = declare(
        3, "Search for blankets within this many steps of the screened graph.", low=1
    )
    max_candidates: int | None = declare(
        None,
        "Maximum size of a search space; nearer and stronger candidates first. By default "
        "unlimited.",
        low=1,
    )


@dataclass(kw_only=True)
class Plrhc(PlrhcOptions, HillClimbing):
    """Blankets searched near each variable in the screened graph (PLRHC)."""

    name: ClassVar[str] = "plrhc"

    @property
    def near(self) -> dict[str, int | None]:
        """The search space of blankets: variables within `depth` steps."""
        most = None if self.max_candidates is None else int(self.max_candidates)
        return {"depth": int(self.depth), "max_candidates": most}

    @property
    def narrower(self) -> dict[str, Any]:
        return {} if self.max_candidates is not None else {"max_candidates": FEWER_CANDIDATES}


@dataclass(kw_only=True)
class MarginalPseudoLikelihoodOptions(ClimbingOptions):
    """Options of MPL, with the defaults of its authors."""

    start: Literal["or", "empty"] = declare(
        "empty",
        "Start of the climb: the union of all blankets (or) or the empty graph (empty).",
    )


@dataclass(kw_only=True)
class MarginalPseudoLikelihood(MarginalPseudoLikelihoodOptions, Climbing):
    """Hill climbing over all variables by the marginal pseudo-likelihood (MPL)."""

    name: ClassVar[str] = "mpl"

    @property
    def scored_by(self) -> Criterion:
        """The criterion of blankets."""
        return Mpl(self.gamma)

    citations: ClassVar[tuple[Reference, ...]] = (
        Reference(
            "Pensar et al., 2017",
            "J. Pensar, H. Nyman, J. Niiranen and J. Corander (2017). Marginal "
            "pseudo-likelihood learning of discrete Markov network structures. Bayesian "
            "Analysis 12(4), 1195-1215. https://arxiv.org/abs/1401.4988.",
        ),
    )
