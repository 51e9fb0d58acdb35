"""A paragraph for a methods section, written from the provenance of a graph.

Facts that the provenance lacks are left out, so a graph from another program gives a shorter
paragraph. Sentences are in the order of the steps.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.output.citation import Reference

# Codes of findings that describe a treatment of the data.
TREATMENTS = ("binned-columns", "compositional", "merged-levels", "missing-codes", "skip-pattern")
# Advice at the end of a finding: how to change the choice, which is not part of the description.
ADVICE = re.compile(
    r" \((?:[^()]*=[^()]*|[^()]*--[^()]*|(?:--)?(?:bins|max.levels) [^()]*)\)(?=\.)"
    r"| (?:To impute them, use|If missing is meant, use|Use) .*"
)
USED = re.compile("the (weights|clusters|time)$")  # columns that are left out of the variables only
LIBRARIES = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}


def methods_section(graph: Graph) -> str:
    """Return a paragraph on how a graph was learned, from which data, with citations.

    Examples
    --------
    >>> about = {"version": "0.1.0", "method": "tree", "sentences": ["It is the likeliest tree."]}
    >>> print(methods_section(Graph("abc", [(0, 1)], provenance=about)))
    The network of 3 variables was learned with markhood 0.1.0, method tree. It is the likeliest \
