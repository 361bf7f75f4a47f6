"""Notes per second of the rules: every family, known-patient matching, and peers beside them.

    python -m benchmarks.detection.rules [--notes 240] [--identifiers 10,22,48] [--native]
        [--peer PYTHON]

Notes of 3,000 characters in French, English and Spanish, a third each, ten a patient, of whom 20
values are known. `--identifiers` says how many identifiers the notes hold: a study of a French
warehouse (Tannier et al. 2024, Methods Inf Med 63) counts 10 in the body of a document and 48 in
the whole page; MEDDOCAN's cases have 23 per 3,000 characters. `--peer` names a Python that has
edsnlp and deduce installed: their rules read the same notes in the same run. Everything runs on
one core, one arm after the other; of each note the least of the rounds counts, since other
programs only ever add to it. `--native` compiles the rules to C first, as
`CRYPTONYM_USE_MYPYC=1 pip install .` does, and another process searches with them, by turns with
this one; it ends with an error where they find anything else. Prints Markdown: read ratios, not
absolute numbers.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from itertools import cycle
from pathlib import Path
from statistics import mean

from benchmarks.detection.native import Native, build
from pipeline.notes.detection import FAMILIES, KnownPatients, detect
from record.document import Annotated, Document
from record.folding import fold
from record.patient import Identifier, PatientRecord
from rules.matching.normalized_document import RECENT_TEXTS, cased_once, fold_once
from rules.matching.scanner import AUTOMATA, Automaton
from synthesis.fictional.hospital import make_hospital

LANGUAGES = ("fr", "en", "es")
NOTES_PER_PATIENT = 10
CHARACTERS = 3000
KNOWN_VALUES = 20
ALL_ARM = "all rules and known"
NATIVE_ARM = f"{ALL_ARM}, compiled to C"

Note = tuple[Document, PatientRecord]
Arm = Callable[..., object]


def main() -> None:
    options = _parse()
    if options.serve:
        serve(list(_interleaved(options.notes, int(options.identifiers))))
        return
    rooms = build(Path("build")) if options.native else None
    print("| identifiers a note | arm | us a note | notes/s per core | against all |")
    print("| ---: | --- | ---: | ---: | ---: |")
    for identifiers in map(int, options.identifiers.split(",")):
        notes = list(_interleaved(options.notes, identifiers))
        with _native(rooms, options.notes, identifiers) if rooms else nullcontext() as native:
            arms = measure(notes, options.rounds, native)
        if options.peer:
            arms.update(_peers(notes, options.peer))
        reference = arms[ALL_ARM]
        for name, seconds in arms.items():
            share = f"{reference / seconds:.2f}"
            print(
                f"| {identifiers} | {name} | {seconds * 1e6:.0f} | {1 / seconds:.0f} | {share} |",
                flush=True,
            )


def measure(notes: Sequence[Note], rounds: int, native: Native | None = None) -> dict[str, float]:
    """Return seconds a note for each arm: of each note the least of the rounds, then the mean."""
    least: dict[str, list[float]] = {}
    for _ in range(rounds):
        searched, found = _search(notes)
        taken = {ALL_ARM: searched}
        taken |= {name: [_seconds(arm, note) for note in notes] for name, arm in _arms().items()}
        if native:
            taken[NATIVE_ARM], found_so = native.round()
            if found_so != found:
                sys.exit("the compiled rules found something else")
        for name, seconds in taken.items():
            least[name] = list(map(min, seconds, least.get(name, seconds)))
    return {name: mean(seconds) for name, seconds in least.items()}


def serve(notes: Sequence[Note]) -> None:
    """Search all notes once for each line read, and print what `_search` returns."""
    for _ in sys.stdin:
        print(json.dumps(_search(notes)), flush=True)


def _native(rooms: Path, notes: int, identifiers: int) -> Native:
    options = ["--serve", "--notes", str(notes), "--identifiers", str(identifiers)]
    return Native(rooms, "benchmarks.detection.rules", options)


def _search(notes: Sequence[Note]) -> tuple[list[float], str]:
    """Return the seconds of each note, and a hash of all that was found.

    A patient is compiled at the first note of each round.
    """
    compiled, seconds, found = KnownPatients(), list[float](), blake2b(digest_size=16)
    for document, patient in notes:
        started = time.process_time()
        spans = detect(document, compiled.of(patient))
        seconds.append(time.process_time() - started)
        found.update(repr(spans).encode())
    return seconds, found.hexdigest()


def _seconds(arm: Arm, note: Note) -> float:
    started = time.process_time()
    arm(*note)
    return time.process_time() - started


def _arms() -> dict[str, Arm]:
    """Make the arms of a round beside that of all rules and known values."""
    alone = KnownPatients()
    return {
        "all rules": lambda document, _: detect(document, None),
        "known, 20 values": lambda document, patient: alone.of(patient).detect(document),
        **{f"family {one.__module__.removeprefix('rules.')}": _family(one) for one in FAMILIES},
        "expressions, one automaton": lambda document, _: _automaton(document),
        "expressions, one by one with re": lambda document, _: _one_by_one(document),
    }


def _family(detector: Callable[[Document], object]) -> Arm:
    return lambda document, _: detector(document)


def _automaton(document: Document) -> None:
    for automaton, reading in _readings(document):
        automaton.scan.cache_clear()
        for pattern in automaton.patterns:
            for _match in pattern.finditer(reading):
                pass


def _one_by_one(document: Document) -> None:
    for automaton, reading in _readings(document):
        for expression in _compiled(automaton):
            for _match in expression.finditer(reading):
                pass


@cache
def _compiled(automaton: Automaton) -> list[re.Pattern[str]]:
    return [re.compile(pattern.pattern) for pattern in automaton.patterns]


def _readings(document: Document) -> Iterator[tuple[Automaton, str]]:
    readings = (fold_once(document.text), cased_once(document.text))
    return zip(AUTOMATA, readings, strict=True)


def _peers(notes: Sequence[Note], python: str) -> dict[str, float]:
    script = Path(__file__).with_name("rules_peers.py")
    texts = json.dumps([document.text for document, _ in notes[:60]])
    done = subprocess.run(
        [python, str(script)], input=texts, stdout=subprocess.PIPE, check=True, text=True
    )
    peers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return peers


def _interleaved(count: int, identifiers: int) -> Iterator[Note]:
    """Yield notes of the languages, patient by patient."""
    languages = [_of_language(lang, count, identifiers) for lang in LANGUAGES]
    patients = cycle(range(len(languages)))
    for _ in range(count // NOTES_PER_PATIENT):
        yield from next(languages[next(patients)])


def _of_language(lang: str, count: int, identifiers: int) -> Iterator[list[Note]]:
    hospital = make_hospital(
        count // NOTES_PER_PATIENT + 1,
        seed=1,
        lang=lang,
        notes_per_patient=NOTES_PER_PATIENT,
        mean_characters=CHARACTERS,
        pdf_share=0.0,
        scan_share=0.0,
    )
    source = [note.annotated for note in hospital.notes()]
    filler = cycle(sorted({line for one in source for line in _plain_lines(one)}))
    records = list(hospital.patients.values())
    for at, record in enumerate(records):
        relative = records[(at + 1) % len(records)]
        known = _with_values(record, relative)
        own = [one for one in source if one.document.person_id == record.person_id]
        if len(own) >= NOTES_PER_PATIENT:
            yield [(_thinned(one, identifiers, filler), known) for one in own[:NOTES_PER_PATIENT]]


def _lines(one: Annotated) -> Iterator[tuple[str, int]]:
    """Yield each line and how many identifiers it holds."""
    at = 0
    for line in one.document.text.splitlines(keepends=True):
        end = at + len(line)
        yield line, sum(at < span.end and span.start < end for span in one.spans)
        at = end


def _plain_lines(one: Annotated) -> Iterator[str]:
    return (line for line, count in _lines(one) if not count and len(line) > 30)


def _thinned(one: Annotated, identifiers: int, filler: Iterator[str]) -> Document:
    """Keep lines until there are enough identifiers; the rest of the note is clinical prose."""
    text, held = "", 0
    for line, count in _lines(one):
        if held + count <= identifiers:
            text += line
            held += count
    while len(text) < CHARACTERS:
        text += next(filler)
    return replace(one.document, text=text[:CHARACTERS])


def _with_values(record: PatientRecord, relative: PatientRecord) -> PatientRecord:
    """Fill what is known of a patient up to 20 values."""
    missing = KNOWN_VALUES - _values(record)
    numbers = tuple(
        Identifier("PATIENT_ID", f"77{fold(record.person_id):0>6}{number:02d}")
        for number in range(max(0, missing - 4))
    )
    return replace(
        record,
        phones=record.phones + relative.phones[:2],
        emails=record.emails + relative.emails[:1],
        addresses=record.addresses + relative.addresses[:1],
        identifiers=record.identifiers + numbers,
    )


def _values(record: PatientRecord) -> int:
    names = len(record.given_names) + len(record.family_names) + len(record.birth_names)
    relatives = sum(len(one.given_names) + len(one.family_names) for one in record.relatives)
    contacts = len(record.phones) + len(record.emails) + len(record.identifiers)
    return names + relatives + contacts + 3 * len(record.addresses) + 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=240, help="default 240")
    parser.add_argument("--identifiers", default="10,22,48", help="default 10,22,48")
    parser.add_argument("--rounds", type=int, default=5, help="default 5")
    parser.add_argument("--native", action="store_true", help="also the rules compiled to C")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--peer", default="", help="a Python with edsnlp and deduce installed")
    options = parser.parse_args()
    if options.notes <= RECENT_TEXTS:
        parser.error(f"--notes: more than {RECENT_TEXTS}, or arms find texts that are remembered")
    return options


if __name__ == "__main__":
    main()
