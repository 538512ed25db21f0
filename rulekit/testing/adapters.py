"""What adapters promise."""

import builtins
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.core.errors import RulekitError
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter
from rulekit.core.validation import Categories
from rulekit.testing.adapter_models import FittedModel, Models
from rulekit.testing.comparison import Answer, expect_array, expect_close
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, fresh
from rulekit.testing.forests import samples_at_thresholds, satisfies_other_rules
from rulekit.testing.seam import BoundCheck, Seam, bind, on_one_thread, shared_checks
from rulekit.testing.tables import numeric_tables, table_with_categories, table_with_gaps, with_unknown_category

KIND = "adapter"
#: Libraries add up scores in float32.
TOLERANCE = 2e-6


@promise
def check_accepts_its_models(adapter: Any, models: Models) -> None:
    """`accepts` returns True for the adapter's models, fitted or not."""
    own = fresh(adapter)
    for model in (*models.given, *models.unfitted):
        got = own.accepts(model)
        expect(got is True, f"{got!r} for an unfitted {type(model).__name__}.")
    for fitted in models.fitted():
        got = own.accepts(fitted.model)
        expect(got is True, f"{got!r} for a fitted {fitted.name}.")


@promise
def check_accepts_nothing_else(adapter: Any, models: Models) -> None:
    """`accepts` returns False for anything else: models without trees, and classes of the same name elsewhere."""
    names = {type(model).__name__ for model in models.unfitted}
    namesakes = [type(name, (), {"__module__": "somewhere.else"})() for name in sorted(names)]
    for other in (LogisticRegression(), DummyClassifier(), object(), "a word", None, *namesakes):
        got = fresh(adapter).accepts(other)
        expect(got is False, f"{got!r} for {type(other).__module__}.{type(other).__name__}.")


@promise
def check_accepts_imports_nothing(adapter: Any, models: Models) -> None:
    """`accepts` compares names and imports nothing: it is called for every model."""
    own = fresh(adapter)
    for model in (*models.unfitted, LogisticRegression(), object()):
        with _imports() as found:
            own.accepts(model)
        expect(not found, f"called with a {type(model).__name__}, it imports {', '.join(found)}.")


@promise
def check_trees_are_valid(adapter: Any, models: Models) -> None:
    """Every node of a tree is reached once from node 0; leaves have values for the link, and class distributions."""
    for fitted in models.fitted():
        fitted.read_by(fresh(adapter))


@promise
def check_classes_and_features(adapter: Any, models: Models) -> None:
    """The forest has the model's classes, in the order of its `predict_proba`, and its number of features."""
    for fitted in models.fitted():
        forest = fitted.read_by(fresh(adapter))
        expected = _classes(fitted, adapter)
        got = np.asarray(forest.classes).tolist()
        expect(got == expected, f"{fitted.name}: the classes {got} instead of {expected}.")
        n_features = fitted.table.X.shape[1]
        expect(forest.n_features == n_features, f"{fitted.name}: {forest.n_features} features, not {n_features}.")


@promise
def check_probabilities(adapter: Any, models: Models) -> None:
    """The forest predicts the probabilities of the model's own `predict_proba`."""
    for fitted in models.fitted():
        _expect_rebuilt(fitted, fitted.read_by(fresh(adapter)), fitted.table.X, "training samples")


@promise
def check_probabilities_at_thresholds(adapter: Any, models: Models) -> None:
    """It also predicts the model's probabilities at every threshold, and at the next number on either side of it."""
    for fitted in models.fitted():
        forest = fitted.read_by(fresh(adapter))
        samples = samples_at_thresholds(forest, fitted.table.X)
        _expect_rebuilt(fitted, forest, samples, "samples at thresholds")


@promise
def check_leaves_partition_the_space(adapter: Any, models: Models) -> None:
    """Every sample satisfies the rule of the leaf that it reaches in a tree, and of no other leaf."""
    for fitted in models.fitted():
        forest, X = fitted.read_by(fresh(adapter)), fitted.table.X
        _expect_own_leaves(fitted, forest, np.vstack([X, samples_at_thresholds(forest, X)]))


@promise
def check_missing_values(adapter: Any, models: Models) -> None:
    """A forest with `handles_missing = True` sends missing values where the model sends them."""
    for fitted in models.on([table_with_gaps().as_array()]):
        forest, X = fitted.read_by(fresh(adapter)), fitted.table.X
        if forest.handles_missing:
            samples = np.vstack([X, samples_at_thresholds(forest, X)])
            _expect_rebuilt(fitted, forest, samples, "samples with missing values")
            _expect_own_leaves(fitted, forest, samples)


