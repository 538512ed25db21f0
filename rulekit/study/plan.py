"""What a study has to do: groups, cells, and the key of each."""

import hashlib
import inspect
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from rulekit.components import KIND_OF_PARAMETER
from rulekit.core.arrays import LabelArray
from rulekit.datasets import load
from rulekit.datasets.tables import is_table
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.study.definition import ENSEMBLE, Ensemble, Source, Study, Variant
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.search import Fold, Sample, configurations

#: Components that come with rulekit itself; the source of others is part of a key.
OWN_ORIGIN = "rulekit-rcprob "


@attrs.frozen(eq=False)
class Records:
    """A dataset as ensembles take it.

    Attributes
    ----------
    name : str
    sample : Sample
        Columns are numbers or categories.
    labels : ndarray of shape (n_classes,)
    fingerprint : str
    """

    name: str
    sample: Sample
    labels: LabelArray
    fingerprint: str


@attrs.frozen
class Split:
    """One training and test part of a dataset.

    Attributes
    ----------
    dataset, fingerprint : str
    splits : int
        Folds of a repeat.
    repeat, fold : int
        From 1.
    seed : int
        The study's.
    """

    dataset: str
    fingerprint: str
    splits: int
    repeat: int
    fold: int
    seed: int

    @property
    def facts(self) -> dict[str, Any]:
        """What the split depends on: the number of repeats and the dataset's name do not matter."""
        return {name: value for name, value in attrs.asdict(self).items() if name != "dataset"}

    def outer(self, sample: Sample) -> Fold:
        """The two parts."""
        every = RepeatedStratifiedKFold(n_splits=self.splits, n_repeats=self.repeat, random_state=self.seed)
        rows = list(every.split(sample.X, sample.y))[(self.repeat - 1) * self.splits + self.fold - 1]
        return Fold(*map(sample.take, rows))

    def inner(self, train: Sample, n_splits: int) -> list[Fold]:
        """Folds of the training part."""
        folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed_of(key_of(self.facts)))
        return [Fold(*map(train.take, rows)) for rows in folds.split(train.X, train.y)]


@attrs.frozen
class Group:
    """An ensemble on one split: its hyperparameters are chosen once, and serve all variants.

    Attributes
    ----------
    split : Split
    ensemble : Ensemble
    inner : int
        Folds that hyperparameters are chosen by.
    score : str
        That they are chosen by.
    key : str
        Hash of what the result depends on.
    """

    split: Split
    ensemble: Ensemble
    inner: int
    score: str
    key: str = attrs.field(init=False)

    @key.default
    def _hash(self) -> str:
        made = {"ensemble": self.ensemble.ensemble, "code": source_of("ensemble", self.ensemble.ensemble)}
        return key_of({"split": self.split.facts, **made, **_settings(self.ensemble, self.inner, self.score)})


@attrs.frozen
class Cell:
    """A variant on one split, from the group's ensemble; or the ensemble itself.

    Attributes
    ----------
    group : Group
    variant : Variant or None
        None for the ensemble itself.
    score : str
        That hyperparameters are chosen by.
    key : str
        Hash of what the result depends on; where the variant brings its own ensemble, not on the group's.
    """

    group: Group
    variant: Variant | None
    score: str
    key: str = attrs.field(init=False)

    @key.default
    def _hash(self) -> str:
        if self.variant is None:
            return key_of({"group": self.group.key})
        base = {"group": self.group.key} if self.uses_ensemble else {"split": self.group.split.facts}
        made = {"method": self.variant.method, "code": _sources(self.variant)}
        return key_of({**base, **made, **_settings(self.variant, self.group.inner, self.score)})

    @property
    def uses_ensemble(self) -> bool:
        """Whether it needs the group's ensemble."""
        return self.variant is None or not brings_ensemble(self.variant)

    @property
    def seed(self) -> int:
        """Of everything random in it; variants of a group share it."""
        return seed_of(self.group.key if self.uses_ensemble else key_of(self.group.split.facts))

    @property
    def labels(self) -> dict[str, Any]:
        """What tables call it."""
        split = self.group.split
        return {
            "dataset": split.dataset,
            "ensemble": self.group.ensemble.name,
            "variant": ENSEMBLE if self.variant is None else self.variant.name,
            "repeat": split.repeat,
            "fold": split.fold,
        }


def plan(study: Study, records: Mapping[str, Records]) -> list[Cell]:
    """Every cell of a study, dataset by dataset; the ensemble itself comes before the variants.

    Parameters
    ----------
    study : Study
    records : mapping of str to Records
        From `load_records`.
    """
    selection, outer, inner = study.selection, study.outer, study.inner.splits
    splits = [
        Split(each.name, each.fingerprint, outer.splits, repeat, fold, study.seed)
        for each in records.values()
        for repeat in range(1, outer.repeats + 1)
        for fold in range(1, outer.splits + 1)
    ]
    groups = [Group(split, ensemble, inner, selection.ensemble) for split in splits for ensemble in study.ensembles]
    return [Cell(group, variant, selection.variant) for group in groups for variant in (None, *study.variants)]


