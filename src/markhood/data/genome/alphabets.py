"""Alphabets of aligned sequences: detect the alphabet, and merge letters into classes.

The alphabet is detected from the letters: bases and gaps, or amino acids. A protein needs at least
ten letters, so that a table of answers A to E is not a protein.

**Classes.** A coupling of two positions with 20 letters each has 361 parameters, whose penalty few
likelihood ratios exceed. Amino acids that replace each other are merged into eight classes (Murphy,
Wallqvist and Levy, Protein Engineering 13, 2000, 149-152): large hydrophobic, small, hydroxyl,
proline, aromatic, acidic and amide, basic, histidine. Bases are merged into purines and
pyrimidines. The IUPAC letters B, Z, J, U and O are in the classes of the letters that they may be
or resemble.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from markhood.data.variables import Variables

Alphabet = Literal["protein", "RNA", "DNA"]

GAP = "-"
AMINO_ACIDS = frozenset("ACDEFGHIKLMNPQRSTVWY")
RESIDUES = AMINO_ACIDS | frozenset("BZJUOX")
FEWEST_RESIDUES = 10
FEWEST_BASES = 3

# The letters of each class; its name has the standard ones.
MURPHY = {
    "LVIMC": "LVIMCJU", "AG": "AG", "ST": "ST", "P": "P",
    "FYW": "FYW", "EDNQ": "EDNQBZ", "KR": "KRO", "H": "H",
}  # fmt: skip
CLASSES: dict[Alphabet, dict[str, str]] = {
    "protein": MURPHY,
    "RNA": {"AG": "AG", "CU": "CTU"},
    "DNA": {"AG": "AG", "CT": "CTU"},
}


def alphabet_of(variables: Variables) -> Alphabet | None:
    """Return the alphabet of the levels; None if they are not letters of sequences.

    Examples
    --------
    >>> alphabet_of(Variables(("1", "2"), (("-", "A", "C"), ("G", "U"))))
    'RNA'
    >>> alphabet_of(Variables(("q1", "q2"), (("A", "B"), ("A", "B")))) is None
    True
    """
    letters: set[Any] = set()
    for levels in variables.levels or ():
        letters.update(levels)
        if not all(
            value is None or (isinstance(value, str) and len(value) == 1) for value in levels
        ):
            return None
    letters -= {None, GAP}
    if len(letters) >= FEWEST_BASES and letters <= set("ACGTU"):
        return "RNA" if "U" in letters else "DNA"
    return "protein" if len(letters) >= FEWEST_RESIDUES and letters <= RESIDUES else None


def classes_of(alphabet: Alphabet, letters: Sequence[Any]) -> list[str | None]:
    """Return the class of each letter; letters without a class are unchanged.

    Examples
    --------
    >>> classes_of("protein", ["-", "I", "L", "P"])
    ['-', 'LVIMC', 'LVIMC', 'P']
    >>> classes_of("DNA", ["A", "C", "G", "T"])
    ['AG', 'CT', 'AG', 'CT']
    """
    named = {letter: name for name, own in CLASSES[alphabet].items() for letter in own}
    return [named.get(letter, letter) for letter in letters]


def class_among(letter: Any, levels: Iterable[Any]) -> Any | None:
    """Return the level that is the class of a letter, or None.

    Examples
    --------
    >>> class_among("I", ["-", "LVIMC"]), class_among("T", ["AG", "CT"]), class_among("K", ["AG"])
    ('LVIMC', 'CT', None)
    """
    classes = {c for own in CLASSES.values() for c, letters in own.items() if letter in [*letters]}
    return next((level for level in levels if level in classes), None)
