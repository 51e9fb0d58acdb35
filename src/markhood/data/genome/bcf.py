"""Read BCF, the binary form of VCF, through cyvcf2, site by site.

A malformed file can crash this C library; truncated files are detected before it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from markhood.data.genome.loci import Locus
from markhood.data.genome.vcf_text import Site
from markhood.errors import file_error, installed


class BinaryVariants:
    """A BCF file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.individuals: list[str] = self._open().samples
        if not self.individuals:
            raise file_error(
                path, "has no genotypes: pass a file with a column per individual.", "genotypes"
            )

    def sites(self) -> Iterator[Site | None]:
        """Yield all sites, None for a site without calls."""
        records, number = iter(self._open()), 0
        while True:
            number += 1
            try:
                site = _site(next(records))
            except StopIteration:
                return
            except Exception as error:  # cyvcf2 does not raise a more specific one
                raise file_error(
                    self._path, f"is damaged at site {number}: write the file again."
                ) from error
            yield site

    def _open(self) -> Any:
        cyvcf2 = installed("cyvcf2", f"Reading {self._path}", "vcf")
        set_log_level = getattr(cyvcf2.cyvcf2, "set_htslib_log_level", None)
        if set_log_level is not None:  # errors are raised, not printed
            set_log_level(0)
        try:
            return cyvcf2.VCF(str(self._path))
        except Exception as error:
            raise file_error(
                self._path,
                "cannot be read as BCF: pass a complete file with its header.",
                "file-format",
            ) from error


def _site(record: Any) -> Site | None:
    """Return a record of cyvcf2 as a site, None without calls."""
    if "GT" not in record.FORMAT:
        return None
    calls = record.genotype.array()  # with the same codes for missing and absent copies
    locus, alleles = Locus(record.CHROM, record.POS), (record.REF, *record.ALT)
    return Site(locus, alleles, calls[:, :-1], calls[:, -1].astype(np.bool_), record.FILTER or "")
