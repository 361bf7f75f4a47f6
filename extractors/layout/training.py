"""Training of the line classifier on labelled pages, with PyTorch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from extractors.document.lines import Box, Line
from extractors.document.page import LineClass, Page
from extractors.layout.labelled_pages import LabelledPage
from extractors.layout.line_classifier import (
    CLASSES,
    EPSILON,
    HEAD,
    HEADS,
    KEEP,
    KERNELS,
    SHAPES,
    LineClassifier,
)
from extractors.layout.line_features import Doubles, Features, compute_features, drop_blank_lines
from record.errors import ConfigError

Document = Sequence[LabelledPage]

LEARNING_RATE = 3e-4
BATCH = 4
"""Documents per step."""

_WARM_UP = 0.1  # share of steps with a rising learning rate, which then falls to 0
_DROPOUT = 0.1
_NOT_LEARNED = ("mean", "scale")


class LineNetwork:
    """`LineClassifier.logits` in PyTorch, with gradients and optional dropout."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        self.weights = weights
        self.dropout = 0.0
        self.learned = [weights[name] for name in weights if name not in _NOT_LEARNED]
        for value in self.learned:
            value.requires_grad_()

    def logits(self, of: Features) -> Tensor:
        """Return the model's output before the softmax: (lines, classes)."""
        weights = self.weights
        hidden = self._apply_dropout(self._embed(of))  # (lines, SIZE)
        hidden = self._normalize(hidden + self._apply_dropout(self._attend(hidden, of)), "norm1")
        inner = functional.relu(hidden @ weights["inner"] + weights["inner_bias"])
        outer = self._apply_dropout(inner) @ weights["outer"] + weights["outer_bias"]
        hidden = self._normalize(hidden + outer, "norm2")
        return hidden @ weights["classes"] + weights["classes_bias"]

    def _embed(self, of: Features) -> Tensor:
        weights = self.weights
        edges = torch.from_numpy(of.edges)
        numbers = (torch.from_numpy(of.numbers) - weights["mean"]) * weights["scale"]
        numbers = numbers @ weights["numbers"]
        # `embedding` and `unfold` accumulate gradients in a fixed order: training is deterministic.
        vectors = functional.embedding(torch.from_numpy(of.words), weights["words"])
        channels = []
        for width in KERNELS:
            windows = vectors.unfold(1, width, 1).transpose(2, 3).flatten(2)  # (lines, n, k * WORD)
            values = windows @ weights[f"kernel{width}"].flatten(0, 1)
            channels.append(values.amax(1))
        convolved = functional.relu(torch.cat(channels, 1) + weights["kernel_bias"])
        hidden = convolved @ weights["text"] + weights["bias"] + numbers
        for side in range(4):
            hidden = hidden + functional.embedding(edges[:, side], weights["edges"][side])
        return self._normalize(hidden, "norm0")

    def _attend(self, hidden: Tensor, of: Features) -> Tensor:
        weights = self.weights
        mixed = (hidden @ weights["attention"] + weights["attention_bias"]).view(-1, 3, HEADS, HEAD)
        query, key, value = mixed.permute(1, 2, 0, 3)  # each (heads, lines, HEAD)
        window = torch.zeros(len(hidden), dtype=torch.long)
        for number, (start, end) in enumerate(of.windows):
            window[start:end] = number
        scores = query @ key.transpose(1, 2) / HEAD**0.5
        scores = scores.masked_fill(window[:, None] != window, float("-inf"))
        heads = scores.softmax(-1) @ value
        attended: Tensor = heads.transpose(0, 1).flatten(1) @ weights["heads"]
        return attended + weights["heads_bias"]

    def _normalize(self, hidden: Tensor, name: str) -> Tensor:
        gain, shift = self.weights[name]
        return functional.layer_norm(hidden, hidden.shape[1:], gain, shift, EPSILON)

    def _apply_dropout(self, hidden: Tensor) -> Tensor:
        return functional.dropout(hidden, self.dropout, training=True)


def make_network(model: LineClassifier) -> LineNetwork:
    """Return the weights of a classifier as a network that can be trained further."""
    return LineNetwork({name: torch.tensor(array) for name, array in model.weights.items()})


