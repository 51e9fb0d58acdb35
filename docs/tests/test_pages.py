"""Links, pictures, navigation and length of the pages."""

import re
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

from markhood.errors import DataWarning
from markhood.findings import CODES

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))

import readme
import site_pages
import written_pages

DOCS = ROOT / "docs"
IN_SECTIONS = sorted(page for name in site_pages.SECTIONS for page in (DOCS / name).glob("*.md"))
PAGES = [DOCS / "index.md", *IN_SECTIONS, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", re.DOTALL)
MAX_WORDS = 1500
LONGER = {"docs/how-to/coming-from"}  # one section for each of a dozen other programs


def name_of(page):
    return str(page.relative_to(ROOT).with_suffix(""))


def test_readme_shows_what_the_demo_prints():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert readme.shown_text() == readme.demo_text(), "run make readme"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_is_plain_markdown_whose_links_lead_somewhere(page):
    text = CODE.sub("", page.read_text())
    assert not re.findall(r"^:::|^: |\{\w+\}$", text, re.MULTILINE)
    assert not re.findall(r"\{[a-z:]+\}`|^```\{", page.read_text(), re.MULTILINE)
    for is_picture, words, target in LINK.findall(text):
        assert "://" in target or (page.parent / target).exists(), target
        assert words, f"{target} has no words"
        if is_picture:
            assert len(words.split()) > 3, f"{target} needs a text that stands in for it"


@pytest.mark.parametrize("page", IN_SECTIONS, ids=name_of)
def test_a_page_is_short(page):
    assert name_of(page) in LONGER or len(page.read_text().split()) < MAX_WORDS


@pytest.mark.parametrize("section", site_pages.SECTIONS)
def test_the_index_of_a_section_lists_all_its_pages(section):
    text = (DOCS / section / "index.md").read_text()
    there = {page.stem for page in (DOCS / section).glob("*.md")} - {"index"}
    assert there <= set(site_pages.LISTED.findall(text))


def test_the_site_links_the_examples_the_reference_and_the_report():
    learn = site_pages.as_on_site("learn/index", (DOCS / "learn" / "index.md").read_text())
    assert "](/gallery/index.rst)" in learn
    look_up = site_pages.as_on_site("reference/index", (DOCS / "reference/index.md").read_text())
    assert "](/generated/api.rst)" in look_up
    assert "<iframe" in site_pages.as_on_site("index", (DOCS / "index.md").read_text())


def test_every_extra_is_described():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (DOCS / "how-to" / "install.md").read_text()
    described = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert described == sorted(project["optional-dependencies"])


def test_every_message_code_is_listed_on_the_site():
    text = (ROOT / "docs" / "reference" / "messages.md").read_text()
    assert "generated/messages.md" in site_pages.as_on_site("reference/messages", text)
    listed = [code for codes in written_pages.grouped_codes().values() for code in codes]
    assert sorted(listed) == sorted(CODES)
