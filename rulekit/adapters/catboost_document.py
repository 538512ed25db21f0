"""The JSON document in which CatBoost stores a model."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError


@attrs.frozen
class Column:
    """A column of the user's table.

    Attributes
    ----------
    position : int
        In the table; elsewhere CatBoost counts numeric and categorical columns separately.
    name : str
        Its position as a string if it has no name.
    missing_left : bool
        Whether missing values lie below all others.
    """

    position: int
    name: str
    missing_left: bool = True


@attrs.frozen(eq=False)
class CatBoostDocument:
    """A model as JSON, with names for the parts that an adapter needs.

    Attributes
    ----------
    content : mapping
        The parsed file.
    owner : str
        Name of the model's class, for messages.
    n_features : int
    """

    content: Mapping[str, Any]
    owner: str
    n_features: int

    @property
    def numeric_columns(self) -> dict[int, Column]:
        """Numeric columns, by the index that splits use."""
        features = self.content["features_info"].get("float_features") or ()
        # "AsIs", for features never missing in training, compares NaN as it is, and no NaN is above a border.
        return {
            feature["feature_index"]: attrs.evolve(
                _column(feature), missing_left=feature["nan_value_treatment"] != "AsTrue"
            )
            for feature in features
        }

    @property
    def categorical_columns(self) -> dict[int, Column]:
        """Categorical columns, by the index that splits use; missing and unseen values equal no category."""
        features = self.content["features_info"].get("categorical_features") or ()
        return {feature["feature_index"]: _column(feature) for feature in features}

    @property
    def categorical_names(self) -> dict[int, str]:
        """Names of the categorical columns, by position."""
        return {column.position: column.name for column in self.categorical_columns.values()}

    @property
    def loss(self) -> str:
        """Name of the loss without its parameters."""
        information = self.content["model_info"]
        if "params" in information:
            return str(information["params"]["loss_function"]["type"])
        return str(json.loads(information["loss_function"])["type"])

    @property
    def learning_rate(self) -> float:
        """Factor that leaf scores were multiplied by before they were stored; raise if it is unknown."""
        parameters = self.content["model_info"].get("params")
        if parameters is None:
            raise UnsupportedEnsembleError(
                f"The {self.owner} does not store the learning rate of its trees (sums of models do not), so the "
                "unshrunken leaf scores cannot be recovered. Use CatBoostAdapter(scores='shrunken')."
            )
        # CatBoost works with a float32 and writes only ten of its digits.
        return float(np.float32(parameters["boosting_options"]["learning_rate"]))

    @property
    def scale(self) -> float:
        """Factor of every leaf score."""
        return float(self.content["scale_and_bias"][0])

    @property
    def bias(self) -> FloatArray:
        """Constant added to the scores, of shape (n_values,)."""
        return np.array(self.content["scale_and_bias"][1], dtype=np.float64)

    @property
    def splits(self) -> Iterator[Mapping[str, Any]]:
        """Every split of every tree."""
        for tree in self.content.get("oblivious_trees") or ():
            yield from tree["splits"] or ()
        nodes = list(self.content.get("trees") or ())
        while nodes:
            node = nodes.pop()
            if "split" in node:
                yield node["split"]
                nodes += node["left"], node["right"]


def category_hash(split: Mapping[str, Any]) -> int:
    """The hash of a split's category as an unsigned 32-bit number: splits store it signed, lists of hashes do not."""
    return int(split["value"]) % 2**32


def _column(feature: Mapping[str, Any]) -> Column:
    position = int(feature["flat_feature_index"])
    return Column(position, feature["feature_id"] or str(position))


def read_document(model: Any) -> CatBoostDocument:
    """The model as JSON; raise if it is not fitted, or splits on anything but numbers and single categories."""
    owner = type(model).__name__
    if not model.is_fitted():
        raise UnfittedEnsembleError(f"The {owner} is not fitted. Fit it before extracting rules from it.")
    _check_no_text_features(model, owner)
    content = export(model)
    document = CatBoostDocument(content, owner, _n_features(content, model))
    _check_no_statistics(document)
    return document


def export(model: Any, **options: Any) -> Mapping[str, Any]:
    """What `save_model` writes as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        try:
            model.save_model(str(path), format="json", **options)
        except Exception as error:
            if "invalid float value" not in str(error):
                raise
            raise UnsupportedEnsembleError(
                f"The {type(model).__name__} splits at an infinite value, which CatBoost cannot write as JSON. Replace "
                "infinite values by large numbers or by NaN, and fit it again."
            ) from error
        content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _n_features(content: Mapping[str, Any], model: Any) -> int:
    """Number of columns: a model can drop columns that it does not use, and a loaded one does not know their number."""
    kinds = ("float_features", "categorical_features")
    features = [feature for kind in kinds for feature in content["features_info"].get(kind) or ()]
    last = max((feature["flat_feature_index"] for feature in features), default=-1)
    return max(last + 1, getattr(model, "n_features_in_", 0))


def _check_no_text_features(model: Any, owner: str) -> None:
    found = {"text": model.get_text_feature_indices(), "embedding": model.get_embedding_feature_indices()}
    for kind, positions in found.items():
        if positions:
            raise UnsupportedEnsembleError(
                f"The {owner} was fitted with {kind} features, columns {', '.join(map(str, positions))}, which the "
                "condition of a rule cannot express. Fit it on numeric and categorical features only."
            )


def _check_no_statistics(document: CatBoostDocument) -> None:
    """Raise for splits on target statistics, which depend on the order of the training samples."""
    if all(split["split_type"] != "OnlineCtr" for split in document.splits):
        return
    elements = [element for ctr in document.content["features_info"]["ctrs"] for element in ctr["elements"]]
    columns = document.categorical_columns
    names = {columns[element["cat_feature_index"]].name for element in elements if "cat_feature_index" in element}
    raise UnsupportedEnsembleError(
        f"The {document.owner} replaces the categories of {', '.join(map(repr, sorted(names)))} with target "
        "statistics, which the condition of a rule cannot express. Fit it with one_hot_max_size at least the number "
        "of categories of each such column, so that it splits on the categories themselves, or encode them as numbers."
    )
