"""The climb of groups: the definition against sets and any scores, the kernels against the definition."""

import os
import threading
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.data.samples import Weights
from markhood.kernels.flips import climb_groups
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Costs, Dirichlet, FitPenalty
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.kernels.ties import TIE
from oracles.networks import network
from oracles.packing import pack, samples_with_levels


def both_ways(edges):
    return {(i, j) for i, j in edges} | {(j, i) for i, j in edges}


def space(groups, edges, present, kept, score):
    """Say what `climb_groups` wants to know of these groups, by a score of one blanket."""
    joined, there = both_ways(edges), both_ways(present)
    variables = [v for group in groups for v in group]
    partners = [sorted(j for i, j in joined if i == v) for v in variables]
    blankets = [sorted({j for i, j in there if i == v} | kept.get(v, set())) for v in variables]
    changes = [
        score(v, sorted({*blanket} ^ {p})) - score(v, blanket)
        for v, blanket, own in zip(variables, blankets, partners, strict=True)
        for p in own
    ]
    return Lists.of(groups), Lists.of(blankets), Lists.of(partners), np.array(changes, float)


def edges_of(groups, partners, present):
    ends = np.repeat(groups.values, np.diff(partners.starts))
    kept = zip(ends[present].tolist(), partners.values[present].tolist(), strict=True)
    return set(kept)


def climbed_in_sets(edges, present, kept, score):
    """The same climb with nothing kept up to date: every gain is computed before every flip."""
    present = set(present)
    while True:

        def worth(graph):
            ends = both_ways(graph)
            variables = sorted({v for edge in edges for v in edge})
            own = {v: {j for i, j in ends if i == v} | kept.get(v, set()) for v in variables}
            return {v: score(v, sorted(blanket)) for v, blanket in own.items()}

        now = worth(present)
        gains = []
        for i, j in edges:
            then = worth(present ^ {(i, j)})
            gains.append((then[i] - now[i]) + (then[j] - now[j]))
        if not gains or not max(gains) > TIE:
            return both_ways(present)
        first = next(k for k, gain in enumerate(gains) if gain >= max(gains) - TIE)
        present ^= {edges[first]}


@settings(max_examples=60)
@given(seed=st.integers(0, 10**9), few=st.booleans(), starts_full=st.booleans())
def test_oracle_any_scores_at_all(seed, few, starts_full):
    """With many ties where there are few scores. Those of a blanket fall with its size, so that a climb ends."""
    rng, drawn = Random(seed), {}

    def score(target, blanket):
        key = (target, *blanket)
        if key not in drawn:
            own = Random(f"{seed} {key}")
            drawn[key] = float(own.randint(0, 3)) if few else own.random()
        return drawn[key]

    groups = [[0, 2, 3, 7], [1, 5, 6]]
    edges = sorted((i, j) for c in groups for i in c for j in c if i < j and rng.random() < 0.8)
    present = [edge for edge in edges if starts_full or rng.random() < 0.5]
    kept = {v: {8} for v in (2, 5) if rng.random() < 0.5}
    joins = [(3, 5), (2, 6)] if rng.random() < 0.5 else []  # groups, and so stays what it is
    kept |= {v: kept.get(v, set()) | {other} for v, other in both_ways(joins)}
    arguments = space(groups, [*edges, *joins], [*present, *joins], kept, score)
    found = climb_groups(score, *arguments)
    expected = set()
    for group in groups:
        own = [edge for edge in edges if edge[0] in group]
        inside = [edge for edge in present if edge[0] in group]
        expected |= climbed_in_sets(own, inside, kept, score)
    expected |= both_ways(joins)
    assert edges_of(arguments[0], arguments[2], found.present) == expected


def test_example_a_tie_is_one_within_a_group():
    """1-2 and 1-4 tie with each other, and 0-3, which is elsewhere, does not come between them."""
    worth = {(1, (4,)): 1.0, (1, (2,)): 1.0 + TIE / 2, (1, ()): -9.0, (0, ()): 1.0 + TIE}

    def score(target, blanket):
        return worth.get((target, tuple(blanket)), 0.0)

    edges = [(0, 3), (1, 2), (1, 4)]
    groups, blankets, partners, changes = space([[1, 2, 4], [0, 3]], edges, edges, {}, score)
    found = climb_groups(score, groups, blankets, partners, changes)
    assert edges_of(groups, partners, found.present) == {(1, 4), (4, 1)}
    # After 1-2: of 1 the flips of a blanket of one, of 2 those of none; after 0-3 those of none at both ends.
    assert [counts.tolist() for counts in found.evaluations] == [[1, 1, 1], [0, 2]]


LEVELS = np.column_stack([network(3, 300, 6, strength=1.5), network(3, 300, 3).sum(axis=1)])
WEIGHTS = Weights(np.random.default_rng(0).integers(1, 4, 300))
BITS = {
    "binary": pack(network(5, 250, 8, strength=1.5)),
    "levels": samples_with_levels(LEVELS).bits,
    "weights": samples_with_levels(LEVELS, WEIGHTS).bits,
    "steps": samples_with_levels(LEVELS).with_order([True] * 7).bits,
}
PRICES = {
    "bic": Costs(2.0, 0.5),
    "penalty": Costs(2.0, 0.5, FitPenalty(0.5, 0.1)),
    "mpl": Dirichlet(1.0),
}


