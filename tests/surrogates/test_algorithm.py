"""Keys, draws, shifts, ids and codes computed again from docs/surrogates.md, without our code."""

import hashlib
import json
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from record.policy import Policy
from surrogates.keys.keys import MasterKey, load_master
from surrogates.permutations.list_permutation import Permutation
from surrogates.tables.columns import Birth, Columns
from tests.surrogates.recomputed import draw, expand, hkdf, mac, number, permuted

FOLDER = Path(__file__).parents[1] / "vectors"
VECTORS = json.loads((FOLDER / "keys.json").read_text(encoding="utf-8"))
GIVEN = json.loads((FOLDER / "surrogates.json").read_text(encoding="utf-8"))
MASTER = bytes.fromhex(VECTORS["master"])
SECRET = bytes.fromhex(VECTORS["secret"])
MODULUS = 2**62 - 1


def purpose(name: bytes) -> bytes:
    return hkdf(MASTER, b"purpose\0" + name, b"cryptonym/surrogates/v1")


def key_id(key: bytes) -> str:
    return expand(key, b"key-id", 4).hex()


def shift(patient: bytes, least: int, most: int, unit: int = 1) -> int:
    days = unit * (least + number(patient, "shift", "size", most - least + 1))
    return days if number(patient, "shift", "sign", 2) else -days


def pseudonym(cohort: bytes, kind: str, value: str) -> int:
    key = expand(cohort, b"kind\0" + kind.encode())
    return 1 + int.from_bytes(mac(key, value.encode())[:16], "big") % MODULUS


