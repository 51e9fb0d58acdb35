"""`markhood fit`: fit the fields and couplings of a graph to data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.options import AskReading
from markhood.commandline.pages import (
    GroupsFile,
    Labels,
    ReportFile,
    Title,
    write_report_page,
)
from markhood.commandline.terminal import (
    announce,
    check_outputs,
    console_for,
    write_graphs,
    write_tables,
)
from markhood.commandline.text_tables import print_table
from markhood.errors import InputError

EDGES_SHOWN = 10


def fit(
    graph: Annotated[Path, typer.Argument(help="A graph: any file that markhood writes.")],
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: AskReading,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the model: .json.")
    ] = None,
    edges: Annotated[
        list[str] | None,
        typer.Option(
            help="Write the graph with couplings, errors and intervals: .csv, .json, .graphml, "
            ".gexf, .npz, or .matrix.csv for qgraph. May be repeated."
        ),
    ] = None,
    fields: Annotated[
        Path | None, typer.Option(help="Write the fields (thresholds) with errors: .csv.")
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(help="Write the couplings of all pairs of levels with errors: .csv."),
    ] = None,
    report: ReportFile = None,
    title: Title = None,
    labels: Labels = None,
    groups: GroupsFile = None,
    method: Annotated[
        str, typer.Option(help="pseudo-likelihood, likelihood or average.")
    ] = "pseudo-likelihood",
    prior: Annotated[
        str, typer.Option(help="Prior standard deviation of the couplings, or none.")
    ] = "2.5",
    all_pairs: Annotated[
        bool,
        typer.Option(
            "--all-pairs",
            help="Fit the couplings of all pairs, so that intervals do not depend on the selection "
            "of edges.",
        ),
    ] = False,
    coding: Annotated[
        str, typer.Option(help="Coding of --fields and --tables: 01 or spins (-1/+1).")
    ] = "01",
) -> None:
    """Fit the fields and couplings of a graph to data, with standard errors.

    [bold]Examples[/bold]

      markhood fit graph.json symptoms.csv --output model.json

      markhood fit graph.json symptoms.csv --edges w.matrix.csv --fields t.csv

      markhood fit graph.json spins.npy --prior none --coding spins --tables all.csv
    """
    from markhood.data.given import as_samples
    from markhood.model.coding import check_coding
    from markhood.model.fitting.fit import fit_model
    from markhood.output.graphs.files import read_graph
    from markhood.output.model_files import check_model_writable, write_model

    check_coding(coding)
    if output is not None:
        check_model_writable(output)
    inputs = [graph, data, labels, groups, *ask.files()]
    check_outputs(edges or [], report, inputs, [output], tables=(fields, tables))
    drawn = read_graph(graph)
    samples = as_samples(data, ask.reading(columns=drawn.nodes))  # only the columns in the graph
    model = fit_model(drawn, samples, method=method, prior=_prior(prior), all_pairs=all_pairs)
    if output is not None:
        write_model(model, output)
        announce(f"Wrote {output}")
    write_graphs(model.graph, edges or [])
    write_tables(
        (fields, partial(model.field_rows, coding)), (tables, partial(model.coupling_rows, coding))
    )
    if report is not None:
        parts: dict[str, Any] = {"model": model, "labels": labels, "groups": groups}
        write_report_page(model.graph, report, samples, title or data.name, **parts)
    _print_summary(model)


def _prior(text: str) -> float | None:
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise InputError(
            "option-value", "prior", f"--prior must be a number above 0 or none, not {text!r}."
        ) from None


def _print_summary(model: Any) -> None:
    """Print the strongest couplings with their intervals."""
    import numpy as np

    console = console_for([])
    console.print(
        f"{len(model.variables)} variables, {model.graph.n_edges} couplings, fitted to "
        f"{model.n_samples} samples by {model.method}"
    )
    names, intervals, rows = model.graph.edge_names(), model.intervals(), []
    for k in np.argsort(-np.abs(model.couplings), kind="stable")[:EDGES_SHOWN].tolist():
        low, high = intervals[k]
        row = dict(zip(("source", "target"), names[k], strict=True))
        row["coupling"] = f"{model.couplings[k]:.3g}"
        row["error"] = f"{model.errors.couplings[k]:.2g}"
        row["95 % interval"] = f"{low:.3g} to {high:.3g}"
        rows.append(row)
    print_table(rows, console)
    if model.is_selected:
        from markhood.model.fitted.summary import SELECTION

        console.print(SELECTION.replace("fit all pairs", "use --all-pairs"))
