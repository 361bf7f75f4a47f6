"""The nightly job on what others made: published OMOP tables, and PDFs as they are found."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pymupdf
import pytest
from sqlalchemy import MetaData, RowMapping, Table, create_engine, func, insert, select, text

from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import SourceSettings, load
from pipeline.night import engine, supervisor
from pipeline.night.demo import make_demo_config
from pipeline.night.nightly import Job, NightlyResult, run_nightly
from pipeline.notes.worker_resources import resolve_urls
from pipeline.warehouse.warehouse import open_output, open_source
from synthesis.fictional.hospital import make_hospital, make_hospital_for
from synthesis.fictional.omop import Tables, write_omop
from synthesis.fictional.people.records import Hospital, Visit
from tests.keys import make_key

PDFS = Path(__file__).parents[4] / "shared/fixtures/pdf"


def configured(folder: Path, **changes: Any) -> Path:
    """Write a configuration in a folder; `changes` are pieces of its text, by what they replace."""
    if not (folder / "master.key").exists():
        make_key(folder / "master.key", "research")
    lines = make_demo_config("fr", "none")
    changes = {"documents": ""} | changes
    for old, new in changes.items():
        line = {"source": "sqlite:///hospital.db", "state": "sqlite:///state.db",
                "output": "sqlite:///research.db", "documents": 'documents = "pdf"',
                "limits": "[limits]"}[old]  # fmt: skip
        assert line in lines
        lines = lines.replace(line, new)
    path = folder / f"{len(list(folder.glob('*.toml')))}.toml"
    path.write_text(lines)
    return path


def digest(config: Path) -> str:
    settings = resolve_urls(load(config))
    with closing(open_output(settings.output, settings.base)) as output:
        return output.digest()


def counted(ended: NightlyResult) -> dict[Any, Any]:
    tally = ended.summary.tally.to_json()
    return {key: tally[key] for key in tally if key not in ("microseconds", "peak_memory")}


# Published tables --------------------------------------------------------------------------------


@pytest.fixture
def make_database(postgres_server: str) -> Iterator[Callable[[str], str]]:
    """Makes further databases on the private server; returns their URLs."""
    server = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    names = []

    def make(name: str) -> str:
        names.append(f"real_input_{name}")
        with server.connect() as connection:
            connection.execute(text(f"create database {names[-1]}"))
        return server.url.set(database=names[-1]).render_as_string(hide_password=False)

    yield make
    with server.connect() as connection:
        for name in names:
            connection.execute(text(f"drop database {name} with (force)"))
    server.dispose()


def furnish(url: str, synthea_tables: Callable[..., dict[str, int]]) -> tuple[int, Hospital]:
    """Fill a database with the published tables, and give their persons identities and notes."""
    database = create_engine(url)
    counts = synthea_tables(database)
    with closing(open_source(SourceSettings(url=url), Path())) as source:
        records = source.patients(range(1, counts["person"] + 1))
    assert len(records) == counts["person"] == 28
    tables = MetaData()
    tables.reflect(database, only=["visit_occurrence", "provider", "person"])
    visit = tables.tables["visit_occurrence"]
    with database.connect() as connection:
        rows = connection.execute(select(visit).order_by(visit.c.visit_occurrence_id)).mappings()
        stays = [made_visit(row) for row in rows]
        highest = connection.scalar(select(func.max(tables.tables["provider"].c.provider_id)))
    staff = make_hospital(1, seed=3).clinicians
    hospital = make_hospital_for(
        records,
        seed=3,
        clinicians=[replace(one, provider_id=one.provider_id + highest) for one in staff],
        visits=stays,
        notes_per_patient=4,
        mean_characters=900,
        pdf_share=0.0,
        scan_share=0.0,
    )
    for person_id, record in hospital.patients.items():
        assert record.birth_date == records[person_id].birth_date
    written = write_omop(hospital, database, notes=hospital.notes())
    database.dispose()
    return written, hospital


def made_visit(row: RowMapping) -> Visit:
    return Visit(
        visit_id=row["visit_occurrence_id"],
        person_id=row["person_id"],
        provider_id=row["provider_id"] or 0,
        care_site_id=0,
        number=row["visit_source_value"],
        start=moment(row["visit_start_datetime"] or row["visit_start_date"]),
        end=moment(row["visit_end_datetime"] or row["visit_end_date"]),
    )


def moment(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def export(url: str, folder: Path) -> None:
    """Write every table of a database as Parquet, the notes in two files."""
    database, tables = create_engine(url), MetaData()
    tables.reflect(database)
    (folder / "note").mkdir(parents=True)
    with database.connect() as connection:
        for name, table in tables.tables.items():
            rows = [dict(row) for row in connection.execute(select(table)).mappings()]
            if name == "note":
                half = len(rows) // 2
                pq.write_table(typed(rows, table)[:half], folder / "note" / "1.parquet")
                pq.write_table(typed(rows, table)[half:], folder / "note" / "2.parquet")
            else:
                pq.write_table(typed(rows, table), folder / f"{name}.parquet")
    database.dispose()


ARROW = {int: pa.int64(), str: pa.string(), datetime: pa.timestamp("us"), date: pa.date32()}


def typed(rows: list[dict[Any, Any]], table: Table) -> Any:
    kinds = [(c.name, ARROW.get(c.type.python_type, pa.float64())) for c in table.columns]
    plain = [{k: float(v) if ARROW.get(type(v), 0) == 0 and v is not None else v
              for k, v in row.items()} for row in rows]  # fmt: skip
    return pa.Table.from_pylist(plain, pa.schema(kinds))


@pytest.mark.slow
def test_published_tables_come_out_alike_from_every_kind_of_warehouse(
    tmp_path: Path,
    make_database: Callable[[str], str],
    synthea_tables: Callable[..., dict[str, int]],
) -> None:
    sqlite, postgres = f"sqlite:///{tmp_path}/hospital.db", make_database("source")
    written, hospital = furnish(sqlite, synthea_tables)
    assert furnish(postgres, synthea_tables)[0] == written > 60
    export(sqlite, tmp_path / "tables")
    configs = [
        configured(tmp_path),
        configured(
            tmp_path, source=postgres, state=make_database("state"), output=make_database("output")
        ),
        configured(
            tmp_path, source="parquet:tables", state="sqlite:///other.db", output="parquet:released"
        ),
        configured(tmp_path, source=postgres, state="sqlite:///third.db", output="parquet:again"),
    ]
    ended = [run_nightly(config, engine.run_in_process) for config in configs]
    assert {one.exit_code for one in ended} == {EXIT_DONE}
    assert len({json.dumps(counted(one), sort_keys=True) for one in ended}) == 1
    assert len({digest(config) for config in configs}) == 1
    # Under one key in some seventy, a date of some note moves onto its patient's birth date.
    tally = ended[0].summary.tally
    assert {reason for _, _, reason, _ in tally.quarantine} <= {"residue"}
    held_back = tally.outcomes["quarantined"]
    assert held_back <= 1
    assert tally.outcomes["released"] == written - held_back
    check_tables(tmp_path / "research.db", hospital)


def check_tables(path: Path, hospital: Hospital) -> None:
    """Joins, sexes and intervals of the published tables survive."""
    tables, database = MetaData(), create_engine(f"sqlite:///{path}")
    tables.reflect(database, only=["note", "person"])
    note, person = tables.tables["note"], tables.tables["person"]
    with database.connect() as connection:
        persons = connection.execute(select(person)).mappings().all()
        orphans = select(func.count()).where(note.c.person_id.not_in(select(person.c.person_id)))
        assert connection.scalar(orphans) == 0
    database.dispose()
    with_notes = {one.person_id for one in hospital.notes()}
    sexes = Counter(hospital.patients[number].gender for number in with_notes)
    found = Counter({8507: "M", 8532: "F"}[one["gender_concept_id"]] for one in persons)
    assert found == sexes
    assert {one["month_of_birth"] for one in persons} == {None}


# PDFs --------------------------------------------------------------------------------------------


def hospital_of_documents(folder: Path, names: list[str], **changes: Any) -> Path:
    """One patient whose every note is a document; note n is the n-th name."""
    config = configured(folder, **changes)
    database = create_engine(f"sqlite:///{folder}/hospital.db")
    hospital = make_hospital(1, seed=1)
    write_omop(hospital, database, notes=())
    template = next(hospital.notes())
    rows = [
        {
            "note_id": number, "person_id": 1, "note_date": template.written.date(),
            "note_datetime": template.written, "note_type_concept_id": 32831,
            "note_class_concept_id": 706391, "note_title": None, "note_text": "",
            "encoding_concept_id": 32678, "language_concept_id": 0, "note_source_value": name,
        }
        for number, name in enumerate(names, 1)
    ]  # fmt: skip
    with database.begin() as connection:
        connection.execute(insert(Tables().note), rows)
    database.dispose()
    return config


def fates(folder: Path, names: list[str]) -> dict[Any, Any]:
    """What became of each document: `released`, or stage, error and reason."""
    tables, database = MetaData(), create_engine(f"sqlite:///{folder}/state.db")
    tables.reflect(database)
    with database.connect() as connection:
        refused = connection.execute(select(tables.tables["quarantine"])).mappings().all()
    database.dispose()
    found = {row["note_id"]: f"{row['stage']} {row['error']} {row['reason']}" for row in refused}
    return {name: found.get(number, "released") for number, name in enumerate(names, 1)}


KNOWN = {
    "edspdf/letter.pdf": "released",
    "edspdf/blank.pdf": "extract Unreadable no-text-layer",
    "pdfplumber/password-example.pdf": "extract Unreadable encrypted",
    "pypdf_sample/libreoffice-writer-password.pdf": "extract Unreadable encrypted",
    "pdfplumber/empty.pdf": "extract Unreadable empty",
    "edspdf/error.pdf": "extract Unreadable broken",
}


@pytest.mark.slow
def test_every_pdf_of_the_collection_is_released_or_refused_with_its_reason(tmp_path: Path) -> None:
    if not PDFS.is_dir():
        pytest.skip("the collection of PDFs is not there: it is shared beside the checkout")
    names = sorted(str(path.relative_to(PDFS)) for path in PDFS.rglob("*.pdf"))
    assert len(names) == 84
    config = hospital_of_documents(
        tmp_path,
        names,
        documents=f'documents = "{PDFS.resolve()}"',
        # Recognition takes a minute here, and is the matter of other tests.
        limits="[extraction]\nlanguages = []\n[limits]\nnotes_per_unit = 21",
    )
    ended = run_nightly(config, supervisor.run_in_workers)
    found = fates(tmp_path, names)
    for fate, count in Counter(found.values()).most_common():
        print(f"{count:4}  {fate}")
        if fate != "released":
            print("      ", ", ".join(name for name in names if found[name] == fate))
    outcomes = ended.summary.tally.outcomes
    assert outcomes["released"] + outcomes["quarantined"] == outcomes["planned"] == 84
    assert outcomes["released"] == list(found.values()).count("released") > 42
    errors = {error for _, error, _, _ in ended.summary.tally.quarantine}
    assert errors <= {"Unreadable", "Unsafe"}
    assert all(reason for _, _, reason, _ in ended.summary.tally.quarantine)
    assert {name: found[name] for name in KNOWN if name in found} == {
        name: fate for name, fate in KNOWN.items() if name in found
    }
    assert ended.summary.tally.peak_memory["worker-0"] < 700_000


def page_bomb() -> bytes:
    """A PDF of 2 kB that claims ten thousand million pages: each node of its tree has ten kids."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    for level in range(10):
        kids = " ".join([f"{level + 3} 0 R"] * 10)
        objects.append(f"<< /Type /Pages /Count {10 ** (10 - level)} /Kids [{kids}] >>")
    objects.append("<< /Type /Page /MediaBox [0 0 595 842] >>")
    data, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\n".encode()
    return bytes(data + f"startxref\n{start}\n%%EOF\n".encode())