@promise
def check_categories(adapter: Any, models: Models) -> None:
    """An adapter with `reads_categories = True` reads models that were fitted on a table with categories."""
    for fitted in _with_categories(adapter, models):
        _expect_rebuilt_from_codes(fitted, fitted.read_by(fresh(adapter)), fitted.table.X, "training samples")


@promise
def check_unknown_categories(adapter: Any, models: Models) -> None:
    """A category not seen in training goes where the model sends it, unless the model raises an error for it."""
    for fitted in _with_categories(adapter, models):
        forest, X = fitted.read_by(fresh(adapter)), with_unknown_category(fitted.table)
        try:
            fitted.probabilities(X)
        except Exception:  # the library does not support such samples, whatever it raises
            continue
        _expect_rebuilt_from_codes(fitted, forest, X, "samples of a category not seen in training")


@promise
def check_model_is_not_changed(adapter: Any, models: Models) -> None:
    """Neither reading a model nor modifying the arrays of its forest changes the model."""
    for fitted in models.fitted():
        X, names = fitted.table.X, _attributes(fitted.model)
        before, parameters = fitted.probabilities(X), _parameters(fitted.model)
        forest = fitted.read_by(fresh(adapter))
        _expect_unchanged(fitted, before, "after it was read")
        expect(_parameters(fitted.model) == parameters, f"{fitted.name}: other parameters.")
        new = sorted(_attributes(fitted.model) - names)
        expect(not new, f"{fitted.name}: it has new attributes {', '.join(new)}.")
        for tree in (tree for trees in forest.rounds for tree in trees):
            for array in (tree.values, tree.priors, tree.thresholds):
                if array.flags.writeable:
                    array[:] = 0.0
        _expect_unchanged(fitted, before, "after its forest was modified")


@promise
def check_unseen_samples(adapter: Any, models: Models) -> None:
    """`unseen_samples` returns None, or masks of samples that each tree did not see: always the same, never all."""
    for fitted in models.fitted():
        forest, n_samples = fitted.read_by(fresh(adapter)), len(fitted.table.y)
        unseen, again = (_unseen(adapter, fitted, n_samples) for _ in range(2))
        expect((unseen is None) == (again is None), f"{fitted.name}: {unseen!r}, then {again!r}.")
        if unseen is None or again is None:
            continue
        n_trees = sum(map(len, forest.rounds))
        expect(len(unseen) == n_trees, f"{fitted.name}: {len(unseen)} trees, not {n_trees}.")
        for tree, (samples, same) in enumerate(zip(unseen, again, strict=True)):
            expect_array(samples, (n_samples,), f"{fitted.name}, tree {tree}", bool)
            expect(not samples.all(), f"{fitted.name}, tree {tree}: no sample was seen.")
            expect(np.array_equal(samples, same), f"{fitted.name}, tree {tree}: other samples the second time.")


@promise
def check_unseen_samples_of_other_tables(adapter: Any, models: Models) -> None:
    """`unseen_samples` returns None if the number of samples differs from that in the model's training."""
    for fitted in models.fitted():
        for n_samples in (len(fitted.table.y) - 1, len(fitted.table.y) + 1):
            got = _unseen(adapter, fitted, n_samples)
            expect(got is None, f"{fitted.name}: {got!r} for {n_samples} samples.")


@promise
def check_out_of_bag(adapter: Any, models: Models) -> None:
    """Out-of-bag probabilities from `unseen_samples` are the model's own, if it has any (`oob_score=True`)."""
    for fitted in models.out_of_bag([table.as_array() for table in numeric_tables()]):
        forest, X = fitted.read_by(fresh(adapter)), fitted.table.X
        unseen = _unseen(adapter, fitted, len(X))
        if unseen is not None and hasattr(fitted.model, "oob_decision_function_"):
            got, expected = forest.predict_proba_by(X, unseen), fitted.model.oob_decision_function_
            expect(
                got is not None,
                f"{fitted.name}: unseen samples, but boosting has no out-of-bag probabilities.",
            )
            expect_close(got, expected, f"{fitted.name}, out of bag", TOLERANCE)  # type: ignore[arg-type]


def _unseen(adapter: Any, fitted: FittedModel, n_samples: int) -> list[BoolArray] | None:
    unseen = fresh(adapter).unseen_samples(fitted.model, n_samples)
    return None if unseen is None else list(unseen)


@promise
def check_unfitted_models_raise(adapter: Any, models: Models) -> None:
    """`forest` of a model that is not fitted raises a `RulekitError`, or scikit-learn's `NotFittedError`."""
    for model in models.unfitted:
        _expect_error(adapter, model, f"an unfitted {type(model).__name__}")


