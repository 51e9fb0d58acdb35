"""Reports in Debian's Chromium: `make test-browser`; elsewhere these tests are skipped."""

import os
from xml.etree import ElementTree

import numpy as np
import pytest

import markhood

CHROMIUM = os.environ.get("CHROMIUM")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
HOSTILE = "<script>document.title='run'</script>"


def saved(page, button, folder):
    """Return the file that a button of the page downloads."""
    with page.expect_download() as waiting:
        page.click(button)
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def drawn(page, folder, tag):
    """Return the elements of this name in the picture as SVG."""
    root = ElementTree.parse(saved(page, "#download-svg", folder)).getroot()
    return [element for element in root.iter() if element.tag.rpartition("}")[2] == tag]


def discs(page, folder):
    """Return where every node is on the screen; the picture is scrolled into view."""
    found = drawn(page, folder, "circle")
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    page.locator("#network").evaluate("(network) => network.scrollIntoView()")
    box = page.locator("#network").bounding_box()
    return [(box["x"] + float(d.get("cx")), box["y"] + float(d.get("cy"))) for d in found]


def rest(page):
    """Wait until the camera rests, and what it sees is drawn."""
    page.wait_for_selector("#network:not([data-camera=moving])")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")


def address(page):
    """Return the part of the address that keeps the view, once the view has come to rest.

    The page writes it some time after the last change, and every frame of a moving camera is a
    change: how long that takes depends on the load of the machine.
    """
    rest(page)
    return page.evaluate("""async () => {
        let seen;
        do {
            seen = location.hash;
            await new Promise((done) => setTimeout(done, 800));
        } while (seen !== location.hash);
        return seen;
    }""")


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    if not CHROMIUM:
        pytest.skip("no Chromium: run make test-browser")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM,
            args=FLAGS,
            downloads_path=tmp_path_factory.mktemp("downloads"),
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def small_graph():
    """Two triangles joined by an edge, a hostile name, infinite and unknown numbers."""
    names = [HOSTILE, "wet, cold", 'say "hi"', "<img src=x onerror=alert(1)>", "e", "f", "alone"]
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]
    evidence = [(k + 0.125, 2 * k + 0.1) for k in range(7)]
    coupling = [(1, 2), (-1, -2), (np.inf, 3), (0.5, 0.25), (-3, -np.inf), (0.1, 0.2), (1, np.nan)]
    about = {"method": "plrhc", "version": "0.1.0", "data": {"samples": 50, "variables": 7}}
    return markhood.Graph(names, edges, evidence, coupling, about)


@pytest.fixture(scope="session")
def table_graph():
    """A chain of a repelling edge and two whose couplings are tables, with shares."""
    table = np.array([[1, -1, 0], [-1, 1, 0]])
    levels = ((0, 1), ("no", HOSTILE), ("red", "green", "blue"), (0, 1))
    return markhood.Graph(
        markhood.Variables(tuple("abcd"), levels),
        [(0, 1), (1, 2), (2, 3)],
        [(9, 9), (5, 5), (1, 2)],
        [(-1, -2), (2, 2), (3, 3)],
        None,
        [None, table, 1.5 * table.T],
        {"share": [1, 0.75, 0.5], "evidence_variance": [0, 0.25, np.inf]},
    )


@pytest.fixture(scope="session")
def table_report(table_graph, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "tables.html"
    markhood.write_report(table_graph, path)
    return path


@pytest.fixture(scope="session")
def probable_report(tmp_path_factory):
    """A chain whose edges are less and less probable, alike in all else."""
    graph = markhood.Graph(
        "abcd",
        [(0, 1), (1, 2), (2, 3)],
        [(2, 2)] * 3,
        [(1, 1)] * 3,
        annotations={"probability": [1.0, 0.75, 0.25]},
    )
    path = tmp_path_factory.mktemp("report") / "probable.html"
    markhood.write_report(graph, path)
    return path


@pytest.fixture(scope="session")
def large_graph():
    """2000 nodes in 20 groups, 10 000 edges."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2000, 40_000)
    inside = first // 100 * 100 + rng.integers(0, 100, 40_000)
    second = np.where(rng.random(40_000) < 0.8, inside, rng.integers(0, 2000, 40_000))
    pairs = np.unique(np.sort(np.column_stack([first, second]), axis=1), axis=0)
    pairs = rng.permutation(pairs[pairs[:, 0] < pairs[:, 1]])[:10_000]
    evidence, coupling = rng.exponential(10, (10_000, 2)), rng.normal(size=(10_000, 1))
    ends = coupling + rng.normal(scale=0.2, size=(10_000, 2))
    return markhood.Graph([f"gene {k}" for k in range(2000)], pairs, evidence, ends)


@pytest.fixture(scope="session")
def small_report(small_graph, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "small.html"
    markhood.write_report(small_graph, path, title=HOSTILE)
    return path


@pytest.fixture(scope="session")
def large_report(large_graph, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "large.html"
    markhood.write_report(large_graph, path, title="genes")
    return path


@pytest.fixture
def opened(chromium):
    """Open a file in a page of its own; complaints and requests are checked at the end."""
    contexts, complaints, requests = [], [], []

    def open_page(path, fragment="", **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        # The software renderer's own remarks about its speed are no concern of the page.
        page.on(
            "console",
            lambda said: "GL Driver Message" in said.text or complaints.append(said.text),
        )
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + fragment)
        page.wait_for_selector("html[data-ready]")
        requests.remove(next(url for url in requests if url.startswith(path.as_uri())))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("data:", "blob:"))] == []
