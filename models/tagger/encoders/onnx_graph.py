"""Export of an encoder's layers as an ONNX graph, in float32 or with int8 multiplications.

In 8 bits a row of activations (a piece) has a scale of its own: the marks at both ends of a window
are ten times as large as all else, and one scale for all would leave the others few values. Weights
have one for each column, and 7 bits: two products of 8 bits each overflow in processors without
VNNI, so that spans would hang on the processor (Intel, oneDNN guide, "Nuances of int8
computations"). Sums, norms, attention and GELU stay in 32 bits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

INPUT, OUTPUT = "embedded", "hidden"

Floats = NDArray[np.float32]

_ORT_DOMAIN = "com.microsoft"  # ONNX Runtime's own operators
_OPSET, _IR = 18, 9
_WEIGHT = 64
_CENTER = 128
# GELU gives at least -0.17: nearly all of its 8 bits are for what is above 0.
_LEAST_GELU, _CENTER_GELU = 0.17, 16
_PARTS = frozenset(
    f"{part}.{kind}"
    for part in (
        *(f"attention.self.{name}" for name in ("query", "key", "value")),
        *("attention.output.dense", "attention.output.LayerNorm"),
        *("intermediate.dense", "output.dense", "output.LayerNorm"),
    )
    for kind in ("weight", "bias")
)


@dataclass(frozen=True)
class LayersShape:
    """The shape of a stack of BERT layers, as in the configuration of a transformers model."""

    layers: int
    heads: int
    width: int
    epsilon: float
    activation: str = "gelu"
    is_decoder: bool = False

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "LayersShape":
        """Read the shape off a configuration. Raises KeyError where it is of another family."""
        return cls(
            config["num_hidden_layers"],
            config["num_attention_heads"],
            config["hidden_size"],
            config["layer_norm_eps"],
            config["hidden_act"],
            bool(config.get("is_decoder")),
        )


def write_graph(weights: Mapping[str, Floats], shape: LayersShape, *, eight_bits: bool) -> bytes:
    """Write the layers of a BERT or one of its relatives, without the embeddings below them.

    `weights` are named as in the encoder of a transformers model. The graph takes one window of
    any length, `INPUT` (1, pieces, width), and gives `OUTPUT` of the same shape. Raises ValueError
    where the layers are of another kind.
    """
    expected = {f"layer.{number}.{part}" for number in range(shape.layers) for part in _PARTS}
    if set(weights) != expected or shape.activation != "gelu" or shape.is_decoder:
        raise ValueError("not a BERT encoder with GELU")
    graph = _GraphBuilder(shape.heads, shape.epsilon, eight_bits)
    hidden = INPUT
    for number in range(shape.layers):
        start = f"layer.{number}."
        own = {name.removeprefix(start): each for name, each in weights.items()}
        hidden = graph.layer(start, hidden, {name: own[name] for name in _PARTS})
    graph.operator("Identity", [hidden], OUTPUT)
    return graph.serialized(shape.width)


class _GraphBuilder:
    """Collects nodes and constants; values are named after their operators."""

    def __init__(self, heads: int, epsilon: float, eight_bits: bool) -> None:
        self._heads, self._epsilon, self._eight_bits = heads, epsilon, eight_bits
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def constant(self, name: str, value: NDArray[Any] | np.generic) -> str:
        self._constants[name] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return name

    def operator(self, kind: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def layer(self, at: str, hidden: str, weights: dict[str, Floats]) -> str:
        """Add a layer: attention, then two multiplications, each with a sum and a norm behind."""
        three = [f"attention.self.{part}" for part in ("query", "key", "value")]
        joined = np.concatenate([weights[f"{part}.weight"] for part in three])
        bias = np.concatenate([weights[f"{part}.bias"] for part in three])
        asked = self._matmul(at + "asked", hidden, joined)
        split = [at + part for part in ("query", "key", "value")]
        self._nodes.append(
            helper.make_node("Split", [asked], split, axis=-1, num_outputs=len(split))
        )
        bias_of = self.constant(at + "asked.bias", bias)
        mixed = self.operator(
            "MultiHeadAttention", [*split, bias_of], at + "mixed",
            domain=_ORT_DOMAIN, num_heads=self._heads,
        )  # fmt: skip
        given = self._matmul(at + "given", mixed, weights["attention.output.dense.weight"])
        hidden = self._add_and_normalize(at, "attention.output", given, hidden, weights)
        wide = self._matmul(at + "wide", hidden, weights["intermediate.dense.weight"])
        wide_bias = self.constant(at + "wide.bias", weights["intermediate.dense.bias"])
        bent = self.operator("BiasGelu", [wide, wide_bias], at + "bent", domain=_ORT_DOMAIN)
        narrow = self._matmul(at + "narrow", bent, weights["output.dense.weight"], is_gelu=True)
        return self._add_and_normalize(at, "output", narrow, hidden, weights)

    def _add_and_normalize(
        self, at: str, part: str, given: str, hidden: str, weights: dict[str, Floats]
    ) -> str:
        names = ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")
        constants = [
            self.constant(f"{at}{part}.{name}", weights[f"{part}.{name}"]) for name in names
        ]
        return self.operator(
            "SkipLayerNormalization", [given, hidden, *constants], f"{at}{part}",
            domain=_ORT_DOMAIN, epsilon=self._epsilon,
        )  # fmt: skip

    def _matmul(self, name: str, rows: str, weight: Floats, *, is_gelu: bool = False) -> str:
        """Multiply rows by a weight matrix (out, in)."""
        columns = weight.T
        if not self._eight_bits:
            return self.operator("MatMul", [rows, self.constant(name + ".weight", columns)], name)
        scale = np.maximum(np.abs(columns).max(0) / _WEIGHT, 1e-12).astype(np.float32)
        whole = np.rint(columns / scale).astype(np.int8)
        in_bits, row_scale = self._quantize_rows(name, rows, is_gelu=is_gelu)
        center = _CENTER_GELU if is_gelu else _CENTER
        constants = [
            self.constant(name + ".weight", whole),
            self.constant("one", np.float32(1)),
            self.constant(name + ".scale", scale),
            self.constant(f"center.{center}", np.uint8(center)),
        ]
        product = self.operator(
            "MatMulIntegerToFloat",
            [in_bits, *constants],
            name + ".unscaled",
            domain=_ORT_DOMAIN,
        )
        return self.operator("Mul", [product, row_scale], name)

    def _quantize_rows(self, name: str, rows: str, *, is_gelu: bool) -> tuple[str, str]:
        """Return rows in int8, and the scale of each. (1, pieces, in), (1, pieces, 1)"""
        center = _CENTER_GELU if is_gelu else _CENTER
        bounds = [self._bound(name, "ReduceMax", rows, 1 / (255 - center))]
        if is_gelu:
            bounds.append(self.constant("least.gelu", np.float32(_LEAST_GELU / center)))
        else:
            bounds.append(self._bound(name, "ReduceMin", rows, -1 / (center - 1)))
            bounds.append(self.constant("least", np.float32(1e-8)))
        scale = self.operator("Max", bounds, name + ".rows")
        flat = self.operator(
            "Reshape", [scale, self.constant("flat", np.array([-1]))], name + ".rows.flat"
        )
        shape = self.operator("Shape", [flat], name + ".shape")
        value = numpy_helper.from_array(np.array([center], np.uint8))
        centers = self.operator("ConstantOfShape", [shape], name + ".centers", value=value)
        in_bits = self.operator("QuantizeLinear", [rows, flat, centers], name + ".bits", axis=1)
        return in_bits, scale

    def _bound(self, name: str, kind: str, rows: str, times: float) -> str:
        axis = self.constant("last", np.array([-1]))
        most = self.operator(kind, [rows, axis], f"{name}.{kind}", keepdims=1)
        factor = self.constant(f"times.{times:.9f}", np.float32(times))
        return self.operator("Mul", [most, factor], f"{name}.{kind}.scaled")

    def serialized(self, width: int) -> bytes:
        shape: list[str | int | None] = [1, "pieces", width]
        taken, given = (
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name in (INPUT, OUTPUT)
        )
        graph = helper.make_graph(
            self._nodes, "encoder", [taken], [given], list(self._constants.values())
        )
        versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_ORT_DOMAIN, 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=_IR)
        written: bytes = model.SerializeToString()
        return written
