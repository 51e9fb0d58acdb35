import html
import re
import sys
import webbrowser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlparse

import pytest

from markhood import Graph


@pytest.fixture
def graph():
    return Graph(["rain", "<b>"], [(0, 1)])


def test_show_opens_the_browser(graph, monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert graph.show() is None
    (address,) = opened
    page = Path(unquote(urlparse(address).path)).read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert '"rain"' in page


def test_show_displays_in_a_notebook(graph, monkeypatch):
    display = SimpleNamespace(HTML=lambda text: text)
    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    (page,) = re.fullmatch(
        r'<div><iframe srcdoc="([^"]*)" .*</iframe></div>', graph.show()
    ).groups()
    assert html.unescape(page).startswith("<!DOCTYPE html>")
    assert "allow-same-origin" not in graph.show()
