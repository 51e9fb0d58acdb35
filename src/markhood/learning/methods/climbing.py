"""Greedy blankets and a graph of these: PLRHC, HC and MPL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from markhood.errors import InputError, option
from markhood.kernels.protocol import FitPenalty
from markhood.learning.methods.method import (
    Method,
    is_number,
    require_count,
    require_gamma,
    require_one_of,
)
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.scores.mpl import Mpl
from markhood.search.hill_climbing import climb_again, hill_climb
from markhood.search.values.found import Found
from markhood.search.values.job import Job

CRITERIA: Mapping[str, Callable[[float], Criterion]] = {"bic": Bic, "mpl": Mpl}


@dataclass(frozen=True)
class Climbing(Method):
    """Every variable's blanket by a greedy search, and a graph of these: what some methods share.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in the criterion.
    rule : {"global", "or", "and"}, default="global"
        How blankets become a graph: by a climb, by their union, or by their agreement.
    start : {"or", "empty"}, default="or"
        Where the climb begins: at the union of all blankets, or without edges.
    """

    rules: ClassVar[list[str]] = ["global", "or", "and"]

    gamma: float = 0.5
    rule: str = "global"
    start: str = "or"

    def __post_init__(self) -> None:
        """Check the options."""
        require_gamma(self.gamma)
        require_one_of("rule", self.rule, self.rules)
        require_one_of("start", self.start, ["or", "empty"])

    @property
    def near(self) -> dict[str, int | None]:
        """Where blankets are looked for: among all variables."""
        return {"depth": None}

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        return hill_climb(
            job,
            gamma=self.gamma,
            rule=self.rule,  # type: ignore[arg-type]
            start=self.start,  # type: ignore[arg-type]
            **self.near,  # type: ignore[arg-type]
        )

    def search_again(self, job: Job, before: Found) -> Found:
        """Search among the neighbours that were found before."""
        return climb_again(job, before, self.rule, self.gamma)  # type: ignore[arg-type]


@dataclass(frozen=True)
class HillClimbing(Climbing):
    """Blankets searched for among all variables (HC).

    Parameters
    ----------
    gamma, rule, start
        As for `Climbing`; the rule "pair" is a climb that scores each edge once, with the
        likelihood of its pair.
    criterion : "bic", "mpl" or Criterion, default="bic"
        What scores a blanket; an object with a method ``score(table) -> float``.
    fit_penalty : {"l2", "l1"}, optional
        Maximise the likelihood in "bic" less a penalty on the slopes; intercepts are free.
    fit_strength : float, optional
        Times what the slopes' squares ("l2") or sizes ("l1") are taken off; by default 1.
    """

    name: ClassVar[str] = "hc"
    rules: ClassVar[list[str]] = ["global", "pair", "or", "and"]

    criterion: str | Criterion = "bic"
    fit_penalty: str | None = None
    fit_strength: float | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        is_known = isinstance(self.criterion, str) and self.criterion in CRITERIA
        is_class = isinstance(self.criterion, type)
        if not is_known and (is_class or not callable(getattr(self.criterion, "score", None))):
            raise InputError(
                f"Unknown criterion {self.criterion!r}: choose one of {', '.join(CRITERIA)}, or "
                "give an object with a method score(table)."
            )
        require_one_of("fit_penalty", self.fit_penalty, [None, "l1", "l2"])
        if self.rule == "pair" and (self.criterion != "bic" or self.fit_penalty is not None):
            raise InputError(
                f"{option('rule', 'pair')} scores edges by the likelihood of pairs and BIC's price: "
                f"use it with {option('criterion', 'bic')} and without {option('fit_penalty')}."
            )
        if self.fit_penalty is not None and self.criterion != "bic":
            raise InputError(
                f"{option('fit_penalty')} is for the criterion 'bic', which alone fits "
                "regressions: leave one of the two out."
            )
        if self.fit_strength is not None:
            if self.fit_penalty is None:
                raise InputError(
                    f"{option('fit_strength')} needs a {option('fit_penalty')}: give l1 or l2, or "
                    "leave it out."
                )
            if not is_number(self.fit_strength) or self.fit_strength <= 0:
                raise InputError(
                    f"{option('fit_strength')} must be a number above 0, not {self.fit_strength!r}."
                )

    @property
    def scored_by(self) -> Criterion:
        """What scores blankets."""
        if not isinstance(self.criterion, str):
            return self.criterion
        if self.fit_penalty is None:
            return CRITERIA[self.criterion](self.gamma)
        strength = 1.0 if self.fit_strength is None else float(self.fit_strength)
        return Bic(self.gamma, FitPenalty(**{self.fit_penalty: strength}))


@dataclass(frozen=True)
class Plrhc(HillClimbing):
    """Blankets searched for near each variable in the screened graph (PLRHC).

    Parameters
    ----------
    gamma, rule, criterion, start, fit_penalty, fit_strength
        As for `HillClimbing`; the screen's criterion is always BIC_gamma.
    depth : int, default=3
        How many steps of the screened graph are near.
    max_candidates : int, optional
        Look among so many near variables at most: see `markhood.search.spaces` for which.
    """

    name: ClassVar[str] = "plrhc"

    depth: int = 3
    max_candidates: int | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        require_count("depth", self.depth)
        require_count("max_candidates", 1 if self.max_candidates is None else self.max_candidates)

    @property
    def near(self) -> dict[str, int | None]:
        """Where blankets are looked for: within some steps."""
        most = None if self.max_candidates is None else int(self.max_candidates)
        return {"depth": int(self.depth), "max_candidates": most}


@dataclass(frozen=True)
class MarginalPseudoLikelihood(Climbing):
    """Hill climbing over all variables by the marginal pseudo-likelihood (MPL).

    Parameters
    ----------
    gamma, rule, start
        As for `Climbing`, with the defaults of the method's authors.
    """

    name: ClassVar[str] = "mpl"

    start: str = "empty"

    @property
    def scored_by(self) -> Criterion:
        """What scores blankets."""
        return Mpl(self.gamma)
