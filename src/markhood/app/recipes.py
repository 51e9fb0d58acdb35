"""Write an analysis as a command and as Python code.

Both are computed from the question, settings and codebook, also for an analysis from a file, so
that a file cannot bring a command of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markhood.app.questions import QUESTIONS, Question
from markhood.app.settings import Setting
from markhood.errors import on_command_line
from markhood.learning.request import GROUPS

CODEBOOK = "codebook.csv"
# Function, name of its result, and what to do with it.
IN_PYTHON = {
    "learn": ("learn", "graph", 'markhood.write_report(graph, "{stem}.html")'),
    "bootstrap": ("bootstrap", "found", "print(found.to_frame())"),
    "compare-groups": ("compare_groups", "found", "print(found.to_frame())"),
    "plan": ("plan", "found", "print(found.paragraph())"),
}
OUTPUTS = {
    "learn": "--output {stem}.json --report {stem}.html --model {stem}.model.json",
    "bootstrap": "--output {stem}-frequencies.csv",
    "compare-groups": "--output {stem}-differences.csv",
    "plan": "--output {stem}-sizes.csv",
}


def command(
    question: str,
    table: str | None,
    method: str,
    settings: Mapping[str, Any],
    has_codebook: bool,
) -> str:
    r"""Return the command that does the same.

    Examples
    --------
    >>> print(command("learn", "my survey.csv", "plrhc", {"gamma": "0.25"}, False))
    markhood learn 'my survey.csv' --gamma 0.25 \
      --output my-survey.json --report my-survey.html --model my-survey.model.json
    """
    words = ["markhood", question, *([] if table is None else [shlex.quote(table)])]
    if method != "plrhc":
        words.append(on_command_line("method", method))
    if has_codebook:
        words.append(on_command_line("codebook", CODEBOOK))
    known = {one.name for one in QUESTIONS[question].settings(method)}
    words += [on_command_line(name, value) for name, value in settings.items() if name in known]
    return f"{' '.join(words)} \\\n  {OUTPUTS[question].format(stem=_stem(table))}"


def python(
    question: str,
    table: str | None,
    method: str,
    settings: Mapping[str, Any],
    has_codebook: bool,
) -> str:
    """Return Python code that does the same.

    Examples
    --------
    >>> print(python("learn", "survey.csv", "plrhc", {"max_levels": "9"}, True))
    import markhood
    <BLANKLINE>
    graph = markhood.learn(
        "survey.csv",
        n_jobs=-1,
        table=markhood.TableFormat(max_levels=9, codebook="codebook.csv"),
    )
    markhood.write_report(graph, "survey.html")
    """
    function, name, use = IN_PYTHON[question]
    values = _values(QUESTIONS[question], method, settings)
    flat: dict[str, Any] = {} if method == "plrhc" else {"method": method}
    flat["n_jobs"] = -1
    groups: dict[str, dict[str, Any]] = {}
    for one, value in values:
        is_grouped = one.group in GROUPS and one.name in GROUPS[one.group].names()
        (groups.setdefault(one.group, {}) if is_grouped else flat)[one.name] = value
    if has_codebook:
        groups.setdefault("table", {})["codebook"] = CODEBOOK
    lines = [] if table is None else [_literal(table)]
    lines += [f"{key}={_literal(value)}" for key, value in flat.items()]
    for group, own in groups.items():
        inside = ", ".join(f"{key}={_literal(value)}" for key, value in own.items())
        lines.append(f"{group}=markhood.{GROUPS[group].__name__}({inside})")
    arguments = "".join(f"    {line},\n" for line in lines)
    return (
        f"import markhood\n\n{name} = markhood.{function}(\n{arguments})\n"
        f"{use.format(stem=_stem(table))}"
    )


def _values(
    question: Question, method: str, settings: Mapping[str, Any]
) -> list[tuple[Setting, Any]]:
    """Return the settings with their values."""
    known = {one.name: one for one in question.settings(method)}
    found = []
    for name, text in settings.items():
        if name in known:
            found.append((known[name], known[name].value(text)))
    return found


def _literal(value: Any) -> str:
    """Write a value as Python code, text in double quotes."""
    text = repr(value)
    if isinstance(value, str) and text.startswith("'") and '"' not in text:
        return f'"{text[1:-1]}"'
    return text


def _stem(table: str | None) -> str:
    """Return the first part of the names of outputs."""
    name = "study" if table is None else Path(table).name.split(".")[0]
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name)
