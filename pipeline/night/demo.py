"""The demonstration, `cryptonym demo`: a fictional hospital with configuration, key and score."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.detection.alignment import Pair
from evaluation.detection.scores import score_pairs
from models.tagger.shipped_model import DEFAULT, NO_MODEL
from pipeline.config.progress import Progress
from pipeline.config.settings import ModelSettings, Settings, load
from pipeline.notes.overlap_resolution import resolve_spans
from pipeline.notes.stages import (
    attach_patients,
    detect_identifiers,
    extract_texts,
    start_batch,
)
from pipeline.notes.worker_resources import (
    make_seal,
    open_master,
    open_resources,
    resolve_urls,
    with_id_bits,
)
from pipeline.state.ledger import State, open_state
from pipeline.state.span_sealing import Seal
from pipeline.warehouse.warehouse import open_output
from record.errors import ConfigError
from record.span import Span
from surrogates.keys.keys import new_master
from synthesis.fictional.hospital import make_hospital, write_hospital
from synthesis.fictional.omop import NOTE_CLASSES
from synthesis.fictional.people.records import Hospital
from synthesis.fictional.register_hospital import make_register_hospital

KEY_FILE = "master.key"

_CONFIG = """\
# The nightly job of the fictional hospital. Paths are relative to this file's folder.
cohort = "research"
lang = "{lang}"

[source]                         # OMOP CDM 5.4, any SQLAlchemy URL, or "env:NAME"
url = "sqlite:///hospital.db"
documents = "pdf"                # folder of the documents named in note_source_value
# objections = "objections.csv"  # persons who object: a table, a file or a query; never read

[source.kinds]                   # note_class_concept_id -> kind of note shown in reports
{kinds}

[source.identity]                # table of identifying data of patients, not part of OMOP
table = "patient_identity"

[source.identity.columns]        # field of the patient record, or label -> column
given_names = "given_names"
family_names = "family_names"
birth_names = "birth_names"
birth_date = "birth_date"
gender = "gender"
phones = "phones"
emails = "emails"
street = "street"
zip = "zip"
city = "city"
country = "country"
PATIENT_ID = "mrn"
SSN = "ssn"
INSURANCE_ID = "insurance_id"
relative_given_names = "relative_given_names"
relative_family_names = "relative_family_names"

[state]                          # restricted: ledger, sealed spans, staged notes, quarantine
url = "sqlite:///state.db"

[output]                         # de-identified notes for research
url = "sqlite:///research.db"

[key]
locator = "file:{key}"

[model]                          # "none": rules and known values of patients alone
folder = {model}

[limits]
max_quarantine_share = 0.2       # without tesseract, scanned PDFs go to quarantine

[cohorts.study]                  # used by `cryptonym release nightly.toml --cohort study`
persons.sql = "select person_id from person"
output = "jsonl:release"
"""


@dataclass(frozen=True)
class DemoOptions:
    """Options of the demonstration: folder, number of patients, random seed, language, tagger."""

    folder: Path
    patients: int = 60
    seed: int = 1
    lang: str = "fr"
    model: str = DEFAULT


def make_demo(options: DemoOptions, progress: Progress, *, processes: int = 1) -> Path:
    """Write a hospital, its configuration and a new key; return the configuration's path.

    Raises ConfigError when the folder is not empty.
    """
    _open_folder(options.folder)
    progress.phase("making hospital")
    hospital = make_hospital(options.patients, seed=options.seed, lang=options.lang)
    return _write_demo(hospital, options, progress, processes=processes)


def make_register_demo(
    options: DemoOptions, progress: Progress, *, most: int | None, skipped: int = 0
) -> Path:
    """Write a hospital of register notes (at most `most`), as `make_demo` does of templates.

    Its language is that of the options, which tell no number of patients: each note is of another.
    `skipped` notes are those of another hospital with the same seed.
    """
    _open_folder(options.folder)
    progress.phase("making hospital")
    hospital = make_register_hospital(
        seed=options.seed, lang=options.lang, most=most, skipped=skipped
    )
    return _write_demo(hospital, options, progress)


def _open_folder(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(str(folder), "must be a new or empty folder", "choose another folder")
    folder.mkdir(parents=True, exist_ok=True)


def _write_demo(
    hospital: Hospital, options: DemoOptions, progress: Progress, *, processes: int = 1
) -> Path:
    folder = options.folder
    write_hospital(
        hospital,
        folder,
        seed=options.seed,
        processes=processes,
        progress=lambda done: progress.advance(done, hospital.planned),
    )
    new_master(folder / KEY_FILE)
    config = folder / "nightly.toml"
    config.write_text(make_demo_config(options.lang, options.model), encoding="utf-8")
    settings = load(config)
    # Derived now, not by the first run, so that copies of the folder give the same surrogates.
    open_master(settings).cohort(settings.cohort, action="derive")
    return config


def make_demo_config(lang: str, model: str = DEFAULT) -> str:
    """Return the text of the demonstration's `nightly.toml`."""
    kinds = "\n".join(f'{concept} = "{kind}"' for kind, concept in sorted(NOTE_CLASSES.items()))
    return _CONFIG.format(lang=lang, kinds=kinds, key=KEY_FILE, model=json.dumps(model))


