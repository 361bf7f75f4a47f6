import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from models.checkpoint import CHECKPOINT
from models.tagger.encoders.encoder import (
    EncoderConfig,
    load_pretrained,
    make_encoder,
    save_encoder,
)
from models.tagger.encoders.subword_models import END, MASK, NEWLINE, SPECIAL_TOKENS, START
from models.tagger.encoders.windows import Window, WindowConfig
from models.tagger.network import collate
from models.tagger.sequences.alignment import segment_text
from models.tagger.training.pretraining import (
    PRETRAINING,
    MaskedLanguageHead,
    PretrainRecipe,
    mask_words,
    pretrain,
)
from models.training_loop import TrainingCallbacks
from pipeline.cli import main
from record.errors import ConfigError
from tests.models.hub import hub_model
from tests.models.tagger.training.test_training_command import QUICK, toys

FIRST = len(SPECIAL_TOKENS)
CANARY = "Quillfeather"


class Interrupted(Exception):
    """Stands for a process that was killed."""


def texts(count: int, seed: int = 1) -> list[str]:
    """Notes of words that tell which comes next."""
    random = Random(seed)
    pairs = ("Dr Martin", "vu bien", "elle va", "an le")
    return ["\n".join(random.choices(pairs, k=12)) + f" {CANARY}\n" for _ in range(count)]


def recipe(source: Path, **changes: Any) -> PretrainRecipe:
    quick = PretrainRecipe(str(source), WindowConfig(48, 0), epochs=3, step_tokens=256, rate=3e-3)
    return replace(quick, **{"checkpoint_steps": 2, **changes})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub")
    hub_model(folder)
    return folder


@pytest.fixture(scope="module")
def done(source: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[float]]:
    out = tmp_path_factory.mktemp("pretrained") / "encoder"
    return out, pretrain(texts(60), recipe(source, epochs=6), out)


def test_hidden_words_are_guessed_better_from_epoch_to_epoch(
    done: tuple[Path, list[float]],
) -> None:
    out, perplexities = done
    assert len(perplexities) == 7
    assert perplexities[-1] < 0.75 * perplexities[0]
    report = json.loads((out / PRETRAINING).read_text())
    assert report["perplexities"] == perplexities
    assert report["notes"] == 57
    assert not (out / CHECKPOINT).exists()


def test_only_pieces_of_the_notes_are_learnt_where_embeddings_are(
    source: Path, tmp_path: Path
) -> None:
    before, subwords = load_pretrained(str(source))
    notes = texts(30)
    for learn in (False, True):
        out = tmp_path / str(learn)
        pretrain(notes, recipe(source, epochs=1, learn_embeddings=learn), out)
        after, _ = load_pretrained(str(out))
        changed = (after.pieces.weight != before.pieces.weight).any(1).nonzero().flatten().tolist()
        cuttings = [segment_text(note, subwords, recipe(source).cut) for note in notes]
        occur = {piece - FIRST for each in cuttings for word in each.pieces for piece in word}
        assert bool(changed) is learn
        assert set(changed) <= occur


def test_no_file_tells_which_words_the_notes_have(
    done: tuple[Path, list[float]], source: Path
) -> None:
    out, _ = done
    for path in out.iterdir():
        assert CANARY.encode() not in path.read_bytes()
    assert load_pretrained(str(out))[1].pieces == load_pretrained(str(source))[1].pieces


@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
def test_an_encoder_is_the_same_from_its_folder(family: str, tmp_path: Path) -> None:
    hub_model(tmp_path / "hub", family)
    encoder, subwords = load_pretrained(str(tmp_path / "hub"))
    with torch.no_grad():
        for weights in encoder.parameters():
            weights.add_(0.1 * torch.randn_like(weights))  # as learning would, line breaks apart
    (tmp_path / "out").mkdir()
    save_encoder(encoder, subwords, tmp_path / "out")
    again, pieces = make_encoder(EncoderConfig(str(tmp_path / "out"), vocabulary=1 << 30), ())
    assert pieces.pieces == subwords.pieces
    assert again.shape == encoder.shape
    ids = [START, *(one for of in subwords.of("Dr Martin\nva")[1] for one in of), END]
    assert NEWLINE in ids
    given_ids, lengths = torch.tensor([ids]), torch.tensor([len(ids)])
    with torch.no_grad():
        assert torch.equal(encoder.eval()(given_ids, lengths), again.eval()(given_ids, lengths))


@pytest.mark.parametrize("notes", [1, 60, 90, 150])
def test_what_was_interrupted_comes_to_the_same_weights(
    notes: int, source: Path, tmp_path: Path
) -> None:
    plain = recipe(source)
    told = pretrain(texts(60), plain, tmp_path / "whole")

    def stop(read: int, planned: int) -> None:
        assert planned == 3 * 57
        if read >= notes:
            raise Interrupted

    with pytest.raises(Interrupted):
        pretrain(texts(60), plain, tmp_path / "cut", TrainingCallbacks(stop))
    assert pretrain(texts(60), plain, tmp_path / "cut") == told
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]


