"""The command line: parse, call, print.

Numbers are made elsewhere; heavy modules are imported by the command that needs them, so that
`markhood --help` answers at once. Exit codes: 0; 2 for input that cannot be used; those of signals are in
`start`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from markhood.commandline import options
from markhood.commandline.pack import pack
from markhood.commandline.paper import paper
from markhood.commandline.reading import Read, reads_data
from markhood.commandline.simulate import simulate
from markhood.commandline.start import main
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    guarded,
    print_forecast,
    print_summary,
    runner_on,
    say,
    write_graphs,
)
from markhood.errors import printable

if TYPE_CHECKING:
    from markhood.data.samples import Samples
    from markhood.graph.graph import Graph

__all__ = ["app", "main"]

ABOUT = """
Learn the graph of a pairwise Markov network (Ising, Potts) from data.

[bold]Examples[/bold]

  markhood demo

  markhood learn symptoms.csv --output symptoms.graphml --report symptoms.html

  markhood simulate hub --variables 64 --samples 1000 --output data.csv --truth truth.csv

  markhood compare truth.csv learned.csv

  markhood paper screening --replicates 10
"""

EPILOG = (
    "markhood COMMAND --help says more, with examples. "
    "Exit codes: 0 done, 2 input that cannot be used, 130 stopped with Ctrl-C, 141 nobody read the "
    "output, 143 stopped by SIGTERM."
)

app = typer.Typer(
    name="markhood",
    help=ABOUT,
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from markhood import __version__

        typer.echo(f"markhood {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


LEARN_EXAMPLES = """
Learn the graph of a table of discrete observations.

[bold]Examples[/bold]

  markhood learn symptoms.csv

  markhood learn votes.parquet --output votes.graphml --output edges.csv

  markhood learn spins.npy --method hc --rule and --gamma 0.25 --jobs 4

  markhood learn symptoms.csv --method l1lr --rule and --gamma 0.25 --set refit=false --set standardize=true

  markhood learn survey.tsv --columns sad,tired,anxious --output - > edges.csv

  markhood learn survey.tsv --missing drop --missing-values=-9 --weights weight --report survey.html

  markhood learn survey.tsv --missing impute --imputations 20 --seed 1 --output survey.json

  markhood learn survey.tsv --forbidden never.csv --groups questions.csv --group-rule between

  markhood learn genes.fasta --min-minor 0.01 --max-candidates 500 --dry-run

  markhood learn variants.parquet --executor dask --scheduler tcp://head:8786 --checkpoint variants
