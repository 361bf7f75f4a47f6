"""Every surface form under which what is known of a person may stand in a note."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product

from locales.registry import FOREIGN_PARTICLES, every
from record.folding import fold
from record.label import Label
from record.patient import Address, Identifier, PatientRecord, PersonName
from rules.matching.lexicon import lexicon, lexicons
from rules.matching.normalization import plain


class Match(StrEnum):
    """How a form is looked for in a text.

    `WORDS` parts in order, anything or nothing of blanks, hyphens, apostrophes between them.
    `CAPITALISED` the same, only where its place in the sentence shows a name: names that are
    also everyday words. `EPONYM` the same, but where a disease or a sign is meant.
    `GUARDED` the same, only with a capital and next to a title or to another known value:
    values of one or two letters and function words.
    `DIGITS` digits, whatever separates them. `CODE` letters and digits, whatever separates them.
    `DATE` a day (ISO 8601), however it is written.
    """

    WORDS = "words"
    CAPITALISED = "capitalised"
    EPONYM = "eponym"
    GUARDED = "guarded"
    DIGITS = "digits"
    CODE = "code"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Known:
    """One form of one known value: folded, its parts separated by one blank.

    `source` names the field of the record that it comes from.
    """

    label: str
    form: str = field(repr=False)
    match: Match
    source: str


_PARTICLES = (
    every(lambda language: language.persons.particles)
    | FOREIGN_PARTICLES
    | frozenset("das zur ibn abou".split())
)
_STREET_TYPES = (
    "rue r", "avenue av ave", "boulevard bd bld blvd boul bvd", "place pl", "allee all allees",
    "impasse imp", "chemin ch che chem", "route rte", "square sq", "quai q", "cours crs",
    "faubourg fg fbg", "residence res", "lotissement lot", "passage pass psg", "sentier sen",
    "hameau ham", "cite", "villa", "esplanade esp", "promenade prom", "montee mte", "voie",
    "street st str", "road rd", "drive dr", "lane ln", "court ct", "terrace ter", "parkway pkwy",
    "highway hwy", "circle cir", "trail trl", "way", "crescent cres", "close", "grove",
    "calle c cl", "avenida av avda avd ave", "plaza pza plz pl", "paseo ps pso p",
    "camino cno cmno",
    "carretera ctra crta", "ronda rda", "travesia trv trva", "urbanizacion urb", "glorieta gta",
    "pasaje pje psje", "via", "rambla rbla",
)  # fmt: skip
_TYPE_FORMS: dict[str, frozenset[str]] = {}
for _row in _STREET_TYPES:
    for _word in _row.split():
        _TYPE_FORMS[_word] = _TYPE_FORMS.get(_word, frozenset()) | frozenset(_row.split())
_SHORTENED = (
    "saint st san", "sainte ste", "general gal gen gral", "docteur dr doct doctor",
    "professeur pr prof",
    "marechal mal mar", "president pdt pres", "colonel col cnel", "capitaine cap cpt", "sur s",
    "commandant cdt cmdt", "lieutenant lt", "north n", "south s", "east e", "west w", "mount mt",
    "fort ft", "santa sta", "santo sto", "sous ss",
)  # fmt: skip
_WORD_FORMS: dict[str, tuple[str, ...]] = {}
for _row in _SHORTENED:
    for _word in _row.split():
        _WORD_FORMS[_word] = tuple(_row.split())
_REPEATS = frozenset("bis ter quater quinquies".split())
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa"}
)
COUNTRY_CODES = (
    "33 34 1 31 32 41 352 44 49 39 351 212 213 216 221 225 237 262 590 594 596"
    " 43 30 36 40 45 46 47 48 353 358 370 371 372 385 386 420 421 90"
).split()
"""Country codes of telephone numbers, those that are met most first."""
_MOST_FORMS = 24
EVERYDAY = ("words_fr", "words_en", "words_es", "words_clinical", "names_everyday")
"""The lexicons of words that a note may hold without meaning a person of that name."""
NAMES = (
    "family_fr", "family_en", "family_es", "family_de", "family_nl", "given_fr", "given_en",
    "given_es", "given_de", "given_nl", "cities", "regions", "countries", "eponyms",
)  # fmt: skip
"""The lexicons of names that somebody or something else may have."""


def variants(record: PatientRecord) -> tuple[Known, ...]:
    """List every form of every value the record holds, each form once per label.

    The patient's own values come before those of relatives: where a form has two labels,
    the first is the one to prefer.
    """
    return _distinct(_all_forms(record))


def around(
    clinicians: Iterable[PersonName], identifiers: Iterable[Identifier]
) -> tuple[Known, ...]:
    """List the forms of what is known of one note: its clinicians and its identifiers."""
    return _distinct(
        known
        for forms in (
            *(_person_forms(name, "clinicians") for name in clinicians),
            *(_identifier(identifier) for identifier in identifiers),
        )
        for known in forms
    )


def _all_forms(record: PatientRecord) -> Iterator[Known]:
    for name in record.family_names:
        yield from _name_variants(name, Label.LAST_NAME, "family_names")
    for name in record.birth_names:
        yield from _name_variants(name, Label.LAST_NAME, "birth_names")
    for name in record.given_names:
        yield from _name_variants(name, Label.FIRST_NAME, "given_names")
    if record.birth_date:
        yield Known(Label.BIRTH_DATE, record.birth_date.isoformat(), Match.DATE, "birth_date")
    for address in record.addresses:
        yield from _address(address)
    for phone in record.phones:
        yield from _phone(phone)
    for email in record.emails:
        yield from _whole_value(email, Label.EMAIL, "emails")
    for identifier in record.identifiers:
        yield from _identifier(identifier)
    for relative in record.relatives:
        yield from _person_forms(relative, "relatives")


def _distinct(forms: Iterable[Known]) -> tuple[Known, ...]:
    # A form that is both a whole value and a part of another is looked for as the whole.
    kept: dict[tuple[str, str], Known] = {}
    for known in forms:
        key = (known.label, known.form)
        if key not in kept or known.match is Match.WORDS:
            kept[key] = kept[key] if key in kept and kept[key].match is Match.WORDS else known
    return tuple(kept.values())


def _person_forms(name: PersonName, source: str) -> Iterator[Known]:
    for family in name.family_names:
        yield from _name_variants(family, Label.LAST_NAME, source)
    for given in name.given_names:
        yield from _name_variants(given, Label.FIRST_NAME, source)


def words(value: str) -> list[str]:
    """Split a value into folded runs of letters and runs of digits."""
    return _WORDS.findall(fold(plain(value)))


def _name_variants(value: str, label: str, source: str) -> Iterator[Known]:
    yield from _name_forms(value, label, source)
    spelt_out = value.translate(_UMLAUTS)
    if spelt_out != value:
        yield from _name_forms(spelt_out, label, source)


def _name_forms(value: str, label: str, source: str) -> Iterator[Known]:
    whole = words(value)
    for form in _shortened_forms(whole):
        yield Known(label, " ".join(form), _match_kind(form), source)
    if len(whole) < 2:
        return
    for form in _partial_names(value, whole):
        yield Known(label, " ".join(form), _match_kind(form), source)


def _partial_names(value: str, whole: list[str]) -> Iterator[list[str]]:
    core = _without_leading(whole)
    if core and core != whole:
        yield from _shortened_forms(core)
    for piece in re.split(r"[\s,/\-‐‑–]+", value):
        part = _without_leading(words(piece))
        if sum(map(len, part)) >= 3 and part not in (whole, core):
            yield part


def _without_leading(parts: list[str]) -> list[str]:
    at = 0
    while at < len(parts) and parts[at] in _PARTICLES:
        at += 1
    return parts[at:]


def _shortened_forms(parts: list[str]) -> Iterator[list[str]]:
    if len(parts) < 2 or not any(part in _WORD_FORMS for part in parts):
        if parts:
            yield parts
        return
    choices = [(part, *(_WORD_FORMS.get(part, ()))) for part in parts]
    seen: dict[tuple[str, ...], None] = {}
    for form in product(*choices):
        seen[form] = None
        if len(seen) >= _MOST_FORMS:
            break
    for form in seen:
        yield list(form)


def _match_kind(form: list[str]) -> Match:
    if sum(map(len, form)) <= 2 or (len(form) == 1 and form[0] in lexicon("function_words")):
        return Match.GUARDED
    everyday = lexicons(*EVERYDAY)
    if all(part in everyday or part in _PARTICLES for part in form):
        return Match.CAPITALISED
    alone = len(form) == 1 and form[0] in lexicons("eponyms", "eponyms_families")
    return Match.EPONYM if alone else Match.WORDS


def _whole_value(value: str, label: str, source: str) -> Iterator[Known]:
    parts = words(value)
    if parts:
        yield Known(label, " ".join(parts), _match_kind(parts), source)


def _address(address: Address) -> Iterator[Known]:
    source = "addresses"
    for form in _street(address.street):
        yield Known(Label.STREET, " ".join(form), Match.WORDS, source)
    if address.zip:
        yield from _code(address.zip, Label.ZIP, source)
        if "-" in address.zip:
            yield from _code(address.zip.split("-")[0], Label.ZIP, source)
    city = words(re.split(r"\bcedex\b", fold(address.city))[0])
    while city and city[-1].isdigit():
        city.pop()
    for form in _shortened_forms(city):
        yield Known(Label.CITY, " ".join(form), _match_kind(form), source)
    core = _without_leading(city)
    if core and core != city:
        yield Known(Label.CITY, " ".join(core), _match_kind(core), source)
    if sum(map(len, words(address.region))) > 3:
        yield from _whole_value(address.region, Label.REGION, source)


def _street(street: str) -> Iterator[list[str]]:
    everything = words(street)
    if sum(map(len, everything)) < 4:
        return
    yield everything
    for segment in street.split(","):
        parts = words(segment)
        number, name = _house_number(parts)
        name = _without_number_at_end(name)
        yield from _street_forms(number, name, everything)


def _street_forms(number: list[str], name: list[str], everything: list[str]) -> Iterator[list[str]]:
    at = _street_type_index(name)
    if at is None:
        # No kind of way is named: only a name of several words stands without its number.
        if len(name) > 1 and sum(map(len, name)) > 6 and name != everything:
            yield name
        return
    proper = name[:at] + name[at + 1 :]
    bare = [part for part in proper if part not in _PARTICLES]
    if not bare:
        return
    distinctive = sum(map(len, bare)) > 2
    for kind in sorted(_TYPE_FORMS[name[at]]):
        for form in _shortened_forms([*name[:at], kind, *name[at + 1 :]]):
            yield form if distinctive else number + form
    yield ([name[at], *bare] if at == 0 else [*bare, name[at]]) if distinctive else number + name
    if number and distinctive:
        yield number + proper


def _street_type_index(name: list[str]) -> int | None:
    if len(name) < 2:
        return None
    if name[0] in _TYPE_FORMS:
        return 0
    return len(name) - 1 if name[-1] in _TYPE_FORMS else None


def _house_number(parts: list[str]) -> tuple[list[str], list[str]]:
    at = 0
    while at < len(parts) and (
        parts[at].isdigit()
        or (at > 0 and (parts[at] in _REPEATS or (len(parts[at]) == 1 and at + 1 < len(parts)
            and parts[at + 1] in _TYPE_FORMS)))
    ):  # fmt: skip
        at += 1
    return parts[:at], parts[at:]


def _without_number_at_end(parts: list[str]) -> list[str]:
    for at, part in enumerate(parts):
        if at > 1 and part.isdigit():
            return parts[:at]
    return parts


_EXTENSION = re.compile(r"(?<=[0-9])[ ,]{0,3}(?:x|ext[.:]?|poste|#)[ ]?[0-9]{1,6}$", re.IGNORECASE)


def _phone(value: str) -> Iterator[Known]:
    value = _EXTENSION.sub("", value.strip())
    digits = "".join(part for part in words(value) if part.isdigit())
    national = national_number(value)
    if len(national) < 7:
        national = digits
    if len(national) >= 4:
        yield Known(Label.PHONE, national, Match.DIGITS, "phones")
    if len(national) == 10:
        # North American numbers are also given without their area code.
        yield Known(Label.PHONE, national[3:], Match.DIGITS, "phones")


def national_number(value: str) -> str:
    """Return the digits of a telephone number without country code and trunk zero."""
    digits = re.sub(r"\D", "", value.replace("(0)", ""))
    international = value.strip().lstrip("(").startswith("+") or digits.startswith("00")
    digits = digits.removeprefix("00")
    codes = COUNTRY_CODES if international else _unmarked_codes(digits)
    for code in codes:
        if digits.startswith(code):
            return digits[len(code) :].lstrip("0")
    return digits.lstrip("0")


def _unmarked_codes(digits: str) -> list[str]:
    # `33144556677` without a sign: the length shows that a country code is there.
    return ["33", "34", "1"] if len(digits) == 11 else []


def _identifier(identifier: Identifier) -> Iterator[Known]:
    yield from _code(identifier.value, identifier.label, "identifiers")
    compact = "".join(words(identifier.value))
    if identifier.label == Label.SSN and len(compact) == 15:
        yield from _code(compact[:13], identifier.label, "identifiers")


def _code(value: str, label: str, source: str) -> Iterator[Known]:
    compact = "".join(words(value))
    if compact.isdigit():
        yield Known(label, compact, Match.DIGITS, source)
        short = compact.lstrip("0")
        if 6 <= len(short) < len(compact):
            yield Known(label, short, Match.DIGITS, source)
    elif any(char.isdigit() for char in compact):
        yield Known(label, compact, Match.CODE, source)
    elif compact:
        yield from _whole_value(value, label, source)
