"""Codes are in temporary files, of which nothing is left behind, however the work ends."""

import gc
import os
import resource
import signal
import sys
from pathlib import Path

import pytest
from sources.tables import from_source, in_memory, table, trained

import rulekit
from rulekit.core.errors import SourceError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(scope="module")
def frame():
    return table()


@pytest.fixture(scope="module")
def model(frame):
    return trained(frame)


def files_in_use(folder):
    """Files of this process in a folder, those without a name included."""
    return [line for line in Path("/proc/self/maps").read_text().splitlines() if f"{folder}/" in line]


def test_codes_take_two_bytes_a_value(frame, model, tmp_path):
    sizes = []

    def frames():
        yield frame[:30]
        yield frame[30:]
        sizes.extend(os.stat(f"/proc/self/map_files/{line.split()[0]}").st_size for line in files_in_use(tmp_path))

    from_source(model, frames(), part_size=30, scratch_folder=tmp_path)
    # For each feature, samples of each class are padded to whole words; slots take 8 bytes a sample.
    n_slots, n_features, n_classes = 30, 3, 3
    assert sorted(set(sizes))[0] == 8 * n_slots
    assert sorted(set(sizes))[-1] <= 2 * n_features * (n_slots + 64 * n_classes)


def test_files_vanish_with_the_fit(frame, model, tmp_path):
    gc.disable()  # training data refers to itself
    try:
        found = from_source(model, frame, part_size=10, scratch_folder=tmp_path)
        assert files_in_use(tmp_path) == []
    finally:
        gc.enable()
    assert len(found.ruleset_) > 3


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_while_samples_are_read(frame, model, tmp_path, stop):
    def frames():
        yield frame[:30]
        yield frame[30:]
        assert files_in_use(tmp_path)
        raise stop

    extractor = rulekit.build("rcprob", model)
    with pytest.raises(stop):
        extractor.fit_from(frames(), "species", part_size=10, scratch_folder=tmp_path)
    assert not hasattr(extractor, "ruleset_")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_killed_process(frame, model, tmp_path):
    """Killed by a signal that no process can catch, in the middle of its work."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:

            def frames():
                yield frame[:30]
                yield frame[30:]
                os.write(writer, b"files" if files_in_use(tmp_path) else b"none")
                signal.pause()

            with rulekit.using_engine("numpy"):
                from_source(model, frames(), part_size=10, scratch_folder=tmp_path)
        finally:
            os._exit(1)
    os.close(writer)
    assert os.read(reader, 5) == b"files"
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk(frame, model, tmp_path):
    """The system allows no file of more than a hundred bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(SourceError) as caught:
            from_source(model, frame, scratch_folder=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    told = str(caught.value)
    assert told.startswith(f"Temporary files in {tmp_path} have 0 bytes, and cannot get 480 more: [Errno 27]")
    assert told.endswith("Pass a scratch_folder with enough space that you may write to.")


def test_a_folder_that_may_not_be_written_to(frame, model):
    with pytest.raises(SourceError, match=r"Temporary files in /proc have 0 bytes, and cannot get 480 more: \[Errno"):
        from_source(model, frame, scratch_folder="/proc")


def test_a_folder_that_is_not_there(frame, model, tmp_path):
    with pytest.raises(SourceError, match=r"Folder not found: .*/no. Create it, or pass another scratch_folder."):
        from_source(model, frame, scratch_folder=tmp_path / "no")


def test_little_memory_gives_the_same_rules(frame, model):
    """`max_memory` and threads change how the work is done, and nothing else."""
    found = from_source(model, frame, part_size=7, max_memory="1MB", n_jobs=2)
    assert found.ruleset_.to_dict() == in_memory(model, frame).ruleset_.to_dict()
