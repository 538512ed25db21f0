"""A study's results in one SQLite file.

Every result is committed when it is available, under a key that identifies what it depends on. The plan lists the keys
of the study and their names in tables; results of an earlier definition stay in the file and count again if the study
needs them again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.evaluation.held_out import registered_measures
from rulekit.study import database
from rulekit.study.rows import KEYS, key_of_row, measures_of
from rulekit.study.stored import array_of, document_of, table_of
from rulekit.study.writer import Writer

if TYPE_CHECKING:
    import pandas as pd


@attrs.frozen
class Store:
    """The results of a study.

    Reading is possible at any time, also while a study runs.

    Parameters
    ----------
    path : path
        The SQLite file.
    """

    path: Path = attrs.field(converter=Path)

    def results(self) -> "pd.DataFrame":
        """One row for each cell of the study that is done or has failed, in the order of the plan.

        Returns
        -------
        results : DataFrame
            `dataset`, `ensemble`, `variant`, `repeat`, `fold`; `status` ("done" or "failed") and `error`; `seconds` of
            the final fit and `search_seconds` of the choice of hyperparameters; `chosen`, as JSON; `n_train`, `n_test`;
            and one column for each registered measure, NaN where it does not apply. After a factorial also one column
            for each factor, with the level of the variant, None for the others.
        """
        import pandas as pd

        names = ("status", "error", "seconds", "search_seconds", "chosen", "n_train", "n_test")
        measures = list(registered_measures())
        with database.translated_errors(self.path):
            rows = [(*row[:-1], *measures_of(row[-1], measures)) for row in self._cells(*names, "measures")]
        found = pd.DataFrame(rows, columns=[*KEYS, *names, *measures]).astype(dict.fromkeys(measures, float))
        return found.assign(**{name: found["variant"].map(levels) for name, levels in self.factors().items()})

    def rulesets(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]], dict[str, float]]]:
        """For each finished cell with rules: its key, ruleset document, diagnostics of each rule, and their use."""
        for row in self._cells("ruleset", "diagnostics", "use"):
            if row[-3] is not None:
                with database.translated_errors(self.path):
                    found = document_of(row[-3]), document_of(row[-2]), table_of(row[-1])
                yield key_of_row(row), *found

    def predictions(self) -> Iterator[tuple[dict[str, Any], IntArray, FloatArray]]:
        """For each finished cell: its key, the held-out samples' classes, and their predicted probabilities.

        Classes are indices of the dataset's sorted labels, of shape (n_test,); probabilities are of shape
        (n_test, n_classes).
        """
        for row in self._cells("truth", "probabilities"):
            if row[-1] is not None:
                with database.translated_errors(self.path):
                    found = array_of(row[-2]), array_of(row[-1])
                yield key_of_row(row), *found

    def planned(self) -> list[dict[str, Any]]:
        """The keys of all cells of the study: dataset, ensemble, variant, repeat, fold."""
        with database.reading(self.path) as connection:
            rows = connection.execute(f"SELECT {', '.join(KEYS)} FROM plan ORDER BY position").fetchall()
        return [key_of_row(row) for row in rows]

    def definition(self) -> dict[str, Any]:
        """The study as it was last run, from `Study.to_dict`."""
        with database.reading(self.path) as connection:
            return table_of(database.fact(connection, "study") or "{}")

    def factors(self) -> dict[str, dict[str, str | None]]:
        """For each factor of the study's factorial, the level of every variant that has one."""
        variants = self.definition().get("variants", {})
        levels = {name: table.get("factors", {}) for name, table in variants.items()}
        names = dict.fromkeys(factor for own in levels.values() for factor in own)
        return {
            f"factor_{factor}": {variant: own[factor] for variant, own in levels.items() if factor in own}
            for factor in names
        }

    def base(self) -> Path:
        """Where relative paths of the definition start from."""
        with database.reading(self.path) as connection:
            return Path(database.fact(connection, "base") or ".")

    def made_from(self) -> list[tuple[dict[str, Any], str, dict[str, Any] | None]]:
        """Key, status and facts of each cell that is done or failed; None where an earlier version noted none."""
        with database.reading(self.path) as connection:
            known = {}
            if database.has_table(connection, "made_from"):
                known = dict(connection.execute("SELECT key, facts FROM made_from"))
        rows = self._cells("status", "key")
        return [(key_of_row(row), str(row[-2]), table_of(known[row[-1]]) if row[-1] in known else None) for row in rows]

    def failures(self) -> list[dict[str, Any]]:
        """Key, error and traceback of each failed cell, the last failure first."""
        # In the order of writing: the clock may have been set back since.
        rows = [row for row in self._cells("status", "error", "traceback", "rowid") if row[-4] == "failed"]
        rows.sort(key=lambda row: row[-1], reverse=True)
        return [key_of_row(row) | {"error": str(row[-3]), "traceback": str(row[-2])} for row in rows]

    def versions(self) -> list[dict[str, Any]]:
        """The versions that made the results; more than one if the study went on after an upgrade."""
        with database.translated_errors(self.path):
            return [table_of(document) for document in dict.fromkeys(row[-1] for row in self._cells("versions"))]

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Open the store for the one process that may write to it; it is created if necessary."""
        with database.writing(self.path) as connection:
            yield Writer(self.path, connection)

    def _cells(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        names = ", ".join([*(f"plan.{name}" for name in KEYS), *(f"cells.{name}" for name in columns)])
        with database.reading(self.path) as connection:
            yield from connection.execute(f"SELECT {names} FROM plan JOIN cells USING (key) ORDER BY plan.position")
