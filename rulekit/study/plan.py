"""The plan of a study: groups, cells, and the key of each."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, train_test_split

from rulekit.builder import overridden, preset_parameters
from rulekit.classifier import needs_ensemble
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.study.code import Code
from rulekit.study.data import StudyDataset
from rulekit.study.definition import ENSEMBLE, Ensemble, Study, Variant
from rulekit.study.grids import of_the_loop
from rulekit.study.keys import choice_facts, key_of, seed_of
from rulekit.study.subsets import Fold, Subset


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
    calibration : float or None
        Fraction of the training part that is set aside for calibration.
    """

    dataset: str
    fingerprint: str
    splits: int
    repeat: int
    fold: int
    seed: int
    calibration: float | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What the split depends on: the number of repeats and the dataset's name do not matter."""
        known = {name: value for name, value in attrs.asdict(self).items() if name != "dataset"}
        return {name: value for name, value in known.items() if value is not None}

    @property
    def named_facts(self) -> dict[str, Any]:
        """The same by their names in messages."""
        others = {name: value for name, value in self.facts.items() if name != "fingerprint"}
        return {"data": self.fingerprint, "split": others}

    @property
    def seed_of_folds(self) -> int:
        """Of everything random in it but the outer folds, which have the study's."""
        return seed_of(key_of(self.facts))

    def outer(self, subset: Subset) -> Fold:
        """The parts: to fit on, to measure on, and to calibrate with if some samples are set aside for that."""
        every = RepeatedStratifiedKFold(n_splits=self.splits, n_repeats=self.repeat, random_state=self.seed)
        train, test = list(every.split(subset.X, subset.y))[(self.repeat - 1) * self.splits + self.fold - 1]
        if self.calibration is None:
            return Fold(subset.take(train), subset.take(test))
        options = {"test_size": self.calibration, "stratify": subset.y[train]}
        kept, set_aside = train_test_split(train, **options, random_state=self.seed_of_folds)
        return Fold(*map(subset.take, (np.sort(kept), test, np.sort(set_aside))))

    def inner(self, train: Subset, n_splits: int) -> list[Fold]:
        """Folds of the training part."""
        folds = StratifiedKFold(n_splits, shuffle=True, random_state=self.seed_of_folds)
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
        Measure by which they are chosen.
    code : mapping of str to str
        The ensemble's code and versions, from `rulekit.study.code`.
    key : str
        Hash of what the result depends on.
    seed : int
        Of everything random in it; code and versions do not change it.
    """

    split: Split
    ensemble: Ensemble
    inner: int
    score: str
    code: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    key: str = attrs.field(init=False)
    seed: int = attrs.field(init=False)

    @key.default
    def _hash(self) -> str:
        return key_of(self.facts)

    @seed.default
    def _seed(self) -> int:
        # Neither code nor versions: an upgrade must not change the random numbers.
        return seed_of(key_of({"split": self.split.facts, **self._asked, "code": None}))

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that the result depends on, by its name in messages."""
        return {**self.split.named_facts, "ensemble": self._asked, **self.code}

    @property
    def _asked(self) -> dict[str, Any]:
        """What the study asks for."""
        return {"ensemble": self.ensemble.ensemble, **choice_facts(self.ensemble, self.inner, self.score)}


