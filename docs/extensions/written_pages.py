"""Write pages from the code: the API reference, the help of every command, message codes."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import typer
from typer import rich_utils
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.findings import CODE_GROUPS, CODES
from markhood.scores.criterion import BlanketTable, Criterion
from markhood.scores.mpl import CRITERIA

# The groups of public names in the reference. Names without a group follow at the end.
GROUPS = {
    "Learn a graph": ["learn", "blanket"],
    "Groups of options": ["Knowledge", "Genome", "TableFormat", "Run"],
    "Estimators": [
        "PLRHC",
        "HillClimbing",
        "Bayes",
        "L1Logistic",
        "MarginalPseudoLikelihood",
        "BlanketsJointPosterior",
        "Pairwise",
        "ChowLiu",
        "PseudoLikelihood",
        "BlanketSelector",
    ],
    "The graph, and its files": ["Graph", "read_graph", "write_graph"],
    "Data in": ["read_samples", "encode", "pack"],
    "Models and tests": [
        "fit_model",
        "FittedModel",
        "check_model",
        "ModelCheck",
        "read_model",
        "write_model",
        "recode",
        "IsingModel",
        "PottsModel",
        "Regressions",
        "Variables",
        "Locus",
        "independence_test",
    ],
    "Stability": [
        "bootstrap",
        "Bootstrap",
        "compare_groups",
        "GroupComparison",
        "gamma_path",
        "GammaPath",
        "plan",
        "robustness",
        "Robustness",
        "Plan",
    ],
    "Messages": ["InputError", "DataWarning", "ConvergenceWarning"],
}
HEADING_WIDTH = 72
HELP_WIDTH = 96


def write_api(folder: Path) -> None:
    """Write the API reference: all of `markhood.__all__`, and all of its public modules.

    Every group has its own page below `api.rst`, so that the sidebar has a dozen entries instead of one for every name.
    """
    public = {name: getattr(markhood, name) for name in markhood.__all__}
    modules = {name: value for name, value in public.items() if isinstance(value, ModuleType)}
    names = [name for name in public if name not in modules]
    grouped = {name for group in GROUPS.values() for name in group}
    groups = {**GROUPS, "More": [name for name in names if name not in grouped]}
    pages = {}
    for title, group in groups.items():
        here = [name for name in group if name in names]
        if here:
            pages[title] = _summary("markhood", here)
    for name, module in modules.items():
        about = (inspect.getdoc(module) or "").splitlines()[0]
        pages[f"markhood.{name}"] = [about, "", *_summary(f"markhood.{name}", public_names(module))]
        # `markhood.convert` is markhood.graph.convert by its public name; autodoc imports by name.
        sys.modules.setdefault(f"markhood.{name}", module)
    pages["Criteria"] = ["See :doc:`/how-to/own-score`.", ""]
    for criterion in (Criterion, BlanketTable, *CRITERIA.values()):
        pages["Criteria"] += _summary(criterion.__module__, [criterion.__name__])
    files = {title: re.sub(r"\W+", "-", title.lower()).strip("-") for title in pages}
    for title, lines in pages.items():
        _write(folder / "reference" / f"{files[title]}.rst", _heading(title, "=") + lines)
    for page in (folder / "reference").glob("*.rst"):
        if page.stem not in files.values():
            page.unlink()
    listed = [f"   reference/{file}" for file in files.values()]
    index = [*_heading("API reference", "="), ".. toctree::", "   :maxdepth: 2", "", *listed]
    _write(folder / "api.rst", index)


def public_names(module: ModuleType) -> list[str]:
    """Return the public names of a module: its `__all__`, or the names that it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def commands() -> list[str]:
    """Return the names of all commands."""
    return list(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def write_help(path: Path) -> None:
    """Write the output of `markhood --help` and `markhood COMMAND --help-all`."""
    lines = []
    for command in ([], *([name] for name in commands())):
        lines += [f"### {' '.join(['markhood', *command])}", "", "```text"]
        lines += [*help_of(command).splitlines(), "```", ""]
    _write(path, lines)


def help_of(command: list[str]) -> str:
    """Return the help of a command as plain text."""
    rich_utils.MAX_WIDTH = HELP_WIDTH
    words = [*command, "--help-all" if command else "--help"]
    result = CliRunner().invoke(app, words, prog_name="markhood", color=False)
    return "\n".join(line.rstrip() for line in result.output.strip().splitlines())


def write_messages(path: Path) -> None:
    """Write a table of message codes for each group, in alphabetical order."""
    lines: list[str] = []
    for title, codes in grouped_codes().items():
        lines += [f"### {title}", "", "| code | meaning | what to do |", "|---|---|---|"]
        lines += [f"| `{code}` | {CODES[code].meaning} | {CODES[code].advice} |" for code in codes]
        lines.append("")
    _write(path, lines)


def grouped_codes() -> dict[str, list[str]]:
    """Return the message codes of each group, sorted."""
    groups: dict[str, list[str]] = {}
    titles = {first: title for title, first in CODE_GROUPS.items()}
    title = ""
    for code in CODES:
        title = titles.get(code, title)
        if title:
            groups.setdefault(title, []).append(code)
    return {title: sorted(codes) for title, codes in groups.items()}


def _heading(title: str, underline: str) -> list[str]:
    return [title, underline * HEADING_WIDTH, ""]


def _summary(module: str, names: list[str]) -> list[str]:
    listed = [f"   {name}" for name in names]
    directive = [".. autosummary::", "   :toctree: ../api", "   :nosignatures:", ""]
    return [f".. currentmodule:: {module}", "", *directive, *listed, ""]


def _write(path: Path, lines: list[str]) -> None:
    """Write a page only if it changed, so that Sphinx does not read it again."""
    text = "\n".join(lines) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
