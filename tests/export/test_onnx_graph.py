"""The graph, run by onnxruntime."""

import json
import sys
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from export.worlds import HOSTILE, assert_same, codes, rulesets, samples
from ruleset.handmade import BOTH, NONE, handmade

from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import MissingExtraError
from rulekit.core.validation import Categories
from rulekit.export import to_onnx
from rulekit.inference.aggregate import Aggregate
from rulekit.ruleset import RuleSet


def run(ruleset: RuleSet, X: np.ndarray) -> tuple[list[Any], np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(to_onnx(ruleset).SerializeToString(), options)
    labels, probabilities = session.run(["label", "probabilities"], {"X": X})
    return labels.tolist(), probabilities


def test_the_graph_gives_the_same_answers():
    for seed, ruleset in enumerate(rulesets(HOSTILE)):
        rows = samples(ruleset, seed)
        labels, probabilities = run(ruleset, codes(ruleset, rows))
        assert probabilities.dtype == np.float64
        assert_same(ruleset, rows, labels, probabilities)


@pytest.mark.parametrize("mode", [None, Aggregate()], ids=["decision-list", "aggregate"])
def test_no_samples_give_no_answers(mode):
    labels, probabilities = run(handmade(inference=mode), np.empty((0, 2)))
    assert labels == []
    assert probabilities.shape == (0, 2)


def test_many_rules_that_match_are_added_up_in_their_order():
    """A sum in another order differs in the last digits; of 300 rules, some sample would show it."""
    rng = np.random.default_rng(0)
    n_rules = 300
    keys = [ConditionKey(0, True, float(limit), None, False) for limit in rng.normal(size=n_rules)]
    by_rule = rng.dirichlet(np.ones(9), n_rules + 1)
    ruleset = RuleSet(
        conditions=Conditions.of_keys(keys, ("x",), np.float64, Categories(), frozenset()),
        antecedents=(*((row,) for row in range(n_rules)), ()),
        probabilities=by_rule,
        counts=np.ones((n_rules + 1, 9), dtype=np.int64),
        classes=np.arange(9),
        n_samples=9,
        inference=Aggregate(),
    )
    X = rng.normal(size=(200, 1))
    assert run(ruleset, X)[1].tobytes() == ruleset.predict_proba(X).tobytes()
    in_one_go = ruleset.matches(X).T.astype(float) @ by_rule[:-1]
    assert (in_one_go / in_one_go.sum(axis=1, keepdims=True) != ruleset.predict_proba(X)).any()


def test_uses_standard_operators_of_a_fixed_opset_and_doubles_only():
    model = to_onnx(handmade(inference=Aggregate()))
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 17)]
    assert model.graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.DOUBLE
    kinds = {constant.data_type for constant in model.graph.initializer}
    assert onnx.TensorProto.FLOAT not in kinds


def test_the_metadata_describe_features_and_codes():
    ruleset = next(each for each in rulesets(HOSTILE) if each.conditions.categories.by_feature)
    facts = {entry.key: json.loads(entry.value) for entry in to_onnx(ruleset).metadata_props}
    assert facts["feature_names"] == list(ruleset.feature_names)
    assert facts["classes"] == ruleset.classes.tolist()
    labels = ruleset.conditions.categories.by_feature
    assert facts["categories"] == {str(position): list(known) for position, known in labels.items()}


def test_unsigned_labels_beyond_the_signed_ones_stay():
    labels = np.array([1, 2**63 + 5], dtype=np.uint64)
    assert run(handmade(labels=labels), np.array([BOTH, NONE]))[0] == [2**63 + 5, 1]


def test_names_the_extra_where_the_library_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rulekit-rcprob\[onnx\]'"):
        to_onnx(handmade())