def train_line_classifier(
    documents: Sequence[Document],
    *,
    seed: int,
    steps: int = 1000,
    start: LineClassifier | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> LineClassifier:
    """Train on labelled documents, from scratch or from the weights of `start`.

    `progress` is called with the number of each step and its loss. Pages are shifted, scaled and
    thinned out at random each time a document is drawn. Sets torch's random state, and runs in
    one thread, since the network is too small for more. Raises ConfigError.
    """
    documents = [list(map(_drop_blank_lines, pages)) for pages in documents]
    documents = [pages for pages in documents if any(page.classes for page in pages)]
    if not documents:
        raise ConfigError("labelled pages", "no labelled lines", "label the lines of some pages")
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    model = make_network(start) if start else LineNetwork(_initialize_weights(documents))
    model.dropout = _DROPOUT
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for step, loss in enumerate(_run_steps(model, documents, random, steps)):
            if progress is not None:
                progress(step, loss)
    finally:
        torch.set_num_threads(threads)
    weights = {name: value.detach().numpy().copy() for name, value in model.weights.items()}
    return LineClassifier(weights, start.keep if start else KEEP)


def _run_steps(
    model: LineNetwork, documents: Sequence[Document], random: np.random.Generator, steps: int
) -> Iterator[float]:
    optimizer = torch.optim.AdamW(model.learned, LEARNING_RATE)
    for step, batch in zip(range(steps), _batches(documents, random), strict=False):
        for group in optimizer.param_groups:
            warm = max(1, round(_WARM_UP * steps))
            group["lr"] = LEARNING_RATE * min(
                (step + 1) / warm, (steps - step) / max(1, steps - warm)
            )
        described, classes = [], []
        for pages in batch:
            noisy = [page for page in _add_noise(pages, random) if page.classes]
            if noisy:
                of = compute_features([page.page for page in noisy])
                share = 1.0 if random.random() < _MASKED_DOCUMENTS else _MASKED_WORDS
                hidden = random.random(of.words.shape) < share
                described.append(replace(of, words=np.where(hidden, 0, of.words)))
                classes += [CLASSES.index(kind) for page in noisy for kind in page.classes]
        loss = functional.cross_entropy(
            model.logits(_concatenate(described)), torch.tensor(classes)
        )
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.learned, 1.0)
        optimizer.step()
        yield float(loss.detach())


def _drop_blank_lines(labelled: LabelledPage) -> LabelledPage:
    page = drop_blank_lines(labelled.page)
    if page is labelled.page:
        return labelled
    kinds = zip(labelled.page.lines, labelled.classes, strict=True)
    shown = set(map(id, page.lines))
    classes = tuple(kind for line, kind in kinds if id(line) in shown)
    return LabelledPage(labelled.document, page, classes)


def _initialize_weights(documents: Sequence[Document]) -> dict[str, Tensor]:
    weights = {}
    for name, shape in SHAPES.items():
        if name.startswith("norm"):
            weights[name] = torch.tensor([[1.0], [0.0]]).repeat(1, shape[1])
        elif len(shape) == 1:
            weights[name] = torch.zeros(shape)
        else:
            fan_in = {"edges": 50, "words": 10}.get(name, int(np.prod(shape[:-1])))
            weights[name] = torch.randn(shape) / fan_in**0.5
    sample = documents[:: max(1, len(documents) // 200)]
    numbers = np.concatenate(
        [compute_features([page.page for page in pages]).numbers for pages in sample]
    )
    weights["mean"] = torch.from_numpy(numbers.mean(0))
    weights["scale"] = torch.from_numpy(1 / np.maximum(numbers.std(0), 0.05))
    return weights


def _batches(
    documents: Sequence[Document], random: np.random.Generator
) -> Iterator[list[Document]]:
    drawn: list[int] = []
    while True:
        while len(drawn) < BATCH:
            drawn += random.permutation(len(documents)).tolist()
        batch, drawn = drawn[:BATCH], drawn[BATCH:]
        yield [documents[number] for number in batch]


def _concatenate(parts: Sequence[Features]) -> Features:
    lines = np.cumsum([0, *(len(part.edges) for part in parts)]).tolist()
    return Features(
        np.concatenate([part.edges for part in parts]),
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.words for part in parts]),
        tuple(
            (start + at, end + at)
            for part, at in zip(parts, lines, strict=False)
            for start, end in part.windows
        ),
    )


