"""The training data of a fit whose samples come from a source instead of memory."""

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

import attrs
import numpy as np
import pandas as pd
from sklearn.utils.validation import validate_data

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.errors import InvalidParameterError, SourceError, UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter, ProbabilityEstimator
from rulekit.core.parts import LocalParts, PartitionedData, PartitionedIndex, Parts
from rulekit.core.parts.data import AbsentSamples
from rulekit.core.tree_rules import LeafRules
from rulekit.core.validation import (
    categorical_columns,
    check_categories,
    check_codes,
    check_no_dates,
    column_names,
    labels_of_frame,
    reading_numbers,
)
from rulekit.model import (
    allows_missing,
    as_numbers,
    check_belongs,
    check_encoded,
    check_one_kind_of_split,
    features_with_missing,
    find_adapter,
    is_fitted,
    known_names,
    read_forest,
    without_steps,
)
from rulekit.sources import on_dask
from rulekit.sources.frames import frames_of
from rulekit.sources.reading import MAX_CACHE_BYTES, Part, Reading, rechunked, split_target
from rulekit.sources.scratch import Scratch

#: Where parts can be: in temporary files, or on the workers of a Dask cluster.
BACKENDS = ("local", "dask")


@attrs.frozen(eq=False)
class NumbersOf:
    """Turns a frame of features into numbers, as `fit` does with a whole table.

    Attributes
    ----------
    classifier : RuleClassifier
        It knows the columns already.
    model : fitted model
    adapter : Adapter
    forest : Forest
    feature_names : sequence of str
    """

    classifier: Any
    model: Any
    adapter: Adapter
    forest: Forest
    feature_names: Sequence[str]

    def __call__(self, X: pd.DataFrame) -> FloatArray:
        """The samples as the forest's trees compare them, of shape (n_samples, n_features)."""
        check_no_dates(X)
        check_categories(labels_of_frame(X), column_names(X))
        numbers = None
        if not self.adapter.reads_categories:
            check_encoded(self.model, X, encoded=())
        if self.adapter.reads_categories and categorical_columns(X):
            validate_data(self.classifier, X, reset=False, skip_check_array=True)
        else:
            finite = "allow-nan" if allows_missing(self.model) else True
            with reading_numbers():
                numbers = np.asarray(
                    validate_data(self.classifier, X, reset=False, dtype=np.float64, ensure_all_finite=finite)
                )
        found = as_numbers(self.forest, X, self.model, numbers, checks_labels=False)
        check_codes(found, self.forest.code_features, self.feature_names)
        features_with_missing(found, self.forest, self.model)  # raises if the model does not support any
        return found


def reading_of(classifier: Any, adapter: Adapter | None, first: pd.DataFrame, target: Any) -> Reading:
    """Read the ensemble, and match it with the columns of the first frame of a source.

    The classifier gets `n_features_in_` and `feature_names_in_`.
    """
    transformer, model = without_steps(on_dask.local_model(classifier.chosen_ensemble()))
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
    numbers_of = NumbersOf(classifier, model, adapter, forest, feature_names)
    return Reading(numbers_of, target, forest, model, feature_names)


def check_counts_only(components: dict[str, Any], *, keep_index: bool) -> None:
    """Raise for components that need single samples, before anything is read."""
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


def read_parts(
    classifier: Any,
    adapter: Adapter | None,
    source: Any,
    target: Any,
    *,
    backend: str | None,
    part_size: int,
    scratch_folder: str | Path | None,
    client: Any,
) -> PartitionedData:
    """Index the samples of a source, in files or on a cluster; see `RuleExtractor.fit_from`."""
    if backend not in (None, *BACKENDS):
        raise InvalidParameterError(f"backend must be None or one of {', '.join(BACKENDS)}, got {backend!r}.")
    if isinstance(part_size, bool) or not isinstance(part_size, int | np.integer) or part_size < 1:
        raise InvalidParameterError(f"part_size must be a positive whole number, got {part_size!r}.")
    if backend == "dask" and not on_dask.is_dask(source):
        raise InvalidParameterError(
            f"backend='dask' takes a Dask DataFrame or a list of Delayed frames, got a {type(source).__name__}."
        )
    if backend == "dask" or (backend is None and on_dask.is_dask(source)):
        return read_on_dask(classifier, adapter, source, target, client)
    folder = None if scratch_folder is None else Path(scratch_folder)
    return read_locally(classifier, adapter, source, target, int(part_size), folder)


