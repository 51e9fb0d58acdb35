"""Commands on models: `markhood fit`, `check` and `predict`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.options import AskReading
from markhood.commandline.pages import GroupsFile, Labels, ReportFile, Title, write_report_page
from markhood.commandline.terminal import (
    announce,
    check_outputs,
    console_for,
    print_table,
    texts_of,
    words,
    write_graphs,
    write_tables,
)
from markhood.errors import InputError

EDGES_SHOWN = 10
ROWS_SHOWN = 5
HIDDEN = ("triangle", "error", "p_value")  # in the tables on the terminal


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
    from markhood.data.labels import as_samples
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


def check(
    model: Annotated[Path, typer.Argument(help="A graph or a model that markhood wrote.")],
    data: Annotated[Path, typer.Argument(help="The data file that it was learned from.")],
    ask: AskReading,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the test of every triple of variables: .csv."),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="Write observed and expected covariances of all pairs: .csv."),
    ] = None,
    triples: Annotated[
        Path | None,
        typer.Option(help="Write observed and expected third moments: .csv."),
    ] = None,
    sum_scores: Annotated[
        Path | None,
        typer.Option(help="Write the observed and expected distribution of the sum score: .csv."),
    ] = None,
    replicates: Annotated[
        int, typer.Option(help="Number of samples of the model to compare the data with.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Check whether a pairwise network fits the data, and find interactions of three variables.

    [bold]Examples[/bold]

      markhood check symptoms.json symptoms.csv

      markhood check model.json symptoms.csv -o third-order.csv --pairs pairs.csv
    """
    from markhood.data.labels import as_samples
    from markhood.model.checking.check import check_model
    from markhood.output.graphs.files import read_graph
    from markhood.output.model_files import holds_model, read_model

    tables = (output, pairs, triples, sum_scores)
    check_outputs([], inputs=[model, data, *ask.files()], tables=tables)
    read: Any = read_model(model) if holds_model(model) else read_graph(model)
    names = read.variables.names
    samples = as_samples(data, ask.reading(columns=names)) if ask.given else data
    found = check_model(read, samples, replicates=replicates, seed=seed)
    made = (found.third_order_rows, found.pair_rows, found.triple_rows, found.sum_score_rows)
    write_tables(*zip(tables, made, strict=True))
    console = console_for([])
    for text in found.findings():
        console.print(text)
    for title, listed in (
        ("Third-order interactions", found.third_order_rows()),
        ("Pairs that deviate most", found.pair_rows()),
    ):
        if listed:
            print_table(texts_of(listed[:ROWS_SHOWN], HIDDEN), console, title)


def predict(
    model: Annotated[Path, typer.Argument(help="A model that markhood fit wrote.")],
    data: Annotated[
        Path,
        typer.Argument(help="Data with the model's columns; the targets may be left out."),
    ],
    target: Annotated[
        str, typer.Option(metavar="LIST", help="Columns to predict: smokes, or smokes,coughs.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write predictions and probabilities: .csv.")
    ],
    seed: Annotated[
        int, typer.Option(help="Random seed, where sums over many missing values are sampled.")
    ] = 0,
) -> None:
    """Predict columns from all others: the most probable level, and the probability of each level.

    Missing values in the other columns are summed over.

    [bold]Examples[/bold]

      markhood predict model.json new.csv --target coughs --output predicted.csv
    """
    from markhood.data.variables import level_text
    from markhood.output.csv_tables import write_table
    from markhood.output.model_files import read_model

    if seed < 0:
        raise InputError("option-value", "seed", f"--seed must be 0 or more, not {seed}.")
    check_outputs([], inputs=[model, data], tables=[output])
    fitted = read_model(model)
    targets = words(target)
    chances = fitted.predict_proba(data, targets, seed)
    columns: dict[str, list[object]] = {}
    for name, own in zip(targets, chances, strict=True):
        levels = [level_text(v) for v in fitted.levels[fitted.distribution.graph.number(name)]]
        columns[name] = [levels[k] for k in own.argmax(axis=1).tolist()]
        for level, share in zip(levels, own.T.tolist(), strict=True):
            columns[f"{name} = {level}"] = [round(p, 6) for p in share]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    write_table(rows, output)
    announce(f"Wrote {output}: {len(rows)} samples")
