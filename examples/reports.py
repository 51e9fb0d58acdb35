"""
From a file to a report
=======================

Three tables become interactive pages: a survey, species, and a comparison of two groups. On the command line, ``markhood learn FILE
--report page.html --bootstrap 1000`` and ``markhood compare-groups FILE --by COLUMN --report page.html`` make the same pages.
Open them: `survey <../live/survey.html>`__, `species <../live/species.html>`__, `groups <../live/groups.html>`__.
"""

# %%
# A survey
# --------
# The election study of 1996 with the wording of its items. The page has intervals from the fitted model, and from a bootstrap how often each edge is
# found and how stable the centralities are. Use 1000 replicates in practice.

import tempfile
import warnings
from pathlib import Path

import pandas as pd

import markhood

warnings.simplefilter("ignore", markhood.DataWarning)
pages = Path(tempfile.mkdtemp())
ITEMS = {
    "tv_news": "Days per week with news on TV",
    "self_left_right": "Own position, from left to right",
    "clinton_left_right": "Position of Clinton, from left to right",
    "dole_left_right": "Position of Dole, from left to right",
    "party_identification": "Strong Democrat to strong Republican",
    "income": "Household income",
    "vote": "Vote for Clinton or Dole",
}
kinds = {"party_identification": "ordinal"}
people = markhood.datasets.load("anes96")
people["vote"] = people["vote"].map({0: "Clinton", 1: "Dole"})
voters = markhood.encode(people, kinds=kinds)
graph = markhood.learn(voters)
replicates = [
    markhood.bootstrap(voters, replicates=50, resample=how, seed=0) for how in ("rows", "cases")
]
markhood.write_report(
    graph,
    pages / "survey.html",
    voters,
    "American voters, 1996",
    model=markhood.fit_model(graph, voters),
    bootstrap=replicates,
    labels=ITEMS,
)

# %%
# Species
# -------
# Rodents on 24 plots in 26 years. Rows of a plot depend on each other, so plots are clusters.

script = Path(globals().get("__file__", "reports.py")).resolve()
TABLE = "docs/learn/rodents.csv"
rodents = pd.read_csv(next(p / TABLE for p in script.parents if (p / TABLE).exists()))
names = [name for name in rodents if "." in name]
caught = rodents[names].replace({0: "absent", 1: "caught"}).assign(plot=rodents["plot"])
graph = markhood.learn(caught, clusters="plot", factors=0)
species = markhood.encode(caught[list(graph.nodes)])
model = markhood.fit_model(graph, species)
title = "Rodents of Portal, Arizona"
markhood.write_report(graph, pages / "species.html", species, title, model=model)

# %%
# Two groups
# ----------
# Votes of the two parties: both networks in one layout, with the tests of their differences.

votes = markhood.datasets.load("votes")
compared = markhood.compare_groups(votes, by="party", permutations=200, missing="drop", seed=0)
markhood.write_report(compared, pages / "groups.html", title="Votes in the House, 1984")
for page in sorted(pages.glob("*.html")):
    print(page.name, page.stat().st_size // 1000, "kB")
