"""Command lines with every option of every command, as found in the program itself.

What an option may sensibly be is in `WORDS`; one that is not there gets anything. Numbers that are
the size of the work stay small: a run that takes an hour because it was told to is no hang.
"""

from __future__ import annotations

from random import Random
from typing import Any

WHOLE = ["-1", "0", "1", "2", "3", "7", "x", "", "1.5", "٣"]
LARGE = [*WHOLE, "65535", "2147483648", "9223372036854775808", "-9223372036854775809", "9" * 400]
REAL = ["-0.1", "0", "0.25", "0.5", "1", "2", "1e308", "nan", "inf", "-inf", "x", ""]
TEXT = ["", "x", "\x1b[31mred", "[/red]", "a" * 300, "../..", "/", "-", "--", "é", "a,b", ",", "=",
        "\udcff", "%n", "$(id)", "a\nb"]  # fmt: skip
DATA_KINDS = ["csv", "csv", "text", "csv0", "csv1", "csv2", "npy0", "npy1", "npy2", "npz0", "npz3",
              "parquet0", "arrow0", "arrow1", "fasta0", "fasta.gz", "a3m0", "sto0", "vcf0",
              "vcf.gz", "bed", "packed", "packed", "packed-weighted",
              "packed-weighted", "xlsx", "xlsx", "ods", "sav", "dta", "rds", "biom",
              "biom"]  # fmt: skip
MODEL_KINDS = ["model", "model", "model-binary", "graph-json"]
GRAPH_KINDS = ["graph-csv", "graph-json", "graph-graphml", "graph-gexf", "graph-npz"]
OUTPUTS = ["out.json", "out.csv", "out.graphml", "out.gexf", "out.npz", "-", "data.csv", "link.csv",
           "out", "no/out.csv", "pipe.csv", "null.csv", "full.csv", "victim.csv",
           "x" * 300 + ".csv", "folder.csv", "out.json", "protected.csv", "closed/out.csv",
           "loop.json", "saved/run.json"]  # fmt: skip