@attrs.frozen
class Cell:
    """A variant on one split, from the group's ensemble; or the ensemble itself.

    Attributes
    ----------
    group : Group
    variant : Variant or None
        None for the ensemble itself.
    score : str
        Measure by which hyperparameters are chosen.
    code : mapping of str to str
        The variant's code and versions, from `rulekit.study.code`.
    key : str
        Hash of what the result depends on; where the variant brings its own ensemble, not on the group's.
    """

    group: Group
    variant: Variant | None
    score: str
    code: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    key: str = attrs.field(init=False)

    @key.default
    def _hash(self) -> str:
        return key_of(self.facts)

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that the result depends on, by its name in messages."""
        base = self.group.facts if self.uses_ensemble else self.group.split.named_facts
        return base if self.variant is None else {**base, "variant": self._asked(self.variant), **self.code}

    def _asked(self, variant: Variant) -> dict[str, Any]:
        calibration = {} if variant.calibration is None else {"calibration": variant.calibration}
        return {"method": variant.method, **choice_facts(variant, self.group.inner, self.score), **calibration}

    @property
    def work(self) -> str:
        """Hash of what its work starts from: cells that agree in it share at least a loop over the trees."""
        assert self.variant is not None, "the ensemble's own cell is no variant's"
        base = {"group": self.group.key} if self.uses_ensemble else {"split": self.group.split.facts}
        if not isinstance(plugins().registry.get("method", self.variant.method).factory, Preset):
            # Such a method may use its parameters in any way; only calibration comes after it.
            return key_of({**base, "variant": self._asked(attrs.evolve(self.variant, calibration=None))})
        parameters = overridden(preset_parameters(self.variant.method), self.variant.parameters)
        return key_of({**base, "loop": [of_the_loop(parameters), of_the_loop(self.variant.grid)]})

    @property
    def choice(self) -> str:
        """Hash of what its choice of hyperparameters depends on, which comes before any calibration."""
        assert self.variant is not None, "the ensemble's own cell is no variant's"
        return key_of(self._asked(attrs.evolve(self.variant, calibration=None)))

    @property
    def uses_ensemble(self) -> bool:
        """Whether it needs the group's ensemble."""
        return self.variant is None or not brings_ensemble(self.variant)

    @property
    def seed(self) -> int:
        """Seed of everything random in it; variants of a group share it."""
        return self.group.seed if self.uses_ensemble else self.group.split.seed_of_folds

    @property
    def labels(self) -> dict[str, Any]:
        """Names in tables."""
        split = self.group.split
        return {
            "dataset": split.dataset,
            "ensemble": self.group.ensemble.name,
            "variant": ENSEMBLE if self.variant is None else self.variant.name,
            "repeat": split.repeat,
            "fold": split.fold,
        }


def plan(study: Study, samples: Mapping[str, StudyDataset]) -> list[Cell]:
    """Every cell of a study, dataset by dataset; the ensemble itself comes before the variants.

    Parameters
    ----------
    study : Study
    samples : mapping of str to StudyDataset
        From `load_datasets`.
    """
    outer = study.outer
    splits = [
        Split(each.name, each.fingerprint, outer.splits, repeat, fold, study.seed, outer.calibration)
        for each in samples.values()
        for repeat in range(1, outer.repeats + 1)
        for fold in range(1, outer.splits + 1)
    ]
    return list(_cells(study, splits))


def _cells(study: Study, splits: list[Split]) -> Iterator[Cell]:
    code, selection = Code(), study.selection
    common = code.of_every_cell()
    of_variants = {variant.name: {**common, **code.of_variant(variant)} for variant in study.variants}
    of_ensembles = {ensemble.name: {**common, **code.of_ensemble(ensemble)} for ensemble in study.ensembles}
    code.warn()
    for split in splits:
        for ensemble in study.ensembles:
            group = Group(split, ensemble, study.inner.splits, selection.ensemble, of_ensembles[ensemble.name])
            yield Cell(group, None, selection.variant)
            for variant in study.variants:
                yield Cell(group, variant, selection.variant, of_variants[variant.name])


def brings_ensemble(variant: Variant) -> bool:
    """Whether a variant names its own ensemble, or its method does, so the study's are not used."""
    if "ensemble" in {**variant.parameters, **variant.grid}:
        return True
    factory = plugins().registry.get("method", variant.method).factory
    while isinstance(factory, Preset):
        if "ensemble" in factory.parameters:
            return True
        if factory.base is None:
            return False
        factory = plugins().registry.get("method", factory.base).factory
    return not needs_ensemble(factory)
