"""A first corpus: drawn before the first night, annotated twice, decided, split and trained on."""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_DONE, EXIT_USAGE
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.training.corpus import SPLITS, SplitRequest, split_by_patient
from record.errors import ConfigError

PATIENTS = (1, 2, 3, 4)
TRAINING = "--encoder tiny-1x32 --epochs 1 --window 64 --context 8 --vocabulary 500 --seed 1"


@pytest.fixture(scope="module")
def hospital(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hospital of few patients before its first night, one of whom has a document."""
    folder = tmp_path_factory.mktemp("corpus") / "demo"
    shutil.copytree(template, folder)
    with closing(sqlite3.connect(folder / "hospital.db")) as db, db:
        db.execute("delete from note where person_id > ?", (PATIENTS[-1],))
        db.execute("delete from note where note_text = '' and person_id > 1")
    return folder / "nightly.toml"


def call(*words: object) -> int:
    return main([*map(str, words), "--plain"])


def told(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """Call a command with --json; returns what it prints."""
    capsys.readouterr()
    code = call(*words, "--json")
    said = capsys.readouterr()
    assert code == EXIT_DONE, said.err
    return json.loads(said.out)


@pytest.fixture(scope="module")
def sample(hospital: Path) -> Path:
    """Two folders with the same notes; each note was marked as read and nothing else done."""
    folder = hospital.parent / "sample"
    before = sorted(hospital.parent.iterdir())
    asked = ("corpus", "sample", hospital, "--per-kind", "2", "--format", "brat")
    assert call(*asked, "--seed", "1", "--passes", "2", "-o", folder) == EXIT_DONE
    assert sorted(hospital.parent.iterdir()) == sorted([*before, folder])  # no state, no output
    for path in folder.glob("*/*.ann"):
        first = path.with_suffix(".txt").read_text()[0]
        path.write_text(path.read_text() + f"T998\tREAD 0 1\t{first}\n")
    return folder


@pytest.fixture
def passes(sample: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of both passes."""
    shutil.copytree(sample, tmp_path / "sample")
    return tmp_path / "sample" / "first", tmp_path / "sample" / "second"


Mark = tuple[int, int, str]


def marks(path: Path) -> list[Mark]:
    """The marks of a file of annotations, without that of its reader."""
    lines = (line.split("\t")[1].split() for line in path.read_text().splitlines())
    return [(int(start), int(end), label) for label, start, end in lines if label != "READ"]


def write_marks(path: Path, found: list[Mark]) -> None:
    text = path.with_suffix(".txt").read_text()
    named = [*found, (0, 1, "READ")]
    lines = [
        f"T{number}\t{label} {start} {end}\t{text[start:end]}\n"
        for number, (start, end, label) in enumerate(named, start=1)
    ]
    path.write_text("".join(lines))


def plant(folder: Path) -> dict[str, dict[str, Any]]:
    """Have the second annotator miss a span, rename one, and cut one; each in a note of its own.

    Returns the mismatch of each note.
    """
    planted: dict[str, dict[str, Any]] = {}
    waiting = ["missing", "label", "border"]
    for path in sorted(folder.glob("*.ann")):
        found = marks(path)
        whole = next((m for m in found if m[2] == "LAST_NAME" and m[1] - m[0] > 3), None)
        if whole is None or not waiting:
            continue
        start, end, label = whole
        kind = waiting.pop()
        changed = {
            "missing": [],
            "label": [(start, end, "FIRST_NAME")],
            "border": [(start, end - 1, label)],
        }[kind]
        write_marks(path, [*(m for m in found if m != whole), *changed])
        planted[path.stem] = {
            "note_id": path.stem, "start": start, "end": end, "kind": kind,
            "first": [list(whole)], "second": [list(m) for m in changed],
            "text": path.with_suffix(".txt").read_text()[start:end],
        }  # fmt: skip
    assert not waiting
    return planted


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def read_corpus(folder: Path) -> dict[str, dict[str, Any]]:
    return {n["note_id"]: n for split in SPLITS for n in read_lines(folder / f"{split}.jsonl")}


def spans_of(note: Mapping[str, Any]) -> set[Mark]:
    return {(s["start"], s["end"], s["label"]) for s in note["spans"]}


def test_from_the_source_to_a_night_with_a_tagger_of_its_own(
    hospital: Path,
    passes: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    planted = plant(passes[1])
    names = sum(m[2] == "LAST_NAME" for p in passes[0].glob("*.ann") for m in marks(p))
    everything = sum(len(marks(p)) for p in passes[0].glob("*.ann"))
    reading = ("corpus", "read", hospital, *passes)
    found = told(capsys, *reading, "--mismatches", tmp_path / "open")
    assert (found["mismatches"], found["mismatched_notes"]) == (3, 3)
    agreement = found["agreement"]
    exact = {"both": everything - 3, "first_only": 3, "second_only": 2}
    assert agreement["exact"] == pytest.approx(
        exact | {"f1": 2 * (everything - 3) / (2 * (everything - 3) + 5)}
    )
    lasts = agreement["per_label"]["LAST_NAME"]["exact"]
    assert (lasts["both"], lasts["first_only"], lasts["second_only"]) == (names - 3, 3, 1)
    assert agreement["per_label"]["FIRST_NAME"]["exact"]["second_only"] == 1
    # A cut span still touches its token: only the missing and the renamed one differ.
    assert agreement["token"]["first_only"] == 2
    listed = read_lines(tmp_path / "open" / "mismatches.jsonl")
    assert {each["note_id"]: each for each in listed} == planted
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in (tmp_path / "open").iterdir())

    capsys.readouterr()
    assert call(*reading, "-o", tmp_path / "corpus") == EXIT_USAGE
    said = capsys.readouterr()
    assert "the passes still differ in 3 notes (3 places)" in said.err
    assert not [each for each in planted.values() if each["text"] in said.out + said.err]
    corpus = tmp_path / "corpus"
    for number, (note_id, each) in enumerate(planted.items()):
        path = tmp_path / "open" / f"{note_id}.ann"
        kept = [m for m in marks(path) if list(m) not in each["second"]]
        write_marks(path, kept)  # the adjudicator sides with the first annotator
        if number == 1:
            capsys.readouterr()
            asked = (*reading, "--adjudicated", tmp_path / "open", "-o", corpus)
            assert call(*asked) == EXIT_USAGE
            assert "still differ in 1 notes (1 places)" in capsys.readouterr().err
    written = told(capsys, *reading, "--adjudicated", tmp_path / "open", "-o", corpus)
    assert all(written["notes"].values())
    notes = read_corpus(corpus)
    assert {n: spans_of(note) for n, note in notes.items()} == {
        path.stem: set(marks(path)) for path in passes[0].glob("*.ann")
    }
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in corpus.iterdir())

    table = told(capsys, "corpus", "table", corpus)
    assert sum(split["spans"] for split in table["splits"].values()) == everything
    assert sum(split["patients"] for split in table["splits"].values()) == len(PATIENTS)
    assert table["extraction"]["documents"] == 1
    characters = table["extraction"]["characters"]
    assert characters["before"] > characters["after"] > 0
    spans = table["extraction"]["spans"]
    assert spans["detected_before"] > spans["detected_after"] == spans["annotated"]

    training = ("train", "--train", corpus / "train.jsonl", "--dev", corpus / "dev.jsonl")
    assert call(*training, "-o", tmp_path / "tagger", *TRAINING.split()) == EXIT_DONE
    shutil.copytree(hospital.parent, tmp_path / "demo")
    config = tmp_path / "demo" / "nightly.toml"
    named = 'folder = "../tagger"\nruntime = "torch"'
    config.write_text(config.read_text().replace('folder = "none"', named))
    with closing(sqlite3.connect(config.with_name("hospital.db"))) as db, db:
        db.execute("delete from note where note_text = ''")  # to read documents takes seconds
    ended = run_nightly(config, run_in_process)
    assert ended.exit_code == EXIT_DONE
    assert ended.summary.tally.outcomes["released"]


