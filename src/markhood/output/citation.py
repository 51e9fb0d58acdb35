"""What to cite: the paper whose method this is, and the software."""

from __future__ import annotations

PAPER = (
    "J. Kuronen, J. Corander and J. Pensar (2025). Learning pairwise Markov network structures using "
    "correlation neighborhoods. Communications in Statistics - Simulation and Computation, 1-13. "
    "https://doi.org/10.1080/03610918.2025.2602032."
)
IN_TEXT = "Kuronen, Corander and Pensar, 2025"
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
