"""Errors and warnings: how a finding is raised, emitted, silenced and worded.

`InputError`, `DataWarning` and `ConvergenceWarning` have the code, place and text of a
`markhood.findings.Finding`. The command line prints the text and exits with code 2; in Python an
`InputError` is a `ValueError`.

A text that names an option writes it with `option`, so that users read it as they would type it:
``missing='drop'`` in Python, ``--missing drop`` on the command line, which sets this with
`written_by` before it calls anything else. `printable` escapes the control characters of text that
is quoted from data.
"""

from __future__ import annotations

import importlib
import pathlib
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Any, NamedTuple

from markhood.findings import CODES, FindingLog

Writer = Callable[[str, Any], str]

_NOT_GIVEN = object()
NAMES_SHOWN = 5
_recorded: ContextVar[list[dict[str, str]] | None] = ContextVar("recorded", default=None)
_OWN_PACKAGES = ("markhood", "sklearn")  # scikit-learn wraps the methods of estimators


class _Coded:
    """An error or warning with the code, place and text of a finding."""

    args: tuple[str, str, str]

    def __init__(self, code: str, where: str, text: str) -> None:
        assert code in CODES, code
        super().__init__(code, where, printable(text))  # type: ignore[call-arg]  # of an exception
        self.code, self.where = code, where

    def __str__(self) -> str:
        return str(self.args[2])


class InputError(_Coded, ValueError):
    """Input that cannot be used; `code` and `where` name the problem, the text states the fix."""


class DataWarning(_Coded, UserWarning):
    """Data that can be used, but perhaps not as the user meant."""


class ConvergenceWarning(_Coded, UserWarning):
    """Fits or chains that stopped before they converged; the text names their variables."""


# Control characters, marks that change the writing direction, line breaks and lone surrogates.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: Any) -> str:
    r"""Return quoted text (a name, a level, a path) with control characters escaped.

    Examples
    --------
    >>> print(printable("\x1b[2Jname"), printable("two\nlines"), printable(3))
    \x1b[2Jname two\nlines 3
    """
    return _UNPRINTABLE.sub(lambda found: repr(found[0])[1:-1], str(text))


def warn(
    code: str,
    where: str,
    text: str,
    category: type[DataWarning | ConvergenceWarning] = DataWarning,
) -> None:
    """Emit a warning that points at the caller of markhood; `filter_findings` can silence it."""
    if code in _filters.ignored:
        return
    if code in _filters.errors:
        raise InputError(code, where, text)
    if (record := _recorded.get()) is not None:
        own = {"code": code, "where": where, "text": printable(text)}
        record.append({"severity": "warning", **own})
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _OWN_PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(category(code, where, text), stacklevel=level)


@contextmanager
def recorded() -> Iterator[list[dict[str, str]]]:
    """Record the warnings that are emitted in the block.

    Examples
    --------
    >>> with warnings.catch_warnings(), recorded() as found:
    ...     warnings.simplefilter("ignore")
    ...     warn("weights", "w", "Weights are negative.")
    >>> found
    [{'severity': 'warning', 'code': 'weights', 'where': 'w', 'text': 'Weights are negative.'}]
    """
    found: list[dict[str, str]] = []
    token = _recorded.set(found)
    try:
        yield found
    finally:
        _recorded.reset(token)


def emit(log: FindingLog) -> None:
    """Emit the warnings of a log that have not been emitted before."""
    for finding in log.pending():
        warn(finding.code, finding.where, finding.text)


def emit_before_an_error(log: FindingLog) -> None:
    """Emit the warnings of a log before another error is raised, even if warnings are errors."""
    with suppress(DataWarning):
        emit(log)


class _Filters(NamedTuple):
    """Codes that are silenced, and codes whose warnings are errors."""

    ignored: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()


# Global to the process, not to the thread, because a command runs its tiles on several threads.
_filters = _Filters()


class filter_findings:  # noqa: N801  (used like a function)
    """Silence warnings by their code, or turn them into errors.

    Takes effect at once, for the whole process, in addition to earlier calls. As a context manager
    it restores the previous setting at the end of the block.

    Parameters
    ----------
    ignore : collection of str
        Codes of warnings to silence.
    error : collection of str
        Codes of warnings to raise as `InputError`.

    Examples
    --------
    >>> with filter_findings(error=["weights"]):
    ...     warn("weights", "w", "Weights are negative.")
    Traceback (most recent call last):
    markhood.errors.InputError: Weights are negative.
    """

    def __init__(self, *, ignore: Collection[str] = (), error: Collection[str] = ()) -> None:
        global _filters
        for code in (*ignore, *error):
            if code not in CODES:
                raise InputError(
                    "option-unknown",
                    code,
                    f"There is no message code {code!r}: the codes are {', '.join(CODES)}.",
                )
        self._before = _filters
        _filters = _Filters(_filters.ignored.union(ignore), _filters.errors.union(error))

    def __enter__(self) -> None:
        """Keep the setting until the block ends."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the previous setting."""
        global _filters
        _filters = self._before


