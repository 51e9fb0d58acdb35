"""The questions that a user can choose, each answered by a function of the library.

A question names the command that answers it, asks for a few settings in plain words, and turns the
result into sentences, tables, figures and reports (`results.Result`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Any

import numpy as np

from markhood.app.results import Result
from markhood.app.settings import (
    Setting,
    request_of,
    request_settings,
    study_settings,
    values_of,
)
from markhood.errors import InputError, counted, listed
from markhood.execution.runner import Progress, no_progress
from markhood.learning.request import Request
from markhood.model.fitted.model import FittedModel
from markhood.model.fitted.summary import SELECTION
from markhood.model.fitting.fit import fit_model
from markhood.options import Options
from markhood.stability.bootstrap import bootstrap_data
from markhood.stability.grouped import read_groups
from markhood.stability.groups import compare
from markhood.stability.plan import plan_request
from markhood.stability.studies import BootstrapOptions, GroupOptions, NoOptions, PlanOptions

LEVEL = 0.05
STABLE = 0.9  # share of the repetitions in which an edge counts as stable
REACHED = {
    "sensitivity": "at least {:.0%} of the connections are found",
    "specificity": "at least {:.0%} of the other pairs have no connection",
    "correlation": "the strengths have a correlation of at least {:g} with the true ones",
    "edge": "the connection is found",
    "cs": "the CS coefficient of strength is at least {:g}",
}
GROUPS_COST = 8  # of a comparison, in units of learning one graph


@dataclass(frozen=True)
class Analysis:
    """What the user asked for."""

    question: str  # name of a question, which is that of a command
    table: Path | None  # the data, in the current folder; None for planning without data
    method: str
    # The settings that differ from their defaults, as typed on the command line.
    settings: Mapping[str, Any]
    codebook: list[dict[str, Any]]  # rows of the columns whose role, kind or levels were changed

    def request(self, progress: Progress = no_progress) -> Request:
        """Return the request; all threads are used unless the user set another number."""
        known = {one.name for one in QUESTIONS[self.question].settings(self.method)}
        if unknown := set(self.settings) - known:
            name = min(unknown)
            raise InputError("option-unknown", name, f"There is no setting {name!r}.")
        return request_of(self.method, self.settings, self.codebook, n_jobs=-1, progress=progress)

    def study(self) -> Any:
        """Return the options of the study."""
        own = QUESTIONS[self.question]
        return own.options(**values_of(own.study, self.settings))


def connections(analysis: Analysis, request: Request, result: Result) -> None:
    """Learn the graph, and fit the model on it."""
    with request:
        samples = request.read(analysis.table)
        graph = request.learn(samples).graph
    found = counted(graph.n_edges, "direct connection")
    result.headline = f"{found} among {graph.n_nodes} variables"
    result.say(
        "Two variables are connected if one helps to predict the other, all others being equal."
    )
    request.run.report("model", 0, 1)
    try:
        model = fit_model(graph, samples)
    except InputError as error:
        result.say(f"The strengths have no confidence intervals: {error}")
        result.report(graph, samples)
    else:
        request.run.report("report", 0, 1)
        result.report(graph, samples, model=model)
        _add_model(model, result)
    result.paragraph = graph.describe_methods()
    result.send()
    result.reproduction(graph)
    result.network_figure(graph)


def _add_model(model: FittedModel, result: Result) -> None:
    """Add the strength of every connection with its interval, and the model."""
    rows = [
        {"source": a, "target": b, "coupling": c, "standard_error": e, "low": low, "high": high}
        for (a, b), c, e, (low, high) in zip(
            model.graph.edge_names(),
            model.couplings.tolist(),
            model.errors.couplings.tolist(),
            model.intervals().tolist(),
            strict=True,
        )
    ]
    result.table(
        "strengths.csv",
        "Strength of every connection, with its 95 % confidence interval",
        sorted(rows, key=lambda row: -abs(row["coupling"])),
    )
    if model.is_selected:
        result.say(SELECTION)
    result.table("fields.csv", "Fields (thresholds) of every variable", model.field_rows(), 0)
    result.model(model)


def sureness(analysis: Analysis, request: Request, result: Result) -> None:
    """Bootstrap the graph."""
    found = bootstrap_data(request, analysis.table, analysis.study())
    graph, n = found.graph, found.replicates.n_replicates
    n_stable = int((found.frequency >= STABLE).sum())
    result.headline = (
        f"{n_stable} of {counted(graph.n_edges, 'connection')} appeared in at least "
        f"{STABLE:.0%} of {n} repetitions"
    )
    result.say(
        "The analysis was repeated with data sets drawn from yours. A connection that appears in "
        "nearly every repetition does not depend on a few people in the sample."
    )
    rows = sorted(found.edges(), key=lambda row: -row["frequency"])
    doubtful = [row for row in rows if row["in_graph"] and row["frequency"] < 0.5]
    if doubtful:
        names = [f"{row['source']} and {row['target']}" for row in doubtful]
        result.say(f"Found in less than half of the repetitions: {listed(names)}.")
    result.report(graph, request.read(analysis.table), bootstrap=found)
    result.table("frequencies.csv", "How often each connection appeared", rows)
    result.paragraph = found.describe_methods()
    result.send()
    result.table("centrality.csv", "Centrality of every variable", found.centrality(), 0)
    if found.resample == "cases":
        result.table("stability.csv", "Stability of the centralities (CS)", found.stability())

    def intervals() -> Any:
        from markhood.output.pictures.stability import edge_intervals

        return edge_intervals(found)

    result.reproduction(graph)
    result.figure("intervals", "Strengths with their intervals", intervals)
    result.network_figure(graph)


def differences(analysis: Analysis, request: Request, result: Result) -> None:
    """Compare the networks of groups."""
    study: GroupOptions = analysis.study()
    if study.by is None:
        raise InputError("option-needed", "by", "Choose the column that has the groups.")
    groups = read_groups([(request, analysis.table)], None, study.by, study.pairs)
    request.run.report("groups", 0, 1)
    found = compare(request, groups, study)
    names = listed([f"{g} ({n} rows)" for g, n in zip(found.names, found.sizes, strict=True)])
    rows = found.edge_rows()
    differing = [row for row in rows if row["p_adjusted"] < LEVEL]
    if found.p_structure < LEVEL:
        result.headline = f"The networks differ (p = {found.p_structure:.2g})"
    else:
        result.headline = f"No clear difference between the networks (p = {found.p_structure:.2g})"
    result.say(
        f"Groups of {study.by}: {names}.",
        f"{counted(len(differing), 'connection')} of {len(rows)} differ in strength, after "
        "adjusting for the number of comparisons.",
        f"The sums of all strengths differ by {found.strength:+.2g} (p = {found.p_strength:.2g}).",
    )
    if found.p_structure >= LEVEL:
        result.say("This does not show that the networks are equal: small groups hide differences.")
    result.comparison(found, study.by)
    result.table("differences.csv", "Difference of every connection, smallest p first", rows)
    result.table("fields.csv", "Difference of every variable's field", found.field_rows(), 0)
    result.table("centrality.csv", "Difference of centralities", found.centrality_rows(), 0)
    result.paragraph = found.describe_methods()
    result.send()

    def networks() -> Any:
        from markhood.output.pictures.groups import group_networks

        return group_networks(found)[0]

    result.figure("groups", "The networks of the groups", networks)


def size(analysis: Analysis, request: Request, result: Result) -> None:
    """Find the number of samples that a study needs."""
    found = plan_request(request, analysis.table, analysis.study())
    result.headline = (
        "More than 100 000 people are needed"
        if found.n_samples is None
        else f"About {found.n_samples} people are needed"
    )
    about = "the network of your data" if analysis.table else "random networks as described"
    plain = REACHED.get(found.measure, f"the {found.measure} reaches {{:g}}")
    reached = plain.format(found.target)
    result.say(
        f"{len(found.sizes)} studies were simulated from {about}.",
        f"With this number, {reached} in {found.power:.0%} of the studies.",
    )
    result.table("sizes.csv", "Simulated studies by number of people", found.rows())
    result.paragraph = found.paragraph()
    result.send()

    def power() -> Any:
        from markhood.output.pictures.plan import plan as draw

        return draw(found)

    result.figure("power", "Power by number of people", power)


@dataclass(frozen=True)
class Question:
    """A question, with the function that answers it."""

    name: str  # command that answers it
    title: str
    text: str  # what the user reads, below the title
    answer: Callable[[Analysis, Request, Result], None]
    options: type[Options]  # options of the study in addition to those of a request
    # Parameters that everybody is asked for, with the question in plain words.
    asked: Mapping[str, str]
    needs_table: bool = True

    @property
    def study(self) -> list[Setting]:
        """The settings of the study."""
        return study_settings(self.options)

    def settings(self, method: str) -> list[Setting]:
        """List all settings: those of the study first; they replace others of the same name."""
        own = {one.name for one in self.study}
        return [*self.study, *(one for one in request_settings(method) if one.name not in own)]


QUESTIONS = {
    one.name: one
    for one in (
        Question(
            "learn",
            "Which variables are connected?",
            "Finds the pairs that belong together directly, not through other variables, and draws "
            "the network.",
            connections,
            NoOptions,
            {},
        ),
        Question(
            "bootstrap",
            "How sure are the connections?",
            "Repeats the analysis on many samples drawn from your data, and counts how often each "
            "connection appears.",
            sureness,
            BootstrapOptions,
            {"replicates": "Number of repetitions"},
        ),
        Question(
            "compare-groups",
            "Do groups differ?",
            "Compares the networks of two or more groups, such as women and men, or patients and "
            "controls.",
            differences,
            GroupOptions,
            {"by": "Column with the groups"},
        ),
        Question(
            "plan",
            "How many people do I need?",
            "Simulates studies of different sizes, and finds the number of people that a new study "
            "needs.",
            size,
            PlanOptions,
            {
                "measure": "What should be reached",
                "power": "With what probability",
                "nodes": "Number of variables (without a table)",
                "levels": "Answers per variable (without a table)",
            },
            needs_table=False,
        ),
    )
}


def forecast(analysis: Analysis) -> dict[str, Any]:
    """Forecast the seconds of an analysis; None if that is not known."""
    if analysis.table is None or analysis.question == "plan":
        return {"seconds": None}
    request, study = analysis.request(), analysis.study()
    samples = request.read(analysis.table)
    try:
        one = request.forecast(samples)
        alone = request.with_run(n_jobs=1).forecast(samples)
    except InputError:
        return {"seconds": None}
    seconds, is_least = sum(one.seconds.values()), one.is_lower_bound
    if analysis.question == "bootstrap":  # a replicate is imputed once, not several times
        sets = request.run.imputations if samples.missing else 1
        each = sum(alone.seconds.values()) / sets / (cpu_count() or 1)
        seconds += int(study.replicates) * each
    if analysis.question == "compare-groups":
        seconds, is_least = GROUPS_COST * seconds, True
    return {"seconds": float(np.ceil(seconds)), "is_least": is_least, "memory": one.memory}
