"""The demonstration: a fictional hospital, its configuration and key, a note before and after."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.detection.alignment import Pair
from evaluation.detection.scores import score
from pipeline.config.progress import Progress
from pipeline.config.settings import Settings, load
from pipeline.notes.worker_resources import make_seal, open_master, settled
from pipeline.state.ledger import State, open_state
from pipeline.state.span_sealing import Seal
from pipeline.warehouse.warehouse import open_output
from record.errors import ConfigError
from record.span import Span
from surrogates.keys.keys import new_master
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.hospital_files import write_hospital
from synthesis.fictional.omop import NOTE_CLASSES

KEY = "master.key"

_CONFIG = """\
# The nightly job of the fictional hospital. Paths start at this file's folder.
cohort = "research"
lang = "{lang}"

[source]                         # OMOP CDM 5.4, any SQLAlchemy URL, or "env:NAME"
url = "sqlite:///hospital.db"
documents = "pdf"                # where note_source_value finds its documents

[source.kinds]                   # note_class_concept_id -> kind of note in the reports
{kinds}

[source.identity]                # what the warehouse knows of patients beyond OMOP
table = "patient_identity"

[source.identity.columns]        # field of the patient record or label -> column
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

[state]                          # restricted: ledger, sealed spans, stage, quarantine
url = "sqlite:///state.db"

[output]                         # what research may read
url = "sqlite:///research.db"

[key]
locator = "file:{key}"

[limits]
max_quarantine_share = 0.2       # without tesseract, the hospital's scans are refused

[cohorts.study]                  # what `cryptonym release nightly.toml --cohort study` makes
persons.sql = "select person_id from person"
output = "jsonl:release"
"""


@dataclass(frozen=True)
class Fiction:
    """Which hospital to make: where, how many patients, from which seed, in which language."""

    folder: Path
    patients: int = 200
    seed: int = 1
    lang: str = "fr"


def make_demo(fiction: Fiction, progress: Progress, *, processes: int = 1) -> Path:
    """Write a hospital, its configuration and a new key; returns the configuration's path.

    Raises ConfigError when the folder holds anything already.
    """
    folder = fiction.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(str(folder), "is there and not an empty folder", "name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    progress.phase("making hospital")
    hospital = make_hospital(fiction.patients, seed=fiction.seed, lang=fiction.lang)
    write_hospital(
        hospital,
        folder,
        seed=fiction.seed,
        processes=processes,
        progress=lambda done: progress.advance(done, 0),
    )
    new_master(folder / KEY)
    config = folder / "nightly.toml"
    config.write_text(demo_config(fiction.lang), encoding="utf-8")
    settings = load(config)
    # Now rather than at the first run, so that copies of the folder give the same surrogates.
    open_master(settings).cohort(settings.cohort, action="derive")
    return config


def demo_config(lang: str) -> str:
    """Return the text of the demonstration's `nightly.toml`."""
    kinds = "\n".join(f'{concept} = "{kind}"' for kind, concept in sorted(NOTE_CLASSES.items()))
    return _CONFIG.format(lang=lang, kinds=kinds, key=KEY)


def score_demo(config: Path) -> str:
    """Score what was replaced against what the fiction planted, in notes that are text.

    A rendered page comes back with other line breaks, so notes in PDFs are left out.
    """
    settings = load(config)
    seal = make_seal(open_master(settings))
    state = open_state(settled(settings).state, settings.base)
    try:
        pairs = list(_pairs(settings, state, seal))
    finally:
        state.close()
    found = score(pairs)
    fully = found["fully_redacted"]
    return (
        f"against the gold of {len(pairs)} released text notes: "
        f"{100 * found['redacted']:.2f} % of the planted identifiers' words were replaced, and "
        f"every one of them in {100 * fully['rate']:.1f} % of the notes "
        f"(95 % interval {100 * fully['low']:.1f} to {100 * fully['high']:.1f}); the rules were "
        "written with such fiction at hand, so measure on notes of your own"
    )


def _pairs(settings: Settings, state: State, seal: Seal) -> Iterator[Pair]:
    with (settings.base / "truth.jsonl").open(encoding="utf-8") as lines:
        notes = [note for note in map(json.loads, lines) if "file" not in note]
    kept = state.sealed([int(note["note_id"]) for note in notes])
    for note in notes:
        sealed = kept.get(int(note["note_id"]))
        if sealed is not None:
            found = seal.open(note["note_id"], sealed.content, sealed.sealed)
            gold = tuple(Span(s["start"], s["end"], s["label"]) for s in note["spans"])
            yield Pair(note["note_id"], note["text"], gold, tuple(found.spans["text"]))


def show_note(config: Path) -> str:
    """Show the first released note of the fiction before and after; fiction names nobody."""
    settings = load(config)
    cohort = open_master(settings).cohort(settings.cohort)
    output = open_output(settled(settings).output, settings.base)
    try:
        with (settings.base / "truth.jsonl").open(encoding="utf-8") as lines:
            notes = [json.loads(line) for line, _ in zip(lines, range(50), strict=False)]
        for note_id, before in [(note["note_id"], note["text"]) for note in notes]:
            after = output.text(cohort.pseudonym("note", note_id))
            if after is not None and len(before) > _SHORTEST:
                return f"\n--- note {note_id} before ---\n{before}\n\n--- after ---\n{after}\n"
    finally:
        output.close()
    return "no note was released"


_SHORTEST = 300
