"""The options of the command line, made from their declarations.

A command that learns has an argument ``ask: Ask``, one that reads data has ``ask: AskReading``. The
command gets one option for every declared field instead, with its help text, in the panel of its
group, named as in Python with dashes: `n_jobs` is ``--n-jobs``. Calling ``ask`` makes the request.
An argument ``study: Annotated[Any, Study("BootstrapOptions")]`` becomes the options of that class.
A command's own option replaces a declared one of the same name. The declarations are imported when
a command is built, not with this module.

Short help (``--help``) and complete help (``--help-all``) of a command. The short help describes
the options of the command itself and those in the panel `MOST_USED`, and names the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import Field
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_origin

import typer
from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from markhood.data.reading import Reading
    from markhood.execution.runner import Progress
    from markhood.learning.request import Request
    from markhood.options import Options

MOST_USED, HELP = "Most used", "Help"
_DESCRIBED = (None, MOST_USED, HELP)
_ALL = "markhood.help_all"
METHOD = "Method"
OUTPUT = "Output"
OF_MOST_USED = ("method", "gamma", "missing", "weights", "kinds", "bins", "adjust_for")
SHORT = {"n_jobs": "-j"}


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        context.meta[_ALL] = True
        typer.echo(context.get_help(), color=context.color)
        raise typer.Exit


HELP_ALL = Parameter(
    "help_all",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option(
            "--help-all",
            help="Describe all options and exit.",
            is_eager=True,
            callback=_show_all,
            rich_help_panel=HELP,
        ),
    ],
)


class Command(TyperCommand):
    """A command with a short and a complete help."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return ``--help``, in a panel below the other options."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.rich_help_panel = HELP
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help: all of it for ``--help-all``, otherwise the short one."""
        short = copy(self)
        if not ctx.meta.get(_ALL):
            short.params = [one for one in self.params if _panel(one) in _DESCRIBED]
            short.epilog = self._further_options()
        super(Command, short).format_help(ctx, formatter)

    def _further_options(self) -> str:
        """Name the options that the short help does not describe, a line for each panel."""
        panels: dict[str, list[str]] = defaultdict(list)
        for one in self.params:
            if (panel := _panel(one)) not in _DESCRIBED:
                panels[panel].append("/".join([*one.opts[:1], *one.secondary_opts]))
        lines = [f"[bold]{panel}:[/bold] {' '.join(names)}" for panel, names in panels.items()]
        return "\n\n".join(["Further options, described by --help-all:", *lines])


def _panel(parameter: Any) -> Any:
    return parameter.rich_help_panel if isinstance(parameter, TyperOption) else None


class Study(NamedTuple):
    """Marks an argument of a command as the options of a study, by the name of their class."""

    name: str

    def kind(self) -> type[Options]:
        """Return the class."""
        from markhood.stability import studies

        found: type[Options] = getattr(studies, self.name)
        return found


class AskReading:
    """The options that were typed about reading data."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given

    def reading(self, **defaults: Any) -> Reading:
        """Return the reading options; ``defaults`` apply to options that were not typed."""
        from markhood.data.reading import Reading

        return Reading(**defaults | self.given)

    def files(self) -> list[Path]:
        """List the files that the options name, which no output may replace."""
        from markhood.data.reading import Reading
        from markhood.learning.knowledge import Knowledge
        from markhood.learning.methods import METHODS
        from markhood.options import declaration_of

        kinds: tuple[type[Options], ...] = (Reading, Knowledge, *METHODS.values())
        declared = [one for kind in kinds for one in kind.declared()]
        files = {one.name for one in declared if "FILE" in (declaration_of(one).metavar or "")}
        return [Path(str(value)) for name, value in self.given.items() if name in files]


class Ask(AskReading):
    """The options that were typed about reading data and learning."""

    def __call__(self, progress: Progress) -> Request:
        """Return the request."""
        from markhood.learning.request import Request

        given = {"n_jobs": -1, **self.given}
        return Request.of(given.pop("method", "plrhc"), given | {"progress": progress})


