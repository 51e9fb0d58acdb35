"""The options of the command line, made from their declarations.

A command that learns has an argument ``ask: Ask``, one that reads data has ``ask: AskReading``. In its place the
command gets one option for every declared field, with its help text, in the panel of its group; called as in Python,
with dashes: `n_jobs` is ``--n-jobs``. Calling ``ask`` makes the request. A command's own option goes before a declared one
of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import Field
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin

import typer

from markhood.data.reading import ColumnOptions, Genome, Reading, TableFormat
from markhood.learning.knowledge import Knowledge
from markhood.learning.methods import METHODS
from markhood.learning.run import Run, RunOptions
from markhood.options import Options, choices_of, declaration_of, parts_of

if TYPE_CHECKING:
    from markhood.execution.runner import Progress
    from markhood.learning.request import Request

Command = Callable[..., None]
METHOD = "Method"
PANELS: dict[str, type[Options]] = {
    "Columns": ColumnOptions,
    "Table format": TableFormat,
    "Genomes and alignments": Genome,
    "Known beforehand": Knowledge,
    "Run": Run,
}
SHORT = {"n_jobs": "-j"}


class AskReading:
    """What was typed about how data are read."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given

    def reading(self, **defaults: Any) -> Reading:
        """Return how data are to be read; defaults hold where nothing was typed."""
        return Reading(**defaults | self.given)

    def files(self) -> list[Path]:
        """List the files that the options name, which no output may replace."""
        return [Path(str(value)) for name, value in self.given.items() if name in FILES]


class Ask(AskReading):
    """What was typed about what to learn, and how."""

    def __call__(self, progress: Progress) -> Request:
        """Return the request."""
        from markhood.learning.request import Request

        given = {"n_jobs": -1, **self.given}
        return Request.of(given.pop("method", "plrhc"), given | {"progress": progress})


def words_beginning(*words: str) -> Callable[[str], list[str]]:
    """Return what a shell asks for the values of an option: those that begin as what is typed."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def with_declared_options(command: Command) -> Command:
    """Give a command the declared options in place of its argument ``ask``."""
    own = list(signature(command, eval_str=True).parameters.values())
    asks = [p for p in own if p.annotation in (Ask, AskReading)]
    if not asks:
        return command
    kind = asks[0].annotation
    names = {p.name for p in own}
    declared = [p for p in _parameters(learns=kind is Ask) if p.name not in names]
    kept = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in own if p.annotation is not kind]

    @wraps(command)
    def with_options(*, context: typer.Context, **given: Any) -> None:
        typed = {p.name: given.pop(p.name) for p in declared}
        sources = {name: context.get_parameter_source(name) for name in typed}
        chosen = {n: v for n, v in typed.items() if (of := sources[n]) and of.name != "DEFAULT"}
        command(**given, ask=kind(chosen))

    whole = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    shown = [*kept, *declared, whole]
    with_options.__signature__ = signature(command).replace(parameters=shown)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in shown}
    return with_options


def _parameters(learns: bool) -> list[Parameter]:
    """List the declared options: all of them, or those of reading."""
    groups = PANELS if learns else {p: g for p, g in PANELS.items() if issubclass(Reading, g)}
    found = list(_of_methods()) if learns else []
    for panel, kind in groups.items():
        found += [_parameter(one, kind, panel) for one in kind.declared()]
        if kind is ColumnOptions:
            found += [
                _parameter(one, Reading, panel)
                for one in Reading.declared()
                if one.name == "weights"
            ]
        if kind is Run:
            found += [_parameter(one, RunOptions, panel) for one in RunOptions.declared()]
    return found


def _of_methods() -> Iterable[Parameter]:
    """Yield the choice of the method, and the options of all methods."""
    shown = typer.Option(
        help=f"{', '.join(METHODS)}.",
        rich_help_panel=METHOD,
        autocompletion=words_beginning(*METHODS),
        show_default="plrhc",
    )
    yield Parameter(
        "method", Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str, shown]
    )
    takers: dict[str, list[str]] = {}
    for name, kind in METHODS.items():
        for one in kind.declared():
            takers.setdefault(one.name, []).append(name)
    for option, methods in takers.items():
        # Where methods differ in what they take, the one that takes most describes the option.
        kinds = [METHODS[name] for name in methods]
        kind = max(kinds, key=lambda kind: len(declaration_of(_field(kind, option)).help))
        yield _parameter(_field(kind, option), kind, METHOD, methods)


def _field(kind: type[Options], name: str) -> Field[Any]:
    return next(one for one in kind.declared() if one.name == name)


def _parameter(
    one: Field[Any], kind: type[Options], panel: str, methods: Iterable[str] = ()
) -> Parameter:
    """Return an option of a command for a declared field."""
    hint, declared = kind.hints()[one.name], declaration_of(one)
    parts = [part for part in parts_of(hint) if part is not NoneType]
    names = [f"--{one.name.replace('_', '-')}"]
    if parts == [bool] and one.default is not False:
        no = f"/--no-{names[0][2:]}"
        names = [f" {no}" if one.default else names[0] + no]  # what is so by default needs no flag
    names += [SHORT[one.name]] if one.name in SHORT else []
    choices = choices_of(hint)
    shown = typer.Option(
        *names,
        help=declared.help + (f" ({', '.join(methods)})" if methods else ""),
        rich_help_panel=panel,
        metavar=declared.metavar,
        parser=declared.parse,
        autocompletion=words_beginning(*choices) if choices else None,
        show_default=_default_text(one),
    )
    return Parameter(
        one.name,
        Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[_typed(parts, declared.parse is not None), shown],
    )


def _typed(parts: list[Any], is_parsed: bool) -> Any:
    """Return the type by which typer reads an option."""
    if is_parsed:
        return Any
    if len(parts) == 1 and parts[0] in (bool, int, float):
        return parts[0]
    assert all(part in (str, Any) or get_origin(part) is Literal for part in parts), parts
    return str


def _default_text(one: Field[Any]) -> str | bool:
    if one.name == "n_jobs":
        return "-1"  # all threads: a command has the machine to itself
    is_shown = one.default is not None and one.default is not False and one.default != ()
    return str(one.default) if is_shown else False


_WITH_FILES: tuple[type[Options], ...] = (Reading, Knowledge, *METHODS.values())
FILES = [
    one.name
    for kind in _WITH_FILES
    for one in kind.declared()
    if "FILE" in (declaration_of(one).metavar or "")
]

EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In CSV, put an apostrophe before names that a spreadsheet would run as formulas.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only forecast how long it will take, and how much memory.",
        rich_help_panel="Run",
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
Jobs = Annotated[int, typer.Option("--n-jobs", "-j", help="Number of threads; -1 for all.")]
