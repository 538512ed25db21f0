"""Files with a study's results, damaged: the results, or `StoreError`."""

import json
import random
import sqlite3
import tempfile
import zlib
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from rulekit.study import Store
from rulekit.study.errors import StoreError
from rulekit.study.result import Failure, Result

from .mutations import NUMBERS, TEXTS, anything, mutated, spliced

COLUMNS = {
    "facts": ("name", "value"),
    "plan": ("dataset", "ensemble", "variant", "repeat", "fold", "key"),
    "cells": (
        *("status", "versions", "error", "traceback", "chosen", "seconds", "n_train", "n_test", "measures"),
        *("ruleset", "diagnostics", "use", "truth", "probabilities"),
    ),
}


@attrs.frozen
class Cell:
    """As much of a cell as a store wants to know."""

    key: str
    variant: str

    @property
    def labels(self) -> dict[str, Any]:
        """What tables call it."""
        return {"dataset": "iris", "ensemble": "rf", "variant": self.variant, "repeat": 1, "fold": 1}

    @property
    def facts(self) -> dict[str, Any]:
        """What it depends on."""
        return {"method": self.variant}


@cache
def whole() -> bytes:
    """A file with three cells: with rules, without, and failed."""
    facts: dict[str, Any] = {"chosen": {"max_depth": None}, "seconds": 1.5, "search_seconds": 0.5, "seed": 9}
    facts |= {"n_train": 4, "n_test": 2, "measures": {"log_loss": 0.25, "n_rules": 3.0}}
    facts |= {"truth": np.array([0, 1]), "probabilities": np.array([[0.75, 0.25], [0.5, 0.5]])}
    rules = {"ruleset": {"rules": [1]}, "diagnostics": [{"rule": 1, "gap": 0.5}], "use": {"selected": 0.5}}
    came = {"rcprob": Result(**facts, **rules), "plain": Result(**facts), "odd": Failure("ValueError", "no", "…")}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.sqlite"
        with Store(path).writing() as writer:
            writer.set_plan({"name": "made up"}, [Cell(name, name) for name in came])
            for name, result in came.items():
                writer.save(Cell(name, name), result)
        return path.read_bytes()


def store_file(rng: random.Random) -> str:
    """A file with some bytes or values changed gives results or `StoreError`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.sqlite"
        if rng.random() < 0.4:
            path.write_bytes(damaged(whole(), rng))
        else:
            path.write_bytes(whole())
            _change(path, rng)
        return read(path)


def read(path: Path) -> str:
    """Read everything in a file."""
    store = Store(path)
    try:
        store.results(), list(store.rulesets()), list(store.predictions())
        store.planned(), store.definition(), store.failures(), store.versions()
    except StoreError:
        return "refused"
    return "read"


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes with some of them changed, lost, or repeated."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 30])):
        position = rng.randrange(len(changed)) if rng.random() < 0.7 else rng.randrange(100)
        way = rng.randrange(10)
        if way == 0:
            del changed[position : position + rng.choice([1, 16, 4096])]
        elif way == 1:
            changed[position:position] = changed[position : position + 64]
        else:
            changed[position : position + 1] = bytes([rng.randrange(256)])
        if not changed:
            break
    return bytes(changed)


def _change(path: Path, rng: random.Random) -> None:
    """Replace one value of one row by another that SQLite takes."""
    table = rng.choice([*COLUMNS, "cells", "cells"])
    column = rng.choice(COLUMNS[table])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # nobody needs this file after a power cut
        rows = connection.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid").fetchall()
        row, value = rng.choice(rows)
        try:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (_other(value, rng), row))
            connection.commit()
        except (sqlite3.IntegrityError, OverflowError):  # a value that no column takes
            return


def _other(value: Any, rng: random.Random) -> Any:
    """Another value for a column, most often of the same type."""
    way = rng.randrange(4)
    if way == 0:
        return rng.choice([None, *NUMBERS, *TEXTS, b"", b"\x00"])
    if isinstance(value, bytes):
        return _other_bytes(value, rng)
    if isinstance(value, str) and value[:1] in ("{", "["):
        return spliced(value, rng) if way == 1 else json.dumps(mutated(json.loads(value), rng))
    return json.dumps(anything(rng)) if isinstance(value, str) else rng.choice(NUMBERS)


def _other_bytes(value: bytes, rng: random.Random) -> bytes:
    """Damage outside the compression or, more often, within it."""
    if rng.random() < 0.3:
        return damaged(value, rng)
    inner = zlib.decompress(value)
    is_json = inner[:1] in (b"{", b"[")
    changed = json.dumps(mutated(json.loads(inner), rng)).encode() if is_json else damaged(inner, rng)
    return zlib.compress(changed)
