"""`FittedModel`: a distribution that was fitted to data, and what it can be asked in the words of the data.

`parameters` has its numbers; here are predictions, distributions given evidence, samples and likelihoods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.matching import codes_like, numbers_like, real_units
from markhood.data.reading import stored_reading
from markhood.data.rest_scores import stored_components, with_rest_scores
from markhood.data.to_frame import frame_library, frame_of_levels, level_array
from markhood.data.variables import UNKNOWN
from markhood.errors import InputError
from markhood.model.annealing import Estimate
from markhood.model.fitted.parameters import FittedParameters
from markhood.model.fitted.pgmpy import to_pgmpy
from markhood.model.fitted.prediction import predict
from markhood.model.fitted.query import Answer, answer
from markhood.model.fitted.scoring import Predictability, predictability
from markhood.model.one_hot import OneHot
from markhood.model.sampling.settings import Seed

_BLOCK = 1 << 22  # numbers of all samples' log odds at a time


class FittedModel(FittedParameters):
    """A pairwise Markov network with its fields and couplings, fitted to data.

    Made by `fit_model`, by ``model_`` of every estimator, or read from a file by `read_model`.

    Attributes
    ----------
    distribution : IsingModel or PottsModel
        The distribution of level numbers.
    graph : Graph
        The graph with these couplings in place of those that it was learned with, their standard
        errors (``coupling_error``) and 95 % intervals (``coupling_low``, ``coupling_high``).
    errors : Errors
        Standard errors of couplings, tables and fields.
    infinite_couplings, infinite_fields : ndarray of bool
        Of which edges and variables the maximum is infinite; always of none where there was a prior.
    method : {"pseudo-likelihood", "likelihood", "average"}
    prior : float or None
        Standard deviation of couplings beforehand.
    n_samples : int
        How many samples it was fitted to.
    llf : float or None
        Log-likelihood of these samples, or log pseudo-likelihood where that was maximised; None if it
        was read from a file without it.
    total_weight : float or None
        The sum of the samples' weights.
    covariates : tuple of Covariate
        Real covariates that the graph was adjusted for, and what they do to every level. Predictions and likelihoods
        take them from the data; samples, queries and fields are those at their means.
    converged : ndarray of shape (n_variables,), dtype bool
        Whether the fit of each variable's parameters has converged.

    Examples
    --------
    >>> import markhood
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.integers(0, 2, 300)
    >>> wet = np.where(rng.random(300) < 0.9, rain, 1 - rain)
    >>> data = np.column_stack([rain, wet])
    >>> model = markhood.fit_model(markhood.Graph(["rain", "wet"], [(0, 1)]), data)
    >>> model
    <FittedModel: 2 variables, 1 coupling, fitted to 300 samples by pseudo-likelihood>
    >>> model.predict_proba([[1, 0], [1, 1]], "rain").round(1).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
    """

    def to_pgmpy(self) -> Any:
        """Return the distribution as a `pgmpy.models.DiscreteMarkovNetwork` (extra ``pgmpy``)."""
        return to_pgmpy(self)

    def predict(
        self, data: Any, target: str | int | Sequence[str | int], seed: Seed = 0
    ) -> NDArray[Any]:
        """Return the most probable level of one or some variables given all others.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
            With all columns of the model, or all but the targets, which are not looked at. Missing
            values are summed over.
        target : str, int or sequence of them
            Names or numbers of variables.
        seed : int, SeedSequence or Generator, default=0
            For sums over so many unknown values at once that they have to be sampled.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Levels as the data have them; of several targets, each the most probable for itself.
        """
        wanted, is_one = self._targets(target)
        chances = self._chances(data, wanted, seed)
        columns = []
        for variable, own in zip(wanted, chances, strict=True):
            levels = level_array(self.levels[variable])
            columns.append(levels[own.argmax(axis=1)])
        return columns[0] if is_one else np.stack([c.astype(object) for c in columns], axis=1)

    def predict_proba(
        self, data: Any, target: str | int | Sequence[str | int], seed: Seed = 0
    ) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """Return the probabilities of the levels of one or some variables given all others.

        Parameters
        ----------
        data, target, seed
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_levels), or a list of such arrays for several targets
            In the order of the variable's levels.
        """
        wanted, is_one = self._targets(target)
        chances = self._chances(data, wanted, seed)
        return chances[0] if is_one else chances

    def query(
        self,
        target: str | int | Sequence[str | int],
        evidence: Mapping[str, Any] | None = None,
        seed: Seed = 0,
    ) -> Answer:
        """Return the distribution of one or some variables given others, the rest summed over.

        Parameters
        ----------
        target : str, int or sequence of them
            Names or numbers of variables; of several, the distribution is the joint one.
        evidence : mapping, optional
            Names of variables that are known, and the level of each as the data have it.
        seed : int, SeedSequence or Generator, default=0
            Of Gibbs chains, where the graph has too many cycles for exact sums.

        Returns
        -------
        Answer
            With ``probabilities``, ``method`` ("exact" or "sampled"), ``error`` and ``to_frame()``.

        Examples
        --------
        >>> import markhood
        >>> data = [["no", 0, 0], ["no", 0, 1], ["yes", 1, 1], ["yes", 1, 0], ["yes", 0, 1]] * 20
        >>> model = markhood.fit_model(markhood.Graph("abc", [(0, 1), (1, 2)]), data)
        >>> model.query("a", {"c": 1})
        <Answer (exact): a = yes with probability 0.5458>
        """
        wanted = list(dict.fromkeys(self._targets(target)[0]))
        known = {self._number(name): value for name, value in (evidence or {}).items()}
        both = [self.variables.names[v] for v in wanted if v in known]
        if both:
            raise InputError(f"{both[0]!r} is a target and in the evidence: leave it out of one.")
        codes = np.full(len(self.variables), UNKNOWN, np.uint16)
        if known:
            row = np.array([[known.get(v) for v in range(len(codes))]], dtype=object)
            hidden = [v for v in range(len(codes)) if v not in known]
            codes = codes_like(row, self.variables, hidden)[:, 0]
        return answer(self, wanted, codes, seed)

    def complete(self, data: Any, seed: Seed = 0) -> Any:
        """Return data with missing values replaced by the most probable ones, all of a sample together.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        seed : int, SeedSequence or Generator, default=0
            Of the search for the best values, where a sample misses too many for all to be tried.

        Returns
        -------
        pandas or polars data frame
            The model's variables in their order, with the levels of the data; ordered texts are ordered
            categories. A pandas frame keeps its index.
        """
        codes, pulls = self._numbers(data)
        found = predict(self._network, codes, np.random.default_rng(seed), pulls).most_probable
        frame = frame_of_levels(self.variables, found.T, frame_library(data))
        if type(data).__module__.split(".")[0] == "pandas":
            frame.index = data.index
        return frame

    def sample(self, n_samples: int, seed: Seed = None, **settings: Any) -> Any:
        """Draw samples, levels as the data have them; ``distribution.sample`` draws level numbers.

        Parameters
        ----------
        n_samples : int
        seed : int, SeedSequence or Generator, optional
        **settings
            Of the sampler, as for `IsingModel.sample`.

        Returns
        -------
        pandas or polars data frame
            As for `complete`.
        """
        drawn = self.distribution.sample(n_samples, seed, **settings)
        return frame_of_levels(
            self.variables, drawn, frame_library(provenance=self.graph.provenance)
        )

    def energy(self, data: Any) -> NDArray[np.float64]:
        """Return the energy of every sample, -log p(x) - log Z, shape (n_samples,)."""
        codes, pulls = self._complete_numbers(data)
        energies = self.distribution.energy(codes.T)
        if pulls is None:
            return energies
        return np.asarray(energies - (pulls * self._network.indicators(codes)).sum(axis=1))

    def log_pseudo_likelihood(self, data: Any) -> float:
        """Return the mean over samples of the sum of the variables' log-probabilities given the others."""
        codes, pulls = self._complete_numbers(data)
        total = 0.0
        for part, logs in self._conditional_logs(codes, pulls=pulls):
            indicators = self._network.indicators(codes[:, part])
            total += float((logs * indicators).sum())
        return float(total / codes.shape[1])

    def log_likelihood(
        self, data: Any, seed: Seed = 0, *, chains: int = 128, steps: int = 1000
    ) -> Estimate:
        """Return the mean log-likelihood of samples, and its error.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        seed, chains, steps
            Of annealed importance sampling, as for `IsingModel.estimate_log_partition`, where the
            graph has too many cycles for an exact sum.

        Returns
        -------
        Estimate
            ``value``, and ``error``, which is 0 where the value is exact.
        """
        if self.covariates:
            raise InputError(
                f"The partition function depends on {self.covariates[0].name!r}, and is not summed for every sample: use "
                "log_pseudo_likelihood."
            )
        mean = -float(self.energy(data).mean())
        try:
            found = Estimate(self.distribution.log_partition(), 0.0)
        except InputError:
            found = self.distribution.estimate_log_partition(seed, chains=chains, steps=steps)
        return Estimate(mean - found.value, found.error)

    def predictability(self, data: Any) -> Predictability:
        """Say how well each variable is predicted from the others, beside its commonest level.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
            Best others than those that the model was fitted to. Each variable is predicted in the
            samples that have it and all its neighbours.
        """
        codes, pulls = self._numbers(data)
        known = codes != UNKNOWN
        with_blanket = known.copy()
        for i, j in self._edges.tolist():
            with_blanket[i] &= known[j]
            with_blanket[j] &= known[i]
        filled = np.where(known, codes, 0)
        parts = [logs for _, logs in self._conditional_logs(filled, known, pulls)]
        together = np.concatenate(parts)
        ends = np.cumsum(self._network.n_levels)[:-1]
        by_variable = np.split(together, ends, axis=1)
        return predictability(self.variables.names, by_variable, codes, with_blanket)

    @cached_property
    def _network(self) -> OneHot:
        return OneHot.of(self._edges, *self.distribution.as_tables())

    def _chances(self, data: Any, wanted: Sequence[int], seed: Seed) -> list[NDArray[np.float64]]:
        codes, pulls = self._numbers(data, wanted)
        found = predict(self._network, codes, np.random.default_rng(seed), pulls)
        return [found.chances[:, self._network.columns_of(np.array([v]))] for v in wanted]

    def _conditional_logs(
        self,
        codes: NDArray[np.uint16],
        known: NDArray[np.bool_] | None = None,
        pulls: NDArray[np.float64] | None = None,
    ) -> Iterable[tuple[slice, NDArray[np.float64]]]:
        """Return the log-probabilities of all levels given the other variables, some samples at a time."""
        rows = max(1, _BLOCK // len(self._network.fields))
        for first in range(0, codes.shape[1], rows):
            part = slice(first, first + rows)
            own = None if known is None else known[:, part]
            indicators = self._network.indicators(codes[:, part], own)
            logits = self._network.logits(indicators)
            yield part, self._network.normalised(logits if pulls is None else logits + pulls[part])

    def _complete_numbers(self, data: Any) -> tuple[NDArray[np.uint16], NDArray[np.float64] | None]:
        codes, pulls = self._numbers(data)
        gaps = np.flatnonzero((codes == UNKNOWN).any(axis=1))
        if len(gaps):
            name = self.variables.names[int(gaps[0])]
            raise InputError(
                f"Column {name!r} has missing values, and only complete samples have a probability: "
                "leave those samples out, or complete them with model.complete(data)."
            )
        return codes, pulls

    def _targets(self, target: str | int | Sequence[str | int]) -> tuple[list[int], bool]:
        if isinstance(target, (str, int, np.integer)):
            return [self._number(target)], True
        wanted = [self._number(one) for one in target]
        if not wanted:
            raise InputError("There is no target: name one variable or more.")
        return wanted, False

    def _numbers(
        self, data: Any, hidden: Collection[int] = ()
    ) -> tuple[NDArray[np.uint16], NDArray[np.float64] | None]:
        """Return new data as level numbers, read as the data of the graph were, and what covariates add to fields."""
        units = real_units(self.graph.provenance)
        reading = stored_reading(self.graph.provenance)
        codes, reals = numbers_like(data, self.variables, hidden, reading, units=units)
        if not self.covariates:
            return codes, None
        effects = np.array([own.sd * own.effects for own in self.covariates])
        components = stored_components(self.graph.provenance, self.variables)
        if components is None:
            return codes, reals.T @ effects
        columns = with_rest_scores(reals, codes, self.variables, components)
        owners = np.repeat(np.arange(len(self.variables)), [len(own) for own in self.levels])
        return codes, np.einsum("ckn,kc->nc", columns[owners], effects)
