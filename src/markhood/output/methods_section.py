"""A paragraph for a methods section, written from the provenance of a graph.

Facts that the provenance lacks are left out, so a graph from another program gives a shorter
paragraph. Sentences are in the order of the steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.output.citation import Reference

TREATMENTS = ("binned-columns", "merged-levels", "missing-codes")  # codes of notes to report


def methods_section(graph: Graph) -> str:
    """Return a paragraph on how a graph was learned, from which data, with citations.

    Examples
    --------
    >>> about = {"version": "0.1.0", "method": "tree", "sentences": ["It is the likeliest tree."]}
    >>> print(methods_section(Graph("abc", [(0, 1)], provenance=about)))
    The network of 3 variables was learned with markhood 0.1.0, method tree. It is the likeliest \
tree. The network has 1 edge.
    """
    about = graph.provenance
    if "method" not in about:
        raise InputError(
            "no-provenance",
            "graph",
            "The graph does not record how it was learned: learn it again with markhood.",
        )
    sentences = [
        *_sample(graph, about),
        *_treatment(_part(about, "data"), _part(about, "imputation")),
        *_steps(graph),
        *_search(about),
        *_chains(about),
        *_beforehand(_part(about, "known"), about.get("adjusted_for")),
        *_factors(graph),
        *_result(graph, about),
    ]
    return " ".join(sentences)


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


def _treatment(data: Mapping[str, Any], imputation: Mapping[str, Any]) -> Iterator[str]:
    """Describe the treatment of rows and missing values."""
    understood = _part(data, "understood")
    for reason, n in _part(understood, "rows_left_out").items():
        verb = "row was" if n == 1 else "rows were"
        yield f"{n} of {understood.get('rows')} {verb} left out for {reason}."
    if imputation:
        yield (
            f"{imputation['missing']} missing values were imputed in {imputation['sets']} "
            "completed data sets, and edges in the majority of these were kept."
        )
    for one in findings_in(data, "note"):
        if one["code"] in TREATMENTS:
            yield one["text"]
    if left_out := understood.get("left_out"):
        yield f"These columns were left out: {', '.join(sorted(left_out))}."


def findings_in(data: Mapping[str, Any], severity: str) -> list[Mapping[str, str]]:
    """Return the warnings or the notes about the table, from the provenance of the data."""
    found = _part(data, "understood").get("findings")
    return [
        {name: str(one.get(name)) for name in ("code", "where", "text")}
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
    yield f"The network has {graph.n_edges} edge{'s'[: graph.n_edges != 1]}."
    chance = about.get("edges_by_chance")
    if chance:
        mean = sum(chance) / len(chance)
        yield (
            f"With every column shuffled, {mean:.3g} edges were found on average over "
            f"{len(chance)} repetition{'s'[: len(chance) != 1]}."
        )


def _part(about: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = about.get(name)
    return part if isinstance(part, Mapping) else {}
