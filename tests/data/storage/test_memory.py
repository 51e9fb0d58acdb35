from __future__ import annotations

import pytest

from markhood.data.storage import memory
from messages import refuses


def test_example_memory_is_known_here():
    available = memory.available_memory()
    assert available is None or available > 0


def test_example_without_meminfo(monkeypatch):
    def missing(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(memory, "open", missing, raising=False)
    assert memory.available_memory() is None or memory.available_memory() > 0


@pytest.mark.parametrize("available", [None, 128])
def test_example_what_fits_is_let_through(monkeypatch, available):
    monkeypatch.setattr(memory, "LITTLE", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: available)
    memory.require_memory(2, 512)


def test_example_what_does_not_fit_says_how_much_it_needs(monkeypatch):
    monkeypatch.setattr(memory, "LITTLE", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 127)
    with refuses("memory", "", "128 bytes", "127 bytes"):
        memory.require_memory(2, 512)


def test_example_limits_of_a_container_count(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert memory._below_cgroup() is None
    files = {"memory.max": "1000\n", "memory.current": "700\n", "memory.stat": "inactive_file 50\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert memory.available_memory() == 350
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._below_cgroup() is None


def test_example_ulimit_counts():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 50, before[1]))
    try:
        assert 0 < memory._below_ulimit() < 1 << 50
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