tree. The network has 1 edge (density 0.33).
    """
    return " ".join(sentence for own in sections(graph).values() for sentence in own)


def sections(graph: Graph) -> dict[str, list[str]]:
    """Return the sentences of the methods section by topic, in the order of the steps."""
    about = graph.provenance
    if "method" not in about:
        raise InputError(
            "no-provenance",
            "graph",
            "The graph does not record how it was learned: learn it again with markhood.",
        )
    found = {
        "sample": [*_sample(graph, about), *_weights(about)],
        "treatment": _treatment(about),
        "estimation": [*_steps(graph), *_search(about), *_chains(about)],
        "adjustment": [
            *_beforehand(_part(about, "known"), about.get("adjusted_for")),
            *_factors(graph),
        ],
        "result": _result(graph, about),
        "software": _software(_part(about, "software")),
    }
    return {topic: list(sentences) for topic, sentences in found.items()}


def _sample(graph: Graph, about: Mapping[str, Any]) -> Iterator[str]:
    data = _part(about, "data")
    kinds = Counter(graph.variables.kinds or ())
    variables = f"{graph.n_nodes} variables"
    if len(kinds) == 1:
        variables = f"{graph.n_nodes} {next(iter(kinds))} variables"
    elif kinds:
        variables += f" ({', '.join(f'{n} {kind}' for kind, n in kinds.most_common())})"
    samples = f" from {data['samples']} observations" if "samples" in data else ""
    if "weight" in data:
        weight = data["weight"]
        is_fewer = weight < data.get("samples", 0)
        samples += (
            f" (effective sample size {weight:.4g})"
            if is_fewer
            else f" of total weight {weight:.6g}"
        )
    version = f" {about['version']}" if "version" in about else ""
    in_text = "; ".join(reference.in_text for reference in references(graph))
    cited = f" ({in_text})" if in_text else ""
    yield (
        f"The network of {variables} was learned{samples} with markhood{version}, method "
        f"{about['method']}{cited}."
    )


def _weights(about: Mapping[str, Any]) -> Iterator[str]:
    """Describe weights and clusters, and the effective sample size."""
    reading, data = _part(about, "reading"), _part(about, "data")
    clusters, weight = _part(about, "clusters"), data.get("weight")
    if weight is not None and "weights" in reading:
        given = reading["weights"]
        column = f" (column {given!r})" if isinstance(given, str) else ""
        if given == "similarity":
            yield "Similar sequences were weighted down, so that a cluster of them counts as one."
        elif reading.get("weights_are") != "frequencies" and weight < data.get("samples", 0):
            yield f"Survey weights{column} were scaled to Kish's effective sample size."
        else:
            yield f"Weights{column} were used as frequencies."
    if clusters:
        columns = [reading.get(name) for name in ("clusters", "time")]
        label = "".join(f" ({name!r})" for name in columns if isinstance(name, str))
        yield (
            f"Rows within {clusters.get('clusters')} clusters{label} were treated as dependent: "
            "the number of rows was divided by the design effect of cluster-robust scores, and "
            "pairs had to be significant at their own design effect."
        )


def _treatment(about: Mapping[str, Any]) -> Iterator[str]:
    """Describe the treatment of rows, columns and missing values."""
    understood = _part(_part(about, "data"), "understood")
    for reason, n in _part(understood, "rows_left_out").items():
        verb = "row was" if n == 1 else "rows were"
        yield f"{n} of {understood.get('rows')} {verb} left out for {reason}."
    if "sentence_on_missing" in about:
        yield str(about["sentence_on_missing"])
    for one in (*findings_in(about, "note"), *findings_in(about, "warning")):
        if one["code"] in TREATMENTS:
            yield ADVICE.sub("", one["text"])
    left_out = {
        str(name): str(why)
        for name, why in _part(understood, "left_out").items()
        if not USED.match(str(why))
    }
    if left_out:
        columns = [
            name if why == "excluded" else f"{name} ({why})"
            for name, why in sorted(left_out.items())
        ]
        yield f"These columns were left out: {', '.join(columns)}."


def findings_in(about: Mapping[str, Any], severity: str) -> list[Mapping[str, str]]:
    """Return the warnings or the notes of reading and learning, from the provenance of a graph."""
    lists = _part(_part(about, "data"), "understood").get("findings"), about.get("warnings")
    return [
        {name: str(one.get(name)) for name in ("code", "where", "text")}
        for found in lists
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, Mapping) and one.get("severity") == severity
    ]


def _steps(graph: Graph) -> Iterator[str]:
    if any(graph.variables.is_ordered):
        yield (
            "The levels of ordinal variables were treated as ordered, with one parameter for an "
            "edge between two of them."
        )


def _search(about: Mapping[str, Any]) -> Iterator[str]:
    """Describe the search, with the sentences of the method."""
    sentences = about.get("sentences")
    if isinstance(sentences, list) and sentences:
        yield from map(str, sentences)
    elif given := _part(about, "parameters"):
        yield f"Its options were {', '.join(f'{name} = {value}' for name, value in given.items())}."


def _chains(about: Mapping[str, Any]) -> Iterator[str]:
    """State the prior of edges and couplings."""
    if {"edge_density", "coupling_scale"} <= (chains := _part(about, "chains")).keys():
        is_given = _part(about, "parameters").get("edge_prior") is not None
        yield (
            f"The prior probability of an edge was {chains['edge_density']:.3g}"
            f"{'' if is_given else ', estimated from the data'}, and the estimated scale of "
            f"couplings {chains['coupling_scale']:.3g}."
        )
        if background := chains.get("background"):
            yield (
                "Pairs without an edge were allowed couplings with an estimated standard deviation "
                f"of {background:.2g}."
            )
        if mediated := chains.get("mediated"):
            yield (
                f"The estimated means of these couplings, at most {mediated:.2g}, are what ordered "
                "levels leave of the dependence that other variables mediate."
            )


def references(graph: Graph) -> list[Reference]:
    """Return the publications on the method of a graph, from its provenance."""
    listed = graph.provenance.get("references")
    if not isinstance(listed, list):
        return []
    return [Reference(**each) for each in listed]


def _beforehand(known: Mapping[str, Any], adjusted: Any) -> Iterator[str]:
    if adjusted:
        yield f"All regressions were adjusted for {' and '.join(map(str, adjusted))}."
    if n := known.get("required_edges"):
        yield f"{_edges(n)} required in advance."
    if n := known.get("forbidden_edges"):
        yield f"{_edges(n)} excluded in advance."
    if "groups" in known:
        rule, groups = known["group_rule"], known["groups"]
        yield f"Only edges {rule} the {groups} groups of variables were allowed."


def _factors(graph: Graph) -> Iterator[str]:
    if (factors := graph.factors) is not None:
        n, share = factors.n_factors, factors.explained.sum()
        yield (
            f"Every regression was adjusted for {n} hidden factor{'s'[: n > 1]}, by scores of the "
            f"other variables on the leading principal component{'s'[: n > 1]} ({share:.0%} of the "
            "variance)."
        )


def _edges(n: int) -> str:
    return "1 edge was" if n == 1 else f"{n} edges were"


def _result(graph: Graph, about: Mapping[str, Any]) -> Iterator[str]:
    n, pairs = graph.n_edges, graph.n_nodes * (graph.n_nodes - 1) // 2
    density = f" (density {n / pairs:.2g})" if n else ""
    yield f"The network has {n} edge{'s'[: n != 1]}{density}{_signs(graph)}."
    chance = about.get("edges_by_chance")
    if chance:
        mean = sum(chance) / len(chance)
        yield (
            f"With every column shuffled, {mean:.3g} edges were found on average over "
            f"{len(chance)} repetition{'s'[: len(chance) != 1]}."
        )
    if stopped := about.get("fits_not_converged"):
        yield f"The regressions of {len(stopped)} variables did not converge."


def _signs(graph: Graph) -> str:
    """State how many couplings are negative, and how many have no sign."""
    tables = graph.coupling_tables or (None,) * graph.n_edges
    signed = [c for c, table in zip(graph.coupling.tolist(), tables, strict=True) if table is None]
    known = [c for c in signed if not math.isnan(c)]
    if not known:
        return ""
    of = "" if len(known) == graph.n_edges else f" of the {len(known)} with a sign"
    negative = sum(c < 0 for c in known)
    if not negative:
        return f", none{of} negative"
    return f", {negative}{of} ({100 * negative / len(known):.0f} %) negative"


def _software(versions: Mapping[str, Any]) -> Iterator[str]:
    if versions:
        named = [f"{LIBRARIES.get(name, name)} {version}" for name, version in versions.items()]
        yield f"Software: {', '.join(named)}."


def _part(about: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = about.get(name)
    return part if isinstance(part, Mapping) else {}
