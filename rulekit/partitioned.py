"""The training data of a fit whose samples come from a source instead of memory."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.utils.validation import validate_data

from rulekit.core.checks import check_part_size
from rulekit.core.columns import ColumnFacts
from rulekit.core.errors import (
    EnsembleMismatchError,
    InvalidParameterError,
    NotInMemoryError,
    SourceError,
    UnfittedEnsembleError,
    UnsupportedEnsembleError,
)
from rulekit.core.interfaces import Adapter, ProbabilityEstimator
from rulekit.core.parts import PartitionedData, PartitionedIndex, counting
from rulekit.core.parts.data import AbsentSamples
from rulekit.core.validation import labels_of_frame
from rulekit.model import (
    check_belongs,
    check_one_kind_of_split,
    find_adapter,
    is_fitted,
    known_names,
    read_forest,
    without_steps,
)
from rulekit.sources import on_dask
from rulekit.sources.local import LocalPartitions
from rulekit.sources.partitions import Partitions
from rulekit.sources.reading import Columns, Reading, split_target

#: Where partitions can be: in temporary files, or on the workers of a Dask cluster.
BACKENDS = ("local", "dask")
#: Memory for the bits of conditions of all parts of a process together: 768 MB.
MAX_CACHE_BYTES = 3 * 2**28


def check_counts_only(components: dict[str, Any], *, keep_index: bool, class_weight: Any = None) -> None:
    """Raise for components that need single samples, and for weights, before anything is read."""
    if class_weight is not None:
        raise InvalidParameterError(
            f"fit_from does not support class_weight={class_weight!r}: its parts count samples as one each. Use "
            "class_weight=None, or fit on a sample of the data that fits into memory."
        )
    if keep_index:
        raise InvalidParameterError("fit_from does not support keep_index=True: its index lives as long as the fit.")
    if components.get("refine") is not None:
        raise InvalidParameterError(
            f"fit_from does not support refine={components['refine']!r}: a refine stage looks at single samples, which "
            "are not in memory. Use the method 'rcprob' or 'rc+', or refine=None."
        )
    final = components["final_estimator"]
    if type(final).hold_back is not ProbabilityEstimator.hold_back:
        raise InvalidParameterError(
            f"fit_from does not support final_estimator={final!r}, which holds samples back. Use another one, such as "
            "'hybrid'."
        )


def partitions_of(
    source: Any,
    *,
    backend: str | None,
    part_size: int,
    scratch_folder: str | Path | None,
    client: Any,
    max_memory: int | None,
    n_jobs: int | None,
) -> Partitions:
    """Where the samples of a source are going to be indexed; see `RuleExtractor.fit_from`."""
    if backend not in (None, *BACKENDS):
        raise InvalidParameterError(f"backend must be None or one of {', '.join(BACKENDS)}, got {backend!r}.")
    check_part_size(part_size)
    if isinstance(source, Partitions):
        return source
    if backend == "dask" and not on_dask.is_dask(source):
        raise InvalidParameterError(
            f"backend='dask' takes a Dask DataFrame or a list of Delayed frames, got a {type(source).__name__}."
        )
    if backend == "local" and on_dask.is_dask(source):
        raise InvalidParameterError("A Dask collection is indexed by its own cluster: use backend='dask' or None.")
    # A quarter, as in memory: the rest is for the search.
    cache_bytes = MAX_CACHE_BYTES if max_memory is None else min(MAX_CACHE_BYTES, max_memory // 4)
    if on_dask.is_dask(source):
        return on_dask.DaskPartitions(on_dask.client_of(client), source, cache_bytes)
    folder = None if scratch_folder is None else Path(scratch_folder)
    return LocalPartitions(source, int(part_size), folder, cache_bytes, effective_n_jobs(n_jobs))


def reading_of(classifier: Any, adapter: Adapter | None, first: pd.DataFrame, target: Any) -> Reading:
    """Read the ensemble, and match it with the columns of the first frame of a source.

    The classifier gets `n_features_in_` and `feature_names_in_`.
    """
    transformer, model = without_steps(classifier.chosen_ensemble())
    if transformer is not None:
        raise UnsupportedEnsembleError(
            "Not supported by fit_from: a Pipeline, because its steps may depend on all samples together. Transform "
            "the source, and pass the ensemble at the pipeline's end."
        )
    adapter = find_adapter(model, adapter)
    if not is_fitted(model):
        raise UnfittedEnsembleError(
            f"fit_from needs a fitted ensemble, but this {type(model).__name__} is not. Train it first, for example on "
            "as many samples as fit into memory, or with the library's own training on files or clusters."
        )
    X, labels = split_target(first, target)
    validate_data(classifier, X, skip_check_array=True)
    names = getattr(classifier, "feature_names_in_", None)
    names = None if names is None else list(names)
    forest = read_forest(model, adapter, X, labels, was_fitted=True)
    check_belongs(forest, model, X.shape[1], names)
    check_one_kind_of_split(forest, model)
    feature_names = tuple(names or known_names(model) or [f"x{column}" for column in range(X.shape[1])])
    return Reading(model, adapter, forest, target, feature_names, Columns.of(first), labels_of_frame(X))


def read_partitions(
    classifier: Any, adapter: Adapter | None, partitions: Partitions, target: Any, load_engine: Callable[[], None]
) -> PartitionedData:
    """Index the samples where they are, in one pass.

    Parameters
    ----------
    classifier : RuleClassifier
    adapter : Adapter or None
    partitions : Partitions
    target : str
        The column with the labels.
    load_engine : callable
        Called before samples are indexed.
    """
    start = perf_counter()
    reading = reading_of(classifier, adapter, partitions.first_rows(), target)
    forest = reading.forest
    load_engine()
    # A library that treats unseen categories as missing values may always have some.
    missing = frozenset(forest.categories if forest.unknown_as_missing else ())
    conditions, leaves = reading.conditions(missing)
    facts = partitions.index_samples(reading, conditions)
    check_recognised(reading, facts)
    if facts.missing - missing:
        # Where missing values go is part of a condition: only now is known which features have some.
        conditions, leaves = reading.conditions(missing | facts.missing)
        partitions.change_conditions(conditions)
    class_counts = partitions.total(counting.class_counts)
    present = np.flatnonzero(class_counts)
    if len(present) < 2:
        raise SourceError(
            f"The column {target!r} has only one class, {forest.classes[present].tolist()[0]!r}; rules need samples of "
            "at least two classes."
        )
    condition_counts = partitions.total(counting.condition_counts)
    absent: Any = AbsentSamples()
    names = getattr(classifier, "feature_names_in_", None)
    return PartitionedData(
        forest=forest,
        X=absent,
        y=absent,
        leaves=tuple(leaves),
        index=PartitionedIndex(partitions, conditions, class_counts, condition_counts),
        ensemble=reading.model,
        n_features_in=classifier.n_features_in_,
        feature_names_in=None if names is None else list(names),
        seconds=perf_counter() - start,
        unseen=partial(_unseen, reading, int(class_counts.sum())),
        facts=facts,
    )


def _unseen(reading: Reading, n_samples: int) -> None:
    """None, if `fit` would not know either which samples a tree did not see in training; raise if it might."""
    adapter = reading.adapter
    looks_at_samples = type(adapter).unseen_in is not Adapter.unseen_in
    if looks_at_samples or adapter.unseen_samples(reading.model, n_samples) is not None:
        raise NotInMemoryError(
            f"The out-of-bag predictions of the {type(reading.model).__name__} are about single samples, which are not "
            "in memory. Use a final_estimator that does without them, such as Answered(honest='none') or 'hybrid'."
        )


def check_recognised(reading: Reading, facts: ColumnFacts) -> None:
    """Raise if no value of a categorical column is a category of the model, as if codes were passed instead."""
    strange = sorted(facts.unrecognised - facts.recognised)
    if strange:
        raise EnsembleMismatchError(
            f"No value of the column {reading.feature_names[strange[0]]!r} is a category of the "
            f"{type(reading.model).__name__}: it knows {list(reading.forest.categories[strange[0]])[:10]!r}. Pass the "
            "labels that it was trained on."
        )
