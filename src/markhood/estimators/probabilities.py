"""Probabilities of edges as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from markhood.errors import InputError
from markhood.estimators.structure import StructureEstimator
from markhood.learning import methods
from markhood.learning.describe import Learned
from markhood.output.inference_data import to_inference_data
from markhood.search.values.probabilities import Draws


@dataclass(eq=False, repr=False)
class Bayes(StructureEstimator):
    """Learn how probable every edge is, by chains over graphs.

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
        Whether to keep the graph of every averaged sweep of every chain, for `draws_` and
        `to_inference_data`. Every sweep then visits all pairs, which takes longer.
    **parameters
        Of all estimators, as for `HillClimbing`; ``seed`` is where the chains' random numbers start.

    Attributes
    ----------
    graph_, screened_graph_, or_graph_, adjacency_, blanket_scores_, score_, evaluations_
        As for `PLRHC`. Every edge has a probability (``graph_.probability``); its coupling is the mean
        given that it is there, with a 95 % interval among the annotations. ``rhat`` and ``ess`` among them
        are the R-hat and the effective sample size of the edge in the chains.
    pairs_ : ndarray of shape (n_pairs, 2)
        All pairs that were looked at closely, i < j; any other pair is next to certainly no edge.
    probabilities_ : ndarray of shape (n_pairs,)
        How probable each is an edge; a small one is evidence that there is none.
    edge_density_ : float
        The mean probability of all pairs of variables.
    coupling_scale_ : float
        The standard deviation of couplings.
    coupling_deviations_ : list of ndarray
        For every edge of ``graph_`` how uncertain its coupling is, given that it is there: a standard
        deviation, of shape (1, 1), or one for each cell of a table of more levels; 1.96 of them
        either side of ``graph_.coupling_tables[k]`` are 95 % intervals.
    draws_ : Draws
        Which pairs were edges after each averaged sweep, and their probabilities then; with
        ``keep_draws``.
    model_ : FittedModel
        As for `HillClimbing`, with that standard deviation as its prior.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> found = Bayes().fit(coins)
    >>> found.graph_.edges.tolist(), found.graph_.probability.round(2).tolist()
    ([[0, 2]], [1.0])
    """

    _method: ClassVar = methods.Bayes

    fdr: float | None = None
    min_probability: float = 0.5
    edge_prior: float | None = None
    sweeps: int | None = None
    chains: int = 4
    keep_draws: bool = False

    def _keep(self, learned: Learned) -> None:
        super()._keep(learned)
        found = learned.probabilities
        assert found is not None
        self.pairs_: NDArray[np.int64] = found.pairs
        self.probabilities_: NDArray[np.float64] = found.probabilities
        self.edge_density_ = found.density
        if self.keep_draws and found.draws is not None:
            self.draws_: Draws = found.draws
        self.coupling_scale_ = found.scale
        levels = learned.graph.variables.levels
        assert levels is not None  # of data they are known
        n_levels = np.array([max(2, len(values)) for values in levels], dtype=np.int64)
        self.coupling_deviations_ = found.deviations_of(learned.graph.edges, n_levels)

    def to_inference_data(self) -> Any:
        """Return the draws as `arviz.InferenceData` (extra ``arviz``), with ``keep_draws=True``.

        The posterior has ``edge``, 1 where a pair was an edge after a sweep, and ``probability``, that
        of the pair given all other edges, by chain, draw and pair; and ``density`` by chain and draw. The mean of
        ``probability`` is ``probabilities_``.
        """
        check_is_fitted(self)
        if not self.keep_draws:
            raise InputError("The draws were not kept: fit Bayes(keep_draws=True).")
        return to_inference_data(self.draws_, self.pairs_, self.graph_.nodes)

    def _coupling_scale(self) -> float:
        return self.coupling_scale_
