"""The fictional hospital: people, visits and notes, generated on demand or written to files."""

import json
import os
import re
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Literal, TextIO

from sqlalchemy import create_engine

from record.document import Document
from record.errors import ConfigError
from record.folding import fold
from record.patient import Address, Identifier, PatientRecord
from synthesis.fictional.notes.note_writer import NoteContext, NoteSetting, NoteWriter
from synthesis.fictional.notes.planted_text import TextPiece, annotate, named
from synthesis.fictional.notes.slots import SLOTS
from synthesis.fictional.omop import document_name, write_omop
from synthesis.fictional.pdf_letters.letterhead import Letter, LetterDirectory
from synthesis.fictional.pdf_letters.rendering import render_letter
from synthesis.fictional.people.people import FictionalPerson, PersonFactory, Pools, make_pools
from synthesis.fictional.people.records import (
    CareSite,
    Clinician,
    FictionalNote,
    Hospital,
    Rendering,
    Visit,
)
from synthesis.fictional.people.visit_planning import PlannedVisit, VisitPlanner
from synthesis.fictional.templates.grammar import LetterLanguage
from synthesis.fictional.templates.languages import LANGUAGES

_LONG_WORD = re.compile(r"(?<![\w-])[^\W\d_]{6,}(?![\w-])")


@dataclass(frozen=True, slots=True)
class TypingHabits:
    """How often a writer makes mistakes; each rate is a probability per opportunity.

    `width` is where an old program breaks lines, in characters; 0 where it does not.
    """

    typos: float = 0.0
    glue: float = 0.0
    double_blanks: float = 0.0
    width: int = 0


def draw_typing_habits(rng: Random) -> TypingHabits:
    """Draw a writer's habits: half of them type carefully, a few badly."""
    draw = rng.random()
    width = rng.choice((78, 92, 110)) if rng.random() < 0.15 else 0
    if draw < 0.5:
        return TypingHabits(width=width)
    if draw < 0.85:
        return TypingHabits(typos=0.03, glue=0.01, double_blanks=0.02, width=width)
    return TypingHabits(typos=0.10, glue=0.04, double_blanks=0.06, width=width)


def add_typing_errors(
    pieces: Sequence[TextPiece], rng: Random, habits: TypingHabits, avoid: frozenset[str]
) -> list[TextPiece]:
    """Add typing errors to plain pieces; planted ones stay unchanged.

    `avoid` holds folded words that a typo must not make by chance: the patient's own names.
    """
    disturbed = list(pieces)
    if habits.typos or habits.glue or habits.double_blanks:
        for index, piece in enumerate(disturbed):
            text = piece.text
            if piece.label or len(text) < 12:
                continue
            if rng.random() < habits.typos:
                text = _misspell(text, rng, avoid)
            if rng.random() < habits.double_blanks and " " in text[1:-1]:
                at = text.index(" ", 1)
                text = f"{text[:at]} {text[at:]}"
            disturbed[index] = TextPiece(text)
        _drop_spaces(disturbed, rng, habits.glue)
    if habits.width:
        _wrap_lines(disturbed, habits.width)
    return [piece for piece in disturbed if piece.text]


