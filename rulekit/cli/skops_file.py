"""Models in skops files: read only if their types are known to be harmless, and their contents are not too large."""

import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from rulekit.cli.errors import CommandError
from rulekit.core.errors import MissingExtraError

#: Types of ensembles that a skops file may hold besides those that skops knows: arrays and models, no code.
TRUSTED = (
    "collections.OrderedDict",
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
)
#: The file with the structure of the model, inside of the archive.
SCHEMA = "schema.json"
#: Most bytes of contents: so many for any file, or this many times the bytes of a larger one. The contents of a forest
#: that is saved with the strongest compression have ten times the bytes of its file.
MAX_CONTENTS, MAX_GROWTH = 2**28, 100
#: Bytes of memory for each byte of the structure, at least.
STRUCTURE_GROWTH = 10
NPY_MAGIC, ARCHIVE_MAGIC = b"\x93NUMPY", b"PK\x03\x04"


def model_from_skops(path: Path) -> Any:
    """The model in a skops file."""
    try:
        from skops import io as skops_io
    except ImportError:
        raise MissingExtraError(
            f"{path} is a skops file, but skops is not installed: pip install 'rulekit-rcprob[skops]'."
        ) from None
    try:
        with _checked(path) as file:
            unknown = sorted(set(skops_io.get_untrusted_types(file=file)) - set(TRUSTED))
            if not unknown:
                return skops_io.load(file, trusted=list(TRUSTED))
    except CommandError:
        raise
    # Reading an unknown archive can raise any exception.
    except Exception as error:
        raise CommandError(
            f"{path} could not be read as a model saved with skops.io.dump, and is probably damaged: "
            f"{type(error).__name__}: {error}."
        ) from error
    raise CommandError(
        f"{path} contains types that skops does not trust: {', '.join(unknown)}. Load it in Python with the types that "
        "you trust, and use rulekit.build."
    )


@contextmanager
def _checked(path: Path) -> Iterator[Any]:
    """The file if it is safe to read as it is, otherwise a copy without compression; raise if it is too large."""
    with ZipFile(path) as archive:
        _check_sizes(path, archive)
        if all(member.compress_type == ZIP_STORED for member in archive.infolist()):
            _check_arrays(archive)
            yield path
            return
        # `ZipFile.read` decompresses a member as a whole, whatever size the archive declares; reading by pieces stops.
        with TemporaryFile() as copy:
            with ZipFile(copy, "w", ZIP_STORED) as plain:
                for member in archive.infolist():
                    with archive.open(member) as source, plain.open(ZipInfo(member.filename), "w") as target:
                        shutil.copyfileobj(source, target)
                    # Otherwise it would only fail when it is opened again, or not at all.
                    if plain.getinfo(member.filename).file_size != member.file_size:
                        raise BadZipFile(f"{member.filename} does not have the size that the archive declares")
            with ZipFile(copy) as plain:
                _check_arrays(plain)
            yield copy


def _check_sizes(path: Path, archive: ZipFile) -> None:
    """Raise if the contents that reading the model would put into memory are too large."""
    unread = [member for member in archive.infolist() if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED)]
    if unread:
        raise CommandError(f"Not supported: {path} is compressed by bzip2 or LZMA. Save the model without compression.")
    limit = max(MAX_CONTENTS, MAX_GROWTH * path.stat().st_size)
    sizes = {member.filename: max(member.file_size, member.compress_size) for member in archive.infolist()}
    # By the directory of the archive first: the structure is read only if that is not too large itself.
    n_bytes = sum(max(member.file_size, member.compress_size) for member in archive.infolist())
    n_bytes += (STRUCTURE_GROWTH - 1) * sizes.get(SCHEMA, 0)
    if n_bytes <= limit and SCHEMA in sizes:
        with archive.open(SCHEMA) as file:
            structure = json.loads(file.read(sizes[SCHEMA]))
        # An array is read as often as the structure names it.
        n_bytes += sum(sizes.get(name, 0) for name in _files(structure))
    if n_bytes > limit:
        raise CommandError(
            f"{path} is too large to be read: it has {path.stat().st_size:,} bytes, and its contents {n_bytes:,} "
            f"(limit {limit:,}). If you trust its source, save the model without compression."
        )


def _files(structure: Any) -> Iterator[str]:
    """Names of the files that a model's structure names, one for each time it does."""
    left = [structure]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            if isinstance(part.get("file"), str):
                yield part["file"]
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)


def _check_arrays(archive: ZipFile) -> None:
    """Raise if an array declares more values than its file has: NumPy would allocate them before it reads them."""
    for member in archive.infolist():
        with archive.open(member) as file:
            magic = file.read(len(NPY_MAGIC))
            file.seek(0)
            if magic == NPY_MAGIC:
                _check_array(member, file)
            elif magic.startswith(ARCHIVE_MAGIC):
                # A sparse matrix is an archive of arrays again.
                raise CommandError(f"Not supported: a model with sparse matrices ({member.filename} in the archive).")


def _check_array(member: ZipInfo, file: IO[bytes]) -> None:
    # Headers have some hundred bytes; 64 KiB are what the first version of the format allows.
    start = io.BytesIO(file.read(2**16 + 16))
    version = np.lib.format.read_magic(start)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(start)
    n_bytes = dtype.itemsize
    for length in shape:
        n_bytes *= int(length)
    if not 0 <= n_bytes <= member.file_size:
        raise ValueError(f"an array of shape {shape} in {member.filename}, a file of {member.file_size} bytes")
