import numpy as np

import markhood


def two_scales(n):
    rng = np.random.default_rng(1)
    traits = rng.normal(size=(n, 2)).repeat([4, 4], axis=1)
    return (2 * traits + rng.logistic(size=(n, 8)) > 0).astype(int)


def test_example_items_of_two_scales_stay_together():
    found = markhood.bootstrap(two_scales(400), replicates=20, factors=0, seed=1, n_jobs=1)
    stable = found.communities()
    assert set(stable.labels[:4]) == {0}
    assert set(stable.labels[4:]) == {1}
    assert (stable.stability > 0.9).all()
    assert stable.together[0, 1] > 0.9
    assert stable.together[0, 5] < 0.1
    assert sum(stable.n_communities.values()) == 1
    assert list(stable.to_frame().columns) == ["node", "community", "stability"]


def test_example_isolated_nodes_have_no_stability():
    data = np.column_stack([two_scales(400), np.arange(400) % 2])
    stable = markhood.bootstrap(data, replicates=5, factors=0, seed=1, n_jobs=1).communities()
    assert stable.labels[8] == -1
    assert np.isnan(stable.stability[8])
