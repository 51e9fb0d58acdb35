"""The notebook of a tutorial has the code of its page, and runs."""

import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

sys.path.insert(0, str(Path(__file__).parents[1] / "extensions"))

import tutorials


@pytest.mark.parametrize("page", tutorials.PAGES, ids=lambda path: path.stem)
def test_a_notebook_has_the_code_of_its_page_and_no_links(page):
    notebook = tutorials.notebook_of(page)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code == [
        tutorials.code_of(block) for block in tutorials.PYTHON.findall(page.read_text())
    ]
    text = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert ".md)" not in text
    assert "<!--" not in text


def test_prompts_and_answers_are_removed():
    assert tutorials.code_of(">>> f(\n...     1\n... )\n1\n>>> g()\n2\n") == "f(\n    1\n)\ng()"


@pytest.mark.filterwarnings("default")  # of Jupyter's own libraries
def test_a_notebook_runs_next_to_its_data_and_draws_its_figure(tmp_path):
    tutorials.write_notebooks(tmp_path)
    notebook = nbformat.read(tmp_path / "alignment.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    assert (tmp_path / "alignment.png").exists()
