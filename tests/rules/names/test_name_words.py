"""Every word that announces a person, or keeps a word from being one, does so on its own."""

import pytest

from record.document import Document
from rules.names.cues import HEADINGS
from rules.names.names import detect

# In no list of names: only what stands around it makes it one.
SURNAME, GIVEN = "Zabrowczyk", "Zulmirane"

TITLES = {
    "fr": "Dr|Drs|Docteur|Docteurs|Pr|Prs|Prof|Professeur|Professeurs|Mme|Mmes|Mlle|Mlles|Mr"
    "|Madame|Mesdames|Mademoiselle|Monsieur|Messieurs|M.|MM.|Me|Maître",
    "en": "Doctor|Profs|Mrs|Miss|Ms|Rev.|Sir|Master|Nurse|nurse",
    "es": "Dra|Dras|Dres|Doctora|Doctores|Professora|Sra|Sras|Srta|Sres|Srs|Sr.|SR.",
    "de": "Frau|Herr|Herrn|Hr.|Hrn.|Fr.|OA|CA|PD|Dipl.-Psych.|Kollege|Kollegin|Dr. med.|Dr. phil."
    "|Dr. rer. nat.|Dr. med. dent.|Dr. med. habil.|Dr. univ.|Prof. Dr. h.c.",
    "nl": "Dhr|Mw|Mevr|Mevrouw|Heer|heer",
}
GIVEN_TITLES = {
    "fr": "Sœur|sœur|Soeur",
    "en": "Sister",
    "es": "D.|Don|DON|Doña|DOÑA|Dña.|DÑA.|Sor",
    "de": "Schwester|Pfleger|pfleger",
    "nl": "Zuster|zuster",
}
RELATIVES = {
    "fr": "mère|père|fille|fils|frère|sœur|soeur|mari|femme|époux|épouse|compagnon|compagne"
    "|conjoint|conjointe|nièce|neveu|tante|oncle|cousin|cousine",
    "es": "hijo|hija|hermano|hermana|madre|padre|esposo|esposa|marido|mujer|tío|tía|nieto|nieta"
    "|pareja",
    "en": "mother|father|husband|wife|son|daughter|brother|sister|partner|spouse|niece|nephew",
    "de": "Mutter|Vater|Sohn|Tochter|Bruder|Schwester|Ehefrau|Ehemann|Partnerin|Enkel|Enkelin",
    "nl": "moeder|vader|zoon|dochter|broer|zus|vrouw|man|echtgenoot|echtgenote|kleinkind|neef"
    "|nicht",
}
OWNERS = {
    "fr": "son|sa|ses|leur",
    "es": "su|sus",
    "en": "his|her|their",
    "de": "sein|seine|seinem|seinen|seiner|seines|ihr|ihre",
    "nl": "zijn|haar|hun",
}
SIGNED = {
    "fr": "signé par|validé par|rédigé par|dicté par|saisi par|vu par|prescrit par|réalisé par"
    "|effectué par|envoyé par|suivi par|imprimé par|interprété par|adressé par|pratiqué par",
    "en": "signed by|dictated by|reviewed by|verified by|authored by|transcribed by"
    "|performed by|seen by|written by|approved by|interpreted by|referred by",
    "es": "firmado por|remitido por|enviado por|realizado por|validado por|solicitado por"
    "|elaborado por|informado por|redactado por|escrito por",
    "de": "diktiert von|unterschrieben von|gesehen von|gezeichnet von|erstellt von",
    "nl": "ondertekend door|gedicteerd door|geschreven door|gezien door",
}
BEFORE_TWO = (
    "patient|patiente|patients|patientes|Patiente|paciente|Paciente|interne|Interne|externe"
    "|Externe|médecin|Medecin|Médico|medico|infirmier|infirmière|Infirmier|IDE|IAO|RN|enfant"
    "|enfermera|Enfermero|resident|Residente|dear|Dear|Cher|chère|chirurgien|Chirurgien"
    "|Fdo|fdo|cc|CC|traitant|DUE"
)


def _found(text: str, lang: str) -> list[tuple[str, str]]:
    return [(text[s.start : s.end], str(s.label)) for s in detect(Document("n", text, lang=lang))]


def _each(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(lang, word) for lang, words in table.items() for word in words.split("|")]


@pytest.mark.parametrize(("lang", "title"), _each(TITLES))
def test_a_title_is_enough(lang: str, title: str) -> None:
    assert _found(f"avec {title} {SURNAME} hier", lang) == [(SURNAME, "LAST_NAME")]


@pytest.mark.parametrize(("lang", "title"), _each(GIVEN_TITLES))
def test_some_titles_go_with_given_names(lang: str, title: str) -> None:
    assert _found(f"avec {title} {GIVEN} hier", lang) == [(GIVEN, "FIRST_NAME")]


@pytest.mark.parametrize(("lang", "relative"), _each(RELATIVES))
def test_whose_relative_is_enough(lang: str, relative: str) -> None:
    owner = OWNERS[lang].split("|")[0]
    text = f"vu avec {owner} {relative} {GIVEN} ce jour"
    assert _found(text, lang) == [(GIVEN, "FIRST_NAME")]