def warn_not_converged(names: Sequence[str], n_fits: int) -> None:
    """Emit a `ConvergenceWarning` for the variables whose fits did not converge, if any."""
    if names:
        warn(
            "not-converged",
            names[0],
            f"{counted(n_fits, 'fit')} of {listed(names, 3)} did not converge, so scores and "
            "couplings of these variables are inexact. Look for columns that nearly copy others or "
            "have very rare levels.",
            ConvergenceWarning,
        )


def listed(items: Sequence[str], shown: int = NAMES_SHOWN) -> str:
    """Join the first few items as in prose.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"], shown=2)
    'a, b and 2 more'
    """
    head = list(items[:shown])
    if len(items) > shown:
        head.append(f"{len(items) - shown} more")
    return " and ".join(filter(None, [", ".join(head[:-1]), *head[-1:]]))


def file_error(path: pathlib.Path, problem: str, code: str = "file-damaged") -> InputError:
    """Return the error of a file: its path, and the problem with the advice."""
    return InputError(code, path.name, f"{path} {problem}")


def unreadable(path: pathlib.Path, error: OSError, advice: str = "check the path") -> InputError:
    """Return the error of a file that the system does not open or read."""
    why = error.strerror or str(error)
    return file_error(path, f"cannot be read ({why}): {advice}.", "file-unreadable")


def installed(module: str, purpose: str = "", extra: str = "", library: str = "") -> Any:
    """Import a module of an optional library; the error states how to install it."""
    name = library or module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError:
        problem = f"{purpose} needs {name}" if purpose else f"The library {name} is not installed"
        text = f"{problem}: pip install 'markhood[{extra or name}]'."
        raise InputError("library-missing", name.lower(), text) from None


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1.

    Examples
    --------
    >>> counted(1, "column"), counted(0, "row")
    ('1 column', '0 rows')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def option(name: str, value: Any = _NOT_GIVEN) -> str:
    """Return an option as the user would write it: as an argument, or as typed in a shell.

    Examples
    --------
    >>> option("missing", "drop"), option("max_levels")
    ("missing='drop'", 'max_levels')
    >>> with written_by(on_command_line):
    ...     option("missing", "drop"), option("max_levels")
    ('--missing drop', '--max-levels')
    >>> with written_by(on_command_line):
    ...     option("missing_values", [-99, "?"])
    "--missing-values '-99,?'"
    """
    return _writer(name, value)


def option_error(name: str, problem: str, code: str = "option-value") -> InputError:
    """Return the error of an option: its name as the user writes it, and the problem."""
    return InputError(code, name, f"{option(name)} {problem}")


def options(name: str, *values: Any) -> str:
    """Return several values of an option as the user would write them.

    Examples
    --------
    >>> options("missing", "drop", "level")
    "missing='drop' or 'level'"
    >>> with written_by(on_command_line):
    ...     options("missing", "drop", "level", "error")
    '--missing drop, level or error'
    """
    written = [option(name, value) for value in values]
    start = len(option(name)) + 1  # of the value
    *head, last = [written[0], *(text[start:] for text in written[1:])]
    return f"{', '.join(head)} or {last}"


def in_python(name: str, value: Any) -> str:
    """Write an option as an argument of a function."""
    return name if value is _NOT_GIVEN else f"{name}={value!r}"


def on_command_line(name: str, value: Any) -> str:
    """Write an option as it is typed in a shell."""
    flag = f"--{name.replace('_', '-')}"
    if value is _NOT_GIVEN or value is True:
        return flag
    if value is False:
        return flag.replace("--", "--no-", 1)
    items = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(value, Mapping):
        items = [f"{key}={one}" for key, one in value.items()]
    return f"{flag} {shlex.quote(','.join(map(str, items)))}"


def in_r(name: str, value: Any) -> str:
    """Write an option as an argument of a function of R.

    Examples
    --------
    >>> in_r("missing", "drop"), in_r("kinds", {"mood": ["low", "high"]}), in_r("header", True)
    ('missing = "drop"', 'kinds = list(mood = c("low", "high"))', 'header = TRUE')
    """
    return name if value is _NOT_GIVEN else f"{name} = {_r_value(value)}"


def _r_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"list({', '.join(f'{key} = {_r_value(one)}' for key, one in value.items())})"
    if isinstance(value, (list, tuple)):
        return f"c({', '.join(map(_r_value, value))})"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return (
        "NULL" if value is None else str(value).upper() if isinstance(value, bool) else str(value)
    )


# Global to the process, not to the thread, because a command runs its tiles on several threads.
_writer: Writer = in_python


@contextmanager
def written_by(writer: Writer) -> Iterator[None]:
    """Write the options in messages as this interface does."""
    global _writer
    before, _writer = _writer, writer
    try:
        yield
    finally:
        _writer = before
