"""The conda recipe says again what pyproject.toml says, in a form of its own; both must say the same."""

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