def test_other_notes_do_not_go_on_from_a_checkpoint(source: Path, tmp_path: Path) -> None:
    def stop(read: int, planned: int) -> None:
        if read > 60:
            raise Interrupted

    with pytest.raises(Interrupted):
        pretrain(texts(60), recipe(source), tmp_path / "cut", TrainingCallbacks(stop))
    with pytest.raises(ConfigError, match="other notes or settings"):
        pretrain(texts(60, seed=2), recipe(source), tmp_path / "cut")


def test_a_pretrained_encoder_is_not_written_over(
    done: tuple[Path, list[float]], source: Path
) -> None:
    with pytest.raises(ConfigError, match="already contains a pretrained encoder"):
        pretrain(texts(4), recipe(source), done[0])


@pytest.mark.parametrize("name", ["bilstm", "tiny", "tiny-2x64"])
def test_what_begins_with_nothing_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not pretrained"):
        pretrain(texts(4), PretrainRecipe(name), tmp_path / "out")


@pytest.mark.parametrize("held", [[], ["Dr Martin"], ["Dr Martin"] * 5, ["", "\n"], ["\n", "\n\n"]])
def test_too_few_notes_are_refused(held: list[str], source: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="too few"):
        pretrain(held, recipe(source), tmp_path / "out")


@pytest.mark.parametrize(
    "changes", [{"epochs": 0}, {"rate": -1.0}, {"guessed": 1.0}, {"guessed": 0.0}]
)
def test_settings_out_of_bounds_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"--{next(iter(changes))}"):
        PretrainRecipe(**changes)


words = st.lists(st.lists(st.integers(FIRST, 40), min_size=1, max_size=4).map(tuple), min_size=1)


@settings(max_examples=60, deadline=None)
@given(st.lists(words, min_size=1, max_size=3), st.floats(0.01, 0.99), st.integers(0, 99))
def test_words_are_hidden_whole(
    notes: list[list[tuple[int, ...]]], share: float, seed: int
) -> None:
    held = [[*note, (NEWLINE,)] for note in notes]
    batch = collate([(note, Window(0, 0, len(note), len(note))) for note in held])
    candidates = torch.tensor([7, 11, 39])
    seen, guessed = mask_words(batch, candidates, share, torch.Generator().manual_seed(seed))
    assert torch.equal(seen[~guessed], batch.ids[~guessed])
    assert (batch.ids[guessed] >= FIRST).all()
    changed = (seen != batch.ids) & (seen != MASK)
    assert torch.isin(seen[changed], candidates).all()
    for row, of in zip(guessed, batch.words, strict=True):
        for word in of.unique():
            assert row[of == word].unique().numel() == 1
    again = mask_words(batch, candidates, share, torch.Generator().manual_seed(seed))
    assert torch.equal(again[0], seen)


def test_as_many_are_hidden_as_devlin_says() -> None:
    note = [(FIRST + at % 30,) for at in range(20_000)]
    batch = collate([(note, Window(0, 0, len(note), len(note)))])
    candidates = torch.arange(100, 200)
    seen, guessed = mask_words(batch, candidates, 0.15, torch.Generator().manual_seed(1))
    asked = int(guessed.sum())
    assert asked / len(note) == pytest.approx(0.15, abs=0.01)
    assert int((seen == MASK).sum()) / asked == pytest.approx(0.8, abs=0.03)
    assert int((seen >= 100).sum()) / asked == pytest.approx(0.1, abs=0.03)


def test_the_guess_is_the_cross_entropy_over_the_pieces_that_occur(source: Path) -> None:
    encoder, subwords = load_pretrained(str(source))
    cut = subwords.of("Dr Martin va bien")[1]
    batch = collate([(cut, Window(0, 0, len(cut), len(cut)))])
    candidates = torch.tensor(sorted({one for of in cut for one in of}))
    network = MaskedLanguageHead(encoder, candidates).eval()
    seen, guessed = mask_words(batch, candidates, 0.6, torch.Generator().manual_seed(3))
    with torch.no_grad():
        found = network(batch, seen, guessed)
        hidden = encoder(seen, batch.lengths)[guessed]
        hidden = network.norm(torch.nn.functional.gelu(network.dense(hidden)))
        scores = hidden @ encoder.embedded(candidates).T
    for place, number in enumerate(batch.ids[guessed].tolist()):
        chances = scores[place].exp() / scores[place].exp().sum()
        wanted = -chances[candidates.tolist().index(number)].log()
        torch.testing.assert_close(found[place], wanted, atol=1e-4, rtol=1e-4)


def test_pretrain_then_train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub_model(tmp_path / "hub")
    notes, dev = toys(tmp_path / "train.jsonl", 20, 1), toys(tmp_path / "dev.jsonl", 4, 2)
    asked = ["pretrain", notes, "-o", tmp_path / "encoder", "--encoder", tmp_path / "hub"]
    asked += ["--epochs", "1", "--window", "48", "--step-tokens", "256"]
    assert main([*map(str, asked), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["perplexities"]) == 2
    asked = ["train", "--train", notes, "--dev", dev, "-o", tmp_path / "tagger", *QUICK]
    assert main([*map(str, asked), "--encoder", str(tmp_path / "encoder"), "--epochs", "1"]) == 0
    assert (tmp_path / "tagger" / "tagger.json").exists()
    asked = ["pretrain", notes, "-o", tmp_path / "encoder", "--encoder", tmp_path / "hub"]
    assert main([*map(str, asked), "--plain"]) == 2
