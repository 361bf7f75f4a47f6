"""Initials of who wrote, saw or did something, and abbreviations that are none."""

import pytest

from record.document import Document
from record.label import Label
from rules.names.names import detect


def initials(text: str, lang: str) -> list[str]:
    found = detect(Document("n", text, lang=lang))
    return [text[s.start : s.end] for s in found if s.label == Label.NAME]


@pytest.mark.parametrize(
    "cue",
    [
        *("Vu par", "Vue par", "Revu par", "Revue par", "Vu", "Rédigé par", "Rédigée par"),
        *("Rédigé", "Saisi par", "Saisie par", "Validé par", "Validée par", "Fait par"),
        *("Faite par", "Tapé par", "Tapée par", "Posé par", "Noté par", "Discuté avec"),
        *("Signé :", "Signature :", "Seen by", "Typed by", "Typed", "Signed", "Signed by"),
        *("Reviewed by", "Denied per", "Denied by", "Entered by", "Tech", "Sonographer:"),
        *("Technologist:", "Scribe:", "per", "Note by", "Initials:", "Dictated by", "Done by"),
        *("Fdo.", "Firma:", "Firmado", "Visto por", "Realizado por", "Informado por"),
        *("Firmado por", "gez.", "Hdz.", "dok.", "Kz.", "Unterschr.", "Gesehen von"),
        *("Erstellt von", "geschr.", "Verf.:", "get.", "Paraaf:", "Gezien door", "Opgesteld door"),
    ],
)
@pytest.mark.parametrize("written", ["KZB", "KaWe"])
@pytest.mark.parametrize("end", [".", "", ", suite", " 14.3.", "\nRAS"])
def test_initials_behind_who_did_something(cue: str, written: str, end: str) -> None:
    text = f"RAS ce jour. {cue} {written}{end}"
    assert written in [text[s.start : s.end] for s in detect(Document("n", text))]


@pytest.mark.parametrize(
    "verb",
    "says said reviewed saw rang thinks happy passe dit rappelle meint sagt ruft dice llama zegt"
    " belt".split(),
)
def test_initials_that_say_something(verb: str) -> None:
    assert initials(f"All well. KZ {verb} to go on with it", "") == ["KZ"]


@pytest.mark.parametrize(
    "degree", "RN ARNP APRN NP PA-C LPN CNM CNA LCSW FNP DNP RPh OTR MSW".split()
)
def test_initials_before_a_degree(degree: str) -> None:
    assert initials(f"f/u 2 weeks. LZW, {degree}", "en") == ["LZW"]


@pytest.mark.parametrize(
    "cue",
    ["gez.", "dok", "hdz", "kz", "fdo", "denied per", "typed by", "seen by", "vu par", "paraaf"],
)
def test_small_letters_at_the_end(cue: str) -> None:
    assert initials(f"alles gut {cue} köz", "") == ["köz"]
    assert initials(f"alles gut {cue} köz geht", "") == []


@pytest.mark.parametrize(
    "text",
    [
        "Vu par ORL.", "Vu par MT.", "Seen by OT, PT.", "seen by GP.", "Reviewed by MDT.",
        "Fdo. MIR.", "gez. OA.", "Vu IRM.", "IRM dit que", "MRI says nothing", "BP, RN aware",
        "0.5 mg per os", "aperçu", "perçu", "per day\n", "Tech ECG.", "Vu par KZBQRS.",
        "per KZ-14", "PO said to wait",
    ],
)  # fmt: skip
def test_abbreviations_are_no_initials(text: str) -> None:
    assert initials(text, "") == []


def test_a_name_that_stands_there_is_read_as_one() -> None:
    found = detect(Document("n", "Vu par Dr LEROY.", lang="fr"))
    assert [str(span.label) for span in found] == ["LAST_NAME"]
