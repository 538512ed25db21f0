"""Work on rows, in blocks and by threads."""

import threading

import numpy as np
import pytest

from rulekit.core.engine.interface import WORDS_WORTH_A_THREAD, Blocks
from rulekit.core.engine.numpy_engine import NumpyEngine

BLOCKS = Blocks.of_classes(np.array([0, 1]))


def blocks_of(n_jobs, n_rows, row_words, block_words):
    """Blocks in order, and the threads that worked on them."""
    seen, threads, lock = [], set(), threading.Lock()

    def work(start, stop):
        with lock:
            seen.append((start, stop))
            threads.add(threading.current_thread().name)

    NumpyEngine(BLOCKS, n_jobs).spread(work, n_rows, row_words, block_words)
    return sorted(seen), threads


@pytest.mark.parametrize(
    ("n_rows", "row_words", "block_words", "expected"),
    [
        (0, 5, 10, []),
        (3, 5, 15, [(0, 3)]),
        (4, 5, 15, [(0, 3), (3, 4)]),
        (4, 5, 14, [(0, 2), (2, 4)]),
        (3, 20, 10, [(0, 1), (1, 2), (2, 3)]),
        (3, 0, 2, [(0, 2), (2, 3)]),
    ],
)
def test_a_block_has_as_many_rows_as_fit_and_one_at_least(n_rows, row_words, block_words, expected):
    seen, threads = blocks_of(None, n_rows, row_words, block_words)
    assert seen == expected
    assert threads <= {threading.main_thread().name}


def test_threads_divide_work_that_is_worth_it():
    """Seven rows for two threads, four at once."""
    seen, threads = blocks_of(2, 7, WORDS_WORTH_A_THREAD // 7 + 1, 2**62)
    assert seen == [(0, 4), (4, 7)]
    assert threading.main_thread().name not in threads


def test_blocks_for_threads_are_no_larger_than_others():
    seen, _ = blocks_of(2, 8, WORDS_WORTH_A_THREAD // 8, 3 * WORDS_WORTH_A_THREAD // 8)
    assert seen == [(0, 3), (3, 6), (6, 8)]


def test_little_work_is_done_without_threads():
    _, threads = blocks_of(2, 7, (WORDS_WORTH_A_THREAD - 1) // 7, 2**62)
    assert threads == {threading.main_thread().name}


def test_an_error_in_a_thread_is_raised():
    def work(start, stop):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        NumpyEngine(BLOCKS, 2).spread(work, 2, WORDS_WORTH_A_THREAD, 2**62)
