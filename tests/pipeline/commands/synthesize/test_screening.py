"""Synthetic notes are screened and judged: copies are held back, new notes with proof may leave."""

import hashlib
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from evaluation.gate import Axis, Measured
from evaluation.utility.agreement import QUESTIONS
from pipeline.cli import main
from pipeline.config.signing import verify_statement
from pipeline.files.jsonl import spans_to_json
from pipeline.reports.review_pages import TRIALS
from pipeline.synthetic.measurements import tag_agreement
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span
from surrogates.keys.keys import new_master
from synthesis.corpus_splitting import split_notes
from synthesis.generation_files import manifest_digest, read_generated
from synthesis.prepared_corpus import digest, save_corpus
from tests.keys import signed

# Without digits, of which all are one to the search for passages.
WORDS = [f"word{chr(97 + number // 20)}{chr(97 + number % 20)}" for number in range(300)]
CANARY = "zebulonquist"
WHY = "the <same> words"


LABELS = ("AGE", "CITY", "DATE", "ID", "NAME", "PHONE")


def text_of(chance: Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(50, 90)))


def spans_of(text: str, chance: Random) -> tuple[Span, ...]:
    """Some words as entities, seldom as many of each label as in another note."""
    places = [match.span() for match in re.finditer(r"\w+", text)][1:]
    labels = [label for label in LABELS for _ in range(chance.randint(0, 4))]
    chosen = sorted(chance.sample(places, len(labels)))
    chance.shuffle(labels)
    return tuple(Span(*place, label) for place, label in zip(chosen, labels, strict=True))


