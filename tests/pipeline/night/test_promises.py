"""What the job promises of its output, checked on the fictional hospital by independent means."""

import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from evaluation.detection.leaks import make_leak_scanner
from pipeline.config.progress import Progress
from pipeline.config.settings import load
from pipeline.night.demo import DemoOptions, make_demo
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.notes.worker_resources import make_seal
from pipeline.state.ledger import open_state
from record.patient import PatientRecord
from surrogates.keys.keys import load_master
from tests.keys import derive, drawn_from

pytestmark = pytest.mark.slow
LANGUAGES = ("fr", "en", "es")


class Hospital:
    """A hospital that was run, as somebody sees it who has the key and the gold."""

    def __init__(self, folder: Path, lang: str, cohort: str, *, recognizes: bool) -> None:
        self.folder = folder / lang
        self.recognizes = recognizes
        config = self.folder / "nightly.toml"
        if not self.folder.exists():
            with drawn_from(lang):
                options = DemoOptions(self.folder, patients=25, seed=11, lang=lang, model="none")
                make_demo(options, Progress())
        text = config.read_text().replace('cohort = "research"', f'cohort = "{cohort}"')
        if not recognizes:
            text += "\n[extraction]\nlanguages = []\n"
        config = config.with_name(f"{cohort}.toml")
        config.write_text(
            text.replace("state.db", f"{cohort}-state.db").replace("research.db", f"{cohort}.db")
        )
        derive(self.folder / "master.key", cohort)
        self.ended = run_nightly(config, run_in_process)
        settings = load(config)
        master = load_master(settings.key.locator, settings.base)
        self.cohort = master.cohort(cohort)
        self.seal = make_seal(master)
        self.state = open_state(settings.state, settings.base)
        with (self.folder / "patients.jsonl").open() as lines:
            records = [PatientRecord.from_json(json.loads(line)) for line in lines]
        self.records = {record.person_id: record for record in records}
        with (self.folder / "truth.jsonl").open() as lines:
            self.truth = [json.loads(line) for line in lines]
        with sqlite3.connect(self.folder / f"{cohort}.db") as db:
            self.texts = dict(db.execute("select note_id, note_text from note"))
            self.titles = dict(db.execute("select note_id, note_title from note"))
            self.dates = dict(db.execute("select note_id, note_date from note"))
            self.spans = defaultdict(list)
            for note, *span in db.execute(
                "select note_id, start_offset, end_offset, label from note_span order by 1, 2"
            ):
                self.spans[note].append(tuple(span))

    def replacements(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """(person, label, value, surrogate) of every span of notes that are text in the table."""
        sealed = self.state.read_sealed([int(note["note_id"]) for note in self.truth])
        for note, note_id in self.released():
            if note.get("rendering", "text") != "text":
                continue
            kept = sealed[int(note["note_id"])]
            spans = self.seal.open_findings(kept.version, kept.sealed).spans["text"]
            for old, (start, end, label) in zip(spans, self.spans[note_id], strict=True):
                value = note["text"][old.start : old.end]
                yield note["person_id"], label, value, self.texts[note_id][start:end]

    def released(self) -> Iterator[tuple[Any, int]]:
        """Pairs of a gold note and its id in the output, of notes that were released."""
        for note in self.truth:
            note_id = self.cohort.pseudonym("note", note["note_id"])
            if note_id in self.texts:
                yield note, note_id


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("promises")


@pytest.fixture(scope="module", params=LANGUAGES)
def hospital(request: pytest.FixtureRequest, folder: Path) -> Hospital:
    """Scans are recognized in one language: that takes longer than all the rest."""
    return Hospital(folder, request.param, "research", recognizes=request.param == LANGUAGES[0])


def test_most_notes_are_released(hospital: Hospital) -> None:
    released = Counter(note.get("rendering", "text") for note, _ in hospital.released())
    given = Counter(note.get("rendering", "text") for note in hospital.truth)
    assert set(given) == {"text", "pdf", "scan"}
    if not hospital.recognizes:
        assert released["scan"] == 0
        del given["scan"]
    assert released.total() > 0.9 * given.total()


def test_no_known_value_of_the_patient_survives(hospital: Hospital) -> None:
    scanners = {person: make_leak_scanner(record) for person, record in hospital.records.items()}
    leaks = []
    for note, note_id in hospital.released():
        scanner = scanners[note["person_id"]]
        found = scanner.scan(hospital.texts[note_id]) + scanner.scan(hospital.titles[note_id] or "")
        leaks += [(note["note_id"], leak) for leak in found]
    assert leaks == []


def test_the_scanner_does_find_them_in_the_originals(hospital: Hospital) -> None:
    scanners = {person: make_leak_scanner(record) for person, record in hospital.records.items()}
    with_hits = sum(bool(scanners[note["person_id"]].scan(note["text"])) for note in hospital.truth)
    assert with_hits > 0.95 * len(hospital.truth)


def test_surrogate_offsets_lie_within_the_text(hospital: Hospital) -> None:
    for note_id, spans in hospital.spans.items():
        assert all(0 <= start < end <= len(hospital.texts[note_id]) for start, end, _ in spans)
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_note_dates_of_a_patient_move_together(hospital: Hospital) -> None:
    shifts = defaultdict(set)
    with sqlite3.connect(hospital.folder / "hospital.db") as db:
        written = {
            str(note): day for note, day in db.execute("select note_id, note_date from note")
        }
    for note, note_id in hospital.released():
        moved = date.fromisoformat(hospital.dates[note_id]) - date.fromisoformat(
            written[note["note_id"]]
        )
        shifts[note["person_id"]].add(moved.days)
    assert shifts
    assert all(len(days) == 1 for days in shifts.values())
    assert all(30 <= abs(days.pop()) <= 365 for days in shifts.values())


def numeric(text: Any, lang: str) -> date | None:
    """Read a full numeric date by the standard library; None for any other."""
    orders = ("%m/%d/%Y", "%Y-%m-%d") if lang == "en" else ("%d/%m/%Y", "%Y-%m-%d")
    for order in orders:
        try:
            return datetime.strptime(text, order).date()
        except ValueError:
            continue
    return None


def test_every_interval_between_two_dates_of_a_patient_is_unchanged(
    hospital: Hospital, request: pytest.FixtureRequest
) -> None:
    lang = hospital.folder.name
    shifts, births = defaultdict(set), []
    pairs = 0
    for person, label, value, surrogate in hospital.replacements():
        before = numeric(value, lang)
        if label == "BIRTH_DATE" and before:
            births.append((person, before, [int(n) for n in re.findall(r"\d+", surrogate)]))
        elif label == "DATE" and before:
            after = numeric(surrogate, lang)
            assert after is not None
            shifts[person].add((after - before).days)
            pairs += 1
    assert pairs > 300
    # Births have month and year of the day that moves as the others do, the old the year.
    for person, before, numbers in births:
        for days in shifts.get(person, ()):
            born = before + timedelta(days)
            assert set(numbers) in ({born.month, born.year}, {born.year})
    assert len(births) > 100
    # One shift a patient is the same as every interval unchanged.
    assert all(len(days) == 1 for days in shifts.values())
    assert len(shifts) > 20


def test_nothing_is_replaced_by_itself(hospital: Hospital) -> None:
    same = [
        label
        for _, label, value, surrogate in hospital.replacements()
        if value.casefold() == surrogate.casefold() and label != "AGE"
    ]
    assert same == []


def test_two_cohorts_share_no_mapping_beyond_chance(folder: Path) -> None:
    first, second = (
        Hospital(folder, "fr", cohort, recognizes=False) for cohort in ("oncology", "cardiology")
    )
    mine, theirs = names(first), names(second)
    common = mine.keys() & theirs.keys()
    agreeing = sum(mine[key] == theirs[key] for key in common)
    assert len(common) > 500
    # By chance two draws agree once in as many as there are surrogates; lexicons are not uniform,
    # so the smaller one is taken for both.
    chance = 1 / min(len(set(mine.values())), len(set(theirs.values())))
    assert binom.sf(agreeing - 1, len(common), chance) > 1e-6
    assert not set(first.texts) & set(second.texts)


def names(hospital: Hospital) -> dict[Any, Any]:
    return {
        (person, label, value.casefold()): surrogate.casefold()
        for person, label, value, surrogate in hospital.replacements()
        if label in ("LAST_NAME", "FIRST_NAME") and len(value) > 3
    }
