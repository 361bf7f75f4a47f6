"""A private generator: what it reads without noise, and what may be claimed of its notes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.language.corpus.vocabulary import WordVocabulary
from models.language.training.serialization import about
from pipeline.cli import main
from surrogates.keys.keys import new_master
from synthesis.corpus_splitting import split_notes
from synthesis.note_requests import known_codes, marks_in, marks_of
from synthesis.prepared_corpus import digest, load_corpus, save_corpus
from tests.synthesis.letters import letters
from tests.synthesis.test_synthesize_commands import QUICK, SHORT, write

pytest.importorskip("opacus", reason="opacus is not installed")

PRIVATE = [*QUICK, "--epsilon", 8, "--epochs", 1]


def call(*words: object) -> int:
    return main(["synthesize", *map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two private corpora, a public one, and models of both that know the public one."""
    made = tmp_path_factory.mktemp("private")
    for name, seed in (("one", 1), ("other", 2), ("public", 3)):
        notes = write(made / f"{name}.jsonl", letters(60, seed=seed))
        assert call("prepare", notes, "--inside", "-o", made / name, "--plain") == 0
    for name in ("one", "other"):
        given = ["--vocabulary-text", made / "public", "-o", made / f"model-{name}"]
        assert call("train", made / name, *given, *PRIVATE) == 0
    asked = ["--notes", 8, "--requests", made / "public", *SHORT]
    assert call("generate", made / "model-one", made / "one", "-o", made / "notes", *asked) == 0
    new_master(made / "master.key")
    return made


