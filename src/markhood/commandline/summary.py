"""What the command line says of a result: in a few lines, what was learned from what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from markhood.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from markhood.data.samples import Samples
    from markhood.graph.graph import Graph
    from markhood.learning.forecast.forecast import Forecast

STRONGEST_SHOWN = 8
LEVELS_SHOWN = 8
COLUMNS_SHOWN = 6


def print_forecast(said: Forecast, samples: Samples, advice: Sequence[str] = ()) -> None:
    """Say how long learning will take and how much memory, as far as a second or two can tell."""
    from markhood.data.storage.memory import available_memory, readable

    available = available_memory()
    of = "" if available is None else f" of {readable(available)} available"
    phases = ", ".join(f"{phase} {s:.2g}" for phase, s in said.seconds.items())
    shape = f"{counted(samples.n_samples, 'sample')}, {counted(samples.n_variables, 'variable')}"
    typer.echo(f"{shape}: a forecast")
    size = "at least" if said.is_lower_bound else "about"
    typer.echo(f"seconds   {size} {sum(said.seconds.values()):.2g} ({phases})")
    typer.echo(f"memory    about {readable(said.memory)}{of}")
    if said.pairs:
        typer.echo(f"pairs     about {said.pairs:.2g} pass the screen")
    if said.candidates is not None:
        typer.echo(f"search    among {said.candidates:.2g} others for a variable, on average")
    if n_members := samples.variables.n_members:
        typer.echo(f"grouped   {n_members} columns are copies of these variables")
    for sentence in advice:
        typer.echo(sentence)


def print_summary(graph: Graph, console: Console) -> None:
    """Say what was learned, from what, and how long it took."""
    from markhood.data.genome.loci import told

    about = graph.provenance
    data, seconds = about["data"], about["seconds"]
    degree = graph.degree
    options = ", ".join(f"{name} {value}" for name, value in about["parameters"].items())
    phases = ", ".join(f"{phase} {s:.3g}" for phase, s in seconds.items())
    weight = f" of weight {data['weight']:.6g}" if "weight" in data else ""
    shape = (
        f"{counted(data['samples'], 'sample')}{weight}, {counted(data['variables'], 'variable')}"
    )
    console.print(shape, style="bold")
    for line in understood_lines(graph):
        console.print(printable(line))
    if grouped := about.get("identical"):
        alike = grouped["how"] if grouped["how"] == "group" else f"agreement {grouped['how']:g}"
        console.print(
            f"grouped   {grouped['columns']} columns into {grouped['nodes']} nodes, "
            f"{grouped['largest_group']} in the largest group ({alike})"
        )
    if n_copies := about.get("copies"):
        are = "column is a copy of another" if n_copies == 1 else "columns are copies of others"
        console.print(f"copies    {n_copies} {are}: --identical group")
    console.print(f"method    {about['method']} ({printable(options)})")
    if graph.variables.loci is not None:
        places = told(graph.variables.loci, graph.variables.genome_length)
        console.print(printable(f"positions {places}"))
    if adjusted := about.get("adjusted_for"):
        console.print(printable(f"adjusted  for {', '.join(adjusted)}"))
    if (factors := graph.factors) is not None:
        for k, share in enumerate(factors.explained):
            leading = ", ".join(factors.leading(k))
            console.print(printable(f"factor {k + 1}  {share:.0%} of the variance: {leading}"))
    if known := about.get("known"):
        facts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known.items())
        console.print(f"known     {printable(facts)}")
    if imputed := about.get("imputation"):
        sets = f"{imputed['sets']} completed data sets, seed {imputed['seed']}"
        console.print(f"imputed   {imputed['missing']} missing values in {sets}")
    console.print(
        f"edges     {graph.n_edges}; degree {degree.mean():.2f} on average, "
        f"{degree.max()} at most, {counted((degree == 0).sum(), 'variable')} without an edge"
    )
    if (near := about.get("near_edges_left_out")) is not None:
        console.print(
            f"near      {counted(near, 'edge')} nearer than {about['min_distance']:g} left out"
        )
    if (screened := about.get("screened_pairs")) is not None:
        largest = f"the largest blanket has {counted(about['largest_blanket'], 'variable')}"
        console.print(f"search    {counted(screened, 'pair')} passed the screen; {largest}")
    if by_chance := about.get("edges_by_chance"):
        mean = sum(by_chance) / len(by_chance)
        times = counted(len(by_chance), "time")
        console.print(f"by chance {mean:.3g} edges with every column shuffled ({times})")
    console.print(f"seconds   {sum(seconds.values()):.3g} ({phases})")
    if graph.n_edges:
        console.print()
        console.print(_strongest(graph))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural but for one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def understood_lines(graph: Graph) -> Iterator[str]:
    """Say how the data were understood."""
    from markhood.data.coding.findings import listed
    from markhood.data.variables import level_text

    data = graph.provenance["data"]
    about = data["understood"]
    read = [f"{about['rows']} rows"] if about["rows"] != data["samples"] else []
    if about["left_out"]:
        columns = [f"{name} ({reason})" for name, reason in about["left_out"].items()]
        read.append(f"left out {listed(columns)}")
    if about["missing"]:
        read.append(f"{about['missing']} missing values")
    for sentence in about.get("file", ()):
        yield f"file      {sentence}"
    if read:
        yield f"read      {'; '.join(read)}"
    for sentence in about.get("choices", ()):
        yield f"kinds     {sentence}"
    levels = [list(map(level_text, own)) for own in graph.variables.levels or ()]
    if len({tuple(own) for own in levels}) == 1:
        # That 0 is 0 goes without saying.
        numbered = [
            level if level == str(k) else f"{k} is {level}" for k, level in enumerate(levels[0])
        ]
        yield f"values    {_first_few(numbered, LEVELS_SHOWN)}"
        return
    kinds = (
        f"{number} {'' if kind in ('binary', 'constant', 'ordered') else 'of '}{kind}"
        for kind, number in about["kinds"].items()
    )
    yield f"columns   {', '.join(kinds)}"
    for name, own in list(zip(graph.nodes, levels, strict=True))[:COLUMNS_SHOWN]:
        more = f" ({len(own)})" if len(own) > LEVELS_SHOWN else ""
        yield f"          {name}: {_first_few(own, LEVELS_SHOWN)}{more}"
    if len(levels) > COLUMNS_SHOWN:
        yield f"          and {len(levels) - COLUMNS_SHOWN} more"


def _first_few(items: list[str], shown: int) -> str:
    return ", ".join(items[:shown] + (["..."] if len(items) > shown else []))


def _strongest(graph: Graph) -> Table:
    """Return the table of the edges with the most evidence."""
    from rich.table import Table

    from markhood.graph.columns import DISTANCE
    from markhood.graph.edge_table import has_sign, number_columns

    table = Table(title="Strongest edges", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("source", "target"):
        table.add_column(heading)
    numbers = number_columns(graph)
    further = [name for name in (*graph.annotations, DISTANCE) if name in numbers]
    for heading in ("evidence", "coupling", *further):
        table.add_column(printable(heading.replace("_", " ")), justify="right", overflow="fold")
    names, signed = graph.edge_names(), has_sign(graph)
    for k in graph.strongest(STRONGEST_SHOWN):
        table.add_row(
            *map(printable, names[k]),
            f"{graph.evidence[k]:.2f}",
            format(graph.coupling[k], "+.2f" if signed[k] else ".2f"),
            *(format(numbers[name][k], ".0f" if name == DISTANCE else ".3g") for name in further),
        )
    return table
