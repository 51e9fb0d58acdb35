"""The picture under mouse, keyboard and finger: edges, variables, legend, limits, address."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import markhood
from browser.conftest import address, discs, drawn, rest, saved
from browser.test_report import TO, edges_shown, picture

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

EDGE = 3  # of the small graph: from 'say "hi"' to the image
DASH = "stroke-dasharray"


@pytest.fixture(scope="session")
def weather():
    """Samples of which much is known: levels with names, an edge of probability and interval."""
    rng = np.random.default_rng(0)
    rain = rng.random(400) < 0.4
    wet = np.where(rain, rng.random(400) < 0.9, rng.random(400) < 0.1)
    words = np.array(["no", "yes"])
    table = {"rain": words[rain.astype(int)], "wet": words[wet.astype(int)]}
    return markhood.encode(pd.DataFrame(table))


@pytest.fixture(scope="session")
def weather_report(weather, tmp_path_factory):
    graph = markhood.Graph(
        weather.variables,
        [(0, 1)],
        [(40, 42)],
        [(4, 4.4)],
        annotations={
            "probability": [0.98],
            "coupling_low": [3.5],
            "coupling_high": [4.9],
            "share": [1],
        },
    )
    path = tmp_path_factory.mktemp("report") / "weather.html"
    markhood.write_report(graph, path, weather)
    return path


def middle_of_edge(page, folder, graph, edge):
    places = discs(page, folder)
    (a, b) = (places[node] for node in graph.edges[edge])
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def test_an_edge_is_hovered_and_clicked(opened, small_report, small_graph, tmp_path):
    page = opened(small_report)
    x, y = middle_of_edge(page, tmp_path, small_graph, EDGE)
    before = picture(page)
    page.mouse.move(x, y)
    assert page.inner_text("#tip").startswith(f'say "hi" {TO} <img src=x')
    assert "coupling 0.38" in page.inner_text("#tip")
    assert picture(page) != before
    page.mouse.move(x + 200, y + 300)
    assert page.is_hidden("#tip")
    page.mouse.click(x, y)
    assert page.get_attribute("#network", "data-edge") == str(EDGE)
    assert page.inner_text("#edge-name").startswith(f'say "hi" {TO}')
    assert "9.2, strong" in page.inner_text("#edge-facts")
    page.click("#edge .clear")
    assert page.get_attribute("#network", "data-edge") == ""


def test_the_card_of_an_edge_says_all_that_is_known(opened, weather_report, weather):
    page = opened(weather_report)
    page.click("#edge-rows td:nth-child(3) button")
    said = page.inner_text("#edge-facts")
    assert "82.0, very strong (40.0 from rain, 42.0 from wet)" in said
    assert "4.20 (95 % given the network: 3.50 to 4.90)" in said
    assert "0.98" in said
    assert "share of imputations" in said
    assert page.inner_text("#edge-words") == (
        "With all other variables fixed, wet = yes multiplies the odds of rain = yes by 67."
    )
    assert page.locator("#edge-tables th").all_inner_texts() == ["no", "yes", "no", "yes"]
    counts = [int(text) for text in page.locator("#edge-tables td.number").all_inner_texts()]
    assert sum(counts) == weather.n_samples
    assert page.locator("#edge-tables td.more").count() == 2
    colours = page.locator("#edge-tables td.number").evaluate_all(
        "(cells) => cells.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len(set(colours)) == 4


def test_a_table_of_levels_is_a_heat_map_in_the_card(opened, table_report):
    page = opened(table_report)
    page.locator("#edge-rows tr").nth(1).click()
    assert page.locator("#edge-tables thead th").all_inner_texts() == ["red", "green", "blue"]
    assert page.locator("#edge-tables td.less").count() == 2
    assert page.is_hidden("#edge-words")


def test_a_row_of_the_table_lights_its_edge(opened, small_report):
    page = opened(small_report, viewport={"width": 1280, "height": 2600})
    before = picture(page)
    page.hover("#edge-rows tr:first-child td:nth-child(4)")
    assert picture(page) != before
    page.click("#edge-rows tr:first-child td:nth-child(4)")
    assert page.get_attribute("#network", "data-edge") == "6"


def test_a_selection_brings_the_neighbours_into_view(opened, large_report, large_graph, tmp_path):
    page = opened(large_report, reduced_motion="reduce")
    # On a busy machine a millisecond passes between any two readings of the clock.
    page.evaluate("{ let now = Date.now(); Date.now = () => (now += 1); }")
    page.fill("#search", "gene 77")
    page.press("#search", "Enter")
    rest(page)
    box = page.locator("#network").bounding_box()
    found = drawn(page, tmp_path, "circle")
    near = [77, *(large_graph.nodes.index(name) for name in large_graph.neighbours("gene 77"))]
    for node in near:
        assert 0 < float(found[node].get("cx")) < box["width"]
        assert 0 < float(found[node].get("cy")) < box["height"]


def test_a_camera_move_ends_on_a_busy_machine(opened, small_report):
    page = opened(small_report)
    # A second passes between any two readings of the clock, which is longer than the animation.
    page.evaluate("{ let now = Date.now(); Date.now = () => (now += 1000); }")
    page.fill("#search", "alone")
    page.press("#search", "Enter")
    rest(page)
    page.click("#zoom-in")
    rest(page)


def test_a_lit_edge_is_not_covered_by_faded_nodes(opened, tmp_path):
    graph = markhood.Graph("abc", [(0, 2)], [(5, 5)], [(2, 2)])
    markhood.write_report(graph, tmp_path / "line.html", layout=[(0, 0), (1, 0.5), (2, 0)])
    page = opened(tmp_path / "line.html")
    a, b, c = discs(page, tmp_path)
    middle = ((a[0] + c[0]) / 2, (a[1] + c[1]) / 2)
    page.mouse.move(*b)
    page.mouse.down()
    page.mouse.move(*middle, steps=8)
    page.mouse.up()
    assert page.get_attribute("#network", "data-selected") == ""  # a drag is no click
    page.wait_for_timeout(600)  # or the next would be a double click
    page.mouse.click(*a)
    assert page.get_attribute("#network", "data-selected") == "a"
    rest(page)
    box = page.locator("#network").bounding_box()
    at = [middle[0] - box["x"], middle[1] - box["y"]]
    pixel = page.evaluate(
        """([x, y]) => {
          const canvas = document.querySelector(".sigma-front");
          const ratio = canvas.width / canvas.clientWidth;
          return [...canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data];
        }""",
        at,
    )
    assert pixel[3] == 255
    assert pixel[2] > pixel[0] + 60  # blue


def test_an_edge_that_would_run_through_a_node_is_an_arc(opened, tmp_path):
    graph = markhood.Graph("abc", [(0, 1), (0, 2)], [(5, 5), (3, 3)], [(2, 2), (1, 1)])
    markhood.write_report(graph, tmp_path / "arc.html", layout="grid", columns=3)
    page = opened(tmp_path / "arc.html")
    (arc,) = (e for e in drawn(page, tmp_path, "path"))
    assert re.fullmatch(r"M[\d.]+ [\d.]+Q[\d.]+ [\d.]+ [\d.]+ [\d.]+", arc.get("d"))
    (a, _, c) = discs(page, tmp_path)
    page.mouse.move((a[0] + c[0]) / 2, a[1] - 0.5 * 0.18 * (c[0] - a[0]))
    assert page.inner_text("#tip").startswith(f"a {TO} c:")


def test_width_and_colour_follow_the_coupling(opened, tmp_path):
    strengths = [0.01, 0.8, 4]
    graph = markhood.Graph("abcd", [(0, 1), (1, 2), (2, 3)], None, [(s, s) for s in strengths])
    markhood.write_report(graph, tmp_path / "weak.html")
    page = opened(tmp_path / "weak.html")
    lines = drawn(page, tmp_path, "line")[:3]
    widths = [float(line.get("stroke-width")) for line in lines]
    assert widths[2] == pytest.approx(5 * widths[1], rel=0.05)
    assert 0.8 <= widths[0] < widths[1]
    bright = [int(line.get("stroke")[1:3], 16) for line in lines]
    assert bright[0] > bright[1] > bright[2]


def test_signs_differ_without_colour_and_infinity_has_a_style(opened, small_report, tmp_path):
    page = opened(small_report)
    root = ElementTree.parse(saved(page, "#download-svg", tmp_path)).getroot()
    (group,) = (e for e in root.iter() if e.get("class") == "edges")
    lines = list(group)
    assert len(lines) == 7 + 2  # an infinite coupling is a double line
    doubles = [line for line in lines if line.get("class") == "inside"]
    assert len(doubles) == 2
    edges = [line for line in lines if line.get("class") != "inside"]
    assert sum(line.get(DASH) is not None for line in edges) == 2
    assert "infinite coupling (2)" in page.inner_text("[data-kind=infinite]")


def test_the_legend_filters(opened, small_report):
    page = opened(small_report)
    page.click("[data-kind=repulsion]")
    assert edges_shown(page) == 5
    assert page.get_attribute("[data-kind=repulsion]", "aria-pressed") == "false"
    page.click("[data-kind=infinite]")
    assert edges_shown(page) == 4
    assert page.inner_text("#shown-count") == "4 of 7 edges shown."
    page.click("#show-every-edge")
    assert edges_shown(page) == 7
    page.select_option("#colouring", "community")
    page.click("#sets [data-number='0']")
    assert page.get_attribute("#sets [data-number='0']", "aria-pressed") == "true"


def test_the_width_is_what_the_reader_chooses(opened, table_report, tmp_path):
    page = opened(table_report)
    assert page.locator("#measure option").all_inner_texts() == ["coupling", "evidence"]

    def widest():
        lines = drawn(page, tmp_path, "line")[:3]
        return max(range(3), key=lambda k: float(lines[k].get("stroke-width")))

    # Edges are drawn in the order of their strength, so the widest is the last: look at its sign.
    by_coupling = drawn(page, tmp_path, "line")[2]
    assert by_coupling.get(DASH) is None
    page.select_option("#measure", "evidence")
    by_evidence = drawn(page, tmp_path, "line")[2]
    assert by_evidence.get(DASH) is not None
    assert widest() == 2
    assert "evidence 18" in page.inner_text("#widths")


def test_communities_have_hues_of_their_own(opened, large_report, tmp_path):
    page = opened(large_report)
    fills = {disc.get("fill") for disc in drawn(page, tmp_path, "circle")}
    assert len(fills) >= 20
    assert not fills & {"#0072b2", "#d55e00", "#6d737b"}
    for fill in fills:
        red, green, blue = (int(fill[k : k + 2], 16) for k in (1, 3, 5))
        assert max(red, green, blue) - min(red, green, blue) > 30  # no grey
        assert not (blue > green > red and blue - red > 80), fill  # no blue


def test_variables_are_reached_from_the_keyboard(opened, small_report):
    page = opened(small_report)
    page.focus("#network")
    page.keyboard.press("Enter")
    rest(page)
    first = page.get_attribute("#network", "data-selected")
    assert first
    reached = {first}
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown") * 5:
        page.keyboard.press(key)
        rest(page)
        reached.add(page.get_attribute("#network", "data-selected"))
    assert len(reached) > 3
    page.keyboard.press("Escape")
    assert page.get_attribute("#network", "data-selected") == ""


def test_search_goes_through_all_matches(opened, large_report):
    page = opened(large_report, reduced_motion="reduce")
    page.fill("#search", "gene 199")
    assert page.inner_text("#search-result") == "1 of 11 found"
    names = []
    for _ in range(12):
        page.press("#search", "Enter")
        names.append(page.inner_text("#node-name"))
    assert len(set(names)) == 11
    assert names[0] == names[11] == "gene 199"
    page.fill("#search", "nobody")
    assert "no variable" in page.inner_text("#search-result")
    page.fill("#search", "")
    assert page.inner_text("#search-result") == ""


def test_limits_are_numbers_too(opened, small_report, small_graph):
    page = opened(small_report)
    page.fill("#evidence-least", "9")
    page.press("#evidence-least", "Enter")
    assert edges_shown(page) == int((small_graph.evidence >= 9).sum())
    page.fill("#coupling-least", "1")
    page.press("#coupling-least", "Enter")
    size = np.abs(small_graph.coupling)
    both = (small_graph.evidence >= 9) & ~(size < 1)
    assert edges_shown(page) == int(both.sum())


def test_the_address_keeps_the_view(opened, small_report, tmp_path):
    page = opened(small_report)
    page.fill("#search", "SAY")
    page.press("#search", "Enter")
    page.click("[data-kind=repulsion]")
    page.fill("#evidence-least", "3")
    page.press("#evidence-least", "Enter")
    page.select_option("#measure", "evidence")
    assert "variable=say" in address(page)
    shared = opened(small_report, address(page))
    assert shared.get_attribute("#network", "data-selected") == 'say "hi"'
    assert edges_shown(shared) == edges_shown(page) == 4
    assert shared.input_value("#measure") == "evidence"
    places = [
        [(d.get("cx"), d.get("cy")) for d in drawn(p, tmp_path, "circle")] for p in (page, shared)
    ]
    assert np.allclose(np.array(places[0], float), np.array(places[1], float), atol=2)


def move_fingers(page, paths):
    """Move each finger from its first place to its second, in steps of a finger's pace."""
    touch = page.context.new_cdp_session(page)
    for step in range(16):
        points = [
            {"x": a[0] + (b[0] - a[0]) * step / 15, "y": a[1] + (b[1] - a[1]) * step / 15}
            for a, b in paths
        ]
        kind = "touchMove" if step else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_timeout(20)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(400)


