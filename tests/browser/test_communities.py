"""The picture of a large graph: communities that can be opened."""

from collections import Counter
from urllib.parse import parse_qs

import numpy as np
import pytest

import markhood
from browser.conftest import address, drawn, rest
from browser.test_report import edges_shown
from markhood.graph.communities import communities

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
SIZE, GROUPS = 200, 20


@pytest.fixture(scope="session")
def very_large_graph():
    """4000 nodes in 20 groups that form a chain, and an isolated one."""
    rng = np.random.default_rng(0)
    n = SIZE * GROUPS
    first = np.repeat(np.arange(n), 2)
    inside = first // SIZE * SIZE + rng.integers(0, SIZE, len(first))
    bridges = [(SIZE * g + k, SIZE * (g + 1) + k) for g in range(GROUPS - 1) for k in range(g + 1)]
    pairs = np.concatenate([np.column_stack([first, inside]), bridges])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    evidence, coupling = rng.exponential(10, (len(pairs), 2)), np.ones((len(pairs), 2))
    names = [f"gene {k}" for k in range(n)] + ["alone"]
    return markhood.Graph(names, pairs, evidence, coupling)


@pytest.fixture(scope="session")
def labels(very_large_graph):
    return communities(very_large_graph)


@pytest.fixture(scope="session")
def very_large_report(very_large_graph, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "very_large.html"
    markhood.write_report(very_large_graph, path)
    return path


def members(labels, *numbers):
    return {int(k) for k in np.flatnonzero(np.isin(labels, numbers))}


def edges_in(graph, nodes):
    return int(np.isin(graph.edges, list(nodes)).all(axis=1).sum())


def test_discs_are_communities_and_lines_count_the_edges_between(
    opened, very_large_report, very_large_graph, labels
):
    page = opened(very_large_report)
    assert page.is_visible("#overview")
    discs = page.locator("#overview circle")
    sizes = Counter(labels[labels >= 0].tolist())
    assert discs.count() == len(sizes)
    assert discs.first.get_attribute("aria-label").startswith(f"Community 1: {sizes[0]} variables")
    radii = [float(discs.nth(k).get_attribute("r")) for k in range(len(sizes))]
    assert (radii[0] / radii[-1]) ** 2 == pytest.approx(sizes[0] / sizes[len(sizes) - 1], rel=0.05)
    ends = labels[very_large_graph.edges]
    between = Counter(tuple(sorted(pair)) for pair in ends.tolist() if pair[0] != pair[1])
    found = page.locator("#overview line").evaluate_all("(all) => all.map((e) => +e.dataset.count)")
    assert sorted(found) == sorted(between.values())
    assert page.inner_text("#shown-count") == f"All {very_large_graph.n_edges} edges are shown."


def test_a_click_opens_a_community_and_back_returns(
    opened, very_large_report, very_large_graph, labels, tmp_path
):
    page = opened(very_large_report)
    page.click("#overview [data-community='2']")
    assert page.is_hidden("#overview")
    own = members(labels, 2)
    assert edges_shown(page) == edges_in(very_large_graph, own)
    assert len(drawn(page, tmp_path, "circle")) == len(own)
    assert page.locator("#focus").input_value() == "community"
    page.click("#back")
    assert page.is_visible("#overview")
    assert edges_shown(page) == very_large_graph.n_edges


def test_the_browser_goes_back_and_forward_between_communities(opened, very_large_report, labels):
    page = opened(very_large_report)
    page.click("#overview [data-community='1']")
    kept = parse_qs(address(page)[1:])["focus"]
    assert kept[0] == "community"
    assert int(kept[1].split()[1]) in members(labels, 1)
    page.go_back()
    page.wait_for_selector("#overview", state="visible")
    page.go_forward()
    page.wait_for_selector("#overview", state="hidden")
    again = opened(very_large_report, address(page))
    assert edges_shown(again) == edges_shown(page)


def test_a_click_on_a_line_opens_both_communities(
    opened, very_large_report, very_large_graph, labels
):
    page = opened(very_large_report)
    line = page.locator("#overview line").first
    words = line.locator("title").text_content()
    first, second = (int(word) - 1 for word in words.split("communities ")[1].split(" and "))
    line.dispatch_event("click")
    assert edges_shown(page) == edges_in(very_large_graph, members(labels, first, second))


def test_search_opens_the_community_of_the_variable(
    opened, very_large_report, very_large_graph, labels
):
    page = opened(very_large_report, reduced_motion="reduce")
    for name in ("gene 777", "gene 3000"):
        page.fill("#search", name)
        page.press("#search", "Enter")
        rest(page)
        assert page.is_hidden("#overview")
        assert page.inner_text("#node-name") == name
        own = members(labels, labels[very_large_graph.nodes.index(name)])
        assert edges_shown(page) == edges_in(very_large_graph, own)
    page.fill("#search", "alone")
    page.press("#search", "Enter")
    assert page.get_attribute("#network", "data-selected") == "alone"
    page.press("#search", "Escape")
    page.click("#back")
    assert page.is_visible("#overview")


def test_a_link_to_a_variable_opens_its_community(opened, very_large_report):
    page = opened(very_large_report, "#variable=gene+777")
    assert page.is_hidden("#overview")
    assert page.get_attribute("#network", "data-selected") == "gene 777"


def test_the_table_and_the_legend_open_communities(
    opened, very_large_report, very_large_graph, labels
):
    page = opened(very_large_report, reduced_motion="reduce")
    page.click("#edge-rows tr:first-child td:nth-child(3)")
    assert page.is_hidden("#overview")
    assert page.get_attribute("#network", "data-edge") == str(very_large_graph.evidence.argmax())
    page.click("#sets [data-number='4']")
    assert edges_shown(page) == edges_in(very_large_graph, members(labels, 4))


def test_thresholds_change_the_lines(opened, very_large_report):
    page = opened(very_large_report)
    before = page.locator("#overview line").count()
    page.fill("#evidence-least", "60")
    page.press("#evidence-least", "Enter")
    assert page.is_visible("#overview")
    assert page.locator("#overview line").count() < before


def test_the_keyboard_opens_a_community(opened, very_large_report, very_large_graph, labels):
    page = opened(very_large_report)
    page.focus("#overview [data-community='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert edges_shown(page) == edges_in(very_large_graph, members(labels, 1))
    page.click("#back")
    assert page.evaluate("document.activeElement.dataset.community") == "0"


def test_the_overview_after_a_selection(opened, very_large_report, very_large_graph):
    page = opened(very_large_report, "#variable=gene+777", reduced_motion="reduce")
    page.click("#show-every-edge")
    assert page.is_visible("#overview")
    page.select_option("#focus", "all")
    rest(page)
    assert page.is_hidden("#overview")
    assert edges_shown(page) == very_large_graph.n_edges
    page.select_option("#focus", "overview")
    assert page.is_visible("#overview")


def test_downloads_and_print_have_the_overview(opened, very_large_report, labels, tmp_path):
    page = opened(very_large_report)
    assert len(drawn(page, tmp_path, "circle")) == labels.max() + 1
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#print-picture circle").count() == labels.max() + 1


@pytest.mark.parametrize(
    "options", [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 800}}]
)
def test_no_violation_of_accessibility(opened, very_large_report, options):
    page = opened(very_large_report, **options)
    for step in ("overview", "community"):
        found = axe.Axe().run(page)
        assert found.violations_count == 0, (step, found.generate_report())
        if step == "overview":
            page.click("#overview [data-community='0']")


def test_a_graph_of_moderate_size_shows_variables(opened, large_report):
    page = opened(large_report)
    assert page.is_hidden("#overview")
    assert page.is_hidden("#back")
