import json
import re
import sys
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluation.utility.fluency import words_outside
from models.hardware import choose_device
from models.language.training.gpt2_weights import digest as base_digest
from models.language.training.serialization import load
from pipeline.cli import main
from pipeline.files.jsonl import spans_to_json
from pipeline.synthetic import known_words
from pipeline.synthetic.known_words import find_known_words
from record.document import Annotated, Document
from synthesis.corpus_statistics import words_in
from synthesis.generation_files import Generation
from synthesis.markup import encode
from synthesis.tag_repair import parse_tags
from tests.models.pretrained import save_causal
from tests.synthesis.letters import NAMES, letters, read_lines
from tests.synthesis.releases import copy_to_database
from tests.synthesis.releases import write_release as release

QUICK = ["--recipe", "gpt-small", "--width", "32", "--layers", "1", "--heads", "2", "--plain"]
QUICK += ["--context", "256", "--vocabulary-size", "400", "--epochs", "2", "--peak", "0.01"]
QUICK += ["--step-tokens", "512"]
SHORT = ["--min-length", "10", "--max-length", "120", "--batch", "4", "--plain"]


def call(*words: object) -> int:
    return main(["synthesize", *map(str, words)])


def write(path: Path, notes: list[Annotated]) -> Path:
    records = [
        {
            "note_id": note.document.note_id,
            "person_id": note.document.person_id,
            "text": note.document.text,
            "note_type": note.document.kind,
            "spans": spans_to_json(note.spans),
        }
        for note in notes
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def marked(corpus: Path) -> set[str]:
    return {
        json.loads(line)["marked"]
        for split in ("train", "dev", "test")
        for line in (corpus / f"{split}.jsonl").read_text().splitlines()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, and a model that has learnt from it a little."""
    made = tmp_path_factory.mktemp("synthesize")
    notes = write(made / "notes.jsonl", letters(60))
    assert call("prepare", notes, "--inside", "-o", made / "corpus", "--plain") == 0
    assert call("train", made / "corpus", "-o", made / "model", *QUICK) == 0
    return made


# From a release to a corpus


def test_a_release_becomes_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = letters(60)
    withdrawn = {"person_id": [1003], "note_id": [5]}
    place = release(tmp_path / "release", notes, withdrawn=withdrawn)
    assert call("prepare", place, "-o", tmp_path / "corpus", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["origin"]["inside"] is False and told["origin"]["key_id"] == "abc"
    assert told["origin"]["withdrawn_persons"] == 1
    found = marked(tmp_path / "corpus")
    ids = [
        json.loads(line)["note_id"]
        for split in ("train", "dev", "test")
        for line in (tmp_path / "corpus" / f"{split}.jsonl").read_text().splitlines()
    ]
    assert {"3", "5"} & set(ids) == set()
    refused = told["refused"].get("repeats-train", 0)
    assert len(ids) == 58 - refused
    assert found <= {encode(note) for note in notes}
    assert all("<KIND=class-7>" in mark for mark in told["marks"] if "KIND" in mark)


def test_a_database_and_parquet_become_the_same_corpus(tmp_path: Path) -> None:
    notes = letters(40)
    place = release(tmp_path / "release", notes)
    copy_to_database(place, tmp_path / "r.db")
    url = f"sqlite:///{tmp_path}/r.db"
    assert call("prepare", url, "-o", tmp_path / "none", "--plain") == 2  # no manifest
    told = ["--manifest", place / "manifest.json", "--plain"]
    assert call("prepare", url, "-o", tmp_path / "of-database", *told) == 0
    assert call("prepare", place, "-o", tmp_path / "of-folder", "--plain") == 0
    assert marked(tmp_path / "of-database") == marked(tmp_path / "of-folder")
    columns = tmp_path / "columns"  # as Parquet, in parts
    for name in ("note", "note_span"):
        rows = [json.loads(line) for line in (place / f"{name}.jsonl").read_text().splitlines()]
        (columns / name).mkdir(parents=True)
        for number, some in enumerate((rows[:15], rows[15:])):
            pq.write_table(pa.Table.from_pylist(some), columns / name / f"part-{number}.parquet")
    source = [{"cdm_etl_reference": "cryptonym key abc"}]  # as the nightly job writes it
    pq.write_table(pa.Table.from_pylist(source), columns / "cdm_source.parquet")
    assert call("prepare", columns, "-o", tmp_path / "of-columns", *told) == 0
    assert marked(tmp_path / "of-columns") == marked(tmp_path / "of-folder")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"key": "other"}, "not what its manifest describes"),
        ({"tables": {"note": {"rows": 7}, "note_span": {"rows": 9}}}, "rows in note"),
        ({"withdrawn": "all"}, "a form this version does not know"),
        ({"key_id": None}, "no manifest of a release"),
    ],
)
def test_what_is_no_release_is_refused(
    change: dict[str, Any],
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = release(tmp_path / "release", letters(5), **change)
    assert call("prepare", place, "-o", tmp_path / "corpus", "--plain") == 2
    assert problem in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "corpus").exists()


def test_notes_without_a_manifest_need_inside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = write(tmp_path / "notes.jsonl", letters(5))
    assert call("prepare", notes, "-o", tmp_path / "corpus", "--plain") == 2
    assert "--inside" in capsys.readouterr().err
    place = release(tmp_path / "release", letters(5))
    (place / "manifest.json").unlink()
    assert call("prepare", place, "-o", tmp_path / "corpus", "--plain") == 2


# From a model to notes


def generate(folder: Path, out: Path, *more: object) -> int:
    return call("generate", folder / "model", folder / "corpus", "-o", out, *SHORT, *more)


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """Ten notes, written without interruption."""
    assert generate(folder, folder / "whole", "--notes", 10) == 0
    return folder / "whole"


def test_notes_are_written_with_a_manifest(whole: Path) -> None:
    out = whole
    lines = list(read_lines(out / "notes.jsonl"))
    notes = [line.annotated for line in lines]
    assert [n.document.note_id for n in notes] == [f"synthetic-1-{n:06d}" for n in range(10)]
    told = json.loads((out / "manifest.json").read_text())
    assert told["well_formed"] == 1.0 and told["screened"] is False
    assert told["origin"]["inside"] is True and told["privacy"] is None
    assert told["decoding"]["top_p"] == 0.95 and "beams" not in told["decoding"]
    obtained = Counter(span.label for note in notes for span in note.spans)
    assert told["tags"]["obtained"] == dict(obtained) == told["planned_tags"]
    assert told["tags"]["distance"] == 0 and told["as_requested"] == 1.0
    assert told["thinned"] == 0 and told["words"] == told["statistics"]["words"]
    for note, line in zip(notes, lines, strict=True):
        counts = Counter(span.label for span in note.spans)
        assert counts == Counter(line.record["synthetic"]["requested"])
        assert {span.detector for span in note.spans} <= {"synthetic"}
    assert {path.name for path in out.iterdir()} == {"notes.jsonl", "manifest.json"}
    assert (out / "notes.jsonl").stat().st_mode & 0o077 == 0


def test_identifiers_are_surrogates_unless_the_model_shall_write_them(
    folder: Path, whole: Path, tmp_path: Path
) -> None:
    assert generate(folder, tmp_path / "own", "--notes", 10, "--identifiers", "model") == 0
    own, filled = (
        [line.annotated for line in read_lines(place / "notes.jsonl")]
        for place in (tmp_path / "own", whole)
    )
    told = json.loads((whole / "manifest.json").read_text())
    assert told["identifiers"] == "surrogates" and told["refused"] == {}
    for one, other in zip(own, filled, strict=True):
        assert [span.label for span in one.spans] == [span.label for span in other.spans]
        text = other.document.text
        dates = [text[s.start : s.end] for s in other.spans if s.label == "DATE"]
        assert all(re.fullmatch(r"\d\d?/\d\d?", each) for each in dates)
    assert [n.document.text for n in own] != [n.document.text for n in filled]


def test_words_are_those_of_a_list_and_of_many_patients(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = tmp_path / "words.txt"
    listed.write_text("Fiebre\nmejoría\n")
    owners: dict[str, set[str]] = {}
    for line in (folder / "corpus" / "train.jsonl").read_text("utf-8").splitlines():
        held = json.loads(line)
        note = parse_tags(held["marked"])
        document = Document("", note.text)
        for word in words_outside(Annotated(document, note.spans)):
            owners.setdefault(word, set()).add(held["person_id"])
    least = int(median(map(len, owners.values()))) + 1
    assert least > known_words.LEAST_PERSONS
    monkeypatch.setattr(known_words, "LEAST_PERSONS", least)
    common = {word for word, theirs in owners.items() if len(theirs) >= least}
    assert find_known_words(str(listed), folder / "corpus") == common | {"fiebre", "mejoría"}
    assert 0 < len(common) < len(owners)
    order = ("--notes", 10, "--temperature", 3, "--method", "sample")
    assert generate(folder, tmp_path / "any", *order) == 0
    assert generate(folder, tmp_path / "known", *order, "--known-words", listed) == 0

    def strangers(out: Path) -> list[str]:
        notes = [line.annotated for line in read_lines(out / "notes.jsonl")]
        words = [word for note in notes for word in words_outside(note) if len(word) > 3]
        assert words
        return [word for word in words if word not in common | {"fiebre", "mejoría"}]

    manifest = json.loads((tmp_path / "known" / "manifest.json").read_text())
    assert manifest["known_words"] == str(listed)
    # One that the end of the room cut stays.
    assert len(strangers(tmp_path / "known")) <= 10 < len(strangers(tmp_path / "any"))
    kept = Generation(
        folder / "model", folder / "corpus", tmp_path / "x", 1, 1, 1, known_words=str(listed)
    )
    before = kept.fingerprint()
    listed.write_text("Fiebre\n")
    assert kept.fingerprint() != before
    absent = ("--known-words", "no-such-language")
    assert generate(folder, tmp_path / "none", "--notes", 1, *absent) == 2
    assert "--known-words: no such file" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_one_model_is_loaded_in_a_process(
    folder: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Any] = []

    def counted(*place: Any) -> Any:
        loaded.append(place)
        return load(*place)

    monkeypatch.setattr("pipeline.beam.generation.load", counted)
    assert generate(folder, tmp_path / "out", "--notes", 10) == 0  # three batches
    assert len(loaded) == 1
    assert loaded[0][1] == choose_device()
    assert (tmp_path / "out" / "notes.jsonl").read_bytes() == (whole / "notes.jsonl").read_bytes()


def test_any_causal_model_writes_notes(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_causal(tmp_path / "base", "qwen2")
    base = ["--pretrained", tmp_path / "base", "--plain"]
    few = ["--epochs", 1, "--lora", 2, "--step-tokens", 512]
    assert call("train", folder / "corpus", "-o", tmp_path / "model", *base, *few) == 0
    words = [tmp_path / "model", folder / "corpus", "-o", tmp_path / "out", "--notes", 3]
    short = ["--min-length", 5, "--max-length", 40, "--json"]
    capsys.readouterr()
    assert call("generate", *words, *short) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["well_formed"] == 1.0 and told["notes"] == 3
    assert told["base_sha256"] == base_digest(tmp_path / "base")
    wide = [*base, "--width", 8]
    assert call("train", folder / "corpus", "-o", tmp_path / "no", *wide) == 2
    assert "--width: fixed by the pretrained model" in capsys.readouterr().err


def test_an_interrupted_generation_ends_the_same(
    folder: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.synthetic import note_generation

    def broken(*_: object) -> None:
        raise OSError("no space")

    with monkeypatch.context() as patched:
        patched.setattr(note_generation, "assemble", broken)
        with pytest.raises(OSError, match="no space"):
            generate(folder, tmp_path / "cut", "--notes", 10)
    left = sorted((tmp_path / "cut" / ".parts").glob("*.jsonl"))
    assert len(left) == 3
    left[1].unlink()
    kept = left[0].stat().st_mtime_ns
    assert generate(folder, tmp_path / "cut", "--notes", 11) == 2  # another order
    assert left[0].stat().st_mtime_ns == kept
    assert generate(folder, tmp_path / "cut", "--notes", 10) == 0
    assert (tmp_path / "cut" / "notes.jsonl").read_bytes() == (whole / "notes.jsonl").read_bytes()
    assert generate(folder, tmp_path / "cut", "--notes", 10) == 2  # it is done


def test_notes_are_written_up_to_a_number_of_words(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(folder, tmp_path / "out", "--words", 150, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    lengths = [
        len(words_in(each.annotated.document.text))
        for each in read_lines(tmp_path / "out" / "notes.jsonl")
    ]
    assert told["words"] == sum(lengths) == told["statistics"]["words"]
    assert sum(lengths[:-1]) < 150 <= sum(lengths)  # the last note is the one that reaches it
    assert told["tags"]["requested"] == told["planned_tags"]
    assert told["tags"]["distance"] == 0 and told["words_per_second"] > 0
    with pytest.raises(SystemExit):
        generate(folder, tmp_path / "both", "--words", 150, "--notes", 3)


def test_shares_and_beams(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.toml").write_text("CITY = 3\nDATE = 1\n")
    asked = ["--notes", 4, "--shares", tmp_path / "s.toml", "--method", "beam", "--beams", 2]
    assert generate(folder, tmp_path / "out", *asked, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["tags"]["requested"]) <= {"CITY", "DATE"}
    assert told["tags"]["distance"] <= 0.02 and told["shares"] == {"CITY": 3, "DATE": 1}
    assert told["decoding"]["beams"] == 2 and not told["decoding"]["draws"]
    (tmp_path / "s.toml").write_text("CITY = -1\n")
    assert generate(folder, tmp_path / "none", *asked) == 2


def test_of_many_free_notes_those_are_kept_that_have_what_was_asked_for(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    free = ["--tags", "asked", "--json"]
    told = {}
    orders = {"all": (48,), "first": (8,), "chosen": (8, "--candidates", 6)}
    for name, more in orders.items():
        assert generate(folder, tmp_path / name, "--notes", *more, *free) == 0
        told[name] = json.loads(capsys.readouterr().out)
    everything, _, kept = (
        [line.record for line in read_lines(tmp_path / name / "notes.jsonl")] for name in orders
    )
    assert len(kept) == told["chosen"]["notes"] == 8
    assert [note for note in everything if note in kept] == kept
    assert told["chosen"]["chosen_among"] == 48 and told["all"]["chosen_among"] is None
    assert told["chosen"]["tags"]["requested"] == told["chosen"]["planned_tags"]
    assert told["chosen"]["tags"]["distance"] < told["first"]["tags"]["distance"]
    assert generate(folder, tmp_path / "e", "--notes", 8, "--candidates", 6) == 2
    assert "--candidates: has no effect" in capsys.readouterr().err
    assert generate(folder, tmp_path / "w", "--words", 8, "--candidates", 6, *free) == 2


def test_what_cannot_be_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(folder, tmp_path / "a", "--notes", 1, "--method", "hot") == 2
    assert generate(folder, tmp_path / "b", "--notes", 1, "--max-length", 5000) == 2
    assert "--max-length: exceeds the model's context" in capsys.readouterr().err
    assert generate(folder, tmp_path / "c", "--notes", 1, "--runner", "DirectRunner") == 2
    assert call("train", folder / "model", "-o", tmp_path / "d", *QUICK) == 2
    assert call("train", folder / "corpus", "-o", folder / "model", *QUICK) == 2
    assert call("train", folder / "corpus", "-o", tmp_path / "e", "--recipe", "none") == 2


@pytest.mark.parametrize("recipe", [(), ("--recipe", "masked")])
def test_without_the_extra_training_says_how_to_install_it(
    recipe: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in [name for name in sys.modules if name.startswith(("models.", "pipeline.synth"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert call("train", tmp_path / "corpus", "-o", tmp_path / "model", *recipe) == 2
    assert "torch is not installed. Remedy: pip install 'cryptonym[models]'" in " ".join(
        capsys.readouterr().err.split()
    )


def test_a_bound_too_low_for_the_notes_asked_for_is_told(
    folder: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [
        json.loads(line) for line in (folder / "corpus" / "requests.jsonl").read_text().splitlines()
    ]
    assert all(request["words"] for request in asked)
    few = ["--notes", 1, "--max-length", 8, "--min-length", 1]
    assert generate(folder, folder / "low", *few) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "100 % of the notes are longer than --max-length 8" in said
    enough = re.search(r"--max-length (\d+) is enough for nine in ten", said)
    assert enough is not None
    assert generate(folder, folder / "enough", "--notes", 1, "--max-length", enough[1]) == 0
    assert "nine in ten" not in capsys.readouterr().err


def test_nothing_that_is_said_quotes_a_note(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(folder, tmp_path / "out", "--notes", 2) == 0
    said = capsys.readouterr()
    held = (folder / "model" / "training.json").read_text() + said.out + said.err
    held += (tmp_path / "out" / "manifest.json").read_text()
    held += (folder / "corpus" / "prepared.json").read_text()
    assert not any(part in held for name in NAMES for part in name.split())