"""


@app.command(help=LEARN_EXAMPLES)
@guarded
@reads_data
def learn(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    read: Read,
    method: Annotated[
        str, typer.Option(help="plrhc, hc, mpl, l1lr, bjp, pairwise or chow-liu.")
    ] = "plrhc",
    rule: Annotated[
        str | None, typer.Option(help="global, or, and: how blankets become a graph.")
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="Weight of the number of possible blankets; larger, fewer edges [0.5]."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Steps of the screened graph to search in (plrhc) [3].")
    ] = None,
    max_candidates: options.MaxCandidates = None,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Another option of the method, such as criterion=mpl, fit_penalty=l2, "
            "refit=false. May be repeated.",
        ),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the graph: .csv, .json, .graphml, .gexf, .npz, or - for CSV on standard "
            "output. May be repeated.",
        ),
    ] = None,
    escape_formulas: options.EscapeFormulas = False,
    report: Annotated[
        Path | None, typer.Option(help="Write an interactive page of the graph: .html.")
    ] = None,
    jobs: options.Jobs = -1,
    kernels: options.KernelsName = "native",
    executor: options.ExecutorName = None,
    scheduler: options.SchedulerAddress = None,
    checkpoint: options.CheckpointFolder = None,
    dry_run: options.DryRun = False,
    imputations: options.Imputations = 10,
    seed: options.Seed = 0,
    required: options.RequiredEdges = None,
    forbidden: options.ForbiddenEdges = None,
    groups: options.Groups = None,
    group_rule: options.GroupRule = "between",
) -> None:
    """Learn the graph of a table of discrete observations."""
    from markhood.learning.imputation import Imputation
    from markhood.learning.learn import kernels_named, known_beforehand, learn_from
    from markhood.learning.methods import method_named

    backend = kernels_named(kernels)
    imputation = Imputation(imputations, seed)
    named = {"rule": rule, "gamma": gamma, "depth": depth, "max_candidates": max_candidates}
    given = {name: value for name, value in named.items() if value is not None}
    chosen = method_named(method, given | options.settings(more or []))
    outputs = output or []
    check_outputs(
        outputs,
        report,
        inputs=[data, required, forbidden, groups, read.keywords["weights"]],
        others=[] if checkpoint is None else [checkpoint / "run.json"],
    )
    with runner_on(executor, scheduler, jobs, kernels) as runner:
        samples = read(data)
        if dry_run:
            print_forecast(samples, chosen, backend, jobs)
            return
        known = known_beforehand(samples.names, required, forbidden, groups, group_rule)
        learned = learn_from(samples, chosen, backend, runner, known, imputation, checkpoint)
    write_graphs(learned.graph, outputs, escape_formulas)
    if report is not None:
        _write_report(learned.graph, report, samples, data.name, err="-" in outputs)
    print_summary(learned.graph, console_for(outputs))


app.command("pack")(guarded(reads_data(pack)))


@app.command("report")
@guarded
@reads_data
def make_report(
    file: Annotated[
        Path, typer.Argument(help="A graph file (a CSV or NPZ as markhood writes it), or data.")
    ],
    read: Read,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page: .html.")] = Path(
        "report.html"
    ),
) -> None:
    """Make an interactive page of a graph: one file, for any browser, offline.

    The page shows the network, its edges, plots, the data and the run. Data are learned from with
    the default method; for others there is markhood learn --report.

    [bold]Examples[/bold]

      markhood report votes.graphml --output votes.html

      markhood report votes.csv
    """
    from markhood.learning.learn import learn_from
    from markhood.learning.methods import method_named
    from markhood.output.graphs.files import holds_graph, read_graph

    check_outputs([], output, inputs=[file, read.keywords["weights"]])
    if holds_graph(file):
        _write_report(read_graph(file), output, None, file.name)
        return
    samples = read(file)
    with runner_on() as runner:
        learned = learn_from(samples, method_named("plrhc", {}), runner=runner)
    _write_report(learned.graph, output, samples, file.name)


@app.command()
@guarded
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the graph.")
    ] = Path("digits.graphml"),
) -> None:
    """Learn which pixels of handwritten digits depend on each other, and draw the answer.

    [bold]Examples[/bold]

      markhood demo

      markhood demo --output digits.json
    """
    from markhood.data.formats.digits import SIDE, digits
    from markhood.learning.learn import learn_from
    from markhood.learning.methods import method_named
    from markhood.output.pictures.text_pictures import draw_grid

    check_outputs([str(output)])
    console = console_for([])
    with runner_on() as runner:
        learned = learn_from(digits(), method_named("plrhc", {}), runner=runner)
    write_graphs(learned.graph, [str(output)])
    print_summary(learned.graph, console)
    rows, columns = learned.graph.edges // SIDE, learned.graph.edges % SIDE
    apart = abs(rows[:, 0] - rows[:, 1]).clip(abs(columns[:, 0] - columns[:, 1]))
    touching = int((apart == 1).sum())
    console.print(
        f"\nThe 8 x 8 pixels, with the {touching} of {learned.graph.n_edges} edges that join "
        "pixels that touch:\n"
    )
    console.print(draw_grid(learned.graph, SIDE), highlight=False)


app.command("simulate")(guarded(simulate))


@app.command()
@guarded
def compare(
    truth: Annotated[Path, typer.Argument(help="The true graph.")],
    learned: Annotated[list[Path], typer.Argument(help="Learned graphs.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table as CSV.")
    ] = None,
) -> None:
    """Compare learned graphs with the true one: wrong edges, Hamming distance, precision, recall.

    Graphs are matched by the names of their nodes. Any format that markhood writes will do.

    [bold]Examples[/bold]

      markhood compare truth.graphml learned.graphml

      markhood compare truth.csv plrhc.csv hc.csv mpl.csv --output comparison.csv
    """
    from rich.table import Table

    from markhood.evaluate.measures import comparison_table
    from markhood.output.graphs.files import read_graph
    from markhood.output.tables import check_table_writable, write_table

    if output is not None:
        check_table_writable(output)
        check_outputs([], inputs=[truth, *learned], others=[output])
    graphs = {str(path): read_graph(path) for path in learned}
    rows = comparison_table(read_graph(truth), graphs)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in rows[0]:
        table.add_column(
            heading.replace("_", "\n"), justify="left" if heading == "method" else "right"
        )
    for row in rows:
        table.add_row(*(f"{v:.3g}" if isinstance(v, float) else printable(v) for v in row.values()))
    console_for([]).print(table)
    if output is not None:
        write_table(rows, output)
        say(f"Wrote {output}")


app.command("paper")(guarded(paper))


def _write_report(
    graph: Graph, path: Path, samples: Samples | None, title: str, err: bool = False
) -> None:
    from markhood.output.report.page import write_report

    write_report(graph, path, samples, title)
    say(f"Wrote {path}", err=err)
