"""The names of what is known about an edge, in files and in other libraries' graphs.

Further columns are annotations, but only in a table with all of our own columns: others' files may
have columns of any kind and name. `ANNOTATIONS` says what those that markhood computes mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

END_COLUMNS = ("evidence_source", "evidence_target", "coupling_source", "coupling_target")
NUMBER_COLUMNS = ("evidence", "coupling", *END_COLUMNS)
COLUMNS = ("source", "target", *NUMBER_COLUMNS)
DISTANCE = "distance"  # of the ends along a genome: written where it is known, and worked out anew by who reads
TABLE = "table"  # the coupling as a table, where a format can hold one
# What formats keep under these names would be taken for annotations, or the other way round.
RESERVED = frozenset(
    (*COLUMNS, DISTANCE, TABLE, "id", "infinite", "label", "provenance", "variables")
)


class Annotation(NamedTuple):
    """What an annotation means, and its name with the levels of one end reversed.

    ``reversed`` is for numbers with the sign of the coupling: the annotation whose negative they then are.
    """

    note: str
    reversed: str | None = None


_INTERVAL = "Coupling low and high: an interval that contains the coupling with 95 % probability, given the edge."
ANNOTATIONS = {
    "probability": Annotation(
        "Probability: posterior probability of the edge; eight of ten edges with 0.8 are expected to be true."
    ),
    "coupling_low": Annotation(_INTERVAL, "coupling_high"),
    "coupling_high": Annotation("", "coupling_low"),
    "rhat": Annotation(
        "R-hat and ESS: agreement of the chains about the edge (1 is agreement), and their effective sample size."
    ),
    "ess": Annotation(""),
    "standardized": Annotation(
        "Standardized: the coupling times the standard deviations of both ends.", "standardized"
    ),
    "share": Annotation("Share: proportion of completed data sets whose graph has the edge."),
    "evidence_variance": Annotation(
        "Evidence variance: variance of the evidence between completed data sets."
    ),
    "mi": Annotation("Mi: mutual information of the two variables, in nats."),
    "mi_apc": Annotation(
        "Mi apc: mutual information with the average-product correction, in nats."
    ),
}


def can_name_annotation(name: object) -> bool:
    """Whether an annotation may have this name: a word, so that every format can hold it.

    Examples
    --------
    >>> can_name_annotation("share"), can_name_annotation("a b"), can_name_annotation("coupling")
    (True, False, False)
    """
    return isinstance(name, str) and name.isidentifier() and name not in RESERVED


def annotation_columns(names: Iterable[str]) -> list[str]:
    """Return the columns of a table that may be annotations: none, unless it has all of ours.

    Examples
    --------
    >>> annotation_columns([*COLUMNS, "share"]), annotation_columns(["source", "target", "share"])
    (['share'], [])
    """
    listed = list(names)
    if not set(COLUMNS) <= set(listed):
        return []
    return [name for name in listed if can_name_annotation(name) and listed.count(name) == 1]


def annotation_names(found: object) -> list[str]:
    """Return the names of annotations that a graph says it has; what is no such list says none.

    Examples
    --------
    >>> annotation_names(["share", 3]), annotation_names("share")
    (['share'], [])
    """
    return [n for n in found if can_name_annotation(n)] if isinstance(found, list) else []
