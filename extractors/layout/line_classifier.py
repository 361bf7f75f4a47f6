"""The line classifier: a one-layer transformer over the lines of a page, run with NumPy.

Its architecture is that of the box classifier of EDS-PDF (Wajsburt et al. 2023): learned
embeddings of a line's edges, quantized to 64 positions, of size 72; a convolution over its words
with kernels 3, 4 and 5 and 64 channels each; one transformer layer with 4 heads of size 16.
`extractors.layout.training` trains it.
"""

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from extractors.document.page import BODY_CLASSES, LineClass, Page
from extractors.layout.line_features import (
    BUCKETS,
    NUMBERS,
    POSITIONS,
    WINDOW,
    Features,
    Floats,
    compute_features,
    drop_blank_lines,
)
from record.errors import ConfigError

CLASSES = tuple(LineClass)
"""The classes in the order of the model's outputs."""

SHIPPED = Path(__file__).with_name("weights") / "boxes.npz"

SIZE = 72
HEADS = 4
HEAD = 16
KERNELS = (3, 4, 5)
CHANNELS = 64
WORD = 64
INNER = 144

SHAPES: dict[str, tuple[int, ...]] = {
    "edges": (4, POSITIONS, SIZE),
    "mean": (NUMBERS,),
    "scale": (NUMBERS,),
    "numbers": (NUMBERS, SIZE),
    "words": (BUCKETS, WORD),
    **{f"kernel{width}": (width, WORD, CHANNELS) for width in KERNELS},
    "kernel_bias": (len(KERNELS) * CHANNELS,),
    "text": (len(KERNELS) * CHANNELS, SIZE),
    "bias": (SIZE,),
    "norm0": (2, SIZE),
    "attention": (SIZE, 3 * HEADS * HEAD),
    "attention_bias": (3 * HEADS * HEAD,),
    "heads": (HEADS * HEAD, SIZE),
    "heads_bias": (SIZE,),
    "norm1": (2, SIZE),
    "inner": (SIZE, INNER),
    "inner_bias": (INNER,),
    "outer": (INNER, SIZE),
    "outer_bias": (SIZE,),
    "norm2": (2, SIZE),
    "classes": (SIZE, len(CLASSES)),
    "classes_bias": (len(CLASSES),),
}
"""Name -> shape of each array in a file of weights; all are float32."""

KEEP = 0.7
"""The threshold with the best F1 on development letters, not on the held-out layouts."""

EPSILON = 1e-5
_UNCHECKED = "clip"  # indices are always in range, so NumPy need not check them
_LARGEST_EXPONENT = np.float32(
    60
)  # a window's exponentials up to here, and their sum, are 32-bit floats
_ONES = np.ones((WINDOW, 1), np.float32)
_BATCH = 2048  # lines at a time, to bound memory

_MEDICINE = np.array([kind in BODY_CLASSES for kind in CLASSES])


