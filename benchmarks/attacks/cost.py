"""What caution costs: notes of a corpus that go to quarantine, by reason.

    python -m benchmarks.attacks.cost FOLDER... [--model default] [--processes 2]

Each folder holds notes (`*.jsonl`) and, as `patients.jsonl` where there is one, the records of
their patients. Run by two versions of the program on the same folder, the difference is what the
newer one refuses in addition. Prints Markdown.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.attacks.program import release

KEPT = ("note_id", "person_id", "lang", "text", "note_datetime")


def main() -> None:
    options = _parse()
    print("| corpus | notes | quarantined | reasons |")
    print("| --- | ---: | ---: | --- |")
    for folder in options.folder:
        notes, patients = read_corpus(folder)
        released = release(notes, patients, model=options.model, processes=options.processes)
        reasons = Counter(released.reasons.values()).most_common()
        told = ", ".join(f"{reason} {count}" for reason, count in reasons)
        share = 100 * len(released.reasons) / max(1, len(notes))
        print(f"| {folder.name} | {len(notes)} | {share:.2f} % | {told} |", flush=True)


def read_corpus(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the notes of a folder without their gold spans, and the patients' records."""
    patients = folder / "patients.jsonl"
    # A demo's hospital keeps its notes in this file, beside files of other kinds.
    truth = folder / "truth.jsonl"
    paths = [truth] if truth.exists() else sorted(set(folder.glob("*.jsonl")) - {patients})
    notes = [
        {key: note[key] for key in KEPT if note.get(key) is not None}
        for path in paths
        for note in _read_lines(path)
    ]
    return notes, _read_lines(patients)


def _read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="+", help="folder of notes and patients")
    parser.add_argument("--model", help="folder of a tagger, or `default`")
    parser.add_argument("--processes", type=int, default=2, help="processes (default 2)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
