"""The methods of markhood, with the same interface as all other tools: an array in, edges out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from peer import Edges, Table, package_version

from markhood.learning.methods import METHODS


@dataclass(frozen=True)
class Markhood:
    """A method of markhood, on one thread."""

    name: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def why_absent(self) -> str | None:
        """Return why this version of markhood cannot run the method, or None."""
        if self.method not in METHODS:
            return f"this markhood has no method {self.method!r}"
        unknown = sorted(set(self.options) - set(METHODS[self.method].names()))
        return f"its method {self.method!r} has no {', '.join(unknown)}" if unknown else None

    def version(self) -> str:
        """Return markhood's version."""
        return package_version("markhood")

    def load(self) -> Callable[[Table], Edges]:
        """Return markhood.learn with these options; learning from a small table imports what it needs."""
        from markhood import learn

        def edges(table: Table) -> Edges:
            return learn(table, self.method, n_jobs=1, **self.options).edges

        rng = np.random.default_rng(0)
        edges((rng.integers(0, 2, (200, 1)) ^ (rng.random((200, 4)) < 0.2)).astype(np.uint8))
        return edges


_AS_ISINGFIT = {"refit": False, "standardize": True, "gamma": 0.25, "rule": "and"}

PEERS = (
    *(Markhood(f"markhood-{method}", method) for method in METHODS),
    Markhood("markhood-l1lr-isingfit", "l1lr", _AS_ISINGFIT),
)
