"""Names of the patient in the forms that scanners, keyboards, mail and encodings make of them."""

import random
import unicodedata
from collections.abc import Callable
from html.entities import codepoint2name
from itertools import chain

import pytest

from record.document import Document
from record.patient import PatientRecord
from rules.known.known import KnownPatient

PEOPLE = (
    ("Olivier", "Lambert"), ("Hélène", "Thévenot"), ("Guénolé", "Nguyen"), ("Begoña", "Ibáñez"),
    ("Margaret", "Fitzgerald"), ("Jürgen", "Schröder"), ("Maëlys", "Kervella"),
    ("Íñigo", "Quintana"),
    ("Théodore", "Delacourt"), ("Sjoerd", "Hoogeveen"),
)  # fmt: skip
CARRIERS = ("Vu {} ce matin, va bien.", "Appel de la fille de {} hier soir.", "{} : EVA 4, calme")
ALIKE = str.maketrans("aceopABCEHKMOPTX", "асеорАВСЕНКМОРТХ")
SMALL = str.maketrans("abcdefghijklmnoprstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ")
DIGITS = str.maketrans("oOlIsSbBeE", "0011558833")


def _bare(name: str) -> str:
    parts = unicodedata.normalize("NFD", name)
    return "".join(char for char in parts if not unicodedata.combining(char))


def _once(change: Callable[[str, int], str]) -> Callable[[str], str]:
    """Make a change at a place within a name, the same for the same name."""

    def apply(name: str) -> str:
        return change(name, random.Random(name).randrange(1, len(name) - 1))

    return apply


def _first_of(table: dict[int, int]) -> Callable[[str], str]:
    def apply(name: str) -> str:
        at = next((at for at, char in enumerate(name) if ord(char) in table), None)
        return name if at is None else name[:at] + name[at].translate(table) + name[at + 1 :]

    return apply


def _read_as(written: str, read: str) -> Callable[[str], str]:
    return lambda name: name.encode(written).decode(read, "replace")


