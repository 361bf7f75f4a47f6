"""Places: coherent towns and codes, streets part by part, care sites of the same type."""

import re
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.folding import fold
from record.languages import LANGUAGES
from record.patient import Address, PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.dates import dates
from surrogates.keys.keys import CohortKey
from surrogates.patient import gazetteer, lexicon
from surrogates.patient.patient import Subject
from surrogates.patient.text_normalization import unaccented
from surrogates.rewrite import Rewriter
from tests.surrogates.conftest import Replace

Area = Literal["none", "country", "region", "department"]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_code_and_town_side_by_side_belong_together(
    replace: Replace, subject_of: Callable[..., Subject], locale: str
) -> None:
    towns = lexicon.load("cities", locale)
    codes = dict(zip(towns.entries, towns.codes, strict=True))
    subject = subject_of(locale=locale)
    for town in (*towns.entries[::9], "Brocéliande", "PARIS", "Smallville"):
        drawn = replace(town.title(), "CITY", subject=subject)
        code = replace("9912" if locale == "nl" else "99123", "ZIP", subject=subject, city=town)
        assert codes[drawn] == code


@pytest.mark.parametrize(
    ("lang", "text", "pattern"),
    [
        ("en", "[Burlington|CITY], [Vermont|REGION] [05401|ZIP]", r"(.+), (.+) (\d{5})"),
        ("en", "[Burlington|CITY], [VT|REGION] [05401|ZIP]", r"(.+), ([A-Z]{2}) (\d{5})"),
        ("en", "[Reno|CITY] [89501|ZIP], [NEVADA|REGION]", r"(.+) (\d{5}), ([A-Z ]+)"),
        ("es", "[34005|ZIP] [Palencia|CITY] ([Castilla y León|REGION])", r"(\d{5}) (.+) \((.+)\)"),
        ("fr", "[35000|ZIP] [Rennes|CITY] ([Bretagne|REGION])", r"(\d{5}) (.+) \((.+)\)"),
    ],
)
def test_town_code_and_region_of_an_address_belong_together(
    cohort: CohortKey,
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
    lang: str,
    text: str,
    pattern: str,
) -> None:
    towns = lexicon.load("cities", lang)
    codes = dict(zip(map(fold, towns.entries), towns.codes, strict=True))
    rewriter = Rewriter(cohort, Policy(locale=lang))
    agreed = 0
    for person in range(40):
        document, spans = marked(text, person=f"p{person}", lang=lang)
        found = re.fullmatch(pattern, rewriter.rewrite(document, spans, None).text)
        assert found
        parts = dict(zip((span.label for span in spans), found.groups(), strict=True))
        town, code, region = parts["CITY"], parts["ZIP"], parts["REGION"]
        assert codes[fold(town)] == code
        short = len(region) == 2
        agreed += fold(region) == fold(gazetteer.region_name(code, lang, abbreviated=short))
    # One that would be the region of the patient's own is drawn instead.
    assert agreed >= 30


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("75012", r"\d{5}"),
        ("94 403", r"\d\d \d{3}"),
        ("02139-1234", r"\d{5}-\d{4}"),
        ("1200", r"\d{4}"),
        ("SW1A 1AA", r"[A-Z]{2}\d[A-Z] \d[A-Z]{2}"),
    ],
)
def test_codes_keep_their_shape(replace: Replace, text: str, pattern: str) -> None:
    drawn = replace(text, "ZIP")
    assert re.fullmatch(pattern, drawn)
    assert drawn != text


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("PARIS", r"[^a-z\d]+"),
        ("Paris 11", r"\D+ \d\d"),
        ("Lyon 3e", r"\D+ \de"),
        ("Lille Cedex 9", r"\D+ Cedex \d"),
        ("THIELLES CEDEX", r"\D+ CEDEX"),
        ("75012", r"\d{5}"),
    ],
)
def test_what_follows_a_town_is_kept(replace: Replace, text: str, pattern: str) -> None:
    drawn = replace(text, "CITY")
    assert re.fullmatch(pattern, drawn), drawn
    assert fold(text.split(maxsplit=1)[0]) not in fold(drawn)


def test_spellings_of_a_town_agree(replace: Replace) -> None:
    same = ("Saint-Étienne", "SAINT ETIENNE", "saint-etienne", "St Etienne")
    assert len({fold(replace(town, "CITY")) for town in same}) == 1