@pytest.mark.parametrize(("lang", "owner"), _each(OWNERS))
def test_relatives_are_owned(lang: str, owner: str) -> None:
    relative = RELATIVES[lang].split("|")[0]
    assert _found(f"x {owner} {relative} {GIVEN}, y", lang) == [(GIVEN, "FIRST_NAME")]
    assert _found(f"x {relative} {GIVEN}, y", lang) == []


@pytest.mark.parametrize(("lang", "verb"), _each(SIGNED))
def test_a_verb_of_signing_announces_two_unknown_words(lang: str, verb: str) -> None:
    text = f"le texte {verb} {GIVEN} {SURNAME} hier"
    assert [name for name, _ in _found(text, lang)] == [GIVEN, SURNAME]
    assert _found(f"le texte {verb} {SURNAME} hier", lang) == []


@pytest.mark.parametrize("word", BEFORE_TWO.split("|"))
def test_a_role_announces_a_known_name(word: str) -> None:
    assert _found(f"le {word} Hélène est là", "fr") == [("Hélène", "FIRST_NAME")]


@pytest.mark.parametrize(("phrase", "kind"), sorted(HEADINGS.items()))
def test_every_heading_announces_a_name(phrase: str, kind: str) -> None:
    text = f"{phrase.capitalize()} : {GIVEN} {SURNAME.upper()}\n"
    found = _found(text, "fr")
    if kind == "initials":
        assert _found(f"{phrase} : JD/mk\n", "fr") == [("JD", "NAME"), ("mk", "NAME")]
    elif kind == "first":
        assert found[0] == (f"{GIVEN} {SURNAME.upper()}", "FIRST_NAME")
    else:
        assert found == [(GIVEN, "FIRST_NAME"), (SURNAME.upper(), "LAST_NAME")]


@pytest.mark.parametrize(
    "text",
    [
        "Marie Dubreuil@x.fr",
        "Marie Dubreuil Memorial Hospital",
        "Marie Dubreuil Cancer Institute",
        "Marie Dubreuil Klinik",
        "Marie Dubreuil et al",
        "Marie Dubreuil s/n",
        "Marie Dubreuil 75012 Paris",
        "Marie Dubreuil, 12, bajo",
        "Marie Dubreuil nº 12, bajo",
        "Marie Dubreuil S.A. fabrique",
        "Marie Dubreuil & fils",
        "rue Marie Dubreuil",
        "C/ Marie Dubreuil",
        "Domicilio: Marie Dubreuil",
        "Home address Marie Dubreuil",
        "7393 Marie Dubreuil",
        "12 bis, Marie Dubreuil",
        "12 ter, Marie Dubreuil",
        "Marie Dubreuil 12. Bajo",
        "Marie Dubreuil 12 - Bajo",
        "Jean Moulin",
        "Marie Dubreuil\xa0disease",
    ],
)
def test_what_stands_beside_a_name_makes_it_a_site_or_a_company(text: str) -> None:
    assert _found(text, "es") == []


@pytest.mark.parametrize(
    "after",
    [
        " (interne)", " (externe)", " (PH)", " (PHC)", " (PU-PH)", " (MCU-PH)", " (CCA)", " (IDE)",
        " (FFI)", " (DJ)", " (AS)", " (IADE)", " (médecin)", " (chirurgien)", " (MD)",
        " (resident)", " (RN)", ", MD", " M.D.", ", RN", ", NP", ", DO", ", PA-C", ", PhD",
        ", PharmD", ", IDE", ", IADE", ", LPN", ", night shift", ", day nurse", ", evening shift",
        ", de nuit", ", de jour", ", turno de noche", " | H 3", " | 12/3", ", né le 3",
        ", née en 3", ", born 1950", " 12/03/1950", ", 12 mars", ", 1er mars",
    ],
)  # fmt: skip
def test_what_follows_a_name_proves_it(after: str) -> None:
    found = [name for name, _ in _found(f"vu {GIVEN} {SURNAME.upper()}{after}", "fr")]
    assert found == [GIVEN, SURNAME.upper()]


@pytest.mark.parametrize(
    "handed",
    [
        "relève à", "relève faite à", "relève transmise à", "transmissions faites à", "relevo a",
        "relevo dado a", "handoff to", "hand-off given to", "handed off to", "report to",
        "report given to",
    ],
)  # fmt: skip
def test_a_shift_is_handed_to_a_person(handed: str) -> None:
    assert _found(f"Le {handed} Hélène", "fr") == [("Hélène", "FIRST_NAME")]


@pytest.mark.parametrize("word", ["née", "né", "geb", "geborene", "born", "maiden name", "Née"])
def test_a_name_at_birth_is_a_family_name(word: str) -> None:
    assert _found(f"elle, {word} {SURNAME}, va", "fr") == [(SURNAME, "LAST_NAME")]


