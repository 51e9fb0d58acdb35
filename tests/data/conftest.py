"""Another road back: bits to values, one sample at a time, with Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from markhood.data.samples import Samples, words_per_row


def decode_samples(samples: Samples) -> list[tuple[Any, ...]]:
    """Return the rows of the table; check the padding on the way."""
    assert samples.words.shape == (len(samples.names), words_per_row(samples.n_samples))
    assert samples.words.dtype == "uint64"
    columns = []
    for row, levels in zip(samples.words.tolist(), samples.levels, strict=True):
        bits = sum(word << (64 * w) for w, word in enumerate(row))
        assert bits >> samples.n_samples == 0, "bits past the last sample must be zero"
        columns.append([levels[bits >> s & 1] for s in range(samples.n_samples)])
    return list(zip(*columns, strict=True))


@pytest.fixture
def decode() -> Callable[[Samples], list[tuple[Any, ...]]]:
    return decode_samples


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of 64 rows and tiles of 512, so that small tables have many of them."""
    monkeypatch.setattr("markhood.data.encoder.CHUNK_BYTES", 1)
    monkeypatch.setattr("markhood.data.encoder.TILE_CELLS", 1024)
    monkeypatch.setattr("markhood.data.frames.LANE", 64)
