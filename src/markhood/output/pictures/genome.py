"""Layout of variables along a genome, to scale: chromosomes in sequence, with gaps between them.

Without positions, variables are in their order at equal distances. Variables without a position
come last, as a separate chromosome. A circular genome has no gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.genome.loci import Loci
from markhood.graph.graph import Graph
from markhood.output.pictures.layout import Coordinates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAP = 0.02  # share of the total, after every chromosome
_MARKS = 8  # positions labelled along one chromosome
_UNITS = ((1e6, "Mb"), (1e3, "kb"), (1.0, "bp"))
_GREY = "#707070"


def shares_along(graph: Graph) -> Floats:
    """Return the relative position of each variable, from 0 to below 1.

    Examples
    --------
    >>> from markhood.data.genome.loci import Locus
    >>> from markhood.data.variables import Variables
    >>> loci = (Locus("1", 100), Locus("1", 300), Locus("2", 5), Locus("2", 205))
    >>> shares_along(Graph(Variables(tuple("abcd"), loci=loci), [])).round(2).tolist()
    [0.0, 0.48, 0.5, 0.98]
    """
    loci = graph.variables.loci
    if loci is None:
        return np.arange(graph.n_nodes) / max(graph.n_nodes, 1)
    shares = np.zeros(graph.n_nodes)
    for numbers, offsets, start, length in _chromosomes(loci, graph.variables.genome_length):
        shares[numbers] = start + length * offsets
    return shares


def _chromosomes(loci: Loci, circle: int | None) -> list[tuple[Ints, Floats, float, float]]:
    """List the variables, relative offsets, start and length of every chromosome."""
    members: dict[str | None, list[int]] = {}
    for number, locus in enumerate(loci):
        members.setdefault(locus and locus.chromosome, []).append(number)
    members |= (
        {None: members.pop(None)} if None in members else {}
    )  # those without a position come last
    parts = []
    for chromosome, own in members.items():
        coordinates = np.arange(len(own), dtype=np.float64)
        if chromosome is not None:
            coordinates = np.array([loci[number][1] for number in own], np.float64)  # type: ignore[index]
        if circle is None or chromosome is None:
            parts.append(
                (np.array(own), coordinates - coordinates.min(), float(np.ptp(coordinates)))
            )
        else:
            parts.append((np.array(own), coordinates, float(circle)))
    whole = sum(span for *_, span in parts[: len(members) - (None in members)]) or 1.0
    # Variables without a position get a tenth of the length of the genome.
    lengths = [span / whole for *_, span in parts]
    if None in members:
        lengths[-1] = 0.1 * (len(parts[-1][0]) > 1)
    gap = _GAP if circle is None or len(parts) > 1 else 0.0
    room = 1 - gap * len(parts)
    found, start, total = [], 0.0, sum(lengths) or 1.0
    for (own_numbers, offsets, span), length in zip(parts, lengths, strict=True):
        share = room * length / total
        found.append((own_numbers, offsets / (span or 1.0), start, share))
        start += share + gap
    return found


def marks_along(graph: Graph) -> list[tuple[float, str]]:
    """Return the labels along the genome: chromosomes, or the positions along a single one.

    Examples
    --------
    >>> from markhood.data.genome.loci import Locus
    >>> from markhood.data.variables import Variables
    >>> loci = (Locus("1", 0), Locus("1", 3000))
    >>> [text for _, text in marks_along(Graph(Variables(("a", "b"), loci=loci), []))]
    ['0 kb', '0.5 kb', '1 kb', '1.5 kb', '2 kb', '2.5 kb', '3 kb']
    """
    loci = graph.variables.loci or ()
    circle = graph.variables.genome_length
    parts = _chromosomes(loci, circle) if any(loci) else []
    if len(parts) > 1:
        names = [loci[numbers[0]] for numbers, *_ in parts]
        return [
            (start + length / 2, "" if locus is None else locus.chromosome)
            for locus, (_, _, start, length) in zip(names, parts, strict=True)
        ]
    positions = [locus.position for locus in loci if locus is not None]
    if not positions or min(positions) == max(positions):
        return []
    low, high = (min(positions), max(positions)) if circle is None else (0, circle)
    step = _round_step((high - low) / _MARKS)
    unit, name = scale_of(high)
    (_, _, start, length) = parts[0]
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    ticks = ticks if circle is None else ticks[ticks < circle]  # coincides with the beginning
    return [
        (start + length * (tick - low) / (high - low), f"{tick / unit:g} {name}") for tick in ticks
    ]


def scale_of(distance: float) -> tuple[float, str]:
    """Return the unit of a distance and its name.

    Examples
    --------
    >>> scale_of(2500), scale_of(7)
    ((1000.0, 'kb'), (1.0, 'bp'))
    """
    return next(((size, name) for size, name in _UNITS if distance >= size), _UNITS[-1])


def write_marks(ax: Axes, graph: Graph, coordinates: Coordinates, is_circle: bool) -> None:
    """Write the labels of the genome outside the circle, or below the line."""
    for share, text in marks_along(graph):
        at, away = on_line(np.array([share]), graph.n_nodes)[0], np.array([0.0, -1.0])
        if is_circle:
            at = around(np.array([share]), graph.n_nodes)[0]
            away = at / np.linalg.norm(at)
        written = ax.annotate(
            text, at, (12 * away[0], 12 * away[1]), textcoords="offset points",
            fontsize="x-small", color=_GREY, ha="center", va="center", parse_math=False,
        )  # fmt: skip
        written.set_in_layout(False)


def around(shares: Floats, n_nodes: int) -> Coordinates:
    """Return coordinates on a circle, clockwise from the top, about one unit apart."""
    angle = 0.5 * np.pi - 2 * np.pi * shares
    radius = max(n_nodes / (2 * np.pi), 1.0)
    return np.asarray(radius * np.column_stack([np.cos(angle), np.sin(angle)]))


def on_line(shares: Floats, n_nodes: int) -> Coordinates:
    """Return coordinates on a horizontal line, about one unit apart."""
    return np.column_stack([max(n_nodes, 1) * shares, np.zeros(len(shares))])


def _round_step(rough: float) -> float:
    """Return the next larger of 1, 2, 5 and 10 times a power of ten; at least 1."""
    power = 10.0 ** np.floor(np.log10(max(rough, 1.0)))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough))
