"""The columns of a table as a pipeline's ensemble gets them: which of their values lead to which numbers."""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Self

import attrs
import numpy as np
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import _safe_indexing

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.validation import as_doubles, column_of, is_missing
from rulekit.pipelines.cells import Cells, holds_categories, holds_numbers, labels_of, unseen_category
from rulekit.pipelines.paths import Path
from rulekit.pipelines.probing import some_table
from rulekit.pipelines.sources import Source, Unknown, of_table, opaque, sources_after

#: How an ensemble compares the values of a transformed table: numbers of shape (n_samples, n_features).
Compare = Callable[[Any], FloatArray]
#: What steps raise for values that they do not expect; a function may raise anything.
ERRORS = (ValueError, TypeError, AttributeError, IndexError, KeyError)


@attrs.frozen(eq=False)
class RawColumn:
    """One column of the table, and what its values lead to.

    Attributes
    ----------
    column : int
    cells : Cells
        Groups of its values.
    rows : ndarray of shape (n_groups,)
        Rows of the probes that show what each group leads to.
    missing_row, unknown_row : int or None
        Those for missing values and unknown categories; None if the table has no missing values, and if the pipeline
        rejects unknown categories.
    """

    column: int
    cells: Cells
    rows: IntArray
    missing_row: int | None = None
    unknown_row: int | None = None


@attrs.frozen(eq=False)
class RawColumns:
    """What the transformed columns of a pipeline are made of.

    Attributes
    ----------
    n_columns : int
        Columns of the table.
    sources : tuple of Source
        One for each transformed column. Those with `changed_by` cannot be expressed by the columns of the table.
    columns : mapping of int to RawColumn
        The columns of the table that some other transformed column is made of.
    paths : mapping of int to Path
        The function that makes a transformed column, for those that are not discrete.
    probes : tuple of tables
        What the pipeline makes of rows that show every group of values.
    """

    n_columns: int
    sources: tuple[Source, ...]
    columns: Mapping[int, RawColumn]
    paths: Mapping[int, Path]
    probes: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        steps: Any,
        transform: Callable[[Any], Any],
        table: Any,
        seen: Any,
        compare: Compare,
        categories: Mapping[int, Collection[Any]],
    ) -> Self:
        """Find out what fitted steps do to each column of a table.

        Parameters
        ----------
        steps : fitted transformer
        transform : callable
            Transforms a table by these steps.
        table : ndarray or frame of shape (n_samples, n_columns)
        seen : table of shape (n_samples, n_features)
            The same after the steps.
        compare : callable
        categories : mapping of int to collection
            Labels of categories that the ensemble knows, by transformed column.
        """
        return cls(*_Reader(steps, transform, table, seen, compare, categories).read())

    def numbers(self, compare: Compare) -> FloatArray:
        """What the probes are for an ensemble, of shape (n_probes, n_features)."""
        return np.concatenate([compare(probe) for probe in self.probes])

    @property
    def changed(self) -> dict[int, str]:
        """The transformed columns that stay as they are, and the step that makes each."""
        return {position: source.changed_by for position, source in enumerate(self.sources) if source.changed_by}


