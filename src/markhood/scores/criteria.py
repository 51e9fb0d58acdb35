"""The named criteria: every class of this package with a `name` and a method `score`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from markhood.named import classes_named
from markhood.scores.criterion import Criterion

CRITERIA: Mapping[str, Callable[[float], Criterion]] = classes_named("markhood.scores", "score")
