"""Rules, their probabilities and a default, independent of the ensemble and the training records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import attrs
import numpy as np
from sklearn.utils.validation import check_array

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.conditions import Conditions
from rulekit.core.forms import check_no_dates, check_whole, reading_numbers
from rulekit.core.interfaces import InferenceMode
from rulekit.core.matching import first_match, match
from rulekit.ruleset.blocks import in_blocks
from rulekit.ruleset.columns import check_columns, check_missing
from rulekit.ruleset.condition import Condition
from rulekit.ruleset.formats import as_html, as_latex, as_markdown, as_text
from rulekit.ruleset.rule import Rule
from rulekit.ruleset.table import Table, frame, rule_table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from rulekit.explain import Counterfactual, Explanation, Explanations


@attrs.frozen(eq=False, repr=False)
class RuleSet(Sequence[Rule]):
    """An ordered list of rules; the last one, without conditions, is the default.

    Attributes
    ----------
    conditions : Conditions
        Every distinct condition of the rules.
    antecedents : tuple of tuples of int
        Rows of `conditions` for each rule; the default rule's is empty.
    probabilities : ndarray of shape (n_rules, n_classes)
        Stated class probabilities.
    counts : ndarray of shape (n_rules, n_classes)
        Training records of each class that a rule covers; for the default rule, those that no rule covers.
    classes : ndarray of shape (n_classes,)
        Class labels.
    n_records : int
        Size of the training set.
    inference : InferenceMode
        How the rules that match a record answer.
    """

    conditions: Conditions
    antecedents: tuple[tuple[int, ...], ...]
    probabilities: FloatArray
    counts: IntArray
    classes: LabelArray
    n_records: int
    inference: InferenceMode

    def __attrs_post_init__(self) -> None:
        for array in (self.probabilities, self.counts, self.classes):
            array.setflags(write=False)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return self.conditions.feature_names

    @property
    def n_conditions(self) -> int:
        """Conditions of all rules together."""
        return sum(len(antecedent) for antecedent in self.antecedents)

    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities of records.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_records, n_features)
            An array is read in blocks, whatever its type, and never copied as a whole: it may be mapped from a file
            that is larger than the memory.

        Returns
        -------
        probabilities : ndarray of shape (n_records, n_classes)
        """
        n_classes = len(self.classes)
        return in_blocks(X, lambda some: in_blocks(self._checked(some), self._infer, n_classes), n_classes)

    def predict(self, X: Any) -> LabelArray:
        """Most probable class of each record, of shape (n_records,)."""
        return self.classes[self.predict_proba(X).argmax(axis=1)]

    def matches(self, X: Any) -> BoolArray:
        """Which records satisfy which rule, of shape (n_rules - 1, n_records): the default rule is left out."""
        return match(self.conditions, self.antecedents[:-1], self._checked(X))

    def first_matches(self, X: Any) -> IntArray:
        """Index of the first rule that each record satisfies, the default rule's if none; shape (n_records,)."""
        return first_match(self.matches(X))

    def as_numbers(self, X: Any) -> FloatArray:
        """Records as the rules compare them, of shape (n_records, n_features): labels become codes."""
        return self._checked(X)

    def explain(self, X: Any) -> Explanation | Explanations:
        """Say which rule answers, and why.

        Parameters
        ----------
        X : Series, mapping, DataFrame or array-like of shape (n_features,) or (n_records, n_features)
            One record or several; mappings, series and frames go by column names.

        Returns
        -------
        explanation : Explanation or Explanations
            One for one record, a sequence of them for several.
        """
        from rulekit.explain.explanations import explain

        explanations = explain(self, X)
        return explanations[0] if len(explanations) == 1 else explanations

    def counterfactual(
        self,
        x: Any,
        target: Any = None,
        *,
        immutable: Sequence[str] = (),
        scales: ArrayLike | None = None,
        max_boxes: int = 10_000,
    ) -> Counterfactual:
        """The smallest change of a record that gets another answer.

        As few features as possible are changed, and these as little as possible.

        Parameters
        ----------
        x : Series, mapping or array-like of shape (n_features,)
            One record.
        target : label, default=None
            The class to reach; None for any other than the record's.
        immutable : sequence of str, default=()
            Features that must stay as they are.
        scales : array-like of shape (n_features,), optional
            What a change of a number is divided by before changes are added up: by default the range of the thresholds
            on its feature, or 1 where there is none. A change of a category, or of a missing value, counts 1.
        max_boxes : int, default=10000
            Most boxes to look at. If that does not do, `is_smallest` is False.

        Raises
        ------
        NoCounterfactualError
            If no change reaches the class.
        """
        from rulekit.explain.changing import counterfactual

        return counterfactual(self, x, target, immutable=immutable, scales=scales, max_boxes=max_boxes)

    def to_text(self) -> str:
        """An aligned table in plain text: what `print` shows."""
        return as_text(self._table())

    def to_markdown(self) -> str:
        """A Markdown table, its title in bold above it."""
        return as_markdown(self._table())

    def to_latex(self) -> str:
        r"""A LaTeX `table` for `\input`; it needs the package booktabs."""
        return as_latex(self._table())

    def to_frame(self) -> pd.DataFrame:
        """One row per rule: class, stated probability, precision, coverage, support, counts and conditions."""
        return frame(self)

    def to_dict(self) -> dict[str, Any]:
        """A versioned description in plain types that JSON can hold; see `from_dict`."""
        from rulekit.ruleset.document import to_document

        return to_document(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> RuleSet:
        """Rebuild a ruleset, exactly, from what `to_dict` returned; `from_json` is for text.

        Nothing in a document is executed, and one that is not a ruleset raises `RuleSetFormatError`.
        """
        from rulekit.ruleset.document import from_document

        return from_document(document)

    @classmethod
    def from_json(cls, text: str | bytes) -> RuleSet:
        """Rebuild a ruleset, exactly, from JSON that `export` or `rulekit extract --out` wrote.

        The text may come from anywhere: nothing in it is executed, sizes are bounded, and whatever is not a ruleset
        raises `RuleSetFormatError`, as do repeated keys, NaN and nesting without end, which other readers let pass.
        """
        from rulekit.ruleset.document import from_document
        from rulekit.ruleset.json_reading import parse

        return from_document(parse(text))

    def export(self, path: str | Path, format: str | None = None, **options: Any) -> None:
        """Write the rules to a file for another program.

        Parameters
        ----------
        path : str or Path
            The file; its ending names the format, unless `format` does.
        format : str, optional
            `json` (.json), `python` (.py), `sql` (.sql), `c` (.c), `pmml` (.pmml), `onnx` (.onnx), `csv` (.csv) or
            `excel` (.xlsx).
        **options
            Of the format's function in `rulekit.export`, such as `table` for SQL.
        """
        from rulekit.export.formats import write

        write(self, path, format, **options)

    def report(self, path: str | Path, X: Any, y: Any, **options: Any) -> None:
        """Write a page about the rules: one HTML file that needs no network, and holds no records unless asked to.

        Parameters
        ----------
        path : str or Path
            The file; one that is there already is replaced.
        X : array-like or DataFrame of shape (n_records, n_features)
            Held-out records.
        y : array-like of shape (n_records,)
            Their labels.
        **options
            Of `rulekit.report.write`: `compare`, `name`, `title` and `n_examples`.
        """
        from rulekit.report import write

        write(path, self, X, y, **options)

    def __len__(self) -> int:
        return len(self.antecedents)

    @overload
    def __getitem__(self, position: int) -> Rule: ...
    @overload
    def __getitem__(self, position: slice) -> list[Rule]: ...
    def __getitem__(self, position: int | slice) -> Rule | list[Rule]:
        places = range(len(self))[position]
        return self._rule(places) if isinstance(places, int) else [self._rule(place) for place in places]

    def __iter__(self) -> Iterator[Rule]:
        return (self._rule(place) for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSet):
            return NotImplemented
        return self._facts() == other._facts()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<RuleSet: {len(self)} rules, {self.n_conditions} conditions, classes {self.classes.tolist()}>"

    def _repr_html_(self) -> str:
        return as_html(self._table())

    def _table(self) -> Table:
        """The rules as cells of text."""
        return rule_table(self)

    def _facts(self) -> tuple[Any, ...]:
        """Everything that two equal rulesets share."""
        from rulekit.ruleset.document import describe

        return describe(self), type(self.inference), self.inference.get_params()

    def _rule(self, place: int) -> Rule:
        best = int(self.probabilities[place].argmax())
        return Rule(
            position=place + 1,
            conditions=tuple(self._condition(row) for row in self.antecedents[place]),
            label=self.classes.tolist()[best],
            class_index=best,
            probabilities=self.probabilities[place],
            counts=self.counts[place],
            n_records=self.n_records,
        )

    def _condition(self, row: int) -> Condition:
        key = self.conditions.key(row)
        name = self.feature_names[key.feature]
        if key.codes is None:
            cutoff = float(self.conditions.cutoffs[row])
            sign: Literal["<=", ">"] = "<=" if key.is_upper else ">"
            shown = float(self.conditions.displays[row])
            display = None if math.isnan(shown) else shown
            return Condition(name, key.feature, sign, key.threshold, cutoff, display, or_missing=key.holds_missing)
        labels = tuple(self.conditions.categories.labels(key.feature, key.codes))
        word: Literal["in", "not in"] = "in" if key.is_upper else "not in"
        return Condition(name, key.feature, word, None, None, None, labels, key.codes, key.holds_missing)

    def _infer(self, X: FloatArray) -> FloatArray:
        """Answers for records as the rules compare them."""
        return self.inference.infer_records(match(self.conditions, self.antecedents[:-1], X), X, self)

    def _checked(self, X: Any) -> FloatArray:
        """Records as numbers, after checking that the rules can speak of them."""
        check_whole(X)
        check_no_dates(X)
        check_columns(X, self.feature_names)
        categories, missing_features = self.conditions.categories, self.conditions.missing_features
        # Labels that nobody has seen may count as missing: what then is refused has to be told by its column.
        may_lack_values = bool(missing_features or categories.by_feature)
        with reading_numbers():
            records = check_array(
                categories.encode(X) if categories.by_feature else X,
                dtype=np.float64,
                ensure_all_finite="allow-nan" if may_lack_values else True,
            )
        if may_lack_values:
            check_missing(records, missing_features, self.feature_names)
        return np.asarray(records)
