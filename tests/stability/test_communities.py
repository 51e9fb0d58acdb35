import numpy as np

import markhood
from messages import refuses


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


def test_example_variables_with_many_and_few_levels_have_equal_weight():
    rng = np.random.default_rng(1)
    traits = rng.normal(size=(600, 2)) @ [[1, 0.6], [0, 1]]
    values = 1.2 * traits.repeat([4, 4], axis=1) + rng.logistic(size=(600, 8))
    items = (values > 0).astype(int)
    tenths = [np.quantile(column, np.arange(1, 10) / 10) for column in values.T]
    for k in (0, 1, 4, 5):
        items[:, k] = np.searchsorted(tenths[k], values[:, k])
    found = markhood.bootstrap(items, replicates=20, factors=0, seed=1, n_jobs=1)
    assert (found.communities().stability > 0.9).all()


def test_example_communities_of_posterior_draws():
    found = markhood.Bayes(keep_draws=True, factors=0, seed=1, n_jobs=1).fit(two_scales(400))
    stable = found.communities()
    assert stable.labels.tolist() == [0] * 4 + [1] * 4
    assert (stable.stability > 0.8).all()
    assert stable.together[0, 1] > 0.8
    assert stable.together[0, 5] < 0.2
    with refuses("option-needed"):
        markhood.Bayes(factors=0, seed=1, n_jobs=1).fit(two_scales(100)).communities()