# A kind of damage, and what it does to a name; names that it leaves as they are do not count.
KINDS: dict[str, Callable[[str], str]] = {
    "a letter dropped": _once(lambda name, at: name[:at] + name[at + 1 :]),
    "the last letter dropped": lambda name: name[:-1],
    "the last letter doubled": lambda name: name + name[-1],
    "a letter three times": _once(lambda name, at: name[:at] + name[at] * 2 + name[at:]),
    "another letter": _once(lambda name, at: name[:at] + "kx"[name[at] == "k"] + name[at + 1 :]),
    "a letter more": _once(lambda name, at: name[:at] + "k" + name[at:]),
    "letters swapped": _once(lambda name, at: name[:at] + name[at + 1] + name[at] + name[at + 2 :]),
    "the first letters swapped": lambda name: name[1].upper() + name[0].lower() + name[2:],
    "letters apart": " ".join,
    "letters two blanks apart": "  ".join,
    "hyphens between letters": "-".join,
    "full stops between letters": ".".join,
    "a line break within": _once(lambda name, at: name[:at] + "\n" + name[at:]),
    "a line break after a hyphen": _once(lambda name, at: name[:at] + "-\n" + name[at:]),
    "an indented line within": _once(lambda name, at: name[:at] + "\n      " + name[at:]),
    "an ellipsis over lines": _once(lambda name, at: name[:at] + "... \n..." + name[at:]),
    "glued to a word before": lambda name: f"patient{name.lower()}",
    "glued to a word after": lambda name: f"{name.lower()}sorti",
    "Cyrillic letters": lambda name: name.translate(ALIKE),
    "small capitals": lambda name: _bare(name.lower()).translate(SMALL),
    "full width": lambda name: "".join(chr(ord(c) + 0xFEE0) if c.isascii() else c for c in name),
    "mathematical letters": lambda name: "".join(
        chr(0x1D400 + ord(c) - 65) if "A" <= c <= "Z" else chr(0x1D41A + ord(c) - 97)
        for c in _bare(name)
    ),
    "written in Cyrillic": lambda name: "".join(
        dict(zip("abdefgiklmnoprstuvz", "абдефгиклмнопрстувз", strict=True)).get(c, c)
        for c in _bare(name).lower()
    ) if set(_bare(name).lower()) <= set("abdefgiklmnoprstuvz") else name,
    "zero-width characters": "\u200b".join,
    "variation selectors": "\ufe0f".join,
    "named entities": lambda name: "".join(
        f"&{codepoint2name[ord(c)]};" if not c.isascii() else c for c in name
    ),
    "numeric entities": lambda name: "".join(f"&#{ord(char)};" for char in name),
    "entities twice": lambda name: "".join(f"&amp;#x{ord(char):x};" for char in name),
    "mojibake": _read_as("utf-8", "latin-1"),
    "mojibake of Windows": _read_as("utf-8", "cp1252"),
    "mojibake twice": lambda name: _read_as("utf-8", "latin-1")(_read_as("utf-8", "latin-1")(name)),
    "DOS read as Latin-1": _read_as("cp850", "latin-1"),
    "DOS read as Windows": _read_as("cp850", "cp1252"),
    "Latin-1 read as DOS": _read_as("latin-1", "cp850"),
    "Latin-1 read as Cyrillic": _read_as("latin-1", "cp1251"),
    "quoted-printable": lambda name: "".join(
        f"={byte:02X}" if byte > 127 else chr(byte) for byte in name.encode("latin-1")
    ),
    "quoted-printable of UTF-8": lambda name: "".join(
        f"={byte:02X}" if byte > 127 else chr(byte) for byte in name.encode()
    ),
    "a soft line break of mail": _once(lambda name, at: name[:at] + "=\n" + name[at:]),
    "percent escapes": lambda name: "".join(f"%{byte:02X}" for byte in name.encode()),
    "escapes of JSON": lambda name: "".join(
        f"\\u{ord(char):04x}" if not char.isascii() else char for char in name
    ),
    "escapes of Rich Text": lambda name: "".join(
        f"\\'{ord(char):02x}" if not char.isascii() else char for char in name
    ),
    "UTF-7": lambda name: name.encode("utf-7").decode("ascii"),
    "a tag within": _once(lambda name, at: f"{name[:at]}<b>{name[at:]}</b>"),
    "marks of Markdown": _once(lambda name, at: f"**{name[:at]}**{name[at:]}"),
    "colours of a terminal": _once(lambda name, at: f"{name[:at]}\x1b[31m{name[at:]}\x1b[0m"),
    "the zone of a passport": lambda name: f"P<FRA{_bare(name).upper()}<<JEAN<PAUL<<<<"
    if _bare(name).isalpha()
    else name,
    "control characters": "\x01".join,
    "overstruck": lambda name: "".join(f"{char}\b{char}" for char in name),
    "accents lost": lambda name: "".join(char if char.isascii() else "?" for char in name),
    "a replacement character": _once(lambda name, at: name[:at] + "\ufffd" + name[at + 1 :]),
    "digits for letters": lambda name: name.translate(DIGITS),
    "one digit for a letter": _first_of(DIGITS),
    "m for rn": lambda name: name.replace("m", "rn"),
    "small letters": str.lower,
    "capitals lock": str.swapcase,
    "printed twice": lambda name: "".join(char * 2 for char in _bare(name)),
    "another keyboard": lambda name: name.translate(str.maketrans("aqAQ", "qaQA")),
}  # fmt: skip


def _left(kind: str, known: Callable[[int], KnownPatient]) -> tuple[int, list[str]]:
    """Return how many names were damaged, and those lines in which they can still be read."""
    damaged, left = 0, []
    for number, names in enumerate(PEOPLE):
        for name in names:
            written = KINDS[kind](name)
            if written == name:
                continue
            for carrier in CARRIERS:
                text = f"Transmissions du service\n{carrier.format(written)}\nRAS\n"
                damaged += 1
                found = known(number).search(Document("1", text))
                at = text.index(written)
                end = at + len(written)
                if not any(span.start < end and at < span.end for span in chain(*found)):
                    left.append(text)
    return damaged, left


def _own(number: int) -> KnownPatient:
    given, family = PEOPLE[number]
    return KnownPatient(PatientRecord("1", (given,), (family,)))


def _stranger(_number: int) -> KnownPatient:
    return KnownPatient(PatientRecord("1", ("Wolfgang",), ("Zubizarreta",)))


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_names_are_found(kind: str) -> None:
    damaged, left = _left(kind, _own)
    assert damaged
    assert left == []


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_patient_is_found_by_them(kind: str) -> None:
    damaged, left = _left(kind, _stranger)
    assert len(left) == damaged


