"""One scikit-learn estimator per method.

They derive from `StructureEstimator`, which adds the declared options, the attributes that all have
and an example to their docstrings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.estimators.structure import StructureEstimator
from markhood.learning import methods
from markhood.learning.describe import LearnedGraph
from markhood.learning.methods.bayes import BayesOptions
from markhood.learning.methods.climbing import (
    HillClimbingOptions,
    MarginalPseudoLikelihoodOptions,
    PlrhcOptions,
)
from markhood.learning.methods.pairs import (
    ChowLiuOptions,
    PairwiseOptions,
    PseudoLikelihoodOptions,
)
from markhood.learning.methods.rivals import BlanketsJointPosteriorOptions, L1LogisticOptions
from markhood.output.inference_data import to_inference_data
from markhood.search.values.probabilities import Draws
from markhood.stability.communities import CommunityStability, community_stability
from markhood.stability.replicates import Replicate


@dataclass(kw_only=True, eq=False, repr=False)
class HillClimbing(StructureEstimator, HillClimbingOptions):
    """Learn a graph by hill climbing over all variables (HC)."""

    _method: ClassVar = methods.HillClimbing


@dataclass(kw_only=True, eq=False, repr=False)
class PLRHC(StructureEstimator, PlrhcOptions):
    """Learn a graph by hill climbing within a screened graph (PLRHC).

    Every pair of variables is tested first; the blanket of a variable is then searched within
    ``depth`` steps of it in the graph of the pairs that passed. The screen's criterion is always
    BIC_gamma.

    Attributes
    ----------
    screened_graph_ : Graph
        The pairs that passed the screen.
    """

    _method: ClassVar = methods.Plrhc


@dataclass(kw_only=True, eq=False, repr=False)
class MarginalPseudoLikelihood(StructureEstimator, MarginalPseudoLikelihoodOptions):
    """Learn a graph by hill climbing by the marginal pseudo-likelihood (MPL)."""

    _method: ClassVar = methods.MarginalPseudoLikelihood


@dataclass(kw_only=True, eq=False, repr=False)
class L1Logistic(StructureEstimator, L1LogisticOptions):
    """Learn a graph from the paths of L1-penalised logistic regressions (L1LR-BIC).

    Attributes
    ----------
    evaluations_ : dict of str to ndarray
        Number of supports of each size that were scored.
    """

    _method: ClassVar = methods.L1Logistic


@dataclass(kw_only=True, eq=False, repr=False)
class BlanketsJointPosterior(StructureEstimator, BlanketsJointPosteriorOptions):
    """Learn the graph whose independence assertions have the largest joint posterior (BJP).

    Attributes
    ----------
    blanket_scores_ : ndarray of shape (n_features,)
        BIC_gamma of every variable in ``graph_``; 0 for a constant one.
    evaluations_ : dict of str to ndarray
        Number of independence tests by the number of conditioning variables.
    """

    _method: ClassVar = methods.BlanketsJointPosterior


@dataclass(kw_only=True, eq=False, repr=False)
class Pairwise(StructureEstimator, PairwiseOptions):
    """Join all pairs of variables that pass the screen; dependences may be indirect.

    Attributes
    ----------
    screened_graph_ : Graph
        The pairs that passed the screen; absent if all pairs are ranked. Evidence and coupling of
        an edge are those of the pair alone, so there are no regressions and no score.
    """

    _method: ClassVar = methods.Pairwise
    _is_conditional: ClassVar = False


@dataclass(kw_only=True, eq=False, repr=False)
class ChowLiu(StructureEstimator, ChowLiuOptions):
    """Learn the forest under which the data are most likely.

    Attributes
    ----------
    screened_graph_ : Graph
        The pairs that passed the screen.
    """

    _method: ClassVar = methods.ChowLiu


@dataclass(kw_only=True, eq=False, repr=False)
class PseudoLikelihood(StructureEstimator, PseudoLikelihoodOptions):
    """Rank all pairs by the couplings of the full Potts model, and join the best (plmDCA).

    Missing values are not imputed; they do not contribute.

    Attributes
    ----------
    graph_ : Graph
        The learned graph. The evidence of an edge is its score, which ranks the pairs of one data
        set and is not a likelihood ratio. Its coupling is that of the full model.
    pairs_ : ndarray of shape (n_pairs, 2)
        All pairs of variables that vary, i < j.
    scores_ : ndarray of shape (n_pairs,)
        Score of each pair: the Frobenius norm of its zero-sum table without gaps, minus the average
        product; the absolute log odds ratio if all variables are binary.

    Examples
    --------
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[20:, 2] = coins[20:, 0]
    >>> found = PseudoLikelihood(top=1).fit(coins)
    >>> found.graph_.edges.tolist(), found.pairs_[found.scores_.argmax()].tolist()
    ([[0, 2]], [0, 2])
    """

    _method: ClassVar = methods.PseudoLikelihood
    _is_conditional: ClassVar = False

    def _keep(self, learned: LearnedGraph) -> None:
        super()._keep(learned)
        assert learned.ranking is not None
        self.pairs_: Ints = learned.ranking.pairs
        self.scores_: Floats = learned.ranking.scores


@dataclass(kw_only=True, eq=False, repr=False)
class Bayes(StructureEstimator, BayesOptions):
    """Estimate the posterior probability of every edge by Markov chains over graphs.

    Attributes
    ----------
    graph_ : Graph
        Every edge has a probability (``graph_.probability``); its coupling is the mean given that
        the edge is present. The annotations have its 95 % interval, and ``rhat`` and ``ess``, the
        R-hat and the effective sample size of the edge in the chains.
    screened_graph_ : Graph
        The pairs that passed the screen.
    pairs_ : ndarray of shape (n_pairs, 2)
        Candidate pairs, i < j; the probability of all other pairs is close to 0.
    probabilities_ : ndarray of shape (n_pairs,)
        Probability that each pair is an edge; a small one is evidence of absence.
    edge_density_ : float
        The mean probability of all pairs of variables.
    coupling_scale_ : float
        The standard deviation of couplings.
    background_ : float
        The standard deviation of the couplings of pairs without an edge; 0 unless the data show
        weak dependence between many pairs.
    coupling_deviations_ : list of ndarray
        Standard deviation of the coupling of every edge of ``graph_``, given that the edge is
        present: of shape (1, 1), or with one value for each cell of a coupling table.
    draws_ : Draws
        Edges after each averaged sweep, and their probabilities, with ``keep_draws=True``.
    model_ : FittedModel
        The distribution on ``graph_``, with ``coupling_scale_`` as its prior.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[20:, 2] = coins[20:, 0]
    >>> found = Bayes().fit(coins)
    >>> found.graph_.edges.tolist(), found.graph_.probability.round(2).tolist()
    ([[0, 2]], [1.0])
    """

    _method: ClassVar = methods.Bayes

    def _keep(self, learned: LearnedGraph) -> None:
        super()._keep(learned)
        found = learned.probabilities
        assert found is not None
        self.pairs_: Ints = found.pairs
        self.probabilities_: Floats = found.probabilities
        self.edge_density_ = found.density
        if self.keep_draws and found.draws is not None:
            self.draws_: Draws = found.draws
            sizes = np.add.reduceat(found.couplings**2, found.starts[:-1])
            self._pair_couplings: Floats = np.sqrt(sizes)
        self.coupling_scale_, self.background_ = found.scale, found.background
        levels = learned.graph.variables.levels
        assert levels is not None
        n_levels = np.array([max(2, len(values)) for values in levels], dtype=np.int64)
        self.coupling_deviations_ = found.deviations_of(learned.graph.edges, n_levels)

    def to_inference_data(self) -> Any:
        """Return the draws as `arviz.InferenceData` (extra ``arviz``), with ``keep_draws=True``.

        The posterior has, by chain, draw and pair, ``edge`` (1 if the pair was an edge after a
        sweep) and ``probability`` (of the pair given all other edges), and ``density`` by chain and
        draw. The mean of ``probability`` is ``probabilities_``.
        """
        return to_inference_data(self._drawn(), self.pairs_, self.graph_.nodes)

    def communities(self) -> CommunityStability:
        """Find the communities of every draw, and how stable those of the graph are.

        An edge has its mean coupling in every draw; this needs ``keep_draws=True``.
        """
        edges = self._drawn().edges
        each = (draw.astype(bool) for draw in edges.reshape(-1, edges.shape[-1]))
        draws = [Replicate(self.pairs_[there], self._pair_couplings[there]) for there in each]
        return community_stability(self.graph_, draws)

    def _drawn(self) -> Draws:
        check_is_fitted(self)
        if not self.keep_draws:
            raise InputError(
                "option-needed",
                "keep_draws",
                "The draws were not kept: fit Bayes(keep_draws=True).",
            )
        return self.draws_

    def _coupling_scale(self) -> float:
        return self.coupling_scale_
