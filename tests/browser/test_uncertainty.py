"""Findings, intervals, centralities, classes, factors, groups and texts in the page."""

import re

import numpy as np
import pandas as pd
import pytest

import markhood
from browser.conftest import address, rest
from browser.test_report import edges_shown, picture
from markhood.learning.request import Request

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

ITEMS = {"mood": "Often feel blue.", "sleep": "Sleep badly.", "work": "Enjoy my work."}
SCALES = {"mood": "feeling", "sleep": "body", "appetite": "body", "work": "life", "home": "life"}


@pytest.fixture(scope="session")
def survey():
    """A chain of five binary answers, with its graph, model and bootstraps."""
    rng = np.random.default_rng(0)
    columns = [rng.random(500) < 0.5]
    for _ in range(4):
        columns.append(columns[-1] ^ (rng.random(500) < 0.2))
    table = {name: own.astype(int).tolist() for name, own in zip(SCALES, columns, strict=True)}
    samples = markhood.encode(pd.DataFrame(table))
    graph = markhood.learn(samples)
    model = markhood.fit_model(graph, samples)
    replicates = [
        markhood.bootstrap(samples, replicates=40, resample=how, n_jobs=1)
        for how in ("rows", "cases")
    ]
    return samples, graph, model, replicates


@pytest.fixture(scope="session")
def full_report(survey, tmp_path_factory):
    samples, graph, model, replicates = survey
    path = tmp_path_factory.mktemp("report") / "survey.html"
    parts = {"model": model, "bootstrap": replicates, "labels": ITEMS, "groups": SCALES}
    markhood.write_report(graph, path, samples, "Well-being", **parts)
    return path


def test_findings_come_first(opened, full_report):
    page = opened(full_report)
    assert page.inner_text("#title") == "Well-being"
    said = page.locator("#findings-list li").all_inner_texts()
    assert 3 <= len(said) <= 5
    assert "multiplies the odds" in said[0]
    assert "95 % interval" in said[0]
    assert any("CS coefficient" in text for text in said)
    assert any("of 40 bootstrap replicates" in text for text in said)
    assert page.locator("#findings").bounding_box()["y"] < 200
    # Most of the picture and its legend are on the first screen.
    assert page.locator("#network").bounding_box()["y"] < 450
    assert page.locator("#kinds").bounding_box()["y"] < 800


def test_tables_are_not_cut_off(opened, full_report, bayes_report):
    for report in (full_report, bayes_report[0]):
        page = opened(report)
        overflow = "([box]) => box.scrollWidth - box.clientWidth"
        assert page.locator("#edges-section .wide").evaluate_all(overflow) <= 0
        page.set_viewport_size({"width": 703, "height": 1032})  # A4 without its margins
        page.emulate_media(media="print")
        assert page.locator("#edges-section .wide").evaluate_all(overflow) <= 0


def test_a_phone_shows_the_coupling_next_to_the_texts(opened, full_report):
    page = opened(full_report, viewport={"width": 390, "height": 844})
    box = page.locator("#edge-rows tr >> nth=0 >> td >> nth=3").bounding_box()
    assert box["x"] + box["width"] <= 390


def test_a_survey_of_bayes_with_texts_has_five_pages(opened, tmp_path):
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(400, 5)).repeat(5, axis=1)
    answers = np.digitize(factors + 0.9 * rng.normal(size=(400, 25)), [-1.2, -0.4, 0.4, 1.2])
    names = [f"item{k}" for k in range(25)]
    samples = markhood.encode(pd.DataFrame(answers, columns=names), kinds="ordinal")
    learned = Request.of("bayes", {"seed": 1}).learn(samples).graph
    texts = [f"I often find it difficult to approach the others {k}." for k in range(25)]
    parts = {"model": markhood.fit_model(learned, samples), "labels": texts}
    markhood.write_report(learned, tmp_path / "survey.html", samples, "Survey", **parts)
    page = opened(tmp_path / "survey.html")
    page.pdf(path=tmp_path / "survey.pdf", format="A4")
    printed = (tmp_path / "survey.pdf").read_bytes()
    assert 1 < len(re.findall(rb"/Type\s*/Page\b", printed)) <= 5
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#edge-rows tr").count() == 30


def test_the_methods_paragraph_has_the_model_and_the_bootstrap(opened, full_report):
    paragraph = opened(full_report).inner_text("#cite p >> nth=0")
    assert "joint pseudo-likelihood" in paragraph
    assert "CS coefficient" in paragraph
    assert paragraph.count("was learned") == 1


def test_intervals_and_frequencies_are_in_table_card_and_chart(opened, full_report):
    page = opened(full_report)
    heads = page.locator("#edges th").all_inner_texts()
    assert {"95 % interval", "frequency", "replicates"} <= set(heads)
    assert page.locator("#interval-chart circle").count() == edges_shown(page) == 4
    assert page.locator("#interval-chart .inner").count() == 4
    assert page.locator("#interval-chart .outer").count() == 4
    page.locator("#interval-chart .clickable").first.click()
    said = page.inner_text("#edge-facts")
    assert "95 %" in said
    assert "frequency" in said
    assert "of the replicates" in said


def test_centralities_have_intervals_and_stability(opened, full_report):
    page = opened(full_report)
    assert page.locator("#centrality-chart .inner").count() == 5
    assert "CS coefficient" in page.inner_text("#centrality-words")
    page.select_option("#centrality", "degree")
    assert "number of neighbours" in page.inner_text("#centrality-words")
    page.locator("#centrality-chart .clickable").first.click()
    assert page.get_attribute("#network", "data-selected")


