"""Evasion: known values of patients in damaged forms, and how many of them a release still holds.

    python -m benchmarks.attacks.evasion [--values 300] [--pairs] [--sort name|number|date]
        [--kind NAME] [--model default] [--list] [--processes 2] [--seed 1]

Names, numbers and birth dates that Faker makes for French, English, Spanish and German patients
stand, damaged, one in a line of a note, and the notes go through `cryptonym pseudonymize` with the
patients' records. A value survives where the released line still holds the damaged writing, 70 % of
its letters and digits in one piece (of a date all of them), or a whole word of a name. The control
is the same notes without the records. The kinds of damage are those of `benchmarks.attacks.damage`,
whose author had not seen the rules, and left out what no reader could read back; a kind that
changes fewer values than asked for shows how many. With `--pairs` a second kind is drawn for each
value, and a row is what its first kind gives. Prints Markdown, the worst rows first.
"""

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any
from urllib.parse import unquote

from faker import Faker

from benchmarks.attacks.damage.damage import Damage
from benchmarks.attacks.damage.kinds import DAMAGES
from benchmarks.attacks.damage.pairs import readable_pairs
from benchmarks.attacks.program import release

LOCALES = (
    ("fr", "fr_FR"), ("en", "en_US"), ("es", "es_ES"), ("de", "de_DE"), ("fr", "fr_CA"),
    ("en", "en_IE"), ("fr", "fr_FR"), ("de", "de_AT"),
)  # fmt: skip
"""Languages of notes and the locales that their patients' values come from."""
# Lines without an identifier of their own, so that whatever is between their halves is the value.
CARRIERS = {
    "name": {
        "fr": ("Patient {} vu ce jour, stable.", "Appel de {} pour les résultats."),
        "en": ("Patient {} seen today, stable.", "Call from {} about the results."),
        "es": ("Paciente {} visto hoy, estable.", "Llamada de {} por los resultados."),
        "de": ("Patient {} heute gesehen, stabil.", "Anruf von {} wegen der Befunde."),
    },
    "number": {
        "fr": ("Dossier {} transmis au service.", "Numéro : {} (vérifié)"),
        "en": ("Record {} sent to the ward.", "Number: {} (checked)"),
        "es": ("Expediente {} enviado a la planta.", "Número: {} (comprobado)"),
        "de": ("Akte {} an die Station gesandt.", "Nummer: {} (geprüft)"),
    },
    "date": {
        "fr": ("Patient né le {} et suivi ici.", "DDN {} suivi habituel"),
        "en": ("Patient born {} and followed here.", "DOB {} usual follow-up"),
        "es": ("Paciente nacido el {} y seguido aquí.", "FN {} seguimiento habitual"),
        "de": ("Patient geboren am {} und hier betreut.", "Geb. {} übliche Betreuung"),
    },
}
SHARE = 0.7
"""So much of a value in one piece gives it away."""
SHORTEST = 4
"""Letters or digits that a piece must have."""


@dataclass(frozen=True)
class Value:
    """A known value of one patient as it is written before it is damaged."""

    person_id: str
    lang: str
    sort: str
    written: str = field(repr=False)


@dataclass(frozen=True)
class Attempt:
    """A note that holds one damaged value."""

    note_id: str
    kind: str
    value: Value
    damaged: str = field(repr=False)
    text: str = field(repr=False)


@dataclass(frozen=True)
class Arm:
    """One way to run the program: with or without the patients' records, and a tagger."""

    name: str
    patients: bool = True
    model: str | None = None


def main() -> None:
    options = _parse()
    patients, values = make_patients(options.values, options.seed)
    attempts = sorted(make_attempts(values, options), key=lambda attempt: attempt.value.person_id)
    arms = [Arm("without records", patients=False), Arm("rules")]
    if options.model:
        arms.append(Arm("rules and tagger", model=options.model))
    survived, quarantined = {}, {}
    for arm in arms:
        survived[arm.name], quarantined[arm.name] = attack(arm, attempts, patients, options)
    print_table(attempts, [arm.name for arm in arms], survived, quarantined)
    if options.list:
        for attempt in attempts:
            if attempt.note_id in survived[arms[-1].name]:
                print(f"{attempt.note_id}: {attempt.value.written!r} -> {attempt.damaged!r}")


