"""Blocks reserved for fiction: what two values of one have in common, and leaks in what is free."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.attacks.reidentification import (
    ReplacedIdentifier,
    fold_value,
    measure_reidentification,
)
from evaluation.attacks.reserved_blocks import find_reserved
from evaluation.gate import Axis, Bound, Measured, Requirement, Verdict, decide
from record.policy import Policy
from surrogates.contacts import replace_email, replace_ip, replace_phone, replace_url
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.patient.patient import Mention, Subject

BAR = Requirement("direct-shared-7-characters", Bound.AT_MOST, 0.03, Axis.PRIVACY, 0.3, True)
"""What the shipped requirements for filled letters ask for."""

MAKERS = {
    "PHONE": replace_phone,
    "FAX": replace_phone,
    "EMAIL": replace_email,
    "URL": replace_url,
    "IP_ADDRESS": replace_ip,
}
FORMS = [
    ("en", "PHONE", "617-734-####"),
    ("en", "PHONE", "07700 ######"),
    ("en", "PHONE", "01865 ######"),
    ("en", "PHONE", "020 7123 ####"),
    ("en", "FAX", "+1 (617) 734-####"),
    ("en", "EMAIL", "anna.b####@clinic.org"),
    ("en", "URL", "https://www.clinic####.org/page"),
    ("en", "IP_ADDRESS", "10.1.2.1##"),
    ("fr", "PHONE", "01 44 55 ## ##"),
    ("fr", "PHONE", "+33 6 12 34 ## ##"),
    ("de", "PHONE", "030 1234 ####"),
]
Redraw = Callable[[str, str, str, str], str]

MASTER = MasterKey(bytes(range(32)))
STUDY, LETTERS = MASTER.cohort("study"), MASTER.cohort("letters")


def drawn_under(cohort: CohortKey, value: str, label: str, lang: str, person: str) -> str:
    subject = Subject(cohort.patient(person), Policy(locale=lang), None, days=1)
    return MAKERS[label](Mention(value, label, lang), subject)


def fill_in(form: str, rng: Random) -> str:
    return "".join(rng.choice("0123456789") if char == "#" else char for char in form)


def released(count: int, seed: int) -> list[tuple[str, str, str, str]]:
    """Person, label, language and the surrogate that a release has for a value of theirs."""
    rng = Random(seed)
    rows = []
    for number in range(count):
        lang, label, form = FORMS[number % len(FORMS)]
        value = drawn_under(STUDY, fill_in(form, rng), label, lang, str(number))
        rows.append((str(number), label, lang, value))
    return rows


def measure(rows: list[tuple[str, str, str, str]], redraw: Redraw) -> dict[str, Measured]:
    """Measure letters in which `redraw` wrote the identifiers of released notes again."""
    replaced = [
        ReplacedIdentifier(label, value, redraw(value, label, lang, person), person)
        for person, label, lang, value in rows
    ]
    found = measure_reidentification(replaced, lambda v: list(v.encode()), "x", prefix="direct-")
    return {each.name: each for each in found}


def shared(rows: list[tuple[str, str, str, str]], redraw: Redraw) -> Measured:
    return measure(rows, redraw)[BAR.name]


def verdict(measured: Measured) -> Verdict:
    return decide([measured], [BAR]).verdict


@pytest.mark.parametrize(("lang", "label", "form"), FORMS)
def test_every_surrogate_is_known_to_be_from_its_block(lang: str, label: str, form: str) -> None:
    rng = Random(form)
    for _ in range(20):
        value = fill_in(form, rng)
        assert find_reserved(label, value) is None, "a patient's own"
        drawn = drawn_under(STUDY, value, label, lang, "1")
        assert find_reserved(label, drawn) is not None, drawn


def test_surrogates_of_surrogates_are_what_chance_gives() -> None:
    rows = released(880, 1)

    def redraw(value: str, label: str, lang: str, person: str) -> str:
        return drawn_under(LETTERS, value, label, lang, person)

    measured = measure(rows, redraw)
    found = measured[BAR.name]
    assert found.null is not None
    assert found.low - found.null <= 0 <= found.high - found.null
    assert found.control is not None
    assert found.control > 0.9
    assert verdict(found) is Verdict.RELEASE
    # For shorter runs, too, chance is that of the block.
    for length in (3, 5):
        each = measured[f"direct-shared-{length}-characters"]
        assert each.null is not None
        assert each.low - each.null <= 0.01
        assert each.high - each.null >= -0.01


def keep_line(value: str, label: str, lang: str, person: str) -> str:
    """What a block leaves free comes back, behind another area or in another form."""
    if label in ("PHONE", "FAX"):
        digits = "".join(char for char in value if char.isdigit())
        return f"+1 299 {digits[-7:]}" if "55501" in digits else f"({digits[:3]}) {digits[3:]}"
    return value.replace("example.org", "example.com").replace("https", "http")


@pytest.mark.parametrize("share", [0.05, 0.2, 1.0])
def test_leaks_in_what_a_block_leaves_free_are_found(share: float) -> None:
    rng = Random(3)

    def redraw(value: str, label: str, lang: str, person: str) -> str:
        if rng.random() < share:
            return keep_line(value, label, lang, person)
        return drawn_under(LETTERS, value, label, lang, person)

    found = shared(released(550, 2), redraw)
    assert found.null is not None
    assert found.value - found.null == pytest.approx(share, abs=0.05)
    assert verdict(found) is Verdict.HOLD


@pytest.mark.parametrize(
    ("label", "one", "other"),
    [
        ("PHONE", "07700 900123", "01632 960123"),  # the line, in another block
        ("PHONE", "212-555-0123", "313 555 01 23"),  # the line, in another area
        ("PHONE", "212-555-0123", "212 555 01 99"),  # the area
        ("PHONE", "01 99 00 12 34", "+33 6 39 98 12 34"),
        ("EMAIL", "lee@lyon.example.org", "lee@brest.example.com"),  # too short for any run
        ("EMAIL", "lee@lyon.example.org", "eve@lyon.example.com"),
        ("URL", "https://www.lyon.example.org", "brest.example.org/lyon"),
        ("IP_ADDRESS", "192.0.2.17", "203.0.113.17"),
    ],
)
def test_a_part_that_comes_back_counts_however_short_it_is(
    label: str, one: str, other: str
) -> None:
    assert shared([("1", label, "en", one)], lambda *_: other).value == 1


def test_chance_does_not_depend_on_what_was_written() -> None:
    rows = released(110, 4)
    nulls = {
        shared(rows, redraw).null
        for redraw in (
            keep_line,
            lambda value, label, lang, person: value,
            lambda value, label, lang, person: "555-0100",
            lambda value, label, lang, person: rows[0][3],
        )
    }
    assert len(nulls) == 1, "or a filler could write until everything looked like chance"


def test_a_number_of_a_patient_has_no_block_to_hide_in() -> None:
    rng = Random(5)
    rows = [
        (str(number), "PHONE", "en", fill_in("617-73#-####", rng)) for number in range(400)
    ]  # fmt: skip

    def in_fiction(value: str, label: str, lang: str, person: str) -> str:
        return f"212-555-0{value[-3:]} ext {value}"

    found = shared(rows, in_fiction)
    assert found.value == 1
    assert verdict(found) is Verdict.HOLD


@pytest.mark.parametrize(
    ("label", "one", "other"),
    [
        ("ID", "212 555 0123", "313 555 0188"),  # no telephone number
        ("PHONE", "(212) 555-0123", "020 7946 0555 0123"),  # of another block
        ("PHONE", "555-0123", "555-0188"),  # no area: it may be another's
        ("PHONE", "1 212 555 0223", "1 212 555 0299"),  # nobody reserved 555-02
        ("EMAIL", "a@examples.org", "b@examples.org"),
        ("EMAIL", "anna@example.org.clinic.fr", "berta@example.org.clinic.fr"),
        ("IP_ADDRESS", "192.0.20.17", "192.0.20.99"),
    ],
)
def test_what_nobody_reserved_shares_what_it_always_shared(
    label: str, one: str, other: str
) -> None:
    blocks = [find_reserved(label, value) for value in (one, other)]
    assert blocks[0] is None or blocks[1] is None or blocks[0].block != blocks[1].block
    found = shared([("1", label, "en", one)], lambda *_: other)
    assert found.value == float(has_run(fold_value(one), fold_value(other), 7))


def has_run(one: str, other: str, length: int) -> bool:
    return any(one[at : at + length] in other for at in range(len(one) - length + 1))


TEXT = st.text("0123456789 abcé@.-/:", max_size=24)


@given(st.sampled_from(sorted(MAKERS)), TEXT, TEXT)
def test_values_outside_of_blocks_are_compared_as_texts(label: str, one: str, other: str) -> None:
    plain, its = fold_value(one), fold_value(other)
    if find_reserved(label, one) is None or find_reserved(label, other) is None:
        rows = [("1", label, "en", one)]
        assert shared(rows, lambda *_: other).value == float(has_run(plain, its, 7))


@given(st.sampled_from(sorted(MAKERS)), TEXT)
def test_what_a_block_leaves_free_stands_in_the_value(label: str, value: str) -> None:
    plain = fold_value(value)
    found = find_reserved(label, value)
    assert "0" not in repr(found).replace(found.block, "") if found else True
    for part in found.free if found else ():
        assert part in (
            plain if label in ("EMAIL", "URL", "IP_ADDRESS") else plain.replace(" ", "")
        )


def test_no_value_in_what_is_told() -> None:
    found: Any = find_reserved("EMAIL", "zebulon@lyon.example.org")
    assert found.free == ("zebulon", "lyon")
    assert "zebulon" not in repr(found)
