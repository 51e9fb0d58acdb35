"""Changes to the Markdown pages when Sphinx reads them, so that every page is plain Markdown on a code host too.

A page links to files of the repository: an example's script, a module, the changelog. On the site the same links lead to the
pages that Sphinx makes of these files. The list of links in the `index.md` of a section becomes the section's navigation, and pages
that the list leaves out follow in alphabetical order. The front page shows a picture of a report, and on the site the report itself.
"""

from __future__ import annotations

import re
import runpy
import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from markhood.datasets import load
from markhood.errors import DataWarning
from markhood.learning.request import Request
from markhood.output.report.page import write_report

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
UP = r"\]\((?:\.\./)+"
LINKS = (
    (re.compile(UP + r"examples/(\w+)\.py\)"), r"](/gallery/\1.rst)"),
    (re.compile(UP + r"examples\)"), "](/gallery/index.rst)"),
    (re.compile(UP + r"CHANGELOG\.md\)"), "](/reference/changelog.md)"),
    (re.compile(r"\]\(((?:\.\./)+examples/\w+\.ipynb)\)"), r"](path:\1)"),
    (re.compile(UP + r"src/markhood/__init__\.py\)"), "](/generated/api.rst)"),
    (
        re.compile(r"\[(Criterion|BlanketTable)\]\((?:\.\./)+src/markhood/scores/(\w+)\.py\)"),
        r"[\1](/generated/api/markhood.scores.\2.\1.rst)",
    ),
)

# The four kinds of page: tutorials, tasks, explanations, facts to look up.
SECTIONS = {"learn": "Learn", "how-to": "How-to", "explain": "Explain", "reference": "Reference"}
LISTED = re.compile(r"^- \[[^\]]+\]\(([^)#:]+)\.(?:md|rst)\)", re.MULTILINE)

# Files that stand in a page of the site: after which text, or in place of the whole.
HELP = "\n```{include} ../generated/help.md\n```\n"
MESSAGES = "\n```{include} ../generated/messages.md\n```\n"
CHANGES = "```{include} ../../CHANGELOG.md\n```\n"

REPORT = "live/voters.html"
PICTURE = re.compile(r"^!\[.*\]\(images/voters\.png\)$", re.MULTILINE)
FRAME = (
    f'<iframe class="live-report" src="{REPORT}" loading="lazy" allow="fullscreen" '
    'title="The report of the network of American voters"></iframe>\n\n'
    f'Click a variable or an edge. <a href="{REPORT}">Open the report in its own page</a>.'
)


def write_live_report(folder: Path) -> None:
    """Write the report of the voters' network, which the front page shows, and the gallery's reports."""
    (folder / REPORT).parent.mkdir(parents=True, exist_ok=True)
    request = Request.of("plrhc", {"bins": {"age": 5, "income": 5}, "exclude": ["population"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        samples = request.read(load("anes96"))
    write_report(request.learn(samples).graph, folder / REPORT, samples, "American voters, 1996")
    made = runpy.run_path(str(DOCS.parent / "examples" / "reports.py"))
    for page in made["pages"].glob("*.html"):
        shutil.copy(page, folder / "live")


def as_on_site(page: str, text: str) -> str:
    """Return the Markdown of a page as the site has it.

    Examples
    --------
    >>> as_on_site("learn/first-graph", "see [plots](../../examples/plots.py)")
    'see [plots](/gallery/plots.rst)'
    """
    if page == "reference/changelog":
        return CHANGES
    for pattern, link in LINKS:
        text = pattern.sub(link, text)
    if page == "reference/command-line":
        text = re.sub(r"\nThe site that `make docs` builds .*\n", lambda _: HELP, text)
    if page == "reference/messages":
        text = re.sub(r"\nThe site that `make docs` builds .*\n", lambda _: MESSAGES, text)
    if page == "index":
        listed = [f"{title} <{section}/index>" for section, title in SECTIONS.items()]
        text = PICTURE.sub(FRAME, text) + _toctree(listed)
    section, _, name = page.rpartition("/")
    if section in SECTIONS and name == "index":
        listed = LISTED.findall(text)
        there = sorted(page.stem for page in (DOCS / section).glob("*.md"))
        text += _toctree([*listed, *(page for page in there if page not in {"index", *listed})])
    return text


def _toctree(entries: list[str]) -> str:
    listed = "\n".join(entries)
    return f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = as_on_site(page, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx read pages as they are on the site."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
