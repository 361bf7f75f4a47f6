"""Names drawn again from docs/surrogates.md and the lists alone, without any of our code."""

import hashlib
import json
import unicodedata
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from record.patient import PatientRecord, PersonName
from record.policy import Policy
from surrogates.keys.keys import MasterKey
from surrogates.patient.name_draws import NameDraws
from surrogates.patient.patient import Subject
from tests.surrogates.recomputed import draw, expand, hkdf, number, permuted

ROOT = Path(__file__).parents[2]
LISTS = ROOT / "locales" / "lexicons"
GENDERS = {"m": "given.male", "f": "given.female", "b": "given.both"}
GIVEN = json.loads((ROOT / "tests" / "vectors" / "surrogates.json").read_text(encoding="utf-8"))
FAMILY, FIRST = "LAST_NAME", "FIRST_NAME"


def folded(name: str) -> str:
    plain = name.replace("ı", "i").replace("ø", "o").replace("ł", "l").replace("đ", "d")
    plain = plain.replace("Ø", "O").replace("Ł", "L").replace("Đ", "D")
    return "".join(unicodedata.normalize("NFKD", sign)[0] for sign in plain).lower()


@cache
def strata(locale: str, role: str) -> dict[str, list[str]]:
    kind = "family" if role == FAMILY else "given"
    found: dict[str, list[str]] = defaultdict(list)
    for line in (LISTS / locale / f"{kind}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, code = line.split(";")[:2]
            if role == FAMILY and code:
                found[f"family.{locale}/{code}"].append(name)
            elif code:
                found[f"{GENDERS[code[0]]}.{locale}/{code[1:]}"].append(name)
    for names in found.values():
        names.sort(
            key=lambda name: (folded(name)[0], hashlib.sha256(folded(name).encode()).digest())
        )
    return found


def turned(patient: bytes, stratum: str, names: list[str], value: str) -> str:
    """The name that `Names` gives for a listed one."""
    blocks: dict[str, list[str]] = {}
    for name in names:
        blocks.setdefault(folded(name)[0], []).append(name)
    letters = sorted(blocks)
    label = f"names/{stratum}"
    order = draw(patient, label, "letters", 4 * len(letters))
    ring = sorted(letters, key=lambda letter: order[4 * letters.index(letter) :][:4])
    largest = max(map(len, blocks.values()))
    turn = largest + number(patient, label, "turn", len(names) - 2 * largest + 1)
    own = blocks[value[0]]
    place = [folded(name) for name in own].index(value)
    place = permuted(patient, label, f"permutation/{value[0]}", len(own))[place]
    before = sum(len(blocks[letter]) for letter in ring[: ring.index(value[0])])
    around = [name for letter in ring for name in blocks[letter]]
    return around[(before + place + turn) % len(around)]


def spare(patient: bytes, locale: str, role: str, value: str) -> str:
    """The name that `Names` gives for one of no list."""
    listed = {folded(n) for code, ns in strata(locale, role).items() if code[-1] != "r" for n in ns}
    if role == FAMILY:
        parts_file = ROOT / "surrogates" / "lexicons" / locale / "invented.txt"
        text = parts_file.read_text(encoding="utf-8")
        parts = [line.split() for line in text.splitlines() if not line.startswith("#")]
        reserve = None
        size = len(parts[0]) * len(parts[1]) * len(parts[2]) * len(parts[3])
    else:
        lists = strata(locale, role)
        reserve = [*lists_of(locale, "male"), *lists_of(locale, "female")]
        assert len(lists) > 2
        size = len(reserve)
    for counter in range(128):
        at = number(patient, f"names/{role}", value, size, counter)
        if reserve is None:
            at, end = divmod(at, len(parts[3]))
            at, middle = divmod(at, len(parts[2]))
            first, vowel = divmod(at, len(parts[1]))
            name = parts[0][first] + parts[1][vowel] + parts[2][middle] + parts[3][end]
        else:
            name = reserve[at]
        if folded(name) not in listed and folded(name)[0] != value[0]:
            return name
    raise AssertionError(value)


@cache
def lists_of(locale: str, gender: str) -> tuple[str, ...]:
    """The reserve of a gender, in the order of its file."""
    text = (LISTS / locale / "given.txt").read_text(encoding="utf-8")
    rows = [line.split(";") for line in text.splitlines() if not line.startswith("#")]
    return tuple(row[0] for row in rows if row[1] == f"{gender[0]}r")


def of(patient: bytes, locale: str, role: str, value: str) -> str:
    for stratum, names in strata(locale, role).items():
        if not stratum.endswith("/r") and value in map(folded, names):
            return turned(patient, stratum, names, value)
    return spare(patient, locale, role, value)


def patient_key(person: str, version: int = 2) -> bytes:
    cohort = hkdf(bytes.fromhex(GIVEN["master"]), b"cohort\0" + GIVEN["cohort"].encode())
    if version > 2:
        cohort = expand(cohort, b"algorithm\0" + str(version).encode())
    return expand(cohort, b"patient\0" + person.encode())


@pytest.mark.parametrize("locale", ["fr", "en", "es"])
def test_the_documented_algorithm_draws_the_names_of_the_engine(locale: str) -> None:
    key = (
        MasterKey(bytes.fromhex(GIVEN["master"])).cohort(GIVEN["cohort"], algorithm=2).patient("7")
    )
    draws = NameDraws(key, locale, frozenset(), ())
    patient = patient_key("7")
    for role in (FAMILY, FIRST):
        names = [names[len(names) // 3] for code, names in sorted(strata(locale, role).items())]
        for name in [folded(name) for name in names] + ["xzyqwk", "aqwzsx"]:
            listed = draws.is_listed(role, name)
            if listed or not name.isalpha() or name in ("xzyqwk", "aqwzsx"):
                assert draws.draw(role, name) == of(patient, locale, role, name)


def test_the_vectors_of_names_agree() -> None:
    checked = 0
    for vector in GIVEN["surrogates"]:
        if vector["label"] not in (FAMILY, FIRST):
            continue
        patient, text = patient_key(vector["person_id"]), vector["text"]
        made = [of(patient, vector["lang"], vector["label"], folded(w)) for w in text.split("-")]
        expected = vector["surrogate"].split("-")
        assert list(map(folded, expected)) == list(map(folded, made))
        checked += len(made)
    assert checked >= 8


# Version 3, mixed names --------------------------------------------------------------------------

SHARES: dict[tuple[str, str], list[tuple[int, int, str, str]]] = {
    # A percentage, the number of words, what joins them, and the particle before.
    ("fr", FIRST): [(7, 2, "-", "")],
    ("fr", FAMILY): [(4, 2, "-", ""), (1, 1, "", "de ")],
    ("en", FIRST): [(2, 2, "-", "")],
    ("en", FAMILY): [(4, 2, "-", "")],
    ("es", FIRST): [(20, 2, " ", "")],
    ("es", FAMILY): [(88, 2, " ", ""), (2, 1, "", "de ")],
}
Known = tuple[str, ...]


@cache
def slots(locale: str, role: str, gender: str) -> list[str]:
    """All names of a role and gender, the frequent ones several times."""
    counts = {"1": 4, "2": 2} if role == FAMILY else {"1": 16, "2": 4}
    found = []
    for stratum, names in strata(locale, role).items():
        kind, _, code = stratum.partition(f".{locale}/")
        if role == FAMILY or kind in (GENDERS[gender.lower()], GENDERS["b"]):
            found += [(name, counts.get(code[0], 1)) for name in names]
    found.sort(key=lambda each: hashlib.sha256(folded(each[0]).encode()).digest())
    return [name for name, count in found for _ in range(count)]


@cache
def first_slots(locale: str, role: str, gender: str) -> dict[str, int]:
    """Where the first slot of each name is."""
    found: dict[str, int] = {}
    for place, name in enumerate(slots(locale, role, gender)):
        found.setdefault(folded(name), place)
    return found


@cache
def genders(locale: str) -> dict[str, str]:
    """The gender that the list has a given name under; `B` for either."""
    text = (LISTS / locale / "given.txt").read_text(encoding="utf-8")
    rows = [line.split(";") for line in text.splitlines() if not line.startswith("#")]
    return {folded(row[0]): row[1][0].upper() for row in rows if row[1]}


def apart(one: str, other: str) -> int:
    """The optimal string alignment distance."""
    rows = [list(range(len(other) + 1))]
    for i, sign in enumerate(one, 1):
        row = [i]
        for j, to in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (sign != to))
            if i > 1 and j > 1 and sign == other[j - 2] and one[i - 2] == to:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def stepped(patient: bytes, label: str, size: int, place: int, counter: int) -> int:
    """Where the order of so many slots moves a place to."""
    width = 2 ** max(1, -(-(size - 1).bit_length() // 2))
    seed = draw(patient, label, "permutation", 32)
    material = hashlib.shake_256(seed).digest(8 * width + 16)
    tables = [material[row * width : row * width + width] for row in range(8)]
    stride = 1 + int.from_bytes(material[-16:], "big") % (size - 1)

    def through(place: int, rounds: list[bytes], back: bool) -> int:
        while True:
            left, right = divmod(place, width)
            for table in rounds:
                if back:
                    left, right = (right ^ table[left]) % width, left
                else:
                    left, right = right, (left ^ table[right]) % width
            place = left * width + right
            if place < size:
                return place

    moved = through(place, tables, back=False)
    return through((moved + stride + counter) % size, tables[::-1], back=True)


def mixed(
    patient: bytes,
    locale: str,
    role: str,
    value: str,
    gender: str = "",
    *,
    known: Known = (),
    letters: str = "",
    taken: frozenset[str] = frozenset(),
) -> tuple[str, frozenset[str]]:
    """The surrogate that `Mixed names` gives for the head of a group, and its folded words."""
    if role == FIRST:
        told = genders(locale).get(value, "")
        gender = told if told in ("M", "F") else gender
        gender = gender or "FM"[number(patient, "names/gender", value, 2)]
    pool = slots(locale, role, gender)
    label = f"names/family.{locale}" if role == FAMILY else f"names/given.{gender}.{locale}"
    letters = letters or value[0]

    def word(about: str, taken: frozenset[str]) -> str:
        start = first_slots(locale, role, gender).get(about, -1)
        start = start if start >= 0 else number(patient, label, about, len(pool))
        for counter in range(128):
            name = folded(pool[stepped(patient, label, len(pool), start, counter)])
            near = (
                name == k
                or (max(len(name), len(k)) > 3 and apart(name, k) < 2)
                or (len(k) > 2 and k in name)
                for k in known
            )
            if name[0] not in letters and name not in taken and not any(near):
                return name
        raise AssertionError(value)

    words, joint, particle = 1, "", ""
    at = number(patient, f"names/form/{role}", value, 100)
    for share, count, between, before in SHARES[locale, role]:
        if at < share:
            words, joint, particle = count, between, before
            break
        at -= share
    made = [word(value, taken)]
    if words == 2:
        made.append(word(f"{value}/second", taken | {made[0]}))
    if particle and particle[0] in letters:
        particle = ""
    return particle + joint.join(made), frozenset(made)


@pytest.mark.parametrize("locale", ["fr", "en", "es"])
def test_the_documented_algorithm_draws_the_mixed_names_of_the_engine(locale: str) -> None:
    cohort = MasterKey(bytes.fromhex(GIVEN["master"])).cohort(GIVEN["cohort"], algorithm=3)
    for person in ("7", "8"):
        subject = Subject(cohort.patient(person), Policy(locale=locale), None, days=1)
        assert subject.mixed_names is not None
        patient = patient_key(person, 3)
        for role in (FAMILY, FIRST):
            listed = [names[len(names) // 3] for _, names in sorted(strata(locale, role).items())]
            for name in [*map(folded, listed), "xzyqwk", "aqwzsx"]:
                if name.isalpha():
                    made = subject.mixed_names.draw(role, name)
                    assert folded(made.text) == mixed(patient, locale, role, name)[0]


def test_the_documented_algorithm_draws_the_mixed_names_of_a_record() -> None:
    """The names of patient and relatives are two groups of given names, two of family names."""
    record = PatientRecord(
        "7",
        given_names=("Camille", "Paul"),
        family_names=("Petit-Dupont",),
        birth_names=("Martin",),
        gender="F",
        relatives=(PersonName(("Paul", "Luc"), ("Petit",)),),
    )
    known = ("camille", "paul", "luc", "petit", "dupont", "martin", "petitdupont")
    cohort = MasterKey(bytes.fromhex(GIVEN["master"])).cohort(GIVEN["cohort"], algorithm=3)
    patient = patient_key("7", 3)
    subject = Subject(cohort.patient("7"), Policy(), record, days=1)
    assert subject.mixed_names is not None
    taken: dict[str, frozenset[str]] = {FIRST: frozenset(), FAMILY: frozenset()}
    # In the order of role and first word; each with none of those before.
    for role, head, gender, letters, others in (
        (FIRST, "camille", "F", "c", ("camille",)),
        (FIRST, "paul", "", "pl", ("paul", "luc")),
        (FAMILY, "martin", "", "m", ("martin",)),
        (FAMILY, "petit", "", "pd", ("petit", "dupont")),
    ):
        text, words = mixed(
            *(patient, "fr", role, head, gender), known=known, letters=letters, taken=taken[role]
        )
        taken[role] |= words
        for word in others:
            assert folded(subject.mixed_names.draw(role, word).text) == text
    third, _ = mixed(patient, "fr", FAMILY, "gauthier", known=known, taken=taken[FAMILY])
    assert folded(subject.mixed_names.draw(FAMILY, "gauthier").text) == third
