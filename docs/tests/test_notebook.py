"""The notebook runs without warnings in its own kernel, and displays graphs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first_look.ipynb"


@pytest.fixture(scope="module")
def run_cells(tmp_path_factory):
    # Libraries of Jupyter may emit warnings here; the output of the kernel is in the cells.
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown_by(cells, line):
    (cell,) = (cell for cell in cells if cell.source.endswith(line))
    return [output["data"] for output in cell.outputs if "data" in output]


@pytest.mark.filterwarnings("default")
def test_nothing_is_written_to_standard_error(run_cells):
    streams = [
        output for cell in run_cells for output in cell.outputs if output.output_type == "stream"
    ]
    assert streams == []


@pytest.mark.filterwarnings("default")
def test_a_graph_shows_a_picture_and_its_report(run_cells):
    (graph,) = shown_by(run_cells, "graph")
    assert "<svg" in graph["text/html"]
    (report,) = shown_by(run_cells, 'graph.show(layout="grid")')
    assert "<iframe srcdoc=" in report["text/html"]
    assert any("image/png" in data for data in shown_by(run_cells, ");"))
