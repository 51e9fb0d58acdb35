"""The findings at the top of a report: a few sentences made from the result.

Strongest edges with odds in words, communities, most central variables, stability, and the main
caveat. Sentences only repeat numbers of the page, with their uncertainty where it is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from markhood.arrays import Ints
from markhood.data.variables import level_text
from markhood.errors import counted, listed
from markhood.graph.edge_table import has_sign
from markhood.output.methods_section import findings_in
from markhood.output.report.study import Study

NAMED = 3  # edges, variables or members in a sentence
OFTEN = 0.9  # share of the replicates that have a stable edge
ENOUGH, GOOD = 0.25, 0.5  # CS coefficients (Epskamp, Borsboom and Fried, 2018)
LARGEST_FACTOR = 1e4
RARELY_INFINITE = 0.5  # share of infinite couplings up to which couplings rank edges
MOST = 5  # sentences, unless there is more than one part without a caution
LONG = 180  # letters of a list of communities
# Warnings that a reader of the result must know, the most important first.
CAUTIONS = (
    "chance-edges", "hidden-factors", "negative-evidence", "not-converged", "prior-dependent",
    "dependent-rows", "rows-dropped",
)  # fmt: skip


def findings(study: Study) -> list[str]:
    """Return three to five sentences about the result.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> findings(Study.of(Graph("abc", [(0, 1)], coupling_ends=[(1, 1)])))[0]
    'The only edge joins a and b (positive).'
    """
    if not study.graph.n_edges:
        return ["No edge was found: no variable helps to predict another one.", *_caveat(study, 2)]
    parts = (_strongest, _groups, _central, _stability)
    found = [sentence for part in parts for sentence in part(study)]
    return [*found, *_caveat(study, max(1, MOST - len(found)))]


def ranking(study: Study) -> np.ndarray:
    """Return the size that ranks edges: standardised coupling, or evidence if most are infinite."""
    graph = study.graph
    couplings = np.abs(graph.annotations.get("standardized", graph.coupling))
    if not _couplings_rank(study):
        return np.asarray(np.nan_to_num(graph.evidence, nan=-np.inf))
    return np.where(np.isfinite(couplings), couplings, -np.inf)


def _couplings_rank(study: Study) -> bool:
    """Return whether most couplings are finite."""
    couplings = study.learned.coupling
    return bool(np.isinf(couplings).mean() <= RARELY_INFINITE and not np.isnan(couplings).all())


def _fixed(study: Study) -> str:
    """List the other variables, hidden factors and covariates, which are held fixed."""
    factors, covariates = study.learned.factors, study.learned.provenance.get("adjusted_for")
    held = ["all other variables"]
    if factors is not None:
        held.append(counted(factors.n_factors, "hidden factor"))
    if isinstance(covariates, list) and covariates:
        held.append(
            f"the covariate{'s'[: len(covariates) > 1]} {listed(list(map(str, covariates)))}"
        )
    return listed(held)


def _strongest(study: Study) -> Iterator[str]:
    graph, sizes = study.graph, ranking(study)
    first, *others = np.argsort(-sizes, kind="stable")[:NAMED].tolist()
    i, j = graph.edges[first].tolist()
    head = (
        "The strongest edge joins"
        if _couplings_rank(study)
        else "The edge with the most evidence joins"
    )
    if graph.n_edges == 1:
        head = "The only edge joins"
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
        interval = f" (95 % interval given this network {_factor(low)} to {_factor(high)})"
    verb = "divides" if coupling < 0 else "multiplies"
    return (
        f"with {_fixed(study)} fixed, {other} {verb} the odds of {one} by "
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
    text = f"The variables form {len(members)} communities"
    if np.isnan(found.p_value):
        text += f" (modularity {found.modularity:.2f}, not tested against chance)"
    stable = ""
    if study.stays is not None:
        stable = (
            f"; variables stay in their community in {100 * np.nanmean(study.stays):.0f} % of "
            "bootstrap replicates on average"
        )
    if study.group_labels is not None:
        index = _agreement(study.group_labels, found.labels)
        n = len(set(filter(None, study.group_labels)))
        yield (
            f"{text}; their agreement with the {n} given groups is {index:.2f} (adjusted Rand "
            f"index, 1 if they are the same){stable}."
        )
    else:
        yield f"{text}: {_described([[study.name(n) for n in own] for own in members])}{stable}."


def _described(names: Sequence[Sequence[str]]) -> str:
    """List the members of communities: all of them if they fit, or those of the first ones.

    Examples
    --------
    >>> _described(["ab", "cd", "ef", "gh"])
    'a and b; c and d; e and f; g and h'
    """
    largest = max(map(len, names))
    text = ""
    for n_sets, n_names in ((len(names), largest), (len(names), NAMED), (NAMED, NAMED), (NAMED, 1)):
        more = len(names) - n_sets
        text = "; ".join(listed(own, n_names) for own in names[:n_sets])
        text += f"; and {counted(more, 'further one')}" if more > 0 else ""
        if len(text) <= LONG:
            break
    return text


def _agreement(groups: Sequence[str], labels: Ints) -> float:
    """Return the adjusted Rand index (Hubert and Arabie, 1985) over the variables with a group.

    An isolated variable is a community of its own.
    """
    known = np.array([bool(group) for group in groups])
    alone = np.where(labels < 0, -1 - np.arange(len(labels)), labels)
    first = np.unique(np.array(groups)[known], return_inverse=True)[1]
    second = np.unique(alone[known], return_inverse=True)[1]
    table = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(table, (first, second), 1)

    def pairs(counts: np.ndarray) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = rows * columns / max(pairs(np.array([known.sum()])), 1.0)
    largest = (rows + columns) / 2
    return 1.0 if largest == expected else (both - expected) / (largest - expected)


def _central(study: Study) -> Iterator[str]:
    strength = study.measures.get("strength")
    if strength is None or study.graph.n_nodes < NAMED or study.graph.n_edges < NAMED:
        return
    tables = [None if table is None else table.shape for table in study.graph.coupling_tables]
    degree = study.graph.degree
    if degree.max() < 2:
        return
    if not _couplings_rank(study) or len(set(tables)) > 1:
        # Infinite couplings, and tables of different sizes, do not add up to a strength.
        if (degree == degree.max()).sum() > NAMED:
            return
        most = np.argsort(-degree, kind="stable")[:NAMED].tolist()
        names = [f"{study.name(n)} ({degree[n]})" for n in most]
        yield f"The variables with the most neighbours are {listed(names)}."
        return
    order = np.argsort(-strength["value"], kind="stable")[:NAMED].tolist()

    def with_interval(node: int) -> str:
        parts = [f"{strength['value'][node]:.2f}"]
        if text := study.text(node):
            parts.insert(0, text)
        if "low" in strength:
            low, high = strength["low"][node], strength["high"][node]
            what = f"{100 * study.level:g} % of replicates " if node == order[0] else ""
            parts.append(f"{what}{low:.2f} to {high:.2f}")
        return f"{study.name(node)} ({'; '.join(parts)})"

    named = listed([with_interval(n) for n in order])
    text = f"Most central by strength (sum of |coupling|) are {named}"
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


def _caveat(study: Study, most: int) -> list[str]:
    """Return the most important limitations, or what an edge means if none is known."""
    found = [f"Caution: {text}" for text in _cautions(study)][:most]
    meaning = f"An edge is an association that remains when {_fixed(study)} are held fixed"
    return found or [f"{meaning}; it does not show a cause."]


def _cautions(study: Study) -> Iterator[str]:
    """Return limitations of the result, the most important one first."""
    about, graph = study.graph.provenance, study.graph
    chance = about.get("edges_by_chance")
    if isinstance(chance, list) and chance and sum(chance) / len(chance) >= 1:
        yield f"about {sum(chance) / len(chance):.2g} edges are expected by chance."
    warned = findings_in(about, "warning")
    for code in CAUTIONS:
        own = [one for one in warned if one["code"] == code and one["where"] != "gamma"]
        for one in own[:1]:
            first = re.split(r"(?<=[.:]) (?=[A-Z])", re.sub(r" \([^()]*\)", "", one["text"]))[0]
            # The first word may be a name or an abbreviation.
            yield first[0].lower() + first[1:] if first[1:2].islower() else first
    data = about.get("data")
    n_samples = data.get("samples") if isinstance(data, dict) else 0
    if isinstance(n_samples, int) and 0 < n_samples < 2 * graph.n_nodes:
        yield (
            f"{n_samples} samples are few for {graph.n_nodes} variables; weak edges are missed, "
            "and some edges may be due to chance."
        )
    if n := int(np.isinf(graph.coupling_ends).any(axis=1).sum()):
        yield (
            f"{n} of {graph.n_edges} couplings are infinite, because some combination of values "
            "never occurs; do not interpret their size."
        )
