"""Edges by distance along a genome, in the report."""

import pytest

import markhood
from browser.conftest import discs
from markhood.data.genome.loci import Locus


@pytest.fixture(scope="module")
def genome_report(tmp_path_factory):
    """Thirty sites: near edges, a few far ones, one of these far above the others, and a second chromosome."""
    loci = [Locus("1", 1000 * k) for k in range(30)] + [Locus("2", 7)]
    edges = [(k, k + 5) for k in range(0, 24, 2)] + [(0, 29), (4, 30)]
    evidence = [(5 + k % 3, 5) for k in range(12)] + [(80, 80), (3, 4)]
    names = [f"{place.chromosome}:{place.position}" for place in loci]
    graph = markhood.Graph(
        markhood.Variables(tuple(names), loci=tuple(loci)),
        edges,
        evidence,
        [(1, 1)] * len(edges),
        {"min_distance": 2000},
    )
    path = tmp_path_factory.mktemp("report") / "genome.html"
    markhood.write_report(graph, path)
    return path


def test_edges_are_drawn_by_distance_and_the_outlier_is_marked(opened, genome_report):
    page = opened(genome_report)
    assert page.locator("#distance-chart circle").count() == 14
    assert (
        page.locator("#distance-chart .extreme title").text_content()
        == "1:0 \N{EN DASH} 1:29000: 160.0"
    )
    assert page.inner_text("#distance-count") == "1 extreme outlier, 0 others."
    words = page.locator("#distance-chart text").all_text_contents()
    assert {"distance (kb)", "between", "chromosomes"} <= set(words)
    far = float(page.locator("#distance-chart .extreme").get_attribute("cx"))
    between = page.locator("#distance-chart circle", has_text="2:7")
    assert float(between.get_attribute("cx")) > far


def test_a_click_on_a_point_selects_its_edge(opened, genome_report):
    page = opened(genome_report)
    page.locator("#distance-chart .extreme").click()
    assert page.inner_text("#edge-name") == "1:0 \N{EN DASH} 1:29000"


def test_the_table_has_the_distance(opened, genome_report):
    page = opened(genome_report)
    heads = page.locator("#edges th").all_inner_texts()
    page.click("#edges button[data-column=distance]")
    column = page.locator(f"#edge-rows td:nth-child({heads.index('distance') + 1})")
    assert column.all_inner_texts()[:3] == ["+\N{INFINITY}", "29000", "5000"]


def test_only_edges_that_are_shown_are_drawn(opened, genome_report):
    page = opened(genome_report)
    page.fill("#evidence-least", "100")
    page.locator("#evidence-least").blur()
    assert page.locator("#distance-chart circle").count() == 1


def test_variables_stand_around_a_circle_to_scale(opened, genome_report, tmp_path):
    page = opened(genome_report)
    places = discs(page, tmp_path)
    across, down = zip(*places, strict=True)
    middle = ((min(across) + max(across)) / 2, (min(down) + max(down)) / 2)
    away = [((x - middle[0]) ** 2 + (y - middle[1]) ** 2) ** 0.5 for x, y in places]
    assert max(away) - min(away) < 0.05 * max(away)


def test_a_graph_without_places_has_no_such_chart(opened, small_report):
    page = opened(small_report)
    assert page.locator("#distance-figure").is_hidden()
