"""Training an ensemble and extracting rules from it, timed."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import attrs
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from rulekit.builder import build
from rulekit.classifier import RuleClassifier
from rulekit.cli.errors import CommandError
from rulekit.cli.progress import SearchProgress
from rulekit.cli.samples import Samples, Takes, text_columns
from rulekit.core.checks import check_class_weight
from rulekit.core.errors import RulekitError
from rulekit.core.weights import Weights
from rulekit.model import allows_missing, find_adapter, fitted_clone, is_fitted, without_steps
from rulekit.plugin.manager import plugins
from rulekit.wrappers.named_classes import NamedClasses

#: Strings of a column that is one-hot encoded, as many as scikit-learn's boosting takes categories.
MOST_LABELS = 255


@attrs.frozen(eq=False)
class Trained:
    """A fitted ensemble and how long it took.

    Attributes
    ----------
    ensemble : fitted classifier or None
        None leaves the ensemble to the method.
    seconds : float or None
        None if nothing was trained.
    """

    ensemble: Any
    seconds: float | None


@attrs.frozen(eq=False)
class Extraction:
    """A fitted extractor, the ensemble behind its rules, and how long both took.

    Attributes
    ----------
    method : str
    model : fitted classifier
        With its rules in `ruleset_`, unless a plugin's method makes no ruleset.
    trained : Trained
    seconds : float
        Duration of the extraction, without training if the ensemble was trained before.
    """

    method: str
    model: Any
    trained: Trained
    seconds: float

    @property
    def ensemble(self) -> Any:
        """The ensemble that the rules come from; None if the method does not expose it."""
        return getattr(self.model, "ensemble_", self.trained.ensemble)

    @property
    def ensemble_name(self) -> str:
        """The class of the ensemble, without what is around it."""
        model = without_steps(self.ensemble)[1]
        return type(model.fitted if isinstance(model, NamedClasses) else model).__name__

    @property
    def times(self) -> dict[str, float]:
        """The times that are known, under the names of measures."""
        known = {"training_seconds": self.trained.seconds, "extraction_seconds": self.seconds}
        return {name: seconds for name, seconds in known.items() if seconds is not None}


def train(ensemble: Any, samples: Samples, progress: SearchProgress, class_weight: Any = None) -> Trained:
    """Fit an ensemble, with the class weights of the rules, unless it is fitted already or left to the method."""
    if ensemble is None or is_fitted(ensemble):
        return Trained(ensemble, None)
    adapter = find_adapter(without_steps(ensemble)[1])
    if adapter.integer_labels:
        # Only the extractor knows the labels behind the class indices that such a model is fitted on.
        return Trained(ensemble, None)
    check_class_weight(class_weight)
    classes, indices = np.unique(samples.y, return_inverse=True)
    weights = Weights.of(None, class_weight, indices, classes)
    of_samples = None if weights is None else weights.of_samples(indices)
    start = perf_counter()
    with progress.step(f"Training {type(without_steps(ensemble)[1]).__name__}"):
        fitted = fitted_clone(ensemble, adapter, samples.X, samples.y, weights=of_samples)
    return Trained(fitted, perf_counter() - start)


def takes(extractor: Any) -> Takes:
    """What the extractor's ensemble can be trained on besides numbers.

    An ensemble that is trained here takes strings if it does not take categories: see `encoding`.
    """
    if not isinstance(extractor, RuleClassifier):
        return Takes()
    steps, model = without_steps(extractor.chosen_ensemble())
    if steps is not None:
        return Takes(missing=True, strings=True)
    categories = find_adapter(model).takes_categories(model)
    return Takes(allows_missing(model), categories, strings=not categories and not is_fitted(model))


def encoding(extractor: Any, ensemble: Any, X: pd.DataFrame) -> Any:
    """The ensemble to train on a table: behind a step that one-hot encodes strings, if it reads numbers only.

    Parameters
    ----------
    extractor : classifier
        Unfitted; it may choose its own ensemble.
    ensemble : classifier or None
        The one that the options ask for; None leaves the choice to the extractor.
    X : DataFrame of shape (n_samples, n_features)
    """
    columns = text_columns(X)
    if not columns or not isinstance(extractor, RuleClassifier):
        return ensemble
    own = extractor.chosen_ensemble()
    if isinstance(own, Pipeline) or find_adapter(own).takes_categories(own):
        return ensemble
    for column in columns:
        n_labels = X[column].nunique()
        if n_labels > MOST_LABELS:
            raise CommandError(
                f"The column {column!r} has {n_labels} different strings, too many for rules about them. Leave it out "
                "with --drop, or group them first."
            )
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    table = ColumnTransformer([("strings", encoder, columns)], remainder="passthrough", verbose_feature_names_out=False)
    return Pipeline([("table", table), ("ensemble", own)])


def seeded(method: str, ensemble: Any, overrides: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The parameters with a seed, where the method chooses its own ensemble or grows its own tree."""
    factory = plugins().registry.get("method", method).factory
    takes_seed = ensemble is None and isinstance(factory, type) and issubclass(factory, RuleClassifier)
    return ({"random_state": seed} if takes_seed else {}) | dict(overrides)


def unfitted(method: str, ensemble: Any, overrides: Mapping[str, Any]) -> Any:
    """The extractor before it sees samples; raise for parameters that it does not take."""
    try:
        return build(method, ensemble, **overrides)
    except RulekitError:
        raise
    except (TypeError, AttributeError) as error:
        raise CommandError(f"--set is not valid for the method {method!r}: {error}.") from error


def extract_rules(
    method: str, trained: Trained, overrides: Mapping[str, Any], samples: Samples, progress: SearchProgress
) -> Extraction:
    """Extract rules from a fitted ensemble."""
    start = perf_counter()
    with progress.step(f"Extracting {method} rules"):
        model = unfitted(method, trained.ensemble, overrides).fit(samples.X, samples.y)
    return Extraction(method, model, trained, perf_counter() - start)
