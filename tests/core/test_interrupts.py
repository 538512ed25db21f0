"""Blocks that Ctrl-C does not cut in two."""

import signal
import subprocess
import sys
import threading

import pytest

from rulekit.core.interrupts import uninterrupted


@pytest.fixture
def handled():
    """How often Ctrl-C was handled, by a handler of this test's own."""
    numbers: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: numbers.append(number))
    yield numbers
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_for_the_end(handled):
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert handled == []
    assert handled == [signal.SIGINT]


def test_the_handler_comes_back(handled):
    handler = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        assert signal.getsignal(signal.SIGINT) is not handler
    assert signal.getsignal(signal.SIGINT) is handler
    assert handled == []


def test_the_handler_comes_back_after_an_error(handled):
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="half-way"), uninterrupted():
        raise ValueError("half-way")
    assert signal.getsignal(signal.SIGINT) is handler


def test_by_default_it_is_a_keyboard_interrupt(handled):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    steps = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            steps.append("done")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["done"]


def test_where_it_is_ignored_it_stays_so(handled):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def test_in_another_thread_nothing_changes(handled):
    handler, found = signal.getsignal(signal.SIGINT), []

    def run() -> None:
        with uninterrupted():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [handler]


#: Presses Ctrl-C when the import of numba has come to the libraries that it needs; then asks again.
SCRIPT = """
import builtins, signal
import rulekit

signal.signal(signal.SIGINT, signal.default_int_handler)
import_ = builtins.__import__


def pressing(name, *args, **kwargs):
    if name.startswith("llvmlite"):
        builtins.__import__ = import_
        signal.raise_signal(signal.SIGINT)
    return import_(name, *args, **kwargs)


builtins.__import__ = pressing
try:
    rulekit.engine_name()
except KeyboardInterrupt:
    print("interrupted")
print(rulekit.engine_name())
import numpy as np
from rulekit.core.engine import new_engine
from rulekit.core.engine.interface import Blocks
print(new_engine(Blocks.of_classes(np.array([0, 1, 2])), None).name)
"""


def test_numba_can_be_used_after_an_interrupt_of_its_import():
    pytest.importorskip("numba")
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["interrupted", "numba", "numba"], "")
