"""The ways of learning a graph: their options, checked, and the search that each stands for.

A method is a small frozen object; `METHODS` lists them by the names that people type. What a method
does with a job is in `search`: here it is only called, with the options that it takes.
It is long because every option of every method is told of here, once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol

from markhood.data.alphabets import alphabet_of
from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.kernels.protocol import FitPenalty
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.scores.mpl import Mpl
from markhood.search.chow_liu import chow_liu
from markhood.search.found import Found
from markhood.search.graph_sampler import START_GAMMA, GraphPrior, Sweeps, bayes
from markhood.search.hill_climbing import climb_again, hill_climb
from markhood.search.ibmap import blankets_joint_posterior
from markhood.search.job import Job
from markhood.search.l1_paths import l1_search
from markhood.search.pairwise import pairwise
from markhood.search.probabilities import Choice
from markhood.search.pseudo_likelihood import MIXTURE, pseudo_likelihood
from markhood.search.ranking import PAIRS_PER_VARIABLE

# Where fits take microseconds, longer chains are had for little: they disagree in fewer data sets.
MOST_QUICK = 2000
QUICK_SWEEPS, SWEEPS = 80, 20
CRITERIA: Mapping[str, Callable[[float], Criterion]] = {"bic": Bic, "mpl": Mpl}


class Method(Protocol):
    """Options of a way of learning, and the search."""

    name: ClassVar[str]
    is_random: ClassVar[bool] = False  # whether the search draws, from the job's seed
    takes_missing: ClassVar[bool] = False  # whether it leaves missing values out, unimputed

    @property
    def scored_by(self) -> Criterion:
        """What scores blankets in the search, and edges in the graph that it ends with."""

    @property
    def heeds_order(self) -> bool:
        """Whether ordered levels are steps to it: MPL is of tables, without order."""
        return not isinstance(self.scored_by, Mpl)

    @property
    def adjusts(self) -> bool:
        """Whether it can keep covariates in every blanket."""
        return False

    def search(self, job: Job) -> Found:
        """Search for a graph."""

    def search_again(self, job: Job, before: Found) -> Found:
        """Search in samples that hardly differ from those in which something was found before."""
        return self.search(job)


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
        _require_gamma(self.gamma)
        _require_one_of("rule", self.rule, self.rules)
        _require_one_of("start", self.start, ["or", "empty"])

    @property
    def near(self) -> dict[str, int | None]:
        """Where blankets are looked for: among all variables."""
        return {"depth": None}

    @property
    def adjusts(self) -> bool:
        """Whether it can keep covariates in every blanket: the likelihood of pairs has none."""
        return self.rule != "pair"

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
        _require_one_of("fit_penalty", self.fit_penalty, [None, "l1", "l2"])
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
            if not _is_number(self.fit_strength) or self.fit_strength <= 0:
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
        _require_count("depth", self.depth)
        _require_count("max_candidates", 1 if self.max_candidates is None else self.max_candidates)

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
        _require_gamma(self.gamma)
        _require_one_of("rule", self.rule, ["or", "and"])
        _require_one_of("standardize", self.standardize, [True, False])
        _require_one_of("refit", self.refit, [True, False])

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
        _require_gamma(self.gamma)

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


@dataclass(frozen=True)
class Pairwise(Method):
    """The screen alone: all pairs that depend on each other, directly or not.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    ranking : {"evidence", "mi", "mi_apc"}, default="evidence"
        By what pairs are ranked: their gain in the screen, which must be above nothing; or, of all pairs whatever
        their price, the mutual information, or that with the average-product correction.
    top : int, optional
        Keep so many of the best; by default all that pass the screen, and of all pairs one and a half
        times as many as there are variables.
    remove_indirect : bool, default=False
        Whether the weakest pair of every triangle of these is taken for indirect and left out (ARACNE's rule).
    """

    name: ClassVar[str] = "pairwise"

    gamma: float = 0.5
    ranking: str = "evidence"
    top: int | None = None
    remove_indirect: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        _require_gamma(self.gamma)
        _require_one_of("ranking", self.ranking, ["evidence", "mi", "mi_apc"])
        _require_count("top", 1 if self.top is None else self.top)
        _require_one_of("remove_indirect", self.remove_indirect, [True, False])

    @property
    def scored_by(self) -> Criterion:
        """What scores pairs."""
        return Bic(self.gamma)

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        top = None if self.top is None else int(self.top)
        return pairwise(
            job,
            self.gamma,
            self.ranking,  # type: ignore[arg-type]
            top,
            bool(self.remove_indirect),
        )


@dataclass(frozen=True)
class ChowLiu(Method):
    """The forest under which the data are most likely.

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

    @property
    def scored_by(self) -> Criterion:
        """What scores the edges."""
        return Bic(self.gamma)

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        return chow_liu(job, self.gamma, self.forest)


@dataclass(frozen=True)
class Bayes(Method):
    """Every pair that may be an edge with its probability, by chains over graphs.

    Parameters
    ----------
    fdr : float, optional
        Keep the largest set of likeliest pairs of which no more than this share is expected to be
        false; in place of ``min_probability``.
    min_probability : float, default=0.5
        Keep the pairs whose probability is above this.
    edge_prior : float, optional
        The probability of an edge before the data are seen; by default learned from all pairs.
    sweeps : int, optional
        Over how many sweeps of each chain probabilities are averaged; a quarter as many come before.
        By default 80 for up to 2000 variables of two values without weights, whose fits are quick, and 20
        otherwise.
    chains : int, default=4
        How many chains there are.
    """

    name: ClassVar[str] = "bayes"
    is_random: ClassVar[bool] = True

    fdr: float | None = None
    min_probability: float = 0.5
    edge_prior: float | None = None
    sweeps: int | None = None
    chains: int = 4

    def __post_init__(self) -> None:
        """Check the options."""
        for name in ("fdr", "edge_prior"):
            value = getattr(self, name)
            if value is not None and (not _is_number(value) or not 0 < value < 1):
                raise InputError(
                    f"{option(name)} must be a number between 0 and 1, both excluded, not "
                    f"{value!r}."
                )
        least = self.min_probability
        if not _is_number(least) or not 0 <= least < 1:
            raise InputError(
                f"{option('min_probability')} must be a number from 0 to below 1, not {least!r}."
            )
        if self.fdr is not None and least != 0.5:
            raise InputError(
                f"{option('fdr')} and {option('min_probability')} both choose edges: leave one of "
                "the two out."
            )
        if self.sweeps is not None:
            _require_count("sweeps", self.sweeps)
        _require_count("chains", self.chains)

    @property
    def scored_by(self) -> Criterion:
        """What scores blankets where the chains begin, and the edges of the finished graph."""
        return Bic(START_GAMMA)

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        return bayes(
            job, choice=self.choice, prior=self.prior_for(job), sweeps=self.lengths(job.samples)
        )

    @property
    def choice(self) -> Choice:
        """Which pairs make the graph."""
        return Choice(self.fdr, self.min_probability)

    def prior_for(self, job: Job) -> GraphPrior:
        """Return what is believed of edges before the data are seen."""
        density = None if self.edge_prior is None else float(self.edge_prior)
        known = job.knowledge
        return GraphPrior(density, pairs=known.priors, probabilities=known.prior_probabilities)

    def lengths(self, samples: Samples) -> Sweeps:
        """Return how long the chains are, and how many."""
        is_quick = (
            samples.is_binary and samples.weights is None and samples.n_variables <= MOST_QUICK
        )
        averaged = int(self.sweeps or (QUICK_SWEEPS if is_quick else SWEEPS))
        return Sweeps(int(self.chains), (averaged + 3) // 4, averaged)


@dataclass(frozen=True)
class PseudoLikelihood(Method):
    """All pairs ranked by the couplings of the whole Potts model, penalised (plmDCA).

    Parameters
    ----------
    penalty : float, default=0.01
        What the squares of couplings are multiplied by, times (d - 1) sqrt((r_i - 1) (r_j - 1)).
    top : int or "mixture", optional
        How many pairs are edges, or those that stick out of the background of scores. By default three
        for every two positions of a protein, and the mixture elsewhere.
    """

    name: ClassVar[str] = "plm"
    takes_missing: ClassVar[bool] = True

    penalty: float = 0.01
    top: int | str | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        if not _is_number(self.penalty) or self.penalty <= 0:
            raise InputError(f"{option('penalty')} must be a number above 0, not {self.penalty!r}.")
        if self.top is None or self.top == MIXTURE:
            return
        if not isinstance(self.top, Integral) or isinstance(self.top, bool) or self.top < 1:
            raise InputError(
                f"{option('top')} must be a whole number of pairs from 1 up, or {MIXTURE}, not "
                f"{self.top!r}."
            )

    @property
    def scored_by(self) -> Criterion:
        """What would score blankets: the search has none."""
        return Bic()

    @property
    def heeds_order(self) -> bool:
        """Whether ordered levels are steps to it: its couplings are tables, without order."""
        return False

    def search(self, job: Job) -> Found:
        """Rank all pairs."""
        return pseudo_likelihood(job, penalty=float(self.penalty), top=self._top(job.samples))

    def _top(self, samples: Samples) -> int | None:
        """Return how many pairs are edges; None where the scores decide."""
        if self.top is None and alphabet_of(samples.variables) == "protein":
            return int(PAIRS_PER_VARIABLE * (~samples.is_constant).sum())
        return None if self.top in (None, MIXTURE) else int(self.top)


METHODS: Mapping[str, type[Method]] = {
    method.name: method
    for method in (
        Plrhc,
        HillClimbing,
        Bayes,
        L1Logistic,
        MarginalPseudoLikelihood,
        BlanketsJointPosterior,
        Pairwise,
        ChowLiu,
        PseudoLikelihood,
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
            hint = f"did you mean {option(close[0])}?" if close else f"it takes {', '.join(known)}."
            raise InputError(
                f"Method {name!r} has no option {option(given, options[given])}: {hint}"
            )
    return METHODS[name](**options)


def options_of(method: Method | type[Method]) -> list[str]:
    """List the names of a method's options."""
    return [field.name for field in fields(method)]  # type: ignore[arg-type]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _require_count(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{option(name)} must be a whole number from 1 up, not {value!r}.")


def _require_gamma(gamma: float) -> None:
    if not _is_number(gamma) or gamma < 0:
        raise InputError(f"{option('gamma')} must be a finite number from 0 up, not {gamma!r}.")


def _require_one_of(name: str, value: Any, choices: list[Any]) -> None:
    if value not in choices:
        listed = ", ".join(map(str, choices))
        raise InputError(f"Unknown {option(name)} {value!r}: choose one of {listed}.")
