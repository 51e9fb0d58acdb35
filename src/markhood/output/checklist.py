"""A checklist for reporting a network, filled in from the graph.

The items follow the topics of the reporting standards for psychological networks (Burger et al.,
2023): sample, variables, data preparation, estimation, accuracy, results, interpretation and
openness. The wording is ours. An item has what markhood knows from the provenance, and what the
author must add; an item with neither does not apply to the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from markhood.data.variables import level_text
from markhood.graph.graph import Graph
from markhood.output.citation import Reference
from markhood.output.methods_section import findings_in, references, sections

STANDARDS = Reference(
    "Burger et al., 2023",
    "J. Burger, A.-M. Isvoranu, G. Lunansky, J. M. B. Haslbeck, S. Epskamp, R. H. A. Hoekstra, "
    "E. I. Fried, D. Borsboom and T. F. Blanken (2023). Reporting standards for psychological "
    "network analyses in cross-sectional data. Psychological Methods 28(4), 806-824. "
    "https://doi.org/10.1037/met0000471.",
)
VARIABLES_SHOWN, LEVELS_SHOWN, EDGES_SHOWN = 60, 7, 10


class Item(NamedTuple):
    """An item of the checklist: the text that is filled in, and what the author must write."""

    topic: str
    item: str
    filled_in: str
    to_write: str


def checklist(graph: Graph) -> list[Item]:
    """Return the checklist of a learned graph; see `Graph.checklist`."""
    known = sections(graph)
    about = graph.provenance
    text = {topic: " ".join(sentences) for topic, sentences in known.items()}
    return [
        *_of_sample(text),
        *_of_variables(graph),
        *_of_data(about, text),
        *_of_estimation(graph, about, text),
        *_of_accuracy(graph),
        *_of_results(graph, text),
        *_of_interpretation(about),
    ]


def as_markdown(items: list[Item]) -> str:
    """Return a checklist as Markdown, with a box for each item."""
    lines = [
        "# Reporting checklist",
        "",
        f"Topics of the reporting standards for psychological networks. {STANDARDS.entry}",
    ]
    topic = ""
    for one in items:
        if one.topic != topic:
            topic = one.topic
            lines += ["", f"## {topic}", ""]
        lines.append(f"- [{' ' if one.to_write else 'x'}] **{one.item}**")
        lines += [f"  {one.filled_in}"] if one.filled_in else []
        lines += [f"  *To write: {one.to_write}*"] if one.to_write else []
    return "\n".join([*lines, ""])


def _of_sample(text: Mapping[str, str]) -> Iterator[Item]:
    topic = "Sample"
    yield Item(topic, "Number of observations, weights and clusters", text["sample"], "")
    yield Item(
        topic,
        "Participants",
        "",
        "Population, recruitment, inclusion criteria, time and place, demographics.",
    )
    yield Item(
        topic,
        "Sample size rationale",
        "",
        "How the number of participants was planned; `markhood plan` writes a paragraph.",
    )


def _of_variables(graph: Graph) -> Iterator[Item]:
    topic, shown = "Variables", []
    levels = graph.variables.levels or ((),) * graph.n_nodes
    kinds = graph.variables.kinds or ("",) * graph.n_nodes
    for name, kind, own in zip(graph.nodes, kinds, levels, strict=True):
        some = ", ".join(map(level_text, own[:LEVELS_SHOWN]))
        more = ", ..." if len(own) > LEVELS_SHOWN else ""
        shown.append(f"{name} ({kind}: {some}{more})" if own else name)
    left = f" and {len(shown) - VARIABLES_SHOWN} more" if len(shown) > VARIABLES_SHOWN else ""
    yield Item(
        topic,
        "Nodes, their kinds and levels",
        f"{', '.join(shown[:VARIABLES_SHOWN])}{left}.",
        "Wording of the items, instrument, response scale and its anchors.",
    )
    yield Item(
        topic,
        "Selection of nodes",
        "",
        "Why these variables, and how variables that measure the same thing were handled.",
    )
    yield Item(
        topic, "Descriptive statistics", "", "Means, standard deviations or frequencies of levels."
    )


def _of_data(about: Mapping[str, Any], text: Mapping[str, str]) -> Iterator[Item]:
    topic = "Data preparation"
    understood = about.get("data", {}).get("understood", {})
    complete = "" if understood.get("missing") else "There were no missing values. "
    yield Item(
        topic,
        "Missing values, recoding, bins, rows and columns left out",
        f"{complete}{text['treatment']}".strip(),
        "Why values are missing." if understood.get("missing") else "",
    )
    codes = [one["code"] for one in findings_in(about, "warning")]
    is_found = "skip-pattern" in codes
    yield Item(
        topic,
        "Skip structure and other deterministic relations",
        "A skip pattern was found and coded as a level." if is_found else "",
        "" if is_found else "Whether some items were asked only after certain answers.",
    )


def _of_estimation(
    graph: Graph, about: Mapping[str, Any], text: Mapping[str, str]
) -> Iterator[Item]:
    topic = "Estimation"
    kinds = set(graph.variables.kinds or ())
    model = "pairwise Markov network (mixed Markov random field)"
    if kinds <= {"binary", "constant"}:
        model = "Ising model"
    elif "nominal" not in kinds:
        model = "ordinal Markov random field"
    yield Item(topic, "Model", f"The network is an undirected {model}.", "")
    cited = "; ".join(reference.in_text for reference in references(graph))
    yield Item(
        topic, "Estimator, selection of edges and tuning", f"{text['estimation']} ({cited})", ""
    )
    adjusted = text["adjustment"] or "No covariates, hidden factors or known edges were used."
    yield Item(topic, "Covariates and prior knowledge", adjusted, "")
    seed = about.get("run", {}).get("seed")
    yield Item(
        topic,
        "Software, versions and random seed",
        f"markhood {about.get('version')}. {text['software']} Random seed {seed}.",
        "",
    )


def _of_accuracy(graph: Graph) -> Iterator[Item]:
    topic, names = "Accuracy and stability", graph.annotations
    known, author = "", "Report `markhood bootstrap`: frequencies and intervals of edges."
    if "probability" in names:
        known, author = "Posterior inclusion probabilities are in the table of edges.", ""
    yield Item(topic, "Accuracy of edges", known, author)
    yield Item(
        topic,
        "Stability of centralities",
        "",
        "CS coefficient of each centrality that is interpreted: `markhood bootstrap --resample "
        "cases`.",
    )
    is_robust = "robustness" in names
    share = float((names["robustness"] >= 0.9).mean()) if is_robust and graph.n_edges else 0.0
    yield Item(
        topic,
        "Robustness to choices of the analysis",
        f"{100 * share:.0f} % of the edges are in at least 90 % of the analyses."
        if is_robust
        else "",
        "" if is_robust else "Report `markhood robustness`.",
    )
    yield Item(
        topic,
        "Fit of the model",
        "",
        "Report `markhood check`: interactions of three variables, and what the network does not "
        "reproduce.",
    )


def _of_results(graph: Graph, text: Mapping[str, str]) -> Iterator[Item]:
    topic, edges = "Results", graph.edge_names()
    strongest = [
        f"{edges[k][0]} - {edges[k][1]} ({graph.coupling[k]:.2g})"
        for k in graph.strongest(EDGES_SHOWN).tolist()
    ]
    listed = f" Edges with the most evidence (coupling): {', '.join(strongest)}."
    yield Item(
        topic,
        "Edges, density and signs",
        text["result"] + (listed if edges else ""),
        "Table or matrix of all edge weights in a supplement.",
    )
    yield Item(
        topic,
        "Figure",
        "",
        "Figure with its layout, the meaning of colours and widths, and edges that are not drawn.",
    )
    yield Item(
        topic,
        "Centrality, communities, predictability, group differences",
        "",
        "Only what answers the research question, each with its uncertainty.",
    )


def _of_interpretation(about: Mapping[str, Any]) -> Iterator[Item]:
    topic = "Interpretation and openness"
    warned = [one["text"] for one in findings_in(about, "warning")]
    yield Item(
        topic,
        "Limits of the data",
        f"Warnings: {' '.join(warned)}" if warned else "",
        "Selection on a sum score or diagnosis, hidden common causes, measurement error.",
    )
    yield Item(
        topic,
        "Meaning of edges",
        "Edges are conditional associations given the other variables, not causal effects.",
        "Conclusions about persons, groups and causes, and their grounds.",
    )
    yield Item(topic, "Preregistration", "", "Where, and which analyses deviate from it.")
    fingerprint = about.get("data", {}).get("fingerprint")
    yield Item(
        topic,
        "Data and code",
        f"Fingerprint of the data: {fingerprint}." if fingerprint else "",
        "Where they are; `markhood reproduction` writes a script that reproduces every number.",
    )
