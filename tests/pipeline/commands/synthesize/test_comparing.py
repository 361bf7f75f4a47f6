"""Filled letters beside their sources: new ones with proof may leave, copies are held back."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluation.gate import Axis, Measured
from pipeline.cli import main
from record.document import Document
from record.span import Span
from surrogates.keys.keys import new_master
from synthesis.generation_files import manifest_digest, read_generated
from synthesis.masked_letters import FOLDER_FORMAT, save_letters
from synthesis.masking import Masking, mask
from tests.keys import signed

LETTERS = 400
SYLLABLES = "Zor blax quen dol xyv arth plim thurn wex ovich orb usz".split()
WORDS = (
    "fever cough severe pain knee sleep water walking better doctor blood heart pressure".split()
)


def letter(chance: Random) -> list[Any]:
    """The parts of a letter: identifiers with their label, and words."""
    first, last = ("".join(chance.sample(SYLLABLES, 3)).capitalize() for _ in range(2))
    phone = " ".join(f"{chance.randrange(1000, 9999)}" for _ in range(3))
    words = [f" {chance.choice(WORDS)}" for _ in range(14)]
    rest = [" with", *words[:7], ". Then", *words[7:], "."]
    return [
        ("NAME", f"{first} {last}"),
        ("", " ("),
        ("PHONE", phone),
        ("", ") came"),
        *(("", w) for w in rest),
    ]


def written(parts: Any) -> tuple[str, list[Span]]:
    text, spans = "", []
    for label, value in parts:
        if label:
            spans.append(Span(len(text), len(text) + len(value), label))
        text += value
    return text, spans


def line(note_id: str, text: str, spans: list[Span], **more: Any) -> str:
    listed = [{"start": s.start, "end": s.end, "label": s.label} for s in spans]
    return json.dumps({"note_id": note_id, "text": text, "spans": listed, **more}) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Masked letters of 400 patients, what was filled from them, and people's annotation."""
    folder = tmp_path_factory.mktemp("comparing")
    chance = random.Random(4)
    sources = [letter(chance) for _ in range(LETTERS)]
    masked, gold = [], ""
    for number, parts in enumerate(sources):
        text, spans = written(parts)
        document = Document(f"n{number}", text, f"p{number}", lang="en")
        masked.append(mask(document, spans, (), Masking()))
        if number % 2:
            gold += line(f"n{number}", text, spans)
    save_letters(masked, folder / "masked", {"corpus_sha256": "c"})
    (folder / "gold.jsonl").write_text(gold)
    new = [letter(chance) for _ in range(LETTERS)]
    for made, source in zip(new, sources, strict=True):
        made[4:16] = source[4:16]  # the medicine stays, of the rest half
    filled(folder, "new", new)
    filled(folder, "copies", [*new[20:], *sources[-20:]], range(20, LETTERS))
    new_master(folder / "master.key")
    return folder


def filled(folder: Path, name: str, letters: list[Any], order: range = range(LETTERS)) -> None:
    """What `synthesize fill` would have written."""
    place = folder / name
    place.mkdir()
    numbers = [*order, *range(LETTERS - 20, LETTERS)][: len(letters)]
    lines = [
        line(f"s{n}", *written(parts), lang="en", synthetic={"letter": number, "copy": 0})
        for n, (number, parts) in enumerate(zip(numbers, letters, strict=True))
    ]
    content = "".join(lines).encode()
    (place / "notes.jsonl").write_bytes(content)
    manifest = {
        "format": 1, "what": "synthetic letters, masked and filled", "model_sha256": "m",
        "notes_sha256": hashlib.sha256(content).hexdigest(), "corpus_sha256": "c", "seed": 1,
        "masked_sha256": FOLDER_FORMAT.digest(folder / "masked"), "decoding": {}, "privacy": None,
    }  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(manifest))


def compared(folder: Path, name: str, *options: object) -> Path:
    out = folder / f"compared-{name}{len(options)}"
    words = ["synthesize", "compare", str(folder / name), str(folder / "masked"), "-o", str(out)]
    words += ["--key", str(folder / "master.key")]
    assert main([*words, *map(str, options)]) == 0
    return out / "compare.json"


def numbers(path: Path) -> dict[Any, Any]:
    return {each["name"]: each for each in json.loads(path.read_text())["measured"]}


@pytest.fixture(scope="module")
def proven(folder: Path) -> Path:
    """New letters, compared, with annotation."""
    return compared(folder, "new", "--gold", folder / "gold.jsonl")


def reported(
    folder: Path, name: str, *measured: Path, out: str = "report", more: Sequence[str] = ()
) -> tuple[int, Path]:
    data = json.loads((folder / name / "manifest.json").read_text())["notes_sha256"]
    worth = Measured("filled-over-real", Axis.UTILITY, -0.01, -0.03, 0.01, data, 3)
    utility = folder / f"utility-{name}.json"
    manifest = manifest_digest(read_generated(folder / name))
    others = [
        Measured(each, axis, value, value, value, data, null=0.0, control=1.0)
        for each, axis, value in (
            ("distinct-fills", Axis.RESEMBLANCE, 200.0),
            ("most-frequent-fills", Axis.RESEMBLANCE, 0.1),
            ("medical-terms-kept", Axis.UTILITY, 1.0),
            ("copied-passages", Axis.PRIVACY, 0.0),
            ("dropped-share", Axis.RESEMBLANCE, 0.0),
            ("refused-share", Axis.RESEMBLANCE, 0.0),
        )
    ]
    told = {"manifest": manifest, "measured": list(map(asdict, [worth, *others]))}
    utility.write_text(signed(told, folder / "master.key"))
    code = main([
        "synthesize", "report", str(folder / name), "-o", str(folder / out), "--key",
        str(folder / "master.key"), "--measured", *map(str, (*measured, utility)), *more,
    ])  # fmt: skip
    return code, (folder / out / "report.json")


