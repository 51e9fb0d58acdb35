"""The options of the command line that several commands share, or that take more lines than these should.

A name here is a type for a parameter of a command; what typer shows and reads is in it. An option is
always called as in Python, with dashes: `n_jobs` is `--n-jobs`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

DATA = "Data"
# The longest name of all, which typer cuts in its column on a narrow terminal, but not in a title.
WEIGHTS = "Weights that are not whole numbers; --no-normalize-weights keeps them"
METHOD, KNOWN, RUN = "Method", "Known beforehand", "Run"


def words_beginning(*words: str) -> Callable[[str], list[str]]:
    """Return what a shell asks for the values of an option: those that begin as what is typed."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def _seed(text: Any) -> int | None:
    return None if text == "none" else int(text)


def _top(text: Any) -> int | str:
    return int(text) if str(text).isdecimal() else str(text)


def _identical(text: Any) -> Any:
    """Return a number where it is one; another word is judged where all doors lead."""
    try:
        return float(text)
    except ValueError:
        return text


MethodName = Annotated[
    str,
    typer.Option(
        help="plrhc, hc, bayes, plm, mpl, l1lr, bjp, pairwise or chow-liu.",
        rich_help_panel=METHOD,
        autocompletion=words_beginning(
            "plrhc", "hc", "bayes", "plm", "mpl", "l1lr", "bjp", "pairwise", "chow-liu"
        ),
    ),
]
Rule = Annotated[
    str | None,
    typer.Option(
        help="global, pair, or, and: how blankets become a graph.",
        rich_help_panel=METHOD,
        autocompletion=words_beginning("global", "pair", "or", "and"),
    ),
]
Gamma = Annotated[
    float | None,
    typer.Option(
        help="Weight of the number of possible blankets; larger, fewer edges; 0.5 by default.",
        rich_help_panel=METHOD,
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        help="Steps of the screened graph to search in (plrhc); 3 by default.",
        rich_help_panel=METHOD,
    ),
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In CSV, put an apostrophe before names that a spreadsheet would run as formulas.",
    ),
]
MaxCandidates = Annotated[
    int | None,
    typer.Option(
        help="Search among so many variables near each at most (plrhc); all by default.",
        rich_help_panel=METHOD,
    ),
]
CriterionName = Annotated[
    str | None,
    typer.Option(
        help="bic or mpl: what scores blankets (plrhc, hc).",
        rich_help_panel=METHOD,
        autocompletion=words_beginning("bic", "mpl"),
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        help="or, empty: where the climb begins (plrhc, hc, mpl).",
        rich_help_panel=METHOD,
        autocompletion=words_beginning("or", "empty"),
    ),
]
FitPenalty = Annotated[
    str | None,
    typer.Option(
        help="l2 or l1: penalise the fits of bic (plrhc, hc).",
        rich_help_panel=METHOD,
        autocompletion=words_beginning("l2", "l1"),
    ),
]
FitStrength = Annotated[
    float | None,
    typer.Option(help="How much of that penalty; 1 by default.", rich_help_panel=METHOD),
]
Standardize = Annotated[
    bool | None,
    typer.Option(
        help="Penalise slopes in proportion to standard deviations (l1lr).", rich_help_panel=METHOD
    ),
]
Refit = Annotated[
    bool | None,
    typer.Option(
        help="Score supports at their own maximum of the likelihood (l1lr).", rich_help_panel=METHOD
    ),
]
Forest = Annotated[
    bool | None,
    typer.Option(help="Only pairs that pass the screen (chow-liu).", rich_help_panel=METHOD),
]
Ranking = Annotated[
    str | None,
    typer.Option(
        help="evidence, mi or mi_apc: by what pairs are ranked (pairwise).",
        rich_help_panel=METHOD,
        autocompletion=words_beginning("evidence", "mi", "mi_apc"),
    ),
]
RemoveIndirect = Annotated[
    bool | None,
    typer.Option(
        help="Leave out the weakest pair of every triangle, as ARACNE does (pairwise).",
        rich_help_panel=METHOD,
    ),
]
Fdr = Annotated[
    float | None,
    typer.Option(
        help="Keep edges of which this share at most is expected to be false (bayes).",
        rich_help_panel=METHOD,
    ),
]
MinProbability = Annotated[
    float | None,
    typer.Option(
        help="Keep edges that are likelier than this (bayes); 0.5 by default.",
        rich_help_panel=METHOD,
    ),
]
EdgePrior = Annotated[
    float | None,
    typer.Option(
        help="How probable an edge is beforehand (bayes); learned by default.",
        rich_help_panel=METHOD,
    ),
]
Sweeps = Annotated[
    int | None,
    typer.Option(
        help="Sweeps of each chain that are averaged (bayes); 80 by default where fits are quick, else 20.",
        rich_help_panel=METHOD,
    ),
]
Chains = Annotated[
    int | None,
    typer.Option(help="Chains over graphs (bayes); 4 by default.", rich_help_panel=METHOD),
]
Penalty = Annotated[
    float | None,
    typer.Option(
        help="How much squares of couplings cost (plm); 0.01 by default.", rich_help_panel=METHOD
    ),
]
Top = Annotated[
    Any,
    typer.Option(
        metavar="N|mixture",
        parser=_top,
        help="Keep so many of the best pairs (pairwise, plm), or mixture: those that stick out (plm).",
        rich_help_panel=METHOD,
        autocompletion=words_beginning("mixture"),
    ),
]

