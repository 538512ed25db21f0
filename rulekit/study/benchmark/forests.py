"""Whether the benchmark's ensembles are the committed ones: hashes of their trees, which depend on the libraries."""

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import sklearn

from rulekit.core.forest import Forest
from rulekit.model import find_adapter
from rulekit.study.data import load_datasets
from rulekit.study.definition import Study
from rulekit.study.errors import StudyError
from rulekit.study.group_work import fit_group
from rulekit.study.plan import Group, plan
from rulekit.study.result import Failure

COMMITTED: Final = Path(__file__).with_name("forests.json")
_ARRAYS: Final = ("features", "thresholds", "left", "right", "values", "priors")


def forest_hash(forest: Forest) -> str:
    """A hash of every number of every tree."""
    digest = hashlib.sha256()
    for trees in forest.rounds:
        for tree in trees:
            for name in _ARRAYS:
                array = np.ascontiguousarray(getattr(tree, name))
                digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()[:16]


def forests_of(study: Study) -> dict[str, Any]:
    """Hashes of a study's datasets and of their ensembles, trained as the study trains them for the first fold.

    Returns
    -------
    document : dict
        `versions` of what trained them, and `forests`: for each dataset a hash of its `data` and of each ensemble.
    """
    samples = load_datasets(study)
    found: dict[str, dict[str, str]] = {name: {"data": each.fingerprint} for name, each in samples.items()}
    for group in _first_groups(study):
        of_dataset = samples[group.split.dataset]
        fitted = fit_group(of_dataset, group, None, needs_inner=False)
        if isinstance(fitted, Failure):
            raise StudyError(f"{group.ensemble.name} on {of_dataset.name}: {fitted.error}")
        forest = find_adapter(fitted.outer).forest(fitted.outer)
        found[of_dataset.name][group.ensemble.name] = forest_hash(forest)
    return {"versions": versions(), "forests": found}


def versions() -> dict[str, str]:
    """What the trees may depend on beside the data."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "machine": platform.machine(),
    }


def committed_forests() -> dict[str, Any]:
    """The document of the ensembles behind the table of the documentation."""
    document: dict[str, Any] = json.loads(COMMITTED.read_text(encoding="utf-8"))
    return document


def differences(found: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
    """Sentences on what differs between two documents of `forests_of`, empty if the trees are the same."""
    other_data, other_trees, unknown = [], [], []
    for dataset, hashes in found["forests"].items():
        known = expected["forests"].get(dataset)
        if known is None:
            unknown.append(dataset)
        elif known["data"] != hashes["data"]:
            other_data.append(dataset)
        else:
            other_trees += [f"{name} on {dataset}" for name in hashes if hashes[name] != known.get(name)]
    sentences = []
    if unknown:
        sentences.append(f"Not in the committed benchmark: {', '.join(unknown)}.")
    if other_data:
        sentences.append(f"Other data than in the committed benchmark: {', '.join(other_data)}.")
    if other_trees:
        pairs = zip(expected["versions"].items(), found["versions"].values(), strict=True)
        changed = [f"{name} {now} instead of {before}" for (name, before), now in pairs if before != now]
        why = f" ({', '.join(changed)})" if changed else ""
        sentences.append(f"Other trees than in the committed benchmark{why}: {', '.join(other_trees)}.")
    return sentences


def _first_groups(study: Study) -> Iterator[Group]:
    """Each dataset with each ensemble, on the first fold."""
    for cell in plan(study, load_datasets(study)):
        if cell.variant is None and (cell.group.split.repeat, cell.group.split.fold) == (1, 1):
            yield cell.group
