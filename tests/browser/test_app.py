"""The page of `markhood app` in Chromium, served by the real command."""

import json
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("uvicorn")

WAIT = 60_000
DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    document.querySelector("main").dispatchEvent(
      new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
  }
}"""
HOSTILE = "<img src=x onerror=alert(1)>"
RUN = [sys.executable, "-c", "from markhood.commandline.start import main; main()"]


@contextmanager
def running(folder):
    """Run the command; yield its process and address."""
    process = subprocess.Popen(
        [*RUN, "app", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={"TMPDIR": str(folder), "PATH": "", "HOME": str(folder)},
    )
    try:
        yield process, re.search(r"http\S+", process.stdout.readline())[0]
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with running(tmp_path_factory.mktemp("app")) as (_, found):
        yield found


@pytest.fixture(scope="module")
def survey():
    """A chain of four answers, a hostile name, an ordered scale of words, a group."""
    rng = np.random.default_rng(0)
    answers = [rng.integers(1, 5, 250)]
    for _ in range(3):
        answers.append(np.where(rng.random(250) < 0.7, answers[-1], rng.integers(1, 5, 250)))
    moods, groups = rng.choice(["fine", "bad", "good"], 250), rng.choice(["old", "young"], 250)
    lines = [f"id,q1,q2,q3,{HOSTILE},mood,group"]
    lines += [
        ",".join(map(str, [k + 1000, *own]))
        for k, own in enumerate(zip(*answers, moods, groups, strict=True))
    ]
    return "\n".join(lines)


@pytest.fixture
def visit(chromium):
    """Open an address in a page; its complaints and its requests elsewhere fail the test."""
    contexts, complaints, requests = [], [], []

    def go(address, **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: "GL Driver Message" in said.text or complaints.append(said.text),
        )
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address)
        page.wait_for_selector("html[data-ready=home]")
        return page

    go.complaints = complaints
    yield go
    for context in contexts:
        context.close()
    assert complaints == []
    assert {url.split("/")[2] for url in requests if url.startswith("http")} <= {
        url.split("/")[2] for url in requests[:1]
    }


def dropped(page, text, name="survey.csv"):
    page.evaluate(DROP, [name, text])
    page.wait_for_selector("table.codebook")


def answered(page):
    """Wait for the complete result."""
    page.wait_for_selector(".actions >> text=Save this analysis")


def settled(page):
    page.wait_for_selector("main:not([aria-busy])")


def opened_at(page, step):
    page.wait_for_selector(f"html[data-ready={step}]")


def violations(page):
    """Return what axe finds on the page, without the frame, which has tests of its own."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"resultTypes": ["violations"], "iframes": False}
    found = axe.run(page, options=options).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]


def downloaded(page, button, folder):
    with page.expect_download() as waiting:
        page.click(button)
    path = Path(folder, waiting.value.suggested_filename)
    waiting.value.save_as(path)
    return path


def test_from_a_dropped_file_to_the_paragraph(visit, address, survey, tmp_path):
    page = visit(address)
    dropped(page, survey)
    assert page.locator("table.codebook tbody tr").count() == 7
    assert page.input_value("[data-key=role-id]") == "skip"
    assert page.locator("main img").count() == 0  # a hostile name stays text

    page.select_option("[data-key=role-group]", "covariate")
    page.wait_for_selector("text=changed")
    settled(page)
    page.click("[data-key=levels-mood]")
    page.click("[aria-label='Move fine down']")
    page.click("dialog >> text=Save")
    page.wait_for_selector("[data-key=levels-mood] >> text=bad, good, fine")
    assert page.input_value("[data-key=kind-mood]") == "ordinal"

    page.click("a.primary")
    opened_at(page, "ask")
    page.wait_for_selector("text=/Takes (about|at least)/")
    page.click("button.primary")
    answered(page)
    assert "direct connection" in page.inner_text("h1")
    report = page.frame_locator("iframe")
    report.locator("html[data-ready]").wait_for()
    assert HOSTILE in report.locator("#edge-rows").inner_text()
    report.locator("#network canvas").first.wait_for()

    page.click("#tab-take")
    paragraph = downloaded(page, "text=Download methods.txt", tmp_path)
    assert "was learned from 250 observations" in paragraph.read_text()
    assert "adjusted for group" in paragraph.read_text()
    command = page.inner_text("pre >> nth=0")
    assert command.startswith("markhood learn survey.csv --codebook codebook.csv")
    assert "markhood.learn(" in page.inner_text("pre >> nth=1")
    codebook = downloaded(page, "#panel-take >> text=codebook.csv >> nth=-1", tmp_path)
    assert "mood,,ordinal,bad | good | fine" in codebook.read_text()

    kept = downloaded(page, ".actions >> text=Save this analysis", tmp_path)
    assert kept.name == "survey.markhood"
    page.goto(f"{address}#/")
    page.wait_for_selector("#file", state="attached")
    page.set_input_files("#file", kept)
    page.wait_for_selector("text=Use these settings with a table")
    assert "direct connection" in page.inner_text("h1")
    page.click("text=Use these settings with a table")
    page.wait_for_selector("text=will be used for the next table")
    dropped(page, survey)
    assert page.input_value("[data-key=role-group]") == "covariate"


