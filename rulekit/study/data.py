"""A study's datasets, as input for ensembles."""

import math
from pathlib import Path

import attrs
import numpy as np

from rulekit.core.arrays import LabelArray
from rulekit.core.messages import short
from rulekit.datasets import load
from rulekit.datasets.content import is_table
from rulekit.study.calibrating import N_MAPS
from rulekit.study.definition import Source, Study
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.subsets import Subset


@attrs.frozen(eq=False)
class StudyDataset:
    """A dataset as input for ensembles.

    Attributes
    ----------
    name : str
    subset : Subset
        Columns are numbers or categories.
    labels : ndarray of shape (n_classes,)
    fingerprint : str
    """

    name: str
    subset: Subset
    labels: LabelArray
    fingerprint: str


def load_datasets(study: Study) -> dict[str, StudyDataset]:
    """The study's datasets by name; raise if one cannot be split as the study requires."""
    found: dict[str, StudyDataset] = {}
    for source in study.datasets:
        samples = _samples(source, study)
        if samples.name in found:
            raise StudyDefinitionError(
                f"Two datasets are called {samples.name!r}. Rename one: {{ spec = {source.spec!r}, name = ... }}."
            )
        _check_classes(samples, study)
        _check_splits(samples, study)
        found[samples.name] = samples
    return found


def _samples(source: Source, study: Study) -> StudyDataset:
    base = study.base or Path()
    spec = str(base / Path(source.spec).expanduser()) if is_table(source.spec) else source.spec
    folder = None if study.folder is None else base / Path(study.folder).expanduser()
    dataset = load(
        spec,
        folder,
        target=source.target,
        separator=source.separator,
        missing=source.missing or (),
        columns=source.columns,
    )
    numbers = dict.fromkeys(dataset.X.select_dtypes(["number", "bool"]).columns, "float64")
    # Folds must agree on the codes of categories: encode before splitting.
    types = {name: numbers.get(name, "category") for name in dataset.X.columns}
    labels, y = np.unique(np.array(dataset.y.tolist()), return_inverse=True)
    return StudyDataset(source.name or dataset.name, Subset(dataset.X.astype(types), y), labels, dataset.fingerprint)


def _check_classes(samples: StudyDataset, study: Study) -> None:
    """Raise if a class is so small that a part of the samples might lack it."""
    if len(samples.labels) < 2:
        raise StudyDefinitionError(
            f"The dataset {samples.name!r} has only one class, {samples.labels.tolist()[0]!r}; at least two are needed."
        )
    for label, count in zip(samples.labels.tolist(), np.bincount(samples.subset.y).tolist(), strict=True):
        what = f"The dataset {samples.name!r} has only {count} samples of class {label!r}"
        if study.outer.calibration is not None:
            kept = count - math.ceil(count / study.outer.splits)
            _check_set_aside(what, int(kept * study.outer.calibration), study)
        left = _left_to_train_on(count, study)
        if left - math.ceil(left / study.inner.splits) < 1:
            raise StudyDefinitionError(
                f"{what}: with {study.outer.splits} outer and {study.inner.splits} inner splits there may be none to "
                "train on. Remove the class or use fewer splits."
            )


def _check_splits(samples: StudyDataset, study: Study) -> None:
    """Raise if there are more splits than samples of any class, which stratified cross-validation does not support."""
    largest = int(np.bincount(samples.subset.y).max())
    parts = {"outer": (study.outer, largest), "inner": (study.inner, _left_to_train_on(largest, study))}
    for part, (validation, most) in parts.items():
        if validation.splits > most:
            raise StudyDefinitionError(
                f"The dataset {samples.name!r} has too few samples for {short(validation.splits)} splits: its classes "
                f"allow at most [{part}] splits = {most}."
            )


def _left_to_train_on(count: int, study: Study) -> int:
    """How many of a class's samples, at least, are in each training part without those for calibration."""
    left = count - math.ceil(count / study.outer.splits)
    return left if study.outer.calibration is None else left - math.ceil(left * study.outer.calibration)


def _check_set_aside(what: str, n_samples: int, study: Study) -> None:
    """Raise if there may be too few samples of a class to calibrate with."""
    n_needed = N_MAPS if any(variant.calibration is not None for variant in study.variants) else 1
    if n_samples < n_needed:
        raise StudyDefinitionError(
            f"{what}: with {study.outer.splits} outer splits and a fraction of {study.outer.calibration} for "
            f"calibration there may be only {n_samples} to calibrate with, but {n_needed} are needed. Set a "
            "larger fraction aside, or remove the class."
        )
