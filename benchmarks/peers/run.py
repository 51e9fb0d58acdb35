"""Run other tools on the data that markhood is measured on, and print one table.

python benchmarks/peers/run.py                                    all installed tools
python benchmarks/peers/run.py --networks hub-64 --tools markhood-plrhc abess-ebic
"""

from __future__ import annotations

import argparse
import platform
import signal
import sys
import time
from pathlib import Path

from networks import NETWORKS, simulate
from table import absences, as_markdown, write_csv
from trial import Outcome, peers_of, try_tool

FAMILIES = (
    "markhood_methods",  # all of METHODS
    "abess_slide",  # IsingModel, two criteria
    "scikit_learn_l1",  # L1 path per node, EBIC, AND
    "causal_learn_pc",  # skeleton of the PC algorithm
    "r_packages",  # glmnet eLasso, IsingFit, mgm, BDgraph's hill climbing
)


def main(arguments: list[str]) -> int:
    """Print the table; return 1 if a tool failed, but not if one is absent or too slow."""
    peers = peers_of(FAMILIES)
    options = _parsed(arguments, list(peers))
    chosen = {name: peers[name] for name in options.tools}
    versions = {peer.version() for _, peer in chosen.values() if not peer.why_absent()}
    outcomes: list[Outcome] = []
    for network in options.networks:
        table, truth = simulate(NETWORKS[network])
        for family, peer in chosen.values():
            outcome = try_tool(family, peer, network, table, truth, options.timeout)
            print(f"{network}: {peer.name}: {outcome.status}", file=sys.stderr, flush=True)
            outcomes.append(outcome)
            if (
                options.output
            ):  # rewritten after every tool, so that an interrupted run keeps its results
                write_csv(outcomes, options.output)
    print(f"{time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, one thread each")
    print("; ".join(sorted(versions)))
    print()
    print(as_markdown(outcomes))
    print()
    print(absences(outcomes) or "No tool was absent.")
    return 1 if any(outcome.status == "failed" for outcome in outcomes) else 0


def _parsed(arguments: list[str], tools: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", choices=list(NETWORKS), default=list(NETWORKS))
    parser.add_argument("--tools", nargs="+", choices=tools, default=tools, metavar="TOOL")
    parser.add_argument(
        "--timeout", type=_whole, default=600, help="CPU seconds for each tool and network (600)"
    )
    parser.add_argument("--output", type=Path, metavar="CSV", help="write the outcomes there too")
    return parser.parse_args(arguments)


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of seconds from 1 up")
    return int(text)


if __name__ == "__main__":
    # A tool has a session of its own, so that all of it can be ended: see that it is, also then.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
