import csv
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import markhood
from browser.conftest import HOSTILE, discs, drawn, rest, saved
from markhood.output.report.viewer import notebook_html

TO = "\N{EN DASH}"


def column(page, number):
    return page.locator(f"#edge-rows td:nth-child({number})").all_inner_texts()


def edges_shown(page):
    return int(page.get_attribute("#network", "data-edges"))


def move_slider(page, step, name="evidence"):
    page.locator(f"#{name}").evaluate(
        "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')); }", step
    )


def picture(page, inside="#network"):
    """Return the pixels of a part of the page as PNG bytes."""
    return page.locator(inside).screenshot()


def test_renders(opened, small_report):
    page = opened(small_report)
    assert page.locator("#network canvas").count() > 3
    summary = "50 samples, 7 variables, 7 edges; method plrhc, markhood 0.1.0"
    assert page.inner_text("#summary") == summary
    assert edges_shown(page) == 7
    assert page.locator("#edge-rows tr").count() == 7
    assert page.locator("#degree-chart rect").count() == 4
    assert "Kuronen" in page.inner_text("#cite")
    assert "sigma" in page.locator("#licences").text_content()
    assert "infinite coupling" in page.inner_text("#warnings")


def test_the_network_is_really_drawn(opened, small_report):
    page = opened(small_report)
    before = picture(page)
    page.select_option("#colouring", "plain")
    page.wait_for_timeout(200)
    assert picture(page) != before


def test_hostile_names_stay_text(opened, small_report):
    page = opened(small_report)
    assert page.title() == page.inner_text("#title") == HOSTILE
    assert HOSTILE in column(page, 1)
    assert page.locator("main img, main script, header script").count() == 0
    page.fill("#search", "<img")
    page.press("#search", "Enter")
    assert page.inner_text("#node-name") == "<img src=x onerror=alert(1)>"


def test_a_node_found_by_search_is_highlighted_with_its_neighbours(opened, small_report):
    page = opened(small_report)
    before = picture(page)
    page.fill("#search", "SAY")
    page.press("#search", "Enter")
    assert page.get_attribute("#network", "data-selected") == 'say "hi"'
    assert page.inner_text("#node-facts") == "3 neighbours; strength 3.38"
    names = page.locator("#neighbours td:first-child").all_inner_texts()
    assert set(names) == {HOSTILE, "wet, cold", "<img src=x onerror=alert(1)>"}
    rest(page)
    assert picture(page) != before
    page.locator("#neighbours button").first.click()
    assert page.inner_text("#node-name") == names[0]
    page.keyboard.press("Escape")
    assert page.get_attribute("#network", "data-selected") == ""
    page.fill("#search", "nobody")
    page.press("#search", "Enter")
    assert "no variable" in page.inner_text("#search-result")


def test_a_click_selects_and_a_drag_moves(opened, small_report, tmp_path):
    page = opened(small_report)
    x, y = discs(page, tmp_path)[4]
    page.mouse.click(x, y)
    assert page.get_attribute("#network", "data-selected") == "e"
    page.keyboard.press("Escape")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 50, steps=8)
    page.mouse.up()
    page.wait_for_timeout(600)
    page.mouse.click(x, y)
    assert page.get_attribute("#network", "data-selected") == ""
    page.wait_for_timeout(600)  # or the next would be a double click
    page.mouse.click(x + 40, y + 50)
    assert page.get_attribute("#network", "data-selected") == "e"


def test_the_slider_changes_what_is_shown_everywhere(opened, small_report, small_graph, tmp_path):
    page = opened(small_report)
    threshold = np.sort(small_graph.evidence)[4]
    move_slider(page, 4)
    assert edges_shown(page) == 3
    assert page.locator("#edge-rows tr").count() == 3
    assert page.inner_text("#shown-count") == "3 of 7 edges shown."
    assert float(page.input_value("#evidence-least")) == pytest.approx(threshold, rel=1e-3)
    with saved(page, "#download-csv", tmp_path).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    kept = small_graph.evidence >= threshold
    names = [pair for pair, keep in zip(small_graph.edge_names(), kept, strict=True) if keep]
    assert [(row["source"], row["target"]) for row in rows] == names
    page.focus("#evidence")
    page.keyboard.press("Home")
    assert edges_shown(page) == 7
    page.keyboard.press("ArrowRight")
    assert edges_shown(page) == 6