RequiredEdges = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Edges that the graph has: two names on every line.",
        rich_help_panel=KNOWN,
    ),
]
ForbiddenEdges = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Edges that the graph does not have: two names on every line.",
        rich_help_panel=KNOWN,
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Groups of variables: a name and the label of its group on every line.",
        rich_help_panel=KNOWN,
    ),
]
GroupRule = Annotated[
    str,
    typer.Option(
        help="between or within: where groups allow edges.",
        rich_help_panel=KNOWN,
        autocompletion=words_beginning("between", "within"),
    ),
]
PairPriors = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="How probable some edges are beforehand (bayes): two names and a number on every line.",
        rich_help_panel=KNOWN,
    ),
]
AdjustFor = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Columns that are in every variable's regression, but no nodes: age,sex.",
        rich_help_panel=KNOWN,
    ),
]

MinDistance = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Leave out edges between variables nearer than this on one chromosome; they still condition.",
        rich_help_panel=KNOWN,
    ),
]

GenomeLength = Annotated[
    int | None,
    typer.Option(
        metavar="BASES",
        help="The genome is a circle of this length: distances are the shorter way round.",
        rich_help_panel=KNOWN,
    ),
]

Jobs = Annotated[
    int, typer.Option("--n-jobs", "-j", help="Threads; -1 for all.", rich_help_panel=RUN)
]
KernelsName = Annotated[
    str,
    typer.Option(
        "--kernels",
        help="Where pairs are screened: native, or cuda for an NVIDIA GPU.",
        rich_help_panel=RUN,
    ),
]
ExecutorName = Annotated[
    str | None,
    typer.Option(
        "--executor",
        help="What runs the work: threads, or a cluster of dask or ray.",
        rich_help_panel=RUN,
    ),
]
SchedulerAddress = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Of the cluster: tcp://host:8786, say.",
        rich_help_panel=RUN,
    ),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Save finished work there; after a kill the same command goes on from it.",
        rich_help_panel=RUN,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only say how long it will take, and how much memory.",
        rich_help_panel=RUN,
    ),
]
Identical = Annotated[
    Any,
    typer.Option(
        metavar="WORD|NUMBER",
        parser=_identical,
        help="Columns that no data tell apart: keep, group (one node for all), or 0.99 for those that nearly "
        "agree; auto groups sites of genomes and alignments.",
        rich_help_panel=DATA,
        autocompletion=words_beginning("auto", "keep", "group"),
    ),
]
Imputations = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="How many completed data sets to learn from, with --missing impute; from 2 up.",
        rich_help_panel=RUN,
    ),
]
Shuffles = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Search so many times more with every column shuffled: how many edges does chance make?",
        rich_help_panel=RUN,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=_seed,
        help="Same seed, same random numbers; none for others every time.",
        rich_help_panel=RUN,
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the graph: .csv, .json, .graphml, .gexf, .npz, or - for CSV on standard "
        "output. May be repeated.",
    ),
]