def test_a_finger_scrolls_past_the_picture_and_two_zoom_it(opened, small_report):
    page = opened(small_report, viewport={"width": 390, "height": 800}, has_touch=True)
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    page.locator("#network").evaluate("(network) => network.scrollIntoView()")
    before = page.evaluate("scrollY")
    box = page.locator("#network").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 200
    move_fingers(page, [((x - 20, y), (x - 120, y)), ((x + 20, y), (x + 120, y))])
    assert page.evaluate("scrollY") == before
    page.wait_for_url("**view=*")
    assert float(re.search(r"view=[^&]*_([\d.]+)", page.url)[1]) < 0.5
    move_fingers(page, [((x, y), (x, y - 150))])
    assert page.evaluate("scrollY") > before + 80


def test_a_tap_selects_an_edge(opened, small_report, small_graph, tmp_path):
    page = opened(small_report, viewport={"width": 390, "height": 800}, has_touch=True)
    x, y = middle_of_edge(page, tmp_path, small_graph, EDGE)
    page.touchscreen.tap(x + 4, y + 4)
    page.wait_for_selector(f"#network[data-edge='{EDGE}']")


def test_names_are_neither_cut_off_nor_on_each_other(opened, large_report, small_report, tmp_path):
    for report in (large_report, small_report):
        page = opened(report, viewport={"width": 390, "height": 800})
        box = page.locator("#network").bounding_box()
        boxes = page.evaluate(
            """(svg) => {
              const holder = document.createElement("div");
              document.body.append(holder);
              holder.append(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement);
              return [...holder.querySelectorAll(".names text")].map((text) => {
                const { x, y, width, height } = text.getBBox();
                return [x, y, x + width, y + height];
              });
            }""",
            saved(page, "#download-svg", tmp_path).read_text(),
        )
        assert len(boxes) > 3
        assert all(left >= -2 and right <= box["width"] + 2 for left, _, right, _ in boxes)
        for k, a in enumerate(boxes):
            for b in boxes[:k]:
                aside = max(a[0] - b[2], b[0] - a[2])
                apart = max(a[1] - b[3], b[1] - a[3])
                assert max(aside, apart) > -3


