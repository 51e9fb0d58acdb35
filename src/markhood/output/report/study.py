"""`Study`: a graph with everything that its page shows about uncertainty, texts and groups.

The graph of the page has the couplings and intervals of the fitted model where there is one, and
further columns: `frequency`, `boot_low` and `boot_high` from a bootstrap. Numbers of variables
(centralities with intervals, predictability, fields) are columns of nodes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats
from markhood.data.formats.named_columns import file_rows
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.graph.centrality import MEASURES, centralities
from markhood.graph.communities import Communities, best_partition, edge_weights
from markhood.graph.edge_table import with_annotations
from markhood.graph.graph import Graph
from markhood.output.pictures.axes import shortened

if TYPE_CHECKING:
    from markhood.model.fitted.model import FittedModel
    from markhood.stability.bootstrap import Bootstrap
    from markhood.stability.centrality import StabilityRow

LARGEST_COUPLING = 100.0  # larger ones count as this in centralities, whose sums would overflow
LONGEST_NAME, LONGEST_TEXT = 40, 80  # letters in a sentence
MAX_REWIRED = 300  # edges; the communities of larger graphs are not compared with rewired graphs
MOST_REPLICATES = 200  # for the stability of communities
MAX_MEASURED = 500  # nodes; centralities of larger graphs take too long
TEXT_COLUMNS = ("variable", "label")
GROUP_COLUMNS = ("variable", "group")
Column = Floats


@dataclass(frozen=True, eq=False)
class Study:
    """What a page shows.

    Attributes
    ----------
    learned : Graph
    samples : Samples, optional
        The data.
    model : FittedModel, optional
        The model of the graph.
    replicates, cases : Bootstrap, optional
        Resampled data sets for frequencies and intervals, and case-dropping subsets for CS
        coefficients.
    texts, group_labels : sequence of str, optional
        Text and group of every node; an empty group for none.
    """

    learned: Graph
    samples: Samples | None = None
    model: FittedModel | None = None
    replicates: Bootstrap | None = None
    cases: Bootstrap | None = None
    texts: Sequence[str] | None = None
    group_labels: Sequence[str] | None = None

    @classmethod
    def of(
        cls,
        graph: Graph,
        samples: Samples | None = None,
        model: FittedModel | None = None,
        bootstrap: Bootstrap | Sequence[Bootstrap] | None = None,
        labels: Any = None,
        groups: Any = None,
    ) -> Study:
        """Sort the parts of a study, and look up texts and groups."""
        found = list(bootstrap or ()) if isinstance(bootstrap, Sequence | None) else [bootstrap]
        parts: list[Bootstrap | FittedModel] = [*found, *([] if model is None else [model])]
        for one in parts:
            if not np.array_equal(one.graph.edges, graph.edges) or one.graph.nodes != graph.nodes:
                kind = type(one).__name__
                raise InputError(
                    "graph-invalid",
                    kind,
                    f"The {kind} is of another graph: use the graph that it was made from.",
                )
        return cls(
            graph,
            _of_nodes(samples, graph),
            model,
            next((one for one in found if one.resample != "cases"), None),
            next((one for one in found if one.resample == "cases"), None),
            node_texts(graph, labels),
            node_groups(graph, groups),
        )

    @cached_property
    def graph(self) -> Graph:
        """The graph with the couplings of the model, and the columns of the bootstrap."""
        graph = self.learned if self.model is None else _with_standardized(self.model, self.learned)
        if self.replicates is None:
            return graph
        rows = [row for row in self.replicates.edges() if row["in_graph"]]
        names = {"frequency": "frequency", "boot_low": "low", "boot_high": "high"}
        if self.replicates.resample == "halves":
            del names["boot_low"], names["boot_high"]
        columns = {name: np.array([row[key] for row in rows]) for name, key in names.items()}
        return with_annotations(graph, columns)

    @cached_property
    def communities(self) -> Communities:
        """The communities, compared with rewired graphs unless that takes seconds."""
        graph = self.learned
        if graph.n_edges <= MAX_REWIRED:
            return graph.communities()
        rng = np.random.default_rng(0)
        found = best_partition(graph.n_nodes, graph.edges, edge_weights(graph), rng)
        return Communities(graph.nodes, *found, p_value=np.nan)

    @cached_property
    def stays(self) -> Column | None:
        """Share of replicates in which each node is in its community, if these are clear."""
        if self.replicates is None or not self.communities.p_value < 1:
            return None
        if not self.communities.is_clear or self.replicates.resample == "halves":
            return None
        return self.replicates.communities(MOST_REPLICATES).stability

    @property
    def level(self) -> float:
        """Level of the intervals over the replicates."""
        return 0.95 if self.replicates is None else self.replicates.level

    @cached_property
    def measures(self) -> dict[str, dict[str, Column]]:
        """Centralities of the nodes: value and, with a bootstrap, low and high; empty if large."""
        if self.learned.n_nodes > MAX_MEASURED or not self.learned.n_edges:
            return {}
        if self.replicates is not None and self.replicates.resample != "halves":
            found: dict[str, dict[str, list[float]]] = {name: {} for name in MEASURES}
            for row in self.replicates.centrality():
                for part in ("value", "low", "high"):
                    found[row["measure"]].setdefault(part, []).append(row[part])
            return {n: {p: np.array(c) for p, c in own.items()} for n, own in found.items()}
        graph = self.graph
        weights = np.nan_to_num(finite_couplings(graph))
        weights = np.clip(weights, -LARGEST_COUPLING, LARGEST_COUPLING)
        values = centralities(graph.n_nodes, graph.edges, weights, self.communities.labels)
        return {name: {"value": values[name]} for name in MEASURES}

    @cached_property
    def stability(self) -> list[StabilityRow]:
        """CS coefficients, with case-dropping subsets."""
        return [] if self.cases is None else self.cases.stability()

    @cached_property
    def predictability(self) -> Column | None:
        """Normalised accuracy of predicting each variable from the others, with a model."""
        if self.model is None or self.samples is None:
            return None
        try:
            return self.model.predictability(self.samples).normalized
        except InputError:  # the model needs more than the samples have, such as a covariate
            return None

    @cached_property
    def fields(self) -> list[list[tuple[str, float, float, float]]] | None:
        """Level, field and interval for every node, with a model."""
        if self.model is None:
            return None
        numbers = {name: k for k, name in enumerate(self.graph.nodes)}
        found: list[list[tuple[str, float, float, float]]] = [[] for _ in numbers]
        for row in self.model.field_rows():
            found[numbers[row["variable"]]].append(
                (row["level"], row["field"], row["low"], row["high"])
            )
        return found

    def name(self, node: int, with_text: bool = False) -> str:
        """Return the name of a node and its text in brackets, both shortened."""
        name = shortened(self.graph.nodes[node], LONGEST_NAME)
        text = self.text(node) if with_text else ""
        return f"{name} ({text})" if text else name

    def text(self, node: int) -> str:
        """Return the text of a node, shortened and without its full stop; empty if unknown."""
        return shortened(self.texts[node].rstrip("."), LONGEST_TEXT) if self.texts else ""


def _with_standardized(model: FittedModel, learned: Graph) -> Graph:
    """Return the graph of a model with the standardised couplings, where the learned one has them.

    Both are proportional; an infinite learned coupling has no factor, and counts as standardised.
    """
    known = learned.annotations.get("standardized")
    if known is None:
        return model.graph
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = known / learned.coupling
    unit[~np.isfinite(unit)] = 1
    return with_annotations(model.graph, {"standardized": model.graph.coupling * unit})


def finite_couplings(graph: Graph) -> Column:
    """Return the couplings, infinite ones replaced by the largest finite one with their sign."""
    couplings = np.array(graph.coupling)
    at = np.isinf(couplings)
    largest = np.abs(couplings[np.isfinite(couplings)]).max(initial=0.0) or 1.0
    couplings[at] = np.copysign(largest, couplings[at])
    return couplings


def node_texts(graph: Graph, labels: Any = None) -> list[str] | None:
    """Return the text of every node, from labels or the codebook; None if no node has one.

    Examples
    --------
    >>> node_texts(Graph("ab", []), {"a": "Angry"}), node_texts(Graph("ab", []))
    (['Angry', ''], None)
    """
    return _column(graph, labels, "text", TEXT_COLUMNS, "labels")


def node_groups(graph: Graph, groups: Any = None) -> list[str] | None:
    """Return the group of every node: as given, of the codebook or of the run; None without any.

    Examples
    --------
    >>> node_groups(Graph("ab", []), ["mood", "sleep"])
    ['mood', 'sleep']
    """
    if groups is None:
        known = graph.provenance.get("knowledge")
        groups = known.get("groups") if isinstance(known, Mapping) else None
        own = _column(graph, None, "group", GROUP_COLUMNS, "groups")
        if own is not None and groups is None:
            return own
        if not isinstance(groups, Mapping):
            is_list = isinstance(groups, list) and len(groups) == graph.n_nodes
            groups = groups if is_list else None
    return _column(graph, groups, "group", GROUP_COLUMNS, "groups")


def _column(
    graph: Graph, given: Any, name: str, columns: tuple[str, str], option: str
) -> list[str] | None:
    """Return a text for every node: given by name, in order or in a file, or of the codebook."""
    if given is None:
        given = graph.variables.columns.get(name)
    if given is None:
        return None
    if isinstance(given, (str, os.PathLike)):
        given = {str(key): value for _, (key, value) in file_rows(Path(given), columns)}
    if isinstance(given, Mapping):
        known = {str(key): value for key, value in given.items()}
        if not known.keys() & set(graph.nodes):
            raise InputError(
                "unknown-column",
                option,
                f"{option} has no text for any variable of the graph, such as "
                f"{next(iter(graph.nodes), '')!r}.",
            )
        given = [known.get(node, "") for node in graph.nodes]
    if len(given) != graph.n_nodes:
        raise InputError(
            "option-value",
            option,
            f"{option} has {len(given)} values for {graph.n_nodes} variables: pass one for each.",
        )
    texts = ["" if one is None else str(one).strip() for one in given]
    return texts if any(texts) else None


def _of_nodes(samples: Samples | None, graph: Graph) -> Samples | None:
    """Return the samples of the nodes, where columns were grouped."""
    if samples is None or not graph.members:
        return samples
    number = {name: j for j, name in enumerate(samples.names)}
    return samples.pick(np.array([number[name] for name in graph.nodes]))