@pytest.mark.parametrize(
    "after",
    [
        "de 9 años",
        "de tres meses",
        "de un mes",
        "de 3 dias",
        "de 2 semanas",
        "de 3 ans",
        "de 2 mois",
    ],
)
def test_a_child_of_some_age_is_no_name(after: str) -> None:
    assert _found(f"Paciente: Nina {after}", "es") == []


@pytest.mark.parametrize(
    "heading",
    (
        "domicilio|direccion|address|adresse|localidad|provincia|poblacion|ciudad|municipio|city"
        "|ville|adres|anschrift|wohnhaft|home|natural de|reside en|residing in|barrio|urb."
    ).split("|"),
)
def test_the_names_of_an_address_are_no_persons(heading: str) -> None:
    assert _found(f"{heading}: Marie Dubreuil", "es") == []
    assert _found(f"Signé: Marie Dubreuil, {heading}", "es") != []


@pytest.mark.parametrize(
    "text",
    [
        "Fait ce jour. Odette\n22/08 10h32 : calme",
        "Fait ce jour. Odette\nmars 12 : calme",
        "Fait ce jour. Odette\n\nSuite",
        "Fait ce jour. Odette",
        "Tout va bien! Odette\n12",
    ],
)
def test_a_name_closes_an_entry(text: str) -> None:
    assert _found(text, "fr") == [("Odette", "FIRST_NAME")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x\nJD/mk", ["JD", "mk"]),
        ("x\nJDM/mkb\n", ["JDM", "mkb"]),
        ("Signé : J.D.", ["J.D."]),
        ("Signed: J.-P. D., MD", ["J.-P. D."]),
        ("Diktat: JD/MK", ["JD", "MK"]),
        ("x HTA/dm", []),
        ("Ref: AB/12", []),
    ],
)
def test_initials_sign(text: str, names: list[str]) -> None:
    assert _found(text, "de") == [(name, "NAME") for name in names]


@pytest.mark.parametrize("particle", ["de ", "du ", "d'", "van ", "von ", "del "])
def test_a_particle_may_follow_a_cue(particle: str) -> None:
    wanted = [(f"{particle}{SURNAME}", "LAST_NAME")]
    assert _found(f"elle, née {particle}{SURNAME}, va", "fr") == wanted
    assert _found(f"Drs {SURNAME}, {particle}{SURNAME}", "fr")[-1:] == wanted


@pytest.mark.parametrize("end", ["", "\n", " | x", " (x", ", geb. 1", ", née", ", DOB 3", ", born"])
def test_an_unknown_given_name_ends_a_field(end: str) -> None:
    wanted = [(SURNAME, "LAST_NAME"), (GIVEN, "FIRST_NAME")]
    assert _found(f"Patient: {SURNAME}, {GIVEN}{end}", "de")[:2] == wanted


@pytest.mark.parametrize(
    "end", ["", "\n", " 12/03", " | x", " (x", ", x", " - x", " DOB", " nee x", " ne x", " geb 1"]
)
def test_a_known_given_name_stands_in_an_index(end: str) -> None:
    wanted = [(SURNAME, "LAST_NAME"), ("Hélène", "FIRST_NAME")]
    assert _found(f"le {SURNAME}, Hélène{end}", "fr") == wanted
    assert _found(f"le {SURNAME}, Hélène va", "fr") == [("Hélène", "FIRST_NAME")]


@pytest.mark.parametrize(
    ("text", "lang", "names"),
    [
        ("Docteur : Zabrowczyk", "fr", ["Zabrowczyk"]),
        ("vu JamesSmith hier", "en", ["James", "Smith"]),
        ("vu A. de Martin hier", "fr", ["A.", "de Martin"]),
        ("ZABROWCZYK, Zulmirane 12/03/1950", "fr", ["ZABROWCZYK", "Zulmirane"]),
        ("Dres. Gómez e Iturralde", "es", ["Gómez", "Iturralde"]),
        ("Drs Gomez ou Iturralde", "fr", ["Gomez", "Iturralde"]),
        ("drs. Postma en Zabrowczyk", "nl", ["Postma", "Zabrowczyk"]),
        ("sa fille\nZulmirane va", "fr", ["Zulmirane"]),
    ],
)
def test_ways_of_writing(text: str, lang: str, names: list[str]) -> None:
    assert [name for name, _ in _found(text, lang)] == names


@pytest.mark.parametrize("year", ["1998", "2018"])
def test_a_year_is_no_number_of_a_house(year: str) -> None:
    wanted = [("Hélène", "FIRST_NAME"), ("DUPONTEL", "LAST_NAME")]
    assert _found(f"bilan de {year} Hélène DUPONTEL", "fr") == wanted


@pytest.mark.parametrize(
    ("link", "lang"), [("et", "fr"), ("and", "en"), ("y", "es"), ("und", "de"), ("en", "nl")]
)
def test_the_last_of_a_list_is_linked(link: str, lang: str) -> None:
    wanted = [(SURNAME, "LAST_NAME"), ("Wuzcikow", "LAST_NAME")]
    assert _found(f"Drs {SURNAME}, {link} Wuzcikow", lang) == wanted
    assert _found(f"Drs {SURNAME} {link} Wuzcikow", lang) == wanted
