"""Names and initials under the headings of tables, and initials that sign."""

import pytest

from record.document import Document
from rules.names.names import detect


def names(text: str) -> list[str]:
    found = detect(Document("n", text, lang="nl"))
    return [text[s.start : s.end] for s in found if s.label == "NAME"]


@pytest.mark.parametrize("heading", "paraaf Handzeichen init. enf. signature Visa Kürzel".split())
def test_initials_stand_under_a_heading_for_signatures(heading: str) -> None:
    table = (
        f"datum    uit    {heading}\n6 mei    450    JdW\n7 mei    200    ks\n8 mei    90     nvt."
    )
    assert names(table) == ["JdW", "ks"]


@pytest.mark.parametrize("heading", "Nom Naam Nombre Apellidos Patient Bewohner".split())
def test_names_stand_under_a_heading_for_names(heading: str) -> None:
    table = f"lit|{heading}|motif\n1|Mme Etchebarne|chute\n2|libre|\n3|OUZOUNIAN A|chute"
    assert names(table) == ["Etchebarne", "OUZOUNIAN A"]


@pytest.mark.parametrize(
    ("text", "initials"),
    [
        ("Board minutes (scribe AB)", "AB"),
        ("Drawn by :  LT   Fasting", "LT"),
        ("Minutes by AB.\n", "AB"),
        ("initials MT\n", "MT"),
        ("Typed  jb    Blocks", "jb"),
        ("OR 842   Sign rw\n15 m", "rw"),
        ("D: 12/29/03 T: 12/30/03 kjb Job 118447", "kjb"),
    ],
)
def test_initials_sign(text: str, initials: str) -> None:
    assert initials in names(text)


@pytest.mark.parametrize(
    "text", ["SIGNOS VITALES", "TYPED IN CAPS", "sign of life", "Drawn by nurse", "visage"]
)
def test_words_do_not(text: str) -> None:
    assert names(text) == []
