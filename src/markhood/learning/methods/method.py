"""`Method`: what every method answers about itself.

A method is two classes: a dataclass of its options (``PlrhcOptions``), which the scikit-learn estimator inherits too,
and the method itself (``Plrhc``), a value that searches and answers for itself.

Nothing else in markhood asks which method it has: whether a method can be forecast or adjusted, how it is imputed,
what to warn about and what to cite are attributes here, with defaults that suit a search for a graph. The modules of
`forecast`, `imputation` and `checks` therefore take plain values and do not import methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.learning.checks.chance import warn_of_chance
from markhood.learning.checks.convergence import warn_of_disagreement, warn_of_fits
from markhood.learning.checks.density import warn_of_linkage
from markhood.learning.checks.many_parameters import warn_of_letters, warn_of_parameters
from markhood.learning.describe import Learned
from markhood.learning.forecast.forecast import Forecast
from markhood.learning.imputation.completed import Completed
from markhood.learning.imputation.learn_imputed import Imputation, search_in_sets
from markhood.options import Options, Sealed, declare
from markhood.output.citation import Reference
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.values.found import Found
from markhood.search.values.job import Job


@dataclass(kw_only=True)
class Method(Sealed, ABC):
    """A way of learning: a dataclass of options, with the search."""

    name: ClassVar[str]
    is_random: ClassVar[bool] = False  # whether the search draws, from the job's seed
    takes_missing: ClassVar[bool] = False  # whether it leaves missing values out, unimputed

    @property
    @abstractmethod
    def scored_by(self) -> Criterion:
        """What scores blankets in the search, and edges in the graph that it ends with."""

    @property
    def heeds_order(self) -> bool:
        """Whether it uses the order of levels; by default if its criterion does."""
        return getattr(self.scored_by, "heeds_order", True)

    @property
    def takes_reals(self) -> bool:
        """Whether its regressions can have real columns; by default if they are those of BIC_gamma."""
        return type(self.scored_by) is Bic

    @property
    def n_factors(self) -> int | str | None:
        """How many hidden factors its regressions are adjusted for: a number, "auto", or None for a check only."""
        return getattr(self, "factors", 0) if self.takes_reals else 0

    @property
    def settling(self) -> Method:
        """The method whose searches alternate with draws of the missing values until the graph settles."""
        return self

    @abstractmethod
    def search(self, job: Job) -> Found:
        """Search for a graph."""

    def search_again(self, job: Job, before: Found) -> Found:
        """Search in samples that hardly differ from those in which something was found before."""
        return self.search(job)

    is_conditional: ClassVar[bool] = False  # whether it searches for neighbours given the others
    only_ranks: ClassVar[bool] = False  # whether evidence is a score, and not a likelihood ratio

    @property
    def tested_gamma(self) -> float | None:
        """The gamma of BIC_gamma, if a pair has to pass it to become an edge."""
        return None

    @property
    def narrower(self) -> dict[str, Any]:
        """Options, with values to try, that make its search spaces smaller."""
        return {}

    @property
    def citations(self) -> tuple[Reference, ...]:
        """The publications that describe it."""
        return ()

    def sentences(self) -> Iterator[str]:
        """Say how edges are found, for a methods section: whole sentences in the past tense."""
        return iter(())

    @property
    def description(self) -> dict[str, Any]:
        """What the provenance of a graph says about its method, for output."""
        return {
            "sentences": list(self.sentences()),
            "references": [reference._asdict() for reference in self.citations],
            **({"only_ranks": True} if self.only_ranks else {}),
        }

    def forecast(self, job: Job) -> Forecast:
        """Forecast time and memory on threads of this machine.

        Raises
        ------
        InputError
            Where the method has no forecast.
        """
        raise InputError(
            "not-supported",
            "dry_run",
            f"The method {self.name!r} has no forecast: try it on fewer variables.",
        )

    def require_room(self, job: Job) -> None:
        """Raise where the search will not fit in memory, if that can be estimated before it starts."""
        return

    def search_completed(
        self, job: Job, quiet: Job, values: Completed, settled: Found, imputation: Imputation
    ) -> tuple[Found, dict[str, NDArray[np.float64]]]:
        """Search samples with missing values; return what was found, and columns of its edges.

        ``quiet`` is the job without progress, ``settled`` what `settling` found last. By default completed
        data sets are searched one by one.
        """
        return search_in_sets(job, quiet, self, values, settled, imputation)

    def warn_of_data(self, samples: Samples) -> None:
        """Warn, before the search, of data that it will make little of."""
        if not self.only_ranks:
            warn_of_parameters(samples, heeds_order=self.heeds_order)

    def warn_of_result(self, job: Job, learned: Learned) -> None:
        """Warn of what limits a result."""
        n_edges = learned.graph.n_edges
        warn_of_fits(job.samples.names, learned.not_converged)
        if learned.probabilities is not None:
            warn_of_disagreement(learned.probabilities)
        if self.tested_gamma is not None:
            warn_of_chance(job, self.tested_gamma, n_edges)
        if self.is_conditional:
            warn_of_linkage(job.knowledge, len(learned.found_edges), n_edges)
        if not self.only_ranks:
            warn_of_letters(job.samples, n_edges)


@dataclass(kw_only=True)
class GammaOptions(Options):
    """The option that most methods share."""

    gamma: float = declare(
        0.5,
        "Weight of the model-space penalty in BIC_gamma; larger gives fewer edges, 0 is the classical BIC.",
        low=0,
    )
