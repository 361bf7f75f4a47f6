"""Names drawn again from docs/surrogates.md and the lists alone, without any of our code."""

import hashlib
import json
import unicodedata
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from surrogates.keys.keys import MasterKey
from surrogates.patient.name_draws import NameDraws
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


def patient_key(person: str) -> bytes:
    cohort = hkdf(bytes.fromhex(GIVEN["master"]), b"cohort\0" + GIVEN["cohort"].encode())
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
