"""Whole names of institutions of which a part was found; `<` and `>` stand around that part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.label import Label
from record.span import Span
from rules.places.institution_names import complete_institutions

CITY, HOSPITAL, ORGANIZATION = Label.CITY, Label.HOSPITAL, Label.ORGANIZATION

COMPLETED = [
    ("adressé au [tribunal judiciaire de <Dijon>], audience", CITY, ORGANIZATION),
    ("porté à la [brigade des douanes de <Modane>]", CITY, ORGANIZATION),
    ("archiviste à la [mairie de <Lorient>].", CITY, ORGANIZATION),
    ("la [cour d'appel de <Riom>]", CITY, ORGANIZATION),
    ("le [comité des fêtes de <Plouescat>]", CITY, ORGANIZATION),
    ("relevé au [centre de vaccinations internationales de <Cayenne>]", CITY, HOSPITAL),
    ("[Cabinet d'échographie du <Faubourg>]", HOSPITAL, HOSPITAL),
    ("IDEL [cabinet de <Mauzé>] prend le relais", CITY, HOSPITAL),
    ("logée par l'[association <Accueil Périgord>]", ORGANIZATION, ORGANIZATION),
    ("assistante, [SARL <Textiles du Hainaut>]", ORGANIZATION, ORGANIZATION),
    ("fin de prise en charge. [<Val de Sèvre> Domicile]", HOSPITAL, HOSPITAL),
    ("travaille à la [<seine aval> assainissement] comme", ORGANIZATION, ORGANIZATION),
    ("Le [Gesundheitsamt <Darmstadt>] übernimmt", CITY, ORGANIZATION),
    ("[HNO-Gemeinschaftspraxis <Fürstenried>]", CITY, HOSPITAL),
    ("[Zentrum für Arbeitsmedizin <Sonneberg>]", CITY, HOSPITAL),
    ("Arbeitgeber: [<Bäckerhof Münsterland> eG], Werk 2", ORGANIZATION, ORGANIZATION),
    ("[Fysiotherapie <De Kruisweg>], tel.", HOSPITAL, HOSPITAL),
    ("groep 5 van [obs <De Vlieger>].", ORGANIZATION, ORGANIZATION),
    ("[juzgado de <Mérida>]", CITY, ORGANIZATION),
    ("derivado al [cesfam <Los Aromos>]", HOSPITAL, HOSPITAL),
    ("MDT ([<Tewkesbury> PCN]) of", HOSPITAL, HOSPITAL),
    ("Employer [<Okeelanta> growers]: no", ORGANIZATION, ORGANIZATION),
    ("bij [<Revalidatie Friesland> locatie Dokkum], intake", HOSPITAL, HOSPITAL),
    ("Aan: [<Meander Wijkzorg> team Stein] /", ORGANIZATION, ORGANIZATION),
    ("brief [<Gelre Oost>, locatie Zutphen]", HOSPITAL, HOSPITAL),
    (
        "bel [Palliatief <Adviesteam Het Gooi> ] (035".replace("> ]", ">]"),
        ORGANIZATION,
        ORGANIZATION,
    ),
    ("[Mother <Cabrini Home Care>] MSW", ORGANIZATION, ORGANIZATION),
    ("89 ans, [ancienne <dentellière>]. 32", Label.PROFESSION, Label.PROFESSION),
    ("de retour en [HDJ <Les Glycines>]", HOSPITAL, HOSPITAL),
    ("Fax an [SPZ <Ulm>]", CITY, HOSPITAL),
    ("[OSI <Donostialdea>]", HOSPITAL, HOSPITAL),
    ("über [VdK <Osnabrück>], Hr.", CITY, ORGANIZATION),
    ("Übergabe [Städt. <Klinikum>] an", HOSPITAL, HOSPITAL),
    ("se perd au [<Carrefour> Market].", ORGANIZATION, ORGANIZATION),
    ("72 a., [<carpintero> jubilado], Pza", Label.PROFESSION, Label.PROFESSION),
    ("19j., [Azubi <Bäcker>]", Label.PROFESSION, Label.PROFESSION),
    ("inglés, [ex <piloto>]", Label.PROFESSION, Label.PROFESSION),
    ("61, [self-employed <upholsterer>], myeloma", Label.PROFESSION, Label.PROFESSION),
]

ALONE = [
    ("hospitalisé à la clinique à <Dijon>", CITY),
    ("vu à l'école avec son père de <Dijon>", CITY),
    ("tribunal\n<Dijon>", CITY),
    ("tribunal, <Dijon>", CITY),
    ("Die Klinik ist <Bremen>", CITY),
    ("ein Zentrum mit <Bremen>", CITY),
    ("apotheek bij <Utrecht>", CITY),
    ("<Leeds> clinic", CITY),
    ("tribunal de <Dupont>", Label.LAST_NAME),
    ("Dr <Nord> sud", Label.LAST_NAME),
    ("<Asana> healthy", ORGANIZATION),
    ("hors-mairie de <Lorient>", CITY),
    ("complex <driver>", Label.PROFESSION),
]


def read(marked: str) -> tuple[str, tuple[int, int], tuple[int, int] | None]:
    """Return the text, the part that was found and the whole."""
    text, at = "", {}
    for sign in marked:
        if sign in "[]<>":
            at[sign] = len(text)
        else:
            text += sign
    whole = (at["["], at["]"]) if "[" in at else None
    return text, (at["<"], at[">"]), whole


@pytest.mark.parametrize(("marked", "found", "label"), COMPLETED)
def test_words_for_the_kind_belong_to_the_name(marked: str, found: str, label: str) -> None:
    text, (start, end), whole = read(marked)
    span = Span(start, end, found, "model", 0.7)
    (longer,) = complete_institutions(Document("1", text), [span])
    assert (longer.start, longer.end) == whole
    assert (longer.label, longer.detector, longer.score) == (label, "model", 0.7)


@pytest.mark.parametrize(("marked", "found"), ALONE)
def test_other_words_do_not(marked: str, found: str) -> None:
    text, (start, end), _ = read(marked)
    assert not complete_institutions(Document("1", text), [Span(start, end, found, "model")])


WORDS = st.sampled_from(
    "mairie de tribunal judiciaire Dijon clinic ancien mineur , Klinik für Arbeit\n l' des".split(
        " "
    )
)


@given(st.lists(WORDS, min_size=1, max_size=9), st.data())
def test_a_whole_holds_its_part_in_one_line_without_blanks_around(
    words: list[str], data: st.DataObject
) -> None:
    text = " ".join(words)
    at = data.draw(st.integers(0, len(words) - 1))
    start = len(" ".join(words[:at])) + (at > 0)
    end = start + len(words[at])
    label = data.draw(st.sampled_from([CITY, HOSPITAL, ORGANIZATION, Label.PROFESSION]))
    for longer in complete_institutions(Document("1", text), [Span(start, end, label)]):
        assert longer.start <= start and longer.end >= end
        added = text[longer.start : start] + text[end : longer.end]
        assert added.strip() and "\n" not in added
        assert text[longer.start : longer.end] == text[longer.start : longer.end].strip(" ")
