"""Recognise the format of a file by its first bytes, for messages about a wrong ending."""

from __future__ import annotations

BEGINNINGS = (
    (b"PK\x03\x04", "a spreadsheet or an archive", ".xlsx, .ods or .npz"),
    (b"\xd0\xcf\x11\xe0", "an old Excel sheet", ".xls"),
    (b"\x93NUMPY", "a NumPy array", ".npy"),
    (b"PAR1", "Parquet", ".parquet"),
    (b"ARROW1", "Arrow", ".arrow"),
    (b"$FL2", "SPSS", ".sav"),
    (b"$FL3", "SPSS", ".zsav"),
    (b"<stata_dta>", "Stata", ".dta"),
    (b"RDX", "R", ".rda"),
    (b"\x1f\x8b", "compressed data", ".gz or .rds"),
)
_PLAIN_CONTROLS = frozenset(b"\t\n\x0b\x0c\r\x1a\x1b")


def looks_binary(start: bytes) -> bool:
    """Return whether the first bytes of a file are not text in any single-byte encoding."""
    return named_by_content(start) != "" or any(
        byte < 32 and byte not in _PLAIN_CONTROLS for byte in set(start)
    )


def named_by_content(start: bytes) -> str:
    """Name the format of a file and its ending, by its first bytes; empty if not known."""
    for beginning, kind, ending in BEGINNINGS:
        if start.startswith(beginning):
            return f" (it looks like {kind}): use the ending {ending}"
    return ""
