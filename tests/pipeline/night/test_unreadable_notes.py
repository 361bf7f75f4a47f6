"""Notes that no detector reads: their names left in clear, and do not any more."""

import base64
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from extractors.plain.plain_text import clean
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.notes import worker_resources
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
from surrogates.keys.keys import load_master
from tests.keys import derive
from tests.rules.matching.foreign_notes import LATIN, NAMES, OTHER_SCRIPTS

FOREIGN = LATIN | OTHER_SCRIPTS
DATA = {
    "json": json.dumps({"nom": "Zwerenz", "prenom": "Ottokar", "motif": "chute"}),
    "csv": "nom;prenom;motif\nZwerenz;Ottokar;chute\nZwerenz;Ottokar;toux\n",
    "xml": "<note><nom>Zwerenz</nom><prenom>Ottokar</prenom></note>",
    "base64": f"Vu.\n{base64.encodebytes(b'Ottokar Zwerenz, vu pour une chute ' * 3).decode()}",
    "mojibake": OTHER_SCRIPTS["ru"].encode().decode("latin-1"),
    "code page": OTHER_SCRIPTS["ru"].encode("cp1251").decode("latin-1"),
}  # fmt: skip
SHOWN = {"base64": "T3R0b2thciBad2VyZW56", "mojibake": "Ð", "code page": "Èâàíîâ"}
# What a browser shows, and what the program that stored a note meant.
READABLE = {
    "html": "<html><body><p>Madame <b>Zwerenz</b>, n&eacute;e le 3 mars 1950</p></body></html>",
    "rtf": r"{\rtf1\ansi\ansicpg1252 Madame Zwerenz, n\'e9e le 3 mars 1950\par}",
    "letters as two": "Madame Zwerenz, née le 3 mars 1950, opérée".encode().decode("latin-1"),
    "quoted-printable": "Madame Zwerenz, n=C3=A9e le 3 mars 1950, op=C3=A9r=C3=A9e",
}
FIRST = 900_000


@pytest.fixture
def night(config: Path) -> dict[str, int]:
    """A hospital with ten notes of its own and one of each kind; their ids by kind."""
    kinds = [*FOREIGN, *DATA, *READABLE]
    texts = FOREIGN | DATA | READABLE
    ids = {kind: FIRST + number for number, kind in enumerate(kinds)}
    with closing(sqlite3.connect(config.parent / "hospital.db")) as database, database:
        database.execute("delete from note where note_id > 10")
        columns = [row[1] for row in database.execute("pragma table_info(note)")]
        row = dict(zip(columns, database.execute("select * from note").fetchone(), strict=True))
        row |= {"note_title": "Lettre", "note_source_value": None}
        marks = ", ".join("?" * len(columns))
        for kind, note_id in ids.items():
            row |= {"note_id": note_id, "note_text": texts[kind]}
            database.execute(f"insert into note values ({marks})", list(row.values()))
    text = re.sub("max_quarantine_share = .*", "max_quarantine_share = 1", config.read_text())
    config.write_text(text)
    return ids


def released(config: Path, ids: dict[str, int]) -> dict[str, str]:
    """Run the night; give the released text of each kind."""
    run_nightly(config, run_in_process)
    settings = load(config)
    cohort = load_master(settings.key.locator, settings.base).cohort(settings.cohort)
    with closing(sqlite3.connect(config.parent / "research.db")) as database:
        texts = dict(database.execute("select note_id, note_text from note"))
    pseudonyms = {kind: cohort.pseudonym("note", str(note_id)) for kind, note_id in ids.items()}
    return {kind: texts[name] for kind, name in pseudonyms.items() if name in texts}


def test_what_no_detector_reads_is_not_released(config: Path, night: dict[str, int]) -> None:
    out = released(config, night)
    assert out.keys() == READABLE.keys()


def test_what_can_be_decoded_is_released_as_decoded(config: Path, night: dict[str, int]) -> None:
    for text in released(config, night).values():
        assert text.startswith("Madame ")
        assert ", née en " in text
        assert "Zwerenz" not in text
        assert "1950" not in text or "3 mars" not in text


def test_a_cohort_gets_the_decoded_text_with_spans_that_fit(
    config: Path, night: dict[str, int]
) -> None:
    released(config, night)
    derive(config.parent / "master.key", "study")
    persons = config.parent / "persons.txt"
    with closing(sqlite3.connect(config.parent / "hospital.db")) as database:
        people = [str(row[0]) for row in database.execute("select person_id from person")]
    persons.write_text("\n".join(["person_id", *people]))
    output = f"sqlite:///{config.parent / 'study.db'}"
    run_release(ReleaseRequest(config, "study", persons, output))
    with closing(sqlite3.connect(config.parent / "study.db")) as database:
        texts = [row[0] for row in database.execute("select note_text from note")]
    madames = [text for text in texts if text.startswith("Madame ") and ", née en " in text]
    assert len(madames) == len(READABLE)
    assert not any("Zwerenz" in text for text in texts)


def test_languages_that_are_let_through_show_their_names(
    config: Path, night: dict[str, int]
) -> None:
    """The control: without the check, the names of these notes leave in clear."""
    text = config.read_text()
    config.write_text(f"{text}\n[detection]\nallow_languages = {json.dumps([*FOREIGN])}\n")
    out = released(config, night)
    assert FOREIGN.keys() <= out.keys()
    clear = [kind for kind in FOREIGN if NAMES[kind] in out[kind]]
    assert len(clear) >= 14


def test_data_that_is_not_decoded_shows_its_names(
    config: Path, night: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: data in fields and encodings, as text."""
    monkeypatch.setattr(worker_resources, "read_note_text", lambda text, read: clean(text))
    out = released(config, night)
    clear = [kind for kind in DATA if SHOWN.get(kind, "Zwerenz") in out.get(kind, "")]
    assert len(clear) >= 5
