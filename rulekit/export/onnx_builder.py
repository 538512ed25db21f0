"""Building an ONNX graph, one node after the other."""

from __future__ import annotations

import json
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit import __version__
from rulekit.core.errors import MissingExtraError
from rulekit.export.program import Program

if TYPE_CHECKING:
    import onnx

#: Old enough for the runtimes in use, new enough for every operator of the graphs.
OPSET, IR_VERSION = 17, 8
#: ONNX's codes for types of elements.
DOUBLE, BOOLEAN = 11, 9


class Graph:
    """Nodes and constants under generated names.

    Parameters
    ----------
    inputs : list of (str, int)
        Names of the inputs and the types of their elements.
    prefix : str
        Prefix of generated names: a graph inside another must not use the outer graph's names.
    """

    def __init__(self, inputs: list[tuple[str, int]], prefix: str = "") -> None:
        self.inputs = inputs
        self.prefix = prefix
        self._onnx = library()
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add an operator with one output, and return the output's name."""
        name = output or f"{self.prefix}{operator}_{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def nodes(self, operator: str, *inputs: str, n_outputs: int, **attributes: Any) -> list[str]:
        """Add an operator with several outputs, and return their names."""
        names = [f"{self.prefix}{operator}_{len(self._nodes)}_{position}" for position in range(n_outputs)]
        self._nodes.append(self._onnx.helper.make_node(operator, list(inputs), names, **attributes))
        return names

    def constant(self, values: np.ndarray[Any, Any]) -> str:
        """Add an array, and return its name."""
        name = f"{self.prefix}constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    def scan(self, body: Graph, state: str, *sequences: str) -> str:
        """Run a graph that ends in a matrix `next` over the sequences' first axis; return the last state's name."""
        # Older versions of onnxruntime, such as 1.20, cannot run a scan whose state has no shape.
        inner = body.finish("step", [("next", DOUBLE, ["n", "classes"])])
        return self.node("Scan", state, *sequences, body=inner, num_scan_inputs=len(sequences))

    def finish(
        self, name: str, outputs: list[tuple[str, int, list[Any] | None]], shape: list[Any] | None = None
    ) -> onnx.GraphProto:
        """The graph as an ONNX message; `shape` is the shape of its inputs, if it is known."""
        value = self._onnx.helper.make_tensor_value_info
        inputs = [value(each, kind, shape) for each, kind in self.inputs]
        return self._onnx.helper.make_graph(
            self._nodes, name, inputs, [value(*output) for output in outputs], self._constants
        )


def finished(graph: Graph, program: Program, label_type: np.dtype[Any]) -> onnx.ModelProto:
    """A checked model of a graph that ends in `label` and `probabilities`."""
    onnx = library()
    kind = onnx.TensorProto.STRING if label_type.kind == "O" else onnx.helper.np_dtype_to_tensor_dtype(label_type)
    outputs: list[tuple[str, int, list[Any] | None]] = [
        ("label", kind, ["n"]),
        ("probabilities", DOUBLE, ["n", len(program.classes)]),
    ]
    inner = graph.finish("rules", outputs, ["n", len(program.columns)])
    model = onnx.helper.make_model(
        inner,
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="rulekit",
        producer_version=__version__,
    )
    columns = program.columns
    categories = {column.position: column.labels for column in columns if column.labels is not None}
    facts = {
        "feature_names": [column.name for column in columns],
        "classes": program.classes,
        "categories": categories,
    }
    onnx.helper.set_model_props(model, {name: json.dumps(fact) for name, fact in facts.items()})
    onnx.checker.check_model(model, full_check=True)
    return model


def library() -> ModuleType:
    """The library onnx; if it is missing, the error names the extra to install."""
    try:
        import onnx
        import onnx.numpy_helper
    except ImportError as error:
        raise MissingExtraError(
            "ONNX models need the library onnx, which is not installed: pip install 'rulekit-rcprob[onnx]'."
        ) from error
    return onnx