@pytest.mark.parametrize(
    ("lang", "text", "pattern"),
    [
        ("fr", "12 rue Pasteur", r"\d\d rue d.+"),
        ("fr", "12 bis, rue Pasteur", r"\d\d bis, rue d.+"),
        ("fr", "28 ter, place de Beaubourg", r"\d\d ter, place d.+"),
        ("fr", "170 RUE DU CALVAIRE, APPT 283", r"\d{3} RUE D[^a-z]+, APPT \d{3}"),
        ("fr", "avenue Foch", r"avenue d.+"),
        ("fr", "25, bd. du Maréchal Foch", r"\d\d, bd\. d.+"),
        ("en", "123 Main St", r"\d{3} [A-Z].+ St"),
        ("en", "123 Main Street, Apt. 12", r"\d{3} [A-Z].+ Street, Apt\. \d\d"),
        ("en", "Apt. 931", r"Apt\. \d{3}"),
        ("es", "Calle Mirasierra, 27", r"Calle d.+, \d\d"),
        ("es", "C/ Pablo Iglesias, 2,3 A", r"C/ d.+, \d,\d [A-Z]"),
        ("es", "Plaza del Hospital Civil, s/n", r"Plaza d.+, s/n"),
    ],
)
def test_streets(replace: Replace, lang: str, text: str, pattern: str) -> None:
    drawn = replace(text, "STREET", lang=lang)
    assert re.fullmatch(pattern, drawn), drawn
    for word in ("pasteur", "beaubourg", "calvaire", "foch", "main", "mirasierra", "iglesias"):
        assert word not in fold(drawn)


def test_a_street_agrees_with_and_without_its_number(replace: Replace) -> None:
    bare = replace("rue Pasteur", "STREET")
    assert replace("12 rue Pasteur", "STREET").endswith(bare)
    assert fold(replace("12 RUE PASTEUR", "STREET")).endswith(fold(bare))


def test_words_after_a_street_that_may_be_names_are_dropped(replace: Replace) -> None:
    drawn = replace("12 rue Pasteur, chez Mme Zorbec, étage 3", "STREET")
    assert "zorbec" not in fold(drawn)
    assert "étage" in drawn


@pytest.mark.parametrize(
    ("lang", "text", "start"),
    [
        ("fr", "Hôpital Henri Mondor", "Hôpital "),
        ("fr", "CHU de Rennes", "CHU "),
        ("fr", "Centre Hospitalier de Beauvais", "Centre Hospitalier "),
        ("fr", "CLINIQUE PASTEUR", "CLINIQUE "),
        ("es", "Hospital Universitario La Paz", "Hospital Universitario "),
        ("es", "Centro de Salud Zona 4", "Centro de Salud "),
        ("fr", "Avicenne", ""),
        ("fr", "HEGP", ""),
        ("fr", "CHU", ""),
        ("en", "Mercy General Hospital", ""),
    ],
)
def test_care_sites_keep_their_type(replace: Replace, lang: str, text: str, start: str) -> None:
    drawn = replace(text, "HOSPITAL", lang=lang)
    assert drawn.startswith(start)
    assert drawn.isupper() == text.isupper()
    for word in ("mondor", "rennes", "beauvais", "pasteur", "paz", "zona", "avicenne", "mercy"):
        assert word not in fold(drawn).split()


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("REGION", "regions"),
        ("COUNTRY", "countries"),
        ("PROFESSION", "professions"),
    ],
)
def test_listed_kinds_are_permuted(
    replace: Replace, subject_of: Callable[..., Subject], locale: str, label: str, kind: str
) -> None:
    subject = subject_of(locale=locale)
    entries = lexicon.load(kind, locale).entries
    drawn = [replace(entry, label, subject=subject) for entry in entries]
    # The permutation is of folded values: entries of two words are found by their folded form.
    assert all(fold(a) != fold(b) for a, b in zip(entries, drawn, strict=True))
    assert len(set(drawn)) == len(entries)


@given(
    st.text(min_size=1, max_size=25).filter(lambda t: any(map(str.isalnum, t))),
    st.sampled_from("STREET ZIP CITY HOSPITAL REGION COUNTRY ORGANIZATION PROFESSION".split()),
)
def test_any_text_can_be_a_place(replace: Replace, text: str, label: str) -> None:
    drawn = replace(text, label)
    assert fold(drawn) != fold(text)
    assert drawn == replace(text, label)


@pytest.fixture(scope="module")
def living(cohort: CohortKey) -> Callable[..., Subject]:
    """A patient under a policy that keeps an area, who lives in Saint-Denis of La Réunion."""

    def make(kept: Area, locale: str = "fr", name: str = "42") -> Subject:
        policy, key = Policy(locale=locale, keep_area=kept), cohort.patient(name)
        home = Address("1 rue X", "97400", "Saint-Denis", "FR")
        record = PatientRecord(name, addresses=(home,) if locale == "fr" else ())
        return Subject(key, policy, record, days=dates.shift_days(key, policy))

    return make


@pytest.mark.parametrize(
    ("kept", "locale", "town", "code"),
    [
        ("department", "fr", "Rennes", "35000"),
        ("department", "fr", "Bazouges-la-Pérouse", "35560"),
        ("department", "fr", "Ajaccio", "20000"),
        ("region", "fr", "Rennes", "35000"),
        ("department", "es", "Getafe", "28901"),
        ("region", "es", "Sevilla", "41001"),
        ("department", "en", "Columbus", "43085"),
        ("region", "en", "Burlington", "05401"),
        ("department", "de", "Lörrach", "79539"),
        ("region", "de", "Leipzig", "04109"),
        ("department", "nl", "Leiden", "2312"),
        ("region", "nl", "Zwolle", "8011"),
    ],
)
def test_the_area_that_is_kept_is_kept(
    living: Callable[..., Subject], replace: Replace, kept: str, locale: str, town: str, code: str
) -> None:
    towns = lexicon.load("cities", locale)
    codes = dict(zip(towns.entries, towns.codes, strict=True))
    for name in "abcd":
        subject = living(kept, locale, name)
        drawn = replace(town, "CITY", subject=subject)
        beside = replace(code, "ZIP", subject=subject, city=town)
        alone = replace(code, "ZIP", subject=subject)
        assert fold(drawn) != fold(town)
        assert codes[drawn] == beside
        areas = {gazetteer.area(each, locale, kept) for each in (code, beside, alone)}
        assert len(areas) == 1


