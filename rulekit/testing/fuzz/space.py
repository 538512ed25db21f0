"""What configurations of a library are drawn from."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import attrs

from rulekit.core.interfaces import Adapter
from rulekit.testing.fuzz.choices import PICKLED
from rulekit.testing.fuzz.configuration import Configuration
from rulekit.testing.fuzz.drawing import LABEL_ARRAYS, LABELS, drawn_table, drawn_target, other_orders, questions
from rulekit.testing.fuzz.table import Table

#: Values to choose from, or a function of the randomness, the training table and the number of classes; None as its
#: result leaves the parameter out.
Choices = Sequence[Any] | Callable[[Random, Table, int], Any]


@attrs.frozen(eq=False)
class ModelChoices:
    """A class of models, and what its parameters are drawn from.

    Attributes
    ----------
    model : type
    always : mapping of str to choices
        Parameters that every model has, such as its size; the first choice is the simplest one, and functions depend on
        the table alone.
    sometimes : mapping of str to choices
        Parameters that some models have; without them, the library's defaults hold.
    fits : sequence of str
        Lines that fit `model` on `X` and `y`, the simplest first. `{codes}` stands for the positions of columns that
        hold codes of categories. An empty line leaves it to rulekit to fit a clone.
    thens : sequence of str
        Lines that change the fitted model, such as saving and loading it; the first one is empty.
    """

    model: type
    always: Mapping[str, Choices] = attrs.field(factory=dict)
    sometimes: Mapping[str, Choices] = attrs.field(factory=dict)
    fits: Sequence[str] = ("model.fit(X, y)", "")
    thens: Sequence[str] = ("", PICKLED)


def _with_choices(models: Sequence[ModelChoices | type]) -> tuple[ModelChoices, ...]:
    return tuple(model if isinstance(model, ModelChoices) else ModelChoices(model) for model in models)


@attrs.frozen(eq=False)
class Space:
    """What configurations of a library are drawn from.

    Attributes
    ----------
    models : sequence of ModelChoices or classes
        A class alone is fitted without parameters.
    tables : sequence of (str, sequence of str)
        Tables to choose from: "frame" or the type of an array, and the kinds of its columns. Kinds that the library
        does not support are only counted as such.
    labels : sequence of str
        Kinds of class labels.
    most_classes : int
    takes_indices : function of two strings
        Whether a model that is fitted by the first line and changed by the second takes class indices only.
    has_missing_categories : bool
        Whether the library supports missing values in columns of categories.
    missing : float or None
        A number that some configurations use for missing values; the adapter's parameter `missing` is then set to it.
    adapter : mapping of str to choices
        Parameters of the adapter, each of which some configurations set.
    imports : sequence of str
        Lines that import what `fits` and `thens` use.
    """

    models: Sequence[ModelChoices] = attrs.field(converter=_with_choices)
    tables: Sequence[tuple[str, Sequence[str]]] = (("frame", ("float64", "int64")), ("float64", ("float64",)))
    labels: Sequence[str] = tuple(LABELS)
    most_classes: int = 4
    takes_indices: Callable[[str, str], bool] = lambda fit, then: False
    has_missing_categories: bool = True
    missing: float | None = None
    adapter: Mapping[str, Choices] = attrs.field(factory=dict)
    imports: Sequence[str] = ()

    def for_adapter(self, adapter: Adapter) -> "Space":
        """The part of the space whose models an adapter accepts."""
        return attrs.evolve(self, models=[own for own in self.models if adapter.accepts(own.model())])

    def draw(self, seed: int, number: int) -> Configuration:
        """The configuration of a number; the same seed and number always give the same one."""
        rng = Random(f"{seed}-{number}")
        choices = rng.choice(self.models)
        container, kinds = rng.choice(self.tables)
        sentinel = self.missing if rng.random() < 0.2 else None
        X = drawn_table(rng, kinds, container, sentinel, self.has_missing_categories)
        fit = rng.choice(choices.fits)
        then = rng.choice(choices.thens) if fit else ""
        label_kind = "indices" if self.takes_indices(fit, then) else rng.choice(self.labels)
        labels = LABELS[label_kind]
        n_classes = min(rng.choice((2, 2, 3, self.most_classes)), self.most_classes, len(labels))
        y = drawn_target(rng, X, labels[:n_classes])
        parameters = {
            **{name: _chosen(own, rng, X, n_classes) for name, own in choices.always.items()},
            **_some(choices.sometimes, rng, X, n_classes),
            **({} if sentinel is None else {"missing": sentinel}),
        }
        adapter = _some(self.adapter, rng, X, n_classes) | ({} if sentinel is None else {"missing": sentinel})
        return Configuration(
            model=choices.model,
            parameters=_present(parameters),
            X=X,
            y=y,
            labels=rng.choice(LABEL_ARRAYS if isinstance(y[0], str) else LABEL_ARRAYS[:-1]),
            orders=other_orders(rng, X) if fit and rng.random() < 0.3 else (),
            fit=fit,
            then=then,
            asked=questions(rng, X),
            adapter=_present(adapter),
            imports=tuple(self.imports),
        )


def _some(choices: Mapping[str, Choices], rng: Random, X: Table, n_classes: int) -> dict[str, Any]:
    """About three of the parameters, chosen at random."""
    fraction = min(0.5, 3 / max(len(choices), 1))
    return {name: _chosen(own, rng, X, n_classes) for name, own in choices.items() if rng.random() < fraction}


def _chosen(choices: Choices, rng: Random, X: Table, n_classes: int) -> Any:
    return choices(rng, X, n_classes) if callable(choices) else rng.choice(choices)


def _present(parameters: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name, value in parameters.items() if value is not None)
