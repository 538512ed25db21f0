"""Arrays in temporary files."""

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rulekit.core.errors import SourceError


class Scratch:
    """Makes arrays whose memory is a temporary file.

    The file has no name, or is deleted when the process ends: however that happens, nothing is left behind.

    Parameters
    ----------
    folder : Path or None
        None means the system's folder for temporary files.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None and not folder.is_dir():
            raise SourceError(f"Folder not found: {folder}. Create it, or pass another scratch_folder.")
        self.folder = folder
        self.n_bytes = 0

    def allocate(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> np.ndarray[Any, Any]:
        """An array of zeros in a file of its own, which lives as long as the array."""
        shape = (shape,) if isinstance(shape, int) else shape
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if not size:
            return np.zeros(shape, dtype=dtype)
        where = self.folder or tempfile.gettempdir()
        try:
            with tempfile.TemporaryFile(dir=self.folder, prefix="rulekit-") as file:
                # A full disk is an error here; while the array is used, it would end the process.
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                    array = np.memmap(file, dtype=dtype, mode="r+", shape=shape)
                else:
                    array = np.memmap(file, dtype=dtype, mode="w+", shape=shape)
        except OSError as error:
            raise SourceError(
                f"Temporary files in {where} have {self.n_bytes:,} bytes, and cannot get {size:,} more: {error}. Pass "
                "a scratch_folder with enough space that you may write to."
            ) from error
        self.n_bytes += size
        return array
