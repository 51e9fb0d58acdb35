"""What README and pages show and link to is there, and is what the code has."""

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

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def test_readme_shows_what_the_demo_prints():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert readme.shown_text() == readme.demo_text(), "run make readme"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_is_plain_markdown_whose_links_lead_somewhere(page):
    text = CODE.sub("", page.read_text())
    assert not re.findall(r"^:::|^: |\{\w+\}$", text, re.MULTILINE)
    assert not re.findall(r"\{[a-z:]+\}`|^```\{", page.read_text(), re.MULTILINE)
    for is_picture, words, target in LINK.findall(text):
        assert "://" in target or (page.parent / target).exists(), target
        assert words, f"{target} has no words"
        if is_picture:
            assert len(words.split()) > 3, f"{target} needs a text that stands in for it"


def test_every_page_is_in_the_sidebar():
    listed = {page for group in site_pages.PAGES.values() for page in group}
    there = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert listed - {"gallery/index", "generated/api", "reference/messages"} == there


def test_every_example_and_the_reference_are_linked_on_the_site():
    found = site_pages.as_on_site("index", (ROOT / "docs" / "index.md").read_text())
    assert "<iframe" in found
    assert "](generated/api.rst)" in found
    assert "](gallery/index.rst)" in found


def test_every_extra_is_told_of():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    told = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "start.md").read_text(), re.MULTILINE)
    assert told == sorted(project["optional-dependencies"])


def test_every_message_code_is_listed_on_the_site():
    text = (ROOT / "docs" / "reference" / "messages.md").read_text()
    assert "generated/messages.md" in site_pages.as_on_site("reference/messages", text)
    listed = [code for codes in written_pages.grouped_codes().values() for code in codes]
    assert sorted(listed) == sorted(CODES.keys() - {"unclassified"})
