"""Clusters of two workers each (`make test-clusters`); skipped if the libraries are missing."""

import os

import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # ask for what will be the default


class DaskCluster:
    """A scheduler with two workers, and a client of it."""

    name = "dask"

    def __init__(self, client):
        from markhood.execution.dask import DaskEngine

        self.client = client
        self.scheduler = client.scheduler.address
        self.engine = DaskEngine(client)

    def pids(self):
        return set(self.client.run(os.getpid).values())

    def has_work(self):
        return any(self.client.processing().values())


class RayCluster:
    """A Ray of two processors."""

    name = "ray"

    def __init__(self):
        import ray

        from markhood.execution.ray import RayEngine

        self.scheduler = ray.get_runtime_context().gcs_address
        self.engine = RayEngine()

    def pids(self):
        import time

        import ray

        @ray.remote
        def pid():
            time.sleep(0.2)
            return os.getpid()

        return set(ray.get([pid.remote() for _ in range(8)]))

    def has_work(self):
        import ray

        return ray.available_resources().get("CPU", 0) < 2


@pytest.fixture(scope="session")
def dask_cluster():
    distributed = pytest.importorskip("distributed", reason="no Dask: run make test-clusters")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as local,
        distributed.Client(local) as client,
    ):
        yield DaskCluster(client)


@pytest.fixture(scope="session")
def ray_cluster():
    ray = pytest.importorskip("ray", reason="no Ray: run make test-clusters")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield RayCluster()
    ray.shutdown()


@pytest.fixture(params=["dask", "ray"])
def cluster(request):
    return request.getfixturevalue(f"{request.param}_cluster")
