"""Amounts of memory."""

import numpy as np
import pytest

from rulekit.core.checks import format_bytes, parse_bytes
from rulekit.core.index import bytes_of_index


@pytest.mark.parametrize(
    ("written", "n_bytes"),
    [
        (7, 7),
        (np.int32(7), 7),
        ("7B", 7),
        ("1.5kB", 1500),
        ("2MB", 2 * 10**6),
        (" 2 GB ", 2 * 10**9),
        ("1TB", 10**12),
        ("1KiB", 2**10),
        ("1MiB", 2**20),
        ("0.5GiB", 2**29),
        ("1TiB", 2**40),
    ],
)
def test_amounts_are_read_as_people_write_them(written, n_bytes):
    assert n_bytes == parse_bytes(written)


@pytest.mark.parametrize("written", ["", "MB", "7", "7 mb", "1e3MB", "-1MB", "7MB!", 1.5, True, np.True_, None, [7]])
def test_anything_else_is_no_amount(written):
    assert parse_bytes(written) is None


def test_an_amount_is_told_in_megabytes_with_one_decimal():
    assert format_bytes(12_345_678_900) == "12,345.7 MB"


def test_an_index_takes_codes_places_bits_and_work_for_each_thread():
    """1,000 samples of 2 classes with 64 slots of padding each; 3 features of 2 bytes, 8 bytes of slot, 64 bits."""
    n_slots = 1000 + 2 * 64
    codes, positions, bits, work = n_slots * 3 * 2, n_slots * 8, n_slots * 64 // 8, 4 * 6 * 8 * 1000
    assert codes + positions + bits + work == bytes_of_index(1000, n_features=3, n_classes=2, n_threads=4)
