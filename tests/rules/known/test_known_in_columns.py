"""Known values that are broken at the edge of a column in text that is printed row by row."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.label import Label
from record.patient import Address, Identifier, PatientRecord
from rules.known.known import KnownPatient
from rules.matching.printed_columns import read_downwards
from tests.growth import MOST, growth
from tests.rules.marked import detected

RECORD = PatientRecord(
    "1",
    given_names=("Alphonse",),
    family_names=("Marty",),
    birth_date=date(1925, 8, 19),
    phones=("06 63 10 42 13",),
    emails=("alphonse@hopital.example",),
    addresses=(Address("65 boulevard Gosselin", "31000", "Toulouse", "FR"),),
    identifiers=(
        Identifier(Label.PATIENT_ID, "8736249124"),
        Identifier(Label.SSN, "125083350227488"),
    ),
)
KNOWN = KnownPatient(RECORD)
PHONE, BORN, NAME, IPP, SSN = "PHONE", "BIRTH_DATE", "LAST_NAME", "PATIENT_ID", "SSN"


def found(text: str) -> str:
    return detected(KNOWN.detect, text)


@pytest.mark.parametrize(
    "lines",
    [
        (
            f"on peut joindre au [[06 63 10|{PHONE}]]      la temperature est stable",
            f"[[42 13|{PHONE}]] et le reste est normal     le traitement est poursuivi",
        ),
        (
            f"ne a la ville le [[19/08/|{BORN}]]           le mois qui vient ainsi",
            f"[[1925|{BORN}]] et le reste est normal       la tension est normale",
        ),
        # by tabs, by rules, whatever stands where
        (f"vu ce jour [[Mar-|{NAME}]]\tla temperature", f"[[ty|{NAME}]] qui tousse\tle traitement"),
        (f"| vu [[Mar-|{NAME}]] | la |", f"| [[ty|{NAME}]] qui tousse | le traitement |"),
        (
            f"le coeur\tdossier [[8736249|{IPP}]]",
            f"est regulier et calme\t[[124|{IPP}]] aux archives",
        ),
        # without a hyphen, in the second column, and in the third
        (
            f"le coeur         vu ce jour [[Mar|{NAME}]]",
            f"est regulier     [[ty|{NAME}]] qui tousse",
        ),
        (
            f"le coeur     la tension     [[1 25 08 33|{SSN}]]",
            f"regulier     normale        [[502 274|{SSN}]]",
            f"et calme     ici            [[88|{SSN}]] fin",
        ),
        # cells that are missing: counted from the right, from the left, and by their places
        (
            f"le coeur     la tension     dossier [[8736249|{IPP}]]",
            f"regulier                    [[124|{IPP}]] aux archives",
            "et calme     ici            fin",
        ),
        (f"joindre au [[06 63 10|{PHONE}]]    la tension", f"[[42 13|{PHONE}]] et le reste"),
        (
            f"la tension est normale ici    joindre au [[06 63 10|{PHONE}]]",
            f"                              [[42 13|{PHONE}]] fin",
        ),
        (
            f"le coeur est regulier ici     tension [[1 25|{SSN}]]",
            f"                              [[08 33 502|{SSN}]]",
            f"                              [[274 88|{SSN}]] fin",
        ),
        (f"tension [[1 25|{SSN}]]\tle coeur", f"[[08 33 502|{SSN}]]", f"[[274 88|{SSN}]] fin"),
        # a row whose cell leaves but one blank
        (
            "Le coeur est           normal ici",
            f"joindre au [[06 63 10|{PHONE}]]    est stable",
            f"[[42 13|{PHONE}]] et le reste est poursuivi",
            "Le coeur est           normal ici",
        ),
        (
            "Le coeur est regulier  normal ici",
            f"et on joints [[06 63 10|{PHONE}]]  est stable",
            f"[[42 13|{PHONE}]] et le reste vas  bien ainsi",
        ),
        # from the foot of a column to the head of the next one
        (f"le coeur           [[ty|{NAME}]] qui tousse", f"est calme [[Mar-|{NAME}]]     la nuit"),
        # on the next page
        (
            f"joindre [[06 63 10|{PHONE}]]    la tension\n\f",
            f"[[42 13|{PHONE}]] fin     est stable",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_both_halves_of_a_value_are_found(lines: Sequence[str], end: str) -> None:
    marked = end.join(lines)
    assert found(marked) == marked


@pytest.mark.parametrize(
    "text",
    [
        # tables of values
        "19     12     25\n8      13     40\n25     08     19",
        "Hb     10     42\nNa     13     06\nK      63     10",
        # less than a name or number has
        "le mar      le coeur\nle lundi    est calme",
        # the halves stand apart
        "joindre au 06 63 10     la\net le reste             tension\n42 13 fin      fin",
        "vu Mar-\t1\net puis ty\t2",
    ],
)
def test_what_is_no_broken_value_is_left(text: str) -> None:
    assert found(text) == text


def test_a_text_without_columns_is_not_read() -> None:
    for text in ("", "a b c\nd e f", "Seen today.  Well.\nHome.  Bye.", "   a\n   b", "A | B\nC"):
        assert read_downwards(text) is None


@pytest.mark.parametrize(
    "unit",
    [
        "a   b\n",
        "a\t\tb\n",
        "|",
        " ",
        "a   ",
        "a | b   c\nd e\n",
        "x\t",
        "ab   cd   ef  gh i j\n  k\n",
    ],
)
def test_reading_costs_what_the_length_of_the_text_does(unit: str) -> None:
    assert growth(read_downwards.__wrapped__, unit, 4000) <= MOST


def test_nothing_of_the_text_is_shown() -> None:
    columns = read_downwards("vu Mar-\tla\nty qui\tle")
    assert columns and "Mar" not in repr(columns)


# --- any layout ---

WORDS = ("le", "coeur", "est", "normal", "tension", "stable", "et", "calme", "poumons", "libres")
BROKEN = [
    ("06 63 10", "42 13"), ("06 63", "10 42 13"), ("19/08/", "1925"), ("19", "août 1925"),
    ("Mar-", "ty"), ("MAR-", "TY"), ("Alphon-", "se"), ("8736249", "124"), ("87362", "49124"),
    ("1 25 08 33", "502 274 88"), ("65 boulevard", "Gosselin"),
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@st.composite
def layouts(draw: st.DrawFn) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """Draw a text in two columns and the places of the halves of a known value."""
    first, second = draw(st.sampled_from(BROKEN))
    rows = draw(st.lists(TEXTS, min_size=2, max_size=8))
    at = draw(st.integers(0, len(rows) - 2))
    rows[at] = f"{rows[at]} {first}"
    rows[at + 1] = f"{second} {rows[at + 1]}"
    others = draw(st.lists(TEXTS, min_size=len(rows), max_size=len(rows)))
    broken_left = draw(st.booleans())
    left, right = (rows, others) if broken_left else (others, rows)
    gutter = draw(st.integers(3, 12))
    width = max(map(len, left)) + gutter
    sign = draw(st.sampled_from(["", "\t", " | "]))
    lines = [
        f"{one}{sign}{two}" if sign else f"{one:<{width}}{two}"
        for one, two in zip(left, right, strict=True)
    ]
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    shift = 0 if broken_left else len(lines[at + 1]) - len(rows[at + 1])
    ends = (len(rows[at]) if broken_left else len(lines[at])) + starts[at]
    begins = starts[at + 1] + shift
    text = "\n".join(lines)
    return text, (ends - len(first), ends), (begins, begins + len(second))


@given(layouts())
def test_no_layout_hides_a_known_value(
    layout: tuple[str, tuple[int, int], tuple[int, int]],
) -> None:
    text, *halves = layout
    spans = KNOWN.detect(Document("1", text, lang="fr"))
    covered = {at for span in spans for at in range(span.start, span.end)}
    for start, end in halves:
        assert all(at in covered for at in range(start, end) if text[at].isalnum())


@given(st.text(alphabet="ab1 \t|\n\r-", max_size=160))
def test_what_is_read_stands_in_the_text(text: str) -> None:
    columns = read_downwards(text)
    if columns is not None:
        at = 0
        for line in columns.text.split("\n"):
            pieces = columns.pieces(at, at + len(line)) if line else []
            assert [text[start:end] for start, end in pieces] == [line] * bool(line)
            at += len(line) + 1
