"""Make a notebook of every tutorial, and redraw the tutorials' figures.

The Markdown page is the only source. Its Python blocks become code cells and the rest becomes text; links and pictures are
left out, because the notebook is read elsewhere and draws its own figures. `make tutorials` writes the notebooks with their
data files to `build/notebooks` and the figures next to the pages; Sphinx puts the notebooks on the site.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
PAGES = [path for path in sorted((DOCS / "learn").glob("*.md")) if path.stem != "index"]
DATA = ["rodents.csv", "variants.vcf.gz", "purine.sto"]
PYTHON = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]*)\)\n+")
LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+://)[^)]*\)")
COMMENT = re.compile(r"<!--.*?-->\n+", re.DOTALL)
SITE = "generated/site/notebooks"


def code_of(block: str) -> str:
    """Return a Python block without prompts and answers.

    Examples
    --------
    >>> code_of(">>> 1 + 1\\n2\\n")
    '1 + 1'
    """
    lines = block.rstrip().splitlines()
    if block.startswith(">>> "):
        lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    return "\n".join(lines)


def notebook_of(page: Path) -> nbformat.NotebookNode:
    """Return the notebook of a page."""
    cells = []
    for k, part in enumerate(PYTHON.split(page.read_text())):
        if k % 2:
            cells.append(nbformat.v4.new_code_cell(code_of(part)))
            continue
        text = LINK.sub(r"\1", PICTURE.sub("", COMMENT.sub("", part))).strip()
        if text:
            cells.append(nbformat.v4.new_markdown_cell(text))
    for k, cell in enumerate(cells):
        cell["id"] = f"{page.stem}-{k}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def copy_data(folder: Path) -> None:
    """Copy the files that tutorials read into a folder."""
    for name in DATA:
        shutil.copy(next(DOCS.rglob(name)), folder)


def write_notebooks(folder: Path) -> None:
    """Write all notebooks and the files that they read."""
    folder.mkdir(parents=True, exist_ok=True)
    copy_data(folder)
    for page in PAGES:
        nbformat.write(notebook_of(page), folder / f"{page.stem}.ipynb")


def draw_figures() -> None:
    """Run the pages that show a figure of their own, and keep the figures."""
    for page in PAGES:
        text = page.read_text()
        figures = [name for name in PICTURE.findall(text) if f'savefig("{name}"' in text]
        if not figures:
            continue
        with tempfile.TemporaryDirectory() as folder:
            copy_data(Path(folder))
            code = "\n".join(map(code_of, PYTHON.findall(text)))
            environment = {**os.environ, "MPLBACKEND": "Agg"}
            subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, env=environment)
            for name in figures:
                shutil.copy(Path(folder, name), page.parent / name)


def _add_link(app: Sphinx, page: str, source: list[str]) -> None:
    name = page.removeprefix("learn/")
    if name in (path.stem for path in PAGES) and name != page:
        title, _, rest = source[0].partition("\n")
        link = f'<a href="../notebooks/{name}.ipynb" download>Download this page as a notebook</a>'
        source[0] = f"{title}\n\n{link}\n{rest}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Put the notebooks on the site, and a link to its notebook on every tutorial."""
    write_notebooks(DOCS / SITE)
    app.connect("source-read", _add_link)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    write_notebooks(DOCS.parent / "build" / "notebooks")
    draw_figures()
