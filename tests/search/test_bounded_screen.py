import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markhood.data.coding.encode import encode
from markhood.scores.scorer import Pairs
from markhood.search import screen as screens
from markhood.search.blankets import StrongestNearby
from markhood.search.hill_climbing import hill_climb
from markhood.search.screen import representatives, screen
from oracles.jobs import job_of

D = 15
pairs = st.lists(
    st.tuples(st.integers(0, D - 1), st.integers(0, D - 1)).filter(lambda e: e[0] < e[1]),
    unique=True,
    max_size=60,
)


def spaces_of(edges, gains, most, sets):
    spaces = StrongestNearby(edges, gains, D, 3, most, sets).of(np.arange(D))
    return [space.tolist() for space in spaces.candidates], spaces.n_cut


@given(pairs, st.integers(1, 4), st.booleans(), st.randoms(use_true_random=False))
def test_property_spaces_among_the_kept_are_those_among_all(edges, most, has_sets, random):
    gains = np.array([random.randint(1, 9) for _ in edges], float)
    array = np.array(edges, np.int64).reshape(-1, 2)
    sets = np.array([random.randrange(6) for _ in range(D)]) if has_sets else None
    collected = screens._StrongestPairs(D, 2 * most, sets)
    for start in range(0, len(edges), 3):  # tiles of three pairs, gone through one by one
        part = slice(start, start + 3)
        collected.add(Pairs(array[part], gains[part]))
        collected._let_go()
    kept = collected.pairs()
    assert collected.n_passed == len(edges)
    assert len(kept.gains) <= min(len(edges), D * 2 * most)
    assert spaces_of(*kept, most, sets) == spaces_of(array, gains, most, sets)


def in_linkage(n_blocks=12, copies=6, n_samples=400):
    """Blocks of noisy copies, blocks depending on each other: nearly all pairs pass."""
    rng = np.random.default_rng(4)
    common = rng.normal(size=(n_samples, 1))
    blocks = common + rng.normal(size=(n_samples, n_blocks)) > 0
    noise = rng.random((n_samples, n_blocks * copies)) < 0.03
    return encode((np.repeat(blocks, copies, axis=1) ^ noise).astype(int))


@pytest.mark.parametrize("most", [2, 5, 20])
def test_oracle_screening_the_strongest_finds_the_same_spaces(most, monkeypatch):
    monkeypatch.setattr(screens, "FEWEST_NEW", 50)
    job = job_of(in_linkage())
    d = job.n_variables
    everything = screen(job, 0.5)
    alike = screens.are_alike(*everything, job.samples.information)
    sets = representatives(everything.edges[alike], d)
    found = screens.screen_bounded(job, 0.5, 2 * most)
    assert found.n_passed == len(everything.gains)
    assert found.sets.tolist() == sets.tolist()
    assert len(found.pairs.gains) < min(len(everything.gains), 2 * most * d + 1)
    for pairs_, of_pairs in ((everything, sets), (found.pairs, found.sets)):
        spaces = StrongestNearby(*pairs_, d, 3, most, of_pairs).of(np.arange(d))
        if pairs_ is everything:
            expected = spaces
    assert spaces.candidates.values.tolist() == expected.candidates.values.tolist()
    assert spaces.n_cut == expected.n_cut


def test_example_what_passed_is_counted_though_not_kept():
    job = job_of(in_linkage())
    found = hill_climb(job, gamma=0.5, depth=3, max_candidates=2, rule="or", start="or")
    assert found.n_screened == len(screen(job, 0.5).gains)
    assert len(found.screened.gains) < found.n_screened
