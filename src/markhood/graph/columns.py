"""Names of the columns of an edge table, in files and in graphs of other libraries.

Further columns are read as annotations only if the table has all of these columns; tables of other
programs may have columns of any kind and name. `ANNOTATIONS` describes those that markhood
computes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

END_COLUMNS = ("evidence_source", "evidence_target", "coupling_source", "coupling_target")
NUMBER_COLUMNS = ("evidence", "coupling", *END_COLUMNS)
COLUMNS = ("source", "target", *NUMBER_COLUMNS)
DISTANCE = "distance"  # genomic, between the ends: written if known, recomputed when read
TABLE = "table"  # the coupling table, in formats that can store one
# Names that formats use for other content, and that annotations therefore cannot have.
RESERVED = frozenset(
    (*COLUMNS, DISTANCE, TABLE, "id", "infinite", "label", "provenance", "variables")
)


class Annotation(NamedTuple):
    """The description of an annotation, and its counterpart if the levels of one end are reversed.

    ``reversed`` is set for annotations with the sign of the coupling: reversing the levels of one
    end replaces the annotation by minus the one named there.
    """

    note: str
    reversed: str | None = None


_INTERVAL = (
    "95 % interval (coupling low and high): of the coupling given the edge, without the "
    "uncertainty about whether there is an edge."
)
ANNOTATIONS = {
    "probability": Annotation(
        "Probability: posterior probability of the edge; eight of ten edges with 0.8 are expected "
        "to be true."
    ),
    "bayes_factor": Annotation(
        "Bayes factor: posterior odds of the edge divided by its prior odds; above 10 is strong "
        "evidence of an edge, below 1/10 of its absence."
    ),
    "frequency": Annotation("Frequency: proportion of bootstrap replicates that have the edge."),
    "boot_low": Annotation(
        "Replicates (boot low and high): interval of the coupling over all bootstrap replicates, 0 "
        "where a replicate does not have the edge.",
        "boot_high",
    ),
    "boot_high": Annotation("", "boot_low"),
    "coupling_low": Annotation(_INTERVAL, "coupling_high"),
    "coupling_high": Annotation("", "coupling_low"),
    "rhat": Annotation(
        "R-hat and ESS: agreement of the chains about the edge (1 is agreement), and their "
        "effective sample size."
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
    """Return whether an annotation may have this name: an identifier that is not reserved.

    Examples
    --------
    >>> can_name_annotation("share"), can_name_annotation("a b"), can_name_annotation("coupling")
    (True, False, False)
    """
    return isinstance(name, str) and name.isidentifier() and name not in RESERVED


def annotation_columns(names: Iterable[str]) -> list[str]:
    """Return the annotations of a table; none unless it has all columns of an edge table.

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
    """Return the valid names in a list of annotations; none if it is not a list.

    Examples
    --------
    >>> annotation_names(["share", 3]), annotation_names("share")
    (['share'], [])
    """
    return [n for n in found if can_name_annotation(n)] if isinstance(found, list) else []
