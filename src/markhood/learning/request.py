"""`Request`: a complete, checked request, and the one way from a request to a result.

`learn()`, the estimators, the command line, bootstrap and the other studies all build a request and
run it, so a feature that works in one of them works in all. A request has four groups of options,
each declared once: `Reading` (how a table becomes samples), `Knowledge` (constraints on the graph),
a method with its own options, and `Execution` (where the work is done). `Request.of` sorts flat
options into these groups. A request can be written as JSON and read back (`as_json`, `from_json`):
the provenance of a graph contains it, and `graph.bootstrap(data)` and ``markhood rerun`` start from
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from numbers import Real
from types import TracebackType
from typing import Any, Self

from markhood.arrays import Ints
from markhood.data.genome.identical import find_duplicates, group_duplicates
from markhood.data.genome.positions import on_circle
from markhood.data.labels import as_samples
from markhood.data.reading import ColumnOptions, Genome, Reading, TableFormat
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError, option, option_error, recorded, warn
from markhood.execution.checkpoint import Checkpoint
from markhood.execution.executors import Executor, executor_named
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.kernels.protocol import RESULTS
from markhood.learning.checks.chance import edges_by_chance, raised_gamma
from markhood.learning.checks.copies import Copies, is_to_group, with_nearly_alike_grouped
from markhood.learning.checks.dependent_rows import warn_of_dependent_rows, without_undecided
from markhood.learning.describe import LearnedGraph, describe
from markhood.learning.factors import warn_of_factors, with_factors
from markhood.learning.forecast.forecast import Forecast
from markhood.learning.imputation.learn_imputed import Imputation, forecast_imputed, learn_imputed
from markhood.learning.knowledge import Knowledge, constraints_on, labels_of
from markhood.learning.methods import METHODS, Method
from markhood.learning.preparing import covariates_last, of_its_kinds, require_weight
from markhood.learning.provenance import identity, with_provenance, with_warnings
from markhood.learning.run import Execution, Run, RunOptions, kernels_named
from markhood.options import Options, declare, options_from_json
from markhood.scores.bic import Bic
from markhood.scores.discrete import scorer_for
from markhood.scores.scorer import Pairs
from markhood.search.chains import ChainRun
from markhood.search.l1_paths import L1Blankets
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import EarlierScreen, Job

RECORDS = (*RESULTS, Pairs, L1Blankets, ChainRun)  # types that results of all phases consist of
GROUPS: Mapping[str, type[Options]] = {
    "table": TableFormat,
    "genome": Genome,
    "knowledge": Knowledge,
    "run": Run,
}


@dataclass(kw_only=True)
class SharedOptions(ColumnOptions, RunOptions):
    """The options that every method takes, as Python callers pass them."""

    table: TableFormat | None = declare(
        None,
        "Details of the format: header, index column, maximum number of levels, merging of rare "
        "levels, ...",
    )
    genome: Genome | None = declare(
        None, "Positions, distances, copies and other options for genomes and alignments."
    )
    knowledge: Knowledge | None = declare(
        None, "Edges that are required or forbidden, and groups of variables."
    )
    run: Run | None = declare(
        None, "Compute backend, executor, checkpoint, number of imputations and of shuffles."
    )


@dataclass(frozen=True)
class Request:
    """A method and all other options, checked on construction.

    A ``with`` statement opens the executor immediately, so that an unreachable cluster is reported
    before data are read. Otherwise the executor is open only while work runs on it.

    Examples
    --------
    >>> request = Request.of("plrhc", {"gamma": 0.25, "n_jobs": 1})
    >>> samples = request.read([[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1]] * 9 + [[0, 1, 0]])
    >>> request.learn(samples).graph.edges.tolist()
    [[0, 1]]
    >>> Request.from_json(request.as_json()).method.gamma
    0.25
    """

    method: Method
    reading: Reading = field(default_factory=Reading)
    knowledge: Knowledge = field(default_factory=Knowledge)
    run: Execution = field(default_factory=Execution)
    may_raise_gamma: bool = field(default=False, repr=False, compare=False)
    _open: list[tuple[ExitStack, Executor]] = field(
        init=False, repr=False, compare=False, default_factory=list
    )

    def __post_init__(self) -> None:
        """Check options that concern several groups."""
        if self.run.checkpoint is not None and self.method.is_random and self.run.seed_is_drawn:
            self._refuse_drawn_seed()

    def _refuse_drawn_seed(self) -> None:
        raise InputError(
            "option-needed",
            "seed",
            f"A {option('checkpoint')} can only be continued with the same random numbers: set "
            f"{option('seed')}.",
        )

    @classmethod
    def of(cls, method: str | Method, options: Mapping[str, Any]) -> Self:
        """Sort flat options into their groups."""
        kinds: list[type[Options]] = [Reading, Knowledge, Execution]
        kind = method_class(method) if isinstance(method, str) else type(method)
        if not issubclass(kind, Options):
            raise option_error(
                "method", f"must be the name of a method or a method, not {method!r}."
            )
        groups = {one: {n: v for n, v in options.items() if n in one.names()} for one in kinds}
        own = {n: v for n, v in options.items() if n in kind.names()}
        progress = {"progress": options["progress"]} if "progress" in options else {}
        known = {"progress", *own, *(name for group in groups.values() for name in group)}
        for name in options:
            if name not in known:
                raise _unknown(name, options[name], kind)
        made = kind(**own) if isinstance(method, str) else replace(method, **own)
        return cls(
            made,
            Reading(**groups[Reading]),
            Knowledge(**groups[Knowledge]),
            Execution(**groups[Execution], **progress),
            may_raise_gamma=isinstance(method, str) and "gamma" not in own,
        )

    @classmethod
    def from_call(
        cls, method: Any, options: Mapping[str, Any], progress: Progress = no_progress
    ) -> Self:
        """Build a request from a Python call: option groups, and a method by name or as an object.

        Options of a group are not accepted flat, so that there is one way to pass each. Options of
        an estimator apply unless a value other than the default is passed here.
        """
        owners = {name: group for group, kind in GROUPS.items() for name in kind.names()}
        for name in options:
            if name in owners:
                group = owners[name]
                raise option_error(
                    name,
                    f"is an option of {group}: write {group}={GROUPS[group].__name__}({name}=...).",
                )
        flat = flattened(options) | {"progress": progress}
        if hasattr(method, "flat_options"):  # an estimator
            name, own = method.flat_options()
            given = {n: v for n, v in flat.items() if n not in _DEFAULTS or v is not _DEFAULTS[n]}
            return cls.of(name, own | given)
        return cls.of(method, flat)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], **changes: Any) -> Self:
        """Return the request that `as_json` wrote, with some options changed.

        Raises
        ------
        InputError
            If an option was stored by its hash only and is not passed again.
        """
        kinds = {
            "parameters": method_class(stored["method"]),
            "reading": Reading,
            "knowledge": Knowledge,
            "run": Execution,
        }
        options: dict[str, Any] = {}
        for part, kind in kinds.items():
            kept = {n: v for n, v in stored.get(part, {}).items() if n not in changes}
            options |= options_from_json(kind, kept)
        return cls.of(stored["method"], options | changes)

    def varied(self, changes: Mapping[str, Any]) -> Self:
        """Return the request with some options changed; ``method`` is one of them.

        Another method keeps the options that it declares too. Changes that it does not declare are
        ignored, but not changes that no method declares.

        Examples
        --------
        >>> request = Request.of("plrhc", {"gamma": 0.25, "seed": 3})
        >>> other = request.varied({"method": "l1lr", "rule": "and"})
        >>> other.method.name, other.method.gamma, other.method.rule, other.seed
        ('l1lr', 0.25, 'and', 3)
        """
        changed = dict(changes)
        name = changed.pop("method", self.method.name)
        kind = method_class(name)
        known = {n for one in METHODS.values() for n in one.names()} - set(kind.names())
        own = {n: v for n, v in self.method.changed().items() if n in kind.names()}
        groups = (self.reading, self.knowledge, self.run)
        flat = {n: v for group in groups for n, v in group.changed().items()}
        flat |= {"seed": self.seed, "progress": self.run.progress}
        applied = {n: v for n, v in changed.items() if n not in known}
        varied = type(self).of(name, flat | own | applied)
        may_raise = self.may_raise_gamma and "gamma" not in applied
        return replace(varied, may_raise_gamma=varied.may_raise_gamma and may_raise)

    def as_json(self) -> dict[str, Any]:
        """Return the request as JSON: large arrays and objects by their content hash."""
        return {
            "method": self.method.name,
            "parameters": self.method.as_json(),
            "reading": self.reading.as_json(),
            "knowledge": self.knowledge.as_json(),
            "run": self.run.as_json(),
        }

    def with_run(self, **changes: Any) -> Self:
        """Return the same request with other run options."""
        return replace(self, run=replace(self.run, **changes))

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
        """Close the executor."""
        stack, _ = self._open.pop()
        stack.__exit__(kind, error, trace)

    @property
    def seed(self) -> int:
        """The seed; drawn if the caller passed None."""
        return int(self.run.seed)  # type: ignore[arg-type]  # `Execution` makes it a number

    @property
    def imputation(self) -> Imputation:
        """How missing values are imputed."""
        return Imputation(self.run.imputations, self.seed)

    def read(self, data: Any) -> Samples:
        """Return data (a table, `Samples` or a path) as samples."""
        return as_samples(data, self.reading)

    def learn(self, samples: Samples) -> LearnedGraph:
        """Learn from samples, and add the provenance to the graphs."""
        with recorded() as warnings:
            samples = self.prepared(samples)
            safer, earlier = self._with_safe_gamma(samples)
            learned = safer._learned(samples, earlier)
        return with_warnings(learned, warnings)

    def _learned(self, samples: Samples, earlier: EarlierScreen | None) -> LearnedGraph:
        """Learn from prepared samples."""
        copies = self.copies(samples)
        copies.warn()
        warn_of_dependent_rows(samples)
        self.method.warn_of_data(samples)
        with self.job(samples) as job:
            job = replace(job, earlier=earlier)
            self.method.require_room(job)
            saved = job.runner.checkpoint
            with saved.answering() if saved else nullcontext():
                if samples.missing and not self.method.takes_missing:
                    learned = learn_imputed(job, self.method, self.imputation)
                else:
                    learned = describe(job, self.method.search(job))
            by_chance = edges_by_chance(job, self.method, self.run.shuffles, self.seed)
        if learned.n_cut:
            many = learned.n_cut > 1
            warn(
                "candidates-cut",
                "max_candidates",
                f"The search space{'s' if many else ''} of {learned.n_cut} variable"
                f"{'s were' if many else ' was'} cut to the strongest candidates; raise "
                f"{option('max_candidates')} to search more.",
            )
        if self.method.n_factors is None and self.run.checkpoint is None:
            warn_of_factors(job, kernels_named(self.run.kernels), learned.graph.n_edges)
        copies.warn_of_near(job.samples, learned.edges)
        self.method.warn_of_result(job, learned)
        return with_provenance(learned, job, self, by_chance, copies.as_json())

    def with_safe_gamma(self, samples: Samples) -> Self:
        """Return the request with a larger gamma if the default would give mostly chance edges.

        The samples are those returned by `prepared`.
        """
        return self._with_safe_gamma(samples)[0]

    def _with_safe_gamma(self, samples: Samples) -> tuple[Self, EarlierScreen | None]:
        """Return that request, and what was screened to find it."""
        gamma = self.method.tested_gamma
        if not self.may_raise_gamma or gamma is None:
            return self, None
        with replace(self, run=replace(self.run, checkpoint=None)).job(samples) as job:
            raised, earlier = raised_gamma(job, gamma)
        if raised == gamma:
            return self, earlier
        method: Any = self.method
        safer = replace(self, method=replace(method, gamma=raised), may_raise_gamma=False)
        safer._open.extend(self._open)
        return safer, earlier

    def forecast(self, samples: Samples) -> Forecast:
        """Forecast time and memory of learning on threads of this machine."""
        samples = self.prepared(samples)
        with self.job(samples) as job:
            if samples.missing and not self.method.takes_missing:
                return forecast_imputed(job, self.method, self.imputation)
            return self.method.forecast(job)

    def prepared(self, samples: Samples) -> Samples:
        """Return samples ready for a search: covariates last, copies grouped, factors added."""
        require_weight(samples)
        samples = of_its_kinds(covariates_last(samples, self.reading.adjust_for), self.method)
        samples = on_circle(samples, self.reading.genome_length)
        return with_factors(
            self._grouped(samples),
            self.method.n_factors,
            self.constraints,
            Runner(self.run.n_jobs),
            kernels_named(self.run.kernels),
            self.seed,
        )

    def _grouped(self, samples: Samples) -> Samples:
        """Return samples with copies grouped, if requested."""
        how = self.reading.identical
        if not is_to_group(samples, how):
            return samples
        samples = group_duplicates(samples, find_duplicates(samples, labels_of(samples, self)))
        if not isinstance(how, Real):
            return samples
        runner = Runner(self.run.n_jobs, self.run.report)
        marginal = replace(samples, reals={})  # copies agree, whatever the covariates
        scorer = scorer_for(marginal, Bic(), kernels_named(self.run.kernels))
        labels = labels_of(samples, self)
        return with_nearly_alike_grouped(samples, scorer, runner, float(how), labels)

    def copies(self, samples: Samples) -> Copies:
        """Return the copies in samples, as returned by `prepared`."""
        return Copies.of(samples, self.reading.identical, labels_of(samples, self))

    def labels(self, samples: Samples) -> Ints:
        """Return numbers that differ between variables which must not become one node."""
        return labels_of(samples, self)

    def constraints(self, variables: Variables) -> Constraints:
        """Return the constraints on the graph of these variables, as returned by `prepared`."""
        return constraints_on(variables, self)

    @contextmanager
    def job(self, samples: Samples, study: Mapping[str, Any] | None = None) -> Iterator[Job]:
        """Build the job of a search, with the executor open while it runs.

        Parameters
        ----------
        study : mapping, optional
            Further facts that results depend on, if there is more than one search.
        """
        known = self.constraints(samples.variables)
        if samples.clusters is not None:
            gamma = 0.5 if self.method.tested_gamma is None else self.method.tested_gamma
            known = without_undecided(known, samples, gamma)
        with nullcontext(self._open[-1][1]) if self._open else self._named_executor() as executor:
            saved = self._saved(samples, known, study or {})
            runner = Runner(self.run.n_jobs, self.run.report, executor, saved)
            scorer = scorer_for(samples, self.method.scored_by, kernels_named(self.run.kernels))
            yield Job(samples, scorer, runner, known, self.seed)

    def _named_executor(self) -> AbstractContextManager[Executor]:
        run = self.run
        return executor_named(run.executor, run.scheduler, run.n_jobs, int(run.kernels == "cuda"))

    def _saved(
        self, samples: Samples, known: Constraints, study: Mapping[str, Any]
    ) -> Checkpoint | None:
        """Open the folder of finished tiles, if a checkpoint is requested."""
        if self.run.checkpoint is None:
            return None
        if samples.missing and not self.method.takes_missing:
            study = {"imputations": self.run.imputations, **study}
        if study and self.run.seed_is_drawn:
            self._refuse_drawn_seed()
        parts = identity(samples, self.method, known, self.seed, study)
        return Checkpoint(self.run.checkpoint, parts, RECORDS)


_DEFAULTS = {one.name: one.default for one in (*SharedOptions.declared(), *Reading.declared())}


def flattened(options: Mapping[str, Any]) -> dict[str, Any]:
    """Replace groups of options by their members."""
    flat = {name: value for name, value in options.items() if name not in GROUPS}
    for name, kind in GROUPS.items():
        group = options.get(name)
        if group is None:
            continue
        if not isinstance(group, kind):
            raise InputError(
                "option-value",
                name,
                f"{name} must be a markhood.{kind.__name__}, not {group!r}: write "
                f"{name}={kind.__name__}(...).",
            )
        flat |= group.changed()
    return flat


def method_class(name: Any) -> type[Method]:
    """Return the method class of that name, or raise."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(
            "option-unknown",
            "method",
            f"Unknown method {name!r}: choose one of {', '.join(METHODS)}.",
        )
    return METHODS[name]


def _unknown(name: str, value: Any, kind: type[Method]) -> InputError:
    known = [*kind.names(), *SharedOptions.names()]
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {option(close[0])}?" if close else f"it takes {', '.join(kind.names())}."
    return InputError(
        "option-unknown", name, f"Method {kind.name!r} has no option {option(name, value)}: {hint}"
    )