def test_a_variable_has_its_text_group_predictability_and_fields(opened, full_report):
    page = opened(full_report)
    page.fill("#search", "feel blue")  # the text of an item
    page.press("#search", "Enter")
    assert page.inner_text("#node-name") == "mood"
    assert page.inner_text("#node-text") == "Often feel blue."
    facts = page.inner_text("#node-facts")
    assert facts.startswith("feeling; 1 neighbour; strength ")
    assert "predictability 0." in facts
    assert page.locator("#field-rows tr").count() == 1
    assert " to " in page.inner_text("#field-rows")
    assert page.is_visible("#ring-words")


def test_a_variable_has_the_stability_of_its_community(opened, tmp_path):
    rng = np.random.default_rng(1)
    traits = rng.normal(size=(400, 2)).repeat([4, 4], axis=1)
    items = (2 * traits + rng.logistic(size=(400, 8)) > 0).astype(int)
    graph = markhood.learn(items, factors=0)
    replicates = graph.bootstrap(items, replicates=20, n_jobs=1)
    markhood.write_report(graph, tmp_path / "items.html", bootstrap=replicates)
    page = opened(tmp_path / "items.html")
    page.fill("#search", graph.nodes[0])
    share = round(100 * replicates.communities().stability[0])
    assert f"in its community in {share} % of" in page.inner_text("#node-facts")


def test_groups_colour_the_variables(opened, full_report):
    page = opened(full_report)
    assert page.input_value("#colouring") == "group"
    assert page.locator("#sets button").all_inner_texts() == ["feeling (1)", "body (2)", "life (2)"]
    page.click("#sets [data-number='1']")
    assert page.get_attribute("#sets [data-number='1']", "aria-pressed") == "true"
    assert "group=2" in address(page)
    page.keyboard.press("Escape")
    before = picture(page)
    page.select_option("#colouring", "community")
    assert "colour=community" in address(page)
    assert picture(page) != before
    assert page.inner_text("#sets").startswith("appetite, work \u2026 (3)")
    assert page.locator("#sets button").first.get_attribute("title") == "appetite, work, home"


def test_tooltips_say_the_text_and_the_odds(opened, full_report, survey, tmp_path):
    from browser.conftest import discs

    page = opened(full_report)
    places = discs(page, tmp_path)
    page.mouse.move(*places[0])
    page.wait_for_selector("#tip:not([hidden])")
    assert "Often feel blue." in page.inner_text("#tip")
    (x, y), (v, w) = places[0], places[1]
    page.mouse.move((x + v) / 2, (y + w) / 2, steps=5)
    page.wait_for_timeout(100)
    assert "the odds of mood = 1" in page.inner_text("#tip")
    assert "frequency 1.00" in page.inner_text("#tip")


@pytest.fixture(scope="session")
def bayes_report(survey, tmp_path_factory):
    request = Request.of("bayes", {"seed": 1})
    learned = request.learn(survey[0])
    path = tmp_path_factory.mktemp("report") / "bayes.html"
    markhood.write_graph(learned.graph, path.with_suffix(".json"))
    markhood.write_report(markhood.read_graph(path.with_suffix(".json")), path, survey[0])
    return path, learned


def test_pairs_are_present_absent_or_undecided(opened, bayes_report):
    path, learned = bayes_report
    page = opened(path)
    rows = page.locator("#classes tr").all_inner_texts()
    assert [row.split()[0] for row in rows] == ["present", "undecided", "absent"]
    counts = [int(row.split("\t")[2]) for row in rows]
    assert sum(counts) == 10
    factors = learned.probabilities.bayes_factors
    assert counts[0] == int((factors > 10).sum()) >= 4
    assert page.locator("#undecided tr").count() == counts[1]
    assert page.locator("#sensitivity-chart polyline").count() == 2
    heads = page.locator("#edges th").all_inner_texts()
    assert {"probability", "Bayes factor", "R-hat"} <= set(heads)


def test_loadings_of_hidden_factors(opened, tmp_path):
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=(800, 1))
    table = (hidden + rng.normal(size=(800, 12)) > 0).astype(int)
    graph = markhood.learn(table, factors=1)
    markhood.write_report(graph, tmp_path / "factors.html")
    page = opened(tmp_path / "factors.html")
    assert page.is_visible("#factors-section")
    assert page.locator("#factor-chart circle").count() == 12
    assert "of the variance" in page.inner_text("#factor")
    page.locator("#factor-chart .clickable").first.click()
    assert page.get_attribute("#network", "data-selected").startswith("x")


def test_required_and_forbidden_edges_are_marked(opened, survey, tmp_path):
    known = markhood.Knowledge(
        required_edges=[("mood", "home")], forbidden_edges=[("mood", "work")]
    )
    graph = markhood.learn(survey[0], knowledge=known)
    markhood.write_report(graph, tmp_path / "known.html")
    page = opened(tmp_path / "known.html")
    assert page.is_visible("#required-words")
    page.fill("#edge-search", "mood home")
    assert page.locator("#edge-rows tr").count() == 1
    page.locator("#edge-rows tr").click()
    assert "this edge was required" in page.inner_text("#edge-facts")
    page.fill("#search", "work")
    page.press("#search", "Enter")
    assert page.inner_text("#forbidden") == "Forbidden as neighbours: mood."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_violation_of_accessibility(opened, full_report, bayes_report, scheme, width):
    for report in (full_report, bayes_report[0]):
        viewport = {"width": width, "height": 844}
        page = opened(report, color_scheme=scheme, viewport=viewport)
        page.locator("#edge-rows td:first-child button").first.click()
        rest(page)
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
