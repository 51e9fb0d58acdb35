"""The skeleton phase of causal-learn's PC algorithm, with its G-squared test.

PC is made for directed graphs. Its first phase, before any arrow, removes the edge between two
variables when some set of neighbours of either separates them. In a Markov network the
neighbours of a variable separate it from every other, so that with exact tests the skeleton is the
network, and can be compared as it is: nothing is oriented, nothing moralised. With samples
the tests become weak as the sets grow, which costs edges.
"""

from __future__ import annotations

from collections.abc import Callable

from peer import Edges, Table, edges_where, package_version, why_no_package

LEVEL = 0.05  # the tool's default


class Skeleton:
    """The stable variant, which is the default."""

    name = "causal-learn-pc"

    def why_absent(self) -> str | None:
        """Say where causal-learn is missing."""
        return why_no_package("causal-learn", "causallearn")

    def version(self) -> str:
        """Return causal-learn's version."""
        return package_version("causal-learn")

    def load(self) -> Callable[[Table], Edges]:
        """Import causal-learn."""
        from causallearn.utils.cit import CIT
        from causallearn.utils.PCUtils.SkeletonDiscovery import skeleton_discovery

        def learn(table: Table) -> Edges:
            found = skeleton_discovery(table, LEVEL, CIT(table, "gsq"), show_progress=False)
            return edges_where(found.G.graph != 0)

        return learn


PEERS = (Skeleton(),)
