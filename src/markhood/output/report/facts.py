"""Texts of the report: the run, the data, how to read the numbers, and warnings.

Provenance may come from another version or program, or be missing: entries that are not understood
are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from markhood.data.genome.loci import describe_loci
from markhood.data.samples import Samples
from markhood.data.variables import level_text
from markhood.errors import InputError, counted, listed
from markhood.graph.columns import ANNOTATIONS
from markhood.graph.graph import Graph
from markhood.output.citation import PAPER, SOFTWARE
from markhood.output.methods_section import findings_in, methods_section, references
from markhood.output.report.shares import LEVELS_SHOWN, level_counts

if TYPE_CHECKING:
    from markhood.model.fitted.model import FittedModel
    from markhood.stability.bootstrap import Bootstrap

RARE = 5  # samples; rarer values carry little information about edges
SAMPLES_PER_VARIABLE = 2  # with fewer, only strong edges can be found
Rows = list[tuple[str, str]]
CHAINS = ("edge_density", "coupling_scale", "background", "mediated")  # numbers of `bayes`
IMPUTATION = {
    "missing": "missing values imputed",
    "sets": "completed data sets",
    "seed": "seed of the imputation",
}

# Kass and Raftery (1995) classify twice the logarithm of a Bayes factor. A gain in BIC approximates
# one logarithm, and the evidence is the sum of two, one from each end.
BANDS = ((2.0, "not worth more than a bare mention"), (6.0, "positive"), (10.0, "strong"))
STRONGEST_BAND = "very strong"


def summary(graph: Graph) -> str:
    """Return a line that states what was analysed, and how.

    There is no date: the same data give the same page.

    Examples
    --------
    >>> data = {"samples": 90, "source": "votes.csv"}
    >>> about = {"method": "plrhc", "version": "0.1.0", "data": data, "adjusted_for": ["age"]}
    >>> print(summary(Graph("abc", [(0, 1)], provenance=about)))
    votes.csv: 90 samples, 3 variables, 1 edge; adjusted for age; method plrhc, markhood 0.1.0
    """
    about = graph.provenance
    data, n_clusters = _part(about, "data"), _part(about, "clusters").get("clusters")
    parts = [counted(graph.n_nodes, "variable"), counted(graph.n_edges, "edge")]
    if "samples" in data:
        of = f" in {counted(int(n_clusters), 'cluster')}" if _is_number(n_clusters) else ""
        parts.insert(0, counted(data["samples"], "sample") + of)
    source = f"{data['source']}: " if "source" in data else ""
    adjusted = about.get("adjusted_for")
    how = [f"method {about['method']}"] if "method" in about else []
    how += [f"markhood {about['version']}"] if "version" in about else []
    given = f"adjusted for {listed(list(map(str, adjusted)))}" if adjusted else ""
    return "; ".join(filter(None, [source + ", ".join(parts), given, ", ".join(how)]))


def run_rows(graph: Graph) -> Rows:
    """Return names and values that describe the run.

    Examples
    --------
    >>> run_rows(Graph("ab", [], provenance={"method": "plrhc", "parameters": {"gamma": 0.5}}))
    [('method', 'plrhc'), ('gamma', '0.5')]
    """
    about = graph.provenance
    rows = [("method", str(about["method"]))] if "method" in about else []
    rows += [(name, str(value)) for name, value in _part(about, "parameters").items()]
    rows += [(n.replace("_", " "), str(value)) for n, value in _part(about, "known").items()]
    rows += [
        (name.replace("_", " "), f"{value:.3g}")
        for name, value in _part(about, "chains").items()
        if name in CHAINS and _is_number(value)
    ]
    imputation = _part(about, "imputation")
    rows += [(words, str(imputation[n])) for n, words in IMPUTATION.items() if n in imputation]
    seconds = {phase: s for phase, s in _part(about, "seconds").items() if _is_number(s)}
    if seconds:
        phases = ", ".join(f"{phase} {s:.3g}" for phase, s in seconds.items())
        rows.append(("seconds", f"{sum(seconds.values()):.3g} ({phases})"))
    scored = [
        f"{phase} {sum(counts)}"
        for phase, counts in _part(about, "evaluations").items()
        if isinstance(counts, list) and all(map(_is_number, counts))
    ]
    if scored:
        rows.append(("blankets scored", ", ".join(scored)))
    rows += _factor_rows(graph)
    if "version" in about:
        rows.append(("markhood", str(about["version"])))
    return rows or [("run", "unknown: the graph has no provenance")]


def _factor_rows(graph: Graph) -> Rows:
    """Return the share of variance of each rotated hidden factor, and its leading columns."""
    if graph.factors is None:
        return []
    factors = graph.factors.rotated()
    return [
        (f"hidden factor {k + 1}", f"{share:.0%} of the variance: {listed(factors.leading(k, 3))}")
        for k, share in enumerate(factors.explained.tolist())
    ]


def data_rows(graph: Graph, samples: Samples | None) -> Rows:
    """Return names and values that describe data and graph.

    Examples
    --------
    >>> data_rows(Graph("abc", [(0, 1)]), None)[0]
    ('variables', '3')
    """
    data = _part(graph.provenance, "data")
    rows = [("variables", str(graph.n_nodes))]
    if "samples" in data:
        rows.insert(0, ("samples", str(data["samples"])))
    if graph.members:
        n_columns = graph.n_nodes + graph.variables.n_members
        rows[-1] = ("variables", f"{graph.n_nodes}, grouped from {n_columns} columns")
    own = None if samples is None or samples.weights is None else samples.total_weight
    weight = data.get("weight", own)
    if _is_number(weight):
        rows.append(("weight of all samples", f"{weight:.6g}"))
    different = list(dict.fromkeys(graph.variables.levels or ()))
    if len(different) == 1:
        names = [level_text(level) for level in different[0]]
        is_plain = len(names) != 2 or names == ["0", "1"]
        coded = None if is_plain else f"0 is {names[0]}, 1 is {names[1]}"
        rows.append(("values", coded or listed(names, LEVELS_SHOWN)))
    elif different:
        rows.append(("values", "differ from variable to variable"))
    notes = findings_in(graph.provenance, "note")
    rows += [("file", one["text"]) for one in notes if one["code"] == "file-content"]
    if graph.variables.loci is not None:
        rows.append(
            ("positions", describe_loci(graph.variables.loci, graph.variables.genome_length))
        )
    rows += [("kinds", one["text"]) for one in notes if one["code"] != "file-content"]
    if samples is not None:
        rows += _sample_rows(samples)
    if "fingerprint" in data:
        rows.append(("fingerprint", str(data["fingerprint"])))
    components = graph.components()
    if components:
        degree = graph.degree
        rows += [
            ("neighbours", f"{degree.mean():.2f} on average, {degree.max()} at most"),
            ("components", f"{len(components)}, the largest of {len(components[0])} variables"),
        ]
    return rows


def notes(graph: Graph) -> list[str]:
    """Explain the numbers in the table of edges.

    Examples
    --------
    >>> len(notes(Graph("ab", []))), len(notes(Graph("ab", [], annotations={"share": []})))
    (1, 2)
    """
    evidence = (
        "Evidence is the gain in penalised log-likelihood from including the edge (natural "
        "logarithm). "
    )
    coupling = "" if graph.n_edges and np.isnan(graph.evidence).all() else evidence
    coupling += (
        "Coupling is the conditional log odds ratio, positive where high values go together; "
        "between ordered variables it is the log odds ratio of one step in each."
    )
    if graph.coupling_tables:
        coupling += (
            " With three or more unordered levels, the coupling is a table with a number for "
            "each pair of levels. Its size is the Frobenius norm, which has no sign: click it to "
            "see the table."
        )
    known = (ANNOTATIONS[name].note for name in graph.annotations if name in ANNOTATIONS)
    return [coupling, *filter(None, known)]


def bands(graph: Graph) -> list[tuple[float | None, str]]:
    """Return descriptions of the evidence below each limit, and above the last.

    Examples
    --------
    >>> bands(Graph("ab", []))[0], bands(Graph("ab", [], provenance={"only_ranks": True}))
    ((2.0, 'not worth more than a bare mention'), [(None, 'a score that only ranks pairs')])
    """
    if _only_ranks(graph):
        return [(None, "a score that only ranks pairs")]
    return [*BANDS, (None, STRONGEST_BAND)]


def _only_ranks(graph: Graph) -> bool:
    """Return whether the evidence is a ranking score and not a likelihood ratio."""
    return graph.provenance.get("only_ranks") is True


def how_to_read(graph: Graph) -> list[str]:
    """Explain which number answers which question.

    Examples
    --------
    >>> how_to_read(Graph("ab", []))[0][:39]
    'Is the edge there? Look at the evidence'
    """
    limits = "; ".join(f"below {limit:g}, {words}" for limit, words in BANDS)
    scale = (
        f"{limits}; above, {STRONGEST_BAND} (Kass and Raftery, 1995). It grows with the number of "
        "samples, and it is not a probability."
    )
    if _only_ranks(graph):
        there = (
            "Is the edge there? This method does not answer that: the evidence is the score by "
            "which all pairs were ranked. It is not a likelihood ratio, and cannot be compared "
            "between data sets."
        )
    elif "probability" in graph.annotations:
        there = (
            "Is the edge there? Look at the probability. The evidence, the gain in penalised "
            f"log-likelihood, answers the same question on another scale: {scale}"
        )
    else:
        there = (
            "Is the edge there? Look at the evidence, the gain in penalised log-likelihood: "
            f"{scale} The method bayes estimates probabilities."
        )
    strong = (
        "How strong is it? Look at the coupling. A weak coupling may be certain if there are many "
        "samples, and a strong one uncertain. An infinite coupling means that some combination "
        "of values never occurs: rely on its evidence, and do not interpret its size."
    )
    cause = (
        "Does one cause the other? Neither number answers that: an edge is a dependence that "
        "remains when all other measured variables are held fixed."
    )
    return [there, strong, cause]


def level_names(graph: Graph) -> list[list[str] | None]:
    """Return the names of the levels of every variable, None if unknown.

    Examples
    --------
    >>> from markhood.data.variables import Variables
    >>> level_names(Graph(Variables(("a",), (("no", "yes"),)), [])), level_names(Graph("a", []))
    ([['no', 'yes']], [None])
    """
    levels = graph.variables.levels
    if levels is None:
        return [None] * graph.n_nodes
    return [[level_text(level) for level in own] for own in levels]


def warnings(graph: Graph, samples: Samples | None) -> list[str]:
    """Return warnings about the data and the graph.

    Examples
    --------
    >>> warnings(Graph("ab", [(0, 1)], coupling_ends=[(float("inf"), 3)]), None)
    ['1 edge has an infinite coupling: some combination of values never occurs in the data.']
    """
    data = _part(graph.provenance, "data")
    found = [one["text"] for one in findings_in(graph.provenance, "warning")]
    known = zip(graph.nodes, graph.variables.levels or (), strict=False)
    constant = [repr(name) for name, levels in known if len(levels) == 1]
    if constant:
        found.append(
            f"{counted(len(constant), 'variable')} with a single value, which cannot have edges: "
            f"{listed(constant)}."
        )
    if samples is not None:
        found += _rare_values(samples)
    n_samples = data.get("samples")
    if _is_number(n_samples) and n_samples < SAMPLES_PER_VARIABLE * graph.n_nodes:
        found.append(
            "There are few samples for this number of variables: weak edges are missed, and some "
            "edges may be due to chance."
        )
    return found + _doubtful_edges(graph)


def citations(graph: Graph, *parts: FittedModel | Bootstrap | None) -> list[str]:
    """Return a paragraph for a methods section, if the run is known, and the references.

    The paragraph continues with the sentences of ``parts``, which describe models and bootstraps.
    """
    version = graph.provenance.get("version")
    software = f"{SOFTWARE}, version {version}." if version else f"{SOFTWARE}."
    try:
        cited = [reference.entry for reference in references(graph)]
        learned = methods_section(graph)
        texts = [part.describe_methods() for part in parts if part is not None]
        further = [text.removeprefix(learned).strip() for text in texts]
        return [" ".join([learned, *further]), *(cited or [PAPER.entry]), software]
    except (InputError, KeyError, TypeError, ValueError):  # from another program, or unknown
        return [PAPER.entry, software]


def _sample_rows(samples: Samples) -> Rows:
    """Return names and values that are computed from the samples."""
    counts = level_counts(samples)
    rows = []
    if samples.missing:
        n_missing = sum(int(np.bitwise_count(mask).sum()) for mask in samples.missing.values())
        share = n_missing / (samples.n_samples * samples.n_variables)
        rows.append(("missing values", f"{n_missing} ({100 * share:.3g} %)"))
    if samples.is_binary:
        shares = [own[1:].sum() / own.sum() for own in counts]
        low, middle, high = np.percentile(shares, [0, 50, 100])
        rows.append(("share of ones", f"{low:.3g} to {high:.3g}, median {middle:.3g}"))
    else:
        sizes = [len(own) for own in counts]
        low, high = min(sizes), max(sizes)
        rows.append(("levels of a variable", f"{low} to {high}" if low < high else f"{low}"))
    return rows


def _rare_values(samples: Samples) -> list[str]:
    rarest = [own.min() for own in level_counts(samples)]
    rare = [
        repr(name)
        for name, weight, levels in zip(samples.names, rarest, samples.levels, strict=True)
        if weight < RARE and len(levels) > 1
    ]
    text = f"{counted(len(rare), 'variable')} with a value in fewer than {RARE} samples"
    return [f"{text}: {listed(rare)}."] if rare else []


def _doubtful_edges(graph: Graph) -> list[str]:
    found = []
    infinite = int(np.isinf(graph.coupling_ends).any(axis=1).sum())
    if infinite:
        have = "has an infinite coupling" if infinite == 1 else "have infinite couplings"
        found.append(
            f"{counted(infinite, 'edge')} {have}: some combination of values never occurs in the "
            "data."
        )
    with np.errstate(invalid="ignore"):
        opposed = int((graph.coupling_ends.prod(axis=1) < 0).sum())
    if opposed:
        found.append(
            "The regressions of the two ends disagree about the sign of "
            f"{counted(opposed, 'edge')}."
        )
    if not graph.n_edges:
        found.append("No edge was found.")
    return found


def _part(about: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = about.get(name)
    return part if isinstance(part, Mapping) else {}


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float))
