"""The conda recipe, the citation files and the R package repeat what pyproject.toml states; all must agree."""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "recipe" / "recipe.yaml"

pytestmark = pytest.mark.skipif(not RECIPE.exists(), reason="only a checkout has the recipe")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def listed(section):
    """Return what a list of the recipe's requirements asks for."""
    lines = RECIPE.read_text().partition(f"\n  {section}:\n")[2].splitlines()
    asked = []
    for line in lines:
        if not line.startswith("    - "):
            break
        asked.append(line.removeprefix("    - ").replace(" ", ""))
    return asked


def test_example_the_recipe_runs_with_what_the_project_depends_on(project):
    about = project["project"]
    assert listed("run") == [f"python{about['requires-python']}", *about["dependencies"]]


def test_example_the_recipe_builds_with_what_the_project_builds_with(project):
    assert set(project["build-system"]["requires"]) <= set(listed("host"))


def test_example_the_recipe_has_the_version_of_the_project(project):
    (version,) = re.findall(r'^  version: "(.+)"$', RECIPE.read_text(), re.MULTILINE)
    assert version == project["project"]["version"]


def test_example_the_recipe_takes_a_release_by_address_and_hash(project):
    source = re.search(r"^source:\n  url: (.+)\n  sha256: (\S+)", RECIPE.read_text(), re.MULTILINE)
    repository = project["project"]["urls"]["Repository"]
    assert source[1].startswith(f"{repository}/archive/refs/tags/v${{{{ version }}}}")
    assert re.fullmatch("[0-9a-f]{64}|FILL-IN-AT-RELEASE", source[2])


def test_example_citation_files_have_the_version_and_the_licence_of_the_project(project):
    about = project["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {about['version']}\n" in citation
    assert f"license: {about['license']}\n" in citation
    assert f"repository-code: {about['urls']['Repository']}\n" in citation
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    assert (zenodo["version"], zenodo["license"]) == (about["version"], about["license"])
    assert {link["identifier"] for link in zenodo["related_identifiers"]} >= {
        about["urls"]["Repository"],
        re.search(r"doi: (\S+)", citation)[1],
    }


def test_example_the_r_package_has_the_version_and_the_addresses_of_the_project(project):
    about = project["project"]
    description = (ROOT / "r" / "DESCRIPTION").read_text()
    assert f"\nVersion: {about['version']}\n" in description
    assert f"\nURL: {about['urls']['Repository']}\n" in description
    assert f"Python ({about['requires-python'].replace('>=', '>= ')})" in description
