"""Jobs beside persons, towns of services, organizations by their kind, countries alone."""

import pytest

from record.document import Document
from record.label import Label
from rules.places.places import detect


def found(text: str, label: str, lang: str = "") -> list[str]:
    return [
        text[s.start : s.end] for s in detect(Document("n", text, lang=lang)) if s.label == label
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mère vétérinaire rurale, nounou", ["vétérinaire rurale"]),
        ("la mère, caissière chez Lidl", ["caissière"]),
        ("Le père : couvreur, fume", ["couvreur"]),
        ("Vater Jens (Dachdecker), Mutter", ["Dachdecker"]),
        ("zoon Kars, kapper.", ["kapper"]),
        ("Le conjoint, surveillant pénitentiaire, suit", ["surveillant pénitentiaire"]),
        ("Mme Louise, 43 ans, institutrice, pour", ["institutrice"]),
        ("Pascual Llop, 33, portero de discoteca", ["portero"]),
        ("Softić, Kranführer, Pankreatitis", ["Kranführer"]),
        ("FILLE LYNDA (INSTITUTRICE), ANNONCE", ["INSTITUTRICE"]),
        ("terme 14/11. Vigneronne.\n30 SA", ["Vigneronne"]),
        ("Sa mère (infirmière scolaire au collège", ["infirmière scolaire"]),
    ],
)
def test_trades_beside_persons(text: str, expected: list[str]) -> None:
    assert found(text, Label.PROFESSION) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Signé : Delphine Leroux, puéricultrice.",
        "Marion (secrétaire) convoque",
        "pockets on 18, Miller I recession",
        "Hodgkin, Berger, Alport",
        "Zangemeister negativ, Jägermeister, Bier",
        "mit Chefin, dann",
    ],
)
def test_staff_and_scales_are_no_trades_of_persons(text: str) -> None:
    assert found(text, Label.PROFESSION) == []


@pytest.mark.parametrize(
    ("text", "town"),
    [
        ("PMI : Aurillac, Mme", "Aurillac"),
        ("PMI de Sarcelles, cicatrice", "Sarcelles"),
        ("VSAV + SMUR FONTAINEBLEAU (DR", "FONTAINEBLEAU"),
        ("avis Marseille. TSH", "Marseille"),
        ("transfert Bordeaux neurochir", "Bordeaux"),
        ("Arrivée déchoc Limoges, GCS", "Limoges"),
        ("commissariat d'Échirolles", "Échirolles"),
    ],
)
def test_towns_of_services(text: str, town: str) -> None:
    assert town in found(text, Label.CITY, "fr")


@pytest.mark.parametrize("text", ["Neuro : Glasgow 15", "avis Orl", "bloc Petit", "avis marseille"])
def test_scores_and_words_behind_a_service_are_no_towns(text: str) -> None:
    assert found(text, Label.CITY, "fr") == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("via association Présence 76. Dexa", "association Présence 76"),
        ("rendu par la plateforme AURAGEN sous", "plateforme AURAGEN"),
        ("retraite MSA d'Armorique 812 €", "MSA d'Armorique"),
        ("Déclaration à l'ARS Martinique faite", "ARS Martinique"),
        ("Acties: OCMW Aalst leefloon", "OCMW Aalst"),
        ("Comedor de EI Los Geranios avisado", "EI Los Geranios"),
        ("beim Jugendamt Gelsenkirchen ist", "Jugendamt Gelsenkirchen"),
        ("An das Amtsgericht Pirna, Abt.", "Amtsgericht Pirna"),
        ("singt im Chor der Emmauskirche.", "Chor der Emmauskirche"),
        ("négatif (labo Cerba, BP)", "Cerba"),
    ],
)
def test_organizations_by_their_kind(text: str, name: str) -> None:
    assert name in found(text, Label.ORGANIZATION)


@pytest.mark.parametrize("text", ["labo Mme Gourvennec", "labo CRP 41", "association lupus et"])
def test_other_words_behind_a_kind_are_no_organizations(text: str) -> None:
    assert found(text, Label.ORGANIZATION) == []


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("Befundmitteilung (Österreich), Ordination", "Österreich"),
        ("Schweiz, Psychiatrie-Spitex", "Schweiz"),
        ("Auslieferung nach Kosovo stünde", "Kosovo"),
        ("Familie kommt aus Syrien, seit", "Syrien"),
        ("peut-être en équipe de France.", "France"),
        ("Trajet : Libye sept mois", "Libye"),
    ],
)
def test_countries_alone(text: str, country: str) -> None:
    assert country in found(text, Label.COUNTRY)


@pytest.mark.parametrize("text", ["(france)", "nach Hause", "Österreich kommt", "(Mali Keita)"])
def test_other_words_are_no_countries(text: str) -> None:
    assert found(text, Label.COUNTRY) == []


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("58 ans, dentellière.", "fr", "dentellière"), ("58 ans, brodeuse", "fr", "brodeuse"),
        ("père tuyauteur, fume", "fr", "tuyauteur"), ("ancien accordeur", "fr", "accordeur"),
        ("58 years, millworker.", "en", "millworker"), ("retired hopgrower", "en", "hopgrower"),
        ("58 años, charcutera.", "es", "charcutera"), ("antigua hilandera", "es", "hilandera"),
        ("despido de la tienda (charcutera), mayo", "es", "charcutera"),
        ("58 J., Stickerin.", "de", "Stickerin"), ("gelernter Glasbläsergeselle", "de", ""),
        ("58 jaar, kantklosster.", "nl", "kantklosster"),
        ("gewezen kalverhouder", "nl", "kalverhouder"),
        ("17 ans, lycéenne à Brest", "fr", "lycéenne"), ("Maik, 33, Dachdeckergeselle,", "de", ""),
    ],
)  # fmt: skip
def test_endings_of_trades(text: str, lang: str, expected: str) -> None:
    assert found(text, Label.PROFESSION, lang) == ([expected] if expected else []) or (
        not expected and found(text, Label.PROFESSION, lang)[0].lower().endswith("geselle")
    )


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("58 ans, fumeuse.", "fr"), ("58 ans, droitière", "fr"), ("ancien fumeur", "fr"),
        ("58 años, soltero.", "es"), ("58 años, fumadora", "es"), ("58 J., Raucherin", "de"),
        ("58 years, nonsmoker", "en"), ("58 jaar, rookster", "nl"), ("ancien tuteur", "fr"),
        ("58, brodeuse", "fr"), ("58 ans, brodeuse", "xx"),
    ],
)  # fmt: skip
def test_states_of_patients_are_no_trades(text: str, lang: str) -> None:
    assert found(text, Label.PROFESSION, lang) == []


@pytest.mark.parametrize(
    ("text", "town"),
    [
        ("vor Sport. Bautzen d. 9.10., Dr. Nowotny", "Bautzen"),
        ("nº 77/24. Almería a ocho de julio de dos mil veinticuatro", "Almería"),
        ("Dr. A. Terhorst.\nGelsenkirchen 4. d.M.", "Gelsenkirchen"),
        ("verlegt, Führerscheinstelle Magdeburg.", "Magdeburg"),
    ],
)
def test_towns_of_a_date_and_of_offices(text: str, town: str) -> None:
    assert found(text, Label.CITY) == ([town] if town else [])


@pytest.mark.parametrize("text", ["Besserung. Montag d. 9.10.", "Avisar. Dolor a 5 cm"])
def test_words_before_a_date_are_no_towns(text: str) -> None:
    assert found(text, Label.CITY) == []