def words_beginning(*words: str) -> Callable[[str], list[str]]:
    """Return a completion function: the words that begin with the typed text."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def with_declared_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the argument ``ask`` of a command by the declared options."""
    own = list(signature(command, eval_str=True).parameters.values())
    asks = [p for p in own if p.annotation in (Ask, AskReading)]
    if not asks:
        return command
    kind = asks[0].annotation
    studies = {p.name: one.kind() for p in own for one in _marks(p) if isinstance(one, Study)}
    of_studies = {
        name: [_parameter(one, study, None) for one in study.declared()]
        for name, study in studies.items()
    }
    own = [p for p in own if p.annotation is not kind and p.name not in studies]
    own += [p for parameters in of_studies.values() for p in parameters]
    names = {p.name for p in own}
    declared = [p for p in _parameters(learns=kind is Ask) if p.name not in names]
    kept = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in own]

    @wraps(command)
    def with_options(*, context: typer.Context, **given: Any) -> None:
        def typed(parameters: list[Parameter]) -> dict[str, Any]:
            """Take the values that are not defaults."""
            values = {p.name: given.pop(p.name) for p in parameters}
            sources = {name: context.get_parameter_source(name) for name in values}
            return {n: v for n, v in values.items() if (of := sources[n]) and of.name != "DEFAULT"}

        asked = kind(typed(declared))
        made = {name: studies[name](**typed(own)) for name, own in of_studies.items()}
        command(**given, **made, ask=asked)

    whole = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    shown = [*kept, *declared, whole]
    with_options.__signature__ = signature(command).replace(parameters=shown)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in shown}
    return with_options


def _marks(parameter: Parameter) -> tuple[Any, ...]:
    return getattr(parameter.annotation, "__metadata__", ())


def _parameters(learns: bool) -> list[Parameter]:
    """List the declared options, the most used first: all of them, or those of reading."""
    from markhood.data.reading import ColumnOptions, Genome, Reading, TableFormat
    from markhood.learning.knowledge import Knowledge
    from markhood.learning.run import Run, RunOptions

    of_rows = [one for one in Reading.declared() if one.name in ("weights", "clusters", "time")]
    panels: dict[str, list[tuple[type[Options], list[Field[Any]]]]] = {
        "Columns": [(ColumnOptions, ColumnOptions.declared()), (Reading, of_rows)],
        "Table format": [(TableFormat, TableFormat.declared())],
        "Genomes and alignments": [(Genome, Genome.declared())],
    }
    if learns:
        panels["Prior knowledge"] = [(Knowledge, Knowledge.declared())]
        panels["Run"] = [(Run, Run.declared()), (RunOptions, RunOptions.declared())]
    found = {p.name: p for p in _of_methods()} if learns else {}
    for panel, groups in panels.items():
        for kind, fields in groups:
            found |= {one.name: _parameter(one, kind, panel) for one in fields}
    first = [name for name in OF_MOST_USED if name in found]
    return [found[name] for name in dict.fromkeys((*first, *found))]


def _of_methods() -> Iterable[Parameter]:
    """Yield the choice of the method, and the options of all methods."""
    from markhood.learning.methods import METHODS

    shown = typer.Option(
        help=f"How the graph is learned: {', '.join(METHODS)}.",
        rich_help_panel=MOST_USED,
        autocompletion=words_beginning(*METHODS),
        show_default="plrhc",
    )
    yield Parameter(
        "method", Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str, shown]
    )
    from markhood.options import declaration_of

    takers: dict[str, list[str]] = {}
    for name, kind in METHODS.items():
        for one in kind.declared():
            takers.setdefault(one.name, []).append(name)
    for option, methods in takers.items():
        # Where methods declare an option differently, the longest description is shown.
        kinds = [METHODS[name] for name in methods]
        kind = max(kinds, key=lambda kind: len(declaration_of(_field(kind, option)).help))
        yield _parameter(_field(kind, option), kind, METHOD, methods)


def _field(kind: type[Options], name: str) -> Field[Any]:
    return next(one for one in kind.declared() if one.name == name)


def _parameter(
    one: Field[Any], kind: type[Options], panel: str | None, methods: Iterable[str] = ()
) -> Parameter:
    """Return an option of a command for a declared field."""
    from markhood.options import choices_of, declaration_of, parts_of

    hint, declared = kind.hints()[one.name], declaration_of(one)
    parts = [part for part in parts_of(hint) if part is not NoneType]
    names = [f"--{one.name.replace('_', '-')}"]
    if parts == [bool] and one.default is not False:
        no = f"/--no-{names[0][2:]}"
        names = [f" {no}" if one.default else names[0] + no]  # no flag for the default
    names += [SHORT[one.name]] if one.name in SHORT else []
    choices = choices_of(hint)
    shown = typer.Option(
        *names,
        help=declared.help + (f" ({', '.join(methods)})" if methods else ""),
        rich_help_panel=MOST_USED if one.name in OF_MOST_USED else panel,
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
        return "-1"  # all threads: a command usually runs alone
    is_shown = one.default is not None and one.default is not False and one.default != ()
    return str(one.default) if is_shown else False


EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In CSV, put an apostrophe before names that a spreadsheet would run as formulas.",
        rich_help_panel=OUTPUT,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only forecast running time and memory.",
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
        rich_help_panel=MOST_USED,
    ),
]
Jobs = Annotated[int, typer.Option("--n-jobs", "-j", help="Number of threads: -1 for all.")]
