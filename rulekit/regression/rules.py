"""Rules that predict a number: added up, or the first one that matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions, first_match
from rulekit.core.errors import InvalidParameterError, NoIntervalsError
from rulekit.regression.table import number_table
from rulekit.render.table import Table
from rulekit.ruleset.condition import Condition, requirements
from rulekit.ruleset.matching import Antecedents
from rulekit.ruleset.numbers import with_displays
from rulekit.ruleset.ruleset import in_blocks

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.regression.data import RegressionData
    from rulekit.regression.explanation import RegressionExplanation, RegressionExplanations

Combination = Literal["sum", "first"]
#: Levels of intervals for which a ruleset keeps a quantile: thousandths.
N_LEVELS = 1000


@attrs.frozen(eq=False)
class NumberRule:
    """IF all conditions hold THEN add a weight, or answer a value.

    Attributes
    ----------
    position : int
        Position in the ruleset, from 1.
    conditions : tuple of Condition
        Empty for the last rule: the intercept of a sum, the default rule of a list.
    value : float
        The weight that is added, or the number that is predicted.
    scale : float
        Typical size of the errors for the samples that the rule covers, or answers.
    n_covered, n_answered : int
        Training samples. In a sum a rule answers all that it covers.
    n_samples : int
        Size of the training set.
    """

    position: int
    conditions: tuple[Condition, ...]
    value: float
    scale: float
    n_covered: int
    n_answered: int
    n_samples: int

    @property
    def is_default(self) -> bool:
        """Whether this is the intercept or the default rule."""
        return not self.conditions

    @property
    def antecedent(self) -> str:
        """The conditions as one string, empty for the last rule."""
        required = requirements(self.conditions)
        return " and ".join(f"({each})" if each.contains_or and len(required) > 1 else str(each) for each in required)


@attrs.frozen(eq=False, repr=False)
class RegressionRules(Antecedents, Sequence[NumberRule]):
    """Rules for a number, in order; the last one, without conditions, is the intercept or the default rule.

    Attributes
    ----------
    conditions : Conditions
        Every distinct condition of the rules.
    antecedents : tuple of tuples of int
        Rows of `conditions` for each rule; that of the last is empty.
    combination : {"sum", "first"}
        Whether the values of all rules that match are added to the intercept, or the first that matches answers.
    values : ndarray of shape (n_rules,)
    scales : ndarray of shape (n_rules,)
        Typical size of the errors for the samples that each rule covers ("sum") or answers ("first"); for the last
        rule, for those that no other covers.
    n_covered, n_answered : ndarrays of shape (n_rules,)
        Training samples.
    n_samples : int
        Size of the training set.
    quantiles : ndarray of shape (1000,) or None
        `quantiles[i]` is what the scale of a sample is multiplied by for an interval of level i / 1000; infinite where
        there were too few samples for the level. None if no intervals were calibrated.
    """

    conditions: Conditions
    antecedents: tuple[tuple[int, ...], ...]
    combination: Combination
    values: FloatArray
    scales: FloatArray
    n_covered: IntArray
    n_answered: IntArray
    n_samples: int
    quantiles: FloatArray | None = None

    def __attrs_post_init__(self) -> None:
        for array in (self.values, self.scales, self.n_covered, self.n_answered, self.quantiles):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def of(
        cls,
        data: RegressionData,
        rules: Sequence[int],
        values: FloatArray,
        left_out: FloatArray,
        combination: Combination,
        prior_weight: float,
    ) -> RegressionRules:
        """Assemble a ruleset from candidates of the training data.

        Parameters
        ----------
        data : RegressionData
        rules : sequence of int
            Indices in `data.pool`, in order.
        values : ndarray of shape (n_rules + 1,)
            Their values, and in the last place the intercept or the value of the default rule.
        left_out : ndarray of shape (n_samples,)
            What the rules predict for each training sample without having seen it.
        combination : {"sum", "first"}
        prior_weight : float
            Samples with the overall squared error that are added to those of each rule.
        """
        ids = data.antecedents(rules) if len(rules) else []
        used = np.unique(np.concatenate(ids)) if ids else np.empty(0, dtype=np.int64)
        covers = np.array([data.pool.covers(rule) for rule in rules], dtype=bool).reshape(len(rules), len(data.y))
        answering = first_match(covers) if len(rules) else np.zeros(len(data.y), dtype=np.int64)
        answered = answering == np.arange(len(rules) + 1)[:, None]
        n_covered = np.append(covers.sum(axis=1), answered[-1].sum())
        speak_for = answered if combination == "first" else np.vstack([covers, answered[-1:]])
        return cls(
            conditions=with_displays(data.conditions.take(used), data),
            antecedents=(*(tuple(np.searchsorted(used, row).tolist()) for row in ids), ()),
            combination=combination,
            values=values,
            scales=_scales(speak_for, data.y - left_out, prior_weight),
            n_covered=n_covered,
            n_answered=answered.sum(axis=1) if combination == "first" else n_covered,
            n_samples=len(data.y),
        )

    def predict(self, X: Any) -> FloatArray:
        """The predicted numbers, of shape (n_samples,).

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        """
        return in_blocks(X, lambda some: self.answer(self.as_numbers(some))[:, None], 1)[:, 0]

    def predict_interval(self, X: Any, level: float = 0.9) -> FloatArray:
        """An interval for the target of each sample, of shape (n_samples, 2).

        Over all samples, a fraction `level` of the targets of new samples from the same source lies in their intervals.
        For a single rule this holds roughly, not exactly.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        level : float, default=0.9
            A multiple of 0.001 below 1; other levels are rounded up.
        """
        return in_blocks(X, lambda some: self.interval(self.as_numbers(some), level), 2)

    def interval(self, numbers: FloatArray, level: float) -> FloatArray:
        """The same for samples that `as_numbers` has returned."""
        if not 0 < level < 1:
            raise InvalidParameterError(f"level must be a number between 0 and 1, got {level!r}.")
        if self.quantiles is None:
            raise NoIntervalsError(
                "These rules have no calibrated intervals. Fit with intervals='cross' or intervals='split'."
            )
        # 0.9 is a little more than 900 / 1000 in binary.
        factor = self.quantiles[min(int(np.ceil(round(level * N_LEVELS, 6))), N_LEVELS - 1)]
        matches = self.matches_of(numbers)
        middle, reach = self.combined(matches), factor * self.scales_of(matches)
        return np.column_stack([middle - reach, middle + reach])

    def answer(self, numbers: FloatArray) -> FloatArray:
        """Predictions for samples that `as_numbers` has returned, of shape (n_samples,)."""
        return self.combined(self.matches_of(numbers))

    def combined(self, matches: BoolArray) -> FloatArray:
        """Predictions from what matches, of shape (n_rules - 1, n_samples)."""
        if self.combination == "first":
            return self.values[first_match(matches)] if len(matches) else np.full(matches.shape[1], self.values[-1])
        predicted = np.full(matches.shape[1], self.values[-1])
        # Rule by rule, as exports add them up.
        for rule, matching in enumerate(matches):
            predicted[matching] += self.values[rule]
        return predicted

    def scales_of(self, matches: BoolArray) -> FloatArray:
        """Typical size of the error of each sample: that of the rule that answers, or the mean of all that match."""
        if not len(matches):
            return np.full(matches.shape[1], self.scales[-1])
        if self.combination == "first":
            return self.scales[first_match(matches)]
        n_matching = matches.sum(axis=0)
        squares = (matches * self.scales[:-1, None] ** 2).sum(axis=0)
        return np.sqrt(np.where(n_matching > 0, squares / np.maximum(n_matching, 1), self.scales[-1] ** 2))

    def explain(self, X: Any) -> RegressionExplanation | RegressionExplanations:
        """Explain which rules add what, or which rule answers, for one sample or several.

        Parameters
        ----------
        X : Series, mapping, DataFrame or array-like of shape (n_features,) or (n_samples, n_features)
        """
        from rulekit.regression.explanation import explain

        return explain(self, X)

    def to_frame(self) -> pd.DataFrame:
        """One row per rule: value, spread, covered and answered samples, and conditions."""
        import pandas as pd

        rows = [
            {
                "rule": rule.position,
                "value": rule.value,
                "scale": rule.scale,
                "n_covered": rule.n_covered,
                "n_answered": rule.n_answered,
                "n_conditions": len(rule.conditions),
                "conditions": rule.antecedent,
            }
            for rule in self
        ]
        return pd.DataFrame(rows).set_index("rule")

    def to_dict(self) -> dict[str, Any]:
        """A versioned description in plain types that JSON can hold; see `from_dict`, and `export` for a file."""
        from rulekit.regression.document import to_document

        return to_document(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> RegressionRules:
        """Rebuild the rules, exactly, from what `to_dict` returned; `from_json` reads JSON.

        Nothing in a document is executed, and one that is no rules for numbers raises `RuleSetFormatError`.
        """
        from rulekit.regression.document import from_document

        return from_document(document)

    @classmethod
    def from_json(cls, document: str | bytes) -> RegressionRules:
        """Rebuild the rules, exactly, from JSON that `export` wrote.

        The document may come from an untrusted source: it is read with the same bounds and checks as by
        `RuleSet.from_json`.
        """
        from rulekit.regression.document import from_document
        from rulekit.ruleset.json_reading import parse

        return from_document(parse(document))

    def export(self, path: str | Path, format: str | None = None, **options: Any) -> None:
        """Write the rules to a file for another program: what it predicts is one number for each sample.

        Parameters
        ----------
        path : str or Path
            The file; its suffix determines the format unless `format` is given.
        format : {"json", "python", "sql", "c"}, optional
            Or another registered name whose exporter takes rules for numbers.
        **options
            Options of the format, such as `table` for SQL.
        """
        from rulekit.export.formats import write

        write(self, path, format, options)

    def __len__(self) -> int:
        return len(self.antecedents)

    @overload
    def __getitem__(self, position: int) -> NumberRule: ...
    @overload
    def __getitem__(self, position: slice) -> list[NumberRule]: ...
    def __getitem__(self, position: int | slice) -> NumberRule | list[NumberRule]:
        chosen = range(len(self))[position]
        return self._rule(chosen) if isinstance(chosen, int) else [self._rule(each) for each in chosen]

    def __iter__(self) -> Iterator[NumberRule]:
        return (self._rule(position) for position in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RegressionRules):
            return NotImplemented
        own, others = self.conditions.categories.missing_value, other.conditions.categories.missing_value
        return self.to_dict() == other.to_dict() and own == others

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<RegressionRules: {len(self)} rules, {self.n_conditions} conditions, combination {self.combination!r}>"

    def _rule(self, position: int) -> NumberRule:
        return NumberRule(
            position + 1,
            tuple(Condition.of(self.conditions, row) for row in self.antecedents[position]),
            float(self.values[position]),
            float(self.scales[position]),
            int(self.n_covered[position]),
            int(self.n_answered[position]),
            self.n_samples,
        )

    def _table(self) -> Table:
        return number_table(self)


def _scales(groups: BoolArray, errors: FloatArray, prior_weight: float) -> FloatArray:
    """Root mean squared error of each group of samples, drawn towards that of all; shape (n_groups,)."""
    squares = errors**2
    overall = squares.mean()
    sizes = groups.sum(axis=1)
    scales = np.sqrt((groups @ squares + prior_weight * overall) / (sizes + prior_weight))
    # Without any error, an interval has no width.
    return np.asarray(scales)