def test_new_letters_with_proof_may_leave(folder: Path, proven: Path) -> None:
    code, report = reported(folder, "new", proven)
    told = json.loads(report.read_text())
    assert (told["reasons"], told["verdict"], code) == ([], "RELEASE", 0)
    assert told["about"]["what"] == "synthetic letters, masked and filled"
    found = numbers(proven)
    assert found["masker-recall"]["value"] == found["letters-masked"]["value"] == 1
    assert found["masker-recall"]["detail"]["persons"] == LETTERS / 2
    assert found["identifiers-kept"]["control"] == found["reproduced-pieces"]["control"] == 1
    assert found["linked-to-source"]["value"] > 0.9, "it is said that they can be linked"
    assert 0.5 < found["rouge-l"]["value"] < found["rouge-1"]["value"] < 1
    assert found["rouge-l"]["null"] < found["rouge-l"]["value"]


def test_what_nobody_proved_holds(folder: Path, proven: Path) -> None:
    held = numbers(proven)
    without = [each for each in held.values() if each["axis"] != "detection"]
    told = {"manifest": manifest_digest(read_generated(folder / "new")), "measured": without}
    (folder / "without.json").write_text(signed(told, folder / "master.key"))
    code, report = reported(folder, "new", folder / "without.json", out="without")
    assert code == 1
    assert json.loads(report.read_text())["reasons"] == ["masker-recall: not measured"]


def test_letters_with_copies_are_held(folder: Path) -> None:
    path = compared(folder, "copies", "--gold", folder / "gold.jsonl")
    code, report = reported(folder, "copies", path, out="copies-report")
    assert code == 1
    reasons = " ".join(json.loads(report.read_text())["reasons"])
    for name in ("direct-reproduced-pieces", "direct-shared-7-characters", "identifiers-kept"):
        assert f"{name}: upper bound above null is" in reasons
    assert numbers(path)["reproduced-pieces"]["value"] >= 20 / LETTERS


def test_the_measure_of_filled_letters_is_not_for_generated_ones(
    folder: Path, proven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder / "generated"
    place.mkdir()
    for path in (folder / "new").iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((place / "manifest.json").read_text())
    del manifest["masked_sha256"]
    (place / "manifest.json").write_text(json.dumps(manifest))
    more = ("--requirements", "filled")
    assert reported(folder, "generated", proven, out="no", more=more)[0] == 2
    assert "is for letters that `synthesize fill` wrote" in capsys.readouterr().err
    assert reported(folder, "generated", proven, out="held")[0] == 1


def test_what_does_not_belong_together_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, spans = written(letter(random.Random(1)))
    document = Document("n0", "Mr " + "x" * 80, "p0")
    save_letters([mask(document, spans, (), Masking())], tmp_path / "other", {})
    words = ["synthesize", "compare", str(folder / "new")]
    assert main([*words, str(tmp_path / "other"), "-o", str(tmp_path / "out")]) == 2
    assert "not what these letters were filled from" in capsys.readouterr().err
    (tmp_path / "gold.jsonl").write_text(line("unknown", "a b", []))
    words += [str(folder / "masked"), "-o", str(tmp_path / "out")]
    assert main([*words, "--gold", str(tmp_path / "gold.jsonl")]) == 2
    assert "has none of the letters" in capsys.readouterr().err
    assert main([*words, "--lang", "xx"]) == 2
    assert not (tmp_path / "out").exists()


def test_a_letter_that_lost_an_identifier_cannot_be_compared(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "lost"
    place.mkdir()
    first, *rest = (folder / "new" / "notes.jsonl").read_text().splitlines(keepends=True)
    note = json.loads(first)
    note["spans"].append({"start": 0, "end": 3, "label": "PHONE"})
    (place / "notes.jsonl").write_text(json.dumps(note) + "\n" + "".join(rest))
    manifest = (folder / "new" / "manifest.json").read_bytes()
    (place / "manifest.json").write_bytes(manifest)
    words = ["synthesize", "compare", str(place), str(folder / "masked")]
    assert main([*words, "-o", str(tmp_path / "out")]) == 2
    assert "note s0: has 2 PHONE for 1" in capsys.readouterr().err


def test_no_text_in_what_is_told(folder: Path, proven: Path) -> None:
    reported(folder, "new", proven)
    for path in [proven, *(folder / "report").iterdir()]:
        told = path.read_text().lower()
        assert not any(word in told for word in ("thurn", "ovich", "fever", "p17"))


def test_letters_annotated_for_a_demonstration_are_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = [json.loads(each) for each in (folder / "gold.jsonl").read_text().splitlines()]
    gold[-1]["annotator"] = "demo"
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(each) + "\n" for each in gold))
    words = ["synthesize", "compare", str(folder / "new"), str(folder / "masked"), "-o"]
    words += [str(tmp_path / "out"), "--gold", str(tmp_path / "gold.jsonl")]
    assert main(words) == 2
    assert "belongs to a demonstration" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
