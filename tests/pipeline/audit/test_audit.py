"""Human review: a random sample, its files in three formats and back, what it says."""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.audit.formats import FORMATS
from pipeline.audit.review import draw_sample, split_at_line_breaks
from pipeline.cli import main
from pipeline.config.settings import load
from pipeline.files.gold import read_annotated
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.state.audit_records import AuditReview, open_audit_records
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span

# Files that go out and come back ------------------------------------------------------------------

TEXTS = st.text(
    st.one_of(
        st.sampled_from("aB é\n\r\t\v\x85\u2028😀👨‍👩‍👧\u0301\"'\\<>&;"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@st.composite
def notes(draw_: st.DrawFn) -> list[Annotated]:
    """Notes with spans that may nest, overlap, touch and run over lines."""
    found = []
    for number in range(draw_(st.integers(0, 3))):
        text = draw_(TEXTS)
        cuts = st.lists(st.integers(0, len(text)), min_size=2, max_size=2, unique=True)
        spans = draw_(st.lists(st.tuples(cuts, st.sampled_from(["DATE", "NAME"])), max_size=5))
        made = {Span(min(cut), max(cut), label) for cut, label in spans}
        document = Document(str(number), text, kind="letter")
        found.append(Annotated(document, tuple(sorted(made))))
    return found


def through(name: Any, given_notes: list[Annotated], folder: Any) -> list[Annotated]:
    """Write notes in a format and read them as if somebody had marked them, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    FORMATS[name].write(folder, given_notes)
    return FORMATS[name].read(read_by_someone(name, saved(name, folder)))


def saved(name: str, folder: Path) -> Path:
    """Do what the annotators' program does without them: take what was detected, and export it."""
    if name == "label-studio":
        tasks = json.loads((folder / "tasks.json").read_text())
        for number, task in enumerate(tasks):
            (prediction,) = task.pop("predictions")
            task |= {"id": number, "annotations": [{"id": 1, "result": prediction["result"]}]}
        (folder / "export.json").write_text(json.dumps(tasks))
    if name == "doccano":
        lines = [
            json.loads(line) for line in (folder / "notes.jsonl").read_text().split("\n") if line
        ]
        told = [{"id": n, "Comments": []} | line for n, line in enumerate(lines)]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in told)
        (folder / "all.jsonl").write_text(text, newline="")
    return folder


def read_by_someone(name: str, folder: Path, *, most: int = 1_000) -> Path:
    """Mark the first notes of an export as its reader would: each in its program's own way."""
    if name == "label-studio":
        path = folder / "export.json"
        tasks = json.loads(path.read_text())
        for task in tasks[:most]:
            task["annotations"][0] |= {"completed_by": {"id": 3}, "was_cancelled": False}
        path.write_text(json.dumps(tasks))
    elif name == "doccano":
        path = folder / "all.jsonl"
        records = [json.loads(line) for line in path.read_text().split("\n") if line]
        for record in records[:most]:
            record["label"].append([0, len(record["text"].split("\n")[0]) or 1, "READ"])
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        for path in sorted(folder.glob("*.ann"))[:most]:
            with path.open("a") as file:
                text = path.with_suffix(".txt").read_bytes().decode()
                word = " " if text[0].isspace() else text[0]
                file.write(f"T998\tREAD 0 1\t{word}\n")
    return folder


@pytest.mark.parametrize("name", FORMATS)
@given(found=notes())
@settings(max_examples=60)
def test_nothing_is_lost_on_the_way_out_and_back(
    name: Any, found: list[Annotated], tmp_path_factory: pytest.TempPathFactory
) -> None:
    back = {
        n.document.note_id: n for n in through(name, found, tmp_path_factory.getbasetemp() / name)
    }
    assert len(back) == len(found)
    for note in found:
        text = note.document.text
        other = back[note.document.note_id]
        assert other.document.text == text
        if name == "brat":  # which cuts what runs over lines
            assert set(split_at_line_breaks(other.spans, text)) == set(
                split_at_line_breaks(note.spans, text)
            )
        else:
            assert {(s.start, s.end, s.label) for s in other.spans} == {
                (s.start, s.end, s.label) for s in note.spans
            }


@given(found=notes())
@settings(max_examples=60)
def test_pieces_are_trimmed_lines_and_cover_the_same_letters(found: list[Annotated]) -> None:
    for note in found:
        text = note.document.text
        pieces = split_at_line_breaks(note.spans, text)
        assert split_at_line_breaks(pieces, text) == tuple(sorted(pieces))
        covered = {i for s in note.spans for i in range(s.start, s.end) if not text[i].isspace()}
        assert covered == {
            i for s in pieces for i in range(s.start, s.end) if not text[i].isspace()
        }
        assert all(text[s.start : s.end] == text[s.start : s.end].strip() for s in pieces)


def test_label_studio_that_counted_utf16_units(tmp_path: Path) -> None:
    text = "👨 vu par Jean"
    value = {"start": 10, "end": 14, "text": "Jean", "labels": ["FIRST_NAME"]}
    annotation = {"result": [{"type": "labels", "value": value}], "completed_by": 1}
    task = {"data": {"text": text, "note_id": "1"}, "annotations": [annotation]}
    path = tmp_path / "e.json"
    path.write_text(json.dumps([task, {"data": {"text": "", "note_id": "2"}, "annotations": []}]))
    (note,) = FORMATS["label-studio"].read(path)
    assert [text[s.start : s.end] for s in note.spans] == ["Jean"]
    value["text"] = "Paul"
    path.write_text(json.dumps([task]))
    with pytest.raises(ConfigError, match="text of a region") as refused:
        FORMATS["label-studio"].read(path)
    assert "Paul" not in str(refused.value)


@pytest.mark.parametrize(
    "mark", [[4, 8, "NAME"], {"id": 3, "label": "NAME", "start_offset": 4, "end_offset": 8}]
)
@pytest.mark.parametrize("key", ["label", "labels", "entities"])
def test_doccano_of_several_versions(
    mark: list[int | str] | dict[str, int | str], key: str, tmp_path: Path
) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text(
        json.dumps({"text": "le 😀Jean", key: [mark, [0, 2, "READ"]], "meta": {"note_id": "7"}})
    )
    (note,) = FORMATS["doccano"].read(path)
    assert (note.document.note_id, note.spans) == ("7", (Span(4, 8, "NAME"),))


@pytest.mark.parametrize("name", ["label-studio", "doccano"])
@pytest.mark.parametrize("text", ["{", "[1]", '[{"data": {}}]', '{"text": "Jean"}', '{"text": "a"'])
def test_what_is_no_export_is_refused_without_quoting_it(
    name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / "e.json"
    path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        FORMATS[name].read(path)
    assert "Jean" not in str(refused.value)


# The draw -----------------------------------------------------------------------------------------


@given(st.dictionaries(st.integers(), st.sampled_from("abc"), max_size=60), st.integers(1, 9))
@settings(max_examples=50)
def test_a_draw_is_without_replacement_and_the_same_for_one_seed(
    kinds: dict[int, str], per_kind: int
) -> None:
    pairs = list(kinds.items())
    drawn = draw_sample(per_kind, "s", pairs)
    assert draw_sample(per_kind, "s", reversed(pairs)) == drawn
    assert drawn.population == dict(sorted(Counter(kinds.values()).items()))
    for kind, note_ids in drawn.notes.items():
        assert len(set(note_ids)) == len(note_ids) == min(per_kind, drawn.population[kind])
        assert all(kinds[note_id] == kind for note_id in note_ids)


def test_every_note_is_drawn_equally_often() -> None:
    times = Counter(
        n
        for seed in range(800)
        for n in draw_sample(5, str(seed), [(n, "k") for n in range(20)]).notes["k"]
    )
    # 200 expected of each, standard deviation 12: five of them is one in a million.
    assert set(times) == set(range(20))
    assert all(abs(count - 200) < 62 for count in times.values())


# The whole way ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audited(night: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hospital after a night, which the tests below only read and add reviews to."""
    folder = tmp_path_factory.mktemp("audited") / "demo"
    shutil.copytree(night, folder)
    with closing(sqlite3.connect(folder / "hospital.db")) as db, db:
        # To read documents takes a process of its own.
        db.execute("delete from note where note_text = ''")
    return folder / "nightly.toml"


def stored(config: Path) -> list[AuditReview]:
    one = load(config)
    with open_audit_records(one.state, one.base) as records:
        return records.reviews()


@pytest.mark.parametrize("name", FORMATS)
def test_a_review_from_the_sample_to_the_rate(
    name: str, audited: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "audit"
    sampling = ["audit", "sample", str(audited), "--per-kind", "3", "--format", name, "--seed", "1"]
    assert main([*sampling, "-o", str(folder), "--json"]) == 0
    said = capsys.readouterr()
    sample = json.loads(said.out)
    assert "holds original text" in said.err
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(kind["read"] == min(3, kind["population"]) for kind in sample["strata"].values())
    assert main([*sampling, "-o", str(folder)]) == 2, "a folder with something in it"
    capsys.readouterr()

    reading = [
        "audit",
        "read",
        str(audited),
        str(saved(name, folder)),
        "--reviewer",
        name,
        "--json",
    ]
    assert main(reading) == 2, "nobody has read any note"
    refused = capsys.readouterr().err
    many = sum(kind["read"] for kind in sample["strata"].values())
    assert f"none of the {many} notes of the sample is marked as read" in refused
    assert FORMATS[name].how_to_mark in refused
    assert not [review for review in stored(audited) if review.reviewer == name]
    read_by_someone(name, folder)
    assert main(reading) == 0
    agreed = json.loads(capsys.readouterr().out)
    assert agreed["zero_leak"]["rate"] == 1
    assert agreed["marked"] == many
    assert agreed["notes"] == sum(kind["read"] for kind in sample["strata"].values())
    assert agreed["strict"]["f1"] == 1

    missed = mark_one_more(name, folder)
    train = tmp_path / "train.jsonl"
    assert main([*reading, "-o", str(train)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["leaky"], found["strict"]["fn"]) == (1, 1)
    assert found["labels"]["OTHER"]["recall"] == 0
    kinds, population = found["kinds"], sum(k["population"] for k in found["kinds"].values())
    expected = sum(k["rate"] * k["population"] for k in kinds.values()) / population
    assert found["zero_leak"]["rate"] == pytest.approx(expected) != 1
    assert found["zero_leak"]["low"] < expected < found["zero_leak"]["high"]

    assert train.stat().st_mode & 0o777 == 0o600
    notes_back = {n.document.note_id: n for n in read_annotated(train, [])}
    start, end = missed[1]
    assert Span(start, end, "OTHER") in {
        replace(s, detector="gold") for s in notes_back[missed[0]].spans
    }
    # What stays is counts: of the review nothing but numbers, labels and kinds.
    review = next(r for r in stored(audited) if r.reviewer == name)
    words = {w for note in notes_back.values() for s in note.spans
             for w in [note.document.text[s.start:s.end]] if len(w) > 4}  # fmt: skip
    assert words
    assert not [word for word in words if word in json.dumps(review.result)]


@pytest.mark.parametrize("name", FORMATS)
def test_notes_without_a_mark_do_not_count(
    name: str, audited: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "audit"
    sampling = ["audit", "sample", str(audited), "--per-kind", "3", "--format", name]
    assert main([*sampling, "-o", str(folder)]) == 0
    assert "a note counts once its reader marked it" in capsys.readouterr().out
    read_by_someone(name, saved(name, folder), most=2)
    reading = ["audit", "read", str(audited), str(folder), "--reviewer", f"{name}-2", "--json"]
    assert main(reading) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["notes"], found["marked"]) == (2, 2)
    assert found["unseen"] > 0
    assert f"{found['unseen']} notes are not marked as read and do not count" in said.err
    assert "READ" not in found["labels"]


def test_reviews_of_which_nobody_knows_who_read_what_do_not_count(audited: Path) -> None:
    one = load(audited)
    with open_audit_records(one.state, one.base) as records:
        records.add_review(
            1, "before", {"notes": 80, "zero_leak": {"rate": 1, "low": 1, "high": 1}}
        )
        assert not [review for review in records.reviews() if review.reviewer == "before"]


def mark_one_more(name: str, folder: Path) -> tuple[str, tuple[int, int]]:
    """A reviewer marks a word that was not detected; returns the note and its offsets."""
    if name == "brat":
        path = min(folder.glob("*.txt"))
        note_id, text = path.stem, path.read_bytes().decode()
        start, end = free_word(text, FORMATS[name].read(path)[0].spans)
        with path.with_suffix(".ann").open("a") as file:
            file.write(f"T999\tOTHER {start} {end}\t{text[start:end]}\n")
    elif name == "doccano":
        path = folder / "all.jsonl"
        first, *others = path.read_text().split("\n")
        record = json.loads(first)
        note_id, text = record["note_id"], record["text"]
        start, end = free_word(text, [Span(*mark) for mark in record["label"]])
        record["label"].append([start, end, "OTHER"])
        path.write_text("\n".join([json.dumps(record), *others]))
    else:
        path = folder / "export.json"
        tasks = json.loads(path.read_text())
        note_id, text = tasks[0]["data"]["note_id"], tasks[0]["data"]["text"]
        results = tasks[0]["annotations"][0]["result"]
        values = [region["value"] for region in results]
        start, end = free_word(text, [Span(v["start"], v["end"], "X") for v in values])
        value = {"start": start, "end": end, "text": text[start:end], "labels": ["OTHER"]}
        results.append({"type": "labels", "value": value})
        path.write_text(json.dumps(tasks))
    return note_id, (start, end)


def free_word(text: str, spans: Sequence[Span]) -> tuple[int, int]:
    """Where a word is that no span touches."""
    taken = {place for span in spans for place in range(span.start, span.end)}
    start = 0
    for word in text.split():
        start = text.index(word, start)
        end = start + len(word)
        if word.isalpha() and not taken & set(range(start - 1, end + 1)):
            return start, end
        start = end
    raise AssertionError("every word is taken")


def test_a_changed_text_and_a_foreign_note_are_refused(
    audited: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "audit"
    sampling = ["audit", "sample", str(audited), "--per-kind", "1", "--format", "brat"]
    assert main([*sampling, "-o", str(folder)]) == 0
    reading = ["audit", "read", str(audited), str(folder), "--reviewer", "r"]
    read_by_someone("brat", folder)
    first = min(folder.glob("*.txt"))
    kept = first.read_bytes().decode()
    first.write_text("Zoé " + kept, newline="")
    first.with_suffix(".ann").write_text("T1\tREAD 0 3\tZoé\n")
    capsys.readouterr()
    assert main(reading) == 2
    assert "was changed, so its offsets are invalid" in (said := capsys.readouterr().err)
    assert "Zoé" not in said
    first.write_text(kept, newline="")
    first.with_suffix(".ann").write_text("")
    (folder / "777777.txt").write_text("a")
    (folder / "777777.ann").write_text("T1\tREAD 0 1\ta\n")
    assert main(reading) == 2
    assert "not in this sample" in capsys.readouterr().err


def test_what_was_drawn_is_stored_and_what_has_changed_is_left_out(
    audited: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "demo" / "nightly.toml"
    shutil.copytree(audited.parent, config.parent)
    with closing(sqlite3.connect(config.parent / "hospital.db")) as db, db:
        db.execute("update note set note_text = 'Autre chose.' where note_text <> ''")
    before = stored(config)
    sampling = ["audit", "sample", str(config), "--per-kind", "2", "--format", "doccano"]
    assert main([*sampling, "-o", str(tmp_path / "a"), "--seed", "s", "--json"]) == 0
    said = capsys.readouterr()
    sample = json.loads(said.out)
    assert sum(kind["read"] for kind in sample["strata"].values()) == 0
    assert "have changed since the last run" in said.err
    assert "Autre" not in (tmp_path / "a" / "notes.jsonl").read_text()
    one = load(config)
    with open_audit_records(one.state, one.base) as records:
        kept = records.sample(sample["sample_id"])
        assert (kept.seed, kept.format, kept.per_kind) == ("s", "doccano", 2)
        assert records.notes(kept.sample_id) == {}
    assert stored(config) == before


def test_the_report_of_a_run_tells_the_last_review(audited: Path, tmp_path: Path) -> None:
    config = tmp_path / "demo" / "nightly.toml"
    shutil.copytree(audited.parent, config.parent)
    with closing(sqlite3.connect(config.parent / "state.db")) as db, db:
        db.execute("delete from audit_review")
    run_nightly(config, run_in_process)
    assert "No random sample has been reviewed" in (config.parent / "report.html").read_text()
    one = load(config)
    with open_audit_records(one.state, one.base) as records:
        rate = {"rate": 0.9875, "low": 0.951, "high": 0.998}
        found = {"notes": 80, "marked": 80, "leaky": 1, "zero_leak": rate}
        records.add_review(1, "mk", found)
    run_nightly(config, run_in_process)
    page = (config.parent / "report.html").read_text()
    assert "98.75 %" in page
    assert "95.10 to 99.80" in page
    assert json.loads((config.parent / "report.json").read_text())["review"]["notes"] == 80
