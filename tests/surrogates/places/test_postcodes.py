"""British and Canadian addresses: town, postcode and region of one place of the same country."""

import re
from collections.abc import Callable
from dataclasses import replace as derive

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.patient import lexicon
from surrogates.places.postcodes import country_of, country_of_all
from surrogates.rewrite import Rewriter

Marked = Callable[[str], tuple[Document, list[Span]]]
TOWNS = {
    country: {
        name: (code, region)
        for name, code, region in (
            line.split(";") for line in lexicon.lines(f"towns_{country}", "en")
        )
    }
    for country in ("gb", "ca")
}
PERSONS = tuple(map(str, range(8)))


def _parts(
    cohort: CohortKey, marked: Marked, text: str, person: str = "1", **policy: object
) -> list[str]:
    document, spans = marked(text)
    document = derive(document, lang="en", person_id=person)
    rewriter = Rewriter(cohort, Policy(locale="en", **policy))  # type: ignore[arg-type]
    release = rewriter.rewrite(document, spans, None)
    return [release.text[span.start : span.end] for span in release.spans]


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("[Leeds|CITY] [LS1 3EX|ZIP]", "gb"),
        ("[Springfield|CITY], [SW1A 1AA|ZIP]", "gb"),
        ("[Toronto|CITY] [M5V 2T6|ZIP]", "ca"),
        ("[Boston|CITY], [M5V 2T6|ZIP]", "ca"),
    ],
)
def test_town_and_postcode_are_of_one_place(
    cohort: CohortKey, marked: Marked, text: str, country: str
) -> None:
    for person in PERSONS:
        town, postcode = _parts(cohort, marked, text, person)
        assert postcode.split(" ")[0] == TOWNS[country][town][0]
        assert country_of(postcode) == country
        assert town not in text
        assert postcode not in text


def test_a_british_town_is_one_everywhere(cohort: CohortKey, marked: Marked) -> None:
    text = "[Leeds|CITY] [LS1 3EX|ZIP], born in [Leeds|CITY], sister in [Boston|CITY]"
    first, _, again, other = _parts(cohort, marked, text)
    assert first == again == _parts(cohort, marked, "born in [Leeds|CITY]")[0]
    assert other in TOWNS["gb"]


def test_american_towns_stay_american(cohort: CohortKey, marked: Marked) -> None:
    american = lexicon.load("cities", "en").entries
    assert _parts(cohort, marked, "in [Boston|CITY]")[0] in american
    text = (
        "[Boston|CITY], [MA|REGION] [02115|ZIP]\n\nthen [Leeds|CITY] [LS1 3EX|ZIP] or [York|CITY]"
    )
    town, state, code, british, postcode, by_name = _parts(cohort, marked, text)
    assert town in american
    assert re.fullmatch("[A-Z]{2}", state)
    assert code.isdigit()
    assert postcode.startswith(TOWNS["gb"][british][0])
    assert by_name in TOWNS["gb"]


def test_regions_are_those_of_the_town(cohort: CohortKey, marked: Marked) -> None:
    for person in PERSONS:
        text = "[Leeds|CITY], [West Yorkshire|REGION] [LS1 3EX|ZIP]"
        town, county, postcode = _parts(cohort, marked, text, person)
        assert county != "West Yorkshire"
        assert TOWNS["gb"][town][1] in (county, "West Yorkshire")
        assert postcode.startswith(TOWNS["gb"][town][0])
        text = "[Toronto|CITY], [ON|REGION] [M5V 2T6|ZIP]"
        town, province, postcode = _parts(cohort, marked, text, person)
        assert re.fullmatch("AB|BC|MB|NB|NL|NS|PE|QC|SK", province)
        assert postcode.startswith(TOWNS["ca"][town][0])


def test_regions_beside_a_town_that_is_known_by_its_name_alone(
    cohort: CohortKey, marked: Marked
) -> None:
    for person in PERSONS:
        for country, text in (
            ("ca", "near [Kitchener|CITY], [Ontario|REGION]"),
            ("gb", "near [Leeds|CITY], [West Yorkshire|REGION]"),
        ):
            town, region = _parts(cohort, marked, text, person)
            assert region not in text
            assert region in {of for _, of in TOWNS[country].values()}
            assert TOWNS[country][town][1] in (region, *re.findall(r"\[([^|]+)\|REGION", text))


def test_form_and_case_of_a_postcode_are_kept(cohort: CohortKey, marked: Marked) -> None:
    for text, form in (
        ("[LS13EX|ZIP]", r"[A-Z]{1,2}\d{1,2}\d[A-Z]{2}"),
        ("[ls1 3ex|ZIP]", r"[a-z]{1,2}\d{1,2} \d[a-z]{2}"),
        ("[M5V-2T6|ZIP]", r"[A-Z]\d[A-Z]-\d[A-Z]\d"),
    ):
        (postcode,) = _parts(cohort, marked, text)
        assert re.fullmatch(form, postcode), postcode


def test_an_area_is_kept_where_the_policy_says_so(cohort: CohortKey, marked: Marked) -> None:
    text = "[Barnsley|CITY] [S70 2AA|ZIP]"
    for person in PERSONS:
        town, postcode = _parts(cohort, marked, text, person, keep_area="department")
        assert town in ("Chesterfield", "Rotherham", "Sheffield")
        assert postcode.startswith(TOWNS["gb"][town][0])


def test_version_2_has_american_towns(cohort: CohortKey, marked: Marked) -> None:
    town, _ = _parts(cohort.under(2), marked, "[Leeds|CITY] [LS1 3EX|ZIP]")
    assert town in lexicon.load("cities", "en").entries


@pytest.mark.parametrize(
    ("postcode", "country"),
    [("SW1A 1AA", "gb"), ("m5v2t6", "ca"), ("02115", "us"), ("02115-1234", "us"), ("1012 AB", "")],
)
def test_forms_of_postcodes(postcode: str, country: str) -> None:
    assert country_of(postcode) == country


def test_a_note_of_two_countries_is_of_none() -> None:
    assert country_of_all(["LS1 3EX", "York", "YO1 1AA"]) == "gb"
    assert country_of_all(["LS1 3EX", "02115"]) == ""


@given(st.from_regex(r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}", fullmatch=True))
def test_any_british_postcode_has_another(cohort: CohortKey, marked: Marked, postcode: str) -> None:
    (drawn,) = _parts(cohort, marked, f"[{postcode}|ZIP]")
    assert country_of(drawn) == "gb"
    assert drawn != postcode


def test_lists_are_sorted_and_have_postcodes_of_their_country() -> None:
    for country, towns in TOWNS.items():
        for code, region in towns.values():
            assert country_of(f"{code} 1AA" if country == "gb" else f"{code} 1A1") == country
            assert region
