"""Names planted in a hospital are found nowhere else: no output, state, log or graph has them."""

import base64
import bz2
import json
import os
import re
import traceback
import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, NoReturn

import apache_beam as beam
import pytest
from reportlab.pdfgen.canvas import Canvas

import pipeline.notes.detection
from pipeline.beam.worker import UnitShare, build_nightly_graph
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Job, run_nightly
from pipeline.notes.batch import Batch
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.claimed_units import run_guarded_stage
from pipeline.notes.stages import STAGES, read_batch
from pipeline.notes.worker_resources import WorkerResources, open_resources
from pipeline.warehouse.note_rows import Unit, name_kind
from record.document import Document
from record.errors import CryptonymError
from tests.pipeline.conftest import Site

NAME = "Wexlovitch"
"""The family name of a patient, in her record, notes, titles, PDFs and file names."""

META = "Zuxofrelle"
"""A word in the metadata of her PDFs, where nobody should look."""

WORD = "glomvixique"
"""A word of a note that names nobody: it is released, and is in no log, state or report."""

PASSWORD = "Sesamouvretoi"
ORIGINALS = {"hospital.db", "truth.jsonl", "patients.jsonl", "sitecustomize.py"}

RAISES = """
import sys
if sys.orig_argv[1:]:
    import pipeline.notes.detection
    def detect(document):
        if document.note_id in ("2", "4"):
            raise ValueError(document.text, document.person_id)
        return []
    pipeline.notes.detection.FAMILIES += (detect,)
"""
FAILS = """
import pipeline.notes.stages
def detect(batch, tools):
    raise RuntimeError([(item.row.note_text, item.title.text) for item in batch.items])
pipeline.notes.stages.STAGES = tuple(
    (name, detect if name == "detect" else stage) for name, stage in pipeline.notes.stages.STAGES
)
"""


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one worker says and leaves, several do."""
    monkeypatch.setattr(Site, "WORKERS", 1)


@pytest.fixture
def hospital(site: Site) -> Site:
    """A hospital where the first patient is the one that is looked for."""
    site.source("delete from note where note_id > 12")
    site.source("update patient_identity set family_names = ? where person_id = 1", NAME)
    site.source(
        "update note set note_title = ?, note_text = note_text || ?"
        " where person_id = 1 and note_text <> ''",
        f"Courrier pour Mme {NAME.upper()}",
        f"\n\nMme {NAME.upper()} est revenue. Examen {WORD}. Signé : {NAME}\n",
    )
    site.source("update note set note_source_value = ? where note_id = 4", f"{NAME}.pdf")
    (site.folder / "pdf" / f"{NAME}.pdf").write_bytes(pdf())
    site.source("update note set note_source_value = ? where note_id = 12", f"{NAME}-2.pdf")
    (site.folder / "pdf" / f"{NAME}-2.pdf").write_bytes(pdf()[:700])
    site.configure("max_quarantine_share = 0.2", "max_quarantine_share = 1.0")
    temporary = site.folder / "temporary"
    temporary.mkdir()
    site.environment |= {"TMPDIR": str(temporary)}
    return site


def pdf() -> bytes:
    made = BytesIO()
    canvas = Canvas(made)
    canvas.setTitle(f"{META} {NAME}")
    canvas.setAuthor(META)
    canvas.setSubject(META)
    canvas.setKeywords([META])
    for line, text in enumerate((f"Patiente : Mme {NAME}", f"Aspect {WORD} du foie.", "Fin.")):
        canvas.drawString(72, 700 - 20 * line, text)
    canvas.save()
    return made.getvalue()


def plant(site: Site, mistake: str) -> None:
    """Put a mistake into every process of the program."""
    folder = site.folder / "mistake"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(mistake)
    path = os.pathsep.join([str(folder), *filter(None, [site.environment.get("PYTHONPATH")])])
    site.environment |= {"PYTHONPATH": path}


def holds(data: bytes, word: str) -> bool:
    """Whether bytes hold a word, whatever its case, in UTF-8 or UTF-16."""
    data = data.lower()
    return any(word.lower().encode(code) in data for code in ("utf-8", "utf-16-le", "utf-16-be"))


def traces(site: Site, *words: str) -> list[Any]:
    """The files of the site, but for the hospital's own, that hold one of the words."""
    files = [path for path in site.folder.rglob("*") if path.is_file()]
    ours = [path for path in files if path.name not in ORIGINALS and path.parent.name != "pdf"]
    assert {"state.db", "research.db"} <= {path.name for path in ours}
    return [path.name for path in ours for word in words if holds(path.read_bytes(), word)]


def secrets(site: Site) -> tuple[str, bytes]:
    """The key as text and as bytes."""
    text = (site.folder / "master.key").read_text().split()[1]
    return text, bytes.fromhex(text)