def test_downloads_of_the_report_work_inside_its_frame(visit, address, survey, tmp_path):
    page = visit(address)
    dropped(page, survey)
    page.click("a.primary")
    opened_at(page, "ask")
    page.click("button.primary")
    answered(page)
    report = page.frame_locator("iframe")
    report.locator("html[data-ready]").wait_for()
    for button in ("#download-csv", "#download-svg"):
        with page.expect_download() as waiting:
            report.locator(button).click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
        assert (tmp_path / waiting.value.suggested_filename).stat().st_size > 100
    # The frame can reach neither this page nor the server.
    frame = page.frames[1]
    assert frame.evaluate("origin") == "null"
    refused = frame.evaluate("fetch('../../../state').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    page.wait_for_timeout(100)
    visit.complaints.clear()  # the browser reports the request that it refused


def press_to(page, selector, key="Tab", most=200):
    """Press a key until an element has the focus."""
    for _ in range(most):
        if page.evaluate("(selector) => document.activeElement?.matches(selector)", selector):
            return
        page.keyboard.press(key)
    raise AssertionError(
        f"{selector} cannot be reached: {page.evaluate('document.activeElement.outerHTML')[:200]}"
    )


def test_with_the_keyboard_only(visit, address, survey, tmp_path):
    page = visit(address)
    path = tmp_path / "survey.csv"
    path.write_text(survey)
    press_to(page, "#file")
    page.wait_for_timeout(500)  # the browser ignores a key that comes too early
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    chooser.value.set_files(path)
    page.wait_for_selector("table.codebook")
    press_to(page, "[data-key=role-group]")
    page.keyboard.press("L")  # Leave out
    page.wait_for_selector(".changed")
    settled(page)
    assert page.evaluate("document.activeElement.dataset.key") == "role-group"
    assert page.input_value("[data-key=role-group]") == "skip"
    press_to(page, "[data-key=levels-mood]", "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    press_to(page, "[aria-label='Move bad down']")
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move bad down"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.key") == "levels-mood"
    press_to(page, "a.primary")
    page.keyboard.press("Enter")
    opened_at(page, "ask")
    press_to(page, "[name=question]")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#set-replicates")
    press_to(page, "#set-replicates")
    page.keyboard.type("20")
    press_to(page, "button.primary")
    page.keyboard.press("Enter")
    answered(page)
    assert "repetitions" in page.inner_text("h1")
    press_to(page, "#tab-report")
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.id") == "tab-take"
    press_to(page, "#panel-take button")
    press_to(page, "#panel-take .next button:nth-child(2)")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "methods.txt"


def test_no_violations_of_accessibility(visit, address, survey):
    for scheme, width in (("light", 1280), ("dark", 390)):
        page = visit(address, color_scheme=scheme, viewport={"width": width, "height": 800})
        assert violations(page) == []
        dropped(page, survey)
        assert violations(page) == []
        page.click("[data-key=levels-mood]")
        assert violations(page) == []
        page.keyboard.press("Escape")
        page.click("a.primary")
        opened_at(page, "ask")
        page.wait_for_selector("text=/Takes (about|at least)/")
        page.click("text=Advanced settings")
        for group in page.locator(".group > summary").all():
            group.click()
        assert violations(page) == []
        page.click("button.primary")
        answered(page)
        for tab in page.locator("[role=tab]").all():
            tab.click()
            assert violations(page) == []
        widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]
        job = page.url.split("/")[-1]
        page.goto(f"{address}#/compare/{job}/{job}")
        page.wait_for_selector("text=Two results side by side")
        assert violations(page) == []


def test_the_advanced_panel_has_every_setting(visit, address, survey):
    from markhood.app.questions import QUESTIONS

    page = visit(address)
    dropped(page, survey)
    page.click("a.primary")
    opened_at(page, "ask")
    for name, question in QUESTIONS.items():
        page.check(f"[value={name}]")
        page.wait_for_function(
            "(n) => document.querySelectorAll('[id^=set-]:is(input, select)').length === n",
            arg=_shown(question),
        )
    page.check("[value=learn]")
    page.click("text=Advanced settings")
    page.click("summary >> text=/^Method$/")
    page.select_option("#set-method", "chow-liu")
    page.wait_for_selector("#set-rule", state="detached")
    page.click("button.primary")
    answered(page)
    page.click("#tab-take")
    assert "--method chow-liu" in page.inner_text("pre >> nth=0")