WORDS: dict[str, list[str]] = {
    "method": ["plrhc", "hc", "bayes", "mpl", "l1lr", "bjp", "pairwise", "chow-liu", "plm", "x"],
    "rule": ["global", "or", "and", "x"],
    "gamma": REAL,
    "penalty": REAL,
    "depth": LARGE,
    "max_candidates": LARGE,
    "max_levels": LARGE,
    "seed": LARGE,
    "min_minor": REAL,
    "max_gap": REAL,
    "missing": ["error", "drop", "level", "impute", "x"],
    "missing_values": ["0", "yes", "?", "-9,x", "", "inf", "nan"],
    "weights": ["a", "e", "weights.txt", "similarity", "data.csv", "x", ""],
    "columns": ["a,b", "a", "", "x0,x1", "b,b", "c,a,e", "\x1b"],
    "array": ["arr_0", "x", ""],
    "letters": ["all", "reduced", "x"],
    "similarity_threshold": REAL,
    "genotypes": ["auto", "haplotypes", "levels", "dominant", "recessive", "x"],
    "adjust_for": ["a", "a,b", "x", "", "b,b"],
    "resample": ["rows", "halves", "cases", "model", "x"],
    "clusters": ["a", "e", "x", ""],
    "time": ["a", "e", "x", ""],
    "weights_are": ["auto", "frequencies", "survey", "x"],
    "strata": ["a", "e", "x", ""],
    "level": REAL,
    "centrality": OUTPUTS,
    "differences": OUTPUTS,
    "plot": ["out.png", "out.svg", "out.gif", "no/out.png", "folder.csv", "-"],
    "gammas": ["0.5", "0,1", "x", "", "-1", "nan"],
    "folds": ["2", "3", "1", "0", "x"],
    "by": ["a", "e", "x", ""],
    "permutations": ["1", "2", "0", "x"],
    "group_rule": ["any", "between", "within", "x"],
    "kernels": ["native", "cuda", "x"],
    "executor": ["threads", "x", ""],
    "scheduler": ["x", ""],
    "identical": ["auto", "keep", "group", "0.99", *REAL],
    "imputations": ["2", "3", "1", "0", "-1", "x"],
    "n_jobs": ["1", "2", "-1", "0", "x", ""],
    "criterion": ["bic", "mpl", "x", "\x1b"],
    "start": ["or", "empty", "x"],
    "fit_penalty": ["l1", "l2", "l2:0.5", "l1:0", "l2:", "l2:x", "l2:nan", ":", "x"],
    "ranking": ["evidence", "mi", "mi_apc", "x"],
    "top": [*LARGE, "mixture"],
    "shuffles": ["0", "1", "-1", "x"],
    "prior": [*REAL, "none"],
    "coding": ["01", "spins", "x"],
    "target": ["a", "x0", "a,b", "", "x0,x1", "x"],
    "edges": [*OUTPUTS, "out.matrix.csv"],
    "fields": OUTPUTS,
    "tables": OUTPUTS,
    "model": OUTPUTS,
    "output": OUTPUTS,
    "truth": OUTPUTS,
    "report": [
        "out.html",
        "data.html",
        "out.csv",
        "no/out.html",
        "folder.html",
        "x" * 300 + ".html",
    ],
    "layout": [
        "auto",
        "stress",
        "grid",
        "circle",
        "arc",
        "data.csv",
        "no.csv",
        "folder.csv",
        "x",
        "",
    ],
    "checkpoint": [
        "saved",
        "saved",
        "new",
        "data.csv",
        "folder.csv",
        "no/new",
        "x" * 300,
        "linked",
        "",
        "closed/x",
    ],
    "required_edges": ["edges.csv", "data.csv", "no.csv", "folder.csv", ""],
    "forbidden_edges": ["edges.csv", "data.csv", "no.csv", "folder.csv", ""],
    "pair_priors": ["edges.csv", "priors.csv", "no.csv", "folder.csv", ""],
    "positions": ["positions.csv", "edges.csv", "data.csv", "no.csv", ""],
    "min_distance": REAL,
    "genome_length": ["1000", "0", "-3", "x", ""],
    "groups": ["groups.csv", "edges.csv", "no.csv", ""],
    "variables": ["-1", "0", "1", "4", "9", "x", ""],
    "samples": ["-1", "0", "1", "10", "40", "x", ""],
    "levels": ["2", "3", "2,3", "1", "0", "x", "", "-1", "257", "2,,3"],
    "kind": ["nominal", "ordinal", "x", ""],
    "kinds": [
        "auto",
        "nominal",
        "ordinal",
        "a=ordinal",
        "a=ordinal,b=nominal",
        "a=x",
        "=",
        "x",
        "",
    ],
    "bins": ["2", "4", "auto", "a=2", "a=2,b=auto", "a=x", "1", "-1", "=", "x", "", "9" * 30],
    "merge_rare": ["2", "5", "100", "1", "0", "-1", "x", "", "9" * 30],
    "blocks": ["1", "2", "0", "-1", "x"],
    "potentials": ["uniform-tables", "normal", "uniform", "signs", "x"],
    "burn_in": ["0", "10", "-1", "x"],
    "thinning": ["1", "2", "0", "-1", "x"],
    "replicates": ["1", "2", "0", "-1", "x"],
    "methods": ["plrhc", "mpl", "x", ""],
    "networks": ["hub", "x"],
    "encoding": ["utf-8", "latin-1", "x"],
    "exclude": ["a", "b,c", "x", ""],
    "index": ["a", "e", "x", "", "b,c"],
    "skip_rows": LARGE,
    "codebook": ["codebook.csv", "codebook.csv", "data.csv", "no.csv", "folder.csv", ""],
    "sweeps": ["10", *WHOLE],
    "chains": ["2", *WHOLE],
    "factors": ["0", "1", "2", "auto", "x", "-1", "9" * 30],
    "fdr": REAL,
    "edge_prior": REAL,
    "ignore": ["unused-rows", "copies", "x", "", "a,b"],
    "fail_on": ["copies", "few-samples", "x", "", "many-levels"],
    "pairs": ["a", "e", "x", ""],
    "measure": ["sensitivity", "x", ""],
    "nodes": ["4", "5", "0", "-1", "x"],
    "data_sets": ["20", "1", "0", "-1", "x"],
    "edge": ["a,b", "x", ""],
}
NEVER = {"help", "help_all", "install_completion", "show_completion"}


def commands() -> dict[str, list[Any]]:
    """Return the parameters of every command."""
    import typer

    from markhood.commandline.app import app

    return {name: command.params for name, command in typer.main.get_command(app).commands.items()}