@promise
def check_several_targets_raise(adapter: Any, models: Models) -> None:
    """`forest` of a model that predicts several targets at once raises a `RulekitError`."""
    table = numeric_tables()[1].as_array()
    for fitted in models.on([attrs.evolve(table, y=np.column_stack([table.y, table.y[::-1]]))]):
        _expect_error(adapter, fitted.model, f"a {type(fitted.model).__name__} with two targets")


def _expect_error(adapter: Any, model: Any, what: str) -> None:
    try:
        got = f"a forest: {fresh(adapter).forest(model).classes.tolist()}"
    except (RulekitError, NotFittedError):
        return
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    expect(False, f"{what}: {got}.")


def _expect_rebuilt(fitted: FittedModel, forest: Forest, X: FloatArray, which: str) -> None:
    expect_close(forest.predict_proba(X), fitted.probabilities(X), f"{fitted.name}, {which}", TOLERANCE)


def _with_categories(adapter: Any, models: Models) -> list[FittedModel]:
    """Models on a table with categories, if the adapter reads categories."""
    if not adapter.reads_categories:
        return []
    found = list(models.on([table_with_categories()]))
    expect(
        found,
        "no model could be fitted on a table whose column 'colour' is categorical. Pass one that can: models=[…].",
    )
    return found


def _expect_rebuilt_from_codes(fitted: FittedModel, forest: Forest, X: Any, which: str) -> None:
    codes = Categories(forest.categories, forest.unknown_as_missing).encode(X)
    expect_close(forest.predict_proba(codes), fitted.probabilities(X), f"{fitted.name}, {which}", TOLERANCE)


def _expect_own_leaves(fitted: FittedModel, forest: Forest, X: FloatArray) -> None:
    position = np.argwhere(satisfies_other_rules(forest, X))[:1].tolist()
    expect(not position, f"{fitted.name}: another rule, or several or none, at (tree, sample) {position}.")


def _expect_unchanged(fitted: FittedModel, before: FloatArray, when: str) -> None:
    expect_close(fitted.probabilities(fitted.table.X), before, f"{fitted.name}, probabilities {when}", 0.0)


def _classes(fitted: FittedModel, adapter: Adapter) -> list[Any]:
    """The labels that the model was fitted on: class indices if it takes integers only."""
    labels = fitted.table.labels
    known = np.arange(len(labels)) if adapter.integer_labels else labels
    return np.asarray(getattr(fitted.model, "classes_", known)).tolist()


def _attributes(model: Any) -> set[str]:
    return set(getattr(model, "__dict__", ()))


def _parameters(model: Any) -> str:
    return repr(model.get_params()) if hasattr(model, "get_params") else ""


@contextmanager
def _imports() -> Iterator[list[str]]:
    """Names of the modules that are imported inside the block, including those already loaded."""
    found: list[str] = []
    original, loaded = builtins.__import__, set(sys.modules)

    def noting_import(name: str, *args: Any, **kwargs: Any) -> Any:
        found.append(name)
        return original(name, *args, **kwargs)

    builtins.__import__ = noting_import
    try:
        yield found
    finally:
        builtins.__import__ = original
        found += sorted(set(sys.modules) - loaded - set(found))


def _answer(adapter: Any, fitted: FittedModel) -> Answer:
    forest = fitted.own().read_by(adapter)
    priors = np.concatenate([tree.priors for trees in forest.rounds for tree in trees])
    return {"probabilities": forest.predict_proba(fitted.table.X), "priors": priors}


def checks(models: Models) -> tuple[BoundCheck, ...]:
    """The checks that an adapter must pass with these models."""
    own = (
        check_accepts_its_models,
        check_accepts_nothing_else,
        check_accepts_imports_nothing,
        check_trees_are_valid,
        check_classes_and_features,
        check_probabilities,
        check_probabilities_at_thresholds,
        check_leaves_partition_the_space,
        check_missing_values,
        check_categories,
        check_unknown_categories,
        check_model_is_not_changed,
        check_unseen_samples,
        check_unseen_samples_of_other_tables,
        check_out_of_bag,
        check_unfitted_models_raise,
        check_several_targets_raise,
    )

    def cases() -> Sequence[FittedModel]:
        return list(models.fitted())

    bound = (*shared_checks(Usage(cases, _answer, _answer)), *(bind(check, models) for check in own))
    return tuple(on_one_thread(check) for check in bound)


def seam(adapter: Adapter, models: Sequence[Any] = ()) -> Seam:
    """The checks of one adapter."""
    return Seam(kind=KIND, interface=Adapter, checks=checks(Models(adapter, models)))
