"""Rules as an ONNX graph of standard operators, in double precision from end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.export.onnx_builder import BOOLEAN, DOUBLE, Graph, finished
from rulekit.export.program import Clause, Comparison, Kind, Membership, Program, program_of
from rulekit.export.spelling import needs_unsigned, utf8
from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    import onnx

LABEL_TYPES: dict[Kind, type] = {"string": object, "boolean": np.bool_, "integer": np.int64, "number": np.float64}


def to_onnx(ruleset: RuleSet) -> onnx.ModelProto:
    """An ONNX model that predicts many samples at once.

    Parameters
    ----------
    ruleset : RuleSet
        With the inference mode `decision-list` or `aggregate`.

    Returns
    -------
    model : onnx.ModelProto
        Its input is `X`, doubles of shape (n_samples, n_features) with categories as codes and NaN for missing values;
        its outputs are `label` of shape (n_samples,) and `probabilities`, doubles of shape (n_samples, n_classes). The
        names of the features and the categories by code are in the model's metadata, as JSON.
    """
    program = program_of(ruleset).guarded()
    graph = Graph(inputs=[("X", DOUBLE)])
    fires = _fires(graph, program)
    fractions = _sum(graph, program, fires) if program.adds_up else _first(graph, program, fires)
    graph.node("Identity", fractions, output="probabilities")
    classes = map(utf8, program.classes) if program.class_kind == "string" else program.classes
    labels: np.ndarray[Any, Any] = np.array(list(classes), dtype=_label_type(program))
    graph.node("Gather", graph.constant(labels), graph.node("ArgMax", fractions, axis=1, keepdims=0), output="label")
    return finished(graph, program, labels.dtype)


def _label_type(program: Program) -> type:
    kind = program.class_kind
    return np.uint64 if kind == "integer" and needs_unsigned(program.classes, "ONNX") else LABEL_TYPES[kind]


def _fires(graph: Graph, program: Program) -> str:
    """Which clauses match, of shape (n_samples, n_clauses): those whose tests all pass; the default rule always."""
    tests = list(dict.fromkeys(test for clause in program.clauses for test in clause.tests))
    tests.sort(key=lambda test: isinstance(test, Membership))  # comparisons first
    if not tests:
        tests = [Comparison(program.columns[0], True, 0.0, False)]  # no clause uses it
    limits = [test for test in tests if isinstance(test, Comparison)]
    sets = [test for test in tests if isinstance(test, Membership)]
    inside = ([_below(graph, limits)] if limits else []) + ([_among(graph, sets)] if sets else [])
    is_inside = [test.is_upper for test in limits] + [test.is_inside for test in sets]
    held = graph.node("Equal", graph.node("Concat", *inside, axis=1), graph.constant(np.array([is_inside])))
    missing = graph.node("IsNaN", _columns(graph, tests))
    passes = graph.node("And", missing, graph.constant(np.array([[test.or_missing for test in tests]])))
    holds = graph.node("Or", passes, graph.node("And", held, graph.node("Not", missing)))
    at = {test: position for position, test in enumerate(tests)}
    asked = np.zeros((len(tests), len(program.clauses)))
    for position, clause in enumerate(program.clauses):
        asked[[at[test] for test in clause.tests], position] = 1.0
    counts = graph.node("MatMul", graph.node("Cast", holds, to=DOUBLE), graph.constant(asked))
    fires = graph.node("Equal", counts, graph.constant(asked.sum(axis=0, keepdims=True)))
    needs_value = np.array([[bool(clause.needs_value) for clause in program.clauses]])
    if not needs_value.any():
        return fires
    present = graph.node("Cast", graph.node("Not", missing), to=DOUBLE)
    n_present = graph.node("MatMul", present, graph.constant(asked))
    has_value = graph.node("Greater", n_present, graph.constant(np.where(needs_value, 0.0, -1.0)))
    return graph.node("And", fires, has_value)


def _below(graph: Graph, tests: Sequence[Comparison]) -> str:
    cutoffs = np.array([[test.cutoff for test in tests]])
    return graph.node("LessOrEqual", _columns(graph, tests), graph.constant(cutoffs))


def _among(graph: Graph, tests: Sequence[Membership]) -> str:
    """Whether values are in the sets, of shape (n_samples, n_tests): every code is compared, then counted per set."""
    members = [(position, code) for position, test in enumerate(tests) for code in test.codes]
    belongs = np.zeros((max(len(members), 1), len(tests)))
    belongs[range(len(members)), [position for position, _ in members]] = 1.0
    members = members or [(0, 0)]  # belongs to no set
    codes = graph.constant(np.array([[float(code) for _, code in members]]))
    equal = graph.node("Equal", _columns(graph, [tests[position] for position, _ in members]), codes)
    counts = graph.node("MatMul", graph.node("Cast", equal, to=DOUBLE), graph.constant(belongs))
    return graph.node("Greater", counts, graph.constant(np.zeros((1, 1))))


def _columns(graph: Graph, tests: Sequence[Comparison | Membership]) -> str:
    positions = graph.constant(np.array([test.column.position for test in tests], dtype=np.int64))
    return graph.node("Gather", "X", positions, axis=1)


def _first(graph: Graph, program: Program, fires: str) -> str:
    """The probabilities of the first clause that matches."""
    first = graph.node("ArgMax", graph.node("Cast", fires, to=DOUBLE), axis=1, keepdims=0)
    return graph.node("Gather", graph.constant(_probabilities(program.clauses)), first)


def _sum(graph: Graph, program: Program, fires: str) -> str:
    """The probabilities of all rules that match, added up in their order and normalised."""
    rows = graph.node("Shape", "X", start=0, end=1)
    n_classes = graph.constant(np.array([len(program.classes)]))
    empty = graph.node("Expand", graph.constant(np.zeros((1, 1))), graph.node("Concat", rows, n_classes, axis=0))
    default = graph.constant(_probabilities([program.default]))
    if program.rules:
        by_rule = graph.node("Transpose", _without_default(graph, program, fires), perm=[1, 0])
        column = graph.node("Unsqueeze", by_rule, graph.constant(np.array([2])))
        probabilities = graph.constant(_probabilities(program.rules)[:, None, :])
        # ReduceSum and MatMul may add in any order; a scan adds rule after rule.
        total = graph.scan(_add_if_fires(), empty, column, probabilities)
        first = graph.node("ArgMax", graph.node("Cast", fires, to=DOUBLE), axis=1, keepdims=1)
        is_default = graph.node("Equal", first, graph.constant(np.array([[len(program.rules)]])))
        total = graph.node("Where", is_default, default, total)
    else:
        total = graph.node("Add", empty, default)
    fractions = graph.nodes("Split", total, n_outputs=len(program.classes), axis=1)
    whole = fractions[0]
    for fraction in fractions[1:]:
        whole = graph.node("Add", whole, fraction)
    return graph.node("Div", total, whole)


def _without_default(graph: Graph, program: Program, fires: str) -> str:
    start, end, axis = (graph.constant(np.array([position])) for position in (0, len(program.rules), 1))
    return graph.node("Slice", fires, start, end, axis)


def _add_if_fires() -> Graph:
    """The next sum, from a sum, the samples that the next rule matches, and its probabilities."""
    body = Graph(inputs=[("total", DOUBLE), ("fires", BOOLEAN), ("probabilities", DOUBLE)], prefix="step_")
    added = body.node("Where", "fires", "probabilities", body.constant(np.zeros((1, 1))))
    body.node("Add", "total", added, output="next")
    return body


def _probabilities(clauses: Sequence[Clause]) -> np.ndarray[Any, Any]:
    return np.array([clause.probabilities for clause in clauses], dtype=np.float64)
