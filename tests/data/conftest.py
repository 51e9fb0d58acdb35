"""Another road back: bits to values, one sample at a time, with Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from markhood.data.samples import Samples, words_per_row

GONE = "gone"  # what a value that is kept apart as missing is decoded to


def decode_samples(samples: Samples) -> list[tuple[Any, ...]]:
    """Return the rows of the table; check the layout and the padding on the way."""
    n_rows = [max(1, len(levels) - 1) for levels in samples.levels]
    assert samples.words.shape == (sum(n_rows), words_per_row(samples.n_samples))
    assert samples.words.dtype == "uint64"
    rows = iter(samples.words.tolist())
    columns = []
    for j, levels in enumerate(samples.levels):
        indicators = [_bits(next(rows), samples) for _ in range(n_rows[j])]
        gone = _bits(samples.missing[j].tolist(), samples) if j in samples.missing else 0
        columns.append([_value(levels, indicators, gone, s) for s in range(samples.n_samples)])
    return list(zip(*columns, strict=True))


def _bits(words: list[int], samples: Samples) -> int:
    bits = sum(word << (64 * w) for w, word in enumerate(words))
    assert bits >> samples.n_samples == 0, "bits past the last sample must be zero"
    return bits


def _value(levels: tuple[Any, ...], indicators: list[int], gone: int, sample: int) -> Any:
    ranks = [k for k, bits in enumerate(indicators, start=1) if bits >> sample & 1]
    assert len(ranks) <= 1, "a sample has one level"
    if gone >> sample & 1:
        assert not ranks, "a missing value has no level"
        return GONE
    return levels[ranks[0] if ranks else 0]


@pytest.fixture
def decode() -> Callable[[Samples], list[tuple[Any, ...]]]:
    return decode_samples


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use chunks of 64 rows and tiles of 512, so that small tables have several."""
    monkeypatch.setattr("markhood.data.coding.encoder.CHUNK_BYTES", 1)
    monkeypatch.setattr("markhood.data.coding.encoder.TILE_CELLS", 1024)
    monkeypatch.setattr("markhood.data.coding.frames.LANE", 64)
    monkeypatch.setattr("markhood.data.coding.planes.BLOCK_BYTES", 128)
