"""Every edge with its probability: the options of the chains over graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.learning.methods.method import (
    Method,
    is_number,
    require_count,
)
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.graph_sampler import START_GAMMA, GraphPrior, Sweeps, bayes
from markhood.search.values.found import Found
from markhood.search.values.job import Job
from markhood.search.values.probabilities import Choice

# Where fits take microseconds, longer chains are had for little: they disagree in fewer data sets.
MOST_QUICK = 2000
QUICK_SWEEPS, SWEEPS = 80, 20


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
        By default 80 for up to 2000 variables of two values, whose fits are quick, and 20 otherwise.
    chains : int, default=4
        How many chains there are.
    keep_draws : bool, default=False
        Whether to keep the graph of every averaged sweep of every chain.
    """

    name: ClassVar[str] = "bayes"
    is_random: ClassVar[bool] = True

    fdr: float | None = None
    min_probability: float = 0.5
    edge_prior: float | None = None
    sweeps: int | None = None
    chains: int = 4
    keep_draws: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        for name in ("fdr", "edge_prior"):
            value = getattr(self, name)
            if value is not None and (not is_number(value) or not 0 < value < 1):
                raise InputError(
                    f"{option(name)} must be a number between 0 and 1, both excluded, not "
                    f"{value!r}."
                )
        least = self.min_probability
        if not is_number(least) or not 0 <= least < 1:
            raise InputError(
                f"{option('min_probability')} must be a number from 0 to below 1, not {least!r}."
            )
        if self.fdr is not None and least != 0.5:
            raise InputError(
                f"{option('fdr')} and {option('min_probability')} both choose edges: leave one of "
                "the two out."
            )
        if self.sweeps is not None:
            require_count("sweeps", self.sweeps)
        require_count("chains", self.chains)

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
        is_quick = samples.is_binary and samples.n_variables <= MOST_QUICK
        averaged = int(self.sweeps or (QUICK_SWEEPS if is_quick else SWEEPS))
        return Sweeps(int(self.chains), (averaged + 3) // 4, averaged, self.keep_draws)
