"""Write an analysis as a command and as Python code.

Both are computed from the question, settings and codebook, also for an analysis from a file, so
that a file cannot bring a command of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from markhood.app.questions import QUESTIONS
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


class Recipe(NamedTuple):
    """An analysis, as the page knows it."""

    question: str
    table: str | None
    method: str
    settings: Mapping[str, Any]
    has_codebook: bool

    def command(self) -> str:
        r"""Return the command that does the same.

        Examples
        --------
        >>> print(Recipe("learn", "my survey.csv", "plrhc", {"gamma": "0.25"}, False).command())
        markhood learn 'my survey.csv' --gamma 0.25 \
          --output my-survey.json --report my-survey.html --model my-survey.model.json
        """
        words = ["markhood", self.question]
        words += [] if self.table is None else [shlex.quote(self.table)]
        if self.method != "plrhc":
            words.append(on_command_line("method", self.method))
        if self.has_codebook:
            words.append(on_command_line("codebook", CODEBOOK))
        words += [on_command_line(one.name, text) for one, text in self._known()]
        return f"{' '.join(words)} \\\n  {OUTPUTS[self.question].format(stem=_stem(self.table))}"

    def python(self) -> str:
        """Return Python code that does the same.

        Examples
        --------
        >>> print(Recipe("learn", "survey.csv", "plrhc", {"max_levels": "9"}, True).python())
        import markhood
        <BLANKLINE>
        graph = markhood.learn(
            "survey.csv",
            n_jobs=-1,
            table=markhood.TableFormat(max_levels=9, codebook="codebook.csv"),
        )
        markhood.write_report(graph, "survey.html")
        """
        function, name, use = IN_PYTHON[self.question]
        flat: dict[str, Any] = {} if self.method == "plrhc" else {"method": self.method}
        flat["n_jobs"] = -1
        groups: dict[str, dict[str, Any]] = {}
        for one, text in self._known():
            is_grouped = one.group in GROUPS and one.name in GROUPS[one.group].names()
            (groups.setdefault(one.group, {}) if is_grouped else flat)[one.name] = one.value(text)
        if self.has_codebook:
            groups.setdefault("table", {})["codebook"] = CODEBOOK
        lines = [] if self.table is None else [_literal(self.table)]
        lines += [f"{key}={_literal(value)}" for key, value in flat.items()]
        for group, own in groups.items():
            inside = ", ".join(f"{key}={_literal(value)}" for key, value in own.items())
            lines.append(f"{group}=markhood.{GROUPS[group].__name__}({inside})")
        arguments = "".join(f"    {line},\n" for line in lines)
        return (
            f"import markhood\n\n{name} = markhood.{function}(\n{arguments})\n"
            f"{use.format(stem=_stem(self.table))}"
        )

    def _known(self) -> list[tuple[Setting, Any]]:
        """Return the settings that the question has, with what the user entered."""
        known = {one.name: one for one in QUESTIONS[self.question].settings(self.method)}
        return [(known[name], text) for name, text in self.settings.items() if name in known]


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