@pytest.mark.parametrize(
    ("locale", "names", "other"),
    [("fr", ("France", "FRANCE"), "Espagne"), ("es", ("España", "ESPANA"), "Francia"),
     ("en", ("United States", "USA", "U.S."), "France"),
     ("de", ("Deutschland", "DEUTSCHLAND"), "Frankreich"), ("nl", ("Nederland",), "Frankrijk")],
)  # fmt: skip
def test_where_an_area_is_kept_so_is_its_country(
    living: Callable[..., Subject],
    replace: Replace,
    locale: str,
    names: tuple[str, ...],
    other: str,
) -> None:
    for name in names:
        assert replace(name, "COUNTRY", subject=living("none", locale)) != name
        for kept in ("country", "region", "department"):
            subject = living(kept, locale)
            assert replace(name, "COUNTRY", subject=subject) == name
            drawn = replace(other, "COUNTRY", subject=subject)
            assert drawn != other and drawn not in names
            assert drawn in lexicon.load("countries", locale).entries


def test_towns_of_a_kept_country_are_drawn_as_ever(
    living: Callable[..., Subject], replace: Replace
) -> None:
    for town in ("Rennes", "Brest", "Lyon"):
        drawn = {replace(town, "CITY", subject=living(kept)) for kept in ("none", "country")}
        assert len(drawn) == 1


def test_a_department_of_one_town_is_its_region(
    living: Callable[..., Subject], replace: Replace
) -> None:
    subject = living("department")
    drawn = {replace(f"750{district:02d}", "ZIP", subject=subject)[:2] for district in range(1, 15)}
    assert len(drawn) > 1
    assert drawn <= {"77", "78", "91", "92", "93", "94", "95", "75"}
    assert replace("Paris", "CITY", subject=subject) != "Paris"


def test_where_a_town_lies_is_what_the_address_says(
    living: Callable[..., Subject], replace: Replace
) -> None:
    drawn = replace("97490", "ZIP", subject=living("department"), city="Saint-Denis")
    assert drawn.startswith("974")
    # Nobody knows where these are.
    assert replace("Brocéliande-sur-Rien", "CITY", subject=living("department"))


def test_a_site_is_one_under_all_its_names(
    replace: Replace, subject_of: Callable[..., Subject]
) -> None:
    drawn = {
        replace(text, "HOSPITAL").split(maxsplit=1)[-1]
        for text in (
            "Hôpital Henri Mondor",
            "hôpital Mondor",
            "CHU Henri Mondor",
            "Hôpital H. Mondor",
        )
    }
    assert len({fold(each) for each in drawn}) == 1
    town = replace("Rennes", "CITY")
    joint = "d'" if fold(town)[0] in "aeiouyh" else "de "
    assert replace("CHU de Rennes", "HOSPITAL") == f"CHU {joint}{town}"
    assert replace("CENTRE HOSPITALIER DE RENNES", "HOSPITAL").endswith(unaccented(town).upper())


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Salle 4", r"Salle [1-35-9]"),
        ("Unité B", r"Unité [AC-Z]"),
        ("Pavillon Laënnec", r"Pavillon (?!La).+"),
        ("Ward 12B", r"Ward \d\d[A-Z]"),
    ],
)
def test_wards(replace: Replace, text: str, pattern: str) -> None:
    assert re.fullmatch(pattern, replace(text, "HOSPITAL"))


@pytest.mark.parametrize("family", ["del Valle", "de la Vega", "De Las Heras"])
def test_particles_of_a_name_bar_no_street(
    replace: Replace, subject_of: Callable[..., Subject], family: str
) -> None:
    # Every Spanish street of the list holds one.
    record = PatientRecord(person_id="1", family_names=(family,))
    subject = subject_of(record=record, locale="es")
    for street in ("Calle de Alcalá 12", "Avda. del Puerto, 3", "Plaza Mayor 1"):
        drawn = replace(street, "STREET", subject=subject)
        assert drawn != street
        assert not {"valle", "vega", "heras"} & set(re.findall(r"\w+", fold(drawn)))


def test_a_name_of_particles_alone_is_kept_out(subject_of: Callable[..., Subject]) -> None:
    record = PatientRecord(person_id="1", family_names=("San",), given_names=("Ali",))
    subject = subject_of(record=record, locale="es")
    assert not subject.allows("San Sebastián")
    assert subject.allows("Calle de la Vega")