@pytest.fixture(scope="module", autouse=True)
def _detectors_find_what_is_marked() -> Iterator[None]:
    """These words are no names: what detectors find of them is not tested here."""

    def find(notes: Sequence[tuple[Annotated, bytes]], finder: object) -> list[tuple[Span, ...]]:
        return [tuple(note.spans) for note, _ in notes]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tag_agreement, "_find", find)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 600 notes of 300 patients, a key, 500 new notes and 500 with copies."""
    folder = tmp_path_factory.mktemp("screening")
    chance = random.Random(2)
    texts = [f"{CANARY} {text_of(chance)}" for _ in range(600)]
    notes = [
        Annotated(Document(f"{number}", text, f"p{number // 2}"), spans_of(text, chance))
        for number, text in enumerate(texts)
    ]
    save_corpus(split_notes(notes, seed=1), folder / "corpus", {"inside": True})
    new_master(folder / "master.key")
    new = [text_of(chance) for _ in range(500)]
    generated(folder, "new", new)
    generated(folder, "copies", [*new[:480], *(note.document.text for note in notes[:20])])
    return folder


def generated(folder: Path, name: str, texts: list[str]) -> None:
    """What generation would have written."""
    place = folder / name
    place.mkdir()
    chance = random.Random(3)
    lines = [
        json.dumps(
            {
                "note_id": f"s{number}",
                "text": text,
                "spans": spans_to_json(spans_of(text, chance)),
            }
        )
        for number, text in enumerate(texts)
    ]
    content = ("\n".join(lines) + "\n").encode()
    (place / "notes.jsonl").write_bytes(content)
    manifest = {
        "format": 1, "notes_sha256": hashlib.sha256(content).hexdigest(), "model_sha256": "m",
        "corpus_sha256": digest(folder / "corpus"), "seed": 1, "decoding": {"method": "nucleus"},
        "privacy": None, "base_sha256": None, "well_formed": 1.0, "tags": {"distance": 0.01},
    }  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(manifest))


def synthesize(*words: object) -> int:
    return main(["synthesize", *map(str, words)])


def filtered(folder: Path, name: str) -> str:
    """The folder without copies, by name."""
    out = folder / f"filtered-{name}"
    if not out.exists():
        words = [folder / name, folder / "corpus", "-o", out]
        assert synthesize("filter", *words, "--agreement", "--model", "none") == 0
    return out.name


def screened(folder: Path, name: str) -> Path:
    out = folder / f"screened-{name}"
    if not out.exists():
        key = ["--key", folder / "master.key"]
        assert synthesize("screen", folder / name, folder / "corpus", "-o", out, *key) == 0
    return out


def reviewed(folder: Path, name: str, *, sees: int = 5, finds: int = 1, readers: int = 2) -> Path:
    """A review by so many readers, by what they answer of copies, and of what they are asked."""
    place = screened(folder, name)
    pairs = [json.loads(line) for line in (place / "review.jsonl").read_text().splitlines()]
    digest_of_pairs = hashlib.sha256((place / "review.jsonl").read_bytes()).hexdigest()
    files = []
    for reader in range(readers):
        answers = [
            {
                "pair": pair["pair"],
                "trial": number < TRIALS,
                "scores": dict.fromkeys(QUESTIONS, {"copy": sees, "": finds}.get(pair["known"], 1)),
                "why": f"{WHY} {pair['pair']}" if pair["known"] == "copy" else " ",
            }
            for number, pair in enumerate(pairs)
        ]
        files.append(place / f"reviewer-{reader}.json")
        told = {"reviewer": f"{reader}", "review": digest_of_pairs, "answers": answers}
        files[-1].write_text(json.dumps(told))
    out = place / f"agreement-{sees}-{finds}-{readers}.json"
    given = ["-o", out, "--pairs", place / "review.jsonl", "--key", folder / "master.key"]
    given += ["--reasons", place / "reasons.html"]
    assert synthesize("agreement", *files, *given) == 0
    return out


def test_without_the_extra_it_says_how_to_install_it(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("evaluation.attacks.proximity", "pipeline.synthetic.measurements.screening"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "bm25s", None)
    places = [str(folder / "new"), str(folder / "corpus"), "-o", str(tmp_path / "out")]
    assert main(["synthesize", "screen", *places]) == 2
    assert "pip install 'cryptonym[models]'" in capsys.readouterr().err


def reported(folder: Path, name: str, *measured: Any) -> Any:
    files = [screened(folder, name) / "screen.json", fluency(folder, name), *measured]
    out = ["-o", folder / f"report-{name}", "--key", folder / "master.key"]
    return synthesize("report", folder / name, *out, "--measured", *files)


def fluency(folder: Path, name: str) -> Path:
    """What `synthesize fluency` would have found in notes that read well, once for all tests."""
    path = folder / f"fluency-{name}.json"
    if not path.exists():
        data = json.loads((folder / name / "manifest.json").read_text())["notes_sha256"]
        found = [
            Measured(name, axis, value, value, value, data, null=0.0)
            for name, axis, value in (
                ("non-words", Axis.RESEMBLANCE, 0.0),
                ("distinct-4-grams", Axis.RESEMBLANCE, 1.0),
                ("well-formed-identifiers", Axis.DETECTION, 1.0),
                ("self-contradictions", Axis.RESEMBLANCE, 0.0),
                ("refused-share", Axis.RESEMBLANCE, 0.0),
            )
        ]
        manifest = manifest_digest(read_generated(folder / name))
        told = {"manifest": manifest, "measured": list(map(asdict, found))}
        path.write_text(signed(told, folder / "master.key"))
    return path


def utility(folder: Path, name: str, key: str = "master.key") -> Path:
    """A file of measurements, as another run writes it."""
    data = json.loads((folder / name / "manifest.json").read_text())["notes_sha256"]
    worth = asdict(Measured("utility-of-real", Axis.UTILITY, 0.9, 0.88, 0.92, data))
    told = {"manifest": manifest_digest(read_generated(folder / name)), "measured": [worth]}
    path = folder / f"utility-{name}-{key}.json"
    path.write_text(signed(told, folder / key))
    return path


def unsigned(path: Path) -> dict[str, Any]:
    """The content of a file of measurements, without its signature."""
    content: dict[str, Any] = json.loads(path.read_text())
    return {name: held for name, held in content.items() if name != "signed"}


def changed(folder: Path, name: str, out: Path, **fields: Any) -> Path:
    """The notes of a folder, with another manifest."""
    out.mkdir()
    (out / "notes.jsonl").write_bytes((folder / name / "notes.jsonl").read_bytes())
    manifest = json.loads((folder / name / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps(manifest | fields))
    return out


def judged(folder: Path, place: Path, *measured: Path) -> list[str]:
    """The reasons against notes."""
    out = ["-o", place / "report", "--key", folder / "master.key"]
    code = synthesize("report", place, *out, "--measured", *measured)
    reasons: list[str] = json.loads((place / "report" / "report.json").read_text())["reasons"]
    assert code == bool(reasons)
    return reasons


def proven(folder: Path, name: str) -> list[Path]:
    return [utility(folder, name), reviewed(folder, name)]


def report_of(folder: Path, name: str) -> Any:
    return json.loads((folder / f"report-{name}" / "report.json").read_text())


def test_what_was_not_measured_holds(folder: Path) -> None:
    name = filtered(folder, "new")
    assert reported(folder, name) == 1
    assert report_of(folder, name)["reasons"] == [
        "utility-of-real: not measured",
        "review-breaches: not measured",
    ]
    assert reported(folder, "new", *proven(folder, "new")) == 1
    assert report_of(folder, "new")["reasons"] == [
        "dropped-share: not measured",
        "disagreement-share: not measured",
    ]


def test_new_notes_with_proof_may_leave(folder: Path) -> None:
    name = filtered(folder, "new")
    assert reported(folder, name, *proven(folder, name)) == 0
    report = report_of(folder, name)
    assert (report["verdict"], report["reasons"]) == ("RELEASE", [])
    assert all(row["asked"] and not row["problems"] for row in report["measured"])


def test_copies_are_held_until_they_are_dropped(folder: Path) -> None:
    assert reported(folder, "copies", *proven(folder, "copies")) == 1
    reasons = report_of(folder, "copies")["reasons"]
    assert "copied-passages: upper bound is 0.04, at most 0 required" in reasons
    name = filtered(folder, "copies")
    manifest = json.loads((folder / name / "manifest.json").read_text())
    about = manifest["filtered"]
    assert (about["read"], about["dropped"], about["patients"]) == (500, 20, 10)
    assert about["most_of_a_patient"] == 2
    assert len((folder / name / "notes.jsonl").read_text().splitlines()) == 480
    dropped = folder / name / "dropped.jsonl"
    assert len(dropped.read_text().splitlines()) == 20
    assert dropped.stat().st_mode & 0o077 == 0
    reported(folder, name, *proven(folder, name))
    assert not any(each.startswith("copied") for each in report_of(folder, name)["reasons"])


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"finds": 4}, "review-breaches: upper bound is 1, at most 0 required"),
        ({"sees": 2}, "review-breaches: does not detect a known leak"),
        ({"readers": 1}, "review-breaches: not measured"),
    ],
)
def test_what_reviewers_say_counts(folder: Path, answers: dict[str, int], reason: str) -> None:
    name = filtered(folder, "new")
    review = reviewed(folder, name, **answers)
    assert reported(folder, name, utility(folder, name), review) == 1
    assert any(each.startswith(reason) for each in report_of(folder, name)["reasons"])


def test_reasons_are_shown_to_their_owner_and_measured_by_nothing(folder: Path) -> None:
    name = filtered(folder, "new")
    measured = reviewed(folder, name).read_text()
    page = screened(folder, name) / "reasons.html"
    shown = page.read_text()
    assert shown.count("the &lt;same&gt; words") == 2 * 3  # readers, copies among the pairs
    assert page.stat().st_mode & 0o077 == 0
    assert WHY not in measured and "reason" not in measured


def test_answers_to_other_pairs_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reviewed(folder, filtered(folder, "new"))
    reviewed(folder, "copies")
    answers = screened(folder, "filtered-new") / "reviewer-0.json"
    pairs = screened(folder, "copies") / "review.jsonl"
    assert synthesize("agreement", answers, "--pairs", pairs, "-o", folder / "none.json") == 2
    assert "answers other pairs" in capsys.readouterr().err


def test_an_edited_measurement_and_one_of_another_key_hold(folder: Path) -> None:
    name = filtered(folder, "new")
    edited = folder / "edited.json"
    new_master(folder / "another.key")
    review = reviewed(folder, name)
    for content in (
        utility(folder, name).read_text().replace("0.92", "0.93"),
        utility(folder, name, "another.key").read_text(),
        json.dumps(unsigned(utility(folder, name))),
    ):
        edited.write_text(content)
        assert reported(folder, name, edited, review) == 1
        assert report_of(folder, name)["reasons"] == [
            "utility-of-real: not measured",
            "edited.json: not signed under this key, or changed since",
        ]
    assert reported(folder, name, utility(folder, "copies"), review) == 1
    assert "holds measurements of other notes" in report_of(folder, name)["reasons"][-1]


PATIENT = {
    "epsilon": 4, "unit": "patient", "delta": 1e-4, "patients": 900, "patient_notes": 10,
    "sample_rate": 0.1, "steps": 30, "clip": 1.0, "noise_multiplier": 0.9,
}  # fmt: skip


@pytest.mark.parametrize(
    ("privacy", "most", "problem"),
    [
        ({"epsilon": 4, "unit": "note"}, 1, ""),
        ({"epsilon": 4, "unit": "note"}, 2, "privacy: epsilon is stated for a note"),
        ({"epsilon": 4, "unit": "note"}, None, "privacy: epsilon is stated for a note"),
        (PATIENT, 2, ""),
        (PATIENT, None, ""),
        ({**PATIENT, "unit": "sentence"}, 1, "privacy: the manifest does not tell for whom"),
        ({"epsilon": 4}, 1, "privacy: the manifest does not tell for whom"),
        (
            {key: value for key, value in PATIENT.items() if key != "patient_notes"},
            2,
            "privacy: the manifest does not tell patient_notes",
        ),
        ({**PATIENT, "delta": 1e-3, "patients": 1000}, 1, "privacy: delta is not below one"),
    ],
)
def test_a_budget_holds_that_is_stated_for_less_than_a_patient(
    folder: Path, tmp_path: Path, privacy: dict[str, Any], most: int | None, problem: str
) -> None:
    told: dict[str, Any] = {"privacy": privacy, "most_notes_of_a_patient": most}
    told["read_without_noise"] = []
    assert held_for(folder, tmp_path, told, problem)


@pytest.mark.parametrize(
    ("read", "problem"),
    [
        ([], ""),
        (["requests"], "privacy: read without noise: requests"),
        (["vocabulary", "requests"], "privacy: read without noise: vocabulary, requests"),
        (None, "privacy: read without noise: unknown"),
    ],
)
def test_what_was_read_without_noise_holds(
    folder: Path, tmp_path: Path, read: list[str] | None, problem: str
) -> None:
    told = {"privacy": PATIENT, "most_notes_of_a_patient": 2, "read_without_noise": read}
    assert held_for(folder, tmp_path, told, problem)


def held_for(folder: Path, tmp_path: Path, told: dict[str, Any], problem: str) -> bool:
    """Whether notes with such a manifest are held for this problem alone, or not held if empty."""
    name = filtered(folder, "new")
    place = changed(folder, name, tmp_path / "private", **told)
    files = []
    read = fluency(folder, name)
    for path in [screened(folder, name) / "screen.json", read, *proven(folder, name)]:
        # As if the notes had been measured with this manifest.
        content = unsigned(path) | {"manifest": manifest_digest(read_generated(place))}
        files.append(place / path.name)
        files[-1].write_text(signed(content, folder / "master.key"))
    (reason,) = judged(folder, place, *files) or [""]
    return reason.startswith(problem) and bool(reason) is bool(problem)


@pytest.mark.parametrize(
    "fields",
    [{"canaries": None}, {"privacy": {"epsilon": 1}}, {"base_sha256": "b"}, {"seed": 2}],
)
def test_a_manifest_that_was_changed_since_any_measurement_holds(
    folder: Path, tmp_path: Path, fields: dict[str, Any]
) -> None:
    name = filtered(folder, "new")
    files = [screened(folder, name) / "screen.json", *proven(folder, name)]
    place = changed(folder, name, tmp_path / "edited", **fields)
    reasons = judged(folder, place, *files)
    problem = "the manifest of the notes is not the one it was made of"
    assert {f"{path.name}: {problem}" for path in files} <= set(reasons)
    nameless = tmp_path / "nameless.json"
    content = unsigned(files[0])
    del content["manifest"]
    nameless.write_text(signed(content, folder / "master.key"))
    assert f"nameless.json: {problem}" in judged(folder, place, nameless)


def test_what_was_measured_with_another_corpus_holds(folder: Path, tmp_path: Path) -> None:
    name = filtered(folder, "new")
    other = tmp_path / "other.json"
    content = unsigned(screened(folder, name) / "screen.json") | {"corpus": "b"}
    other.write_text(signed(content, folder / "master.key"))
    reasons = judged(folder, changed(folder, name, tmp_path / "same"), other, *proven(folder, name))
    assert "other.json: measured with another corpus than the notes are from" in reasons
    assert "copied-passages: not measured" in reasons


@pytest.mark.parametrize("learnt", ["b", None])
def test_notes_of_a_model_of_another_corpus_hold(
    folder: Path, tmp_path: Path, learnt: str | None
) -> None:
    place = changed(folder, "new", tmp_path / "other", learnt_corpus_sha256=learnt)
    reasons = judged(folder, place, utility(folder, "new"))
    assert "the model learnt from another corpus than the notes are compared with" in reasons


def test_the_pairs_to_read_hold_the_copies_and_nobody_else_may_read_them(folder: Path) -> None:
    review = screened(folder, "copies") / "review.jsonl"
    assert review.stat().st_mode & 0o077 == 0
    pairs = [json.loads(line) for line in review.read_text().splitlines()]
    assert sum(pair["synthetic"] == pair["real"] for pair in pairs) >= 12  # 20, those in train


def test_no_text_in_what_is_told(folder: Path) -> None:
    reported(folder, "copies", *proven(folder, "copies"))
    for path in [screened(folder, "copies") / "screen.json", *(folder / "report-copies").iterdir()]:
        assert CANARY not in path.read_text()
        assert WORDS[17] not in path.read_text()


def test_the_report_stands_alone(folder: Path) -> None:
    name = filtered(folder, "new")
    reported(folder, name, *proven(folder, name))
    page = (folder / f"report-{name}" / "report.html").read_text()
    assert "RELEASE" in page
    # It sorts its tables by a script of its own.
    assert not re.search(r"(?:src|href)=", page)


def test_the_manifest_is_signed_and_vouches_for_the_report(folder: Path) -> None:
    name = filtered(folder, "new")
    reported(folder, name, *proven(folder, name))
    place = folder / f"report-{name}"
    statement = json.loads((place / "manifest.json").read_text())
    assert (
        statement["report_sha256"]
        == hashlib.sha256((place / "report.json").read_bytes()).hexdigest()
    )
    # As somebody without our code would check it.
    rest = {
        key: value for key, value in statement.items() if key not in ("public_key", "signature")
    }
    said = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(statement["public_key"]))
    key.verify(bytes.fromhex(statement["signature"]), said)
    verify_statement(statement, statement["public_key"])
    for changed in ({"verdict": "HOLD"}, {"signature": "00"}, {"new": 1}):
        with pytest.raises(ConfigError, match="invalid for this statement and key"):
            verify_statement(statement | changed, statement["public_key"])


@pytest.mark.parametrize("what", ["notes", "damaged"])
def test_changed_notes_and_files_of_something_else_are_refused(
    folder: Path, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = screened(folder, "new") / "screen.json"
    place = folder / "new"
    if what == "notes":
        place = tmp_path / "changed"
        place.mkdir()
        for path in (folder / "new").iterdir():
            (place / path.name).write_bytes(path.read_bytes())
        with (place / "notes.jsonl").open("a") as file:
            file.write('{"note_id": "x", "text": "more"}\n')
        words = [place, folder / "corpus", "-o", tmp_path / "filtered"]
        assert synthesize("filter", *words) == 2
    else:
        measured = tmp_path / "damaged.json"
        measured.write_text('{"measured": [{"name": 3}]}')
    out = ["-o", tmp_path / "no", "--key", folder / "master.key"]
    assert synthesize("report", place, *out, "--measured", measured) == 2
    problem = {"notes": "has changed", "damaged": "holds no measurements"}
    assert problem[what] in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_the_corpus_must_be_the_one_that_was_learnt_from(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(5)
    notes = [Annotated(Document(note_id=str(n), text=text_of(chance)), ()) for n in range(60)]
    save_corpus(split_notes(notes, seed=1), tmp_path / "other", {"inside": True})
    words = ["synthesize", "screen", str(folder / "new"), str(tmp_path / "other")]
    assert main([*words, "-o", str(tmp_path / "out")]) == 2
    assert "not the corpus" in capsys.readouterr().err