def load_records(study: Study) -> dict[str, Records]:
    """The study's datasets by name; raise if one cannot be split as the study asks."""
    found: dict[str, Records] = {}
    for source in study.datasets:
        records = _records(source, study)
        if records.name in found:
            raise StudyDefinitionError(
                f"Two datasets are called {records.name!r}. Rename one: {{ spec = {source.spec!r}, name = ... }}."
            )
        _check_classes(records, study)
        found[records.name] = records
    return found


def brings_ensemble(variant: Variant) -> bool:
    """Whether a variant names its own ensemble, or its method does, so that the study's do not matter."""
    if "ensemble" in {**variant.parameters, **variant.grid}:
        return True
    factory = plugins().registry.get("method", variant.method).factory
    while isinstance(factory, Preset):
        if "ensemble" in factory.parameters:
            return True
        if factory.base is None:
            return False
        factory = plugins().registry.get("method", factory.base).factory
    return False


def key_of(facts: Any) -> str:
    """A hash that is the same on every machine and in every process."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=_described).encode()).hexdigest()[:32]


def seed_of(key: str) -> int:
    """A seed for NumPy from a key."""
    return int(key[:7], 16)


def source_of(kind: str, name: str) -> str | None:
    """The code of a component that does not come with rulekit: when it changes, so may results."""
    component = plugins().registry.get(kind, name)
    return None if component.origin.startswith(OWN_ORIGIN) else _source_text(component.factory)


def _records(source: Source, study: Study) -> Records:
    base = study.base or Path()
    spec = str(base / Path(source.spec).expanduser()) if is_table(source.spec) else source.spec
    folder = None if study.folder is None else base / Path(study.folder).expanduser()
    dataset = load(spec, folder, target=source.target)
    numbers = dict.fromkeys(dataset.X.select_dtypes(["number", "bool"]).columns, "float64")
    # Folds must agree on the codes of categories, so that these are made before anything is split.
    types = {name: numbers.get(name, "category") for name in dataset.X.columns}
    labels, y = np.unique(np.array(dataset.y.tolist()), return_inverse=True)
    return Records(source.name or dataset.name, Sample(dataset.X.astype(types), y), labels, dataset.fingerprint)


def _check_classes(records: Records, study: Study) -> None:
    """Raise if a class is so small that a training part might lack it."""
    for label, count in zip(records.labels.tolist(), np.bincount(records.sample.y).tolist(), strict=True):
        left = count
        for splits in (study.outer.splits, study.inner.splits):
            left -= math.ceil(left / splits)
        if left < 1:
            raise StudyDefinitionError(
                f"The dataset {records.name!r} has only {count} records of class {label!r}: with {study.outer.splits} "
                f"outer and {study.inner.splits} inner splits there may be none to train on. Remove the class."
            )
    if len(records.labels) < 2:
        raise StudyDefinitionError(f"The dataset {records.name!r} has only one class, {records.labels.tolist()[0]!r}.")


def _settings(owner: Ensemble | Variant, inner: int, score: str) -> dict[str, Any]:
    """What a choice of hyperparameters depends on; with nothing to choose from, neither folds nor score matter."""
    has_choice = len(configurations(owner.grid)) > 1
    searched = {"inner": inner, "score": score} if has_choice else {}
    # Of equally good configurations the first is chosen: a grid's order is part of it.
    return {"parameters": owner.parameters, "grid": list(owner.grid.items()), **searched}


def _sources(variant: Variant) -> dict[str, str]:
    """The code of the variant's own parts, as far as it does not come with rulekit."""
    sources = {"method": source_of("method", variant.method)}
    given = [*variant.parameters.items(), *((name, each) for name, values in variant.grid.items() for each in values)]
    for name, value in given:
        if name in KIND_OF_PARAMETER and isinstance(value, str):
            sources[f"{name}={value}"] = source_of(KIND_OF_PARAMETER[name], value)
    return {name: source for name, source in sources.items() if source is not None}


def _described(value: Any) -> Any:
    """A value that JSON does not know, in words that change when it does."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, BaseEstimator):
        parameters = value.get_params(deep=False)
        return {"class": type(value).__qualname__, "parameters": parameters, "code": _source_text(type(value))}
    return repr(value)


def _source_text(factory: Any) -> str:
    if isinstance(factory, Preset):
        return repr(factory)
    try:
        return inspect.getsource(factory)
    except (OSError, TypeError):  # typed into a console
        return repr(getattr(factory, "__qualname__", factory))
