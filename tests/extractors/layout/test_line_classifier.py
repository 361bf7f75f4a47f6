import io
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.document.lines import Line
from extractors.document.page import BODY_CLASSES, LineClass, Page
from extractors.layout.line_classifier import CLASSES, KERNELS, SHAPES, SHIPPED, LineClassifier
from extractors.layout.line_features import Features, compute_features
from record.errors import ConfigError

VOCABULARY = "Dr Hospital Tel: 01.23 patient pain knee the of 12/03/2024 Page".split()


def some_weights(seed: int = 1) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {name: random.normal(0, 0.3, shape).astype(np.float32) for name, shape in SHAPES.items()}


def some_pages(seed: int, *counts: int) -> list[Page]:
    random = np.random.default_rng(seed)

    def line() -> Line:
        x, y, width = random.uniform(0, 500, 3)
        place = (x, y, x + width, y + 12)
        text = " ".join(random.choice(VOCABULARY, random.integers(1, 12)))
        return Line(text, int(random.integers(5)), place, place=place, size=10.0)

    return [Page(n, 595, 842, tuple(line() for _ in range(k))) for n, k in enumerate(counts)]


def by_definition(weights: dict[str, np.ndarray], of: Features) -> np.ndarray:
    """The model written down line by line, head by head, word by word; for one window."""

    def norm(row: np.ndarray, name: str) -> np.ndarray:
        return (row - row.mean()) / np.sqrt(row.var() + 1e-5) * w[name][0] + w[name][1]

    w = {name: array.astype(np.float64) for name, array in weights.items()}
    hidden = []
    for edges, numbers, words in zip(of.edges, of.numbers, of.words, strict=True):
        channels = []
        for width in KERNELS:
            places = range(len(words) - width + 1)
            sums = [
                sum(w["words"][words[p + j]] @ w[f"kernel{width}"][j] for j in range(width))
                for p in places
            ]
            channels.append(np.max(sums, axis=0))
        text = np.maximum(np.concatenate(channels) + w["kernel_bias"], 0) @ w["text"]
        row = text + w["bias"] + (numbers - w["mean"]) * w["scale"] @ w["numbers"]
        hidden.append(norm(row + sum(w["edges"][side][edges[side]] for side in range(4)), "norm0"))
    heads = np.zeros((len(hidden), 64))
    for head in range(4):
        q, k, v = (
            np.array(hidden) @ w["attention"][:, part * 64 + head * 16 :][:, :16]
            + w["attention_bias"][part * 64 + head * 16 :][:16]
            for part in range(3)
        )
        for at in range(len(hidden)):
            shares = np.exp(q[at] @ k.T / 4)
            heads[at, head * 16 : head * 16 + 16] = shares @ v / shares.sum()
    out = []
    for embedded, mixed in zip(hidden, heads, strict=True):
        row = norm(embedded + mixed @ w["heads"] + w["heads_bias"], "norm1")
        inner = np.maximum(row @ w["inner"] + w["inner_bias"], 0)
        last = norm(row + inner @ w["outer"] + w["outer_bias"], "norm2")
        out.append(last @ w["classes"] + w["classes_bias"])
    return np.array(out)


@pytest.mark.parametrize("seed", range(3))
def test_logits_follow_the_definition(seed: int) -> None:
    weights, described = some_weights(seed), compute_features(some_pages(seed, 12))
    assert np.allclose(
        LineClassifier(weights).logits(described), by_definition(weights, described), atol=1e-4
    )


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(0, 30), max_size=5), st.integers(0, 99))
def test_every_line_gets_one_class(counts: list[int], seed: int) -> None:
    pages = some_pages(seed, *counts)
    kinds = LineClassifier(some_weights()).classify(pages)
    assert [len(row) for row in kinds] == counts


def test_lines_that_show_nothing_change_nothing() -> None:
    model, (page,) = LineClassifier(some_weights()), some_pages(1, 30)
    lines = tuple(line for line in page.lines if line.text)
    blank = Line(" ", 0, (0, 0, 9, 9), place=(0, 0, 9, 9))
    mixed = [one for line in lines for one in (line, blank)]
    ((expected,), (kinds,)) = (
        model.classify([Page(0, 595, 842, tuple(some))]) for some in (lines, [blank, *mixed])
    )
    assert kinds[1::2] == expected
    assert kinds[0] is LineClass.BODY
    assert kinds[2::2] == expected