def full_graph(kernels, bits, costs, groups):
    """All pairs of each group, all of them edges at first."""
    variables = np.array([v for c in groups for v in c])
    partners = Lists.of([[p for p in c if p != v] for c in groups for v in c])
    scores, toggled = kernels.toggle_scores(bits, variables, partners, partners, costs)
    changes = toggled - np.repeat(scores, np.diff(partners.starts))
    return bits, Lists.of(groups), partners, partners, changes, costs


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("name", BITS)
def test_property_every_backend_climbs_the_same(native_kernels, name, price):
    arguments = full_graph(native_kernels, BITS[name], PRICES[price], [[0, 2, 3, 6], [1, 4, 5]])
    one, other = (k.climb_groups(*arguments) for k in (native_kernels, ReferenceKernels()))
    assert one.present.tolist() == other.present.tolist()
    assert (one.highest >= other.highest - 1e-8).all()  # what cannot gain is only bounded
    for ours, theirs in zip(one.evaluations, other.evaluations, strict=True):
        assert np.trim_zeros(ours, "b").tolist() == np.trim_zeros(theirs, "b").tolist()
    assert other.evaluations.values.sum() > 0


@pytest.mark.parametrize("seed", range(3))
def test_oracle_flips_that_are_only_bounded(native_kernels, seed):
    """Few letters of related sequences: most flips are far from gaining, and many fits are separated."""
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, 4, 7)]
    while len(values) < 120:
        copied = values[rng.integers(len(values))]
        values.append(np.where(rng.random(7) < 0.15, rng.integers(0, 4, 7), copied))
    bits, costs, everyone = samples_with_levels(np.array(values)).bits, Costs(1.5, 0.0), range(7)

    @cache
    def scored(target, blanket):
        lists = Lists.of([np.array(blanket, np.int64)]), Lists.empty(1)
        return native_kernels.toggle_scores(bits, np.array([target]), *lists, costs)[0][0]

    arguments = full_graph(native_kernels, bits, costs, [list(everyone)])
    found = native_kernels.climb_groups(*arguments)
    edges = [(i, j) for i in everyone for j in everyone if i < j]
    expected = climbed_in_sets(edges, edges, {}, lambda v, blanket: scored(v, tuple(blanket)))
    assert edges_of(arguments[1], arguments[3], found.present) == expected
    assert 0 < len(expected) < 42


def test_example_no_groups_at_all(kernels):
    nothing = Lists.empty(0)
    found = kernels.climb_groups(
        BITS["binary"], nothing, nothing, nothing, np.empty(0), PRICES["bic"]
    )
    assert len(found.present) == len(found.highest) == len(found.evaluations) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": Lists.of([[1, 0, 2]])}, "ascend"),
        ({"groups": Lists.of([[0, 1], [2, 2]])}, "one list a target"),
        ({"groups": Lists.of([[0, 1, 8]])}, "row numbers"),
        ({"partners": Lists.of([[2, 1], [0], [0]])}, "ascend"),
        ({"partners": Lists.of([[0, 1], [0], [1]])}, "own partner"),
        ({"partners": Lists.of([[1, 2], [0], [1]])}, "both ends"),
        ({"blankets": Lists.of([[1], [0], [0]])}, "both ends"),
        ({"blankets": Lists.of([[2, 1], [0], [0]])}, "ascend"),
        ({"changes": np.zeros(3)}, "one change per partner"),
    ],
)
def test_example_what_does_not_fit_together(change, message):
    lists = Lists.of([[1, 2], [0], [0]])
    arguments = {
        "groups": Lists.of([[0, 1, 2]]),
        "blankets": lists,
        "partners": lists,
        "changes": np.zeros(4),
    } | change
    with pytest.raises(ValueError, match=message):
        NativeKernels().climb_groups(BITS["binary"], costs=PRICES["bic"], **arguments)


@pytest.mark.skipif(os.name == "nt", reason="there a signal to oneself is the end")
def test_example_ctrl_c_ends_a_climb(ctrl_c):
    """One of 200 variables that are all joined would take minutes."""
    values = np.random.default_rng(0).integers(0, 2, size=(2000, 200), dtype=np.uint8)
    bits, everyone = pack(values), list(range(200))
    joined = Lists.of([[p for p in everyone if p != v] for v in everyone])
    # Claimed, so that there is something to flip.
    changes, nobody = np.ones(len(joined.values)), Lists.empty(200)
    threading.Timer(0.5, ctrl_c).start()
    with pytest.raises(KeyboardInterrupt):
        NativeKernels().climb_groups(
            bits, Lists.of([everyone]), nobody, joined, changes, Costs(-10.0, 0.0)
        )