def test_both_ends_of_a_pair_are_labelled(opened, tmp_path):
    names = [f"Chrysophyllum.argenteum.{k}" for k in range(100)]
    evidence = [(k, k) for k in range(50)]
    pairs = [(2 * k, 2 * k + 1) for k in range(50)]
    graph = markhood.Graph(names, pairs, evidence, [(1, 1)] * 50)
    markhood.write_report(graph, tmp_path / "pairs.html")
    page = opened(tmp_path / "pairs.html", "#width=evidence")
    texts = drawn(page, tmp_path, "text")
    shown = {
        int(text.text.rsplit(".")[-1]) for text in texts if (text.text or "").startswith("Chr")
    }
    assert len(shown) > 10
    assert shown == {k ^ 1 for k in shown}


def test_the_width_is_standardized_where_levels_differ(opened, tmp_path):
    levels = ((0, 1, 2, 3), (0, 1, 2), (0, 1))
    variables = markhood.Variables(("a", "b", "c"), levels)
    columns = {"standardized": [2.0, 0.5]}
    graph = markhood.Graph(
        variables, [(0, 1), (1, 2)], [(3, 3)] * 2, [(1, 1), (3, 3)], annotations=columns
    )
    markhood.write_report(graph, tmp_path / "mixed.html")
    page = opened(tmp_path / "mixed.html")
    assert page.input_value("#measure") == "standardized"
    assert "standardized coupling 2.0" in page.inner_text("#widths")
    assert "standardized" in page.inner_text("#edge-headings")


