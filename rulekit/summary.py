"""Rules, their ensemble and single trees of equal size, side by side on held-out samples."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Any, Final

import attrs
import numpy as np
import numpy.typing as npt

from rulekit.core.errors import InvalidParameterError, RulekitError
from rulekit.core.evaluated import Evaluated
from rulekit.core.interfaces import Measure
from rulekit.core.validation import UNKNOWN, column_of, is_categorical
from rulekit.evaluation.held_out import evaluated, measured, named_measures, registered_measures
from rulekit.evaluation.size import n_leaf_conditions, n_leaf_rules
from rulekit.explain.ensemble import ensemble_probabilities
from rulekit.fit_warnings import ADVICE, LOW_FIDELITY
from rulekit.model import find_adapter, transformed, without_steps
from rulekit.render.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.classifier import RuleClassifier

#: What stands for every category that training has not seen.
UNSEEN: Final = "(not seen in training)"
#: Methods that grow a tree with as many leaves as there are rules.
TREES: Final = ("tree", "shrunk-tree")
HINT: Final = "To compare with single trees of equal size, pass train=(X_train, y_train)."


@attrs.frozen(eq=False, repr=False)
class Summary:
    """Measures of rules, of their ensemble and of single trees with as many leaves as there are rules.

    It prints as a table, also in a notebook; `str` returns the same as plain text.

    Attributes
    ----------
    values : mapping of str to mapping of str to float
        By model ("rules", "ensemble", "tree", "shrunk-tree"), then by the name of the measure. A model lacks the
        measures that do not apply to it.
    measures : mapping of str to Measure
        The measures by name, in the order of the table.
    n_samples : int
        Held-out samples.
    sentences : tuple of str
        What to conclude: whether a tree predicts better probabilities, and whether the rules stand for the ensemble.
    origin : str
        How many trees the rules come from; empty if the method does not search tree by tree.
    hint : str
        How to compare with trees, if there are none.
    """

    values: Mapping[str, Mapping[str, float]]
    measures: Mapping[str, Measure]
    n_samples: int
    sentences: tuple[str, ...] = ()
    origin: str = ""
    hint: str = ""

    def to_frame(self) -> "pd.DataFrame":
        """One row for each model and one column for each measure; NaN where a measure does not apply."""
        import pandas as pd

        rows = [[values.get(name, np.nan) for name in self.measures] for values in self.values.values()]
        return pd.DataFrame(rows, index=list(self.values), columns=list(self.measures))

    def to_table(self) -> Table:
        """One row for each measure and one column for each model."""
        rows = [
            (measure.heading, *(_shown(values.get(name), measure) for values in self.values.values()))
            for name, measure in self.measures.items()
        ]
        title = f"On {self.n_samples} held-out samples"
        return Table("summary", title, ("measure", *self.values), rows, self.to_frame(), numeric=frozenset(self.values))

    def __str__(self) -> str:
        return "\n".join([self.to_table().to_text(), "", *self._notes])

    def __repr__(self) -> str:
        return str(self)

    @property
    def _notes(self) -> list[str]:
        return [*self.sentences, *filter(None, [self.origin, self.hint])]

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p style='margin:0.3em 0'>{escape(sentence)}</p>" for sentence in self._notes)
        return f"<div>{self.to_table().to_html()}{sentences}</div>"


def summarise(
    model: "RuleClassifier",
    X: Any,
    y: npt.ArrayLike,
    train: tuple[Any, Any] | None = None,
    measures: Sequence[str | Measure] | None = None,
) -> Summary:
    """Measure a fitted method beside its ensemble and, given its training samples, beside trees of equal size.

    Parameters
    ----------
    model : RuleClassifier
    X : array-like or DataFrame of shape (n_samples, n_features)
        Held-out samples.
    y : array-like of shape (n_samples,)
        Their labels.
    train : tuple of X and y, optional
        The training samples of the model, on which the trees are grown; without them there are no trees.
    measures : sequence of str or Measure, optional
        As for `rulekit.evaluation.evaluate`; None means all.
    """
    named = registered_measures() if measures is None else named_measures(measures)
    ensemble = model.ensemble_ if model.needs_ensemble else None
    rules = evaluated(model, X, y, ensemble)
    values = {"rules": _measured(rules, named)}
    if ensemble is not None:
        values |= _of_ensemble(model, X, rules, named)
    for name, tree in _trees(model, train):
        answered = attrs.evolve(
            evaluated(tree, _table(model, X), y, classes=rules.classes),
            ensemble_predicted=rules.ensemble_predicted,
            decision_threshold=rules.decision_threshold,
        )
        values[name] = _measured(answered, named)
    used = {name: each for name, each in named.items() if any(name in of_model for of_model in values.values())}
    hint = HINT if train is None and model.needs_ensemble else ""
    return Summary(values, used, len(rules.y), tuple(_sentences(values)), origin(model), hint)


def origin(model: Any) -> str:
    """How many trees the rules come from, in a sentence; empty if the method does not search tree by tree."""
    history = getattr(model, "history_", None)
    if not history:
        return ""
    trees = [step for step in history if step.n_candidates and not step.is_refinement]
    n_trees = f"{len(trees)} tree{'' if len(trees) == 1 else 's'}"
    n_sources = next((step.report["n_trees"] for step in history if "n_trees" in step.report), None)
    n_accepted = sum(step.accepted for step in trees)
    if n_sources is None:
        return f"The rules come from {n_accepted} of {n_trees}: those that the search accepted."
    return (
        f"The rules come from {n_sources} of {n_trees}; the search accepted {n_accepted} before the list was refined."
    )


def _measured(results: Evaluated, measures: Mapping[str, Measure]) -> dict[str, float]:
    return measured(results, {name: each for name, each in measures.items() if each.applies_to(results)})


def _of_ensemble(
    model: "RuleClassifier", X: Any, rules: Evaluated, measures: Mapping[str, Measure]
) -> dict[str, dict[str, float]]:
    """The measures of the ensemble, whose rules are its leaves; none if it cannot predict probabilities."""
    found = ensemble_probabilities(model, X)
    if found is None:
        return {}
    # Some libraries predict in single precision.
    probabilities = found.astype(np.float64)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    values = _measured(
        Evaluated(rules.y, probabilities, rules.classes, decision_threshold=rules.decision_threshold), measures
    )
    inner = without_steps(model.ensemble_)[1]
    with suppress(RulekitError):
        forest = find_adapter(inner).with_categories_of(inner, X).forest(inner)
        sizes = {"n_rules": float(n_leaf_rules(forest)), "n_conditions": float(n_leaf_conditions(forest))}
        values |= {name: size for name, size in sizes.items() if name in measures}
    return {"ensemble": values}


def _trees(model: "RuleClassifier", train: tuple[Any, Any] | None) -> Iterator[tuple[str, Any]]:
    """Trees with as many leaves as the model has rules, on the columns that its rules are about.

    There are none beside a model that is a tree itself.
    """
    if train is None or not model.needs_ensemble:
        return
    if not isinstance(train, tuple | list) or len(train) != 2:
        raise InvalidParameterError(
            f"train must be a tuple of X and y, the training samples, got {type(train).__name__}."
        )
    from rulekit.builder import build

    X, y = _table(model, train[0]), train[1]
    seed = 0 if model.random_state is None else model.random_state  # the same summary each time
    for name in TREES:
        tree = build(name, max_leaves=max(2, len(model.ruleset_)), random_state=seed).fit(X, y)
        tree.ruleset_ = tree.ruleset_.with_unexpected_missing(model.ruleset_.unexpected_missing)
        yield name, tree


def _table(model: "RuleClassifier", X: Any) -> Any:
    """Samples in the columns that the rules are about, as a tree reads them: with strings as categories."""
    table = transformed(model.transformer_, X)
    conditions = model.ruleset_.conditions
    labels = conditions.categories.by_feature
    if all(is_categorical(column_of(table, feature)) for feature in labels):
        return table
    import pandas as pd

    numbers = model.ruleset_.as_numbers(table)
    columns: dict[str, Any] = {name: numbers[:, feature] for feature, name in enumerate(conditions.feature_names)}
    for feature, own in labels.items():
        # To a tree, too, a category that training has not seen is one that it does not know, not a missing value.
        values, known = numbers[:, feature], [*own, UNSEEN]
        codes = np.where(np.isnan(values), -1, np.where(values == UNKNOWN, len(own), values)).astype(np.int64)
        columns[conditions.feature_names[feature]] = pd.Categorical.from_codes(codes, pd.Index(known, dtype=object))
    return pd.DataFrame(columns)


def _sentences(values: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """What to conclude from the measures."""
    fidelity = values["rules"].get("fidelity")
    if fidelity is not None and fidelity < LOW_FIDELITY:
        yield (
            f"Low fidelity: the rules predict the class that the ensemble predicts for {fidelity:.0%} of the samples "
            f"only, so they do not stand for it. Try: {ADVICE}."
        )
    losses = {name: values[name]["log_loss"] for name in TREES if "log_loss" in values.get(name, {})}
    if not losses or "log_loss" not in values["rules"]:
        return
    best, own = min(losses, key=lambda name: losses[name]), values["rules"]["log_loss"]
    if losses[best] < own:
        yield (
            f"A single tree predicts better probabilities: the {best} with as many leaves has a log-loss of "
            f"{losses[best]:.3f}, the rules {own:.3f}."
        )
    else:
        yield (
            f"The rules predict probabilities at least as well as a single tree: their log-loss is {own:.3f}, that of "
            f"the better one of the trees with as many leaves {losses[best]:.3f}."
        )


def _shown(value: float | None, measure: Measure) -> str:
    return "-" if value is None or np.isnan(value) else f"{value:.{measure.decimals}f}"
