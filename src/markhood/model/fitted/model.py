"""`FittedModel`: a distribution fitted to data, with predictions, queries, samples and likelihoods.

The base class in `parameters` has the estimates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats
from markhood.data.matching import numbers_like, real_units
from markhood.data.reading import stored_reading
from markhood.data.rest_scores import stored_components, with_rest_scores
from markhood.data.to_frame import frame_library, frame_of_levels, level_array
from markhood.data.variables import UNKNOWN
from markhood.errors import InputError
from markhood.model.fitted.parameters import FittedParameters
from markhood.model.fitted.prediction import Predictability, predict, predictability
from markhood.model.fitted.query import Answer, answer
from markhood.model.fitted.rows import to_pgmpy
from markhood.model.one_hot import Estimate, OneHot
from markhood.model.sampling.gibbs import Seed

_BLOCK = 1 << 22  # log odds in memory at a time


class FittedModel(FittedParameters):
    """A pairwise Markov network with fields and couplings fitted to data.

    Returned by `fit_model`, by the ``model_`` of every estimator, and by `read_model`.

    Attributes
    ----------
    distribution : IsingModel or PottsModel
        The distribution of level numbers.
    graph : Graph
        The graph with the couplings of the model, their standard errors (``coupling_error``) and
        95 % intervals (``coupling_low``, ``coupling_high``).
    errors : Errors
        Standard errors of couplings, tables and fields.
    infinite_couplings, infinite_fields : ndarray of bool
        The edges and variables whose estimate is infinite, because the data are separated. None
        with a prior.
    method : {"pseudo-likelihood", "likelihood", "average"}
    prior : float or None
        Prior standard deviation of the couplings.
    n_samples : int
        Number of samples that the model was fitted to.
    llf : float or None
        Log-likelihood of these samples, or log pseudo-likelihood if that was maximised; None if the
        model was read from a file without it.
    total_weight : float or None
        Sum of the weights of the samples.
    covariates : tuple of Covariate
        Continuous covariates that the graph was adjusted for, with their effects. Predictions and
        likelihoods use their values in the data; samples, queries and fields are at their means.
    converged : ndarray of shape (n_variables,), dtype bool
        Whether the parameters of each variable have converged.

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
        """Convert to a `pgmpy.models.DiscreteMarkovNetwork` (extra ``pgmpy``)."""
        return to_pgmpy(self)

    def predict(
        self, data: Any, target: str | int | Sequence[str | int], seed: Seed = 0
    ) -> NDArray[Any]:
        """Return the most probable level of one or more variables given all others.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
            With all columns of the model; the targets are ignored and may be absent. Missing values
            are marginalised.
        target : str, int or sequence of them
            Names or numbers of variables.
        seed : int, SeedSequence or Generator, default=0
            Random seed, used if a sample has too many unknown values for exact sums.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Levels as in the data; for several targets, the most probable level of each one.
        """
        wanted, is_one = self._targets(target)
        probabilities = self._probabilities(data, wanted, seed)
        columns = []
        for variable, own in zip(wanted, probabilities, strict=True):
            levels = level_array(self.levels[variable])
            columns.append(levels[own.argmax(axis=1)])
        return columns[0] if is_one else np.stack([c.astype(object) for c in columns], axis=1)

    def predict_proba(
        self, data: Any, target: str | int | Sequence[str | int], seed: Seed = 0
    ) -> Floats | list[Floats]:
        """Return the probabilities of the levels of one or more variables given all others.

        Parameters
        ----------
        data, target, seed
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_levels), or a list of such arrays for several targets
            In the order of the levels of the variable.
        """
        wanted, is_one = self._targets(target)
        probabilities = self._probabilities(data, wanted, seed)
        return probabilities[0] if is_one else probabilities

    def query(
        self,
        target: str | int | Sequence[str | int],
        evidence: Mapping[str, Any] | None = None,
        seed: Seed = 0,
    ) -> Answer:
        """Return the joint distribution of one or more variables given evidence.

        Parameters
        ----------
        target : str, int or sequence of them
            Names or numbers of variables.
        evidence : mapping, optional
            Names of observed variables with their levels, as in the data.
        seed : int, SeedSequence or Generator, default=0
            Random seed, used if the graph has too many cycles for exact sums.

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
            raise InputError(
                "option-conflict",
                both[0],
                f"{both[0]!r} is a target and in the evidence: leave it out of one of them.",
            )
        codes = np.full(len(self.variables), UNKNOWN, np.uint16)
        if known:
            row = np.array([[known.get(v) for v in range(len(codes))]], dtype=object)
            hidden = [v for v in range(len(codes)) if v not in known]
            codes = numbers_like(row, self.variables, hidden)[0][:, 0]
        return answer(self, wanted, codes, seed)

    def complete(self, data: Any, seed: Seed = 0) -> Any:
        """Replace the missing values of each sample by the jointly most probable ones.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        seed : int, SeedSequence or Generator, default=0
            Random seed, used if a sample has too many missing values to try all combinations.

        Returns
        -------
        pandas or polars data frame
            The variables of the model in order, with the levels of the data; ordered text levels
            are ordered categories. A pandas data frame keeps its index.
        """
        codes, offsets = self._numbers(data)
        found = predict(self._network, codes, np.random.default_rng(seed), offsets).most_probable
        frame = frame_of_levels(self.variables, found.T, frame_library(data))
        if type(data).__module__.split(".")[0] == "pandas":
            frame.index = data.index
        return frame

    def sample(self, n_samples: int, seed: Seed = None, **settings: Any) -> Any:
        """Draw samples with the levels of the data; ``distribution.sample`` draws level numbers.

        Parameters
        ----------
        n_samples : int
        seed : int, SeedSequence or Generator, optional
        **settings
            Settings of the sampler, as for `IsingModel.sample`.

        Returns
        -------
        pandas or polars data frame
            As for `complete`.
        """
        drawn = self.distribution.sample(n_samples, seed, **settings)
        return frame_of_levels(
            self.variables, drawn, frame_library(provenance=self.graph.provenance)
        )

    def energy(self, data: Any) -> Floats:
        """Return the energy -log p(x) - log Z of each sample, shape (n_samples,)."""
        codes, offsets = self._complete_numbers(data)
        energies = self.distribution.energy(codes.T)
        if offsets is None:
            return energies
        return np.asarray(energies - (offsets * self._network.indicators(codes)).sum(axis=1))

    def log_pseudo_likelihood(self, data: Any) -> float:
        """Return the mean log pseudo-likelihood per sample."""
        codes, offsets = self._complete_numbers(data)
        total = 0.0
        for part, logs in self._conditional_logs(codes, offsets=offsets):
            indicators = self._network.indicators(codes[:, part])
            total += float((logs * indicators).sum())
        return float(total / codes.shape[1])

    def log_likelihood(
        self, data: Any, seed: Seed = 0, *, chains: int = 128, steps: int = 1000
    ) -> Estimate:
        """Return the mean log-likelihood per sample, and its standard error.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        seed, chains, steps
            Settings of annealed importance sampling, as for `IsingModel.estimate_log_partition`,
            used if the graph has too many cycles for an exact sum.

        Returns
        -------
        Estimate
            ``value``, and ``error``, which is 0 if the value is exact.
        """
        if self.covariates:
            raise InputError(
                "not-supported",
                self.covariates[0].name,
                f"The likelihood of a model with {self.covariates[0].name!r} as covariate is not "
                "supported: use log_pseudo_likelihood.",
            )
        mean = -float(self.energy(data).mean())
        try:
            found = Estimate(self.distribution.log_partition(), 0.0)
        except InputError:
            found = self.distribution.estimate_log_partition(seed, chains=chains, steps=steps)
        return Estimate(mean - found.value, found.error)

    def predictability(self, data: Any) -> Predictability:
        """Measure how well each variable is predicted from all others.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
            Preferably not the data that the model was fitted to. Each variable is predicted in the
            samples in which it and all its neighbours are known.
        """
        codes, offsets = self._numbers(data)
        known = codes != UNKNOWN
        with_blanket = known.copy()
        for i, j in self._edges.tolist():
            with_blanket[i] &= known[j]
            with_blanket[j] &= known[i]
        filled = np.where(known, codes, 0)
        parts = [logs for _, logs in self._conditional_logs(filled, known, offsets)]
        together = np.concatenate(parts)
        ends = np.cumsum(self._network.n_levels)[:-1]
        by_variable = np.split(together, ends, axis=1)
        return predictability(self.variables.names, by_variable, codes, with_blanket)

    @cached_property
    def _network(self) -> OneHot:
        return OneHot.of(self._edges, *self.distribution.as_tables())

    def _probabilities(self, data: Any, wanted: Sequence[int], seed: Seed) -> list[Floats]:
        codes, offsets = self._numbers(data, wanted)
        found = predict(self._network, codes, np.random.default_rng(seed), offsets)
        return [found.probabilities[:, self._network.columns_of(np.array([v]))] for v in wanted]

    def _conditional_logs(
        self, codes: NDArray[np.uint16], known: Bools | None = None, offsets: Floats | None = None
    ) -> Iterable[tuple[slice, Floats]]:
        """Yield the conditional log-probabilities of all levels, in blocks of samples."""
        rows = max(1, _BLOCK // len(self._network.fields))
        for first in range(0, codes.shape[1], rows):
            part = slice(first, first + rows)
            own = None if known is None else known[:, part]
            indicators = self._network.indicators(codes[:, part], own)
            logits = self._network.logits(indicators)
            logits = logits if offsets is None else logits + offsets[part]
            yield part, self._network.normalised(logits)

    def _complete_numbers(self, data: Any) -> tuple[NDArray[np.uint16], Floats | None]:
        codes, offsets = self._numbers(data)
        incomplete = np.flatnonzero((codes == UNKNOWN).any(axis=1))
        if len(incomplete):
            name = self.variables.names[int(incomplete[0])]
            raise InputError(
                "missing-values",
                name,
                f"Column {name!r} has missing values: leave these samples out, or complete them "
                "with model.complete(data).",
            )
        return codes, offsets

    def _targets(self, target: str | int | Sequence[str | int]) -> tuple[list[int], bool]:
        if isinstance(target, (str, int, np.integer)):
            return [self._number(target)], True
        wanted = [self._number(one) for one in target]
        if not wanted:
            raise InputError("option-needed", "target", "target is empty: name a variable.")
        return wanted, False

    def _numbers(
        self, data: Any, hidden: Collection[int] = ()
    ) -> tuple[NDArray[np.uint16], Floats | None]:
        """Return new data as level numbers, and the contributions of covariates to the fields."""
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
