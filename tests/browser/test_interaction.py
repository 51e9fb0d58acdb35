"""Moved variables, history, parts of the network, the sheet on a phone, and comparisons."""

import numpy as np
import pandas as pd
import pytest

import markhood
from browser.conftest import address, discs, rest
from browser.test_report import column, edges_shown, move_slider

axe = pytest.importorskip("axe_playwright_python.sync_playwright")


def drag(page, start, by):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + by[0], start[1] + by[1], steps=8)
    page.mouse.up()
    page.wait_for_timeout(600)


def test_moves_are_undone_reset_and_kept_in_the_address(opened, small_report, tmp_path):
    page = opened(small_report)
    assert page.is_hidden("#undo-move")
    before = discs(page, tmp_path)
    drag(page, before[4], (40, 50))
    drag(page, before[5], (-30, 20))
    moved = discs(page, tmp_path)
    assert np.allclose(moved[4], np.add(before[4], (40, 50)), atol=3)
    assert "moved=" in address(page)
    shared = opened(small_report, address(page))
    assert np.allclose(discs(shared, tmp_path), moved, atol=3)
    page.click("#undo-move")
    page.wait_for_timeout(100)
    assert np.allclose(discs(page, tmp_path)[5], before[5], atol=3)
    assert np.allclose(discs(page, tmp_path)[4], moved[4], atol=3)
    page.focus("#network")
    page.keyboard.press("Control+z")
    page.wait_for_timeout(100)
    assert np.allclose(discs(page, tmp_path), before, atol=3)
    drag(page, before[4], (40, 50))
    page.click("#reset-moves")
    assert "moved=" not in address(page)
    assert np.allclose(discs(page, tmp_path), before, atol=3)
    assert page.is_hidden("#reset-moves")


def test_back_returns_to_the_selection_before(opened, small_report):
    page = opened(small_report)
    for name in ("e", "f"):
        page.fill("#search", name)
        page.press("#search", "Enter")
        assert f"variable={name}" in address(page)
    assert page.get_attribute("#network", "data-selected") == "f"
    page.go_back()
    page.wait_for_selector("#network[data-selected=e]")
    page.go_back()
    page.wait_for_selector("#network[data-selected='']")
    page.go_forward()
    page.wait_for_selector("#network[data-selected=e]")


def test_back_returns_to_the_view_before(opened, large_report):
    page = opened(large_report)
    views = [address(page)]
    for name in ("gene 77", "gene 1900"):
        page.fill("#search", name)
        page.press("#search", "Enter")
        rest(page)
        for _ in range(2):  # the neighbours are no longer in view
            page.click("#zoom-in")
        views.append(address(page))
    for view in views[1::-1]:
        page.go_back()
        assert address(page) == view


def test_a_part_of_the_network_is_shown(opened, small_report, small_graph):
    page = opened(small_report)
    assert page.locator("#focus option[value=near]").is_disabled()
    page.fill("#search", "e")
    page.press("#search", "Enter")
    page.select_option("#focus", "near")
    assert edges_shown(page) == 3  # e, f and their common neighbour
    page.select_option("#focus", "far")
    assert edges_shown(page) == 4
    page.select_option("#focus", "component")
    assert edges_shown(page) == 7
    page.select_option("#focus", "core-2")
    assert edges_shown(page) == 7
    shared = opened(small_report, address(page))
    assert shared.input_value("#focus") == "core-2"
    page.select_option("#focus", "all")
    assert page.inner_text("#shown-count") == "All 7 edges are shown."


def test_isolated_variables_are_one_line(opened, small_report):
    page = opened(small_report)
    assert page.inner_text("#isolated") == "1 variable without neighbours: alone."
    page.click("#isolated button")
    assert page.get_attribute("#network", "data-selected") == "alone"


def test_many_isolated_variables_are_one_line(opened, tmp_path):
    graph = markhood.Graph([f"item {k}" for k in range(60)], [(0, 1)], [(1, 1)], [(1, 1)])
    markhood.write_report(graph, tmp_path / "isolated.html")
    page = opened(tmp_path / "isolated.html")
    assert page.locator("#isolated").bounding_box()["height"] < 30
    page.click("#isolated >> text=/\\d+ more/")
    assert page.inner_text("#isolated").endswith("item 58, item 59.")


