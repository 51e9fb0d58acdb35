"""Commands that study a network: `markhood robustness`, `choose-gamma` and `plan`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.options import Ask, Study
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    print_table,
    progress_bar,
    texts_of,
    words,
    write_plot,
    write_tables,
)
from markhood.errors import InputError

EDGES_SHOWN = 20
HIDDEN = ("in_graph", "positive", "low", "high")  # in the table of edges


def robustness(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OPTION=LIST",
            help="Values of an option to try, such as gamma=0.25,0.5 or missing=drop,impute. May "
            "be repeated; all combinations are analysed.",
            show_default="methods, gammas, priors, kinds and missing values that apply",
        ),
    ] = None,
    subsets: Annotated[
        str,
        typer.Option(
            metavar="N|COLUMN",
            help="Number of random subsets with 80 % of the samples, or a column: each subset "
            "leaves out the rows of one value.",
        ),
    ] = "5",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write all edges, with the share of analyses that have them: .csv.",
        ),
    ] = None,
    analyses: Annotated[
        Path | None, typer.Option(help="Write a row for every analysis: .csv.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the edges that each analysis finds: .png, .svg or .pdf."),
    ] = None,
) -> None:
    """Learn the network under several choices, to see which edges depend on them.

    [bold]Examples[/bold]

      markhood robustness symptoms.csv --plot multiverse.png

      markhood robustness answers.csv --vary gamma=0,1 --vary missing=drop,impute

      markhood robustness pupils.csv --subsets school -o edges.csv
    """
    from markhood.stability.robustness import vary_request

    check_outputs([], inputs=[data, *ask.files()], tables=(output, analyses), plot=plot)
    choices = None if vary is None else dict(map(_choice, vary))
    parts = int(subsets) if subsets.isdecimal() else subsets
    with progress_bar() as progress:
        found = vary_request(ask(progress), data, choices, parts)
    write_tables((output, found.edges), (analyses, found.rows))
    if plot is not None:
        from markhood.output.pictures.stability import robustness as draw

        write_plot(draw(found), plot)
    console = console_for([])
    edges = found.edges()
    always = sum(row["share"] == 1 for row in edges)
    console.print(f"{len(found.analyses)} analyses", style="bold")
    console.print(f"edges     {always} are in all analyses, {len(edges)} in at least one")
    if edges:
        print_table(texts_of(edges[:EDGES_SHOWN], HIDDEN), console, "Edges by share")
    print_table(texts_of(found.choices()), console, "Choices")


def _choice(text: str) -> tuple[str, list[Any]]:
    """Return the name and the values of a choice, as typed."""
    name, _, listed = text.partition("=")
    name = name.strip().removeprefix("--").replace("-", "_")
    if not name or not words(listed):
        raise InputError(
            "option-value",
            "vary",
            f"--vary must be an option with values separated by commas, as in gamma=0.25,0.5, not "
            f"{text!r}.",
        )
    return name, [_value(name, word) for word in words(listed)]


def _value(name: str, word: str) -> Any:
    """Convert a word to the type of an option; the request checks the value."""
    from markhood.data.reading import Reading
    from markhood.learning.knowledge import Knowledge
    from markhood.learning.methods import METHODS
    from markhood.options import Options, declaration_of, parts_of

    kinds: list[type[Options]] = [Reading, Knowledge, *METHODS.values()]
    declared = [(kind, one) for kind in kinds for one in kind.declared() if one.name == name]
    if not declared:
        return word
    kind, one = declared[0]
    parts, parse = parts_of(kind.hints()[name]), declaration_of(one).parse
    if word == "none" and type(None) in parts:
        return None
    if bool in parts and word in ("true", "false"):
        return word == "true"
    converters = [parse] if parse is not None else [t for t in (int, float) if t in parts]
    for convert in converters:
        with suppress(ValueError):
            return convert(word)
    return word


def choose_gamma(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a row for every gamma: .csv.")
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(help="Write the largest gamma at which each edge is present: .csv."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw the number of edges and the prediction by gamma: .png, .svg or .pdf."
        ),
    ] = None,
    gammas: Annotated[
        str, typer.Option(metavar="LIST", help="Values of gamma to try, separated by commas.")
    ] = "0,0.125,0.25,0.5,0.75,1,1.5,2",
    folds: Annotated[int, typer.Option(help="Number of folds of the cross-validation.")] = 5,
) -> None:
    """Learn with several values of gamma, and see which graph predicts best.

    [bold]Examples[/bold]

      markhood choose-gamma symptoms.csv

      markhood choose-gamma symptoms.csv --gammas 0,0.5,1 --plot gammas.png
    """
    from markhood.stability.gamma import follow_gamma

    check_outputs([], inputs=[data, *ask.files()], tables=(output, edges), plot=plot)
    try:
        tried = [float(word) for word in words(gammas)]
    except ValueError:
        raise InputError(
            "option-value",
            "gammas",
            f"--gammas must be numbers separated by commas, not {gammas!r}.",
        ) from None
    with progress_bar() as progress:
        request = ask(progress)
        found = follow_gamma(request, request.read(data), tried, folds)
    write_tables((output, found.rows), (edges, found.edges))
    if plot is not None:
        from markhood.output.pictures.stability import gamma_path

        write_plot(gamma_path(found), plot)
    console = console_for([])
    table = [
        {n.replace("_", " "): f"{v}" if isinstance(v, int) else f"{v:.3g}" for n, v in row.items()}
        for row in found.rows()
    ]
    print_table(table, console)
    console.print(f"best      gamma {found.best:g} predicts held-out samples best")
    console.print(
        f"sparsest  gamma {found.sparsest:g} is the largest within one standard error of the best"
    )
    console.print(
        f"suggested gamma {found.suggested:g}: 0.5 for sparse graphs, the best for denser ones"
    )


def plan(
    ask: Ask,
    study: Annotated[Any, Study("PlanOptions")],
    source: Annotated[
        Path | None,
        typer.Argument(
            help="The expected network: pilot data, a graph or a model. By default a random "
            "network as described by --nodes, --density, --coupling and --levels."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a row for every size: .csv.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the power by size: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Find the number of samples that a study needs, by simulation.

    [bold]Examples[/bold]

      markhood plan pilot.csv

      markhood plan --nodes 20 --levels 5 --measure correlation --plot power.png

      markhood plan model.json --measure edge --edge sleep,mood --power 0.9

      markhood plan pilot.csv --measure group --edge sleep,mood --missing-share 0.1
    """
    from markhood.stability.plan import plan_request

    check_outputs([], inputs=[source, *ask.files()], tables=[output], plot=plot)
    with progress_bar() as progress:
        found = plan_request(ask(progress), source, study)
    write_tables((output, found.rows))
    if plot is not None:
        from markhood.output.pictures.plan import plan as draw

        write_plot(draw(found), plot)
    console = console_for([])
    print_table(texts_of(found.rows()), console)
    console.print(found.paragraph())
