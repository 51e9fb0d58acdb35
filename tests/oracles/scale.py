"""Large data with a known structure, and what a process takes of memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def chains(n_variables: int, n_samples: int, n_levels: int = 2, length: int = 16) -> np.ndarray:
    """Draw chains of variables, in which neighbours differ one time out of four or less."""
    rng = np.random.default_rng(n_variables)
    steps = rng.integers(1, n_levels, (n_samples, n_variables))
    steps[rng.random(steps.shape) >= 0.25] = 0
    steps[:, ::length] = rng.integers(0, n_levels, (n_samples, len(range(0, n_variables, length))))
    chains = np.split(steps, range(length, n_variables, length), axis=1)
    return np.concatenate([np.cumsum(c, axis=1) % n_levels for c in chains], axis=1)


def one_cause(n_variables: int, n_samples: int) -> np.ndarray:
    """Draw variables that agree with a hidden one two times out of three: all pairs depend."""
    rng = np.random.default_rng(n_variables)
    hidden = rng.integers(0, 2, (n_samples, 1), dtype=np.uint8)
    return hidden ^ (rng.random((n_samples, n_variables)) < 1 / 3)


def latent_classes(n_samples: int, n_levels: list[int]) -> np.ndarray:
    """Draw letters that depend on one of eight classes: all pairs depend, and most regressions are separated."""
    rng = np.random.default_rng(1)
    classes, letters = rng.integers(0, 8, n_samples), np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    shares = [rng.dirichlet([0.3] * r, 8).cumsum(axis=1)[:, :-1] for r in n_levels]
    drawn = [(rng.random((n_samples, 1)) > s[classes]).sum(axis=1) for s in shares]
    return letters[np.column_stack(drawn)]


def peak() -> int:
    """Return the most memory, in bytes, that this process has had since `reset_peak`."""
    return _kilobytes("VmHWM") * 1024


def reset_peak() -> int:
    """Forget the peak so far, and return what memory there is now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _kilobytes("VmRSS") * 1024


def _kilobytes(name: str) -> int:
    return int(Path("/proc/self/status").read_text().split(f"{name}:")[1].split()[0])
