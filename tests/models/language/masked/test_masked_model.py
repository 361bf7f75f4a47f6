"""The masked language model: it learns, masks matter, it goes on where it stopped."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

from models.checkpoint import CHECKPOINT
from models.language.corpus.masking import MaskRecipe
from models.language.masked.masked_model import (
    FOLDER_FORMAT,
    WEIGHTS,
    MaskedFiller,
    load_masked,
)
from models.language.masked.training import MaskedCorpora, MaskedLetter, MaskedRecipe, train_masked
from models.language.networks.masked_network import MASK, PAD, SPECIAL_TOKENS, EncoderLM
from models.training_loop import TrainingCallbacks
from record.errors import ConfigError

CANARY = "Zebulonquist"
RECIPE = MaskedRecipe(
    mask=MaskRecipe(0.3),
    width=32,
    layers=1,
    heads=2,
    length=24,
    rate=1e-2,
    epochs=8,
    dropout=0.0,
    batch=4,
)


THEMES = (("fever", "hot", "sweat"), ("cough", "dry", "lungs"), ("pain", "sharp", "knee"))


def letters(count: int, seed: int) -> list[MaskedLetter]:
    """Letters each of which is about one thing, so that its other words tell a hidden one."""
    chance = Random(seed)
    made = []
    for _ in range(count):
        words = ["Mr", CANARY, *chance.choices(chance.choice(THEMES), k=20), "."]
        made.append(MaskedLetter(words, [word == CANARY for word in words]))
    return made


TRAIN, DEV = letters(60, 1), letters(10, 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("masked") / "model"
    history = train_masked(MaskedCorpora(TRAIN, DEV), RECIPE, out)
    assert history[0] > 3 * min(history), "held-out words are foreseen far better than before"
    return out


def test_the_folder_and_its_files_are_for_their_owner(folder: Path) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700
    files = (WEIGHTS, FOLDER_FORMAT.settings)
    assert {(folder / name).stat().st_mode & 0o777 for name in files} == {0o600}


def test_the_share_of_masks_changes_what_is_learnt(folder: Path, tmp_path: Path) -> None:
    told = [
        train_masked(
            MaskedCorpora(TRAIN, DEV),
            replace(RECIPE, epochs=2, mask=MaskRecipe(psi)),
            tmp_path / str(psi),
        )
        for psi in (0.3, 0.5)
    ]
    assert told[0][1:] != told[1][1:]


def test_it_fills_what_the_words_around_ask_for(folder: Path) -> None:
    filler = MaskedFiller.load(folder)
    windows = [["dry", "cough", None, "lungs"], ["hot", None, "fever", "sweat", None, "hot"]]
    found = filler.candidates(windows, 3)
    for window, theme in zip(found, (THEMES[1], THEMES[0]), strict=True):
        assert all({word for word, _ in place} == set(theme) for place in window)
    for window in found:
        for place in window:
            assert len(place) == 3
            shares = [share for _, share in place]
            assert shares == sorted(shares, reverse=True)
            assert 0 < sum(shares) <= 1 + 1e-6


def test_company_does_not_matter(folder: Path) -> None:
    filler = MaskedFiller.load(folder)
    windows = [["cough", "dry", None, "."], ["pain", "sharp", None, "."] * 3]
    together = filler.candidates(windows, 2)
    for window, found in zip(windows, together, strict=True):
        alone = filler.candidates([window], 2)[0]
        assert [[word for word, _ in place] for place in alone] == [
            [word for word, _ in place] for place in found
        ]


def test_what_identifies_can_never_be_written(folder: Path) -> None:
    trained = load_masked(folder)
    assert CANARY not in trained.words
    assert all(CANARY.encode() not in path.read_bytes() for path in folder.iterdir())
    assert CANARY not in repr(trained)
    found = MaskedFiller(trained).candidates([["Mr", None, "fever"]], 1000)[0][0]
    assert all(any(map(str.isalnum, word)) and "<" not in word for word, _ in found)


def test_an_interrupted_training_ends_with_the_same_weights(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"

    class Stopped(Exception):
        pass

    def stop(scores: Any) -> None:
        if scores["epoch"] == 2:
            raise Stopped

    with pytest.raises(Stopped):
        train_masked(MaskedCorpora(TRAIN, DEV), RECIPE, out, TrainingCallbacks(evaluated=stop))
    assert (out / CHECKPOINT).exists()
    with pytest.raises(ConfigError, match="other notes or settings"):
        train_masked(MaskedCorpora(TRAIN, DEV), replace(RECIPE, seed=2), out)
    train_masked(MaskedCorpora(TRAIN, DEV), RECIPE, out)
    one, other = (load_masked(place).network.state_dict() for place in (folder, out))
    assert all(torch.equal(one[name], other[name]) for name in one)
    with pytest.raises(ConfigError, match="already"):
        train_masked(MaskedCorpora(TRAIN, DEV), RECIPE, out)


@pytest.mark.parametrize("file", ["masked.json", "weights.safetensors"])
def test_a_damaged_folder_is_refused(folder: Path, tmp_path: Path, file: str) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / file).write_bytes(b"{}")
    with pytest.raises(ConfigError, match=r"version|checksum"):
        load_masked(tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(ConfigError, match=r"contains no|cannot be read"):
        load_masked(tmp_path)


def test_too_little_or_too_much_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="none to train on"):
        train_masked(MaskedCorpora([], DEV), RECIPE, tmp_path / "no")
    with pytest.raises(ValueError, match="at most 24 words"):
        MaskedFiller.load(folder).candidates([["a", None] * 20], 1)


def test_an_encoder_goes_on_learning_whole_words(tmp_path: Path) -> None:
    recipe = replace(RECIPE, encoder="tiny-1x32", epochs=6)
    history = train_masked(MaskedCorpora(TRAIN, DEV), recipe, tmp_path / "model")
    assert history[0] > 2 * min(history)
    filler = MaskedFiller.load(tmp_path / "model")
    found = filler.candidates([["dry", "cough", None, "lungs"]], 3)[0][0]
    assert {word for word, _ in found} == set(THEMES[1])
    with pytest.raises(ConfigError, match="longer than the encoder"):
        train_masked(MaskedCorpora(TRAIN, DEV), replace(recipe, length=400), tmp_path / "long")


def test_words_of_several_pieces_are_read_where_they_stand() -> None:
    words = (*SPECIAL_TOKENS, "fever", "paracetamol", "a")
    torch.manual_seed(1)
    network = EncoderLM.of("tiny-1x32", words, 10).eval()
    with torch.no_grad():
        for number, pieces in ((3, [9]), (4, [10, 11, 12]), (5, [7, 8])):
            network._set_pieces(number, pieces)
        ids = torch.tensor([[4, MASK, 5, 3], [3, 4, PAD, PAD]])
        told = network.hidden(ids)
        by_hand = [
            ([0, 10, 11, 12, 4, 7, 8, 9, 2], [1, 4, 5, 7]),
            ([0, 9, 10, 11, 12, 2], [1, 2]),
        ]
        for row, (pieces, places) in zip(told, by_hand, strict=True):
            window = torch.tensor([pieces])
            read = network.encoder(window, torch.tensor([len(pieces)]))[0, places]
            expected = network.norm(torch.nn.functional.gelu(network.dense(read)))
            assert torch.allclose(row[: len(places)], expected, atol=1e-5)


def test_rare_words_and_words_that_may_identify_are_not_learnt(tmp_path: Path) -> None:
    rare = [MaskedLetter([*letter.words, f"once{n}"], [*letter.identifying, False])
            for n, letter in enumerate(TRAIN)]  # fmt: skip
    # `Mr` identifies in as many letters as it does not.
    rare = [
        MaskedLetter(each.words, [n % 2 == 0, *each.identifying[1:]]) for n, each in enumerate(rare)
    ]
    train_masked(MaskedCorpora(rare, DEV), replace(RECIPE, epochs=1), tmp_path / "model")
    words = load_masked(tmp_path / "model").words
    assert "fever" in words and "Mr" not in words
    assert not any(word.startswith("once") for word in words)


def test_scores_are_those_of_candidates(folder: Path) -> None:
    filler = MaskedFiller.load(folder)
    windows: list[list[str | None]] = [["dry", None, "lungs", None], ["hot"], ["pain", None]]
    scores = filler.scores(windows)
    assert [each.shape[0] for each in scores] == [2, 0, 1]
    found = filler.candidates(windows, len(filler.writable))
    for rows, places in zip(scores, found, strict=True):
        for row, place in zip(rows, places, strict=True):
            told = {word: float(torch.tensor(value).exp()) for word, value in
                    zip(filler.writable, row, strict=True)}  # fmt: skip
            assert told == pytest.approx(dict(place), abs=1e-6)