def test_the_table_sorts_and_searches(opened, small_report, small_graph):
    page = opened(small_report)
    evidence = [float(text) for text in column(page, 3)]
    assert evidence == sorted(evidence, reverse=True)
    page.click("#edges button[data-column=evidence]")
    assert [float(text) for text in column(page, 3)] == evidence[::-1]
    assert page.get_attribute("#edges th:nth-child(3)", "aria-sort") == "ascending"
    page.click("#edges button[data-column=coupling]")
    assert column(page, 4)[0] == "+∞"
    assert column(page, 4)[-2:] == ["\N{MINUS SIGN}∞", "?"]
    page.click("#edges button[data-column=source]")
    words = [name for name in column(page, 1) if name[0].isalpha()]
    assert words == sorted(words) == ["e", 'say "hi"', "wet, cold"]
    page.fill("#edge-search", "WET")
    assert page.inner_text("#page") == f"1{TO}2 of 2"


def test_downloads_are_files_that_markhood_reads(opened, small_report, small_graph, tmp_path):
    page = opened(small_report)
    table = markhood.read_graph(saved(page, "#download-csv", tmp_path))
    assert table.edge_names() == small_graph.edge_names()
    assert np.array_equal(table.coupling_ends, small_graph.coupling_ends, equal_nan=True)
    assert np.array_equal(table.evidence, small_graph.evidence)
    graph = markhood.read_graph(saved(page, "#download-graphml", tmp_path))
    assert graph == small_graph
    assert graph.provenance == small_graph.provenance
    root = ElementTree.parse(saved(page, "#download-svg", tmp_path)).getroot()
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("circle") == 7
    texts = [element.text for element in root.iter()]
    assert "1" in texts  # long names are in a key
    assert any(text and text.endswith(f"  {HOSTILE}") for text in texts)
    png = saved(page, "#download-png", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 5000


def test_annotations_are_columns_that_sort(opened, table_report):
    page = opened(table_report)
    heads = page.locator("#edges th").all_inner_texts()
    assert heads == [
        "variable",
        "variable",
        "evidence",
        "coupling",
        "share",
    ]  # the variance is in the card
    assert column(page, 5) == ["1.00", "0.75", "0.50"]
    page.click("#edges button[data-column=share]")
    assert column(page, 5) == ["1.00", "0.75", "0.50"]
    page.click("#edges button[data-column=share]")
    assert column(page, 5) == ["0.50", "0.75", "1.00"]
    page.click("#edge-rows tr >> nth=0 >> td >> nth=2")
    assert "evidence variance" in page.inner_text("#edge-facts")
    assert "Share" in page.inner_text("#notes")


def test_a_table_opens_below_its_edge(opened, table_report):
    page = opened(table_report)
    assert column(page, 4) == ["\N{MINUS SIGN}1.50", "2.00", "3.00"]
    assert page.locator("#edge-rows .repulsion").count() == 1
    assert page.locator("#edge-rows .attraction").count() == 0
    button = page.locator("#edge-rows tr:nth-child(2) td:nth-child(4) button")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    detail = page.locator("#edge-rows .detail")
    assert detail.locator(".caption").inner_text() == "Coupling; rows: b, columns: c"
    assert detail.locator("th").all_inner_texts() == ["red", "green", "blue", "no", HOSTILE]
    assert detail.locator("tbody td").first.inner_text() == "1.00"
    assert detail.locator("td.less").count() == 2
    button.click()
    assert detail.count() == 0
    page.locator("#edge-rows tr:nth-child(3) button").last.click()
    assert detail.locator("thead th").all_inner_texts() == ["0", "1"]  # no one named them


def test_edges_without_a_sign_are_said_to_be(opened, table_report, small_report, tmp_path):
    page = opened(table_report)
    assert page.inner_text("[data-kind=unknown]") == "no sign (2)"
    assert page.locator("#coupling-chart .plain").count() > 3
    assert page.locator("#coupling-chart .attraction").count() == 0
    page.fill("#search", "b")
    page.press("#search", "Enter")
    page.locator("#neighbours td:nth-child(3) button").click()
    assert page.locator("#neighbours .detail").count() == 1
    page = opened(small_report)
    assert page.inner_text("[data-kind=unknown]") == "no sign (1)"  # of unknown coupling


def test_downloads_keep_tables_and_annotations(opened, table_report, table_graph, tmp_path):
    page = opened(table_report)
    assert markhood.read_graph(saved(page, "#download-graphml", tmp_path)) == table_graph
    table = markhood.read_graph(saved(page, "#download-csv", tmp_path))
    assert table.annotations["share"].tolist() == [1, 0.75, 0.5]


def test_keyboard_alone(opened, small_report):
    page = opened(small_report)
    page.keyboard.press("/")
    page.keyboard.type("alone")
    page.keyboard.press("Enter")
    assert page.inner_text("#node-name") == "alone"
    assert page.inner_text("#node-facts").startswith("0 neighbours")
    rest(page)
    page.keyboard.press("Escape")
    page.focus("#network")
    for key in ("ArrowLeft", "ArrowUp", "+", "-", "0"):
        before = picture(page)
        page.keyboard.press(key)
        rest(page)
        assert picture(page) != before, key


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(opened, small_report, scheme):
    page = opened(small_report, color_scheme=scheme)
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (brightness > 128) == (scheme == "light")


def test_phone_width_needs_no_sideways_scrolling(opened, small_report):
    page = opened(small_report, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("#network").bounding_box()["width"] > 300


def test_a_tap_selects(opened, small_report, tmp_path):
    page = opened(small_report, viewport={"width": 360, "height": 740}, has_touch=True)
    page.touchscreen.tap(*discs(page, tmp_path)[4])
    page.wait_for_selector("#network[data-selected=e]")


def test_edges_are_the_paler_the_less_probable(opened, probable_report, small_report, tmp_path):
    page = opened(probable_report)
    strokes = {line.get("stroke") for line in drawn(page, tmp_path, "line")[:3]}
    assert "#0072b2" in strokes
    assert len(strokes) == 3
    assert page.inner_text("#paler") == "Paler edges are weaker or less probable."
    move_slider(page, 1, "probability")
    assert edges_shown(page) == 2
    assert page.input_value("#probability-least") == "0.75"
    assert page.inner_text("#shown-count") == "2 of 3 edges shown."
    page = opened(small_report)
    assert page.locator("#probability").count() == 0
    assert page.is_hidden("#paler")


def test_a_large_graph(opened, large_report, large_graph, tmp_path):
    page = opened(large_report)
    assert edges_shown(page) == 10_000
    assert page.inner_text("#page") == f"1{TO}25 of 10000"
    page.click("#next")
    assert page.inner_text("#page") == f"26{TO}50 of 10000"
    move_slider(page, 9_000)
    assert edges_shown(page) == 1_000
    shown = markhood.read_graph(saved(page, "#download-csv", tmp_path))
    least = np.sort(large_graph.evidence)[9_000]
    assert shown.n_edges == 1_000
    assert math.isclose(shown.evidence.min(), least)
    page.fill("#search", "gene 77")
    page.press("#search", "Enter")
    assert page.inner_text("#node-name") == "gene 77"


@pytest.mark.parametrize("graph", [markhood.Graph([], []), markhood.Graph("abc", [])])
def test_a_report_without_edges(opened, graph, tmp_path):
    markhood.write_report(graph, tmp_path / "empty.html")
    page = opened(tmp_path / "empty.html")
    assert edges_shown(page) == 0
    assert page.inner_text("#page") == "no edges"
    assert page.is_disabled("#evidence")


def test_without_webgl_the_rest_works(opened, small_report, chromium):
    script = "HTMLCanvasElement.prototype.getContext = () => null"
    context = chromium.new_context()
    context.add_init_script(script)
    page = context.new_page()
    page.goto(small_report.as_uri())
    page.wait_for_selector("html[data-ready]")
    assert "no WebGL" in page.inner_text("#network")
    assert page.locator("#edge-rows tr").count() == 7
    context.close()


def test_in_a_notebook_the_page_is_shut_off_and_works(opened, small_graph, tmp_path):
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<html data-ready><body>{notebook_html(small_graph)}</body></html>")
    page = opened(notebook)
    frame = page.frame_locator("iframe")
    assert frame.locator("#edge-rows tr").count() == 7
    frame.locator("#search").fill("alone")
    frame.locator("#search").press("Enter")
    assert frame.locator("#node-name").inner_text() == "alone"
    frame.locator("nav a[href='#data-section']").click()
    page.wait_for_timeout(1000)
    assert frame.locator("#data-heading").bounding_box()["y"] < 500