@pytest.mark.parametrize("prefer", ["first", "second", "union"])
def test_what_is_taken_where_nobody_adjudicated(
    prefer: str,
    hospital: Path,
    passes: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    planted = plant(passes[1])
    corpus = tmp_path / "corpus"
    told(capsys, "corpus", "read", hospital, *passes, "--prefer", prefer, "-o", corpus)
    notes = read_corpus(corpus)
    for note_id, each in planted.items():
        second = set(marks(passes[1] / f"{note_id}.ann"))
        first = set(marks(passes[0] / f"{note_id}.ann"))
        found = spans_of(notes[note_id])
        if prefer == "union":
            covered = {k for m in found for k in range(m[0], m[1])}
            assert covered == {k for m in first | second for k in range(m[0], m[1])}
            assert first & second <= found
            # None but the longest, and of those of one length one.
            assert len(found) == len(first), each["kind"]
        else:
            assert found == {"first": first, "second": second}[prefer]


def test_a_single_pass_and_notes_that_nobody_has_read(
    hospital: Path, passes: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unread = min(passes[0].glob("*.ann"))
    write_marks(unread, marks(unread))
    unread.write_text(unread.read_text().replace("READ", "DATE"))
    reading = ("corpus", "read", hospital)
    found = told(capsys, *reading, passes[0], "-o", tmp_path / "corpus")
    assert found["unseen"] == 1
    assert unread.stem not in read_corpus(tmp_path / "corpus")
    found = told(capsys, *reading, *passes, "-o", tmp_path / "both")
    assert (found["mismatches"], found["unseen"]) == (0, 0)
    assert unread.stem in read_corpus(tmp_path / "both")


def test_who_objects_is_neither_drawn_nor_read(
    hospital: Path, passes: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (hospital.parent / "objections.txt").write_text("1\n")
    config = hospital.with_name("objected.toml")
    text = hospital.read_text()
    config.write_text(text.replace("[source] ", "[source]\nobjections = 'objections.txt' "))
    assert load(config).source.objections
    with closing(sqlite3.connect(hospital.with_name("hospital.db"))) as db:
        theirs = {str(n) for (n,) in db.execute("select note_id from note where person_id = 1")}
    written = {path.stem for path in passes[0].glob("*.ann")}
    assert written & theirs
    found = told(capsys, "corpus", "read", config, passes[0], "-o", tmp_path / "corpus")
    assert found["left_out"] == len(written & theirs)
    assert set(read_corpus(tmp_path / "corpus")) == written - theirs
    asked = ("corpus", "sample", config, "--per-kind", "9", "--format", "brat")
    told(capsys, *asked, "-o", tmp_path / "again")
    drawn = {path.stem for path in (tmp_path / "again").glob("*.ann")}
    assert drawn
    assert not drawn & theirs


def test_what_does_not_fit_is_refused_with_its_file(
    hospital: Path, passes: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*words: object) -> str:
        capsys.readouterr()
        assert call("corpus", "read", hospital, *words, "-o", tmp_path / "no") == EXIT_USAGE
        assert not (tmp_path / "no").exists()
        return capsys.readouterr().err

    first = min(passes[1].glob("*.txt"))
    kept = first.read_text(), first.with_suffix(".ann").read_text()
    first.write_text("Zoé " + kept[0])
    first.with_suffix(".ann").write_text("T1\tREAD 0 3\tZoé\n")
    said = refused(*passes)
    assert f"{first}: the text of note {first.stem} was changed" in said
    assert "import the sample again" in said
    assert "Zoé" not in said
    first.write_text(kept[0])
    first.with_suffix(".ann").write_text(kept[1])

    (passes[1] / "777.txt").write_text("a")
    (passes[1] / "777.ann").write_text("T1\tREAD 0 1\ta\n")
    assert "777.txt: contains a note that is not in this sample" in refused(*passes)
    (passes[1] / "777.ann").unlink()

    assert "needs two passes" in refused(passes[0], "--prefer", "first")
    assert "more than two passes" in refused(*passes, passes[0])
    assert "add up to less than 1" in refused(passes[0], "--dev", "0.5", "--test", "0.5")
    manifest = passes[1] / "sample.json"
    manifest.write_text(manifest.read_text().replace('"kind": "', '"kind": "x', 1))
    assert f"{manifest}: is not as `corpus sample` wrote it" in refused(*passes)


@given(st.dictionaries(st.integers(1, 99), st.integers(1, 12), min_size=3), st.text(max_size=3))
def test_a_patient_is_in_one_split_and_none_is_empty(patients: dict[int, int], seed: str) -> None:
    persons = {f"{p}-{n}": str(p) for p, notes in patients.items() for n in range(notes)}
    request = SplitRequest(Path("x"), 0.2, 0.2, seed)
    split_of = split_by_patient(persons, request, b"k" * 32)
    assert split_of == split_by_patient(dict(reversed(persons.items())), request, b"k" * 32)
    assert set(split_of.values()) == set(SPLITS)
    assert len({(persons[n], split) for n, split in split_of.items()}) == len(patients)


def test_patients_stay_where_a_corpus_grows() -> None:
    request = SplitRequest(Path("x"), 0.2, 0.3)
    few, many = ({f"n{p}": str(p) for p in range(count)} for count in (60, 600))
    small, large = (split_by_patient(persons, request, b"k" * 32) for persons in (few, many))
    assert small == {note_id: large[note_id] for note_id in few}
    shares = [list(large.values()).count(split) / 600 for split in SPLITS]
    assert shares == pytest.approx([0.5, 0.2, 0.3], abs=0.06)


def test_two_patients_cannot_be_split() -> None:
    with pytest.raises(ConfigError, match="2 patients"):
        split_by_patient({"1": "a", "2": "b"}, SplitRequest(Path("x")), b"k")
