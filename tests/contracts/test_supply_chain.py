"""The supply-chain page lists every dependency, and wheels are built with pinned versions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / ".github").exists(), reason="needs the sources")


def names(requirements):
    return {re.split(r"[<>=\[]", one)[0] for one in requirements}


def test_example_every_dependency_is_listed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    page = (ROOT / "docs/reference/supply-chain.md").read_text()
    cells = {word for line in page.splitlines() for word in re.split(r"[|,\s]+", line)}
    extras = project["project"]["optional-dependencies"]
    assert names(project["project"]["dependencies"]) <= cells
    assert names(one for own in extras.values() for one in own) <= cells
    assert extras.keys() <= cells
    assert names(project["dependency-groups"]["build"]) <= cells


def test_example_build_requirements_are_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = (ROOT / ".github/build-constraints.txt").read_text().splitlines()
    pinned = {line.partition("==")[0] for line in lines if "==" in line}
    assert names(project["dependency-groups"]["build"]) == pinned
    for platform in ("linux", "macos", "windows"):
        settings = project["tool"]["cibuildwheel"][platform]["environment"]
        assert settings["PIP_CONSTRAINT"] == ".github/build-constraints.txt"