def _misspell(text: str, rng: Random, avoid: frozenset[str]) -> str:
    words = list(_LONG_WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randint(1, len(word.group()) - 3)
    letters = list(word.group())
    draw = rng.random()
    if draw < 0.4:
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    elif draw < 0.7:
        del letters[at]
    else:
        letters.insert(at, letters[at])
    wrong = "".join(letters)
    if fold(wrong) in avoid:
        return text
    return text[: word.start()] + wrong + text[word.end() :]


def _drop_spaces(pieces: list[TextPiece], rng: Random, rate: float) -> None:
    """Drop the blank between a planted value and the word beside it: `Dr DUPONTle 12/03`.

    Only where case or kind of character still shows the seam to a reader.
    """
    for index in range(1, len(pieces)):
        left, right = pieces[index - 1], pieces[index]
        if not left.text or not right.text or rng.random() >= rate:
            continue
        if left.label and not right.label and right.text[0] == " " and right.text[1:2].isalpha():
            last, following = left.text[-1], right.text[1]
            if last.isdigit() or (last.isupper() and following.islower()):
                pieces[index] = TextPiece(right.text[1:])
        elif right.label in ("DATE", "BIRTH_DATE") and not left.label:
            if left.text[-1] == " " and left.text[-2:-1].isalpha() and right.text[0].isdigit():
                pieces[index - 1] = TextPiece(left.text[:-1])
        elif index > 1 and left.text == " " and right.label == "LAST_NAME":
            before = pieces[index - 2]
            if before.label == "FIRST_NAME" and before.text[-1].islower():
                pieces[index - 1] = TextPiece("")


def _wrap_lines(pieces: list[TextPiece], width: int) -> None:
    """Break long lines at plain blanks."""
    column = 0
    for index, (text, label, _) in enumerate(pieces):
        if label:
            column += len(text)
            continue
        wrapped = []
        for part in re.split(r"( |\n)", text):
            breaks = part == "\n" or (part == " " and column >= width)
            column = 0 if breaks else column + len(part)
            wrapped.append("\n" if breaks else part)
        pieces[index] = TextPiece("".join(wrapped))


Part = Literal["all", "training", "held-out"]

HELD_OUT = 0.2
"""The share of each list of templates that training never sees, and at least one of it."""

# Lists of whole lines; the others are words that any template may use.
_LINES = ("letterhead", "identity")


def select_templates(language: LetterLanguage, part: Part) -> LetterLanguage:
    """Return a language with only that part of its templates.

    Templates, not what is drawn from them, are divided: sentences, letterheads, identity blocks,
    heads, tails and titles. Which one goes where depends on its text alone. A list of a single
    template is in both parts (one template in seven), and so are lists of words.
    """
    if part == "all":
        return language
    return replace(
        language,
        kinds={
            name: replace(
                kind,
                titles=_select(kind.titles, part),
                heads=_select(kind.heads, part),
                tails=_select(kind.tails, part),
            )
            for name, kind in language.kinds.items()
        },
        pools=_select_lists(language.pools, part),
        words=language.words
        | _select_lists(
            {name: language.words[name] for name in _LINES if name in language.words}, part
        ),
        stories=tuple(
            replace(story, texts=_select_lists(story.texts, part)) for story in language.stories
        ),
    )


def _select_lists(lists: dict[str, tuple[str, ...]], part: Part) -> dict[str, tuple[str, ...]]:
    return {name: _select(templates, part) for name, templates in lists.items()}


def _select(templates: tuple[str, ...], part: Part) -> tuple[str, ...]:
    distinct = sorted(
        set(templates) - {""}, key=lambda one: blake2b(one.encode(), digest_size=8).digest()
    )
    if len(distinct) < 2:
        return templates
    held_out = set(distinct[: max(1, round(HELD_OUT * len(distinct)))])
    return tuple(one for one in templates if (one in held_out) is (part == "held-out"))


@dataclass(frozen=True, slots=True)
class _NoteSettings:
    """How notes are written: seed, mean length, and how many are stored as PDF or scan."""

    seed: int
    mean_characters: int
    pdf_share: float
    scan_share: float


def make_hospital(
    patients: int,
    *,
    seed: int,
    lang: str = "fr",
    notes_per_patient: float = 10,
    mean_characters: int = 2000,
    pdf_share: float = 0.12,
    scan_share: float = 0.02,
    templates: Part = "all",
) -> Hospital:
    """Create a hospital with so many patients, numbered from 1.

    The same arguments give the same hospital, to the byte. Shares are of notes. `templates` names
    the part of the templates that notes are written from (`select_templates`).
    Raises ConfigError for a language there are no templates for.
    """
    no_records = dict.fromkeys(range(1, patients + 1))
    settings = _NoteSettings(seed, mean_characters, pdf_share, scan_share)
    language = select_templates(_language(lang), templates)
    return _build(no_records, settings, language, notes_per_patient, _ExistingRecords())


def make_hospital_for(
    records: Mapping[int, PatientRecord],
    *,
    seed: int,
    lang: str = "fr",
    clinicians: Sequence[Clinician] = (),
    care_sites: Sequence[CareSite] = (),
    visits: Sequence[Visit] = (),
    first_visit_id: int = 1,
    notes_per_patient: float = 10,
    mean_characters: int = 2000,
    pdf_share: float = 0.12,
    scan_share: float = 0.02,
) -> Hospital:
    """Create identities, and notes about them, for the persons of an existing warehouse.

    Of a record only gender and birth date are kept; what it lacks is made up. Clinicians, care
    sites and visits are made up where none are given; where visits are given, notes belong to
    them, and a person without visits gets no notes.
    Raises ConfigError for a language there are no templates for.
    """
    existing = _ExistingRecords(tuple(clinicians), tuple(care_sites), tuple(visits), first_visit_id)
    settings = _NoteSettings(seed, mean_characters, pdf_share, scan_share)
    return _build(dict(records), settings, _language(lang), notes_per_patient, existing)


@dataclass(frozen=True, slots=True)
class _ExistingRecords:
    """Clinicians, care sites and visits that a warehouse already contains."""

    clinicians: tuple[Clinician, ...] = ()
    care_sites: tuple[CareSite, ...] = ()
    visits: tuple[Visit, ...] = ()
    first_visit_id: int = 1


def _language(lang: str) -> LetterLanguage:
    if lang not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise ConfigError("lang", "no templates for this language", f"choose one of {known}")
    return LANGUAGES[lang]


def _build(
    known: Mapping[int, PatientRecord | None],
    settings: _NoteSettings,
    language: LetterLanguage,
    notes_per_patient: float,
    existing: _ExistingRecords,
) -> Hospital:
    pools = make_pools(language, settings.seed)
    registry = PersonFactory(language, settings.seed, pools)
    clinicians = existing.clinicians or registry.clinicians(min(180, 24 + len(known) // 25))
    care_sites = existing.care_sites or registry.care_sites()
    setting = _make_setting(language, pools, clinicians, care_sites)
    gps = max(1, len(setting.by_specialty.get("gp", ())))
    persons = {number: registry.person(number, known[number], gps=gps) for number in sorted(known)}
    planner = VisitPlanner(
        language, settings.seed, notes_per_patient, setting.by_specialty, care_sites
    )
    if existing.visits:
        bookings = planner.fill(persons, existing.visits)
    else:
        bookings = planner.plan(persons, first_visit_id=existing.first_visit_id)
    return Hospital(
        lang=language.code,
        patients={number: person.record for number, person in persons.items()},
        clinicians=clinicians,
        care_sites=care_sites,
        visits=existing.visits or tuple(booking.visit for booking in bookings),
        notes=_writer(setting, persons, bookings, settings),
        planned=sum(len(booking.notes) for booking in bookings),
    )


def _make_setting(
    language: LetterLanguage,
    pools: Pools,
    clinicians: tuple[Clinician, ...],
    care_sites: tuple[CareSite, ...],
) -> NoteSetting:
    by_specialty: dict[str, tuple[Clinician, ...]] = {}
    for clinician in clinicians:
        present = by_specialty.get(clinician.specialty, ())
        by_specialty[clinician.specialty] = (*present, clinician)
    practices: dict[int, Address] = {}
    for clinician in by_specialty.get("gp", ()):
        rng = Random(f"practice/{clinician.provider_id}")
        town = rng.choice(pools.towns)
        practices[clinician.provider_id] = Address(
            rng.choice(pools.streets), town.zip, town.city, region=town.region
        )
    return NoteSetting(language, pools, clinicians, by_specialty, practices, care_sites)


def _writer(
    setting: NoteSetting,
    persons: Mapping[int, FictionalPerson],
    bookings: Sequence[PlannedVisit],
    settings: _NoteSettings,
) -> Callable[[], Iterator[FictionalNote]]:
    providers = {clinician.provider_id: clinician for clinician in setting.clinicians}
    sites = {site.care_site_id: site for site in setting.care_sites}

    def notes() -> Iterator[FictionalNote]:
        note_id = 0
        for booking in bookings:
            for kind, written, provider_id in booking.notes:
                note_id += 1
                # Many short notes, a few long ones, the mean as requested.
                rng = Random(f"{settings.seed}/length/{note_id}")
                length = round(settings.mean_characters * rng.lognormvariate(0.0, 0.35))
                scene = NoteContext(
                    person=persons[booking.visit.person_id],
                    story=booking.story,
                    visit=booking.visit,
                    kind=setting.language.kinds[kind],
                    annexes=setting.language.annexes[kind],
                    author=providers[provider_id],
                    site=sites.get(booking.visit.care_site_id, setting.care_sites[0]),
                    written=written,
                    length=max(300, length),
                )
                yield _write_note(setting, scene, kind, note_id, settings)

    return notes


def _write_note(
    setting: NoteSetting, scene: NoteContext, kind: str, note_id: int, settings: _NoteSettings
) -> FictionalNote:
    rng = Random(f"{settings.seed}/{setting.language.code}/note/{note_id}/{scene.visit.person_id}")
    scribe = NoteWriter(setting, scene, rng, SLOTS)
    draft = scribe.note()
    habits = draw_typing_habits(rng)
    pieces = add_typing_errors(draft.pieces, rng, habits, _known_words(scene.person.record))
    document = Document(
        note_id=str(note_id),
        text="",
        person_id=str(scene.visit.person_id),
        lang=setting.language.code,
        written=scene.written,
        kind=kind,
        clinicians=(scene.author.name,),
        identifiers=(Identifier("VISIT_ID", scene.visit.number),),
    )
    title, draw = scribe.plain_title(), rng.random()
    on_paper: Rendering = "scan" if draw < settings.scan_share else "pdf"
    return FictionalNote(
        note_id=note_id,
        person_id=scene.visit.person_id,
        provider_id=scene.author.provider_id,
        visit_id=scene.visit.visit_id,
        care_site_id=scene.visit.care_site_id,
        kind=kind,
        title=title,
        lang=setting.language.code,
        written=scene.written,
        annotated=annotate(document, pieces),
        rendering=on_paper if draw < settings.scan_share + settings.pdf_share else "text",
        who=named(pieces),
    )


def _known_words(record: PatientRecord) -> frozenset[str]:
    relatives = (name for person in record.relatives for name in person.given_names)
    family = (name for person in record.relatives for name in person.family_names)
    names = (*record.given_names, *record.family_names, *record.birth_names, *relatives, *family)
    cities = (address.city for address in record.addresses)
    return frozenset(fold(name) for name in (*names, *cities))


DATABASE = "hospital.db"
DOCUMENTS = "pdf"
TRUTH = "truth.jsonl"
PATIENTS = "patients.jsonl"

_PARTIAL = ".hospital.partial"
_CHUNK = 32
_AHEAD = 4

Printed = tuple[FictionalNote, bytes | None]


@dataclass
class HospitalCounts:
    """How much was written; `pdfs` are printed notes, `scans` those without a text layer."""

    patients: int = 0
    visits: int = 0
    notes: int = 0
    pdfs: int = 0
    scans: int = 0
    spans: int = 0


def write_hospital(
    hospital: Hospital,
    folder: Path,
    *,
    seed: int,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
) -> HospitalCounts:
    """Write `hospital.db`, `pdf/`, `truth.jsonl` and `patients.jsonl` into a folder.

    The same hospital and seed give the same files, whatever the number of processes. Files appear
    in the folder only when all are complete, the database last. `progress` receives how many notes
    are done. With several processes the caller's main module must be importable.
    Raises ConfigError when the folder holds a hospital already.
    """
    if (folder / DATABASE).exists():
        raise ConfigError(
            f"{folder}", f"already contains {DATABASE}", "give another folder, or delete the file"
        )
    partial = folder / _PARTIAL
    shutil.rmtree(partial, ignore_errors=True)  # what a killed run left
    (partial / DOCUMENTS).mkdir(parents=True)
    try:
        counts = _write_files(hospital, partial, _Printing(seed, processes), progress)
        _put_in_place(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return counts


@dataclass(frozen=True, slots=True)
class _Printing:
    """How notes are rendered."""

    seed: int
    processes: int


def _write_files(
    hospital: Hospital,
    partial: Path,
    printing: _Printing,
    progress: Callable[[int], None] | None,
) -> HospitalCounts:
    counts = HospitalCounts(patients=len(hospital.patients), visits=len(hospital.visits))
    engine = create_engine(f"sqlite:///{partial / DATABASE}")

    def filed(truth: TextIO) -> Iterator[FictionalNote]:
        for note, data in _printed(hospital, printing):
            name = document_name(note)
            if name and data is not None:
                (partial / DOCUMENTS / name).write_bytes(data)
            truth.write(json.dumps(_truth(note, name), ensure_ascii=False) + "\n")
            counts.notes += 1
            counts.pdfs += note.rendering == "pdf"
            counts.scans += note.rendering == "scan"
            counts.spans += len(note.annotated.spans)
            if progress:
                progress(counts.notes)
            yield note

    try:
        with _durable(partial / TRUTH) as truth:
            write_omop(hospital, engine, notes=filed(truth))
    finally:
        engine.dispose()
    with _durable(partial / PATIENTS) as lines:
        for record in hospital.patients.values():
            lines.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")
    return counts


def _truth(note: FictionalNote, name: str | None) -> dict[str, Any]:
    """Return a line of `truth.jsonl`; for a note in a PDF it includes rendering and file."""
    truth = {
        "note_id": f"{note.note_id}",
        "person_id": f"{note.person_id}",
        "text": note.annotated.document.text,
        "lang": note.lang,
        "note_datetime": note.written.isoformat(),
        "note_type": note.kind,
        "spans": [
            {"start": span.start, "end": span.end, "label": span.label}
            for span in note.annotated.spans
        ],
    }
    return {**truth, "rendering": note.rendering, "file": name} if name else truth


# Printing ----------------------------------------------------------------------------------------


def _printed(hospital: Hospital, printing: _Printing) -> Iterator[Printed]:
    """Every note in order, those in PDFs with all that the PDF shows for their text."""
    directory = LetterDirectory(hospital)
    letters = (
        note if note.rendering == "text" else directory.letter(note, seed=printing.seed)
        for note in hospital.notes()
    )
    if printing.processes <= 1:
        yield from (_print(letter, printing.seed) for letter in letters)
        return
    chunks = iter(lambda: list(islice(letters, _CHUNK)), [])
    with ProcessPoolExecutor(printing.processes, get_context("spawn")) as pool:
        waiting: deque[Future[list[Printed]]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(_print_all, chunk, printing.seed))
            if len(waiting) > _AHEAD * printing.processes:  # bounds the memory, keeps the order
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _print_all(letters: Iterable[FictionalNote | Letter], seed: int) -> list[Printed]:
    return [_print(letter, seed) for letter in letters]


def _print(letter: FictionalNote | Letter, seed: int) -> Printed:
    if isinstance(letter, FictionalNote):
        return letter, None
    data, annotated = render_letter(letter, seed=seed)
    return replace(letter.note, annotated=annotated), data


# Files -------------------------------------------------------------------------------------------


@contextmanager
def _durable(path: Path) -> Iterator[TextIO]:
    with path.open("w", encoding="utf-8") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _put_in_place(partial: Path, folder: Path) -> None:
    (folder / DOCUMENTS).mkdir(exist_ok=True)
    for document in sorted((partial / DOCUMENTS).iterdir()):
        document.replace(folder / DOCUMENTS / document.name)
    for name in (TRUTH, PATIENTS, DATABASE):
        (partial / name).replace(folder / name)
