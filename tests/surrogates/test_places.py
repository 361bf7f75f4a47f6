"""Places: coherent towns and codes, streets part by part, care sites of the same type."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.folding import fold
from surrogates import lexicon


@pytest.mark.parametrize("locale", ["fr", "en", "es"])
def test_code_and_town_side_by_side_belong_together(replace, subject_of, locale: str) -> None:
    towns = lexicon.load("cities", locale)
    codes = dict(zip(towns.entries, towns.codes, strict=True))
    subject = subject_of(locale=locale)
    for town in (*towns.entries[::9], "Brocéliande", "PARIS", "Smallville"):
        drawn = replace(town.title(), "CITY", subject=subject)
        code = replace("99123", "ZIP", subject=subject, city=town)
        assert codes[drawn] == code


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
def test_codes_keep_their_shape(replace, text: str, pattern: str) -> None:
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
def test_what_follows_a_town_is_kept(replace, text: str, pattern: str) -> None:
    drawn = replace(text, "CITY")
    assert re.fullmatch(pattern, drawn), drawn
    assert fold(text.split(maxsplit=1)[0]) not in fold(drawn)


def test_spellings_of_a_town_agree(replace) -> None:
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
def test_streets(replace, lang: str, text: str, pattern: str) -> None:
    drawn = replace(text, "STREET", lang=lang)
    assert re.fullmatch(pattern, drawn), drawn
    for word in ("pasteur", "beaubourg", "calvaire", "foch", "main", "mirasierra", "iglesias"):
        assert word not in fold(drawn)


def test_a_street_agrees_with_and_without_its_number(replace) -> None:
    bare = replace("rue Pasteur", "STREET")
    assert replace("12 rue Pasteur", "STREET").endswith(bare)
    assert fold(replace("12 RUE PASTEUR", "STREET")).endswith(fold(bare))


def test_words_after_a_street_that_may_be_names_are_dropped(replace) -> None:
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
def test_care_sites_keep_their_type(replace, lang: str, text: str, start: str) -> None:
    drawn = replace(text, "HOSPITAL", lang=lang)
    assert drawn.startswith(start)
    assert drawn.isupper() == text.isupper()
    for word in ("mondor", "rennes", "beauvais", "pasteur", "paz", "zona", "avicenne", "mercy"):
        assert word not in fold(drawn).split()


@pytest.mark.parametrize("locale", ["fr", "en", "es"])
@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("REGION", "regions"),
        ("COUNTRY", "countries"),
        ("PROFESSION", "professions"),
        ("ORGANIZATION", "organizations"),
    ],
)
def test_listed_kinds_are_permuted(replace, subject_of, locale, label, kind) -> None:
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
def test_any_text_can_be_a_place(replace, text: str, label: str) -> None:
    drawn = replace(text, label)
    assert fold(drawn) != fold(text)
    assert drawn == replace(text, label)