def long_document(pages: int) -> Any:
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            words = (
                "patient stable sans fièvre pas écart visite du matin douleur calmée sous".split()
            )
            text = " ".join(Random(number).choices(words, k=120))  # what repeats is a letterhead
            document.new_page().insert_textbox((72, 150, 520, 700), text)
        return document.tobytes()


def test_long_documents_and_page_bombs(tmp_path: Path) -> None:
    documents = {
        "bomb.pdf": page_bomb(),
        "long.pdf": long_document(500),
        "short.pdf": long_document(2),
    }
    (tmp_path / "pdf").mkdir()
    for name, data in documents.items():
        (tmp_path / "pdf" / name).write_bytes(data)
    names = list(documents)
    config = hospital_of_documents(tmp_path, names, documents='documents = "pdf"')
    run_nightly(config, engine.run_in_process)
    found = fates(tmp_path, names)
    assert found["long.pdf"] == "extract Unreadable too-many-pages"
    assert found["bomb.pdf"].startswith("extract Unreadable ")
    assert found["short.pdf"] == "released"
    # A wider limit is another configuration: what it refused before is tried again.
    config.write_text(config.read_text().replace("[limits]", "[limits]\nmax_pages = 600"))
    run_nightly(config, engine.run_in_process)
    found = fates(tmp_path, names)
    assert (found["long.pdf"], found["short.pdf"]) == ("released", "released")
    assert found["bomb.pdf"].startswith("extract Unreadable ")
    with closing(open_output(load(config).output, tmp_path)) as output:
        assert len(list(output.ids())) == 2


# Memory ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_memory_does_not_grow_with_the_notes(tmp_path: Path) -> None:
    config = configured(tmp_path, limits="[limits]\nnotes_per_unit = 48")
    database = create_engine(f"sqlite:///{tmp_path}/hospital.db")
    hospital = make_hospital(
        120, seed=2, notes_per_patient=10, mean_characters=500, pdf_share=0, scan_share=0
    )
    notes = write_omop(hospital, database, notes=hospital.notes())
    database.dispose()
    process, sizes = psutil.Process(), []

    def drive(job: Job) -> dict[str, int]:
        watched = replace(job, watch=lambda: sizes.append(process.memory_info().rss))
        return engine.run_in_process(watched)

    ended = run_nightly(config, drive)
    assert ended.summary.tally.outcomes["released"] > 0.9 * notes
    assert len(sizes) == -(-notes // 48) > 20
    assert (max(sizes[5:]) - sizes[5]) / 2**20 < 36
