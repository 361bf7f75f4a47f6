"""Names that are everyday words: what of them is released, and what their caution costs.

    python -m benchmarks.attacks.everyday_names [--model default] [--processes 2]

One hundred made-up patients called Petit, Blanc, Rose, Long, Young, Baker, Bueno, Campos, Klein or
Koch. In the first sort of lines the name stands for the patient, in the second the word is just a
word, in a note that names the patient or does not. Lines are those of `benchmarks.attacks.damage`,
whose author had not seen the rules. Prints Markdown: names released, words destroyed, notes in
quarantine, and the same without the patients' records.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.attacks.damage.lines import AMBIGUOUS_LINES, EVERYDAY_LINES
from benchmarks.attacks.program import Released, release

NAMES = ("Petit", "Blanc", "Rose", "Long", "Young", "Baker", "Bueno", "Campos", "Klein", "Koch")
GIVEN = ("Anne", "Luc", "Inés", "Paul", "Jutta", "Omar", "Rosa", "Iris", "Max", "Clara")
WRITINGS = (str, str.upper, str.lower)


def main() -> None:
    options = _parse()
    patients = list(make_patients())
    print("| lines | records | notes | name or word as it was | quarantined | reasons |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for sort, notes in (
        ("the patient is meant", name_patients(patients)),
        ("the word is meant", use_words(patients)),
    ):
        written = {note["note_id"]: note.pop("word") for note in notes}
        for known in (patients, []):
            released = release(notes, known, model=options.model, processes=options.processes)
            kept = sum(_count(written[id_], text) > 0 for id_, text in released.texts.items())
            print(
                f"| {sort} | {'yes' if known else 'no'} | {len(notes)} | {_row(kept, released)} |"
            )


def make_patients() -> Iterator[dict[str, Any]]:
    """Yield a hundred patients, ten of each name."""
    for number, name in enumerate(name for name in NAMES for _ in GIVEN):
        yield {
            "person_id": f"p{number}",
            "given_names": [GIVEN[number % len(GIVEN)]],
            "family_names": [name],
            "birth_date": f"19{40 + number % 60}-0{1 + number % 9}-1{number % 10}",
        }


def name_patients(patients: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each line with the name of a patient, in three writings."""
    notes = []
    for number, patient in enumerate(patients):
        for at, line in enumerate(AMBIGUOUS_LINES):
            word = WRITINGS[(number + at) % len(WRITINGS)](patient["family_names"][0])
            text = line.format(name=word)
            notes.append({**_note(f"{number}-{at}", patient, text), "word": word})
    return notes


def use_words(patients: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each line with an everyday word, in notes of the patients who are called that."""
    notes = []
    for number, patient in enumerate(patients):
        name = patient["family_names"][0]
        for at, (word, line) in enumerate(EVERYDAY_LINES):
            if name.casefold() in word.casefold():
                notes.append({**_note(f"{number}-{at}", patient, line), "word": word})
    return notes


def _note(note_id: str, patient: dict[str, Any], text: str) -> dict[str, Any]:
    return {"note_id": note_id, "person_id": patient["person_id"], "text": text}


def _count(word: str, text: str) -> int:
    return text.casefold().count(word.casefold())


def _row(kept: int, released: Released) -> str:
    total = len(released.texts) + len(released.reasons)
    reasons = Counter(released.reasons.values())
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    share = 100 * len(released.reasons) / max(1, total)
    return f"{kept} | {len(released.reasons)} ({share:.1f} %) | {told}"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="folder of a tagger, or `default`")
    parser.add_argument("--processes", type=int, default=2, help="processes (default 2)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
