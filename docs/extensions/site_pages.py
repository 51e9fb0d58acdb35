"""What the site has in place of what a code host shows, so that every page is plain Markdown on both.

A page links to files that are in the repository: an example's script, a module, the changes. On the site the same
links lead to the pages made of these. The first page has a picture of the report, and here the report
itself; its list of pages, in groups, is in this file, since a code host would show it as code.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from markhood.data.formats.digits import SIDE, digits
from markhood.errors import DataWarning
from markhood.learning.methods import Plrhc
from markhood.learning.request import Request
from markhood.output.report.page import write_report

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LINKS = (
    (re.compile(r"\]\(\.\./examples/(\w+)\.py\)"), r"](gallery/\1.rst)"),
    (re.compile(r"\]\(\.\./examples\)"), "](gallery/index.rst)"),
    (re.compile(r"\]\(\.\./CHANGELOG\.md\)"), "](changelog.md)"),
    (re.compile(r"\]\(\.\./examples/(\w+\.ipynb)\)"), r"](path:../examples/\1)"),
    (re.compile(r"\]\(\.\./src/markhood/__init__\.py\)"), "](generated/api.rst)"),
    (
        re.compile(r"\[(Criterion|BlanketTable)\]\(\.\./src/markhood/scores/(\w+)\.py\)"),
        r"[\1](generated/api/markhood.scores.\2.\1.rst)",
    ),
)

# The sidebar: what a page is for, and how it is called there.
PAGES = {
    "Begin": {
        "start": "Start",
        "your-data": "Your data",
        "ordered": "Ordered levels",
        "which-method": "Which method",
        "gallery/index": "Examples",
        "coming-from": "Coming from other tools",
    },
    "See it and trust it": {
        "see-it": "See it",
        "probabilities": "How sure is an edge?",
        "stability": "Would it come out again?",
        "model": "From graph to model",
        "spins": "Spins",
        "psychometrics": "From table to paragraph",
        "genomes": "From a VCF to a figure",
        "genetics": "Genetics",
        "alignments": "Alignments",
    },
    "Scale and the paper": {
        "scale": "Scale",
        "clusters": "Clusters",
        "paper": "The paper",
    },
    "Look up": {
        "command-line": "Command line",
        "generated/api": "API reference",
        "glossary": "Glossary",
        "reference/messages": "Message codes",
        "changelog": "Changes",
    },
    "Inside": {
        "how-it-works": "How it works",
        "your-own-score": "Your own score",
        "adding": "Add to markhood",
    },
}

# Files that stand in a page of the site: after which text, or in place of the whole.
HELP = "\n```{include} generated/help.md\n```\n"
MESSAGES = "\n```{include} ../generated/messages.md\n```\n"
CHANGES = "```{include} ../CHANGELOG.md\n```\n"

REPORT = "live/digits.html"
VIEW = "evidence=50"  # all 210 edges at once are too many for a first look
PICTURE = re.compile(r"^!\[.*\]\(images/report\.png\)$", re.MULTILINE)
FRAME = (
    f'<iframe class="live-report" src="{REPORT}#{VIEW}" loading="lazy" allow="fullscreen" '
    'title="The report of the pixel network of handwritten digits"></iframe>\n\n'
    "Click a pixel or an edge, or let weaker edges in with the limit of evidence. "
    f'<a href="{REPORT}">The report in a page of its own</a>.'
)


def write_live_report(folder: Path) -> None:
    """Write the report of the demo's network, which the first page shows."""
    (folder / REPORT).parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # pixels that are never on are part of it
        samples = digits()
    graph = Request(Plrhc()).learn(samples).graph
    write_report(graph, folder / REPORT, samples, "Pixels of digits", layout="grid", columns=SIDE)


def as_on_site(page: str, text: str) -> str:
    """Return the Markdown of a page as the site has it.

    Examples
    --------
    >>> as_on_site("start", "see [plots](../examples/plots.py)")
    'see [plots](gallery/plots.rst)'
    """
    if page == "changelog":
        return CHANGES
    for pattern, link in LINKS:
        text = pattern.sub(link, text)
    if page == "command-line":
        text = re.sub(r"\nWhat `--help` prints .*\n", lambda _: HELP, text)
    if page == "reference/messages":
        text = re.sub(r"\nThe site that `make docs` builds .*\n", lambda _: MESSAGES, text)
    if page == "index":
        text = PICTURE.sub(FRAME, text) + "".join(map(_toctree, PAGES))
    return text


def _toctree(group: str) -> str:
    listed = "\n".join(f"{title} <{page}>" for page, title in PAGES[group].items())
    return f"\n```{{toctree}}\n:hidden:\n:caption: {group}\n\n{listed}\n```\n"


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = as_on_site(page, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx read pages as they are on the site."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
