"""The ways of learning a graph: their options, checked, and how each is run.

A method is a small frozen object; `METHODS` lists them by the names that people type. What a
method does with samples, and with what is known beforehand, is in `search`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol

from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.greedy import TIE
from markhood.kernels.protocol import Costs, FitPenalty, Kernels
from markhood.learning.learned import Learned, finish, finish_pairs, timed
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.scores.mpl import Mpl
from markhood.search.chow_liu import require_forest, spanning_forest
from markhood.search.combine import combine
from markhood.search.hill_climbing import hill_climb
from markhood.search.ibmap import blankets_joint_posterior
from markhood.search.knowledge import NOTHING, Knowledge
from markhood.search.l1_paths import LARGEST_BLANKET, l1_blankets, slopes_of_edges
from markhood.search.screen import pair_costs, screen

CRITERIA: Mapping[str, Callable[[float], Criterion]] = {"bic": Bic, "mpl": Mpl}


class Method(Protocol):
    """Options of a way of learning, and the learning."""

    name: ClassVar[str]

    def learn(
        self, samples: Samples, kernels: Kernels, runner: Runner, knowledge: Knowledge = NOTHING
    ) -> Learned:
        """Learn a graph from samples."""


@dataclass(frozen=True)
class HillClimbing:
    """Blankets searched for among all variables (HC).

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in the criterion.
    rule : {"global", "pair", "or", "and"}, default="global"
        How blankets become a graph: by a climb, by a climb that scores each edge once with the likelihood of
        its pair, by their union, or by their agreement.
    criterion : "bic", "mpl" or Criterion, default="bic"
        What scores a blanket; an object with a method ``score(table) -> float``.
    start : {"or", "empty"}, default="or"
        Where the climb begins: at the union of all blankets, or without edges.
    fit_penalty : {"l2", "l1"}, optional
        Maximise the likelihood in "bic" less a penalty on the slopes; intercepts are free.
    fit_strength : float, optional
        Times what the slopes' squares ("l2") or sizes ("l1") are taken off; by default 1.
    """

    name: ClassVar[str] = "hc"

    gamma: float = 0.5
    rule: str = "global"
    criterion: str | Criterion = "bic"
    start: str = "or"
    fit_penalty: str | None = None
    fit_strength: float | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        _require_gamma(self.gamma)
        _require_one_of("rule", self.rule, ["global", "pair", "or", "and"])
        _require_one_of("start", self.start, ["or", "empty"])
        is_known = isinstance(self.criterion, str) and self.criterion in CRITERIA
        is_class = isinstance(self.criterion, type)
        if not is_known and (is_class or not callable(getattr(self.criterion, "score", None))):
            raise InputError(
                f"Unknown criterion {self.criterion!r}: choose one of {', '.join(CRITERIA)}, or "
                "give an object with a method score(table)."
            )
        _require_one_of("fit_penalty", self.fit_penalty, [None, "l1", "l2"])
        if self.rule == "pair" and (self.criterion != "bic" or self.fit_penalty is not None):
            raise InputError(
                f"{option('rule', 'pair')} scores edges by the likelihood of pairs and BIC's price: use it with "
                f"{option('criterion', 'bic')} and without {option('fit_penalty')}."
            )
        if self.fit_penalty is not None and self.criterion != "bic":
            raise InputError(
                "fit_penalty is for the criterion 'bic', which alone fits regressions: leave one "
                "of the two out."
            )
        if self.fit_strength is not None:
            if self.fit_penalty is None:
                raise InputError(
                    "fit_strength needs a fit_penalty: give l1 or l2, or leave it out."
                )
            if not _is_number(self.fit_strength) or self.fit_strength <= 0:
                raise InputError(
                    f"fit_strength must be a number above 0, not {self.fit_strength!r}."
                )

    def learn(
        self, samples: Samples, kernels: Kernels, runner: Runner, knowledge: Knowledge = NOTHING
    ) -> Learned:
        """Learn a graph from samples."""
        return hill_climb(
            samples,
            criterion=self.criterion_used(),
            gamma=self.gamma,
            rule=self.rule,  # type: ignore[arg-type]
            start=self.start,  # type: ignore[arg-type]
            kernels=kernels,
            runner=runner,
            knowledge=knowledge,
            **self.near(),
        )

    def near(self) -> dict[str, int | None]:
        """Say where blankets are looked for: here among all variables."""
        return {"depth": None}

    def criterion_used(self) -> Criterion:
        """Return what scores blankets, as an object."""
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
    gamma, rule, criterion, start
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
        _require_count("depth", self.depth)
        _require_count("max_candidates", 1 if self.max_candidates is None else self.max_candidates)

    def near(self) -> dict[str, int | None]:
        """Say where blankets are looked for: within some steps."""
        most = None if self.max_candidates is None else int(self.max_candidates)
        return {"depth": int(self.depth), "max_candidates": most}


@dataclass(frozen=True)
class MarginalPseudoLikelihood(HillClimbing):
    """Hill climbing over all variables by the marginal pseudo-likelihood (MPL).

    Parameters
    ----------
    gamma, rule, criterion, start
        As for `HillClimbing`, with the defaults of the method's authors.
    """

    name: ClassVar[str] = "mpl"

    criterion: str | Criterion = "mpl"
    start: str = "empty"


@dataclass(frozen=True)
class L1Logistic:
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
        _require_gamma(self.gamma)
        _require_one_of("rule", self.rule, ["or", "and"])
        _require_one_of("standardize", self.standardize, [True, False])
        _require_one_of("refit", self.refit, [True, False])

    def learn(
        self, samples: Samples, kernels: Kernels, runner: Runner, knowledge: Knowledge = NOTHING
    ) -> Learned:
        """Learn a graph from samples."""
        seconds: dict[str, float] = {}
        with timed(seconds, "paths"):
            blankets = l1_blankets(
                samples,
                gamma=float(self.gamma),
                standardize=self.standardize,
                refit=self.refit,
                kernels=kernels,
                runner=runner,
                # A support past this never came back to one that can be chosen (0 of 5568 paths).
                largest_support=4 * LARGEST_BLANKET if self.refit else None,
                knowledge=knowledge,
            )
        or_edges = combine(blankets.members, "or")
        edges = or_edges if self.rule == "or" else combine(blankets.members, "and")
        learned = finish(
            samples,
            edges,
            criterion=Bic(self.gamma),
            kernels=kernels,
            runner=runner,
            or_edges=or_edges,
            evaluations={"paths": blankets.evaluations},
            seconds=seconds,
        )
        if blankets.slopes is None:
            return learned
        # Without a refit the path's own coefficients are the answer, zero where an end has none.
        ends = slopes_of_edges(blankets.members, blankets.slopes, edges)
        graph = Graph(samples.names, edges, learned.graph.evidence_ends, ends)
        return replace(learned, graph=graph)


@dataclass(frozen=True)
class BlanketsJointPosterior:
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
        _require_gamma(self.gamma)

    def learn(
        self, samples: Samples, kernels: Kernels, runner: Runner, knowledge: Knowledge = NOTHING
    ) -> Learned:
        """Learn a graph from samples."""
        seconds: dict[str, float] = {}
        with timed(seconds, "climb"):
            found = blankets_joint_posterior(samples, kernels, runner, knowledge)
        return finish(
            samples,
            found.edges,
            criterion=Bic(self.gamma),
            kernels=kernels,
            runner=runner,
            or_edges=found.edges,
            evaluations={"climb": found.evaluations},
            seconds=seconds,
        )


@dataclass(frozen=True)
class Pairwise:
    """The screen alone: all pairs that depend on each other, directly or not.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    """

    name: ClassVar[str] = "pairwise"

    gamma: float = 0.5

    def __post_init__(self) -> None:
        """Check the options."""
        _require_gamma(self.gamma)

    def learn(
        self, samples: Samples, kernels: Kernels, runner: Runner, knowledge: Knowledge = NOTHING
    ) -> Learned:
        """Learn a graph from samples."""
        seconds: dict[str, float] = {}
        with timed(seconds, "screen"):
            screened = screen(samples, pair_costs(samples, self.gamma), kernels, runner)
        edges = knowledge.applied_to(screened.edges)
        return finish_pairs(samples, edges, screened, Bic(self.gamma), kernels, runner, seconds)


@dataclass(frozen=True)
class ChowLiu:
    """The most likely forest.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    forest : bool, default=True
        Whether only pairs that pass the screen may be edges; otherwise the result is a tree.
    """

    name: ClassVar[str] = "chow-liu"

    gamma: float = 0.5
    forest: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        _require_gamma(self.gamma)
        _require_one_of("forest", self.forest, [True, False])

    def learn(
        self, samples: Samples, kernels: Kernels, runner: Runner, knowledge: Knowledge = NOTHING
    ) -> Learned:
        """Learn a graph from samples."""
        require_forest(knowledge, samples.names)
        seconds: dict[str, float] = {}
        with timed(seconds, "screen"):
            costs = pair_costs(samples, self.gamma) if self.forest else Costs(0.0, TIE)
            screened = screen(samples, costs, kernels, runner)
        with timed(seconds, "forest"):
            edges = spanning_forest(screened, samples.n_variables, knowledge)
        return finish_pairs(samples, edges, screened, Bic(self.gamma), kernels, runner, seconds)


METHODS: Mapping[str, type[Method]] = {
    method.name: method
    for method in (
        Plrhc,
        HillClimbing,
        L1Logistic,
        MarginalPseudoLikelihood,
        BlanketsJointPosterior,
        Pairwise,
        ChowLiu,
    )
}


def method_named(name: str, options: Mapping[str, Any]) -> Method:
    """Return the method of that name with these options.

    Raises
    ------
    InputError
        If there is no such method, or it has no such option.
    """
    if name not in METHODS:
        raise InputError(f"Unknown method {name!r}: choose one of {', '.join(METHODS)}.")
    known = options_of(METHODS[name])
    for given in options:
        if given not in known:
            close = get_close_matches(given, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it takes {', '.join(known)}."
            raise InputError(f"Method {name!r} has no option {given!r}: {hint}")
    return METHODS[name](**options)


def options_of(method: Method | type[Method]) -> list[str]:
    """List the names of a method's options."""
    return [field.name for field in fields(method)]  # type: ignore[arg-type]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _require_count(option: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{option} must be a whole number from 1 up, not {value!r}.")


def _require_gamma(gamma: float) -> None:
    if not _is_number(gamma) or gamma < 0:
        raise InputError(f"gamma must be a finite number from 0 up, not {gamma!r}.")


def _require_one_of(option: str, value: Any, choices: list[Any]) -> None:
    if value not in choices:
        listed = ", ".join(map(str, choices))
        raise InputError(f"Unknown {option} {value!r}: choose one of {listed}.")
