"""The summary of a result: what was read, what was assumed, what was found, and the next step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from markhood.commandline.terminal import print_table
from markhood.errors import counted, listed, printable

if TYPE_CHECKING:
    from rich.console import Console

    from markhood.data.samples import Samples
    from markhood.graph.graph import Graph
    from markhood.learning.forecast.forecast import Forecast

EDGES_SHOWN = 8
LEVELS_SHOWN = 8
NAMES_SHOWN = 4
COLUMNS_SHOWN = 4
# Columns of the table of edges, after evidence and coupling, in the order in which they are kept.
FURTHER_COLUMNS = (
    "probability",
    "coupling_low",
    "distance",
    "share",
    "standardized",
    "evidence_variance",
)
HEADINGS = {"coupling_low": "95 % interval"}


def print_forecast(forecast: Forecast, samples: Samples, advice: Sequence[str] = ()) -> None:
    """Print the estimated running time and memory of learning."""
    from markhood.data.storage.memory import available_memory, peak_memory, readable

    available = available_memory()
    of = "" if available is None else f" of {readable(available)} available"
    phases = ", ".join(f"{phase} {s:.2g}" for phase, s in forecast.seconds.items())
    shape = f"{counted(samples.n_samples, 'sample')}, {counted(samples.n_variables, 'variable')}"
    typer.echo(f"{shape}: a forecast")
    size = "at least" if forecast.is_lower_bound else "about"
    typer.echo(f"seconds   {size} {sum(forecast.seconds.values()):.2g} ({phases})")
    # Reading the data, which a forecast does too, often takes more memory than the search.
    typer.echo(f"memory    about {readable(peak_memory() + forecast.memory)}{of}")
    if forecast.pairs:
        typer.echo(f"pairs     about {forecast.pairs:.2g} pass the screen")
    if forecast.candidates is not None:
        typer.echo(
            f"search    {forecast.candidates:.2g} candidate neighbours per variable on average"
        )
    if n_members := samples.variables.n_members:
        typer.echo(f"grouped   {n_members} columns are copies of these variables")
    for sentence in advice:
        typer.echo(sentence)


def print_summary(graph: Graph, console: Console) -> None:
    """Print what was read, assumed and found, and the edges with the most evidence."""
    first, *lines = (*_read(graph), *_assumed(graph), *_method(graph), *_found(graph))
    console.print(first, style="bold")
    for line in lines:
        console.print(printable(line))
    if graph.n_edges:
        console.print()
        print_table(_edge_rows(graph), console, "Edges with the most evidence")
        console.print(
            "A larger evidence means a more certain edge. A positive coupling means that high "
            "values go together."
        )


def summary_text(graph: Graph) -> str:
    """Return what `print_summary` prints, without colours."""
    from io import StringIO

    from rich.console import Console

    written = StringIO()
    print_summary(graph, Console(file=written, width=80, color_system=None))
    return written.getvalue()


def print_next_step(graph: Graph, data: Path, has_options: bool, console: Console) -> None:
    """Suggest the command to run next."""
    same = " with the same options" if has_options else ""
    if graph.n_edges:
        command, purpose = "bootstrap", "to see which edges are stable"
    elif "gamma" in graph.provenance["parameters"]:
        command, purpose = "choose-gamma", "to see which edges a smaller gamma adds"
    else:
        return
    console.print()
    console.print(printable(f"Next: markhood {command} {data}{same} {purpose}."))


def _read(graph: Graph) -> Iterator[str]:
    """Describe the data: samples, variables and levels."""
    from markhood.data.genome.loci import describe_loci

    data = graph.provenance["data"]
    about = data["understood"]
    weight = ""
    if "weight" in data:
        size, is_fewer = data["weight"], data["weight"] < data["samples"]
        weight = f" (effective sample size {size:.4g})" if is_fewer else f" of weight {size:.6g}"
    yield f"{counted(data['samples'], 'sample')}{weight}, {counted(data['variables'], 'variable')}"
    for text in _notes(graph, is_about_file=True):
        yield f"file      {text}"
    read = [f"{about['rows']} rows"] if about["rows"] != data["samples"] else []
    if about["left_out"]:
        columns = [f"{name} ({reason})" for name, reason in about["left_out"].items()]
        read.append(f"left out {listed(columns)}")
    if about["missing"]:
        read.append(f"{about['missing']} missing values")
    if read:
        yield f"read      {'; '.join(read)}"
    yield from _answers(graph)
    if graph.variables.loci is not None:
        yield f"positions {describe_loci(graph.variables.loci, graph.variables.genome_length)}"


def _notes(graph: Graph, is_about_file: bool) -> list[str]:
    """Return what was noted about the file, or assumed about its columns."""
    from markhood.output.methods_section import findings_in

    return [
        one["text"]
        for one in findings_in(graph.provenance, "note")
        if (one["code"] == "file-content") == is_about_file
    ]


def _answers(graph: Graph) -> Iterator[str]:
    """Name the columns of each kind, those with the same levels together."""
    from markhood.data.codebook import kind_of
    from markhood.data.variables import level_text

    by_kind: dict[str, dict[tuple[str, ...], list[str]]] = {}
    about = zip(graph.nodes, graph.variables.levels or (), graph.variables.is_ordered, strict=False)
    for name, levels, is_ordered in about:
        kind = "ordered" if is_ordered else kind_of(levels).replace("numbers", "categories")
        texts = tuple(map(level_text, levels))
        by_kind.setdefault(kind, {}).setdefault(texts, []).append(name)
    if len(by_kind) == 1 and len(only := next(iter(by_kind.values()))) == 1:
        yield f"answers   {levels_in_words(next(iter(only)))} in all columns"
        return
    for kind, names_of in by_kind.items():
        shown = [
            f"{listed(names, NAMES_SHOWN)} ({levels_in_words(own)})"
            for own, names in list(names_of.items())[:COLUMNS_SHOWN]
        ]
        rest = sum(map(len, list(names_of.values())[COLUMNS_SHOWN:]))
        more = [f"{rest} more"] if rest else []
        number = sum(map(len, names_of.values()))
        yield f"{kind:<9} {counted(number, 'column')}: {'; '.join([*shown, *more])}"


def levels_in_words(levels: Sequence[str]) -> str:
    """Return consecutive whole numbers as a range, and any other levels as a list.

    Examples
    --------
    >>> levels_in_words("123456"), levels_in_words("01"), levels_in_words(["a", "b", "c"])
    ('1 to 6', '0, 1', 'a, b, c')
    """
    from markhood.data.coding.bins import bin_like

    if len(levels) > 2 and levels[0].removeprefix("-").isdecimal():
        first = int(levels[0])
        if list(levels) == [str(first + k) for k in range(len(levels))]:
            return f"{levels[0]} to {levels[-1]}"
    if len(levels) > LEVELS_SHOWN and bin_like((), levels[1:]) is not None:
        return f"{levels[0]} ... {levels[-1]}, {len(levels)} levels"
    more = [f"... ({len(levels)})"] if len(levels) > LEVELS_SHOWN else []
    return ", ".join([*levels[:LEVELS_SHOWN], *more])


def _assumed(graph: Graph) -> Iterator[str]:
    """Describe the choices that were made for the user, and those that the user made."""
    about = graph.provenance
    for text in _notes(graph, is_about_file=False):
        yield f"assumed   {text}"
    if grouped := about.get("identical"):
        how = grouped["how"] if grouped["how"] == "group" else f"agreement {grouped['how']:g}"
        yield (
            f"grouped   {grouped['columns']} columns into {grouped['nodes']} nodes, "
            f"{grouped['largest_group']} in the largest group ({how})"
        )
    if n_copies := about.get("copies"):
        are = "column is a copy of another" if n_copies == 1 else "columns are copies of others"
        yield f"copies    {n_copies} {are}; group them with --identical group"
    if adjusted := about.get("adjusted_for"):
        yield f"adjusted  for {', '.join(adjusted)}"
    if (factors := graph.factors) is not None:
        for k, share in enumerate(factors.explained):
            leading = ", ".join(factors.leading(k))
            yield f"factor {k + 1}  {share:.0%} of the variance: {leading}"
    if known := about.get("known"):
        facts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known.items())
        yield f"known     {facts}"
    if imputed := about.get("imputation"):
        sets = f"{imputed['sets']} completed data sets, seed {imputed['seed']}"
        yield f"imputed   {imputed['missing']} missing values in {sets}"


def _method(graph: Graph) -> Iterator[str]:
    about = graph.provenance
    options = ", ".join(f"{name} {value}" for name, value in about["parameters"].items())
    phases = ", ".join(f"{phase} {s:.3g}" for phase, s in about["seconds"].items())
    yield f"method    {about['method']} ({options})"
    yield f"seconds   {sum(about['seconds'].values()):.3g} ({phases})"
    if chains := about.get("chains"):
        size, mediated = chains.get("background"), chains.get("mediated")
        background = f", of pairs without an edge {size:.2g}" if size else ""
        background += f", mediated by ordered levels at most {mediated:.2g}" if mediated else ""
        yield (
            f"prior     density of edges {chains['edge_density']:.3g}, scale of couplings "
            f"{chains['coupling_scale']:.3g}{background}"
        )
    if (screened := about.get("screened_pairs")) is not None:
        largest = f"the largest blanket has {counted(about['largest_blanket'], 'variable')}"
        yield f"search    {counted(screened, 'pair')} passed the screen; {largest}"


def _found(graph: Graph) -> Iterator[str]:
    """Describe the graph in plain words."""
    about, degree = graph.provenance, graph.degree
    alone = counted((degree == 0).sum(), "variable")
    edges = counted(graph.n_edges, "edge")
    yield f"found     {edges}: pairs of variables that help to predict each other"
    yield (
        f"          {degree.mean():.2f} neighbours per variable on average, {degree.max()} at "
        f"most; {alone} without neighbours"
    )
    if (near := about.get("near_edges_left_out")) is not None:
        yield f"near      {counted(near, 'edge')} nearer than {about['min_distance']:g} left out"
    if by_chance := about.get("edges_by_chance"):
        mean = sum(by_chance) / len(by_chance)
        times = counted(len(by_chance), "time")
        yield f"by chance {mean:.3g} edges with every column shuffled ({times})"


def _edge_rows(graph: Graph) -> list[dict[str, str]]:
    """Return the edges with the most evidence, as text."""
    from markhood.graph.columns import DISTANCE
    from markhood.graph.edge_table import has_sign, number_columns

    numbers = number_columns(graph)
    upper = numbers.pop("coupling_high", None)  # in one column with the lower end
    further = [name for name in (*graph.annotations, DISTANCE) if name in numbers]
    ordered = [name for name in FURTHER_COLUMNS if name in further]
    ordered += [name for name in further if name not in FURTHER_COLUMNS]
    names, signed, rows = graph.edge_names(), has_sign(graph), []
    for k in graph.strongest(EDGES_SHOWN):
        row = dict(zip(("source", "target"), names[k], strict=True))
        row["evidence"] = f"{graph.evidence[k]:.2f}"
        row["coupling"] = format(graph.coupling[k], "+.2f" if signed[k] else ".2f")
        for name in ordered:
            number = format(numbers[name][k], ".0f" if name == DISTANCE else ".3g")
            if name == "coupling_low" and upper is not None:
                number += f" to {upper[k]:.3g}"
            row[HEADINGS.get(name, name.replace("_", " "))] = "" if "nan" in number else number
        rows.append(row)
    return rows