@pytest.mark.parametrize(
    "written",
    [
        "L a m b e r t",
        "L&#97;mbert",
        "Lam\nbert",
        "ʟᴀᴍʙᴇʀᴛ",
        "Lam\u200bbert",
        "L=61mbert",
        "Lаmbеrt",
    ],
)
def test_a_damaged_name_is_covered_whole(written: str) -> None:
    text = f"(Vu {written}, dort)"
    found = _own(0).detect(Document("1", text))
    assert [text[span.start : span.end] for span in found] == [written]


@pytest.mark.parametrize(
    "text",
    [
        "Le patient a mal ; bert, lam, mbert. a b c d e, L. M. N. O. P.",
        "olive, oliviers, lambeau, lambris : 3 + 4 = 7 &amp; 50 % de =20",
        "Parti de l'amber\nTout va bien. β-bloquants, µg, Δ 3, <14 et >12",
    ],
)
def test_what_only_looks_damaged_is_left(text: str) -> None:
    assert _own(0).search(Document("1", text)) == ([], [], [])


def test_a_damaged_name_ends_where_a_word_does() -> None:
    """However far from its longest piece the word stands."""
    known = KnownPatient(PatientRecord("1", ("Noël",)))
    for blanks in range(60):
        text = f"Nous voyons{' ' * blanks}Nodule pulmonaire."
        assert known.search(Document("1", text, "1", "fr")) == ([], [], [])


@pytest.mark.parametrize(
    ("name", "line"),
    [
        # a patient all of whose names are short
        ("Reif", "Patient RE1F vu ce jour"),
        ("Wang", "Appel de Wan9 ce matin"),
        ("Guay", "Appel de 6UAY ce matin"),
        ("Reif", "Patient RElF vu ce jour"),
        ("Jähn", "Patient Jhn vu ce jour"),
        ("Rémy", "Appel de RIMY ce matin"),
        ("Rémy", "Vu R&#233 my ce matin"),
        ("Rémy", "Vu RE'MY ce matin"),
        ("Rock", "Appel de Ro c k ce matin"),
        ("Goff", "Vu les GOFFs ce matin"),
        # a name with an apostrophe
        ("O'Cassidy", "Patient O'CASSID seen today"),
        # a name that is a word, glued to what somebody does
        ("Pierre", "Pierreadmis ce matin"),
        ("Renard", "Renardkommt heute"),
        ("Poulain", "Vu xPoulainx ce matin"),
        # a letter wrong, and glued to an age or a word
        ("Drohan", "Vu Drohat82a ce matin"),
        ("Drohan", "Vu DROHAT82 ce matin"),
        ("Bartley", "dossierBARTLE vu ce jour"),
        ("Bartley", "BARTLEsorti hier"),
        # a letter wrong, over a quotation, a table or a page, in a file's name
        ("Lambert", "Vu LAM\n>> BER ce matin"),
        ("Guérin", "Appel de Gué=\n> ri ce matin"),
        ("Neuner", "Vu Neu|\n|ne ce matin"),
        ("Guichard", "Vu Guich\n\x0c\nar ce matin"),
        ("Delaunay", "Voir CR_Delauna_v2.pdf ce jour"),
        ("Melican", "Vu @Melica ce matin"),
        # dictated, the words broken
        ("Cabo", "C comme Célestin, A com<br/>\nme Anatole, B comme Berthe, O comme Os\ncar"),
        # look-alikes and Latin letters, set apart
        ("Comerford", "vu C.Ο.Μ.Ε.R.F.Ο.R.D ce jour"),
        # a name in words
        ("Charles", "Appel de CHAR LES ce matin"),
        ("Carreras", "Patient CARRERA vu"),
        ("Martin", "Appel de MATIN ce jour"),
        ("Richard", "Patient Ριχαρντ vu"),
        ("Carrier", "Patient CARNER vu"),
    ],
)
def test_short_names_and_names_that_are_words_are_found_damaged(name: str, line: str) -> None:
    known = KnownPatient(PatientRecord("1", ("Jo",), (name,)))
    assert any(known.search(Document("1", line)))
    assert not any(_stranger(0).search(Document("1", line)))


def test_a_name_over_two_lines_is_one() -> None:
    known = KnownPatient(PatientRecord("1", ("Karen",), ("Beard",)))
    text = "Call from Karen\nBeard about the results."
    found = known.detect(Document("1", text))
    assert [text[span.start : span.end] for span in found] == ["Karen", "Beard"]
