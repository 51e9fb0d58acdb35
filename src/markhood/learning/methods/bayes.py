"""Every edge with its probability: the options of the chains over graphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.learning.factors import FactorOptions
from markhood.learning.forecast.forecast import Forecast, forecast_chains, require_room
from markhood.learning.imputation.completed import Completed
from markhood.learning.imputation.learn_imputed import Imputation
from markhood.learning.imputation.sampled import sample_with_values
from markhood.learning.known import listed_priors
from markhood.learning.methods.climbing import Plrhc
from markhood.learning.methods.method import Method
from markhood.options import declare
from markhood.output.citation import PAPER
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.graph_sampler import SCREEN_GAMMA, START_GAMMA, GraphPrior, Sweeps, bayes
from markhood.search.values.found import Found
from markhood.search.values.job import Job
from markhood.search.values.probabilities import Choice

# Where fits take microseconds, longer chains are had for little: they disagree in fewer data sets.
MOST_QUICK = 2000
QUICK_SWEEPS, SWEEPS = 80, 20


@dataclass(kw_only=True)
class BayesOptions(FactorOptions):
    """Options of the chains over graphs."""

    fdr: float | None = declare(
        None,
        "Keep the largest set of the most probable pairs with at most this expected share of false edges; replaces "
        "min_probability.",
        above=0,
        below=1,
    )
    min_probability: float = declare(
        0.5, "Keep pairs whose probability is above this.", low=0, below=1
    )
    edge_prior: float | None = declare(
        None,
        "Prior probability of an edge. By default it is learned from all pairs.",
        above=0,
        below=1,
    )
    pair_priors: Any = declare(
        None,
        "Prior probabilities of certain pairs: {('a', 'b'): 0.9}, a table of source, target and probability, or a "
        "file of such lines.",
        content=listed_priors,
        metavar="FILE",
    )
    sweeps: int | None = declare(
        None,
        "Sweeps of each chain that are averaged; a quarter as many are burn-in. By default 80 for up to 2000 binary "
        "variables, whose fits are fast, and 20 otherwise.",
        low=1,
    )
    chains: int = declare(4, "Number of chains.", low=1)
    keep_draws: bool = declare(
        False,
        "Keep the graph of every averaged sweep of every chain; every sweep then visits all pairs.",
    )


@dataclass(kw_only=True)
class Bayes(BayesOptions, Method):
    """Every pair that may be an edge with its probability, by chains over graphs."""

    name: ClassVar[str] = "bayes"
    is_random: ClassVar[bool] = True

    def check(self) -> None:
        """Check the options, and that they go together."""
        super().check()
        if self.fdr is not None and self.min_probability != 0.5:
            raise InputError(
                "option-conflict",
                "fdr",
                f"{option('fdr')} and {option('min_probability')} both choose edges: leave one of "
                "the two out.",
            )

    @property
    def scored_by(self) -> Criterion:
        """What scores blankets where the chains begin, and the edges of the finished graph."""
        return Bic(START_GAMMA)

    @property
    def settling(self) -> Method:
        """Hill climbing: chains need a graph to start from, not one of their own every turn."""
        return Plrhc(gamma=START_GAMMA)

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

    def sentences(self) -> Iterator[str]:
        """Say how edges are found."""
        sweeps = "" if self.sweeps is None else f", {self.sweeps} sweeps each"
        chosen = f"with a probability above {self.min_probability:g} were kept"
        if self.fdr is not None:
            chosen = f"were kept up to an expected false discovery rate of {self.fdr:g}"
        yield (
            f"The posterior probability of every edge was estimated by {self.chains} Markov chains over graphs{sweeps}, "
            f"started at the graph of PLRHC ({PAPER.in_text}): a chain visits one pair at a time, and adds or removes its edge by its prior odds "
            "and its approximate Bayes factor given the other neighbours of both variables."
        )
        yield f"Edges {chosen}."

    def forecast(self, job: Job) -> Forecast:
        """Forecast the chains, and the climb before them."""
        return forecast_chains(job, self.lengths(job.samples), Plrhc(gamma=START_GAMMA).climb)

    def require_room(self, job: Job) -> None:
        """Raise where the pairs that pass the screen and the chains over them will not fit in memory."""
        require_room(job, SCREEN_GAMMA, n_chains=int(self.chains))

    def search_completed(
        self, job: Job, quiet: Job, values: Completed, settled: Found, imputation: Imputation
    ) -> tuple[Found, dict[str, NDArray[np.float64]]]:
        """Sample graphs and missing values in one chain."""
        turns, seed = imputation.sets, imputation.seed
        prior, choice, chains = self.prior_for(job), self.choice, int(self.chains)
        return sample_with_values(job, values, settled, prior, choice, chains, turns, seed), {}
