"""The benchmark's modules, imported as its scripts import them."""

import importlib
import sys
from pathlib import Path

import pytest

PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"


@pytest.fixture
def modules(monkeypatch):
    """Import the benchmark's modules, which are no package: its scripts are run where they are."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.syspath_prepend(PEERS)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if PEERS in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
            del sys.modules[name]
