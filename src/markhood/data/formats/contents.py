"""What a file holds by its first bytes: only to say so where its name says something else."""

from __future__ import annotations

BEGINNINGS = (
    (b"PK\x03\x04", "a sheet or an archive", ".xlsx, .ods or .npz"),
    (b"\xd0\xcf\x11\xe0", "a sheet of an old Excel", ".xls"),
    (b"\x93NUMPY", "an array of NumPy's", ".npy"),
    (b"PAR1", "Parquet", ".parquet"),
    (b"ARROW1", "Arrow", ".arrow"),
    (b"$FL2", "SPSS's", ".sav"),
    (b"$FL3", "SPSS's", ".zsav"),
    (b"<stata_dta>", "Stata's", ".dta"),
    (b"RDX", "R's", ".rda"),
    (b"\x1f\x8b", "compressed", ".gz at the end, or .rds"),
)
_PLAIN_CONTROLS = frozenset(b"\t\n\x0b\x0c\r\x1a\x1b")


def looks_binary(start: bytes) -> bool:
    """Return whether the first bytes of a file are no text, in whatever encoding of single bytes."""
    return named_by_content(start) != "" or any(
        byte < 32 and byte not in _PLAIN_CONTROLS for byte in set(start)
    )


def named_by_content(start: bytes) -> str:
    """Say what a file is and how to name it, by its first bytes; nothing where that is not known."""
    for beginning, kind, ending in BEGINNINGS:
        if start.startswith(beginning):
            return f" (it looks like {kind}): give it its own ending, {ending}"
    return ""