def read_locally(
    classifier: Any, adapter: Adapter | None, source: Any, target: Any, part_size: int, scratch_folder: Path | None
) -> PartitionedData:
    """Write the codes of all samples into temporary files, part by part."""
    start = perf_counter()
    frames = frames_of(source, part_size)
    first = next(frames)
    reading = reading_of(classifier, adapter, first, target)
    scratch = Scratch(scratch_folder)
    missing = unseen_as_missing(reading)
    conditions, leaves = reading.conditions(missing)
    n_classes = len(reading.forest.classes)
    samples = (reading.samples(frame) for frame in chain([first], frames))
    parts = [Part.of(X, y, conditions, n_classes, scratch.allocate) for X, y in rechunked(samples, part_size)]
    facts = reduce(ColumnFacts.joined, (part.facts for part in parts))
    if facts.missing - missing:
        # Where missing values go is part of a condition: only now is known which features have some.
        conditions, leaves = reading.conditions(missing | facts.missing)
        for position, part in enumerate(parts):
            parts[position] = part.on(conditions, scratch.allocate)
    indices = [part.index for part in parts]
    for index in indices:
        index.set_cache(MAX_CACHE_BYTES // len(indices))
    class_counts = sum((index.class_counts for index in indices[1:]), start=indices[0].class_counts)
    condition_counts = sum((index.condition_counts for index in indices[1:]), start=indices[0].condition_counts)
    return data_of(
        classifier, reading, LocalParts(indices), conditions, leaves, class_counts, condition_counts, facts, start
    )


def read_on_dask(classifier: Any, adapter: Adapter | None, source: Any, target: Any, client: Any) -> PartitionedData:
    """Make an index of each partition on the worker that has it."""
    start = perf_counter()
    client = on_dask.client_of(client)
    partitions = on_dask.partitions_of(source, client)
    first = client.submit(on_dask.first_rows, partitions[0], pure=False).result()
    reading = reading_of(classifier, adapter, first, target)
    missing = unseen_as_missing(reading)
    conditions, leaves = reading.conditions(missing)
    n_each = -(-len(partitions) // max(1, len(client.nthreads())))
    cache_bytes = MAX_CACHE_BYTES // n_each
    parts = on_dask.DaskParts(client, on_dask.make_parts(client, partitions, reading, conditions, cache_bytes))
    del partitions
    facts = on_dask.gathered_facts(parts)
    if facts.missing - missing:
        conditions, leaves = reading.conditions(missing | facts.missing)
        changed = on_dask.parts_on(client, parts.futures, conditions, cache_bytes)
        parts = on_dask.DaskParts(client, changed)
    counts = parts.total(on_dask.class_counts), parts.total(on_dask.condition_counts)
    return data_of(classifier, reading, parts, conditions, leaves, *counts, facts, start)


def data_of(
    classifier: Any,
    reading: Reading,
    parts: Parts,
    conditions: Conditions,
    leaves: Sequence[LeafRules],
    class_counts: IntArray,
    condition_counts: IntArray,
    facts: ColumnFacts,
    start: float,
) -> PartitionedData:
    """The training data of parts that have been read, wherever they are."""
    present = np.flatnonzero(class_counts)
    if len(present) < 2:
        labels = reading.forest.classes[present].tolist()
        raise SourceError(
            f"The column {reading.target!r} has only one class, {labels[0]!r}; rules need samples of at least two "
            "classes."
        )
    absent: Any = AbsentSamples()
    names = getattr(classifier, "feature_names_in_", None)
    return PartitionedData(
        forest=reading.forest,
        X=absent,
        y=absent,
        leaves=tuple(leaves),
        index=PartitionedIndex(parts, conditions, class_counts, condition_counts),
        ensemble=reading.model,
        n_features_in=classifier.n_features_in_,
        feature_names_in=None if names is None else list(names),
        seconds=perf_counter() - start,
        facts=facts,
    )


def unseen_as_missing(reading: Reading) -> frozenset[int]:
    """Features of a library that treats unseen categories as missing values: these may always have some."""
    return frozenset(reading.forest.categories if reading.forest.unknown_as_missing else ())
