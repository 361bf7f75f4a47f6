"""A trained tagger without PyTorch: its layers in ONNX Runtime, all else in NumPy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_weights

from models.tagger.decoding import ChainDecoder, Floats, decode_notes
from models.tagger.encoders.onnx_graph import LayersShape, write_graph
from models.tagger.encoders.onnx_session import RUNTIME_ERRORS, make_session
from models.tagger.encoders.subword_models import END, SPECIAL_TOKENS, START
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.windows import Window, WindowConfig
from models.tagger.folder import FOLDER_FORMAT, VOCABULARY, WEIGHTS, read_rule_labels
from models.tagger.sequences.alignment import SegmentedText, segment_text
from models.tagger.sequences.chain_inference import ChainInference
from models.tagger.sequences.tags import TagScheme
from models.tagger.shipped_model import ONNX, ONNX_INT8
from models.tagger.thresholds import SpanThresholds, read_thresholds
from record.document import Document
from record.errors import Unsafe
from record.span import Span

_LAYERS = "encoder.body.encoder."
_EMBEDDINGS = "encoder.body.embeddings."

Weights = Mapping[str, NDArray[Any]]


class Unsupported(Exception):
    """A tagger of a kind that only PyTorch runs: not BERT below one linear chain."""


class OnnxTagger:
    """Finds spans with a trained network, one window at a time on the processor.

    With the runtime ONNX_INT8 the layers multiply in 8 bits, else all is in 32. Raises Unsupported
    where the network is of another kind.
    """

    def __init__(
        self,
        parts: "TaggerParts",
        runtime: str = ONNX,
        *,
        threads: int = 0,
        thresholds: SpanThresholds | None = None,
    ) -> None:
        self.runtime = runtime
        """What the encoder runs on."""
        self._parts = parts
        shape = parts.layers_shape()
        layers = {
            name.removeprefix(_LAYERS): weights.astype(np.float32)
            for name, weights in parts.weights.items()
            if name.startswith(_LAYERS)
        }
        try:
            graph = write_graph(layers, shape, eight_bits=runtime == ONNX_INT8)
            self._embeddings = _Embeddings(parts.weights, shape)
            self._encode = make_session(graph, threads)
        except (ValueError, KeyError) as error:
            raise Unsupported(str(error)) from None
        except RUNTIME_ERRORS as error:
            raise Unsupported(type(error).__name__) from None
        self._decoder = ChainDecoder(parts.chain(), thresholds or parts.thresholds)
        self._scores = parts.weights["scores.weight"].astype(np.float32).T
        self._bias = parts.weights["scores.bias"].astype(np.float32)

    @classmethod
    def load(
        cls,
        folder: Path,
        runtime: str = ONNX,
        *,
        threads: int = 0,
        thresholds: SpanThresholds | None = None,
    ) -> "OnnxTagger":
        """Read a folder that `cryptonym train` wrote. Raises ConfigError and Unsupported."""
        return cls(read_parts(folder), runtime, threads=threads, thresholds=thresholds)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that spans may have, in alphabetical order."""
        return self._parts.labels

    @property
    def rule_labels(self) -> Mapping[str, str]:
        """The label for a rule's, where the tagger's are a site's own."""
        return self._parts.rule_labels

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find spans; those of one document are in order of place. `score` is in [0, 1].

        Raises Unsafe if a score is not finite.
        """
        cuttings = [
            segment_text(document.text, self._parts.subwords, self._parts.cut)
            for document in documents
        ]
        scores = [self.score_words(cutting) for cutting in cuttings]
        return decode_notes(self._decoder, cuttings, scores)

    def score_words(self, cutting: SegmentedText) -> Floats:
        """Score the tags of the words of a text. (words, tags)

        Raises Unsafe if a score is not finite.
        """
        found = np.empty((len(cutting.words), len(self._bias)), np.float32)
        for window in cutting.windows:
            words = _mean_of_words(cutting.pieces, window, self._run(cutting, window))
            found[window.core : window.core_end] = words @ self._scores + self._bias
        if not np.isfinite(found).all():
            raise Unsafe("scores-not-finite")
        return found

    def _run(self, cutting: SegmentedText, window: Window) -> Floats:
        inside = cutting.pieces[window.first : window.end]
        ids = np.array([START, *(one for each in inside for one in each), END])
        hidden: Floats = self._encode(self._embeddings.of(ids)[None])[0]
        return hidden


@dataclass(frozen=True)
class TaggerParts:
    """What a folder of a tagger holds."""

    settings: Mapping[str, Any]
    weights: Weights = field(repr=False)
    subwords: SubwordTokenizer

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that spans may have."""
        return tuple(self.settings["design"]["labels"])

    @property
    def cut(self) -> WindowConfig:
        """How texts are cut into windows."""
        return WindowConfig(**self.settings["cut"])

    @property
    def thresholds(self) -> SpanThresholds | None:
        """Thresholds of its own, where none are given."""
        return read_thresholds(self.settings)

    @property
    def rule_labels(self) -> Mapping[str, str]:
        """The label for a rule's, where the tagger's are a site's own."""
        return read_rule_labels(self.settings)

    def layers_shape(self) -> LayersShape:
        """Return the shape of the encoder's layers. Raises Unsupported."""
        design, encoder = self.settings["design"], self.settings["encoder"]
        if design["head"] != "single" or design["convolution"]:
            raise Unsupported("its head is not one linear chain")
        if encoder.get("config", {}).get("model_type") != "bert":
            raise Unsupported("its encoder is not a BERT")
        return LayersShape.of(encoder["config"])

    def chain(self) -> ChainInference:
        """Return the chain over the tags of all labels."""
        learned = (
            self.weights[f"head.chain.{name}"].astype(np.float64)
            for name in ("transitions", "opening", "closing")
        )
        return ChainInference.of_learned(TagScheme(self.labels), *learned)


