"""Everything that samples can be read from, as data frames of some rows, one after the other."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from rulekit.core.errors import MissingExtraError, SourceError
from rulekit.core.validation import is_frame

#: What sources there are, for error messages.
SOURCES = (
    "a Parquet file or a folder of them, a pyarrow dataset or table, a DuckDB relation, a polars LazyFrame, a data "
    "frame, or a function that returns an iterator of data frames"
)


def frames_of(source: Any, n_rows: int) -> Iterator[pd.DataFrame]:
    """Data frames of pandas with at most `n_rows` rows each, or as many as the source itself has in one frame.

    Parameters
    ----------
    source : str, Path, dataset, relation, LazyFrame, frame, iterable of frames, or callable
        See `RuleExtractor.fit_from`.
    n_rows : int
    """
    frames = (frame for frame in _frames(source, n_rows) if len(frame))
    first = next(frames, None)
    if first is None:
        hint = " An iterator can be read only once: pass a function that returns a new one." if is_once(source) else ""
        raise SourceError(f"The source has no rows.{hint}")
    yield first
    yield from frames


def is_once(source: Any) -> bool:
    """Whether a source can be read only once."""
    return isinstance(source, Iterator)


def open_dataset(path: Path) -> Any:
    """A Parquet file, or a folder of Parquet files, as an Arrow dataset; all files must have the same columns."""
    dataset = imported("pyarrow.dataset", "parquet", f"Reading {path}")
    if not path.exists():
        raise SourceError(f"File or folder not found: {path}.")
    try:
        # As pandas, polars and DuckDB do, folders such as `year=2024` become a column.
        found = dataset.dataset(path, format="parquet", partitioning="hive", exclude_invalid_files=False)
        files = list(found.get_fragments())
        if not files:
            raise SourceError(f"The folder {path} has no Parquet files.")
        # Arrow reads a column that a file lacks as missing values.
        first = files[0].physical_schema
        for file in files[1:]:
            schema = file.physical_schema
            check_names(schema.names, first.names, file.path, files[0].path)
            differing = [name for name in first.names if schema.field(name).type != first.field(name).type]
            if differing:
                name = differing[0]
                raise SourceError(
                    f"The column {name!r} is of type {schema.field(name).type} in {file.path}, but of type "
                    f"{first.field(name).type} in {files[0].path}. Write all files with the same types."
                )
    except SourceError:
        raise
    except (OSError, ValueError) as error:
        raise SourceError(
            f"{path} cannot be read as Parquet: {error}. Pass other files as an iterator of frames, such as "
            "pandas.read_csv(path, chunksize=100_000)."
        ) from error
    return found


def imported(module: str, extra: str, what: str) -> Any:
    """A module of an optional library; raise with the name of the extra if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise MissingExtraError(
            f"{what} needs {library}, which is not installed: pip install 'rulekit-rcprob[{extra}]'."
        ) from error


def _frames(source: Any, n_rows: int) -> Iterator[pd.DataFrame]:
    if isinstance(source, str | Path):
        source = open_dataset(Path(source))
    owner = type(source).__module__.partition(".")[0]
    if owner == "pyarrow" and hasattr(source, "to_batches") and not hasattr(source, "column_names"):  # a dataset
        # Read-ahead of many batches would hold them all in memory.
        batches = source.to_batches(batch_size=min(n_rows, 2**16), batch_readahead=1, fragment_readahead=1)
        return _of_arrow(batches, n_rows)
    if owner in ("duckdb", "_duckdb"):
        imported("pyarrow", "parquet", "Reading a DuckDB relation")
        reader = getattr(source, "to_arrow_reader", None) or source.fetch_arrow_reader
        return _of_arrow(reader(min(n_rows, 2**16)), n_rows)
    if type(source).__name__ == "LazyFrame":
        if not hasattr(source, "collect_batches"):
            raise SourceError("This version of polars cannot read a LazyFrame in parts. Upgrade polars.")
        return map(_to_pandas, source.collect_batches(chunk_size=n_rows, maintain_order=True))
    if is_frame(source):
        return iter([_to_pandas(source)])
    if owner == "pyarrow" and hasattr(source, "__iter__"):  # a reader of batches
        return _of_arrow(source, n_rows)
    if isinstance(source, Callable):  # type: ignore[arg-type]
        return _frames(source(), n_rows)
    if isinstance(source, Iterable) and not hasattr(source, "shape"):
        return map(_to_pandas, source)
    raise SourceError(f"A {type(source).__name__} is no source of samples. Pass {SOURCES}.")


def _of_arrow(batches: Iterable[Any], n_rows: int) -> Iterator[pd.DataFrame]:
    """Frames of several batches together: one by one, small batches take more time to convert than to read."""
    table = import_module("pyarrow").Table
    held: list[Any] = []
    n_held = 0
    for batch in batches:
        if n_held and n_held + batch.num_rows > n_rows:
            yield table.from_batches(held).to_pandas()
            held, n_held = [], 0
        if batch.num_rows:
            held.append(batch)
            n_held += batch.num_rows
    if held:
        yield table.from_batches(held).to_pandas()


def _to_pandas(frame: Any) -> pd.DataFrame:
    if isinstance(frame, pd.DataFrame):
        return frame
    if type(frame).__name__ == "RecordBatch" or is_frame(frame):
        imported("pyarrow", "parquet", "Converting a frame to pandas")
        converted: pd.DataFrame = frame.to_pandas()
        return converted
    raise SourceError(f"A source must consist of data frames, got a {type(frame).__name__}. Pass {SOURCES}.")


def check_names(names: Sequence[Any], expected: Sequence[Any], what: str, other: str) -> None:
    """Raise unless two tables have the same columns, in any order; `what` is a name of the first, as of a file."""
    if set(names) != set(expected) or len(names) != len(expected):
        missing, extra = sorted(set(expected) - set(names), key=str), sorted(set(names) - set(expected), key=str)
        raise SourceError(
            f"{what} does not have the columns of {other}. Missing: {missing or 'none'}; unknown: {extra or 'none'}. "
            "All parts need the same columns."
        )
