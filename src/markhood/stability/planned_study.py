"""One simulated data set of a planned study, and how well its analysis did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.execution.runner import Runner, no_progress
from markhood.graph.numbering import pair_numbers
from markhood.kernels.words import packed
from markhood.learning.imputation.learn_imputed import completed_search
from markhood.learning.request import Request
from markhood.learning.run import kernels_named
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability.bootstrap import bootstrap_samples
from markhood.stability.centrality import correlation
from markhood.stability.expected_network import Model, ModelOf, couplings_of_model, with_change
from markhood.stability.grouped import read_groups
from markhood.stability.groups import compare
from markhood.stability.replicates import reported_couplings
from markhood.stability.studies import BootstrapOptions, GroupOptions

CASES = BootstrapOptions(replicates=100, resample="cases")  # for a CS coefficient
PERMUTATIONS = GroupOptions(permutations=199)
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Study:
    """Draws and measures data sets."""

    request: Request  # the planned analysis
    model_of: ModelOf  # the network by a seed
    measure: str
    edge: int = -1  # row of the edge for the measures ``edge`` and ``group``; -1 for the weakest
    missing_share: float = 0.0
    difference: float = 1.0  # by how much the coupling of the edge is smaller in the second group

    def value(self, tile: tuple[int, int]) -> float:
        """Return the measure of the data set with this number and size."""
        number, n = tile
        seeds = np.random.SeedSequence(self.request.seed, spawn_key=(number,)).spawn(3)
        model = self.model_of(int(seeds[0].generate_state(1)[0]))
        rng = np.random.default_rng(seeds[2])
        if self.measure == "group":
            return self._has_found_difference(model, n, seeds[1], rng)
        samples = _with_missing(model.sample_packed(n, seeds[1]), self.missing_share, rng)
        if self.measure == "cs":
            found = bootstrap_samples(self._alone, samples, CASES)
            return float(next(r["cs"] for r in found.stability() if r["measure"] == "strength"))
        edges, couplings = self._learned(samples, rng)
        truth, learned = (pair_numbers(one) for one in (model.graph.edges, edges))
        n_pairs = model.n_variables * (model.n_variables - 1) // 2
        if self.measure == "edge":
            return float(truth[self._row(model)] in learned)
        n_found = len(np.intersect1d(truth, learned))
        if self.measure == "sensitivity":
            return n_found / max(1, len(truth))
        if self.measure == "specificity":
            return 1 - (len(learned) - n_found) / max(1, n_pairs - len(truth))
        listed = np.union1d(truth, learned)
        both = np.zeros((2, len(listed)))
        both[0, np.searchsorted(listed, truth)] = couplings_of_model(model)
        both[1, np.searchsorted(listed, learned)] = couplings
        return float(np.nan_to_num(correlation(both[0], both[1], n_pairs)))

    @property
    def _alone(self) -> Request:
        """The request within a tile."""
        return self.request.with_run(n_jobs=1, progress=no_progress, checkpoint=None)

    def _row(self, model: Model) -> int:
        weakest = int(np.argmin(np.abs(couplings_of_model(model))))
        return self.edge if self.edge >= 0 else weakest

    def _has_found_difference(
        self, model: Model, n: int, seed: np.random.SeedSequence, rng: np.random.Generator
    ) -> float:
        """Return whether the test of the changed coupling is significant."""
        row = self._row(model)
        models = model, with_change(model, row, self.difference)
        sizes, own_seeds = ((n + 1) // 2, n // 2), seed.spawn(2)
        tables: Sequence[Samples] = [
            _with_missing(one.sample_packed(size, own), self.missing_share, rng)
            for one, size, own in zip(models, sizes, own_seeds, strict=True)
        ]
        request = replace(self._alone, may_raise_gamma=False)
        groups = read_groups([(request, table) for table in tables], None, None, None)
        found = compare(request, groups, PERMUTATIONS)
        pair = set(model.graph.edge_names()[row])
        rows = [r for r in found.edge_rows() if {r["source"], r["target"]} == pair]
        return float(any(r["p_adjusted"] <= LEVEL for r in rows))

    def _learned(self, samples: Samples, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Return the edges that `learn` would find, and their couplings."""
        request = self.request
        samples = request.prepared(samples)
        scorer = scorer_for(samples, request.method.scored_by, kernels_named(request.run.kernels))
        known = request.constraints(samples.variables)
        job = Job(samples, scorer, Runner(1), known, int(rng.integers(2**31)))
        found, completed = completed_search(job, request.method, rng)
        if self.measure != "correlation":
            return found.edges[known.reports(found.edges)], np.empty(0)
        return reported_couplings(completed, found.edges, found.is_marginal)


def _with_missing(samples: Samples, share: float, rng: np.random.Generator) -> Samples:
    """Make values missing at random."""
    if not share:
        return samples
    words, missing = samples.words.copy(), {}
    for j in range(samples.n_variables):
        mask = packed(rng.random(samples.n_samples) < share, words.shape[1])
        words[samples.starts[j] : samples.starts[j + 1]] &= ~mask
        missing[j] = mask
    return replace(samples, words=words, missing=missing)
