"""Which engine runs, and the errors where one cannot."""

import subprocess
import sys

import numpy as np
import pytest

import rulekit
from rulekit.core.engine import choice, new_engine
from rulekit.core.engine.interface import Blocks
from rulekit.core.errors import InvalidParameterError, MissingExtraError

BLOCKS = Blocks.of_classes(np.array([0, 1, 2]))


@pytest.fixture
def unset(monkeypatch):
    """No engine asked for, and nothing remembered of which one works."""
    monkeypatch.delenv("RULEKIT_ENGINE", raising=False)
    choice._best.cache_clear()
    yield monkeypatch
    choice._best.cache_clear()


def without_numba(monkeypatch):
    monkeypatch.setattr(choice, "find_spec", lambda name: None)


def test_numba_runs_where_it_is_installed(unset):
    pytest.importorskip("numba")
    assert rulekit.engine_name() == new_engine(BLOCKS, None).name == "numba"


def test_numpy_runs_where_numba_is_not_installed(unset):
    without_numba(unset)
    assert rulekit.engine_name() == new_engine(BLOCKS, None).name == "numpy"


def test_numpy_runs_with_a_warning_where_numba_does_not_work(unset):
    unset.setattr(choice, "find_spec", lambda name: object())
    unset.setitem(sys.modules, "numba", None)
    with pytest.warns(RuntimeWarning, match="numba is installed but cannot be imported .* Upgrade numba"):
        assert rulekit.engine_name() == "numpy"


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ["numpy", "numba"], ids=["arrays", "machine code"])
def test_the_engine_has_as_many_threads_as_asked_for(unset, name, n_jobs):
    pytest.importorskip(name)
    with rulekit.using_engine(name):
        assert new_engine(BLOCKS, n_jobs).n_threads == n_jobs


def test_the_environment_chooses(unset):
    unset.setenv("RULEKIT_ENGINE", "numpy")
    assert rulekit.engine_name() == new_engine(BLOCKS, None).name == "numpy"


def test_a_with_block_goes_before_the_environment(unset):
    pytest.importorskip("numba")
    unset.setenv("RULEKIT_ENGINE", "numpy")
    with rulekit.using_engine("numba"):
        assert rulekit.engine_name() == "numba"
    assert rulekit.engine_name() == "numpy"


def test_the_engine_before_a_block_comes_back_after_an_error(unset):
    unset.setenv("RULEKIT_ENGINE", "numba")
    with pytest.raises(ValueError, match="no"), rulekit.using_engine("numpy"):
        raise ValueError("no")
    assert rulekit.engine_name() == "numba"


def test_an_unknown_engine_is_rejected_with_the_known_ones(unset):
    with pytest.raises(InvalidParameterError, match=r"^Unknown engine 'fortran'; choose one of numba, numpy"):
        rulekit.using_engine("fortran").__enter__()


def test_an_unknown_engine_in_the_environment_is_blamed_on_it(unset):
    unset.setenv("RULEKIT_ENGINE", "fortran")
    with pytest.raises(InvalidParameterError, match=r"'fortran' \(from RULEKIT_ENGINE\)"):
        rulekit.engine_name()


def test_asking_for_numba_without_it_names_the_extra(unset):
    without_numba(unset)
    with pytest.raises(MissingExtraError, match=r"pip install 'rulekit-rcprob\[fast\]'"):
        rulekit.using_engine("numba").__enter__()


def test_numba_is_not_imported_before_a_fit():
    code = "import sys, rulekit; rulekit.build('rcprob'); assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernels_compile_where_nothing_can_be_kept_on_disk(monkeypatch):
    caching = pytest.importorskip("numba.core.caching")
    from rulekit.core.engine.kernels import kernel

    # The class has lost its underscore over numba's versions.
    folders = getattr(caching, "CacheImpl", None) or caching._CacheImpl
    monkeypatch.setattr(folders, "_locator_classes", [])

    def twice(number):
        return 2 * number

    assert kernel("int64(int64)")(twice)(21) == 42


@pytest.mark.parametrize(
    ("name", "imported", "expected"),
    [("numpy", False, True), ("numba", True, True), ("numba", False, False)],
    ids=["nothing to compile", "compiled", "to compile"],
)
def test_an_engine_is_loaded_when_nothing_is_left_to_compile(name, imported, expected, monkeypatch):
    monkeypatch.delitem(sys.modules, choice.KERNELS, raising=False)
    if imported:
        monkeypatch.setitem(sys.modules, choice.KERNELS, sys)
    with rulekit.using_engine(name):
        assert choice.is_loaded() is expected