def read_parts(folder: Path) -> TaggerParts:
    """Read a tagger's folder. Raises ConfigError that names the file missing or corrupt."""
    settings = FOLDER_FORMAT.read(folder)
    try:
        FOLDER_FORMAT.read_verified(folder, settings, VOCABULARY)
        subwords = SubwordTokenizer.load(folder / VOCABULARY)
        weights = load_weights(FOLDER_FORMAT.read_verified(folder, settings, WEIGHTS))
        found = TaggerParts(settings, weights, subwords)
        _check(found)
    except (KeyError, TypeError, ValueError, SafetensorError):
        raise FOLDER_FORMAT.mismatch_error(folder) from None
    return found


def _check(parts: TaggerParts) -> None:
    """Raise KeyError, TypeError or ValueError where the parts do not belong together."""
    tags = len(TagScheme(parts.labels))
    is_single = parts.settings["design"]["head"] == "single"
    if is_single and parts.weights["scores.bias"].shape != (tags,):
        raise ValueError("labels differ")
    pieces = len(parts.subwords) - len(SPECIAL_TOKENS)
    if parts.settings["encoder"].get("pieces", pieces) != pieces:
        raise ValueError("vocabularies differ")
    _ = parts.cut, parts.thresholds, parts.rule_labels


class _Embeddings:
    """The embeddings below the layers: of pieces and places, summed and normalized."""

    def __init__(self, weights: Weights, shape: LayersShape) -> None:
        self._marks = weights[f"{_EMBEDDINGS}word_embeddings.weight"]
        # In 16 bits where they are stored so: rows are widened as they are looked up.
        self._pieces = weights["encoder.pieces.weight"]
        places, kinds, self._scale, self._shift = (
            weights[f"{_EMBEDDINGS}{name}"].astype(np.float32)
            for name in (
                *("position_embeddings.weight", "token_type_embeddings.weight"),
                *("LayerNorm.weight", "LayerNorm.bias"),
            )
        )
        self._places: Floats = places + kinds[0]
        self._epsilon = shape.epsilon

    def of(self, ids: NDArray[np.int64]) -> Floats:
        """Embed the pieces of a window. (pieces,) -> (pieces, width)"""
        marks = len(SPECIAL_TOKENS)
        rows: Floats = self._pieces[np.maximum(ids - marks, 0)].astype(np.float32)
        is_mark = ids < marks
        rows[is_mark] = self._marks[ids[is_mark]]
        rows += self._places[: len(ids)]
        rows -= rows.mean(-1, keepdims=True)
        rows /= np.sqrt((rows**2).mean(-1, keepdims=True) + self._epsilon)
        normalized: Floats = rows * self._scale + self._shift
        return normalized


def _mean_of_words(pieces: Sequence[tuple[int, ...]], window: Window, hidden: Floats) -> Floats:
    """Return the mean of the pieces of each word of a window's core. (words, width)"""
    sizes = np.array([len(ids) for ids in pieces[window.first : window.end]])
    starts = 1 + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    summed: Floats = np.add.reduceat(hidden[:-1], starts, axis=0)
    core = slice(window.core - window.first, window.core_end - window.first)
    return np.asarray(summed[core] / sizes[core, None], np.float32)
