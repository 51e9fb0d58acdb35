"""From data to a graph: the layer that `learn()`, the command line and the estimators share.

A method is a small frozen object that holds its options, checked, and knows how to learn from
samples; `METHODS` lists them by the names that people type.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol

from markhood.data.encode import encode
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.hill_climbing import Learned, hill_climb

RULES = ("global", "or", "and")


class Method(Protocol):
    """Options of a way of learning, and the learning."""

    name: ClassVar[str]

    def learn(self, samples: Samples, kernels: Kernels, runner: Runner) -> Learned:
        """Learn a graph from samples."""


@dataclass(frozen=True)
class HillClimbing:
    """Blankets searched for among all variables (HC).

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets in BIC_gamma.
    rule : {"global", "or", "and"}, default="global"
        How blankets become a graph: a climb from their union, their union, or their agreement.
    criterion : "bic" or Criterion, default="bic"
        What scores a blanket; an object with a method ``score(table) -> float``.
    """

    name: ClassVar[str] = "hc"

    gamma: float = 0.5
    rule: str = "global"
    criterion: str | Criterion = "bic"

    def __post_init__(self) -> None:
        """Check the options."""
        if not _is_a(Real, self.gamma) or not 0 <= self.gamma < math.inf:
            raise InputError(f"gamma must be a finite number from 0 up, not {self.gamma!r}.")
        object.__setattr__(self, "gamma", float(self.gamma))  # NumPy's numbers become Python's
        if self.rule not in RULES:
            raise InputError(f"Unknown rule {self.rule!r}: choose one of {', '.join(RULES)}.")
        is_object = not isinstance(self.criterion, (str, type))
        if self.criterion != "bic" and not (
            is_object and callable(getattr(self.criterion, "score", None))
        ):
            raise InputError(
                f"Unknown criterion {self.criterion!r}: choose 'bic', or give an object with a "
                "method score(table)."
            )

    def learn(self, samples: Samples, kernels: Kernels, runner: Runner) -> Learned:
        """Learn a graph from samples."""
        return self._climb(samples, kernels, runner, depth=None)

    def _climb(
        self, samples: Samples, kernels: Kernels, runner: Runner, depth: int | None
    ) -> Learned:
        return hill_climb(
            samples,
            criterion=Bic(self.gamma) if isinstance(self.criterion, str) else self.criterion,
            gamma=self.gamma,
            depth=depth,
            rule=self.rule,  # type: ignore[arg-type]
            kernels=kernels,
            runner=runner,
        )


@dataclass(frozen=True)
class Plrhc(HillClimbing):
    """Blankets searched for near each variable in the screened graph (PLRHC).

    Parameters
    ----------
    gamma, rule, criterion
        As for `HillClimbing`.
    depth : int, default=3
        How many steps of the screened graph are near.
    """

    name: ClassVar[str] = "plrhc"

    depth: int = 3

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if not _is_a(Integral, self.depth) or self.depth < 1:
            raise InputError(f"depth must be a whole number from 1 up, not {self.depth!r}.")
        object.__setattr__(self, "depth", int(self.depth))

    def learn(self, samples: Samples, kernels: Kernels, runner: Runner) -> Learned:
        """Learn a graph from samples."""
        return self._climb(samples, kernels, runner, depth=self.depth)


def _is_a(kind: type, value: Any) -> bool:
    """Whether a value is a number of that kind, Python's or NumPy's; truth is no number."""
    return isinstance(value, kind) and not isinstance(value, bool)


METHODS: Mapping[str, type[HillClimbing]] = {m.name: m for m in (Plrhc, HillClimbing)}


def method_named(name: str, options: Mapping[str, Any]) -> HillClimbing:
    """Return the method of that name with these options.

    Raises
    ------
    InputError
        If there is no such method, or it has no such option.
    """
    if name not in METHODS:
        raise InputError(f"Unknown method {name!r}: choose one of {', '.join(METHODS)}.")
    known = [field.name for field in fields(METHODS[name])]
    for option in options:
        if option not in known:
            close = get_close_matches(option, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it takes {', '.join(known)}."
            raise InputError(f"Method {name!r} has no option {option!r}: {hint}")
    return METHODS[name](**options)


def learn(data: Any, method: str = "plrhc", *, n_jobs: int | None = None, **options: Any) -> Graph:
    """Learn the graph of a pairwise Markov network from data.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables)
        Every column has two distinct values, whatever they are.
    method : {"plrhc", "hc"}, default="plrhc"
        With a screen of all pairs first, or without.
    n_jobs : int, optional
        Threads; -1 for all.
    **options
        Of the method: ``gamma=0.5``, ``rule="global"``, ``criterion="bic"`` and, for "plrhc",
        ``depth=3``.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> learn(coins).edges.tolist()
    [[0, 2]]
    """
    chosen = method_named(method, options)
    return learn_from(encode(data), chosen, runner=Runner(n_jobs)).graph


def learn_from(
    samples: Samples,
    method: HillClimbing,
    kernels: Kernels | None = None,
    runner: Runner | None = None,
) -> Learned:
    """Learn from samples, and write down where the graphs came from.

    Parameters
    ----------
    samples : Samples
    method : Method
    kernels : Kernels, optional
        Compute backend; by default the compiled one.
    runner : Runner, optional
        By default one thread.
    """
    learned = method.learn(samples, kernels or NativeKernels(), runner or Runner())
    provenance = _provenance(samples, method, learned)

    def with_provenance(graph: Graph) -> Graph:
        return Graph(graph.nodes, graph.edges, graph.evidence_ends, graph.coupling_ends, provenance)

    screened = learned.screened_graph
    return replace(
        learned,
        graph=with_provenance(learned.graph),
        or_graph=with_provenance(learned.or_graph),
        screened_graph=screened and with_provenance(screened),
    )


def _provenance(samples: Samples, method: HillClimbing, learned: Learned) -> dict[str, Any]:
    options = {field.name: getattr(method, field.name) for field in fields(method)}
    return {
        "version": version(),
        "method": method.name,
        "parameters": {
            name: value if isinstance(value, (str, int, float)) else repr(value)
            for name, value in options.items()
        },
        "data": {
            "samples": samples.n_samples,
            "variables": samples.n_variables,
            "fingerprint": samples.fingerprint,
            "levels": _levels(samples),
        },
        "seconds": {phase: round(seconds, 6) for phase, seconds in learned.seconds.items()},
        "evaluations": {phase: n.tolist() for phase, n in learned.evaluations.items()},
    }


def _levels(samples: Samples) -> Any:
    """Return what the data's values mean: one list where all variables agree, else one each."""

    def plain(levels: tuple[Any, ...]) -> list[Any]:
        return [v if isinstance(v, (bool, int, float, str)) else str(v) for v in levels]

    different = {levels for levels in samples.levels if len(levels) > 1}
    if len(different) == 1 and not samples.is_constant.any():
        return plain(different.pop())
    return {name: plain(ls) for name, ls in zip(samples.names, samples.levels, strict=True)}


@cache
def version() -> str:
    """Return the installed version of markhood."""
    from importlib.metadata import version as installed

    return installed("markhood")