def test_labels_of_a_phone_cover_no_node_and_leave_room_for_the_picture(opened, tmp_path):
    rng = np.random.default_rng(0)
    pairs = [(i, j) for i in range(24) for j in range(i) if rng.random() < 0.15]
    names = [f"S{k}WantToScold" for k in range(24)]
    graph = markhood.Graph(names, pairs, [(1, 1)] * len(pairs), [(1, 1)] * len(pairs))
    markhood.write_report(graph, tmp_path / "crowded.html")
    page = opened(tmp_path / "crowded.html", viewport={"width": 390, "height": 844})
    assert page.locator("#network").bounding_box()["height"] < 390
    svg = saved(page, "#download-svg", tmp_path).read_text()
    boxes, circles = page.evaluate(
        """(svg) => {
          const holder = document.createElement("div");
          document.body.append(holder);
          holder.append(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement);
          const texts = [...holder.querySelectorAll(".names text")].map((text) => text.getBBox());
          const discs = [...holder.querySelectorAll(".nodes circle")].map((disc) => disc.getBBox());
          return [texts, discs].map((all) => all.map(({ x, y, width, height }) => [x, y, x + width, y + height]));
        }""",
        svg,
    )
    assert len(boxes) > 5
    for left, top, right, bottom in boxes:
        for x0, y0, x1, y1 in circles:
            assert max(left - x1, x0 - right) > -4 or max(top - y1, y0 - bottom) > -4