# Noise that imitates scanners, printers, other programs and unknown words. Page numbers and stamps
# may stand anywhere, and a mirrored page is a valid layout too.
_SHIFT = 0.06
_DROPPED_LINES = 0.05
_MASKED_WORDS = 0.15
_MASKED_DOCUMENTS = 0.15
_PLAIN_DOCUMENTS = 0.2
_MIRRORED_DOCUMENTS = 0.2
_SCATTERED_DOCUMENTS = 0.3
_PART_OF_DOCUMENT = 0.3
_OTHER_ORDER = 0.3


@dataclass(frozen=True)
class _Noise:
    """The noise for all pages of a document; `scattered` holds positions as shares of a page."""

    scale: Doubles
    shift: Doubles
    plain: bool
    mirrored: bool
    scattered: Mapping[LineClass, Doubles]
    ordered: str


def _add_noise(pages: Document, random: np.random.Generator) -> list[LabelledPage]:
    noise = _Noise(
        scale=random.uniform(1 - _SHIFT, 1 + _SHIFT, 2),
        shift=random.uniform(-_SHIFT, _SHIFT, 2),
        plain=random.random() < _PLAIN_DOCUMENTS,
        mirrored=random.random() < _MIRRORED_DOCUMENTS,
        scattered=_draw_scattering(random),
        ordered=random.choice(["rotated", "by place"]) if random.random() < _OTHER_ORDER else "",
    )
    # Documents of one page, and first and last pages, look different from the others.
    if len(pages) > 1 and random.random() < _PART_OF_DOCUMENT:
        first = int(random.integers(len(pages)))
        pages = pages[first : first + int(random.integers(1, 3))]
    return [_add_page_noise(page, noise, random) for page in pages]


def _draw_scattering(random: np.random.Generator) -> dict[LineClass, Doubles]:
    if random.random() >= _SCATTERED_DOCUMENTS:
        return {}
    return {
        LineClass.PAGE_NUMBER: np.array([random.random(), random.choice([0.03, 0.97])]),
        LineClass.STAMP: random.random(2),
    }


def _add_page_noise(
    labelled: LabelledPage, noise: _Noise, random: np.random.Generator
) -> LabelledPage:
    page = labelled.page
    if not page.lines:
        return labelled
    size = np.tile([page.width, page.height], 2)
    places = np.array([line.place for line in page.lines])
    for kind, target in noise.scattered.items():
        chosen = np.array([given is kind for given in labelled.classes])
        if chosen.any():
            middle = places[chosen].reshape(-1, 2).mean(0)
            places[chosen] += np.tile(target * size[:2] * 0.9 + size[:2] * 0.05 - middle, 2)
    places = places * np.tile(noise.scale, 2) + np.tile(noise.shift, 2) * size
    places += random.normal(0, 0.3, places.shape)
    if noise.mirrored:
        places[:, [0, 2]] = page.width - places[:, [2, 0]]
    numbers: list[int] = list(range(len(places)))
    if noise.ordered == "by place":
        order = sorted(numbers, key=lambda n: (round(float(places[n, 3])), float(places[n, 0])))
    elif noise.ordered == "rotated":
        first = int(random.integers(len(numbers)))
        order = numbers[first:] + numbers[:first]
    else:
        order = numbers
    kept = [n for n in order if random.random() >= _DROPPED_LINES]
    lines = tuple(_move_line(page.lines[n], places[n].tolist(), noise.plain) for n in kept)
    return LabelledPage(
        labelled.document,
        Page(page.number, page.width, page.height, lines),
        tuple(labelled.classes[n] for n in kept),
    )


def _move_line(line: Line, place: Sequence[float], plain: bool) -> Line:
    x0, y0, x1, y1 = place
    box: Box = (x0, y0, max(x0, x1), max(y0, y1))
    if plain:
        return line._replace(place=box, size=0.0, bold=False)
    return line._replace(place=box)
