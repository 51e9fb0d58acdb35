"""What leaves the page: on paper, as pictures, as files like those that markhood writes."""

import csv
import re
import zlib
from xml.etree import ElementTree

import numpy as np

import markhood
from browser.conftest import drawn, saved


def pdf_text(path):
    """Return the drawing operators of a PDF file: its streams, inflated."""
    parts = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", path.read_bytes(), re.DOTALL):
        try:
            parts.append(zlib.decompress(stream).decode("latin-1"))
        except zlib.error:
            continue
    return "\n".join(parts)


def test_print_has_the_graph_and_every_row(opened, small_report, tmp_path):
    rng = np.random.default_rng(0)
    pairs = [(i, j) for i in range(12) for j in range(i)][:60]
    graph = markhood.Graph(
        map(str, range(12)), pairs, rng.random((60, 2)), rng.normal(size=(60, 2))
    )
    markhood.write_report(graph, tmp_path / "many.html")
    page = opened(tmp_path / "many.html", color_scheme="dark")
    page.pdf(path=tmp_path / "many.pdf")
    drawing = pdf_text(tmp_path / "many.pdf")
    curves = len(re.findall(r" c\n", drawing))
    lines = len(re.findall(r" l\n", drawing))
    assert curves >= 4 * 12  # a disc is four of them
    assert lines >= 60
    # Back on the screen all is as before.
    assert page.locator("#edge-rows tr").count() == 25
    assert page.locator("#print-picture svg").count() == 0


def test_what_is_printed(opened, large_report):
    page = opened(large_report)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("#edge-rows tr").count() == 60
    assert page.inner_text("#print-left") == "9940 further edges are not printed."
    assert page.locator("#print-picture .nodes circle").count() == 2_000
    assert page.locator("#print-picture .edges line").count() == 10_000
    # Chromium repeats the header of a table on every page only if it has no buttons.
    assert (
        page.locator("#edges th button").first.evaluate(
            "(button) => getComputedStyle(button).display"
        )
        == "contents"
    )
    # The first page has the findings and the picture only.
    start = page.locator("#edges-section").evaluate("(part) => getComputedStyle(part).breakBefore")
    assert start == "page"
    for hidden in ("#network", "nav", "#filters", "#download-csv", "#next"):
        assert page.is_hidden(hidden)
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.check("#print-all")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#edge-rows tr").count() == 10_000


def test_a_large_graph_has_few_pages(opened, large_report, tmp_path):
    page = opened(large_report)
    page.pdf(path=tmp_path / "large.pdf", format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "large.pdf").read_bytes()))
    assert 1 < pages <= 5


def test_pictures_are_light_with_a_legend_and_halos(opened, small_report, tmp_path):
    page = opened(small_report, color_scheme="dark")
    page.select_option("#colouring", "community")
    root = ElementTree.parse(saved(page, "#download-svg", tmp_path)).getroot()
    assert drawn(page, tmp_path, "rect")[0].get("fill") == "#ffffff"
    words = [element.text for element in root.iter() if element.text]
    assert {"positive", "negative", "no sign", "infinite coupling"} <= set(words)
    assert any(re.match(r"coupling \d", text) for text in words)
    names = [e for e in root.iter() if e.get("paint-order") == "stroke"]
    assert len(names) == 6  # the isolated variable is listed below the picture
    assert (
        sum(text.endswith(" \u2026") for text in words) == 2
    )  # communities, by their first variables
    png = saved(page, "#download-png", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")


def test_files_are_those_that_markhood_writes(opened, small_graph, table_graph, tmp_path):
    rng = np.random.default_rng(3)
    scales = 10.0 ** rng.integers(-300, 150, size=(40, 2))
    pairs = [(i, j) for i in range(10) for j in range(i)][:40]
    names = ["a,b", '"', " blank", "tab\there", "ü", "é\u0301", "<&>", "'", "=1+1", "x"]
    wild = markhood.Graph(names, pairs, scales, -scales, annotations={"share": rng.random(40)})
    for number, graph in enumerate((small_graph, table_graph, wild)):
        markhood.write_report(graph, tmp_path / f"page{number}.html", title=f"page{number}")
        page = opened(tmp_path / f"page{number}.html")
        ours = tmp_path / f"ours{number}.csv"
        markhood.write_graph(graph, ours)
        theirs = saved(page, "#download-csv", tmp_path)
        with ours.open(newline="") as one, theirs.open(newline="") as other:
            for a, b in zip(csv.reader(one), csv.reader(other), strict=True):
                assert [as_number(x) for x in a] == [as_number(x) for x in b]
        markhood.write_graph(graph, tmp_path / "ours.graphml")
        mine = markhood.read_graph(tmp_path / "ours.graphml")
        assert markhood.read_graph(saved(page, "#download-graphml", tmp_path)) == mine


def as_number(text):
    try:
        return float(text)
    except ValueError:
        return text