def test_a_search_on_a_phone_shows_the_picture(opened, small_report):
    page = opened(small_report, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page.fill("#search", "e")
    page.press("#search", "Enter")
    page.wait_for_function(
        "Math.abs(document.querySelector('#view').getBoundingClientRect().top) < 2"
    )
    # Rows do not show through below the button, which stays at the end of the sheet.
    sheet, button = (
        page.locator(each).bounding_box() for each in ("#card", "#card .clear:visible")
    )
    gap = sheet["y"] + sheet["height"] - button["y"] - button["height"]
    shadow = page.locator("#card .clear:visible").evaluate(
        "(one) => getComputedStyle(one).boxShadow"
    )
    assert float(shadow.split()[-3].removesuffix("px")) >= gap


def test_two_words_find_the_edge_between_two_variables(opened, small_report):
    page = opened(small_report)
    page.fill("#edge-search", "e f")
    assert page.inner_text("#page").endswith("of 1")
    assert (column(page, 1)[0], column(page, 2)[0]) == ("e", "f")


def test_counts_of_the_legend_follow_the_sliders(opened, small_report):
    page = opened(small_report)
    assert page.inner_text("[data-kind=repulsion]") == "negative (2)"
    move_slider(page, 4)
    assert page.inner_text("[data-kind=repulsion]") == "negative (1 of 2)"
    view, slider = (page.locator(i).bounding_box() for i in ("#network", "#evidence"))
    assert slider["x"] > view["x"] + view["width"] - 5  # beside the picture
    assert slider["y"] < view["y"] + view["height"]


def test_the_width_is_the_evidence_where_most_couplings_are_infinite(opened, tmp_path):
    ends = [(np.inf, np.inf), (np.inf, np.inf), (1, 1)]
    graph = markhood.Graph("abcd", [(0, 1), (1, 2), (2, 3)], [(9, 9), (4, 4), (1, 1)], ends)
    markhood.write_report(graph, tmp_path / "infinite.html")
    page = opened(tmp_path / "infinite.html")
    assert page.input_value("#measure") == "evidence"


def test_details_are_a_sheet_on_a_phone(opened, small_report, tmp_path):
    page = opened(small_report, viewport={"width": 390, "height": 800}, has_touch=True)
    page.touchscreen.tap(*discs(page, tmp_path)[4])
    page.wait_for_selector("#network[data-selected=e]")
    box = page.locator("#card").bounding_box()
    assert box["y"] + box["height"] == pytest.approx(800, abs=1)
    assert box["height"] <= 0.46 * 800
    page.click("#node .clear")
    assert page.get_attribute("#network", "data-selected") == ""


@pytest.fixture(scope="session")
def two_graphs():
    before = markhood.Graph(
        "abcd",
        [(0, 1), (1, 2)],
        [(5, 5)] * 2,
        [(1, 1), (-1, -1)],
        annotations={"coupling_low": [0.5, -1.5], "coupling_high": [1.5, -0.5]},
    )
    after = markhood.Graph(
        "dcba",
        [(0, 1), (3, 2)],
        [(6, 6)] * 2,
        [(2, 2), (3, 3)],
        annotations={"coupling_low": [1.5, 2.5], "coupling_high": [2.5, 3.5]},
    )
    return {"before": before, "after": after}


@pytest.fixture(scope="session")
def comparison_report(two_graphs, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "two.html"
    markhood.write_report(two_graphs, path, title="Before and after")
    return path


def test_two_graphs_in_one_page(opened, comparison_report):
    page = opened(comparison_report)
    assert page.inner_text("#findings-list li >> nth=0") == (
        "1 edge is in both networks, 1 only in before and 1 only in after."
    )
    texts = page.locator("#kinds button").all_inner_texts()
    assert texts == ["in both (1)", "only in before (1)", "only in after (1)"]
    assert edges_shown(page) == 3
    page.click("[data-kind=only1]")
    assert edges_shown(page) == 2
    page.click("#graphs [data-graph='0']")
    assert edges_shown(page) == 2
    assert page.locator("#kinds button").all_inner_texts() == ["positive (1)", "negative (1)"]
    assert "graph=before" in address(page)
    shared = opened(comparison_report, address(page))
    assert edges_shown(shared) == 2
    page.click("#graphs [data-graph='']")
    heads = page.locator("#edges th").all_inner_texts()
    assert {"coupling before", "coupling after", "difference", "interval of difference"} <= set(
        heads
    )
    assert "mean coupling" in heads
    assert "networks with the edge" in page.inner_text("#notes")
    page.fill("#edge-search", "a b")
    cells = page.locator("#edge-rows td").all_inner_texts()
    assert cells[heads.index("difference")] == "2.00"
    assert cells[heads.index("interval of difference")] == "1.29 to 2.71"


@pytest.fixture(scope="session")
def groups_report(tmp_path_factory):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 2, (300, 4)), columns=list("abcd"))
    table["b"] = table["a"] ^ (rng.random(300) < 0.2)
    table["c"] = np.where(np.arange(300) < 150, 1, table["c"])
    table.loc[:20, "c"] = 0
    table["group"] = np.repeat(["x", "y"], 150)
    found = markhood.compare_groups(table, by="group", permutations=100)
    path = tmp_path_factory.mktemp("report") / "groups.html"
    markhood.write_report(found, path, title="Groups")
    return path


def test_differences_of_fields_and_centralities(opened, groups_report):
    page = opened(groups_report)
    first = page.locator("#difference-rows tr").first
    assert first.inner_text().split()[:4] == ["c", "field", "x,", "y"]
    assert first.get_attribute("class") == "clear-difference"
    first.locator("button").click()
    assert page.get_attribute("#network", "data-selected") == "c"


def test_tested_groups_have_no_evidence_and_are_sorted_by_p_value(opened, groups_report):
    page = opened(groups_report)
    assert "evidence" not in page.inner_text("#edge-headings")
    heads = page.locator("#edges th:visible").all_inner_texts()
    assert len(heads) == page.locator("#edge-rows tr >> nth=0 >> td").count()
    column = [row.locator("td").last.inner_text() for row in page.locator("#edge-rows tr").all()]
    assert column == sorted(column, key=float)
    assert "Evidence" not in page.inner_text("#notes")
    assert "all compared pairs" in page.inner_text("#notes")
    assert page.is_hidden("#run")
    assert "permutations" in page.inner_text("#cite")


def test_no_violation_of_accessibility(opened, comparison_report, groups_report, large_report):
    for report in (comparison_report, groups_report, large_report):
        found = axe.Axe().run(opened(report))
        assert found.violations_count == 0, found.generate_report()
