import os
import time

import pytest

from benchmarks.isolation import FailedWorkError, TimeLimitError, isolated


def test_the_work_runs_in_another_process():
    assert isolated(os.getpid) != os.getpid()


def test_it_has_its_own_environment():
    assert isolated(os.getenv, "A_NAME", environment={"A_NAME": "a value"}) == "a value"
    assert os.getenv("A_NAME") is None


def test_it_is_stopped_when_its_time_is_up():
    with pytest.raises(TimeLimitError, match=r"stopped after 0\.1 s"):
        isolated(time.sleep, 60, time_limit=0.1)


def test_an_exception_is_reported():
    with pytest.raises(FailedWorkError, match="ZeroDivisionError: "):
        isolated(divmod, 1, 0)


def test_so_is_a_death():
    with pytest.raises(FailedWorkError, match="died without a word"):
        isolated(os._exit, 1)
