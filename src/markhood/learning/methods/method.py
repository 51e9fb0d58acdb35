"""What a method is: its options, and what only it knows about itself.

A method is two classes: a dataclass of its options (``PlrhcOptions``), which the scikit-learn estimator inherits too,
and the method itself (``Plrhc``), a value that searches and answers for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markhood.options import Options, Sealed, declare
from markhood.scores.criterion import Criterion
from markhood.scores.mpl import Mpl
from markhood.search.values.found import Found
from markhood.search.values.job import Job


@dataclass(kw_only=True)
class Method(Sealed):
    """A way of learning: a dataclass of options, with the search."""

    name: ClassVar[str]
    is_random: ClassVar[bool] = False  # whether the search draws, from the job's seed
    takes_missing: ClassVar[bool] = False  # whether it leaves missing values out, unimputed

    @property
    def scored_by(self) -> Criterion:
        """What scores blankets in the search, and edges in the graph that it ends with."""
        raise NotImplementedError

    @property
    def heeds_order(self) -> bool:
        """Whether it uses the order of levels: MPL scores contingency tables, without order."""
        return not isinstance(self.scored_by, Mpl)

    @property
    def adjusts(self) -> bool:
        """Whether it can keep covariates in every blanket."""
        return False

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        raise NotImplementedError

    def search_again(self, job: Job, before: Found) -> Found:
        """Search in samples that hardly differ from those in which something was found before."""
        return self.search(job)


@dataclass(kw_only=True)
class GammaOptions(Options):
    """The option that most methods share."""

    gamma: float = declare(
        0.5,
        "Weight of the model-space penalty in BIC_gamma; larger gives fewer edges, 0 is the classical BIC.",
        low=0,
    )
