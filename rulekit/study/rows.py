"""Results as rows of a table, and back."""

import io
import json
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.study.stored import number_of, table_of

if TYPE_CHECKING:
    from rulekit.study.result import Failure, Result

KEYS = ("dataset", "ensemble", "variant", "repeat", "fold")


def row_of(key: str, result: "Result | Failure") -> dict[str, Any]:
    """A result as the columns of its row."""
    from rulekit.study.result import Failure

    common = {
        "key": key,
        "status": "failed" if isinstance(result, Failure) else "done",
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "versions": json.dumps(result.versions),
    }
    if isinstance(result, Failure):
        return {**common, "error": result.error, "traceback": result.traceback}
    return {
        **common,
        "seed": result.seed,
        "chosen": as_json(result.chosen),
        "seconds": result.seconds,
        "search_seconds": result.search_seconds,
        "n_train": result.n_train,
        "n_test": result.n_test,
        "measures": json.dumps(result.measures),
        "warnings": json.dumps(result.warnings),
        "ruleset": None if result.ruleset is None else _deflated(result.ruleset),
        "diagnostics": None if result.diagnostics is None else _deflated(result.diagnostics),
        "use": None if result.use is None else json.dumps(result.use),
        "truth": _bytes(result.truth),
        "probabilities": _bytes(result.probabilities),
    }


def as_json(configuration: Mapping[str, Any]) -> str:
    """Hyperparameters as a JSON string."""
    return json.dumps(configuration, default=repr)


def key_of_row(row: tuple[Any, ...]) -> dict[str, Any]:
    """The key of a cell, which the first columns of its row are."""
    return dict(zip(KEYS, row, strict=False))


def measures_of(document: str | None, names: Iterable[str]) -> list[float]:
    """The named measures, from JSON; NaN where one does not apply, or was unknown to the study."""
    found = table_of(document or "{}")
    return [number_of(found.get(name)) for name in names]


def _deflated(document: Any) -> bytes:
    return zlib.compress(json.dumps(document, default=_plain).encode())


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be stored as JSON")


def _bytes(array: IntArray | FloatArray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return zlib.compress(file.getvalue())
