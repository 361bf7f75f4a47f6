"""Planted notes and the attack on a generator, on tiny models."""

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import torch

from models.language.networks.language_model import LanguageModel
from models.language.training.perplexity import log_probabilities, negative_log_likelihood
from models.language.training.serialization import load
from pipeline.cli import main
from record.errors import ConfigError
from surrogates.keys.keys import new_master
from synthesis.canaries import CANARIES, draw_canaries, load_canaries
from synthesis.markup import decode
from synthesis.prepared_corpus import load_corpus
from tests.keys import signed
from tests.synthesis.letters import NAMES, letters
from tests.synthesis.test_synthesize_commands import QUICK, SHORT, call, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, and a model that learnt six canaries sixty times each."""
    made = tmp_path_factory.mktemp("attack")
    notes = write(made / "notes.jsonl", letters(60))
    assert call("prepare", notes, "--inside", "-o", made / "corpus", "--seed", 3, "--plain") == 0
    planted = ["--canaries", 8, "--canary-repeats", 60]
    assert call("train", made / "corpus", "-o", made / "model", *QUICK, *planted) == 0
    return made


@pytest.fixture(scope="module")
def attacked(folder: Path) -> Path:
    """The folder, with the attack on the model in it, and in `said.txt` what it said."""
    asked = ["--without", 2, "--halves", 4, "--plain"]
    out, said = folder / "attacked", StringIO()
    with redirect_stdout(said):
        assert call("attack", folder / "model", folder / "corpus", "-o", out, *asked) == 0
    (folder / "said.txt").write_text(said.getvalue())
    return folder


def test_canaries_are_words_of_the_house_and_no_names(folder: Path) -> None:
    corpus = load_corpus(folder / "corpus")
    drawn = draw_canaries(corpus, 20, 2, seed=1)
    assert draw_canaries(corpus, 20, 2, seed=1) == drawn != draw_canaries(corpus, 20, 2, seed=2)
    known = {word for note in corpus.notes["train"] for word in decode(note.marked)[0].split()}
    words = [word for each in (*drawn.planted, *drawn.others) for word in each.secret.split()]
    assert sorted(words[:160]) == sorted(words[160:])  # the same words in other company
    assert {each.secret for each in drawn.planted}.isdisjoint(e.secret for e in drawn.others)
    assert [each.head for each in drawn.planted] == [each.head for each in drawn.others]
    assert len(words) == 40 * 8 and not set(words) & {w for name in NAMES for w in name.split()}
    assert all(word.islower() and any(word in held for held in known) for word in words)
    vocabulary = load(folder / "model").vocabulary
    texts = corpus.texts("train", vocabulary)
    mixed = drawn.mix_into(texts, vocabulary, 1)
    assert len(mixed) == len(texts) + 40
    assert sum(text == drawn.planted[0].text(vocabulary) for text in mixed) >= 2
    asked = drawn.planted[0].scored_text(vocabulary)
    assert vocabulary.decode(asked.ids[asked.asked : -1]).strip() == drawn.planted[0].secret
    with pytest.raises(ConfigError, match="canaries"):
        draw_canaries(corpus, 1, 2, seed=1)


def test_the_list_of_canaries_is_kept_and_no_other_is_taken(folder: Path, tmp_path: Path) -> None:
    about = load(folder / "model").about["canaries"]
    path = folder / "model" / CANARIES
    assert path.stat().st_mode & 0o077 == 0 and (about["planted"], about["repeats"]) == (8, 60)
    assert len(load_canaries(folder / "model", about).planted) == 8
    (tmp_path / CANARIES).write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(ConfigError, match="checksum mismatch"):
        load_canaries(tmp_path, about)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_canaries(tmp_path / "none", about)


def test_log_probabilities_add_up_to_the_surprise(folder: Path) -> None:
    model = load(folder / "model")
    texts = load_corpus(folder / "corpus").texts("test", model.vocabulary)
    told = list(log_probabilities(model.network, model.vocabulary, texts))
    assert [len(each) for each in told] == [len(text.ids) - text.asked for text in texts]
    whole = negative_log_likelihood(model.network, model.vocabulary, texts)
    assert -sum(map(sum, told)) == pytest.approx(whole.nats, rel=1e-4)


def test_everything_is_measured_beside_what_gives_it_a_meaning(attacked: Path) -> None:
    reported = json.loads((attacked / "attacked" / "attack.json").read_text())
    found = {each["name"]: each for each in reported["measured"]}
    names = {"canary-auc", "model-membership-auc", "s-pdtp", "counterfactual-memorization"}
    assert set(found) == names
    for each in found.values():
        assert each["low"] <= each["value"] <= each["high"]
        assert np.isfinite([each["null"], each["control"]]).all()
        assert each["control"] > each["null"]
    canary = found["canary-auc"]
    assert canary["value"] > 0.8 and canary["low"] > 0.5 > canary["null"] - 0.2
    assert canary["detail"]["in"] == "the model itself"
    assert {"floor of notes in neither", "mean change, floor"} <= set(found["s-pdtp"]["detail"])
    assert len(reported["notes"]) == 2
    assert (attacked / "attacked").stat().st_mode & 0o077 == 0
    text = (attacked / "attacked" / "attack.json").read_text()
    assert not any(part in text for name in NAMES for part in name.split())


def test_floors_are_always_printed(attacked: Path) -> None:
    reported = json.loads((attacked / "attacked" / "attack.json").read_text())["measured"]
    lines = (attacked / "said.txt").read_text().splitlines()
    for each in reported:
        (line,) = (line for line in lines if line.startswith(each["name"]))
        assert f"nothing learnt {each['null']:.4f}, known leak {each['control']:.4f}" in line


def test_what_was_trained_is_not_trained_again(
    attacked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = sorted((attacked / "attacked" / "partners").glob("*/weights.safetensors"))
    assert len(weights) == 4 + 2 + 4 - 1  # the canaries are in the model itself
    before = [path.stat().st_mtime_ns for path in weights]
    first = (attacked / "attacked" / "attack.json").read_text()
    asked = ["--without", 2, "--halves", 4, "--json", "--plain"]
    out = attacked / "attacked"
    assert call("attack", attacked / "model", attacked / "corpus", "-o", out, *asked) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(first)
    assert [path.stat().st_mtime_ns for path in weights] == before


def test_notes_of_a_model_with_canaries_are_held_and_tried(
    attacked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes, out = attacked / "synthetic", attacked / "report"
    words = [attacked / "model", attacked / "corpus", "-o", notes, *SHORT, "--notes", 4]
    assert call("generate", *words) == 0
    manifest = json.loads((notes / "manifest.json").read_text())
    assert manifest["learnt_corpus_sha256"] == manifest["corpus_sha256"]
    new_master(attacked / "master.key")
    proof = attacked / "signed.json"
    proof.write_text(
        signed(
            json.loads((attacked / "attacked" / "attack.json").read_text()),
            attacked / "master.key",
        )
    )
    measured = ["--measured", proof, "--plain"]
    key = ["--key", attacked / "master.key", "-o", out, "--requirements", "generator"]
    assert main(["synthesize", "report", str(notes), *map(str, measured), *map(str, key)]) == 1
    reasons = json.loads((out / "report.json").read_text())["reasons"]
    assert "the model was trained on planted notes (--canaries)" in reasons
    assert any(reason.startswith("canary-auc: interval is") for reason in reasons)
    assert "s-pdtp: was not measured" not in reasons
    words = [notes, attacked / "corpus", "-o", attacked / "battery", "--characters", 600]
    capsys.readouterr()
    assert call("battery", *words, "--json", "--plain") == 0
    reported = json.loads(capsys.readouterr().out)["measured"]
    assert [each["name"] for each in reported] == ["case-restoration"]
    assert reported == json.loads((attacked / "battery" / "battery.json").read_text())["measured"]
    assert call("battery", *words, "--word-pairs", attacked / "none.tsv", "--plain") == 2


def test_a_private_model_is_compared_with_one_that_learnt_the_same_openly(
    folder: Path, tmp_path: Path
) -> None:
    pytest.importorskip("opacus", reason="opacus is not installed")
    planted = ["--canaries", 8, "--canary-repeats", 60, "--epsilon", 8]
    model, out = tmp_path / "model", tmp_path / "attacked"
    assert call("train", folder / "corpus", "-o", model, *QUICK, *planted) == 0
    asked = ["--without", 2, "--halves", 4, "--plain"]
    assert call("attack", model, folder / "corpus", "-o", out, *asked) == 0
    measured = json.loads((out / "attack.json").read_text())["measured"]
    (canary,) = (each for each in measured if each["name"] == "canary-auc")
    # The control is of the size that is claimed: the same canaries, as often each.
    assert canary["control"] > 0.8 and canary["detail"]["detectable"] > 0.8
    private = {path.name: load(path).about["privacy"] for path in (out / "partners").iterdir()}
    assert {name for name, told in private.items() if told is None} == {"unprotected", "leaky"}
    told = load(model).about["privacy"]
    # Sixty copies of a canary are one patient's, of whom ten count.
    assert told["patients"] == private["whole"]["patients"] + 8
    assert told["notes"] == private["whole"]["notes"] + 80


def test_what_cannot_be_attacked_is_refused(
    attacked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [attacked / "model", attacked / "corpus", "-o", tmp_path / "out", "--plain"]
    assert call("attack", *words, "--halves", 3) == 2
    assert call("attack", *words, "--without", 500) == 2
    other = write(tmp_path / "n.jsonl", letters(40, seed=2))
    assert call("prepare", other, "--inside", "-o", tmp_path / "corpus", "--plain") == 0
    assert call("attack", attacked / "model", tmp_path / "corpus", *words[2:]) == 2
    assert "not the corpus that this model learnt from" in capsys.readouterr().err
    partner = attacked / "attacked" / "partners" / "whole"
    words = [partner, attacked / "corpus", "-o", tmp_path / "notes", *SHORT, "--notes", 1]
    assert call("generate", *words) == 2
    assert "was not trained on annotated notes" in capsys.readouterr().err


def test_the_same_model_twice_scores_nothing(attacked: Path) -> None:
    from evaluation.attacks.generator_attacks import _compare_pairwise
    from evaluation.attacks.reference_models import score_tokens

    model = load(attacked / "model")
    texts = load_corpus(attacked / "corpus").texts("test", model.vocabulary)
    assert {
        each.largest
        for each in _compare_pairwise(score_tokens(model, texts), score_tokens(model, texts))
    } == {0.0}


def test_models_are_scored_where_all_else_is_computed(
    attacked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.attacks import reference_models

    model = load(attacked / "model")
    texts = load_corpus(attacked / "corpus").texts("test", model.vocabulary)[:2]
    expected = log_probabilities(model.network, model.vocabulary, texts)
    moved: list[torch.device] = []
    move = model.network.to

    def recorded(device: torch.device) -> LanguageModel:
        moved.append(device)
        network: LanguageModel = move("cpu")
        return network

    chosen = torch.device("meta")  # stands for a GPU
    monkeypatch.setattr(reference_models, "choose_device", lambda: chosen)
    monkeypatch.setattr(model.network, "to", recorded)
    found = reference_models.score_tokens(model, texts)
    assert [list(each) for each in found] == list(expected)
    assert moved == [chosen, torch.device("cpu")], "and back: one model at a time is there"