def make_patients(count: int, seed: int) -> tuple[list[dict[str, Any]], list[Value]]:
    """Return the records (`FORMATS`, patients), four for each value of a row, and their values."""
    records, values = [], []
    makers = [(lang, Faker(locale)) for lang, locale in LOCALES]
    for at, (_, maker) in enumerate(makers):
        maker.seed_instance(seed + at)
    for number in range(4 * count):
        lang, maker = makers[number % len(makers)]
        person, given, family = f"p{number}", maker.first_name(), maker.last_name()
        born = maker.date_of_birth(minimum_age=18, maximum_age=95).isoformat()
        identifiers = {
            "PATIENT_ID": maker.numerify("80########"),
            "ACCOUNT": maker.iban(),
            "SSN": maker.ssn(),
        }
        phone = maker.phone_number()
        records.append(
            {
                "person_id": person,
                "given_names": [given],
                "family_names": [family],
                "birth_date": born,
                "phones": [phone],
                "identifiers": [{"label": k, "value": v} for k, v in identifiers.items()],
            }
        )
        name = (family, family.upper(), f"{given} {family}")[number // len(makers) % 3]
        written = (*identifiers.values(), phone)[number // len(makers) % 4]
        values.append(Value(person, lang, "name", name))
        values.append(Value(person, lang, "number", written))
        values.append(Value(person, lang, "date", born))
    return records, values


def make_attempts(values: Sequence[Value], options: argparse.Namespace) -> Iterator[Attempt]:
    """Yield a note for each kind of damage and so many values of each sort that it changes."""
    kinds = [kind for kind in DAMAGES if kind.readable and options.kind in (None, kind.name)]
    seconds: defaultdict[str, list[Damage]] = defaultdict(list)
    for pair in readable_pairs() if options.pairs else ():
        seconds[pair.name.split(" + ")[0]].append(pair)
    for kind in kinds:
        made: Counter[str] = Counter()
        for number, value in enumerate(values):
            sort = value.sort
            if made[sort] >= options.values or options.sort not in (None, sort):
                continue
            # Each attempt has a stream of its own, so that a further kind changes no other.
            chance = random.Random(f"{options.seed} {kind.name} {number}")
            choices = seconds[kind.name] if options.pairs else [kind]
            choices = [one for one in choices if sort in one.applies_to]
            applied = chance.choice(choices) if choices else None
            damaged = applied.apply(value.written, chance) if applied else value.written
            if applied and damaged != value.written:
                made[sort] += 1
                line = chance.choice(CARRIERS[sort][value.lang])
                note_id = f"{applied.name}|{sort}|{number}"
                yield Attempt(note_id, kind.name, value, damaged, line.format(damaged))


def attack(
    arm: Arm,
    attempts: Sequence[Attempt],
    patients: Sequence[dict[str, Any]],
    options: argparse.Namespace,
) -> tuple[set[str], Counter[tuple[str, str]]]:
    """Return the notes whose value survived, and counts of quarantined notes by kind and sort."""
    notes = [
        {"note_id": a.note_id, "person_id": a.value.person_id, "lang": a.value.lang, "text": a.text}
        for a in attempts
    ]
    known = patients if arm.patients else ()
    released = release(notes, known, model=arm.model, processes=options.processes)
    survived = {
        a.note_id
        for a in attempts
        if a.note_id in released.texts and is_survivor(a, released.texts[a.note_id])
    }
    held = Counter((a.kind, a.value.sort) for a in attempts if a.note_id not in released.texts)
    return survived, held


def is_survivor(attempt: Attempt, released: str) -> bool:
    """Return whether a released text still holds the value, or most of it in one piece."""
    if attempt.damaged in released:
        return True
    held = _squeeze(released)
    if attempt.value.sort == "date":
        # Another day of the same month shares most of its writing.
        whole = re.escape(_squeeze(attempt.damaged))
        return re.search(rf"(?<![0-9]){whole}(?![0-9])", held) is not None
    words = attempt.value.written.split() if attempt.value.sort == "name" else []
    if any(len(word) > SHORTEST and _squeeze(word) in held for word in words):
        return True
    wanted, value = _squeeze(attempt.damaged), _squeeze(attempt.value.written)
    if value in wanted:
        wanted = value  # what a kind writes beside a value is no part of it
    size = SequenceMatcher(None, wanted, held, autojunk=False).find_longest_match().size
    return size >= max(SHORTEST, SHARE * len(wanted))


def _squeeze(text: str) -> str:
    # Digits of escapes are none of the value.
    return "".join(char for char in unquote(text) if char.isalnum()).casefold()


def print_table(
    attempts: Sequence[Attempt],
    arms: Sequence[str],
    survived: Mapping[str, set[str]],
    quarantined: Mapping[str, Counter[tuple[str, str]]],
) -> None:
    """Print one row for each kind and sort: values, survivors of each arm, quarantined notes."""
    rows: defaultdict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        rows[attempt.kind, attempt.value.sort].append(attempt)
        rows["all", attempt.value.sort].append(attempt)
    counts = {
        key: [sum(a.note_id in survived[arm] for a in of_kind) for arm in arms]
        for key, of_kind in rows.items()
    }
    last = arms[1]
    print("| damage | value | values |", " | ".join(arms), "| quarantined |")
    print("| --- | --- | ---: |", " | ".join("---:" for _ in arms), "| ---: |")
    for key in sorted(rows, key=lambda key: (key[0] != "all", -counts[key][1] / len(rows[key]))):
        total = len(rows[key])
        shares = " | ".join(f"{100 * count / total:.1f} %" for count in counts[key])
        held = sum(
            count
            for (kind, sort), count in quarantined[last].items()
            if sort == key[1] and key[0] in ("all", kind)
        )
        print(f"| {key[0]} | {key[1]} | {total} | {shares} | {held} |", flush=True)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=300, help="values of each sort (default 300)")
    parser.add_argument("--pairs", action="store_true", help="kinds of damage two at a time")
    parser.add_argument("--sort", choices=sorted(CARRIERS), help="one sort of value (default all)")
    parser.add_argument("--kind", help="one kind of damage, the first of a pair (default all)")
    parser.add_argument("--list", action="store_true", help="list the survivors of the last arm")
    parser.add_argument("--model", help="folder of a tagger, or `default`, as a third arm")
    parser.add_argument("--processes", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default 1)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
