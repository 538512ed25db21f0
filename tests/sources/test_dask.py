"""Parts on the workers of a Dask cluster of two processes: equal rules, little traffic, and no loss with a worker."""

import logging
import os
import signal

import numpy as np
import pandas as pd
import pytest
from sources.tables import TARGET, features, from_source, in_memory, table, trained

import rulekit
from rulekit.core.errors import EnsembleMismatchError, InvalidParameterError, SourceError, UnfittedEnsembleError
from rulekit.sources import on_dask
from rulekit.sources.on_dask import DaskPartitions

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'rulekit-rcprob[dask]'")
import dask  # noqa: E402
import dask.dataframe  # noqa: E402

# Sockets of a cluster are closed in threads of its own, some time after it; what Dask does inside is not at test here.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning:distributed")


@pytest.fixture(scope="module")
def client():
    """Its workers count with the other engine than this process, if that has numba."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    options["env"] = {"RULEKIT_ENGINE": "numpy"}
    with (
        distributed.LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def frame():
    return table(120)


@pytest.fixture(scope="module")
def model(frame):
    return trained(frame)


@pytest.fixture(scope="module")
def expected(frame, model):
    return in_memory(model, frame)


def delayed(frame, n_parts):
    """Some rows for each part; missing values and a category are in a few parts only."""
    return [dask.delayed(frame[start::n_parts]) for start in range(n_parts)]


def test_delayed_frames_give_the_rules_of_the_table(client, frame, model, expected):
    found = from_source(model, delayed(frame, 5), client=client)
    assert found.ruleset_.to_dict() == expected.ruleset_.to_dict()
    assert [step.score for step in found.history_] == [step.score for step in expected.history_]


def test_partitions_without_rows_and_columns_in_another_order_change_nothing(client, frame, model, expected):
    turned = frame[60:][[TARGET, "colour", "legs", "size"]]
    source = [dask.delayed(part) for part in (frame[:0], frame[:60], frame[:0], frame[:0], turned)]
    assert from_source(model, source, client=client).ruleset_.to_dict() == expected.ruleset_.to_dict()


def test_a_dask_frame_gives_the_rules_of_the_table(client, frame, model, expected):
    source = dask.dataframe.from_pandas(frame, npartitions=3)
    found = rulekit.build("rcprob", model, min_coverage=expected.min_coverage).fit_from(source, TARGET, backend="dask")
    assert found.ruleset_.to_dict() == expected.ruleset_.to_dict()


def test_partitions_are_predicted_by_the_workers(client, frame, expected):
    source = [dask.delayed(part) for part in (frame[:0], frame[:50], frame[50:])]
    found = list(expected.predict_from(source, client=client))
    assert [len(labels) for labels in found] == [50, 70]
    np.testing.assert_array_equal(np.concatenate(found), expected.predict(features(frame)))


class Counted(DaskPartitions):
    """Knows what workers had received from one another before the first question."""

    before = None

    def total(self, count, *arguments):
        if self.before is None:
            self._by_worker()  # waits for all parts
            self.before = self.received()
        return super().total(count, *arguments)

    def received(self):
        return sum(self.client.run(_bytes_from_other_workers).values())


def _bytes_from_other_workers(dask_worker):
    return sum(transfer["total"] for transfer in dask_worker.transfer_incoming_log)


def test_what_is_sent_does_not_grow_with_the_samples(client, frame, model):
    """Each sample twice gives the same candidates; counts take a few bytes more where they pass a power of two."""
    traffic = {}
    for copies in (1, 2):
        partitions = Counted(client, delayed(pd.concat([frame] * copies), 4), 2**20)
        found = from_source(model, partitions)
        traffic[copies] = partitions.n_requests, partitions.n_bytes_sent
        assert partitions.received() == partitions.before
        assert partitions.n_bytes_sent > 1000
    assert len(found.ruleset_) > 3
    assert traffic[2][0] == traffic[1][0]
    assert traffic[2][1] == pytest.approx(traffic[1][1], rel=0.02)


@pytest.fixture(scope="module")
def numbers(frame):
    """Missing values are in one part only."""
    return features(frame)[["size", "legs"]].assign(species=(frame[TARGET] == "bee").astype(int))


class TestModelsTrainedOnTheCluster:
    def trained_on(self, client, model, numbers):
        source = dask.dataframe.from_pandas(numbers, npartitions=2)
        model.client = client
        return source, model.fit(source[["size", "legs"]], source[TARGET])

    @pytest.mark.filterwarnings("ignore:Parameter n_jobs will be ignored:UserWarning")
    def test_of_lightgbm(self, client, numbers):
        lightgbm = pytest.importorskip("lightgbm")
        model = lightgbm.DaskLGBMClassifier(n_estimators=3, min_child_samples=5, verbose=-1)
        source, model = self.trained_on(client, model, numbers)
        found = from_source(model, source, client=client)
        assert found.ruleset_.to_dict() == in_memory(model.to_local(), numbers).ruleset_.to_dict()
        assert in_memory(model, numbers).ruleset_.to_dict() == found.ruleset_.to_dict()
        assert len(found.ruleset_) > 2

    def test_of_xgboost(self, client, numbers):
        xgboost_dask = pytest.importorskip("xgboost.dask")
        model = xgboost_dask.DaskXGBClassifier(n_estimators=3, max_depth=3)
        source, model = self.trained_on(client, model, numbers)
        found = from_source(model, source, client=client)
        assert found.ruleset_.to_dict() == in_memory(model.get_booster(), numbers).ruleset_.to_dict()
        assert len(found.ruleset_) > 2

    def test_one_that_is_not_fitted(self, frame):
        lightgbm = pytest.importorskip("lightgbm")
        with pytest.raises(UnfittedEnsembleError, match=r"The DaskLGBMClassifier is not fitted. Train it on its clus"):
            from_source(lightgbm.DaskLGBMClassifier(), frame)


class TestErrors:
    def test_an_error_on_a_worker_is_that_of_the_part(self, client, frame, model):
        source = [dask.delayed(frame[:60]), dask.delayed(frame[60:].replace({TARGET: {"bee": "wasp"}}))]
        with pytest.raises(EnsembleMismatchError, match=r"was not trained on: \['wasp'\]"):
            from_source(model, source, client=client)

    def test_partitions_with_other_columns(self, client, frame, model):
        source = [dask.delayed(frame[:60]), dask.delayed(frame[60:].rename(columns={"legs": "arms"}))]
        with pytest.raises(SourceError, match=r"does not have the columns of its first part. Missing: \['legs'\]"):
            from_source(model, source, client=client)

    def test_no_rows(self, client, frame, model):
        with pytest.raises(SourceError, match="The source has no rows"):
            from_source(model, [dask.delayed(frame[:0])], client=client)

    def test_no_partitions(self, model):
        with pytest.raises(SourceError, match="The source has no partitions"):
            on_dask.delayed_of([])

    def test_another_backend(self, frame, model):
        source = delayed(frame, 2)
        with pytest.raises(InvalidParameterError, match="indexed by its own cluster: use backend='dask' or None"):
            rulekit.build("rcprob", model).fit_from(source, TARGET, backend="local")


class Killer:
    """Kills a worker process after the first tree."""

    def __init__(self, client):
        self.client, self.killed = client, None

    @rulekit.hookimpl
    def rulekit_after_tree(self, step):
        if self.killed is None:
            self.killed = min(self.client.run(os.getpid).values())
            os.kill(self.killed, signal.SIGKILL)


def read(frame, number, folder):
    """A partition that leaves a trace of being read."""
    with (folder / str(number)).open("a") as trace:
        trace.write("read ")
    return frame


def test_a_killed_worker_costs_the_work_on_its_parts_only(client, frame, model, expected, tmp_path):
    killer, n_parts = Killer(client), 8
    source = [dask.delayed(read)(frame[number::n_parts], number, tmp_path) for number in range(n_parts)]
    with rulekit.observe(killer):
        found = from_source(model, source, client=client)
    assert found.ruleset_.to_dict() == expected.ruleset_.to_dict()
    assert killer.killed not in client.run(os.getpid).values()
    n_read = sum((tmp_path / str(number)).read_text().count("read") for number in range(n_parts))
    assert n_parts < n_read < 2 * n_parts
