"""The base of every model of rules: holds the ensemble and the components, and reads samples."""

import functools
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, is_regressor
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from rulekit.core.arrays import FloatArray, LabelArray
from rulekit.core.checks import check_jobs
from rulekit.core.errors import (
    InvalidParameterError,
    RulekitError,
)
from rulekit.core.interfaces import Adapter
from rulekit.core.validation import (
    are_mappings,
    as_array,
    categorical_columns,
    check_categories,
    check_codes,
    check_missing,
    check_no_dates,
    check_whole,
    column_names,
    is_read_by_name,
    labels_of_frame,
    reading_numbers,
    reject_fit_parameters,
)
from rulekit.model import (
    allows_missing,
    check_encoded,
    named_ensemble,
    transformed,
    unwrapped,
    without_steps,
)
from rulekit.plugin.code_components import CarriesCodeComponents
from rulekit.plugin.kinds import PARAMETERS
from rulekit.plugin.manager import plugins
from rulekit.ruleset.samples import frame_of_mappings, missing_names

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """Restore the attributes of the object if a method fails or is interrupted.

    What an earlier `fit` has learnt is kept, and an unfitted object stays unfitted.
    """

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            # In one step, which a second interrupt cannot leave half done.
            self.__dict__ = before
            raise

    return cast(Method, run)