def aes(key: bytes, block: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def ff1(key: bytes, bits: str, *, back: bool = False) -> str:
    """FF1 of NIST SP 800-38G as algorithms 7 and 8 spell it: radix 2, no tweak."""
    n = len(bits)
    u, v = n // 2, n - n // 2
    b = -(-v // 8)
    d = 4 * -(-b // 4) + 4
    p = bytes([1, 2, 1, 0, 0, 2, 10, u % 256]) + n.to_bytes(4, "big") + bytes(4)
    one, two = bits[:u], bits[u:]
    for i in reversed(range(10)) if back else range(10):
        q = bytes(-(b + 1) % 16) + bytes([i]) + int(one if back else two, 2).to_bytes(b, "big")
        r = aes(key, p)
        for start in range(0, len(q), 16):
            r = aes(key, bytes(x ^ y for x, y in zip(r, q[start : start + 16], strict=True)))
        s = r
        for j in range(1, -(-d // 16)):
            s += aes(key, bytes(x ^ y for x, y in zip(r, j.to_bytes(16, "big"), strict=True)))
        y = int.from_bytes(s[:d], "big")
        m = v if i % 2 else u
        if back:
            one, two = f"{(int(two, 2) - y) % 2**m:0{m}b}", one
        else:
            one, two = two, f"{(int(one, 2) + y) % 2**m:0{m}b}"
    return one + two


SIGNS = {
    "z": "0",
    "n": "123456789",
    "d": "0123456789",
    "l": "abcdefghijklmnopqrstuvwxyz",
    "v": "aeiouy",
    "c": "bcdfghjklmnpqrstvwxz",
}


def shaped(patient: bytes, label: str, value: str) -> str:
    name = "".join("d" if s.isdigit() else "l" for s in value)
    if label == "OTHER":
        name = "".join("v" if s in SIGNS["v"] else "c" for s in value)
    elif value[0].isdigit():
        name = ("z" if value[0] == "0" else "n") + name[1:]
    size = 1
    for kind in name:
        size *= len(SIGNS[kind])
    number_of = 0
    for sign, kind in zip(value, name, strict=True):
        number_of = number_of * len(SIGNS[kind]) + SIGNS[kind].index(sign)
    length = max(2, (size - 1).bit_length())
    material = draw(patient, label, f"codes/{name}/{size}", 48)
    stride = 1 + int.from_bytes(material[32:], "big") % max(1, size - 1)

    def through(number: int, back: bool) -> int:
        while True:
            number = int(ff1(material[:32], f"{number:0{length}b}", back=back), 2)
            if number < size:
                return number

    found = through((through(number_of, False) + stride) % size, True)
    made = ""
    for kind in reversed(name):
        found, place = divmod(found, len(SIGNS[kind]))
        made = SIGNS[kind][place] + made
    return made


def cohorts() -> dict[str, bytes]:
    name = VECTORS["cohort"].encode()
    return {
        "v1": hkdf(MASTER, b"cohort\0" + name),
        "v2": hkdf(MASTER + SECRET, b"cohort-own\0" + name),
    }


def computed() -> dict[str, object]:
    """The committed vectors, computed by this file alone."""
    found: dict[str, object] = {
        "master_key_id": key_id(MASTER),
        "derive_span_store": purpose(b"span-store").hex(),
    }
    for version, cohort in cohorts().items():
        patients = {p: expand(cohort, b"patient\0" + p.encode()) for p in VECTORS["persons"]}
        found[version] = {
            "cohort_key_id": key_id(cohort),
            "patient_key_ids": {p: key_id(key) for p, key in patients.items()},
            "draws": {p: draw(key, "NAME", "é x", 70, 3).hex() for p, key in patients.items()},
            "shift_days": {p: shift(key, 30, 365) for p, key in patients.items()},
            "shift_weeks": {p: shift(key, 5, 52, 7) for p, key in patients.items()},
            "pseudonyms": {
                kind: {p: pseudonym(cohort, kind, p) for p in patients}
                for kind in ("person", "note", "visit")
            },
            "permuted": {
                p: permuted(key, "CITY/x", "permutation", 37) for p, key in patients.items()
            },
        }
    return found


@pytest.mark.parametrize("part", ["master_key_id", "derive_span_store", "v1", "v2"])
def test_the_documented_algorithm_gives_the_vectors(part: str) -> None:
    assert computed()[part] == VECTORS[part]


@pytest.fixture
def masters(tmp_path: Path) -> dict[str, MasterKey]:
    """The master key of the vectors as a file of each version, with the cohort's own secret."""
    made = {}
    for version in ("v1", "v2"):
        path = tmp_path / version
        path.write_text(f"cryptonym-key-{version}\n{MASTER.hex()}\n")
        path.chmod(0o600)
    custody = tmp_path / "v2.custody"
    custody.mkdir(mode=0o700)
    for version in ("v1", "v2"):
        made[version] = load_master(f"file:{version}", tmp_path)
    made["v2"].begin_log()
    name = hashlib.sha256(VECTORS["cohort"].encode()).hexdigest()[:16]
    (custody / f"{name}.secret").write_text(f"cryptonym-cohort-v1\n{SECRET.hex()}\n")
    (custody / f"{name}.secret").chmod(0o600)
    return made


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_engine_gives_the_vectors(masters: dict[str, MasterKey], version: str) -> None:
    master, expected = masters[version], VECTORS[version]
    assert master.key_id == VECTORS["master_key_id"]
    assert master.derive("span-store").hex() == VECTORS["derive_span_store"]
    cohort = master.cohort(VECTORS["cohort"], algorithm=2)
    assert cohort.key_id == expected["cohort_key_id"]
    columns = Columns(cohort, Policy())
    weekly = Columns(cohort, Policy(keep_weekday=True))
    for person in VECTORS["persons"]:
        key = cohort.patient(person)
        assert key.key_id == expected["patient_key_ids"][person]
        assert key.draw("NAME", "é x", 70, counter=3).hex() == expected["draws"][person]
        assert columns.days(person) == expected["shift_days"][person]
        assert weekly.days(person) == expected["shift_weeks"][person]
        permutation = Permutation(key, "CITY/x", 37)
        assert [permutation.step(place) for place in range(37)] == expected["permuted"][person]
        for kind, ids in expected["pseudonyms"].items():
            assert columns.pseudonym(kind, person) == ids[person]


def test_the_surrogates_that_were_given_before_agree() -> None:
    """`surrogates.json` was made by the engine; here it is met by the documented algorithm."""
    master = bytes.fromhex(GIVEN["master"])
    cohort = hkdf(master, b"cohort\0" + GIVEN["cohort"].encode())
    assert (key_id(master), key_id(cohort)) == (GIVEN["master_key_id"], GIVEN["cohort_key_id"])
    for person, days in GIVEN["shift_days"].items():
        assert shift(expand(cohort, b"patient\0" + person.encode()), 30, 365) == days
    for person, drawn in GIVEN["person_pseudonyms"].items():
        assert pseudonym(cohort, "person", person) == drawn
    shapes = 0
    for vector in GIVEN["surrogates"]:
        label, person = vector["label"], vector["person_id"]
        if label not in ("OTHER", "DEVICE_ID") and vector["text"] not in ("2003H847569", "7348564"):
            continue
        if " " in vector["text"] or "." in vector["text"]:
            continue
        # Ids of rows have one order for all patients of a cohort.
        info = b"patient\0" + person.encode() if label in ("OTHER", "DEVICE_ID") else b"shared"
        value = vector["text"].replace("-", "").lower()
        drawn = shaped(expand(cohort, info), label, value)
        assert vector["surrogate"].replace("-", "").lower() == drawn
        shapes += 1
    assert shapes >= 6


def released(cohort: bytes, person: str) -> bytes:
    """The patient's key under version 3."""
    root = expand(cohort, b"algorithm\x003")
    return expand(root, b"patient\0" + person.encode())


def season(patient: bytes, least: int, most: int) -> int:
    years = least + number(patient, "shift", "years", most - least + 1)
    return int(365.2425 * years + 0.5) + number(patient, "shift", "season", 21) - 10


def ordered(patient: bytes, day: date, minute: int) -> int:
    """The second of the day for a minute, by bisection as the document spells it."""
    if minute == 0:
        return 0
    a, b, first, last = 1, 1440, 60, 86_400

    def drawn(bound: int) -> int:
        return number(patient, "shift", f"time/{day.isoformat()}/{a}-{b}", bound)

    while b - a > 1:
        middle = (a + b) // 2
        cut = first + (middle - a) + drawn((last - first) - (b - a) + 1)
        a, b, first, last = (a, middle, first, cut) if minute < middle else (middle, b, cut, last)
    return first + drawn(last - first)


@pytest.mark.parametrize("person", [*VECTORS["persons"], "7", "8", "9"])
def test_shifts_of_version_3(masters: dict[str, MasterKey], person: str) -> None:
    cohort = masters["v2"].cohort(VECTORS["cohort"])
    patient = released(cohorts()["v2"], person)
    assert cohort.patient(person).key_id == key_id(patient)
    size = number(patient, "shift", "size", 336)
    assert Columns(cohort, Policy()).days(person) == -30 - size
    both = Columns(cohort, Policy(shift_direction="both"))
    assert both.days(person) == shift(patient, 30, 365)
    weekly = Columns(cohort, Policy(keep_weekday=True))
    assert weekly.days(person) == -7 * (5 + number(patient, "shift", "size", 48))
    for most, years in ((365, 1), (1100, 3)):
        seasonal = Columns(cohort, Policy(keep_season=True, max_shift_days=most))
        assert seasonal.days(person) == -season(patient, 1, years)
    for born in (date(1960, 3, 9), date(1960, 3, 31), date(1945, 1, 1)):
        moved = born - timedelta(30 + size)
        birth = Columns(cohort, Policy()).shift_birth(
            person, Birth(born.year, born.month, born.day)
        )
        assert (birth.year, birth.month, birth.day) == (moved.year, moved.month, 1)


@given(
    st.sampled_from(VECTORS["persons"]), st.dates(date(1990, 1, 1)), st.integers(0, 23),
    st.integers(0, 59),
)  # fmt: skip
def test_times_in_order(person: str, day: date, hour: int, minute: int) -> None:
    key = MasterKey(MASTER).cohort(VECTORS["cohort"])
    patient = released(cohorts()["v1"], person)
    columns = Columns(key, Policy(times="order"))
    moved = columns.shift_datetime(person, datetime(day.year, day.month, day.day, hour, minute))
    seconds = ordered(patient, day, 60 * hour + minute)
    assert 3600 * moved.hour + 60 * moved.minute + moved.second == seconds
