import numpy as np
import pytest

from extractors.document.lines import Line
from extractors.document.page import LineClass, Page
from extractors.layout.labelled_pages import LabelledPage, score_segmenter
from extractors.layout.line_classifier import SHAPES, LineClassifier
from extractors.layout.line_features import compute_features
from record.errors import ConfigError

torch = pytest.importorskip("torch", reason="training needs PyTorch")
train = pytest.importorskip("extractors.layout.training")

KINDS = (LineClass.BODY, LineClass.HEADER, LineClass.MARGIN_NOTE)


def letter(seed: int) -> list[LabelledPage]:
    """Two pages: small print in the left margin, a header in large letters, a body."""
    random = np.random.default_rng(seed)
    top, left = random.uniform(80, 200), random.uniform(120, 200)

    def line(kind: LineClass, row: int) -> Line:
        x, y, size, text = {
            LineClass.BODY: (left, top + 14 * row, 10, "the patient has pain in the knee"),
            LineClass.HEADER: (left, 20 + 14 * row, 14, "General Hospital"),
            LineClass.MARGIN_NOTE: (20, top + 20 * row, 7, "Dr Canary"),
        }[kind]
        place = (x, y, x + len(text) * size / 2, y + size)
        return Line(text, KINDS.index(kind), place, place=place, size=size)

    rows = [(LineClass.HEADER, n) for n in range(3)] + [(LineClass.BODY, n) for n in range(8)]
    rows += [(LineClass.MARGIN_NOTE, n) for n in range(4)]
    lines = tuple(line(kind, row) for kind, row in rows)
    classes = tuple(kind for kind, _ in rows)
    return [LabelledPage(str(seed), Page(n, 595, 842, lines), classes) for n in range(2)]


@pytest.fixture(scope="module")
def trained() -> LineClassifier:
    return train.train_line_classifier([letter(seed) for seed in range(12)], seed=1, steps=40)


def test_it_learns(trained: LineClassifier) -> None:
    scores = score_segmenter(trained, [letter(seed) for seed in range(100, 105)])
    assert scores.recall > 0.99
    assert scores.precision > 0.99


def test_torch_and_numpy_agree(trained: LineClassifier) -> None:
    for seed in range(5):
        described = compute_features([page.page for page in letter(seed)])
        with torch.no_grad():
            expected = train.make_network(trained).logits(described).numpy()
        assert np.abs(trained.logits(described) - expected).max() < 1e-4


def test_torch_and_numpy_agree_on_other_weights_and_long_pages() -> None:
    random = np.random.default_rng(1)
    model = LineClassifier(
        {n: random.normal(0, 0.2, s).astype(np.float32) for n, s in SHAPES.items()}
    )
    lines = letter(1)[0].page.lines * 10
    described = compute_features([Page(0, 595, 842, lines), Page(1, 595, 842, lines[:7])])
    with torch.no_grad():
        expected = train.make_network(model).logits(described).numpy()
    assert np.abs(model.logits(described) - expected).max() < 1e-4


def test_the_same_seed_gives_the_same_weights() -> None:
    documents = [letter(seed) for seed in range(3)]
    one, other = (train.train_line_classifier(documents, seed=2, steps=3) for _ in range(2))
    different = train.train_line_classifier(documents, seed=3, steps=3)
    assert all(np.array_equal(one.weights[name], other.weights[name]) for name in SHAPES)
    assert not np.array_equal(one.weights["words"], different.weights["words"])


def test_training_goes_on_from_weights_and_leaves_them_alone(trained: LineClassifier) -> None:
    before = {name: array.copy() for name, array in trained.weights.items()}
    losses: list[float] = []
    documents = [letter(seed) for seed in range(4)]
    further = train.train_line_classifier(
        documents, seed=1, steps=3, start=trained, progress=lambda step, loss: losses.append(loss)
    )
    assert losses[0] < 1  # from scratch it is above 2
    assert all(np.array_equal(before[name], trained.weights[name]) for name in SHAPES)
    assert np.array_equal(further.weights["mean"], before["mean"])
    assert not np.array_equal(further.weights["text"], before["text"])


def test_nothing_to_learn_from_is_an_error() -> None:
    empty = LabelledPage("d", Page(0, 595, 842, ()), ())
    for documents in ([], [[empty]]):
        with pytest.raises(ConfigError):
            train.train_line_classifier(documents, seed=1, steps=1)


def test_noise_keeps_lines_and_classes_together() -> None:
    random = np.random.default_rng(1)
    for seed in range(20):
        for page in train._add_noise(letter(seed), random):
            for line, kind in zip(page.page.lines, page.classes, strict=True):
                assert KINDS[line.block] is kind
                assert line.place[0] <= line.place[2]


def test_lines_that_show_nothing_teach_nothing() -> None:
    place = (0.0, 0.0, 9.0, 9.0)
    lines = tuple(Line(text, 0, place, place=place) for text in ("a", " ", "b", ""))
    kinds = (LineClass.BODY, LineClass.STAMP, LineClass.HEADER, LineClass.STAMP)
    shown = train._drop_blank_lines(LabelledPage("d", Page(0, 595, 842, lines), kinds))
    assert shown.page.lines == (lines[0], lines[2])
    assert shown.classes == (LineClass.BODY, LineClass.HEADER)
