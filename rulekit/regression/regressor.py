"""The base of every regressor with rules: fits, refits for honest errors and intervals, and predicts."""

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, Self

import attrs
import numpy as np
from sklearn.base import RegressorMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_choice, check_whole_number
from rulekit.core.errors import InvalidParameterError, NoPathError, UnsupportedEnsembleError
from rulekit.core.interfaces import Adapter
from rulekit.model import transformed, unwrapped, without_steps
from rulekit.regression.data import RegressionData, can_be_copied, find_regressor_adapter
from rulekit.regression.explanation import RegressionExplanation, RegressionExplanations
from rulekit.regression.intervals import conformal_quantiles, scores_of
from rulekit.regression.rules import RegressionRules
from rulekit.rule_model import RuleModel, all_or_nothing
from rulekit.ruleset.ruleset import in_blocks

Intervals = Literal["cross", "split"]
Choice = Literal["cross-validation", "all"]
#: Part of the samples that `intervals="split"` holds back.
HELD_BACK = 0.25
CHOICES = ("cross-validation", "all")
#: Of the trees of a forest that is made here.
DEFAULT_DEPTH = 5


@attrs.frozen
class PathStep:
    """One of the rulesets of different lengths.

    Attributes
    ----------
    n_rules : int
        Number of rules, without the intercept or default rule.
    ruleset : RegressionRules
    error : float
        Mean squared error for samples that neither rules nor ensemble saw; NaN without refits.
    behind : float
        By how many of its standard errors this error exceeds the least one of the path; NaN without refits.
    """

    n_rules: int
    ruleset: RegressionRules
    error: float
    behind: float