@dataclass(frozen=True)
class LineClassifier:
    """Classifies lines. A line is kept where the sum of its body and table probabilities is `keep`.

    A lower `keep` loses less clinical text, a higher one lets less of the letterhead through.
    """

    weights: Mapping[str, Floats] = field(repr=False)
    keep: float = KEEP

    def __post_init__(self) -> None:
        if not 0 < self.keep < 1:
            raise ConfigError("keep", "must be between 0 and 1", "give such a number")

    @classmethod
    def load(cls, path: Path | None = None, *, keep: float = KEEP) -> "LineClassifier":
        """Load weights from a file, by default those shipped. Raises ConfigError."""
        return cls(_read_weights(path or SHIPPED), keep)

    def save(self, path: Path) -> None:
        """Write the weights to a file that `load` reads."""
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **self.weights)

    def classify(self, pages: Sequence[Page]) -> list[list[LineClass]]:
        """Return the class of each line; `pages` are all those of one document.

        Blank lines get the class of the line before them.
        """
        written = [drop_blank_lines(page) for page in pages]
        logits = self.logits(compute_features(written))
        shares: Floats = np.exp(logits - logits.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        medicine = shares[:, _MEDICINE].sum(1) >= self.keep
        allowed = np.where(medicine[:, None] == _MEDICINE, shares, -1.0)
        kinds = iter([CLASSES[number] for number in allowed.argmax(1).tolist()])
        return [
            list(islice(kinds, len(page.lines))) if some is page else _fill_blank_lines(page, kinds)
            for page, some in zip(pages, written, strict=True)
        ]

    def logits(self, of: Features) -> Floats:
        """Return the model's output before the softmax: (lines, classes)."""
        parts = [self._classify_batch(of, windows) for windows in _batches(of.windows)]
        return np.concatenate([np.zeros((0, len(CLASSES)), np.float32), *parts])

    def _classify_batch(self, of: Features, windows: Sequence[tuple[int, int]]) -> Floats:
        weights = self.weights
        start, end = windows[0][0], windows[-1][1]
        hidden = self._embed(of, start, end)  # (lines, SIZE)
        mixed = self._attend(hidden, [(a - start, b - start) for a, b in windows])
        hidden += mixed
        hidden = _normalize(hidden, weights["norm1"])
        inner: Floats = hidden @ weights["inner"]
        inner += weights["inner_bias"]
        np.maximum(inner, 0, out=inner)
        hidden += inner @ weights["outer"]
        hidden += weights["outer_bias"]
        hidden = _normalize(hidden, weights["norm2"])
        logits: Floats = hidden @ weights["classes"] + weights["classes_bias"]
        return logits

    def _embed(self, of: Features, start: int, end: int) -> Floats:
        weights = self.weights
        edges = of.edges[start:end]
        # Convolve the words of each line and take the maximum per channel: (lines, 192)
        words = np.ascontiguousarray(of.words[start:end].T)  # (WORDS, lines)
        channels = []
        for table in self._word_tables:
            valid = len(words) - len(table) + 1
            values = table[0].take(
                words[:valid], axis=0, mode=_UNCHECKED
            )  # (valid, lines, CHANNELS)
            for offset in range(1, len(table)):
                moved = words[offset : offset + valid]
                values += table[offset].take(moved, axis=0, mode=_UNCHECKED)
            channels.append(values.max(0))
        text: Floats = np.concatenate(channels, axis=1)
        text += self.weights["kernel_bias"]
        hidden = np.maximum(text, 0, out=text) @ weights["text"]
        hidden += self._bias
        for side in range(4):
            hidden += weights["edges"][side].take(edges[:, side], axis=0, mode=_UNCHECKED)
        hidden += of.numbers[start:end] @ self._scaled_numbers
        return _normalize(hidden, weights["norm0"])

    @cached_property
    def _scaled_numbers(self) -> Floats:
        # The scaling of the numbers is folded into their projection.
        numbers: Floats = self.weights["scale"][:, None] * self.weights["numbers"]
        return numbers

    @cached_property
    def _bias(self) -> Floats:
        bias: Floats = self.weights["bias"] - self.weights["mean"] @ self._scaled_numbers
        return bias

    @cached_property
    def _projection(self) -> tuple[Floats, Floats]:
        # Queries are divided by the square root of their size, a power of two: exact.
        scale = np.ones(3 * HEADS * HEAD, np.float32)
        scale[: HEADS * HEAD] = 1 / HEAD**0.5
        return self.weights["attention"] * scale, self.weights["attention_bias"] * scale

    @cached_property
    def _word_tables(self) -> list[Floats]:
        # A convolution is linear in the words: the contribution of each word at each offset of a
        # kernel is computed once, and a line needs additions only. (width, BUCKETS, CHANNELS)
        return [np.matmul(self.weights["words"], self.weights[f"kernel{k}"]) for k in KERNELS]

    def _attend(self, hidden: Floats, windows: Sequence[tuple[int, int]]) -> Floats:
        matrix, bias = self._projection
        mixed = hidden @ matrix
        mixed += bias
        parts = mixed.reshape(-1, 3, HEADS, HEAD).transpose(1, 2, 0, 3)  # (3, heads, lines, HEAD)
        out = np.empty((len(hidden), HEADS * HEAD), np.float32)
        for start, end in windows:
            query, key, value = parts[:, :, start:end]
            scores = query @ key.transpose(0, 2, 1)
            if not -_LARGEST_EXPONENT < scores.min() <= scores.max() < _LARGEST_EXPONENT:
                scores -= np.maximum.reduce(scores, -1, keepdims=True)
            shares = np.exp(scores, out=scores)
            heads = shares @ value
            heads /= shares @ _ONES[: end - start]  # row sums; a product is faster than `sum`
            out[start:end] = heads.transpose(1, 0, 2).reshape(end - start, -1)
        attended: Floats = out @ self.weights["heads"] + self.weights["heads_bias"]
        return attended


def _fill_blank_lines(page: Page, kinds: Iterator[LineClass]) -> list[LineClass]:
    filled: list[LineClass] = []
    kind = LineClass.BODY
    for line in page.lines:
        if not line.text.isspace() and line.text:
            kind = next(kinds)
        filled.append(kind)
    return filled


def _batches(windows: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    batches: list[list[tuple[int, int]]] = []
    for window in windows:
        if not batches or window[1] - batches[-1][0][0] > _BATCH:
            batches.append([])
        batches[-1].append(window)
    return batches


def _normalize(hidden: Floats, weights: Floats) -> Floats:
    # In place. A product adds up rows faster than `sum`.
    hidden -= hidden @ _MEAN
    spread = (hidden * hidden) @ _MEAN
    hidden /= np.sqrt(spread + EPSILON)
    hidden *= weights[0]
    hidden += weights[1]
    return hidden


_MEAN = np.full((SIZE, 1), 1 / SIZE, np.float32)


def _read_weights(path: Path) -> dict[str, Floats]:
    remedy = "give a file that `cryptonym extract train` wrote"
    try:
        with path.open("rb") as opened, np.lib.npyio.NpzFile(opened, allow_pickle=False) as file:
            names = set(file.files)
            arrays = {name: file[name] for name in SHAPES} if names == set(SHAPES) else {}
    except OSError as error:
        raise ConfigError(path.name, f"cannot be read: {error.strerror}", remedy) from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        raise ConfigError(path.name, "not a file of weights", remedy) from None
    if not arrays:
        raise ConfigError(path.name, "does not hold the arrays of this model", remedy)
    for name, shape in SHAPES.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            problem = f"must be a float32 array of shape {shape} with finite values"
            raise ConfigError(f"{path.name}: {name}", problem, remedy)
    return arrays