def score_demo(config: Path) -> str:
    """Score the replaced identifiers of text notes against the gold annotations.

    With a tagger, also what rules and known values alone would have replaced. Notes in PDFs are
    left out: extraction changes their line breaks, and so their offsets.
    """
    settings = load(config)
    seal = make_seal(open_master(settings))
    state = open_state(resolve_urls(settings).state, settings.base)
    try:
        pairs = list(_read_pairs(settings, state, seal))
    finally:
        state.close()
    alone = _detect_without_tagger(settings) if settings.model.is_on else {}
    lines = [f"score on {len(pairs)} released text notes (95 % confidence interval):"]
    if alone:
        by_rules = [replace(pair, predicted=alone[pair.note_id]) for pair in pairs]
        lines.append(_format_score("rules and known values alone", by_rules))
        lines.append(_format_score("with the tagger", pairs))
    else:
        lines.append(_format_score("rules and known values", pairs))
    lines.append(
        "Rules and tagger were developed on fictional notes like these: evaluate on notes of your "
        "own"
    )
    return "\n".join(lines)


def _format_score(detectors: str, pairs: Sequence[Pair]) -> str:
    found = score_pairs(pairs)
    complete = found["fully_redacted"]
    return (
        f"  {detectors + ':':30} {100 * found['redacted']:6.2f} % of the identifiers' tokens "
        f"replaced, {100 * complete['rate']:5.1f} % of the notes fully redacted "
        f"({100 * complete['low']:.1f} to {100 * complete['high']:.1f})"
    )


def _detect_without_tagger(settings: Settings) -> dict[str, tuple[Span, ...]]:
    """Detect in the text notes of the hospital by rules and known values, as the night would."""
    rules = replace(settings, model=ModelSettings(folder=NO_MODEL))
    found = {}
    with open_resources(rules, is_trial=True) as resources:
        for unit, _ in resources.source.plan(settings.limits.notes_per_unit):
            rows = [row for row in resources.source.read(unit) if row.note_text]
            batch = attach_patients(start_batch(unit, rows, resources), resources)
            batch = detect_identifiers(extract_texts(batch, resources), resources)
            for item in batch.items:
                if item.document is not None:
                    found[item.note_id] = resolve_spans(item.found, item.document.text)
    return found


def _read_pairs(settings: Settings, state: State, seal: Seal) -> Iterator[Pair]:
    with (settings.base / "truth.jsonl").open(encoding="utf-8") as lines:
        notes = [note for note in map(json.loads, lines) if "file" not in note]
    kept = state.read_sealed([int(note["note_id"]) for note in notes])
    for note in notes:
        sealed = kept.get(int(note["note_id"]))
        if sealed is not None:
            found = seal.open_findings(sealed.version, sealed.sealed)
            gold = tuple(Span(s["start"], s["end"], s["label"]) for s in note["spans"])
            yield Pair(note["note_id"], note["text"], gold, tuple(found.spans["text"]))


def format_note_comparison(config: Path) -> str:
    """Return a released note before and after replacement; the notes are fictional."""
    settings = load(config)
    cohort = with_id_bits(open_master(settings).cohort(settings.cohort), settings.make_policy())
    output = open_output(resolve_urls(settings).output, settings.base)
    try:
        with (settings.base / "truth.jsonl").open(encoding="utf-8") as lines:
            notes = [json.loads(line) for line, _ in zip(lines, range(50), strict=False)]
        for note_id, before in [(note["note_id"], note["text"]) for note in notes]:
            after = output.text(cohort.pseudonym("note", note_id))
            if after is not None and len(before) > _MIN_SHOWN_CHARACTERS:
                return (
                    f"\n--- note {note_id}, original ---\n{before}\n\n--- released ---\n{after}\n"
                )
    finally:
        output.close()
    return "no note was released"


_MIN_SHOWN_CHARACTERS = 300