def manifest_of(place: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((place / "manifest.json").read_text())
    return held


def reasons(folder: Path, notes: Path, screened: Path, out: Path, *more: object) -> list[str]:
    """Judge notes, and return why they are held."""
    given = ["--measured", screened, "--key", folder / "master.key", "--plain"]
    code = call("report", notes, *given, "-o", out, *more)
    report = json.loads((out / "report.json").read_text())
    assert code == (0 if report["verdict"] == "RELEASE" else 1)
    found: list[str] = report["reasons"]
    return found


def test_models_of_other_notes_differ_in_weights_alone(folder: Path) -> None:
    one, other = (folder / f"model-{name}" for name in ("one", "other"))
    assert (one / "vocabulary.json").read_bytes() == (other / "vocabulary.json").read_bytes()
    told = [about(each) for each in (one, other)]
    for name in ("longest", "ids_per_word", "vocabulary", "public_sha256", "read_without_noise"):
        assert told[0][name] == told[1][name]
    assert told[0]["read_without_noise"] == [] and told[0]["vocabulary"] == "public"
    assert told[0]["public_sha256"] == digest(folder / "public")
    assert told[0]["prepared_sha256"] != told[1]["prepared_sha256"]


def test_a_note_is_learnt_alike_whoever_else_is_there(tmp_path: Path) -> None:
    """That two other patients' notes are of a kind must not change how a note is asked for."""
    notes = letters(40)
    rare = [replace(each, document=replace(each.document, kind="rare")) for each in notes[:4]]
    marks = marks_of(("NAME", "CITY", "DATE"), ("letter", "report", "rare"))
    vocabulary = WordVocabulary.learn(marks, ["x"], rare=1)
    texts = []
    for number, some in enumerate(([*rare, *notes[4:]], [rare[0], *notes[4:]])):
        parting = split_notes(some, seed=3)
        parting.notes = [replace(each, split="train") for each in parting.notes]
        extra = split_notes(letters(60, seed=9), seed=3)
        parting.notes += [each for each in extra.notes if each.split != "train"]
        save_corpus(parting, tmp_path / f"{number}", {"inside": True})
        corpus = load_corpus(tmp_path / f"{number}")
        texts.append({text.owner: text for text in corpus.texts("train", vocabulary)})
    kind = vocabulary.mark("<KIND=rare>")
    shared = texts[0].keys() & texts[1].keys()
    assert len(shared) == 37
    assert all(texts[0][owner] == texts[1][owner] for owner in shared)
    assert sum(kind in text.ids for text in texts[0].values()) == 4


def test_notes_are_asked_for_as_public_ones_are(folder: Path, tmp_path: Path) -> None:
    told = manifest_of(folder / "notes")
    assert told["read_without_noise"] == [] and told["privacy"]["unit"] == "patient"
    # The other model, of other private notes, is asked for the same.
    asked = ["--notes", 8, "--requests", folder / "public", *SHORT]
    out = tmp_path / "notes"
    assert call("generate", folder / "model-other", folder / "other", "-o", out, *asked) == 0
    assert manifest_of(out)["planned_tags"] == told["planned_tags"]


def test_requests_may_be_drawn_from_noised_counts_at_a_price(folder: Path, tmp_path: Path) -> None:
    model, notes = tmp_path / "model", tmp_path / "notes"
    public = ["--vocabulary-text", folder / "public"]
    given = [folder / "one", "-o", model, *PRIVATE, "--requests-epsilon", 2]
    assert call("train", *given) == 2  # the labels would be those of private notes
    assert call("train", *given, *public) == 0
    asked = ["--notes", 8, "--requests", folder / "public", *SHORT]
    assert call("generate", model, folder / "one", "-o", notes, *asked) == 0
    told = manifest_of(notes)["privacy"]
    assert told["requests_epsilon"] == 2 and told["generator_epsilon"] <= 8
    assert told["epsilon"] == told["generator_epsilon"] + 2
    claim, key = tmp_path / "claim", ["--key", folder / "master.key", "--plain"]
    assert call("screen", notes, "--end-to-end", "-o", claim, *key) == 0
    (problem,) = reasons(folder, notes, claim / "screen.json", tmp_path / "a", "--end-to-end")
    assert problem.startswith("epsilon: upper bound is 9.")  # both count


def test_requests_must_be_those_of_the_public_notes(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["--requests", folder / "other"]):
        given = [folder / "model-one", folder / "one", "-o", tmp_path / "notes", "--notes", 4]
        assert call("generate", *given, *SHORT, *more) == 2
        assert "--requests" in capsys.readouterr().err


def test_what_a_generator_read_of_private_notes_is_told(folder: Path, tmp_path: Path) -> None:
    file = ["--vocabulary-text", folder / "public.jsonl"]
    for number, (more, read) in enumerate(((file, []), ([], ["vocabulary"]))):
        model, notes = tmp_path / f"model-{number}", tmp_path / f"notes-{number}"
        assert call("train", folder / "one", "-o", model, *PRIVATE, *more) == 0
        assert call("generate", model, folder / "one", "-o", notes, "--notes", 4, *SHORT) == 0
        told = manifest_of(notes)["read_without_noise"]
        assert set(told) == {
            *read, "labels and kinds", "lengths of entities", "tokens per word", "perplexity",
            "requests", "forms of identifiers",
        }  # fmt: skip


def test_end_to_end_only_what_read_no_private_notes_may_leave(folder: Path, tmp_path: Path) -> None:
    key = ["--key", folder / "master.key", "--plain"]
    claim = tmp_path / "claim"
    assert call("screen", folder / "notes", "--end-to-end", "-o", claim, *key) == 0
    found = reasons(folder, folder / "notes", claim / "screen.json", tmp_path / "a", "--end-to-end")
    assert found == []
    statement = manifest_of(tmp_path / "a")
    assert statement["covered by epsilon"].startswith("the generator and the notes")
    # The same without the claim lacks all attacks.
    found = reasons(folder, folder / "notes", claim / "screen.json", tmp_path / "b")
    assert "membership-auc: not measured" in found
    assert manifest_of(tmp_path / "b")["covered by epsilon"].startswith("the generator alone")
    # A tighter bound holds.
    tight = tmp_path / "tight.toml"
    tight.write_text('[epsilon]\naxis = "privacy"\nat_most = 1\n')
    (problem,) = reasons(
        folder, folder / "notes", claim / "screen.json", tmp_path / "c", "--end-to-end",
        "--requirements", tight,
    )  # fmt: skip
    assert problem.startswith("epsilon: upper bound is ")


def test_end_to_end_nothing_may_be_dropped_or_measured_by_private_notes(
    folder: Path, tmp_path: Path
) -> None:
    key = ["--key", folder / "master.key", "--plain"]
    filtered = tmp_path / "filtered"
    assert call("filter", folder / "notes", folder / "one", "-o", filtered, "--plain") == 0
    assert call("screen", filtered, folder / "one", "-o", tmp_path / "screened", *key) == 0
    found = reasons(
        folder, filtered, tmp_path / "screened" / "screen.json", tmp_path / "a", "--end-to-end"
    )
    assert "end-to-end privacy: copies were dropped by comparison with private notes" in found
    assert any(each.startswith("screen.json: measured with private notes") for each in found)
    assert "epsilon: not measured" in found


def test_the_set_of_the_claim_is_not_to_be_had_without_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = ["--key", folder / "master.key", "--plain"]
    given = ["--measured", "x.json", "-o", tmp_path / "r", "--requirements", "end-to-end"]
    assert call("report", folder / "notes", *given, *key) == 2
    assert "--end-to-end" in capsys.readouterr().err
    assert call("screen", folder / "notes", "-o", tmp_path / "s", *key) == 2
    assert call("screen", folder / "notes", folder / "one", "--end-to-end", "-o", tmp_path / "s",
                *key) == 2  # fmt: skip


def test_codes_of_unknown_kinds_and_labels_are_left_out() -> None:
    codes = "<KIND=letter><CITY_WANTED><COUNT=2><NAME_WANTED><COUNT=1><BODY>"
    known = {"<NAME_WANTED>", "<COUNT=1>", "<COUNT=2>", "<BODY>"}
    assert known_codes(codes, known) == "<NAME_WANTED><COUNT=1><BODY>"
    assert known_codes(codes, {*known, *marks_in(codes)}) == codes
    named = known_codes(codes, {*known, "<KIND=report>"}, "report")
    assert named == "<KIND=report><NAME_WANTED><COUNT=1><BODY>"
    assert known_codes(codes, known, "report") == "<NAME_WANTED><COUNT=1><BODY>"
    assert marks_in("a <LT> 5 > 3 <NAME_START>b") == ["<LT>", "<NAME_START>"]
    assert marks_in("<30% of 14 mL, Tmax> <3.5 ->") == [], "no note is left out for its text"