def _shown(question):
    """Count the settings of the page, with the method, without those of planning without data."""
    return len(question.settings("plrhc")) + 1


def test_groups_are_compared(visit, address, survey):
    page = visit(address)
    dropped(page, survey)
    page.click("a.primary")
    opened_at(page, "ask")
    page.check("[value=compare-groups]")
    page.wait_for_selector("select#set-by")
    page.select_option("#set-by", "group")
    page.click("button.primary")
    answered(page)
    assert "network" in page.inner_text("h1")
    report = page.frame_locator("iframe")
    report.locator("html[data-ready]").wait_for()
    assert "old: " in report.locator("#summary").inner_text()
    page.click("#tab-tables")
    assert page.locator("#panel-tables td").count() > 20


def test_two_results_are_side_by_side(visit, address, survey):
    page = visit(address)
    dropped(page, survey)
    for gamma in ("0.5", "20"):
        page.click("a.primary")
        opened_at(page, "ask")
        page.click("text=Advanced settings")
        page.click("summary >> text=/^Method$/")
        page.fill("#set-gamma", gamma)
        page.keyboard.press("Tab")
        page.click("button.primary")
        opened_at(page, "run")
        answered(page)
    chooser = "[aria-label='Compare with another result']"
    page.wait_for_selector(chooser)
    last = page.locator(f"{chooser} option").last.get_attribute("value")
    page.select_option(chooser, last)
    page.wait_for_selector("iframe >> nth=2")
    assert page.locator("text=gamma 20").count() == 1
    report = page.frame_locator("iframe >> nth=2")
    report.locator("html[data-ready]").wait_for()
    assert "edges are in both" in report.locator("#findings").inner_text()


def test_two_tabs_a_closed_tab_and_cancelling(visit, address, survey):
    page = visit(address)
    dropped(page, survey)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("table.codebook")
    other.select_option("[data-key=role-mood]", "skip")
    other.wait_for_selector("text=changed")
    assert page.locator("text=changed").count() == 0  # each tab has its own choices
    page.click("a.primary")
    opened_at(page, "ask")
    page.check("[value=bootstrap]")
    page.fill("#set-replicates", "100000")
    page.click("button.primary")
    page.wait_for_selector("text=Repeating the analysis")
    run = page.url
    page.close()
    other.goto(run)
    other.wait_for_selector("text=/left in this step/")
    other.click("text=Cancel")
    other.wait_for_selector("h1 >> text=Cancelled")
    other.reload()
    other.wait_for_selector("h1 >> text=Cancelled")


def test_messages_are_shown(visit, address):
    page = visit(address)
    page.evaluate(DROP, ["picture.exe", "nothing"])
    page.wait_for_selector(".message:visible")
    assert "picture.exe" in page.inner_text(".message:visible")
    page.goto(f"{address}#/run/absent")
    page.wait_for_selector("text=That did not work")
    page.goto(f"{address}#/nowhere")
    page.wait_for_selector(".hero")
    page.evaluate(DROP, ["broken.markhood", "nothing"])
    page.wait_for_selector("#problem:visible")
    visit.complaints.clear()  # the browser lists answers with an error


def test_a_killed_server_is_reported(visit, survey, tmp_path):
    with running(tmp_path) as (process, own):
        page = visit(own)
        dropped(page, survey)
        process.kill()
        page.select_option("[data-key=role-group]", "skip")
        page.wait_for_selector("#lost:visible")
    visit.complaints.clear()  # the browser reports each failed request


def test_the_page_ends_the_server(visit, tmp_path):
    with running(tmp_path) as (process, own):
        page = visit(own)
        page.on("dialog", lambda dialog: dialog.accept())
        page.click("#quit")
        page.wait_for_selector("h1 >> text=markhood has ended")
        assert process.wait(20) == 0


def test_a_study_is_planned_without_a_table(visit, address):
    page = visit(address)
    page.click("text=Plan a study")
    page.wait_for_selector("#set-nodes")
    page.fill("#set-nodes", "5")
    page.click("text=Advanced settings")
    page.click("summary >> text=This question")
    page.fill("#set-data_sets", "45")
    page.click("button.primary")
    answered(page)
    assert "people" in page.inner_text("h1")
    state = json.loads(page.evaluate("fetch('api/state').then((answer) => answer.text())"))
    assert state["analyses"][-1]["title"] == "Planned study"


def test_typed_settings_survive_the_list_of_columns(visit, address, survey):
    page = visit(address)
    dropped(page, survey)
    page.click("a.primary")
    opened_at(page, "ask")
    page.check("[value=bootstrap]")
    page.focus("#set-replicates")
    for digit in "123456":  # while the columns arrive and the page lists them
        page.keyboard.type(digit)
        page.wait_for_timeout(250)
    page.wait_for_selector("select#set-strata", state="attached")
    assert page.input_value("#set-replicates") == "123456"