def test_the_search_does_find_them(hospital: Site) -> None:
    for file, word in (("hospital.db", NAME), ("hospital.db", WORD), (f"pdf/{NAME}.pdf", META)):
        assert holds((hospital.folder / file).read_bytes(), word)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("--runner=FnApiRunner",)], ids=["workers", "beam"])
def test_a_run_leaves_no_trace(hospital: Site, arguments: tuple[str, ...]) -> None:
    ended = hospital.run(*arguments)
    assert ended.returncode == 0, ended.stderr
    assert len(hospital.released()) == 11
    assert {hospital.out_id(note) for note in (1, 2, 3, 4, 5)} <= hospital.released().keys()
    said = ended.stdout + ended.stderr
    assert not any(holds(said.encode(), word) for word in (NAME, META, WORD))
    assert traces(hospital, NAME, META) == []
    # What names nobody is released, and is nowhere else once the stage is empty.
    assert set(traces(hospital, WORD)) <= {"research.db", "state.db"}
    key = secrets(hospital)
    hospital.folder.joinpath("master.key").unlink()
    assert traces(hospital, key[0]) == []
    assert not any(
        key[1] in path.read_bytes() for path in hospital.folder.rglob("*") if path.is_file()
    )


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("--runner=FnApiRunner",)], ids=["workers", "beam"])
def test_a_detector_that_raises_says_nothing(hospital: Site, arguments: tuple[str, ...]) -> None:
    plant(hospital, RAISES)
    ended = hospital.run(*arguments)
    assert ended.returncode == 0, ended.stderr
    assert "2 at detect: ValueError" in ended.stdout
    assert not any(holds((ended.stdout + ended.stderr).encode(), w) for w in (NAME, META, WORD))
    assert hospital.out_id(2) not in hospital.released()
    assert traces(hospital, NAME, META) == []


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("--runner=FnApiRunner",)], ids=["workers", "beam"])
def test_a_stage_that_raises_says_nothing(hospital: Site, arguments: tuple[str, ...]) -> None:
    plant(hospital, FAILS)
    ended = hospital.run(*arguments)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert re.search(r"detect failed on unit -?\d+: RuntimeError", ended.stderr)
    # Beam prints tracebacks of our errors in its own words; workers let nothing of it out.
    assert arguments or "Traceback" not in ended.stderr
    assert not any(holds((ended.stdout + ended.stderr).encode(), w) for w in (NAME, META, WORD))
    assert hospital.released() == {}
    assert traces(hospital, NAME, META, WORD) == []


@pytest.mark.slow
def test_a_run_that_was_killed_leaves_no_trace(hospital: Site) -> None:
    process = hospital.start()
    while process.poll() is None and "--summary" not in "".join(hospital.processes().values()):
        pass
    assert process.stderr
    for line in process.stderr:
        if line.startswith(("reconciling", "publishing")):
            break
    process.kill()
    process.communicate()
    assert hospital.wait_until_empty() == {}
    assert traces(hospital, NAME, META) == []


def test_state_holds_no_name_while_notes_wait_in_it(hospital: Site) -> None:
    def stop(job: Job) -> NoReturn:
        run_in_process(job)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_nightly(hospital.config, stop)
    assert traces(hospital, NAME, META) == []
    # Not even the words of notes that were replaced stand there in clear, as they do in the output.
    waiting = b"".join(path.read_bytes() for path in hospital.folder.glob("state.db*"))
    assert not holds(waiting, WORD)
    run_nightly(hospital.config, run_in_process)
    assert holds((hospital.folder / "research.db").read_bytes(), WORD)


# What is printed of things that hold text


def stages_of(tools: WorkerResources) -> Iterator[Batch]:
    """Every batch between two stages."""
    batch = read_batch(Unit(0, "", 1, 12, 12), tools)
    yield batch
    for _, stage in STAGES:
        batch = stage(batch, tools)
        yield batch