class _Reader:
    """Finds out, column by column, what steps do; every finding is compared with what they did to the table."""

    def __init__(
        self,
        steps: Any,
        transform: Callable[[Any], Any],
        table: Any,
        seen: Any,
        compare: Compare,
        categories: Mapping[int, Collection[Any]],
    ) -> None:
        self.transform, self.table, self.seen, self.compare, self.categories = (
            transform,
            table,
            seen,
            compare,
            categories,
        )
        self.numbers = compare(seen)
        self.n_columns, n_features = table.shape[1], self.numbers.shape[1]
        given = [of_table(column, getattr(column_of(table, column), "dtype", None)) for column in range(self.n_columns)]
        found = sources_after(steps, given, n_features)
        self.sources = opaque(found.step, n_features) if isinstance(found, Unknown) else found
        self.paths: dict[int, Path] = {}
        self.columns: dict[int, RawColumn] = {}
        self.probes: list[Any] = []
        self.n_rows = 0

    def read(self) -> tuple[int, tuple[Source, ...], dict[int, RawColumn], dict[int, Path], tuple[Any, ...]]:
        """The attributes of `RawColumns`."""
        cells = {}
        for column in sorted({source.column for source in self.sources if not source.changed_by}):
            found = self._cells(column, column_of(self.table, column))
            if found is not None:
                cells[column] = found
        if cells:
            self._probe(cells)
        shown = np.concatenate([self.compare(probe) for probe in self.probes]) if self.probes else self.numbers
        for raw in self.columns.values():
            self._check(raw, shown)
        for column in list(self.columns):
            if not self._made_of(column):
                del self.columns[column]
        return self.n_columns, tuple(self.sources), self.columns, self.paths, tuple(self.probes)

    def _made_of(self, column: int) -> dict[int, Source]:
        """The transformed columns that are made of a column, as far as they are understood."""
        pairs = enumerate(self.sources)
        return {at: source for at, source in pairs if source.column == column and not source.changed_by}

    def _give_up(self, features: Collection[int], reason: str) -> None:
        for feature in features:
            self.sources[feature] = attrs.evolve(self.sources[feature], changed_by=reason)
            self.paths.pop(feature, None)

    def _cells(self, column: int, values: Any) -> Cells | None:
        """The groups of values of a column; None if nothing that is made of it is understood."""
        made = self._made_of(column)
        own = list(made.values())
        if holds_categories(own, values):
            of_model = [label for feature in made for label in self.categories.get(feature, ())]
            labels = labels_of(own, values, of_model)
            if labels is None:
                self._give_up(made, "values that cannot be categories")
            return None if labels is None else Cells.of_categories(labels)
        if not holds_numbers(values):
            self._give_up(made, "values that are not numbers")
            return None
        numbers = as_doubles(np.asarray(values))
        cuts = [np.empty(0), *self._cuts_of_paths(made, numbers)]
        return Cells.of_numbers(np.unique(np.concatenate(cuts)), numbers)

    def _cuts_of_paths(self, made: Mapping[int, Source], values: FloatArray) -> Iterator[FloatArray]:
        """Where encoders begin to tell numbers apart; the paths of the other columns are stored, if they are right."""
        done: set[int] = set()
        for feature, source in made.items():
            if source.is_discrete:
                if id(source) not in done:
                    yield from _cuts_of_encoders(source, values)
                done.add(id(source))
                continue
            path = self._path(source, values, self.numbers[:, feature])
            if path is None:
                self._give_up([feature], _last_step(source))
            else:
                self.paths[feature] = path
                yield path.breaks

    def _path(self, source: Source, values: FloatArray, expected: FloatArray) -> Path | None:
        """What a source does, if it makes the same numbers of the table as the pipeline."""
        try:
            path = Path(source, source.path, values)
            found = path(values)
            is_monotone = not any(type(step) is FunctionTransformer for step in source.path) or path.is_monotone(values)
        except ERRORS:
            return None
        return path if is_monotone and _is_equal(found, expected).all() else None

    def _probe(self, cells: Mapping[int, Cells]) -> None:
        """Transform rows that show every group of values: of all columns together, unless some are rejected."""
        shown = {column: own.representatives for column, own in cells.items() if own.representatives}
        first = self._add(max(map(len, shown.values())), shown)
        for column, values in shown.items():
            rows = range(first, first + len(values)) if first is not None else self._rows_of(column, values)
            if all(row is None for row in rows):
                self._give_up(self._made_of(column), "values that it rejects")
            else:
                self.columns[column] = RawColumn(column, cells[column], _filled(rows))
        self._show_unknown({column: own.labels for column, own in cells.items() if own.labels})
        self._show_missing()

    def _rows_of(self, column: int, values: Sequence[Any]) -> Sequence[int | None]:
        """Rows of the probes that show the groups of one column; None for groups that the pipeline rejects."""
        first = self._add(len(values), {column: values})
        if first is not None:
            return range(first, first + len(values))
        return [self._add(1, {column: [value]}) for value in values]

    def _add(self, n_rows: int, values: Mapping[int, Sequence[Any]]) -> int | None:
        """Transform probes; the index of the first one's row among all probes, None if the pipeline rejects some."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return self._keep(self.transform(some_table(self.table, n_rows, values)))
        except ERRORS:
            return None

    def _keep(self, transformed: Any) -> int:
        self.probes.append(transformed)
        first, self.n_rows = self.n_rows, self.n_rows + transformed.shape[0]
        return first

    def _show_unknown(self, labels: Mapping[int, Sequence[Any]]) -> None:
        """Probe a category that no column knows, of all columns together if none of them rejects it."""
        unseen = {column: unseen_category(own) for column, own in labels.items() if column in self.columns}
        unseen = {column: value for column, value in unseen.items() if value is not None}
        together = self._add(1, {column: [value] for column, value in unseen.items()}) if unseen else None
        for column, value in unseen.items():
            row = together if together is not None else self._add(1, {column: [value]})
            self.columns[column] = attrs.evolve(self.columns[column], unknown_row=row)

    def _show_missing(self) -> None:
        """Keep a row of the table with a missing value for each column that has some."""
        for column in list(self.columns):
            kinds: dict[str, int] = {}
            for row, value in _missing_values(column_of(self.table, column)):
                kinds.setdefault(type(value).__name__, row)
            if not kinds:
                continue
            rows = list(kinds.values())
            made = list(self._made_of(column))
            differ = ~_is_equal(self.numbers[rows][:, made], self.numbers[rows[:1]][:, made]).all(axis=0)
            self._give_up(np.array(made)[differ].tolist(), "values that are None and NaN")
            first = self._keep(_safe_indexing(self.seen, rows[:1]))
            self.columns[column] = attrs.evolve(self.columns[column], missing_row=first)

    def _check(self, raw: RawColumn, shown: FloatArray) -> None:
        """Give up the discrete columns that the groups do not explain."""
        discrete = [feature for feature in self._made_of(raw.column) if feature not in self.paths]
        if not discrete:
            return
        values = column_of(self.table, raw.column)
        positions = raw.cells.positions(values)
        is_absent = np.array([is_missing(value) for value in np.asarray(values).tolist()])
        last = [row if row is not None else 0 for row in (raw.unknown_row, raw.missing_row)]
        rows = np.where(positions >= 0, raw.rows[positions], np.where(is_absent, last[1], last[0]))
        right = _is_equal(shown[rows][:, discrete], self.numbers[:, discrete]).all(axis=0)
        self._give_up(np.array(discrete)[~right].tolist(), "a function of several columns")


def _filled(rows: Sequence[int | None]) -> IntArray:
    """The row of each group; what the pipeline rejects goes with the group before it, or else with the next."""
    known = np.array([-1 if row is None else row for row in rows])
    last = np.maximum.accumulate(np.where(known >= 0, np.arange(len(known)), -1))
    return known[np.where(last < 0, np.flatnonzero(known >= 0)[0], last)]


def _cuts_of_encoders(source: Source, values: FloatArray) -> Iterator[FloatArray]:
    for encoding in source.encodings:
        path = Path(source, encoding.path, values)
        known = np.array([float(each) for each in encoding.categories if not is_missing(each)])
        yield path.breaks
        yield path.cuts(np.concatenate([known, np.nextafter(known, -np.inf)]), np.asarray)
    for binning in source.binnings:
        path = Path(source, binning, values)
        yield path.breaks
        yield path.cuts(np.arange(int(binning[-1].n_bins_[0]), dtype=np.float64) + 0.5, np.asarray)


def _missing_values(column: Any) -> Iterator[tuple[int, Any]]:
    array = np.asarray(column)
    if array.dtype.kind == "f":
        rows = np.flatnonzero(np.isnan(array))[:1].tolist()
        return ((row, np.nan) for row in rows)
    if array.dtype.kind != "O":
        return iter(())
    return ((row, value) for row, value in enumerate(array.tolist()) if is_missing(value))


def _is_equal(found: FloatArray, expected: FloatArray) -> BoolArray:
    return np.asarray((found == expected) | (np.isnan(found) & np.isnan(expected)))


def _last_step(source: Source) -> str:
    return type(source.path[-1]).__name__ if source.path else "a change of type"