class RuleModel(CarriesCodeComponents, TransformerMixin, BaseEstimator):
    """A model that predicts with rules from a tree ensemble; the base of classifiers and regressors.

    As a transformer in a pipeline, it returns which rules each sample satisfies.

    Parameters
    ----------
    ensemble, adapter, n_jobs, random_state
        See `RuleClassifier` and `RuleRegressor`.
    """

    ruleset_: Any
    transformer_: Any

    #: False for a method that grows a tree of its own unless one is passed as `ensemble`: studies and the command line
    #: then pass none.
    needs_ensemble: ClassVar[bool] = True

    def __init__(
        self,
        ensemble: Any = None,
        *,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.ensemble = ensemble
        self.adapter = adapter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed; called once per fit, before any work."""
        check_jobs(self)

    @abstractmethod
    def plain_target(self, y: Any) -> Any:
        """The target as it was passed, in a form that becomes an array without loss."""

    @abstractmethod
    def checked_target(self, y: LabelArray) -> LabelArray:
        """The target as an array of shape (n_samples,), after its checks."""

    def memory_budget(self) -> int | None:
        """Bytes for the index of the samples and the search together; None for no limit."""
        return None

    def begin_fit(self, unsupported: dict[str, Any] | None = None) -> dict[str, Any]:
        """Check the parameters and make the components, once per fit.

        Returns
        -------
        components : dict of str to component
            One for each parameter that takes a component, by the parameter's name. They are copies, not the
            user's own instances, and may be fitted.
        """
        reject_fit_parameters(type(self).__name__, unsupported or {}, for_classes=not is_regressor(self))
        self.check_parameters()
        return plugins().registry.make_components(self.get_params(deep=False))

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of components as `final_estimator__crossover`.

        A component given by name is first replaced by an instance, whose parameters can be set.
        """
        nested = {key: params.pop(key) for key in list(params) if "__" in key}
        super().set_params(**params)
        for owner in {key.partition("__")[0] for key in nested}:
            setattr(self, owner, self._with_parameters(owner))
        return super().set_params(**nested)

    def transform(self, X: Any) -> FloatArray:
        """Which rules each sample satisfies: 1 or 0, of shape (n_samples, n_rules - 1), without the default rule."""
        check_is_fitted(self)
        return self.ruleset_.matches_of(self._as_numbers(X)).T.astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> LabelArray:
        """Names of what `transform` returns: `rule_1`, `rule_2`, …; shape (n_rules - 1,)."""
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        return np.array([f"rule_{position}" for position in range(1, len(self.ruleset_))], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # `predict` uses the tags too. An unknown ensemble is reported by `fit`; fitted models do not need it.
        with suppress(RulekitError):
            tags.input_tags.allow_nan = allows_missing(without_steps(self.chosen_ensemble())[1])
        return tags

    def chosen_ensemble(self) -> Any:
        """The ensemble that `fit` starts from: the given one, one made by its name, or a random forest."""
        if self.ensemble is None or isinstance(self.ensemble, str):
            return named_ensemble(self.ensemble or "rf", self.random_state)
        return unwrapped(self.ensemble)

    def _with_parameters(self, owner: str) -> Any:
        """The value of a parameter as an object that has parameters itself."""
        if owner == "ensemble":
            is_named = self.ensemble is None or isinstance(self.ensemble, str)
            return self.chosen_ensemble() if is_named else self.ensemble
        if owner not in PARAMETERS:
            return getattr(self, owner, None)
        component = plugins().registry.resolve_parameter(owner, getattr(self, owner))
        if component is None:
            raise InvalidParameterError(f"{owner} is None, so it has no parameters to set.")
        return component

    def _validated(self, ensemble: Any, adapter: Adapter, X: Any, y: Any) -> tuple[Any, FloatArray | None, LabelArray]:
        """The table to fit the ensemble on, its values as numbers, and the labels.

        None instead of numbers means that the ensemble, or the steps before it, must read the columns of the table.
        """
        transformer, model = without_steps(ensemble)
        check_whole(X)
        y = self.plain_target(y)
        if transformer is None:
            check_no_dates(X)
            check_categories(labels_of_frame(X), column_names(X))
            if not adapter.takes_categories(model):
                check_encoded(model, X, encoded=())
        if transformer is None and not (adapter.takes_categories(model) and categorical_columns(X)):
            finite = "allow-nan" if allows_missing(model) else True
            with reading_numbers():
                numbers, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=finite)
            table = X if self._names() is not None else numbers
        else:
            table, numbers = validate_data(self, X, skip_check_array=True), None
            y = column_or_1d(y, warn=True)
            check_consistent_length(table, y)
        return table, numbers, self.checked_target(y)

    def _as_numbers(self, X: Any, *, checks_columns: bool = True) -> FloatArray:
        """Samples as the rules compare them, after the steps before the ensemble; shape (n_samples, n_columns).

        Columns are not checked, nor is anyone warned of them, if these are further rows of a table that was checked.
        """
        conditions = self.ruleset_.conditions
        if self.transformer_ is None and self._reads_by_name(X):
            return self.ruleset_.as_numbers(X)
        if are_mappings(X):
            X = frame_of_mappings(X, self._names())
        if self.transformer_ is not None or conditions.categories.by_feature:
            check_whole(X)
            table = validate_data(self, X, reset=False, skip_check_array=True) if checks_columns else X
            table = transformed(self.transformer_, table)
            check_no_dates(table)
            return self.ruleset_.as_numbers(as_array(table))
        check_whole(X)
        check_no_dates(X)
        rejects_missing = self.ruleset_.unexpected_missing == "error"
        finite = "allow-nan" if conditions.missing_features or not rejects_missing else True
        rules: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": finite}
        with reading_numbers():
            if checks_columns:
                numbers = np.asarray(validate_data(self, X, reset=False, **rules))
            else:
                numbers = np.asarray(check_array(X, estimator=self, input_name="X", **rules))
        numbers = conditions.categories.mark_missing(numbers)
        if rejects_missing:
            has_choice = hasattr(self.ruleset_, "with_unexpected_missing")
            check_missing(numbers, conditions.missing_features, conditions.feature_names, has_choice=has_choice)
        check_codes(numbers, conditions.code_features, conditions.feature_names)
        return numbers

    def _set_or_forget(self, attribute: str, value: Any) -> None:
        """Set an optional attribute of a fit; if the value is None, delete the attribute of an earlier fit."""
        if value is not None:
            setattr(self, attribute, value)
        elif hasattr(self, attribute):
            delattr(self, attribute)

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def _reads_by_name(self, X: Any) -> bool:
        """Whether samples are dictionaries, or a frame of other columns than in training that has what rules test."""
        names = self._names()
        if are_mappings(X) or names is None or not is_read_by_name(X, names):
            return are_mappings(X)
        # scikit-learn's contract rejects the same columns in another order, and names what is missing.
        feature_names, used = self.ruleset_.feature_names, self.ruleset_.used_features
        return set(column_names(X)) != set(names) and not missing_names(X, feature_names, used)