def test_no_representation_shows_text(hospital: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(document: Document) -> list[Any]:
        if document.note_id == "2":
            raise ValueError(document.text)
        return []

    monkeypatch.setattr(
        pipeline.notes.detection, "FAMILIES", (*pipeline.notes.detection.FAMILIES, fails)
    )
    run_nightly(hospital.config, run_in_process)
    settings = replace(load(hospital.config), cohort="another")
    with open_resources(settings) as tools:
        batches = list(stages_of(tools))
        shown = [repr(tools), repr(settings), str(batches)]
    assert len(batches[-1].items) == 10
    assert [r.failure.error for r in batches[-1].refused] == ["Unreadable", "ValueError"]
    shown += [repr(part) for batch in batches for part in (batch, *batch.items, *batch.refused)]
    shown += [repr(r.failure) for r in batches[-1].refused]
    shown += [repr(getattr(i, n)) for i in batches[-1].items for n in ("document", "release")]
    shown += [repr(i.row) for i in batches[-1].items] + [json.dumps(batches[-1].tally.to_json())]
    key = secrets(hospital)
    for text in shown:
        assert not any(holds(text.encode(), word) for word in (NAME, META, WORD, key[0]))
        assert repr(key[1])[2:-1] not in text


def test_errors_of_batches_hold_no_text_however_deep(hospital: Site) -> None:
    def stage(batch: Batch, tools: WorkerResources) -> NoReturn:
        try:
            raise KeyError(WORD)
        except KeyError as error:
            raise RuntimeError(f"{NAME} {batch}") from error

    run_nightly(hospital.config, run_in_process)
    with open_resources(load(hospital.config)) as tools, pytest.raises(CryptonymError) as caught:
        run_guarded_stage("detect", stage, Batch(unit=Unit(0, "", 1, 12, 12)), tools)
    error: BaseException | None = caught.value
    while error is not None:
        assert not holds((repr(error) + str(error)).encode(), NAME)
        error = error.__cause__ or error.__context__
    printed = "".join(traceback.format_exception(caught.value))
    assert "Wexlovitch" not in printed
    assert "KeyError" not in printed.splitlines()[-1]


@pytest.mark.parametrize("thing", ["cohort", "rewriter", "seal", "columns", "state"])
def test_what_holds_a_key_or_a_connection_is_never_pickled(hospital: Site, thing: str) -> None:
    with open_resources(load(hospital.config)) as tools:
        for held in (getattr(tools, thing), tools):
            with pytest.raises((TypeError, AttributeError, RuntimeError)):
                beam.internal.pickler.dumps(held)


# The graph, as a cluster would be sent it


def unpacked(data: Any) -> bytes:
    """Bytes with all that is packed in them (base64, zlib, bzip2) laid open behind."""
    opened = [data]
    for run in re.findall(rb"[A-Za-z0-9+/=]{64,}", data):
        try:
            raw = base64.b64decode(run)
        except ValueError:
            continue
        opened.append(raw)
        for unpack, errors in ((zlib.decompress, zlib.error), (bz2.decompress, OSError)):
            try:
                opened.append(unpack(raw))
            except (errors, ValueError):
                continue
    return b"\n".join(opened)


def test_the_serialized_graph_holds_no_secret(
    hospital: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_nightly(hospital.config, run_in_process)
    monkeypatch.setenv("WAREHOUSE", f"postgresql://me:{PASSWORD}@db/warehouse")
    hospital.configure("sqlite:///hospital.db", "env:WAREHOUSE")
    settings = load(hospital.config)
    graph = beam.Pipeline()
    build_nightly_graph(graph, UnitShare(settings, 1, hospital.folder / "summary.json"))
    data = unpacked(graph.to_runner_api().SerializeToString())
    assert b"env:WAREHOUSE" in data
    assert b"file:master.key" in data
    key = secrets(hospital)
    assert not any(holds(data, word) for word in (NAME, META, WORD, PASSWORD, key[0]))
    assert key[1] not in data


def test_settings_are_all_that_travels(hospital: Site) -> None:
    settings = load(hospital.config)
    run_nightly(hospital.config, run_in_process)
    with open_resources(settings) as tools:
        batches = list(stages_of(tools))
        commit_batch(batches[-1], tools, 1)
    graph = beam.Pipeline()
    build_nightly_graph(graph, UnitShare(settings, 1, hospital.folder / "summary.json"))
    data = unpacked(graph.to_runner_api().SerializeToString())
    assert not any(holds(data, word) for word in (NAME, META, WORD))
    assert secrets(hospital)[1] not in data


def test_a_class_that_is_text_reaches_no_report(
    hospital: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = "Quorvexine"
    hospital.source("update note set note_class_concept_id = ? where note_id in (3, 4)", word)
    # The control: named as it was, it does.
    place = "pipeline.notes.stages.name_kind"
    monkeypatch.setattr(place, lambda concept, kinds: f"class-{concept}")
    run_nightly(hospital.config, run_in_process)
    report = hospital.folder / "report.json"
    assert word in report.read_text()
    monkeypatch.setattr(place, name_kind)
    for path in (report, *hospital.folder.glob("state.db*"), *hospital.folder.glob("research.db*")):
        path.unlink()
    run_nightly(hospital.config, run_in_process)
    assert "class-other" in report.read_text()
    holding = [
        path.name
        for path in hospital.folder.rglob("*")
        if path.is_file() and path.name not in ORIGINALS and word.encode() in path.read_bytes()
    ]
    assert holding == []
