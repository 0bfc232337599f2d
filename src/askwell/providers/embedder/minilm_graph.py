"""all-MiniLM-L6-v2 as an ONNX graph, built by hand from its weights.

Six BERT layers (Devlin et al. 2018) of width 384 with 12 heads, mean pooling over the mask and a final L2 norm, as
sentence-transformers runs it. Building it here needs neither torch nor a network: only `onnx`, once.

Inputs: `ids` and `mask`, int64 of shape (batch, tokens). Outputs: `embedding`, float32 of shape (batch, 384), and
`state.6`, the tokens' states behind the last layer, float32 of shape (batch, tokens, 384).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAYERS = 6
WIDTH = 384
HEADS = 12
HEAD_WIDTH = WIDTH // HEADS
LAYER_NORM_EPSILON = 1e-12
# Added to the attention score of padding, so that softmax gives it nothing.
PADDING_SCORE = -1e9
OPSET = 20
IR_VERSION = 10
EMBEDDING = "embedding"
TOKEN_STATES = f"state.{LAYERS}"

Weights = Mapping[str, NDArray[np.float32]]


def build_graph(weights: Weights) -> Any:
    """The `onnx.ModelProto` for the weights, named as in the model's safetensors file."""
    builder = _Builder(weights)
    state = builder.embeddings()
    for layer in range(LAYERS):
        state = builder.layer(layer, state)
    builder.pool(state)
    return builder.finish()


class _Builder:
    """Collects nodes and constants; every method returns the name of the value it computes."""

    def __init__(self, weights: Weights) -> None:
        from onnx import TensorProto, helper, numpy_helper

        self._helper, self._numpy_helper, self._types = helper, numpy_helper, TensorProto
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def constant(self, name: str, value: Any) -> str:
        if name not in self._constants:
            self._constants[name] = self._numpy_helper.from_array(np.array(value, order="C"), name)
        return name

    def weight(self, name: str, *, transposed: bool = False) -> str:
        array = self._weights[name]
        return self.constant(name, array.T if transposed else array)

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._nodes.append(self._helper.make_node(operator, inputs, [output], **attributes))
        return output

    def linear(self, value: str, weight: str, output: str) -> str:
        product = self.node("MatMul", [value, self.weight(f"{weight}.weight", transposed=True)], f"{output}.product")
        return self.node("Add", [product, self.weight(f"{weight}.bias")], output)

    def layer_norm(self, value: str, weight: str, output: str) -> str:
        inputs = [value, self.weight(f"{weight}.weight"), self.weight(f"{weight}.bias")]
        return self.node("LayerNormalization", inputs, output, axis=-1, epsilon=LAYER_NORM_EPSILON)

    def embeddings(self) -> str:
        """Word, position and (always the first) segment embeddings, normalised; also prepares the padding scores."""
        words = self.node("Gather", [self.weight("embeddings.word_embeddings.weight"), "ids"], "words")
        segment = self.constant("segment", self._weights["embeddings.token_type_embeddings.weight"][0])
        words = self.node("Add", [words, segment], "words.segment")
        shape = self.node("Shape", ["ids"], "ids.shape")
        length = self.node("Gather", [shape, self.constant("one", np.array(1))], "length")
        positions = self.node("Range", [self.constant("zero", np.array(0)), length, "one"], "positions")
        places = self.node("Gather", [self.weight("embeddings.position_embeddings.weight"), positions], "places")
        total = self.node("Add", [words, places], "words.places")
        mask = self.node("Cast", ["mask"], "mask.float", to=self._types.FLOAT)
        padding = self.node("Sub", [self.constant("one.float", np.float32(1)), mask], "padding")
        scores = self.node(
            "Mul", [padding, self.constant("padding.score", np.float32(PADDING_SCORE))], "padding.scores"
        )
        self.node("Unsqueeze", [scores, self.constant("axes.heads", np.array([1, 2]))], "attention.bias")
        return self.layer_norm(total, "embeddings.LayerNorm", "state.0")

    def layer(self, index: int, state: str) -> str:
        """One transformer layer: attention and a feed-forward part, each with a residual and a norm."""
        prefix, at = f"encoder.layer.{index}", f"layer{index}"
        attended = self.node("Add", [self._attention(f"{prefix}.attention", at, state), state], f"{at}.attended")
        attended = self.layer_norm(attended, f"{prefix}.attention.output.LayerNorm", f"{at}.attended.norm")
        wide = self.linear(attended, f"{prefix}.intermediate.dense", f"{at}.wide")
        wide = self.node("Gelu", [wide], f"{at}.gelu")
        narrow = self.linear(wide, f"{prefix}.output.dense", f"{at}.narrow")
        total = self.node("Add", [narrow, attended], f"{at}.total")
        return self.layer_norm(total, f"{prefix}.output.LayerNorm", f"state.{index + 1}")

    def _attention(self, prefix: str, at: str, state: str) -> str:
        split = self.constant("shape.heads", np.array([0, 0, HEADS, HEAD_WIDTH]))
        heads = {}
        # Keys come out transposed, ready to be multiplied with queries.
        for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            flat = self.linear(state, f"{prefix}.self.{part}", f"{at}.{part}")
            parted = self.node("Reshape", [flat, split], f"{at}.{part}.parted")
            heads[part] = self.node("Transpose", [parted], f"{at}.{part}.heads", perm=order)
        scores = self.node("MatMul", [heads["query"], heads["key"]], f"{at}.scores")
        scale = self.constant("scale", np.float32(1 / sqrt(HEAD_WIDTH)))
        scores = self.node("Mul", [scores, scale], f"{at}.scores.scaled")
        scores = self.node("Add", [scores, "attention.bias"], f"{at}.scores.masked")
        shares = self.node("Softmax", [scores], f"{at}.shares", axis=-1)
        mixed = self.node("MatMul", [shares, heads["value"]], f"{at}.mixed")
        mixed = self.node("Transpose", [mixed], f"{at}.mixed.tokens", perm=[0, 2, 1, 3])
        joined = self.node("Reshape", [mixed, self.constant("shape.joined", np.array([0, 0, WIDTH]))], f"{at}.joined")
        return self.linear(joined, f"{prefix}.output.dense", f"{at}.projected")

    def pool(self, state: str) -> None:
        """The mean over real tokens, at length 1."""
        last, first = self.constant("axis.last", np.array([2])), self.constant("axis.tokens", np.array([1]))
        weights = self.node("Unsqueeze", ["mask.float", last], "mask.wide")
        total = self.node("ReduceSum", [self.node("Mul", [state, weights], "real"), first], "total", keepdims=0)
        count = self.node("ReduceSum", ["mask.float", first], "count", keepdims=1)
        mean = self.node("Div", [total, count], "mean")
        self.node("LpNormalization", [mean], EMBEDDING, axis=-1, p=2)

    def finish(self) -> Any:
        int64, float32 = self._types.INT64, self._types.FLOAT
        info = self._helper.make_tensor_value_info
        inputs = [info("ids", int64, ["batch", "tokens"]), info("mask", int64, ["batch", "tokens"])]
        outputs = [
            info(EMBEDDING, float32, ["batch", WIDTH]),
            info(TOKEN_STATES, float32, ["batch", "tokens", WIDTH]),
        ]
        graph = self._helper.make_graph(self._nodes, "minilm", inputs, outputs, list(self._constants.values()))
        return self._helper.make_model(
            graph, opset_imports=[self._helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
