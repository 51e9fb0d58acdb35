"""References to cite: publications and the software."""

from __future__ import annotations

from typing import NamedTuple


class Reference(NamedTuple):
    """A publication: how a text cites it, and its entry in a list of references."""

    in_text: str
    entry: str


PAPER = Reference(
    "Kuronen, Corander and Pensar, 2025",
    "J. Kuronen, J. Corander and J. Pensar (2025). Learning pairwise Markov network structures "
    "using correlation neighborhoods. Communications in Statistics - Simulation and Computation, "
    "1-13. https://doi.org/10.1080/03610918.2025.2602032.",
)
SOFTWARE = (
    "The markhood developers. markhood: learn the graph of a pairwise Markov network from data"
)
BIBTEX = """@article{kuronen2025,
  author = {Kuronen, Juri and Corander, Jukka and Pensar, Johan},
  title = {Learning pairwise {Markov} network structures using correlation neighborhoods},
  journal = {Communications in Statistics - Simulation and Computation},
  year = {2025},
  pages = {1--13},
  doi = {10.1080/03610918.2025.2602032}
}"""