def test_long_names_do_not_make_a_long_page(opened, tmp_path):
    names = [f"{'how often did you feel that everything was an effort ' * 4}{k}" for k in range(30)]
    graph = markhood.Graph(names, [(k, k + 1) for k in range(29)], [(k, k) for k in range(29)])
    markhood.write_report(graph, tmp_path / "long.html")
    page = opened(tmp_path / "long.html", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollHeight") < 7000
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_full_screen_gives_the_picture_the_screen(opened, small_report):
    page = opened(small_report)
    before = page.locator("#network").bounding_box()
    page.click("#full-screen")
    page.wait_for_function("document.fullscreenElement !== null")
    rest(page)
    assert page.locator("#network").bounding_box()["height"] > before["height"]
    assert page.inner_text("#full-screen") == "Leave full screen"


def test_shares_are_bars_with_the_names_of_levels(opened, weather_report):
    page = opened(weather_report)
    page.click("#edge-rows td:first-child button")
    rows = page.locator("#node-shares tr").all_inner_texts()
    assert [re.split(r"\s+", row)[0] for row in rows] == ["no", "yes"]
    assert all(row.endswith("%") for row in rows)
    assert page.locator("#node-shares rect").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_violation_of_accessibility(opened, weather_report, small_report, scheme):
    for report in (weather_report, small_report):
        page = opened(report, color_scheme=scheme)
        for selector in (
            None,
            "#edge-rows td:first-child button",
            "#edge-rows td:nth-child(3) button",
        ):
            if selector:
                page.locator(selector).first.click()
                rest(page)
            found = axe.Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
