"""From a corpus to masked letters to synthetic ones: nothing of the person is left, all else is."""

import json
import re
from collections.abc import Sequence
from datetime import date
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
from rapidfuzz.distance import OSA

from pipeline.cli import main
from pipeline.synthetic import letter_filling
from record.document import Annotated, Document
from record.folding import fold
from record.span import Span
from synthesis.masked_letters import load_letters
from synthesis.masking import Phase
from tests.keys import make_key
from tests.synthesis.letters import read_lines
from tests.synthesis.test_synthesize_commands import write

GIVEN = ("Ana", "Luis", "Marta", "Pablo", "Rosa", "Juan")
FAMILY = ("Villanueva", "Carrasco", "Montenegro", "Sandoval", "Betancourt", "Escudero")
COUNTRIES = ("España", "Portugal")
LINES = (
    "Refiere dolor abdominal intenso con fiebre desde ayer.",
    "La exploración del abdomen muestra defensa muscular.",
    "Se trata con paracetamol y dieta blanda durante semanas.",
    "Buena evolución clínica durante el ingreso.",
)
TINY = ["--recipe", "masked", "--width", "32", "--layers", "1", "--heads", "2", "--context", "64"]
TINY += ["--epochs", "2", "--rate", "0.01", "--plain"]


def letter(number: int, chance: Random) -> tuple[Annotated, dict[str, str]]:
    """A letter in which only the first mention of each identifier is marked."""
    patient = Random(number // 2)
    names = {"FIRST_NAME": patient.choice(GIVEN), "LAST_NAME": patient.choice(FAMILY)}
    day = chance.randint(1, 9)
    parts = [
        ("", "Paciente: "), ("FIRST_NAME", names["FIRST_NAME"]), ("", " "),
        ("LAST_NAME", names["LAST_NAME"]), ("", "\nTeléfono: "),
        ("PHONE", f"6{patient.randint(10**7, 10**8 - 1)}"),
        ("", "\nIngreso: "), ("DATE", f"0{day}/03/2021"),
        ("", "\nAlta: "), ("DATE", f"{day + 10}/03/2021"),
        ("", "\nPaís: "), ("COUNTRY", patient.choice(COUNTRIES)), ("", ".\n"),
        ("", " ".join(chance.sample(LINES, 3))),
        ("", f"\nLa señora {names['LAST_NAME'].upper()} volverá."),
        ("", f" Dra. {names['LAST_NAME'][:-1]}z."),
    ]  # fmt: skip
    text, spans = "", []
    for label, words in parts:
        if label:
            spans.append(Span(len(text), len(text) + len(words), label))
        text += words
    document = Document(f"n{number}", text, f"p{number // 2}", lang="es", kind="alta")
    return Annotated(document, tuple(spans)), names


def call(*words: object) -> int:
    return main(["synthesize", *map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, a small model that learnt from it, masked letters and a key."""
    made = tmp_path_factory.mktemp("fill")
    chance = Random(1)
    notes = write(made / "notes.jsonl", [letter(n, chance)[0] for n in range(44)])
    told = ["--inside", "--lang", "es", "--plain"]
    assert call("prepare", notes, "-o", made / "corpus", *told) == 0
    assert call("train", made / "corpus", "-o", made / "model", *TINY) == 0
    assert call("mask", made / "corpus", "-o", made / "masked", "--plain") == 0
    make_key(made / "master.key", "letters")
    return made


def fill(folder: Path, out: Path, *more: object) -> int:
    options = ["--window", 64, "--batch", 8, "--plain", *more]
    if "model" not in more:
        options += ["--key", folder / "master.key", "--cohort", "letters"]
    return call("fill", folder / "model", folder / "masked", "-o", out, *options)


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """Two iterative letters of each masked one."""
    assert fill(folder, folder / "whole", "--method", "iterative", "--copies", 2) == 0
    return folder / "whole"


def made_in(out: Path) -> list[Annotated]:
    return [line.annotated for line in read_lines(out / "notes.jsonl")]


def test_filled_letters_pass_the_filter_of_copies(folder: Path, whole: Path) -> None:
    assert call("filter", whole, folder / "corpus", "-o", folder / "filtered", "--plain") == 0
    told = json.loads((folder / "filtered" / "manifest.json").read_text())
    assert told["filtered"]["dropped"] == 0 and told["filtered"]["read"] == len(made_in(whole))
    assert told["fills"]["medical_kept"] > 0.9
    lines = (whole / "notes.jsonl").read_text().splitlines()
    assert all("filled" not in json.loads(line)["synthetic"] for line in lines)


# Masking


def test_every_form_of_an_identifier_is_masked_and_medicine_stays(folder: Path) -> None:
    letters = load_letters(folder / "masked")
    assert len(letters.letters) > 15
    for each in letters.letters:
        shown = fold(each.render())
        text = each.document.text
        for span in each.identifiers[:5]:
            assert fold(text[span.start : span.end]) not in shown
        # Once in capitals and once misspelt: neither was marked.
        assert sum(span.label == "LAST_NAME" for span in each.identifiers) == 3
        assert ("paracetamol" in text) == ("paracetamol" in shown)
        assert {each.reason for each in each.decisions if each.phase is Phase.SPEECH} == {"CONTENT"}
    masking = letters.manifest["masking"]
    assert masking["taggers"] == {"es": "function words of es"}
    assert letters.manifest["origin"]["inside"] is True
    counts = {(e["reason"], e["masked"]): e["count"] for e in letters.manifest["words"]}
    gone, kept = counts["CONTENT", True], counts["CONTENT", False]
    assert 0.6 < gone / (gone + kept) <= 0.7
    assert (folder / "masked" / "letters.jsonl").stat().st_mode & 0o077 == 0


def test_the_seed_decides_what_is_masked(folder: Path, tmp_path: Path) -> None:
    told = [(folder / "masked" / "letters.jsonl").read_bytes()]
    for seed in (1, 2):
        out = tmp_path / str(seed)
        assert call("mask", folder / "corpus", "-o", out, "--seed", seed, "--plain") == 0
        told.append((out / "letters.jsonl").read_bytes())
    assert told[0] == told[1] != told[2]


def test_what_nobody_can_tell_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["mask", folder / "corpus", "-o", tmp_path / "out", "--plain"]
    assert call(*asked, "--speech", "NOUN=0.5") == 2
    assert "no tagger tells NOUN in letters in es" in " ".join(capsys.readouterr().err.split())
    assert call(*asked, "--pipeline", "es=no_such_pipeline") == 2
    assert call("mask", folder / "corpus", "-o", folder / "model", "--plain") == 2
    assert not (tmp_path / "out").exists()


# Training


def test_a_grid_is_searched_and_goes_on(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "grid.toml").write_text("psi = [0.3, 0.6]\nphi = [0.75]\n")
    asked = ["train", folder / "corpus", "-o", tmp_path / "found", *TINY]
    asked += ["--grid", tmp_path / "grid.toml"]
    assert call(*asked) == 0
    report = json.loads((tmp_path / "found" / "grid.json").read_text())
    trials = {each["name"]: each for each in report["trials"]}
    assert set(trials) == {"psi=0.3,phi=0.75", "psi=0.6,phi=0.75"}
    lowest = min(trials.values(), key=lambda each: each["perplexity"])
    assert report["best"] == lowest["name"]
    curves = [
        json.loads((tmp_path / "found" / "trials" / name / "training.json").read_text())
        for name in trials
    ]
    # Judged alike before anything is learnt; then the share of masks matters.
    assert curves[0]["perplexity"][0] == curves[1]["perplexity"][0]
    assert curves[0]["perplexity"][1:] != curves[1]["perplexity"][1:]
    assert call(*asked) == 2  # it is finished
    (tmp_path / "found" / "grid.json").unlink()
    (tmp_path / "found" / "trials" / lowest["name"] / "training.json").rename(tmp_path / "t")
    assert call(*asked) == 0
    assert json.loads((tmp_path / "found" / "grid.json").read_text()) == report
    assert (tmp_path / "found" / "masked.json").exists()
    (tmp_path / "grid.toml").write_text("depth = [3]\n")
    asked[3] = tmp_path / "other"
    assert call(*asked) == 2
    assert "grid.depth" in capsys.readouterr().err


# Filling


def test_all_but_the_places_stays_byte_for_byte(folder: Path, whole: Path) -> None:
    letters = load_letters(folder / "masked").letters
    made = made_in(whole)
    assert len(made) == 2 * len(letters)
    others = 0
    for place, note in enumerate(made):
        source = letters[place // 2]
        text, at, pattern = source.document.text, 0, ""
        for each in source.decisions:
            if each.is_masked:
                pattern += re.escape(text[at : each.start]) + r"(?s:.+?)"
                at = each.end
        others += re.fullmatch(pattern + re.escape(text[at:]), note.document.text) is None
        assert "<mask>" not in note.document.text
    # But where a word that was not masked had to go, to break a passage.
    told = json.loads((whole / "manifest.json").read_text())["fills"]
    assert others <= told["opened"] < told["places"] / 20


def test_no_identifier_of_the_source_is_in_any_letter(folder: Path, whole: Path) -> None:
    letters = load_letters(folder / "masked").letters
    for place, note in enumerate(made_in(whole)):
        source = letters[place // 2]
        folded = fold(note.document.text)
        words = set(re.findall(r"\w+", folded))
        for span in source.identifiers:
            value = fold(source.document.text[span.start : span.end])
            if value == "espana":  # where all surrogate places lie
                assert value in folded
                continue
            assert not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", folded)
            if span.label in ("FIRST_NAME", "LAST_NAME") and len(value) > 4:
                assert all(OSA.distance(value, word) > 1 for word in words)


def test_persons_and_intervals_are_kept_within_a_letter(folder: Path, whole: Path) -> None:
    persons, countries = set(), set()
    for note in made_in(whole):
        text = note.document.text
        found: dict[str, list[str]] = {}
        for span in note.spans:
            found.setdefault(span.label, []).append(text[span.start : span.end])
            assert span.detector == "synthetic"
        first, second, *_ = found["LAST_NAME"]
        assert fold(first) == fold(second) and second.isupper()
        days = [date(*map(int, reversed(day.split("/")))) for day in found["DATE"]]
        assert (days[1] - days[0]).days == 10 and (days[0].year, days[0].month) != (2021, 3)
        countries.add(found["COUNTRY"][0])
        persons.add((found["FIRST_NAME"][0], first, found["PHONE"][0]))
    notes = made_in(whole)
    assert len({note.document.text for note in notes}) == len(notes)
    assert len(persons) > len(notes) // 4  # two letters a patient: each copy is another's
    assert "España" in countries and len(countries) > 2 and "Portugal" not in countries


def test_the_manifest_is_that_of_synthetic_notes(folder: Path, whole: Path) -> None:
    told = json.loads((whole / "manifest.json").read_text())
    corpus = json.loads((folder / "masked" / "masked-letters.json").read_text())["corpus_sha256"]
    assert told["corpus_sha256"] == corpus and told["screened"] is False
    assert told["origin"]["inside"] is True and told["privacy"] is None
    assert told["decoding"]["method"] == "iterative" and told["decoding"]["top"] == 6
    assert told["well_formed"] == 1.0 and told["tags"]["distance"] == 0
    assert told["refused"] == {} and told["copies"] == 2
    assert told["surrogates"]["key_id"] and "master.key" not in json.dumps(told)
    assert {path.name for path in whole.iterdir()} == {"notes.jsonl", "manifest.json"}
    assert (whole / "notes.jsonl").stat().st_mode & 0o077 == 0


def test_interrupted_filling_ends_the_same(
    folder: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def broken(*_: object) -> None:
        raise OSError("no space")

    asked = ["--method", "iterative", "--copies", 2]
    with monkeypatch.context() as patched:
        patched.setattr(letter_filling, "assemble", broken)
        with pytest.raises(OSError, match="no space"):
            fill(folder, tmp_path / "cut", *asked)
    left = sorted((tmp_path / "cut" / ".parts").glob("*.jsonl"))
    left[1].unlink()
    kept = left[0].stat().st_mtime_ns
    assert fill(folder, tmp_path / "cut", *asked, "--seed", 2) == 2  # another order
    assert fill(folder, tmp_path / "cut", *asked) == 0
    assert (tmp_path / "cut" / "notes.jsonl").read_bytes() == (whole / "notes.jsonl").read_bytes()
    assert left[0].exists() is False and kept


@pytest.mark.parametrize(
    ("drawn", "reason"), [((), "not-filled"), (("--epsilon", 8), "identifier-left")]
)
def test_a_model_that_writes_names_gets_no_letter_out(
    drawn: tuple[str | int, ...],
    reason: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from pipeline.synthetic import letter_writing

    class Leaks:
        """Knows nothing but names; a private filler must be able to write all of them."""

        def candidates(
            self, windows: Sequence[Sequence[str | None]], top: int
        ) -> list[list[list[tuple[str, float]]]]:
            names = cycle(FAMILY)
            return [[[(next(names), 1.0)] for word in row if word is None] for row in windows]

    monkeypatch.setattr(letter_writing, "_filler", lambda refill: Leaks())
    monkeypatch.setattr(letter_writing, "_ATTEMPTS", 2)
    assert fill(folder, tmp_path / "out", "--letters", 8, *drawn) == 2
    assert f"letter was rejected: 8 {reason}" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out" / "notes.jsonl").exists()
    held = "".join(path.read_text() for path in (tmp_path / "out" / ".parts").iterdir())
    assert not any(name in held for name in FAMILY)


def test_the_model_may_fill_identifiers_and_draw_privately(folder: Path, tmp_path: Path) -> None:
    asked = ["--identifiers", "model", "--epsilon", 8, "--letters", 6]
    assert fill(folder, tmp_path / "out", *asked) == 0
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert told["privacy"]["words"] == told["ids"]
    assert told["privacy"]["epsilon_of_word"] == pytest.approx(8)
    assert told["privacy"]["unit"] == "word"
    # The report says so, and a claim for patients is held.
    for more, claims in (([], False), (["--end-to-end"], True)):
        out = tmp_path / f"report-{len(more)}"
        given = ["--measured", tmp_path / "none.json", "-o", out, "--key", folder / "master.key"]
        (tmp_path / "none.json").write_text('{"measured": []}')
        assert call("report", tmp_path / "out", *given, *more, "--plain") == 1
        report = json.loads((out / "report.json").read_text())
        assert report["about"]["unit of epsilon"] == "word"
        assert report["about"]["covered by epsilon"].startswith("each word")
        kept = "end-to-end privacy: letters that were filled keep the words that were not masked"
        assert (kept in report["reasons"]) is claims
        assert not [each for each in report["reasons"] if each.startswith("privacy: ")]
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(json.dumps(told | {"privacy": told["privacy"] | {"unit": "patient"}}))
    assert call("report", tmp_path / "out", *given, "--plain") == 1
    problem = "privacy: epsilon of filling is for a word, no patient"
    assert problem in json.loads((out / "report.json").read_text())["reasons"]
    manifest.write_text(json.dumps(told))
    assert told["surrogates"] == {}
    assert fill(folder, tmp_path / "other", *asked, "--cohort", "x") == 2
    made = made_in(tmp_path / "out")
    assert all({"LAST_NAME", "DATE"} <= {span.label for span in note.spans} for note in made)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--policy", "hipaa-limited"], "must not keep any label"),
        (["--window", 65], "--window: must be at most 64"),
        (["--runner", "DirectRunner"], "--runner=DirectRunner"),
    ],
)
def test_what_cannot_be_is_refused(
    folder: Path,
    tmp_path: Path,
    more: list[str | int],
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert fill(folder, tmp_path / "out", *more) == 2
    assert problem in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out" / "notes.jsonl").exists()


def test_surrogates_need_a_key(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [folder / "model", folder / "masked", "-o", tmp_path / "out", "--plain"]
    assert call("fill", *asked) == 2
    assert "--key: required" in capsys.readouterr().err


def test_nothing_that_is_said_quotes_a_letter(folder: Path, whole: Path) -> None:
    held = (whole / "manifest.json").read_text()
    held += (folder / "masked" / "masked-letters.json").read_text()
    held += (folder / "model" / "training.json").read_text()
    held += (folder / "model" / "masked.json").read_text()
    assert not any(name in held for name in (*GIVEN, *FAMILY))