class RuleRegressor(RegressorMixin, RuleModel):
    """A scikit-learn regressor that predicts with rules from a tree ensemble; the base of both methods.

    Parameters
    ----------
    ensemble : regressor or None, default=None
        A fitted tree ensemble is used as it is, an unfitted one is cloned and fitted. None means a random forest of 100
        trees of depth 5.
    max_rules : int, default=16
        Most rules, not counting the intercept or default rule.
    choose : {"cross-validation", "all"}, default="cross-validation"
        "cross-validation" takes the fewest rules whose error exceeds the least one by at most one standard error of the
        difference, "all" as many as were found.
    intervals : {"cross", "split"} or None, default="cross"
        How the intervals are calibrated: "cross" by `n_folds` copies of ensemble and rules that do not see one fold
        each; "split" by a quarter of the samples, which neither the rules nor an ensemble fitted here see. With "split"
        the coverage of all samples together is guaranteed, if the ensemble was not fitted on these samples.
    n_folds : int, default=5
    adapter : Adapter, str or None, default=None
        Reads the ensemble; None chooses the first adapter that accepts it.
    n_jobs, random_state : optional
        See `rulekit.RuleClassifier`.

    Attributes
    ----------
    ruleset_ : RegressionRules
    path_ : tuple of PathStep
        A ruleset of every length, the shortest first; `with_rules` makes a model of one.
    ensemble_ : fitted regressor
    transformer_ : fitted transformer or None
        The steps before it, if the ensemble is a pipeline: the rules are about the columns that these return.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when `X` has column names.
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_rules: int = 16,
        choose: Choice = "cross-validation",
        intervals: Intervals | None = "cross",
        n_folds: int = 5,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.max_rules = max_rules
        self.choose = choose
        self.intervals = intervals
        self.n_folds = n_folds

    @abstractmethod
    def found(self, data: RegressionData) -> list[RegressionRules]:
        """Rulesets of ascending length, each with at most `max_rules` rules and the first one with none."""

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_whole_number(self, "max_rules", 1)
        check_choice(self, "choose", CHOICES)
        if self.intervals is not None:
            check_choice(self, "intervals", ("cross", "split"))
        check_whole_number(self, "n_folds", 2)

    @all_or_nothing
    def fit(self, X: Any, y: Any, **unsupported: Any) -> Self:
        """Extract rules.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Finite numbers; missing values and categories if the ensemble supports them, anything that the pipeline
            accepts if it is one.
        y : array-like of shape (n_samples,)
            Finite numbers.
        **unsupported
            Anything else is rejected: `sample_weight` in particular.

        Returns
        -------
        self
            If `fit` fails or is interrupted, the regressor is unchanged.
        """
        components = self.begin_fit(unsupported)
        ensemble = self.chosen_ensemble()
        adapter = find_regressor_adapter(without_steps(ensemble)[1], components["adapter"])
        table, numbers, y = self._validated(ensemble, adapter, X, y)
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31))
        self._check_refits(ensemble)
        rows = np.arange(len(y))
        if self.intervals == "split":
            rows = np.sort(train_test_split(rows, test_size=HELD_BACK, random_state=seed)[0])
        seen = RegressionData.of(
            ensemble,
            adapter,
            _safe_indexing(table, rows),
            None if numbers is None else numbers[rows],
            y[rows],
            self._names(),
        )
        path = self._path(seen, self.found(seen), seed)
        chosen = path[-1] if self.choose == "all" else next(step for step in path if step.behind <= 1)
        if self.intervals == "split":
            path = self._calibrated(path, seen, table, y, np.setdiff1d(np.arange(len(y)), rows))
            chosen = next(step for step in path if step.n_rules == chosen.n_rules)
        self.path_, self.ruleset_ = path, chosen.ruleset
        self.ensemble_, self.transformer_ = seen.ensemble, seen.transformer
        return self

    def predict(self, X: Any) -> FloatArray:
        """The numbers that the rules predict, of shape (n_samples,)."""
        check_is_fitted(self)

        def answer(some: Any) -> FloatArray:
            return self.ruleset_.answer(self._as_numbers(some))[:, None]

        # The steps of a pipeline may depend on all samples together.
        return answer(X)[:, 0] if self.transformer_ is not None else in_blocks(X, answer, 1)[:, 0]

    def predict_interval(self, X: Any, level: float = 0.9) -> FloatArray:
        """An interval for each target, of shape (n_samples, 2); see `RegressionRules.predict_interval`."""
        check_is_fitted(self)
        return self.ruleset_.interval(self._as_numbers(X), level)

    def explain(self, X: Any) -> RegressionExplanation | RegressionExplanations:
        """Explain what each of one or several samples gets from which rule; see `RegressionRules.explain`.

        For a pipeline, pass a frame, such as `X.iloc[[0]]`: the rules are about the transformed columns.
        """
        check_is_fitted(self)
        return self.ruleset_.explain(transformed(self.transformer_, X))

    def with_rules(self, n_rules: int) -> Self:
        """The model with the ruleset of `path_` that has `n_rules` rules, without another search."""
        check_is_fitted(self)
        found = {step.n_rules: step.ruleset for step in self.path_}
        if n_rules not in found:
            raise NoPathError(f"The path has rulesets of {', '.join(map(str, found))} rules, none of {n_rules!r}.")
        model = copy.copy(self)
        model.ruleset_ = found[n_rules]
        return model

    def plain_target(self, y: Any) -> Any:
        """The target as it is."""
        return y

    def checked_target(self, y: Any) -> FloatArray:
        """The target as numbers; raise if it holds anything else."""
        try:
            numbers = np.asarray(y, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"y must hold numbers for {type(self).__name__}, got {np.asarray(y).ravel()[:1].tolist()[0]!r}. For "
                "classes, use rulekit.build('rclist', classifier)."
            ) from error
        if not np.isfinite(numbers).all():
            raise ValueError("Input y contains NaN or infinity. Drop these samples.")
        return numbers

    def chosen_ensemble(self) -> Any:
        """The ensemble that `fit` starts from: the given one, or a random forest."""
        if self.ensemble is None:
            from sklearn.ensemble import RandomForestRegressor

            return RandomForestRegressor(max_depth=DEFAULT_DEPTH, random_state=self.random_state)
        if isinstance(self.ensemble, str):
            raise InvalidParameterError(
                f"{type(self).__name__} takes a regressor itself, not a name, got {self.ensemble!r}. Pass one, such as "
                "sklearn.ensemble.RandomForestRegressor(max_depth=5)."
            )
        return unwrapped(self.ensemble)

    def _check_refits(self, ensemble: Any) -> None:
        """Raise if copies of the ensemble are needed, and it cannot be fitted again."""
        needs_copies = self.intervals == "cross" or self.choose == "cross-validation"
        if needs_copies and not can_be_copied(unwrapped(ensemble)):
            raise UnsupportedEnsembleError(
                f"A {type(ensemble).__name__} cannot be fitted again, which cross-validation and intervals need. Pass "
                "the library's scikit-learn regressor, or use choose='all' with intervals='split' or None."
            )

    def _path(self, data: RegressionData, found: Sequence[RegressionRules], seed: int) -> tuple[PathStep, ...]:
        """The rulesets with errors of copies that did not see the samples, and with intervals from these."""
        if self.intervals != "cross" and self.choose != "cross-validation":
            return tuple(PathStep(len(each) - 1, each, np.nan, np.nan) for each in found)
        if len(data.y) < self.n_folds:
            raise InvalidParameterError(
                f"n_folds={self.n_folds} needs as many samples, got {len(data.y)}. Use fewer folds, or choose='all' "
                "and intervals=None."
            )
        lengths = [len(each) - 1 for each in found]
        squares, scores = np.empty((2, len(lengths), len(data.y)))
        for copied, X, rows in data.folds(self.n_folds, seed):
            own = self.found(copied)
            for position, length in enumerate(lengths):
                # A copy may have found fewer rules.
                rules = own[min(length, len(own) - 1)]
                matches = rules.matches_of(X)
                predicted = rules.combined(matches)
                squares[position, rows] = (data.y[rows] - predicted) ** 2
                scores[position, rows] = scores_of(data.y[rows], predicted, rules.scales_of(matches))
        behind = standard_errors_behind(squares)
        return tuple(
            PathStep(
                length,
                attrs.evolve(
                    rules, quantiles=conformal_quantiles(scores[position]) if self.intervals == "cross" else None
                ),
                float(squares[position].mean()),
                float(behind[position]),
            )
            for position, (length, rules) in enumerate(zip(lengths, found, strict=True))
        )

    def _calibrated(
        self, path: tuple[PathStep, ...], data: RegressionData, table: Any, y: FloatArray, rows: Any
    ) -> tuple[PathStep, ...]:
        """The path with intervals from samples that were held back."""
        X = data.numbers_of(_safe_indexing(table, rows))
        steps = []
        for step in path:
            matches = step.ruleset.matches_of(X)
            scores = scores_of(y[rows], step.ruleset.combined(matches), step.ruleset.scales_of(matches))
            steps.append(attrs.evolve(step, ruleset=attrs.evolve(step.ruleset, quantiles=conformal_quantiles(scores))))
        return tuple(steps)


def standard_errors_behind(errors: FloatArray) -> FloatArray:
    """By how many standard errors the mean error of each model exceeds the least one; of shape (n_models,).

    The errors are paired, as all models predict the same samples.

    Parameters
    ----------
    errors : ndarray of shape (n_models, n_samples)

    Examples
    --------
    >>> standard_errors_behind(np.array([[1.0, 3.0], [0.0, 1.0]])).round(6).tolist()
    [3.0, 0.0]
    """
    differences = errors - errors[errors.mean(axis=1).argmin()]
    means = differences.mean(axis=1)
    spread = differences.std(axis=1, ddof=1) / np.sqrt(errors.shape[1])
    return np.divide(means, spread, out=np.where(means > 0, np.inf, 0.0), where=spread > 0)
