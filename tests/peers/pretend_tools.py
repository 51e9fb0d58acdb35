"""Tools that need nothing installed, one for each way in which a tool can end."""

import time
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pretend:
    name: str
    learn: object
    missing: str | None = None

    def why_absent(self):
        return self.missing

    def version(self):
        return "pretend 1"

    def load(self):
        return self.learn


def first_two_pairs(table):
    return np.array([(0, 1), (1, 2)])


def spend(table):
    """Half a second and 200 MB."""
    held = np.ones(25_000_000)
    while time.process_time() < 0.5:
        held[0] += 1
    return np.array([(0, 1)])


def fail(table):
    raise RuntimeError("this tool is broken")


def never_end(table):
    while True:
        pass


def hang(table):
    time.sleep(600)


PEERS = (
    Pretend("trivial", first_two_pairs),
    Pretend("spends", spend),
    Pretend("missing", first_two_pairs, "it is nowhere to be found"),
    Pretend("fails", fail),
    Pretend("no-graph", lambda table: np.array([(0, 7)])),
    Pretend("endless", never_end),
    Pretend("hangs", hang),
)
