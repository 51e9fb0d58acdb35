"""The findings at the top of a report: a few sentences made from the result.

Strongest edges with odds in words, communities, most central variables, stability, and the main
caveat. Sentences only repeat numbers of the page, with their uncertainty where it is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from markhood.data.variables import level_text
from markhood.errors import listed
from markhood.graph.edge_table import has_sign
from markhood.output.report.facts import warnings
from markhood.output.report.study import Study

NAMED = 3  # edges, variables or members in a sentence
OFTEN = 0.9  # share of the replicates that have a stable edge
ENOUGH, GOOD = 0.25, 0.5  # CS coefficients (Epskamp, Borsboom and Fried, 2018)
LARGEST_FACTOR = 1e4
RARELY_INFINITE = 0.5  # share of infinite couplings up to which couplings rank edges


def findings(study: Study) -> list[str]:
    """Return three to five sentences about the result.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> findings(Study.of(Graph("abc", [(0, 1)], coupling_ends=[(1, 1)])))[0]
    'The only edge joins a and b (positive).'
    """
    if not study.graph.n_edges:
        return ["No edge was found: no variable helps to predict another one.", *_caveat(study)]
    parts = (_strongest, _groups, _central, _stability, _caveat)
    return [sentence for part in parts for sentence in part(study)]


def ranking(study: Study) -> np.ndarray:
    """Return the size that ranks edges: standardised coupling, or evidence if most are infinite."""
    graph = study.learned
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = graph.annotations.get("standardized", graph.coupling) / graph.coupling
        couplings = np.abs(study.graph.coupling * np.where(np.isfinite(unit), unit, 1))
    if np.isinf(graph.coupling).mean() > RARELY_INFINITE or np.isnan(couplings).all():
        return np.asarray(np.nan_to_num(graph.evidence, nan=-np.inf))
    return np.where(np.isfinite(couplings), couplings, -np.inf)


def _strongest(study: Study) -> Iterator[str]:
    graph, sizes = study.graph, ranking(study)
    first, *others = np.argsort(-sizes, kind="stable")[:NAMED].tolist()
    i, j = graph.edges[first].tolist()
    head = "The only edge joins" if graph.n_edges == 1 else "The strongest edge joins"
    words = _odds(study, first)
    text = f"{head} {study.name(i, with_text=True)} and {study.name(j, with_text=True)}"
    text += f": {words}" if words else f"{_sign(study, first)}."
    if others:
        next_ones = [
            f"{study.name(a)} \N{EN DASH} {study.name(b)}{_sign(study, k)}"
            for k in others
            for a, b in [graph.edges[k].tolist()]
        ]
        text += f" Next {'is' if len(others) == 1 else 'are'} {listed(next_ones)}."
    yield text


def _sign(study: Study, k: int) -> str:
    """Return the sign of an edge in brackets; empty for a table or an unknown sign."""
    coupling = study.graph.coupling[k]
    if not has_sign(study.graph)[k] or not coupling:
        return ""
    return " (positive)" if coupling > 0 else " (negative)" if coupling < 0 else ""


def _odds(study: Study, k: int) -> str:
    """Return the coupling of an edge as a factor of odds, with its interval."""
    graph = study.graph
    coupling = float(graph.coupling[k])
    if not np.isfinite(coupling) or not has_sign(graph)[k] or graph.variables.levels is None:
        return ""
    i, j = graph.edges[k].tolist()
    levels = [graph.variables.levels[n] for n in (i, j)]
    names = [study.name(n) for n in (i, j)]
    other, one = (
        f"{name} = {level_text(own[1])}" if len(own) == 2 else f"a step up in {name}"
        for name, own in zip(names, levels, strict=True)
    )
    low, high = (
        float(graph.annotations.get(name, np.full(graph.n_edges, np.nan))[k])
        for name in ("coupling_low", "coupling_high")
    )
    if coupling < 0:
        low, high = -high, -low
    interval = ""
    if np.isfinite([low, high]).all():
        interval = f" (95 % interval {_factor(low)} to {_factor(high)})"
    verb = "divides" if coupling < 0 else "multiplies"
    return (
        f"with all other variables fixed, {other} {verb} the odds of {one} by "
        f"{_factor(abs(coupling))}{interval}."
    )


def _factor(log: float) -> str:
    factor = float(np.exp(min(log, 700.0)))
    if factor > LARGEST_FACTOR:
        return "over 10 000"
    return f"{factor:.3g}" if factor < 10 else f"{factor:.0f}"


def _groups(study: Study) -> Iterator[str]:
    """Describe the communities, and compare them with the given groups."""
    found = study.communities
    numbers = range(int(found.labels.max(initial=-1)) + 1)
    members = [np.flatnonzero(found.labels == k).tolist() for k in numbers]
    if not found.is_clear or len(members) < 2:
        yield "The variables form no clear communities."
        return
    described = [listed([study.name(n) for n in own], NAMED) for own in members[:NAMED]]
    text = f"The variables form {len(members)} communities"
    if np.isnan(found.p_value):
        text += f" (modularity {found.modularity:.2f}, not tested against chance)"
    if study.group_labels is not None:
        index = _agreement(study.group_labels, found.labels.tolist())
        n = len(set(filter(None, study.group_labels)))
        yield (
            f"{text}; their agreement with the {n} given groups is {index:.2f} (adjusted Rand "
            "index, 1 if they are the same)."
        )
    else:
        rest = "" if len(members) <= NAMED else "; ..."
        yield f"{text}: {'; '.join(described)}{rest}."


def _agreement(groups: Sequence[str], labels: Sequence[int]) -> float:
    """Return the adjusted Rand index of two partitions (Hubert and Arabie, 1985)."""
    first = np.unique(np.array(groups), return_inverse=True)[1]
    second = np.unique(np.array(labels), return_inverse=True)[1]
    table = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(table, (first, second), 1)

    def pairs(counts: np.ndarray) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = rows * columns / max(pairs(np.array([len(groups)])), 1.0)
    largest = (rows + columns) / 2
    return 1.0 if largest == expected else (both - expected) / (largest - expected)


def _central(study: Study) -> Iterator[str]:
    strength = study.measures.get("strength")
    if strength is None or study.graph.n_nodes < NAMED or study.graph.n_edges < NAMED:
        return
    order = np.argsort(-strength["value"], kind="stable")[:NAMED].tolist()

    def with_interval(node: int) -> str:
        value = f"{study.name(node)} ({strength['value'][node]:.2f}"
        if "low" in strength:
            low, high = strength["low"][node], strength["high"][node]
            value += f", {100 * study.level:g} % interval {low:.2f} to {high:.2f}"
        return f"{value})"

    text = f"Most central by strength are {listed([with_interval(n) for n in order])}"
    cs = {row["measure"]: row["cs"] for row in study.stability}.get("strength")
    if cs is not None:
        verdict = "stable" if cs >= GOOD else "to be read with care" if cs >= ENOUGH else "unstable"
        text += f"; the order is {verdict} (CS coefficient {cs:.2f})"
    yield f"{text}."


def _stability(study: Study) -> Iterator[str]:
    graph = study.graph
    if study.replicates is not None:
        often = int((graph.annotations["frequency"] >= OFTEN).sum())
        n = study.replicates.replicates.n_replicates
        yield (
            f"{often} of {graph.n_edges} edges are in at least {100 * OFTEN:g} % of {n} bootstrap "
            "replicates."
        )
    elif "probability" in graph.annotations:
        sure = int((graph.probability >= OFTEN).sum())
        yield f"{sure} of {graph.n_edges} edges have a probability of at least {OFTEN:g}."


def _caveat(study: Study) -> Iterator[str]:
    """Return the most important limitation."""
    about, graph = study.graph.provenance, study.graph
    chance = about.get("edges_by_chance")
    n_samples = about.get("data", {}).get("samples") if isinstance(about.get("data"), dict) else 0
    if isinstance(chance, list) and chance and sum(chance) / len(chance) >= 1:
        mean = sum(chance) / len(chance)
        yield f"Caution: about {mean:.2g} edges are expected by chance."
    elif isinstance(n_samples, int) and 0 < n_samples < 2 * graph.n_nodes:
        yield (
            f"Caution: {n_samples} samples are few for {graph.n_nodes} variables; weak edges are "
            "missed, and some edges may be due to chance."
        )
    elif n := int(np.isinf(graph.coupling_ends).any(axis=1).sum()):
        yield (
            f"Caution: {n} of {graph.n_edges} couplings are infinite, because some combination of "
            "values never occurs; do not interpret their size."
        )
    elif text := next((t for t in warnings(graph, study.samples) if "hidden" in t.lower()), None):
        yield f"Caution: {text}"
    else:
        yield (
            "An edge is an association that remains when all other variables are held fixed; it "
            "does not show a cause."
        )
