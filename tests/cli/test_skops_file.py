"""Reading a skops file takes memory in proportion to its size, whatever it declares."""

import io
import json
import struct
import tracemalloc
import zlib
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pytest
import skops.io

from rulekit.cli import skops_file
from rulekit.cli.errors import CommandError
from rulekit.cli.skops_file import model_from_skops

N_ZEROS = 2**20
#: Far less than the zeros take, and than the megabytes that importing skops does.
SMALL = 2**18


@pytest.fixture(autouse=True)
def _low_limit(monkeypatch):
    monkeypatch.setattr(skops_file, "MAX_CONTENTS", SMALL)


def array(**changes):
    """An array's node in the structure of a model."""
    own = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode", "__id__": 1}
    return own | {"type": "numpy", "file": "1.npy"} | changes


def structure(*parts):
    return {
        "__class__": "list",
        "__module__": "builtins",
        "__loader__": "ListNode",
        "content": list(parts),
        "protocol": 2,
        "_skops_version": skops.__version__,
    }


def saved(path, content, *parts, compression=ZIP_DEFLATED):
    with ZipFile(path, "w", compression) as archive:
        archive.writestr("schema.json", json.dumps(structure(*parts)))
        archive.writestr("1.npy", content)
    return path


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def error(path):
    """The error, and that it came before much memory was taken."""
    with pytest.raises(CommandError) as caught:
        model_from_skops(path)
    return str(caught.value)


def peak_of(path):
    """The error and the most memory that it took to find it."""
    import skops.io._persist  # noqa: F401 (so that importing is not measured)

    tracemalloc.start()
    try:
        message = error(path)
        return message, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_compressed_array_of_zeros_is_not_read(tmp_path):
    """Of 0.97 MB, it took 2.2 GB."""
    bomb = saved(tmp_path / "bomb.skops", npy(np.zeros(N_ZEROS)), array())
    assert bomb.stat().st_size < N_ZEROS * 8 / 500
    message, peak = peak_of(bomb)
    assert f"bomb.skops is too large to be read: it has {bomb.stat().st_size:,} bytes, and its contents 8,3" in message
    assert "(limit 8" in message  # a hundred times its own size
    assert peak < 2 * SMALL


def test_nor_is_one_that_declares_a_smaller_size(tmp_path):
    """`ZipFile.read` decompresses what there is, not what the archive declares."""
    bomb = saved(tmp_path / "bomb.skops", npy(np.zeros(N_ZEROS)), array())
    content = npy(np.zeros(N_ZEROS))
    declared, crc = 1000, zlib.crc32(content[:1000])
    data = bytearray(bomb.read_bytes())
    for sign, offset in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        start = data.rindex(sign)
        struct.pack_into("<L", data, start + offset, crc)
        struct.pack_into("<L", data, start + offset + 8, declared)
    bomb.write_bytes(data)
    message, peak = peak_of(bomb)
    assert "an array of shape (1048576,) in 1.npy, a file of 1000 bytes" in message
    assert peak < 2 * SMALL


def test_nor_are_many_arrays_from_one_file(tmp_path):
    parts = [array(__id__=number) for number in range(1000)]
    bomb = saved(tmp_path / "bomb.skops", npy(np.zeros(100)), *parts)
    message, peak = peak_of(bomb)
    assert "is too large to be read" in message
    assert peak < 8 * SMALL  # the structure itself


def test_nor_is_a_large_structure(tmp_path):
    path = tmp_path / "bomb.skops"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", "[" + "[]," * N_ZEROS + "[]]")
    message, peak = peak_of(path)
    assert "is too large to be read" in message
    assert peak < 2 * SMALL


def test_nor_is_an_array_that_declares_more_values_than_it_has(tmp_path):
    content = npy(np.zeros(1000)).replace(b"(1000,), }        ", b"(1000000000,), }  ")
    message, peak = peak_of(saved(tmp_path / "bomb.skops", content, array(), compression=ZIP_STORED))
    assert "an array of shape (1000000000,) in 1.npy, a file of 8128 bytes" in message
    assert peak < 2 * SMALL


def test_other_compressions_are_rejected(tmp_path):
    message = error(saved(tmp_path / "bomb.skops", npy(np.zeros(3)), array(), compression=ZIP_BZIP2))
    assert message.startswith("Not supported: ")
    assert message.endswith("Save the model without compression.")


@pytest.mark.parametrize("compression", [ZIP_STORED, ZIP_DEFLATED])
def test_whatever_is_not_too_large_is_read(tmp_path, compression, monkeypatch):
    monkeypatch.undo()
    skops.io.dump([np.arange(5), {"a": np.zeros(10_000)}], tmp_path / "fine.skops", compression=compression)
    numbers, others = model_from_skops(tmp_path / "fine.skops")
    np.testing.assert_array_equal(numbers, np.arange(5))
    np.testing.assert_array_equal(others["a"], np.zeros(10_000))
