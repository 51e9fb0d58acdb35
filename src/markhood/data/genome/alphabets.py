"""The alphabets of aligned sequences: which one data are written in, and letters merged into classes.

What an alignment is of is seen from its letters: four bases and perhaps a gap, or amino acids. A table of
answers A to E is no protein, so a protein needs ten letters.

**Classes.** A coupling of two positions with 20 letters has 361 numbers, and no likelihood ratio pays for them. Letters
that replace each other in proteins are merged into eight classes (Murphy, Wallqvist and Levy, Protein Engineering 13,
2000, 149-152): large hydrophobic, small, hydroxyl, proline, aromatic, acidic and amide, basic, histidine. Bases are purines
and pyrimidines. What IUPAC calls B, Z, J, U and O goes with the letters that it may be or is like.
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

# The letters of each class, by its name: its usual letters.
MURPHY = {
    "LVIMC": "LVIMCJU", "AG": "AG", "ST": "ST", "P": "P", "FYW": "FYW", "EDNQ": "EDNQBZ", "KR": "KRO", "H": "H",
}  # fmt: skip
CLASSES: dict[Alphabet, dict[str, str]] = {
    "protein": MURPHY,
    "RNA": {"AG": "AG", "CU": "CTU"},
    "DNA": {"AG": "AG", "CT": "CTU"},
}


def alphabet_of(variables: Variables) -> Alphabet | None:
    """Return what sequences the levels are letters of; None where they are something else.

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
    """Return the class of each letter, named by the letters that usually are in it; others stay.

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
