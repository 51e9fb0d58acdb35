"""Search prose for words that a reader of plain technical English would stumble over: `make lint` runs it.

Prose is the text of Markdown pages without code, the comments and strings of Python, C++ and JavaScript, and the text of pictures.
`CHECKED` lists the files and folders that are checked; add a folder when its prose has been revised. A deliberate use is
a phrase in `ALLOWED`.

    python docs/extensions/wording.py [PATH ...]
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
CHECKED = (
    "docs",
    "examples",
    "src",
    "native",
    "web/src",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    "noxfile.py",
)
LEFT_OUT = (
    "docs/generated",
    "docs/gallery",
    "src/markhood/output/report/bundle.js",  # built from web/src
    "web/src/edgeProgram.js",  # its names are words
    "docs/extensions/wording.py",
    "docs/tests/test_wording.py",
)

# A pattern, and the word to use in its place.
WORDS = {
    r"told": "given, known, or reported",
    r"said": "stated, or reported",
    r"so many": "the number of",
    r"anew": "again",
    r"gone": "removed, or absent",
    r"dear": "expensive",
    r"(?<!there )(?:is|are) no(?! (?:longer|more|less|larger|later|other)\b)": "is not a",
    r"what is": "name the thing",
    r"of which": "a new sentence",
    r"(?:(?<=[.;:] )|(?<=\A))[Ww]ho(?![^.]*\?)": "whoever, or the people who",
    r"ahead of": "before",
    r"doors?": "interfaces",
    r"rooms": "packages",
    r"a letter less": "name the difference",
    r"comes? out": "results, or is found",
    r"stands? for": "represents",
    r"no one": "nobody, or no variable",
    r"as far as": "up to, or if",
    r"besides?": "next to, or compared with",
    r"alike": "identical, or similar",
    r"places": "positions",
    r"knows? of": "contains, or supports",
    r"speaks? of": "describes",
    r"learns? of": "receives",
}
# Phrases in which such a word is ordinary English.
ALLOWED = (
    "decimal places",
    "as far as possible",
    "voter places",
    '"places"',
    "places must",
    "places nodes",
    "no one bits",
    "is no better",
    "is no coupling",
    "states what is",
)

PROSE = {
    ".md": "markdown",
    ".py": "python",
    ".hpp": "comments",
    ".cpp": "comments",
    ".cu": "comments",
    ".ts": "comments",
    ".js": "comments",
    ".svg": "text",
}
CODE = re.compile(r"^```.*?^```|`[^`\n]*`|<!--.*?-->", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|`[^`]*`', re.DOTALL)
PATTERN = re.compile(
    r"\b(?:" + "|".join(f"(?P<w{k}>{word})" for k, word in enumerate(WORDS)) + r")\b",
    re.IGNORECASE,
)
PERMITTED = re.compile("|".join(map(re.escape, ALLOWED)), re.IGNORECASE)


class Use(NamedTuple):
    """Where a word occurs, and what to write in its place."""

    line: int
    word: str
    advice: str


def uses_in(text: str, kind: str = "text") -> list[Use]:
    """Return the words in a text of a kind: markdown, python, comments or text.

    Examples
    --------
    >>> uses_in("Columns that are no variables")
    [Use(line=1, word='are no', advice='is not a')]
    """
    advice = list(WORDS.values())
    uses = []
    for first, prose in _pieces(text, kind):
        flat = _blank(PERMITTED, prose).replace("\n", " ")
        for match in PATTERN.finditer(re.sub(r"\s", " ", flat)):
            line = first + prose.count("\n", 0, match.start())
            number = int((match.lastgroup or "w0")[1:])
            uses.append(Use(line, match.group(), advice[number]))
    return uses


def _pieces(text: str, kind: str) -> Iterator[tuple[int, str]]:
    """Yield the prose of a text, and the lines on which each piece begins."""
    if kind == "markdown":
        yield 1, _blank(CODE, text)
    elif kind == "python":
        literals = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in literals:
                yield token.start[0], _blank(CODE, token.string)
    elif kind == "comments":
        for match in COMMENT.finditer(text):
            yield 1 + text.count("\n", 0, match.start()), match.group()
    else:
        yield 1, text


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def files(paths: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files with prose among these paths, relative to the repository."""
    for path in paths:
        within = ROOT / path
        for file in sorted(within.rglob("*")) if within.is_dir() else [within]:
            name = file.relative_to(ROOT).as_posix()
            if file.suffix in PROSE and not name.startswith(LEFT_OUT):
                yield file


def main(paths: tuple[str, ...]) -> int:
    """Print every use, and return 1 if there is one."""
    found = 0
    for file in files(paths or CHECKED):
        for use in uses_in(file.read_text(), PROSE[file.suffix]):
            print(f"{file.relative_to(ROOT)}:{use.line}: {use.word!r}: write {use.advice}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
