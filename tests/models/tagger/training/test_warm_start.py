"""Training that goes on from the weights of another tagger."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.tagger import serialization
from models.tagger.runtime import Tagger
from models.tagger.sequences.alignment import TrainingNote
from models.tagger.training.training import Corpora, read_start_scores, train
from models.tagger.training.warm_start import copy_shared_weights
from record.document import Annotated
from record.errors import ConfigError
from tests.models.tagger.toy import toy_corpora, toy_notes, toy_recipe, toy_training


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tagger") / "toy"
    assert toy_training(out).f1 == 1.0
    return out


def relabelled(notes: list[TrainingNote], **names: str) -> list[TrainingNote]:
    return [
        TrainingNote(
            Annotated(
                note.annotated.document,
                tuple(
                    replace(span, label=names.get(span.label, span.label))
                    for span in note.annotated.spans
                ),
            )
        )
        for note in notes
    ]


def test_what_was_learnt_is_there_from_the_first_step_on(folder: Path, tmp_path: Path) -> None:
    recipe = toy_recipe(start=str(folder), encoder_rate=1e-9, head_rate=1e-9, chain_rate=1e-9)
    scores = train(toy_corpora(), replace(recipe, epochs=1), tmp_path / "out")
    assert scores.f1 == 1.0
    documents = [note.annotated.document for note in toy_notes(3, seed=7)]
    assert Tagger.load(tmp_path / "out").spans(documents)


def test_a_label_that_is_new_is_learnt_beside_the_others(folder: Path, tmp_path: Path) -> None:
    notes = relabelled(toy_notes(20), ID="CODE")
    corpora = Corpora(notes, relabelled(toy_notes(10, seed=2), ID="CODE"))
    assert train(corpora, toy_recipe(start=str(folder)), tmp_path / "out").f1 == 1.0
    assert Tagger.load(tmp_path / "out").labels == ("CODE", "NAME")


@pytest.mark.parametrize("head", ["single", "softmax", "stacked"])
def test_weights_of_shared_labels_are_copied_for_every_head(head: str, tmp_path: Path) -> None:
    toy_training(tmp_path / "one", head=head, epochs=1, convolution=True)
    corpora = Corpora(relabelled(toy_notes(20), ID="CODE"), relabelled(toy_notes(5), ID="CODE"))
    recipe = toy_recipe(head=head, epochs=1, convolution=True, seed=2)
    train(corpora, recipe, tmp_path / "two")
    source, network = (serialization.load(tmp_path / name).network for name in ("one", "two"))
    before = network.scores.weight.clone()
    assert copy_shared_weights(network, source) == ("NAME",)
    changed = int((network.scores.weight != before).any(1).sum())
    assert changed == 5  # outside, and four parts of a name; or all five of its own chain
    assert network.convolution is not None and source.convolution is not None
    assert torch.equal(network.convolution.weight, source.convolution.weight)


def test_another_head_keeps_its_own_weights(folder: Path, tmp_path: Path) -> None:
    toy_training(tmp_path / "other", head="softmax", epochs=1)
    network = serialization.load(tmp_path / "other").network
    before = network.scores.weight.clone()
    assert copy_shared_weights(network, serialization.load(folder).network) == ()
    assert torch.equal(network.scores.weight, before)


def test_a_start_that_is_no_tagger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tagger\.json"):
        train(toy_corpora(), toy_recipe(start=str(tmp_path)), tmp_path / "out")


def test_the_scores_before_the_first_step_are_told(folder: Path, tmp_path: Path) -> None:
    train(toy_corpora(), toy_recipe(start=str(folder), epochs=1), tmp_path / "begun")
    before = read_start_scores(tmp_path / "begun")
    assert before is not None and before.f1 == 1.0
    toy_training(tmp_path / "plain", epochs=1)
    assert read_start_scores(tmp_path / "plain") is None


def test_notes_that_teach_nothing_keep_the_weights_of_the_start(
    folder: Path, tmp_path: Path
) -> None:
    corpora = Corpora(relabelled(toy_notes(20), ID="NAME", NAME="ID"), toy_corpora().dev)
    assert train(corpora, toy_recipe(start=str(folder)), tmp_path / "out").f1 == 1.0
    report = json.loads((tmp_path / "out" / "training.json").read_text())
    assert report["best"]["epochs"] == 0
    assert report["history"][-1]["f1"] < 1


def test_the_start_is_part_of_what_a_training_resumes(folder: Path) -> None:
    plain, begun = toy_recipe(), toy_recipe(start=str(folder))
    assert plain.fingerprint("x") != begun.fingerprint("x")
