"""The options of the command line that say how a data file is read, the same for all that read one.

They are the keyword arguments of `read_data`; a command that reads data is decorated, and gets them
all as one function.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.borrowing import Command, borrowing, parameters
from markhood.commandline.options import DATA, WEIGHTS, words_beginning

Read = partial[Any]


def read_data(
    path: Path,
    storage: Any = None,
    *,
    columns: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Use these columns only: a,b,c, or patterns: 'Q*'."),
    ] = None,
    exclude: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Leave these columns out: id,date, or patterns: 'note*'."
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column that names the rows; it is no variable."),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first row of a CSV or a sheet has names."
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of a text file: utf-8, cp1252 and so on; by default found out."
        ),
    ] = None,
    transpose: Annotated[
        bool,
        typer.Option("--transpose", help="The rows of the text, sheet or array are the variables."),
    ] = False,
    array: Annotated[
        str | None, typer.Option(help="Which array of an NPZ file, or table of R's.")
    ] = None,
    min_minor: Annotated[
        float,
        typer.Option(
            help="FASTA, VCF: keep positions whose second most common letter or allele has this share."
        ),
    ] = 0.01,
    max_gap: Annotated[
        float,
        typer.Option(help="FASTA, VCF: keep positions with at most this share of gaps."),
    ] = 0.15,
    genotypes: Annotated[
        str,
        typer.Option(
            help="VCF, PLINK: auto, haplotypes, levels (copies of an allele), dominant or recessive.",
            autocompletion=words_beginning("auto", "haplotypes", "levels", "dominant", "recessive"),
        ),
    ] = "auto",
    missing: Annotated[
        str,
        typer.Option(
            help="Missing values: error, drop (leave out rows with any), level (a level of their "
            "own) or impute.",
            autocompletion=words_beginning("error", "drop", "level", "impute"),
        ),
    ] = "error",
    missing_values: Annotated[
        str | None, typer.Option(metavar="LIST", help="Values that mean missing too: -9,?.")
    ] = None,
    max_levels: Annotated[
        int, typer.Option(help="How many distinct values a column may have.")
    ] = 64,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE",
            help="How often each sample counts: a column of the data, else a file with one number "
            "a line; or similarity, for sequences.",
        ),
    ] = None,
    normalize_weights: Annotated[
        bool, typer.Option(help="Scale them to mean 1.", show_default=False)
    ] = True,
    kinds: Annotated[
        str,
        typer.Option(
            metavar="KIND|LIST",
            help="Whether levels are steps: auto (of numbers and ordered categories), nominal or "
            "ordinal, or age=ordinal,job=nominal.",
        ),
    ] = "auto",
    ordinal: Annotated[
        str | None, typer.Option(metavar="LIST", help="Columns whose levels are steps: a,b.")
    ] = None,
    nominal: Annotated[
        str | None, typer.Option(metavar="LIST", help="Columns whose levels have no order: c.")
    ] = None,
    bins: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER|LIST",
            help="Cut columns of many numbers into bins: 4, auto, or age=5,income=4.",
        ),
    ] = None,
    merge_rare: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Merge levels of fewer samples, with their neighbours where they are steps, else into other.",
        ),
    ] = None,
    letters: Annotated[
        str,
        typer.Option(
            help="Of aligned sequences: all, or reduced (similar ones are one level).",
            autocompletion=words_beginning("all", "reduced"),
        ),
    ] = "all",
    similarity_threshold: Annotated[
        float,
        typer.Option(help="--weights similarity: what differs in at most this share is alike."),
    ] = 0.1,
    positions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where variables lie along a genome: name, position or name, chromosome, position on every line.",
        ),
    ] = None,
) -> Any:
    """Read a file as the options say, and return its samples, by default in memory."""
    from markhood.data.formats.files import read_samples
    from markhood.data.storage.places import MEMORY

    return read_samples(
        path,
        columns=None if columns is None else columns.split(","),
        exclude=[] if exclude is None else exclude.split(","),
        index=index,
        header=header,
        encoding=encoding,
        transpose=transpose,
        array=array,
        min_minor=min_minor,
        max_gap=max_gap,
        genotypes=genotypes,
        missing=missing,
        missing_values=[] if missing_values is None else missing_values.split(","),
        max_levels=max_levels,
        weights=weights,
        normalize_weights=normalize_weights,
        kinds=_kinds(kinds, ordinal, nominal),
        bins=None if bins is None else _bins(bins),
        merge_rare=merge_rare,
        letters=letters,
        similarity_threshold=similarity_threshold,
        positions=positions,
        storage=storage or MEMORY,
    )


def reads_data(command: Command) -> Command:
    """Give a command the options of `read_data`; its own argument `read` reads a file by them."""
    options = [p for p in parameters(read_data) if p.kind is Parameter.KEYWORD_ONLY]
    for p in options:  # the longest name by itself, or the help of all others has no room
        panel = WEIGHTS if p.name == "normalize_weights" else DATA
        p.annotation.__metadata__[0].rich_help_panel = panel
    return borrowing(command, "read", read_data, options)


def with_columns(read: Read, further: Sequence[str]) -> Read:
    """Read some columns besides those that are asked for, where these are asked for by name."""
    named = read.keywords["columns"]
    if named is None or not further:
        return read
    listed = named.split(",")
    return partial(read, columns=",".join([*listed, *(n for n in further if n not in listed)]))


def _kinds(kinds: str, ordinal: str | None, nominal: str | None) -> str | dict[str, str]:
    """Put the three ways of saying kinds together."""
    from markhood.errors import InputError

    named = {
        name: kind
        for kind, names in (("ordinal", ordinal), ("nominal", nominal))
        for name in (names or "").split(",")
        if name
    }
    if "=" in kinds:
        return _by_name(kinds) | named
    if named and kinds != "auto":
        raise InputError(
            f"--kinds {kinds} is for all columns, and --ordinal and --nominal are for some: leave "
            "one of the two out."
        )
    return named or kinds


def _bins(text: str) -> Any:
    if "=" not in text:
        return _number(text)
    return {name: _number(number) for name, number in _by_name(text).items()}


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def _by_name(text: str) -> dict[str, str]:
    """Read a=1,b=2; a name may have an equals sign in it, what follows the last one is its value."""
    parts = [part.rpartition("=") for part in text.split(",")]
    return {name: value for name, _, value in parts}
