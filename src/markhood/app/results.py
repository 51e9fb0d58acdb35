"""`Result`: the answer to a question as files in a folder, and a description for the page."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from shutil import make_archive, rmtree
from typing import Any

from markhood.app.files import GRAPH, KINDS
from markhood.data.codebook import codebook_of
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.output.csv_tables import write_table
from markhood.output.graphs.files import write_graph
from markhood.output.model_files import write_model
from markhood.output.report.page import report_html, write_report
from markhood.stability.comparison import GroupComparison

ROWS_SHOWN = 12


@dataclass
class Result:
    """The answer to a question, which grows while an analysis runs."""

    folder: Path  # where its files are written
    title: str  # heading of the reports
    # Called with the description whenever there is more to see.
    emit: Callable[[dict[str, Any]], None]
    headline: str = ""  # the answer in a line
    paragraph: str = ""  # for a methods section
    sentences: list[str] = field(default_factory=list)
    files: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {kind: [] for kind in KINDS}
    )

    def say(self, *sentences: str) -> None:
        """Add sentences below the headline."""
        self.sentences += sentences

    def report(self, graph: Graph, samples: Samples, **parts: Any) -> None:
        """Add the interactive page of a graph, with parts as of `write_report`, and the graph."""
        page = report_html(graph, samples, self.title, **parts)
        (self.folder / "graph.html").write_text(page, encoding="utf-8")
        self._add("reports", "graph.html", "Network")
        self.graph(GRAPH, graph, "The network as JSON, for markhood and networkx")

    def comparison(self, found: GroupComparison, by: str) -> None:
        """Add the interactive page of the graphs of groups, and these graphs."""
        write_report(found, self.folder / "groups.html", title=f"{self.title}: groups of {by}")
        self._add("reports", "groups.html", "Networks of the groups")
        for k, (name, graph) in enumerate(zip(found.names, found.graphs, strict=True)):
            self.graph(f"group{k + 1}.json", graph, f"The network of {name} as JSON")

    def graph(self, name: str, graph: Graph, title: str) -> None:
        """Add a graph as a file."""
        write_graph(graph, self.folder / name)
        self._add("others", name, title)

    def table(
        self, name: str, title: str, rows: Sequence[dict[str, Any]], shown: int = ROWS_SHOWN
    ) -> None:
        """Add a table, with its first rows for the page."""
        if not rows:
            return
        write_table(rows, self.folder / name)
        head = [{key: _finite(value) for key, value in row.items()} for row in rows[:shown]]
        self._add("tables", name, title, rows=head, total=len(rows))

    def codebook(self, rows: list[dict[str, Any]]) -> None:
        """Add the codebook with the changes of the user, for the command line and for Python."""
        codebook_of(rows).write(self.folder / "codebook.csv")
        self._add("others", "codebook.csv", "Your changes to the columns, as a codebook")

    def reproduction(self, graph: Graph) -> None:
        """Add a folder with a script that learns the graph again, unless an option prevents it."""
        folder = self.folder / "reproduction"
        with suppress(InputError):
            graph.export_reproduction(folder)
            make_archive(str(folder), "zip", self.folder, folder.name)
            title = "Script, settings and versions to repeat the analysis on another computer"
            self._add("others", "reproduction.zip", title)
        rmtree(folder, ignore_errors=True)

    def model(self, model: Any) -> None:
        """Add the fitted model."""
        write_model(model, self.folder / "model.json")
        self._add("others", "model.json", "The fitted model, for predictions with markhood")

    def figure(self, stem: str, title: str, draw: Callable[[], Any]) -> None:
        """Add a figure as SVG and PNG, if matplotlib is installed."""
        if find_spec("matplotlib") is None:
            return
        from markhood.output.pictures.figures import write_figure

        for ending in ("svg", "png"):
            write_figure(draw(), self.folder / f"{stem}.{ending}")
        self._add("figures", f"{stem}.svg", title, others=[f"{stem}.png"])

    def network_figure(self, graph: Graph) -> None:
        """Add a figure of the network for a publication."""

        def draw() -> Any:
            from markhood.output.pictures.plots import network

            return network(graph)

        if graph.n_edges:
            self.figure("network", "The network", draw)

    def _add(self, kind: str, name: str, title: str, **more: Any) -> None:
        self.files[kind].append({"file": name, "title": title, **more})

    def send(self) -> None:
        """Emit the description of what there is so far."""
        described = {
            "title": self.title,
            "headline": self.headline,
            "sentences": self.sentences,
            "paragraph": self.paragraph,
            **self.files,
        }
        self.emit(json.loads(json.dumps(described, default=str, allow_nan=False)))


def _finite(value: Any) -> Any:
    """Return a value as JSON can write it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.item() if hasattr(value, "item") else value