def test_thousands_of_lines_are_classified_in_parts() -> None:
    model, described = (
        LineClassifier(some_weights()),
        compute_features(some_pages(1, 3000, 40, 0, 2000)),
    )
    whole = model.logits(described)
    assert len(whole) == 5040
    start, end = described.windows[-1]
    last = Features(
        described.edges[start:end],
        described.numbers[start:end],
        described.words[start:end],
        ((0, end - start),),
    )
    assert np.allclose(model.logits(last), whole[start:end], atol=1e-4)


def test_pages_without_lines() -> None:
    model = LineClassifier(some_weights())
    assert model.classify([]) == []
    assert model.classify([Page(0, 595, 842, ())]) == [[]]


def test_a_lower_bar_keeps_more() -> None:
    pages, weights = some_pages(1, 200), some_weights()
    kept = []
    for keep in (0.01, 0.2, 0.5, 0.9):
        (kinds,) = LineClassifier(weights, keep).classify(pages)
        kept.append({number for number, kind in enumerate(kinds) if kind in BODY_CLASSES})
    assert all(more >= fewer for more, fewer in pairwise(kept))
    assert len(kept[0]) > len(kept[-1])


@pytest.mark.parametrize("keep", [0, 1, -1, float("nan")])
def test_the_bar_is_a_probability(keep: float) -> None:
    with pytest.raises(ConfigError):
        LineClassifier(some_weights(), keep)


def test_classes_are_in_the_order_of_the_outputs() -> None:
    assert list(CLASSES) == list(LineClass)


def test_weights_survive_the_file(tmp_path: Path) -> None:
    model = LineClassifier(some_weights())
    model.save(tmp_path / "boxes.npz")
    loaded = LineClassifier.load(tmp_path / "boxes.npz")
    assert all(np.array_equal(loaded.weights[name], model.weights[name]) for name in SHAPES)


def broken(how: str, path: Path) -> None:
    weights = some_weights()
    match how:
        case "missing array":
            del weights["text"]
        case "superfluous array":
            weights["more"] = weights["bias"]
        case "wrong shape":
            weights["bias"] = weights["bias"][:-1]
        case "wrong type":
            weights["bias"] = weights["bias"].astype(np.float64)
        case "not finite":
            weights["bias"][3] = np.nan
        case "pickle":
            weights["bias"] = np.array([print], dtype=object)
    np.savez(path, allow_pickle=True, **weights)
    match how:
        case "cut off":
            path.write_bytes(path.read_bytes()[:-500])
        case "no archive":
            path.write_bytes(b"no weights")
        case "empty":
            path.write_bytes(b"")
        case "one array":
            with path.open("wb") as file:
                np.save(file, weights["bias"])
        case "other archive":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("a.txt", "a")
        case "garbled":
            data = io.BytesIO(path.read_bytes())
            data.seek(3000)
            data.write(b"\0" * 300_000)
            path.write_bytes(data.getvalue())
        case "missing":
            path.unlink()


@pytest.mark.parametrize(
    "how",
    [
        *("missing array", "superfluous array", "wrong shape", "wrong type", "not finite"),
        *("pickle", "cut off", "no archive", "empty", "one array", "other archive", "garbled"),
        "missing",
    ],
)
def test_a_wrong_file_is_a_clear_error(tmp_path: Path, how: str) -> None:
    broken(how, tmp_path / "boxes.npz")
    with pytest.raises(ConfigError) as caught:
        LineClassifier.load(tmp_path / "boxes.npz")
    assert "boxes.npz" in caught.value.key


def test_shipped_weights_are_small_and_sound() -> None:
    assert SHIPPED.stat().st_size < 2_000_000
    assert LineClassifier.load().weights.keys() == SHAPES.keys()


def test_no_weights_in_reprs() -> None:
    assert len(repr(LineClassifier(some_weights()))) < 100