def input_kinds(command: str, rng: Random) -> list[str]:
    """Return the kinds of files that a command is given as its arguments."""
    if command == "compare-groups":
        return [rng.choice(DATA_KINDS) for _ in range(rng.randint(1, 2))]
    if command == "compare":
        return [rng.choice(GRAPH_KINDS), rng.choice([*GRAPH_KINDS, "csv"])]
    if command == "predict":
        return [rng.choice(MODEL_KINDS), rng.choice(["csv", "csv", *DATA_KINDS])]
    if command in ("fit", "rerun"):
        return [rng.choice(GRAPH_KINDS), rng.choice(DATA_KINDS)]
    if command == "report":
        return [rng.choice([*GRAPH_KINDS, *DATA_KINDS])]
    if command == "simulate":
        return [rng.choice([*GRAPH_KINDS, *MODEL_KINDS])] if rng.random() < 0.5 else []
    return (
        [rng.choice([*DATA_KINDS, "graph-json"])]
        if command in ("learn", "pack", "bootstrap", "choose-gamma", "describe")
        else []
    )


def value_of(option: Any, rng: Random) -> list[str]:
    """Return an option with a value that may make sense."""
    flag = rng.choice([*option.opts, *option.secondary_opts])
    return [flag] if option.is_flag else [flag, rng.choice(WORDS.get(option.name, [*WHOLE, *REAL]))]


def pair_of_options(programs: dict[str, list[Any]], rng: Random) -> list[str]:
    """Return a command on valid data with two options, so that all pairs meet in a long campaign."""
    command = rng.choice(["learn", "learn", "bootstrap", "choose-gamma", "compare-groups", "describe",
                          "fit", "pack"])  # fmt: skip
    line = {
        "bootstrap": ["bootstrap", "data.csv", "--replicates", "2"],
        "choose-gamma": ["choose-gamma", "data.csv", "--gammas", "0,0.5", "--folds", "2"],
        "compare-groups": ["compare-groups", "data.csv", "--by", "a", "--permutations", "2"],
        "fit": ["fit", "graph.json", "data.csv"],
        "pack": ["pack", "data.csv", "-o", "out"],
    }.get(command, [command, "data.csv"])
    for option in rng.sample(optional(programs[command]), 2):
        line = [*line, *value_of(option, rng)]
    return [word.replace("\x00", "") for word in line]


def optional(parameters: list[Any]) -> list[Any]:
    """Return the parameters that are options and do more than print help."""
    return [
        p
        for p in parameters
        if p.name not in NEVER and [*p.opts, *p.secondary_opts][0].startswith("-")
    ]


def arguments(command: str, parameters: list[Any], inputs: list[str], rng: Random) -> list[str]:
    """Return a command line for these inputs, with some options of any value."""
    line = [command, *inputs]
    if command == "simulate" and not inputs:
        line += [
            rng.choice(
                ["grid", "hub", "chain", "tree", "erdos-renyi", "x", "no.json", "grid,hub", ""]
            )
        ]
    if command == "paper":
        line += [rng.choice(["cost", "cost", "screening", "comparison", "x"]), "--replicates", "1",
                 "--burn-in", "50", "--thinning", "1", "--networks", "hub", "--variables", "64",
                 "--samples", "250", "--methods", rng.choice(["plrhc", ""]), "--output",
                 rng.choice(["paper", "new", "data.csv", "closed", "no/paper",
                             "x" * 300])]  # fmt: skip
    if command == "simulate":
        line += [
            "--samples",
            rng.choice(["20", "20", "64"]),
            "--output",
            "out.csv",
            "--burn-in",
            "10",
        ]
        line += [] if inputs else ["--variables", "4"]
    if command == "datasets":
        line += rng.choice([[], ["votes"], ["penguins"], ["x"]])
    if command == "compare-groups":
        line += ["--permutations", "2"]
    if command == "bootstrap":
        line += ["--replicates", "2"]
    if command == "pack":
        line += [
            "--output",
            rng.choice(
                ["out", "out", "out", "data.csv", "packed", "no/out", "closed/out", "linked"]
            ),
        ]
    options = optional(parameters)
    most = 1 if command == "paper" else 5
    for option in rng.sample(options, min(len(options), rng.randint(0, most))):
        is_size = option.name in ("replicates", "samples", "variables", "burn_in")
        if command == "paper" and is_size:
            continue
        words = value_of(option, rng)
        if len(words) == 2 and rng.random() < 0.1:
            words[1] = rng.choice(TEXT)
        line += words
    if rng.random() < 0.03:
        line.insert(rng.randrange(len(line)), rng.choice(["--nonsense", "--", "-h", *TEXT]))
    return [word.replace("\x00", "") for word in line]
