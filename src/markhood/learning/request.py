"""`Request`: what a user asked for, checked, and the one road from there to a result.

`learn()`, the estimators and the command line all put a request together and let it run; what one
door can do, all can. The options of a method are the method's (`methods`); those that every method
shares are the fields of `Options`, and nowhere else.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from numbers import Integral, Real
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from markhood.data.genome.identical import alike_variables, with_alike_grouped
from markhood.data.genome.loci import Places
from markhood.data.genome.placed import on_circle
from markhood.data.given import as_samples
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError, option, warn
from markhood.execution.checkpoint import Checkpoint
from markhood.execution.executor import Executor
from markhood.execution.executors import executor_named
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import RESULTS, Kernels
from markhood.learning.checks.chance import edges_by_chance, warn_of_chance
from markhood.learning.checks.convergence import warn_of_disagreement
from markhood.learning.checks.copies import (
    Copies,
    check_identical,
    is_to_group,
    with_nearly_alike_grouped,
)
from markhood.learning.checks.density import warn_of_linkage
from markhood.learning.checks.many_parameters import warn_of_letters, warn_of_parameters
from markhood.learning.describe import Learned, describe
from markhood.learning.forecast.forecast import Forecast, forecast, require_room
from markhood.learning.imputation.learn_imputed import Imputation, forecast_imputed, learn_imputed
from markhood.learning.methods import Bayes, Method, PseudoLikelihood
from markhood.learning.preparing import covariates_last, knowledge_of, labels_of, of_its_kinds
from markhood.learning.provenance import identity, with_provenance
from markhood.scores.bic import Bic
from markhood.scores.discrete import scorer_for
from markhood.scores.scorer import Pairs
from markhood.search.l1_paths import L1Blankets
from markhood.search.values.job import Job
from markhood.search.values.knowledge import Knowledge, Near

RECORDS = (*RESULTS, Pairs, L1Blankets)  # what the results of all phases consist of


@dataclass(kw_only=True, eq=False)
class Options:
    """What can be asked for with every method.

    Parameters
    ----------
    missing : {"error", "drop", "level", "impute"}, default="error"
        What to do about missing values: refuse them, leave out the samples that have any, make
        them a level of their own, or learn from several completed data sets.
    missing_values : iterable, default=()
        Further values that mean missing, such as -9 or "?".
    max_levels : int, default=64
        How many distinct values a column may have.
    columns : sequence of str, optional
        The columns that are variables; by default all. Names, or patterns such as "Q*".
    exclude : sequence of str, default=()
        Columns that are no variables: names or patterns.
    normalize_weights : bool, default=True
        Whether weights that are not whole numbers are scaled to mean 1.
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str, default="auto"
        Whether levels are steps, for all columns or for some by name.
    bins : int, "auto" or mapping of str to int, optional
        Into how many bins columns of many numbers are cut.
    merge_rare : int, optional
        Merge levels that fewer samples have.
    letters : {"all", "reduced"}, default="all"
        Whether similar letters of aligned sequences are one level.
    similarity_threshold : float, default=0.1
        For weights by similarity: samples that differ in at most this share of the variables are alike.
    positions : mapping, sequence or path, optional
        Where variables lie along a genome.
    identical : {"auto", "keep", "group"} or float, default="auto"
        Whether columns that no data tell apart are nodes of their own or one; a number such as 0.99 makes
        one of those that nearly agree. By default sites of genomes and alignments are grouped.
    imputations : int, default=10
        How many completed data sets there are with ``missing="impute"``.
    seed : int or None, default=0
        What random numbers start from; None for others every time.
    required_edges, forbidden_edges : sequence of pairs, array of shape (n, 2), or path, optional
        Edges that the graph has whatever the data say, and edges that it does not have; pairs of
        column names or numbers, or a file with a pair on every line.
    groups : mapping, sequence of n_variables labels, or path, optional
        The group of every variable: by name, in order, or in a file.
    group_rule : {"between", "within"}, default="between"
        Which edges may be learned where there are groups: those between two, or within one.
    pair_priors : mapping, table of three columns, or path, optional
        For ``bayes``: how probable it is, before the data are seen, that certain pairs are edges;
        ``{("a", "b"): 0.9}``, a table of source, target and probability, or a file of such lines.
    adjust_for : sequence of str, default=()
        Columns that are in every variable's regression, but are no nodes and have no edges.
    min_distance : float, optional
        Leave out edges between variables that are nearer to each other than this on one chromosome.
    genome_length : int, optional
        The genome is a circle of so many bases: distances are the shorter way round.
    shuffles : int, default=0
        Search so many times more with every column shuffled, to see how many edges chance makes.
    n_jobs : int or None, default=-1
        Threads; -1 for all, None for what joblib is set to.
    kernels : {"native", "cuda"} or Kernels, default="native"
        Where pairs are screened: on the processor, or on an NVIDIA GPU.
    executor : {"threads", "dask", "ray"} or distributed.Client, optional
        What runs the tiles of the work; by default threads here, or what joblib is set to.
    scheduler : str, optional
        Address of the cluster, for "dask" and "ray".
    checkpoint : path-like, optional
        Folder where finished tiles are saved; a run that was killed goes on from there.
    """

    missing: str = "error"
    missing_values: Iterable[Any] = ()
    max_levels: int = 64
    columns: Sequence[str] | None = None
    exclude: Sequence[str] = ()
    normalize_weights: bool = True
    kinds: Any = "auto"
    bins: Any = None
    merge_rare: int | None = None
    letters: str = "all"
    similarity_threshold: float = 0.1
    positions: Any = None
    identical: Any = "auto"
    imputations: int = 10
    seed: int | None = 0
    required_edges: Any = None
    forbidden_edges: Any = None
    groups: Any = None
    group_rule: str = "between"
    pair_priors: Any = None
    adjust_for: Sequence[str] = ()
    min_distance: float | None = None
    genome_length: int | None = None
    shuffles: int = 0
    n_jobs: int | None = -1
    kernels: Any = "native"
    executor: Any = None
    scheduler: str | None = None
    checkpoint: str | os.PathLike[str] | None = None


@dataclass(frozen=True)
class Request:
    """A method and options, checked when they are put together.

    In a ``with`` statement the executor is opened at once, so that a cluster which is not there is said
    before hours of reading; otherwise it is open as long as something runs on it.

    Parameters
    ----------
    method : Method
    options : Options
    progress : callable
        Told the name of a phase, tiles done and tiles in all.

    Examples
    --------
    >>> from markhood.learning.methods import Plrhc
    >>> request = Request(Plrhc(gamma=0.25), Options(n_jobs=1))
    >>> samples = request.read([[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1]] * 9)
    >>> request.learn(samples).graph.edges.tolist()
    [[0, 1]]
    """

    method: Method
    options: Options = field(default_factory=Options)
    progress: Progress = no_progress
    _kernels: Kernels = field(init=False, repr=False)
    _imputation: Imputation = field(init=False, repr=False)
    _open: list[tuple[ExitStack, Executor]] = field(
        init=False, repr=False, compare=False, default_factory=list
    )

    def __post_init__(self) -> None:
        """Check what can be checked before there are data."""
        jobs = self.options.n_jobs
        if jobs is not None and (not isinstance(jobs, Integral) or jobs == 0):
            raise InputError(
                f"{option('n_jobs')} must be a number of threads, or -1 for all, not {jobs!r}."
            )
        shuffles = self.options.shuffles
        if not isinstance(shuffles, Integral) or shuffles < 0:
            raise InputError(
                f"{option('shuffles')} must be a whole number from 0 up, not {shuffles!r}."
            )
        least = self.options.min_distance
        if least is not None and not (isinstance(least, Real) and 0 <= least < math.inf):
            raise InputError(
                f"{option('min_distance')} must be a finite number from 0 up, not {least!r}."
            )
        rule = self.options.group_rule
        if rule not in ("between", "within"):
            raise InputError(
                f"Unknown {option('group_rule')} {rule!r}: choose one of between, within."
            )
        if self.options.groups is None and rule != "between":
            raise InputError(
                f"{option('group_rule', rule)} needs {option('groups')}: give them, or leave it out."
            )
        if self.options.pair_priors is not None and not isinstance(self.method, Bayes):
            raise InputError(
                f"{option('pair_priors')} are for the method 'bayes', and {self.method.name!r} has no "
                "probabilities: leave one of the two out."
            )
        if self.covariates and not self.method.adjusts:
            raise InputError(
                f"{option('adjust_for')} is for the methods plrhc, hc and mpl with the rules global, or "
                "and and: choose one of these, or leave it out."
            )
        check_identical(self.options.identical)
        object.__setattr__(self, "_kernels", kernels_named(self.options.kernels))
        object.__setattr__(
            self, "_imputation", Imputation(self.options.imputations, self.options.seed)
        )

    def __enter__(self) -> Self:
        """Open the executor, until the end of the ``with`` statement."""
        stack = ExitStack()
        self._open.append((stack, stack.enter_context(self._named_executor())))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close what was opened."""
        stack, _ = self._open.pop()
        stack.__exit__(kind, error, trace)

    @property
    def covariates(self) -> tuple[str, ...]:
        """The columns that are adjusted for."""
        given = self.options.adjust_for
        return (given,) if isinstance(given, str) else tuple(given or ())

    def read(self, data: Any, weights: Any = None) -> Samples:
        """Return data as samples, read as the options say.

        Parameters
        ----------
        data : array, data frame, sparse matrix, Samples or path
        weights : array-like of shape (n_samples,) or str, optional
            How often each sample counts.
        """
        return as_samples(
            data,
            missing=self.options.missing,
            missing_values=self.options.missing_values,
            max_levels=self.options.max_levels,
            weights=weights,
            normalize_weights=self.options.normalize_weights,
            columns=self._columns(),
            exclude=self.options.exclude,
            kinds=self.options.kinds,
            bins=self.options.bins,
            merge_rare=self.options.merge_rare,
            letters=self.options.letters,
            similarity_threshold=self.options.similarity_threshold,
            positions=self.options.positions,
        )

    def _columns(self) -> Sequence[str] | None:
        """Return the columns to read: those that are adjusted for are wanted too."""
        named = self.options.columns
        if named is None:
            return None
        listed = [named] if isinstance(named, str) else list(named)
        return [*listed, *(name for name in self.covariates if name not in listed)]

    def learn(self, samples: Samples) -> Learned:
        """Learn from samples, and write down where the graphs came from."""
        samples = self.prepared(samples)
        copies = Copies.of(samples, self.options.identical, self.labels(samples))
        copies.warn()
        ranks = isinstance(self.method, PseudoLikelihood)  # whatever a coupling costs
        if not ranks:
            warn_of_parameters(samples, heeds_order=self.method.heeds_order)
        with self.job(samples) as job:
            require_room(job, self.method)
            saved = job.runner.checkpoint
            with saved.answering() if saved else nullcontext():
                if samples.missing and not self.method.takes_missing:
                    learned = learn_imputed(job, self.method, self._imputation)
                else:
                    learned = describe(job, self.method.search(job))
            by_chance = edges_by_chance(job, self.method, self.options.shuffles, self.options.seed)
        if learned.n_cut:
            many = learned.n_cut > 1
            warn(
                f"The search space{'s' if many else ''} of {learned.n_cut} variable"
                f"{'s were' if many else ' was'} cut to the strongest candidates "
                f"({option('max_candidates')})."
            )
        if isinstance(self.method, Bayes) and not samples.missing:  # else each is of many chains
            warn_of_disagreement(learned.probabilities, self.method.lengths(samples))
        n_edges = learned.graph.n_edges
        warn_of_chance(job, self.method, n_edges)
        warn_of_linkage(self.method, job.knowledge, len(learned.found_edges), n_edges)
        if not ranks:
            warn_of_letters(samples, n_edges)
        imputation = self._imputation if samples.missing else None
        return with_provenance(
            learned,
            job,
            self.method,
            imputation,
            by_chance,
            copies.as_json(),
        )

    def forecast(self, samples: Samples) -> Forecast:
        """Say how long learning would take on threads of this machine, and how much memory."""
        samples = self.prepared(samples)
        with self.job(samples) as job:
            if samples.missing and not self.method.takes_missing:
                return forecast_imputed(job, self.method, self._imputation)
            return forecast(job, self.method)

    def prepared(self, samples: Samples) -> Samples:
        """Return samples as a search takes them: covariates last, of the method's kinds, copies grouped."""
        samples = of_its_kinds(covariates_last(samples, self.covariates), self.method)
        samples = on_circle(samples, self.options.genome_length)
        how = self.options.identical
        if not is_to_group(samples, how):
            return samples
        samples = with_alike_grouped(samples, alike_variables(samples, self.labels(samples)))
        if not isinstance(how, Real):
            return samples
        runner = Runner(self.options.n_jobs, self.progress)
        scorer = scorer_for(samples, Bic(), self._kernels)
        return with_nearly_alike_grouped(samples, scorer, runner, float(how), self.labels(samples))

    def labels(self, samples: Samples) -> NDArray[np.int64]:
        """Return numbers that differ between variables which must not become one node."""
        return labels_of(samples, self.options.groups, self.covariates)

    @contextmanager
    def job(self, samples: Samples, run: Mapping[str, str] | None = None) -> Iterator[Job]:
        """Put together what a search needs, with the executor open as long as it runs.

        Parameters
        ----------
        samples : Samples
        run : mapping of str to str, optional
            What results depend on besides, where there is more than a search.
        """
        options, known = self.options, self.knowledge(samples.variables)
        with nullcontext(self._open[-1][1]) if self._open else self._named_executor() as executor:
            saved = self._saved(samples, known, run or {})
            runner = Runner(options.n_jobs, self.progress, executor, saved)
            scorer = scorer_for(samples, self.method.scored_by, self._kernels)
            yield Job(samples, scorer, runner, known, options.seed)

    def _named_executor(self) -> AbstractContextManager[Executor]:
        options = self.options
        cards = int(options.kernels == "cuda")
        return executor_named(options.executor, options.scheduler, options.n_jobs, cards)

    def knowledge(self, variables: Variables) -> Knowledge:
        """Return what is known beforehand of the graph of these variables, as `prepared` has them."""
        return knowledge_of(variables, self.options, self.covariates, self._near(variables))

    def _near(self, variables: Variables) -> Near | None:
        """Return which pairs are too near to each other to be reported."""
        least = self.options.min_distance
        if least is None:
            return None
        if variables.loci is None:
            raise InputError(
                f"{option('min_distance')} needs to know where variables lie: give "
                f"{option('positions')}, or names such as 'chr1:12345'."
            )
        return Near(Places.of(variables.loci, variables.genome_length), float(least))

    def _saved(
        self, samples: Samples, known: Knowledge, further: Mapping[str, str]
    ) -> Checkpoint | None:
        """Open the folder of finished tiles, where there is to be one."""
        if self.options.checkpoint is None:
            return None
        if samples.missing and not self.method.takes_missing:
            imputation = self._imputation
            further = {"imputations": str(imputation.sets), "seed": str(imputation.seed), **further}
        if (self.method.is_random or further) and self.options.seed is None:
            raise InputError(
                f"A {option('checkpoint')} can only be gone on from with the same random numbers: "
                f"give a {option('seed')}."
            )
        run = identity(samples, self.method, known, self.options.seed)
        return Checkpoint(self.options.checkpoint, {**run, **further}, RECORDS)


def kernels_named(name: str | Kernels) -> Kernels:
    """Return the compute backend of that name, or the one that is given.

    Raises
    ------
    InputError
        If there is no such backend, or not what it needs.
    """
    if not isinstance(name, str):
        return name
    if name == "native":
        return NativeKernels()
    if name == "cuda":
        from markhood.kernels.cuda.backend import CudaKernels

        return CudaKernels()
    raise InputError(f"Unknown {option('kernels')} {name!r}: choose native or cuda.")
