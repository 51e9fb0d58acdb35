"""BCF, the binary form of VCF, read through cyvcf2 a site at a time.

It is a C library, and a malformed file can crash it; a file that is only cut short is seen before.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from markhood.data.genome.loci import Locus
from markhood.data.genome.vcf_text import Site
from markhood.errors import InputError


class BinaryVariants:
    """A BCF file.

    Attributes
    ----------
    individuals : list of str
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.individuals: list[str] = self._open().samples
        if not self.individuals:
            raise InputError(
                f"{path} has no genotypes: give a file with a column for every individual."
            )

    def sites(self) -> Iterator[Site | None]:
        """Yield every site, None for one without calls."""
        records, number = iter(self._open()), 0
        while True:
            number += 1
            try:
                site = _site(next(records))
            except StopIteration:
                return
            except Exception as error:  # cyvcf2 raises nothing more special
                raise InputError(
                    f"{self._path} is damaged at site {number}, and cannot be read any further: write "
                    "the file again."
                ) from error
            yield site

    def _open(self) -> Any:
        try:
            import cyvcf2
        except ImportError as error:
            message = f"Reading {self._path} needs cyvcf2: pip install 'markhood[vcf]'."
            raise InputError(message) from error
        quiet = getattr(cyvcf2.cyvcf2, "set_htslib_log_level", None)
        if quiet is not None:  # what htslib would print is said in our sentences
            quiet(0)
        try:
            return cyvcf2.VCF(str(self._path))
        except Exception as error:
            raise InputError(
                f"{self._path} cannot be read as BCF: give a whole file, with its header."
            ) from error


def _site(record: Any) -> Site | None:
    """Return a record of cyvcf2's as a site, None where it has no calls."""
    if "GT" not in record.FORMAT:
        return None
    calls = record.genotype.array()  # its codes for missing and absent copies are ours
    locus, alleles = Locus(record.CHROM, record.POS), (record.REF, *record.ALT)
    return Site(locus, alleles, calls[:, :-1], calls[:, -1].astype(np.bool_), record.FILTER or "")
